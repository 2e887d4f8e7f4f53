// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_tokens: the counts of the dependency tokens: says which of the operations at the heads of the queues
// starts, takes its tokens, and gives those of operations that are done.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   load_i, counts_i             one cycle: initial counts, four bits a token
//   waiting_i                    bit q: the operation at the head of queue q waits to start
//   waits_i                      what for, 12 bits a queue: {token b, b, token a, a}
//   held_i                       bit q: it is not to start, although it may
//   may_o                        bit q: its tokens are there
//   start_o                      bit q: it starts now; at most one
//   done_valid_i, done_ready_o   operations that are done, a stream a queue
//   done_tag_i                   {place, signal a, token a, signal b, token b}, 38 bits a queue
//   given_o                      an operation's tokens were given
//   overflow_o, overflow_place_o one cycle: a token would exceed 15; the place of the operation that gave it
//   idle_o                       nothing to take or to give
//
// Parameters
//   TOKENS                       tokens, 4..32
//
// Latency: an operation starts three cycles after the done that it waits for. One starts every other cycle, or every
// third when it takes two tokens; one is done a cycle, or every other cycle when it gives two.

`default_nettype none

module tulle_command_tokens #(
  parameter TOKENS = 16
) (
  input  wire         clk_i,
  input  wire         rst_ni,

  input  wire         load_i,
  input  wire [127:0] counts_i,

  input  wire [3:0]   waiting_i,
  input  wire [47:0]  waits_i,
  input  wire [3:0]   held_i,
  output wire [3:0]   may_o,
  output wire [3:0]   start_o,

  input  wire [3:0]   done_valid_i,
  output wire [3:0]   done_ready_o,
  input  wire [151:0] done_tag_i,
  output wire         given_o,
  output wire         overflow_o,
  output wire [25:0]  overflow_place_o,
  output wire         idle_o
);

  tulle_require #(
    .LEGAL   (TOKENS >= 4 && TOKENS <= 32),
    .MESSAGE ("tulle_command_tokens: TOKENS must be 4..32")
  ) u_require_tokens_4_to_32 ();

  // -- Who starts ----------------------------------------------------------------------------------------

  wire [31:0] some; // the token is there
  wire [31:0] more; // twice

  reg [3:0] may;
  integer   q;

  always @* begin
    for (q = 0; q < 4; q = q + 1)
      may[q] = waiting_i[q] &&
               (!waits_i[12*q]     || some[waits_i[12*q + 1 +: 5]]) &&
               (!waits_i[12*q + 6] || some[waits_i[12*q + 7 +: 5]]) &&
               (!(waits_i[12*q] && waits_i[12*q + 6] && waits_i[12*q + 1 +: 5] == waits_i[12*q + 7 +: 5]) ||
                more[waits_i[12*q + 1 +: 5]]);
  end

  // What the last one that started has still to take.
  reg [11:0] take_q;

  wire       taking   = take_q[0] || take_q[6];
  wire [4:0] taken    = take_q[0] ? take_q[5:1] : take_q[11:7];
  wire [3:0] could    = (taking || load_i) ? 4'b0000 : may & ~held_i;
  wire [3:0] start    = could & ~{|could[2:0], |could[1:0], could[0], 1'b0};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      take_q <= 12'd0;
    end else if (taking) begin
      if (take_q[0]) take_q[0] <= 1'b0;
      else           take_q[6] <= 1'b0;
    end else if (start != 4'b0000) begin
      take_q <= (start[0] ? waits_i[11:0]  : 12'd0) | (start[1] ? waits_i[23:12] : 12'd0) |
                (start[2] ? waits_i[35:24] : 12'd0) | (start[3] ? waits_i[47:36] : 12'd0);
    end
  end

  assign may_o   = taking ? 4'b0000 : may;
  assign start_o = start;

  // -- Who is done ---------------------------------------------------------------------------------------

  reg  [3:0]   full_q;
  reg  [151:0] tag_q;
  reg          second_q; // the first token of the one at hand was given

  reg  [3:0]  turn_q;

  // It stays the turn of one until its second token is given.
  wire [3:0]  turn  = second_q ? turn_q : full_q & ~{|full_q[2:0], |full_q[1:0], full_q[0], 1'b0};
  wire [37:0] tag   = (turn[0] ? tag_q[37:0]   : 38'd0) | (turn[1] ? tag_q[75:38]   : 38'd0) |
                      (turn[2] ? tag_q[113:76] : 38'd0) | (turn[3] ? tag_q[151:114] : 38'd0);
  wire        both  = tag[11] && tag[5] && !second_q;
  wire        give  = tag[11] || tag[5];
  wire [4:0]  token = (tag[11] && !second_q) ? tag[10:6] : tag[4:0];
  wire        given = full_q != 4'b0000 && !both;

  genvar d;
  generate
    for (d = 0; d < 4; d = d + 1) begin : gen_done
      always @(posedge clk_i) begin
        if (!rst_ni) full_q[d] <= 1'b0;
        else         full_q[d] <= full_q[d] ? !(turn[d] && given) : done_valid_i[d];
        if (!full_q[d]) tag_q[38*d +: 38] <= done_tag_i[38*d +: 38];
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    second_q <= rst_ni && both;
    turn_q   <= turn;
  end

  assign done_ready_o = ~full_q;
  assign given_o      = given;

  // -- Counts --------------------------------------------------------------------------------------------

  wire [31:0] overflow;

  genvar t;
  generate
    for (t = 0; t < 32; t = t + 1) begin : gen_token
      if (t < TOKENS) begin : gen_count
        localparam [4:0] NUMBER = t;

        reg [3:0] count_q;

        wire       plus  = give && token == NUMBER;
        wire       minus = taking && taken == NUMBER;
        // What a bit is told from those below it: that all are 1 when counting up, 0 when counting down.
        wire [2:0] ones  = plus ? count_q[2:0] : ~count_q[2:0];

        always @(posedge clk_i) begin
          if (load_i)             count_q <= counts_i[4*t +: 4];
          else if (plus != minus) count_q <= count_q ^ {&ones, &ones[1:0], ones[0], 1'b1};
        end

        assign some[t]     = count_q != 4'd0;
        assign more[t]     = count_q[3:1] != 3'd0;
        assign overflow[t] = plus && !minus && count_q == 4'd15;
      end else begin : gen_none
        assign some[t]     = 1'b0;
        assign more[t]     = 1'b0;
        assign overflow[t] = 1'b0;
      end
    end
  endgenerate

  reg        overflow_q;
  reg [25:0] place_q;

  always @(posedge clk_i) begin
    overflow_q <= rst_ni && overflow != 32'd0;
    place_q    <= tag[37:12];
  end

  assign overflow_o       = overflow_q;
  assign overflow_place_o = place_q;
  assign idle_o           = !taking && full_q == 4'b0000;

  wire unused = &{1'b0, counts_i};

  genvar c;
  generate
    for (c = 0; c < 4; c = c + 1) begin : gen_check
      tulle_stream_check #(
        .WIDTH (38)
      ) u_done_check (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .valid_i (done_valid_i[c]),
        .ready_i (done_ready_o[c]),
        .data_i  (done_tag_i[38*c +: 38])
      );
    end
  endgenerate

endmodule

`default_nettype wire
