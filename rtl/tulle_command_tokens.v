// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_tokens: counts the dependency tokens. It decides which of the operations at the heads of the queues
// starts, takes its tokens, and gives the tokens of completed operations.
//
// The counts are in a RAM that does one thing a cycle: it takes a token, gives a token, or compares the counts that
// the head of one queue, in turn, waits for. There are three copies of the RAM, one for each address that is read.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   clear_i                      one cycle: a program begins, and all counts become 0
//   load_i, counts_i             one cycle: initial counts, four bits for each token; stable until ready_o
//   ready_o                      the counts are cleared and loaded, but for the last two, whose initial counts were taken
//   waiting_i                    bit q: the operation at the head of queue q waits to start
//   waits_i                      the tokens that the head of each queue waits for, 12 bits each: {token b, b, token
//                                a, a}
//   held_i                       bit q: the head of queue q must not start
//   may_o                        bit q: the tokens of queue q's head are available; valid when no token was taken or
//                                given for four cycles
//   start_o                      bit q: the head of queue q starts; at most one a cycle
//   done_valid_i, done_ready_o   completed operations: a stream for each queue
//   done_tag_i                   {place, signal a, token a, signal b, token b} for each queue
//   given_o                      the tokens of an operation were given
//   overflow_o, overflow_place_o one cycle: a token would exceed 15; the place of the operation that gives it
//   idle_o                       no token is to be taken or given
//   next_i, next_ready_o         with QUEUE, one cycle, while next_ready_o: the next program begins. Its counts are 0. Those of the
//                                program before stay for its operations that are under way
//   old_i                        with QUEUE: bit q: operations of queue q that are completed belong to the program before
//   old_idle_o                   no token of stores and accumulates is to be given
//   old_over_i                   with QUEUE, one cycle: no operation of the program before is under way
//   old_overflow_o               with overflow_o: the operation belongs to the program before
//
// Parameters
//   QUEUE                        1: there are counts of two programs
//   TOKENS                       tokens, 4..32
//
// Latency: an operation starts three cycles after the completion that it waits for, and one later for each other head
// that waits. Clearing takes TOKENS cycles; loading takes as many, or a half or a quarter (at least two) if all counts above
// are 0.

`default_nettype none

`include "tulle_isa.vh"

module tulle_command_tokens #(
  parameter QUEUE  = 0,
  parameter TOKENS = 16
) (
  input  wire         clk_i,
  input  wire         rst_ni,

  input  wire         clear_i,
  input  wire         load_i,
  input  wire [127:0] counts_i,
  output wire         ready_o,

  input  wire [3:0]   waiting_i,
  input  wire [47:0]  waits_i,
  input  wire [3:0]   held_i,
  output wire [3:0]   may_o,
  output wire [3:0]   start_o,

  input  wire [3:0]   done_valid_i,
  output wire [3:0]   done_ready_o,
  input  wire [4*`TULLE_TAG_WIDTH-1:0] done_tag_i,
  output wire         given_o,
  output wire         overflow_o,
  output wire [`TULLE_PLACE_WIDTH-1:0] overflow_place_o,
  output wire         idle_o,

  input  wire         next_i,
  output wire         next_ready_o,
  input  wire [3:0]   old_i,
  output wire         old_idle_o,
  input  wire         old_over_i,
  output wire         old_overflow_o
);

  tulle_require #(
    .LEGAL   (TOKENS >= 4 && TOKENS <= 32),
    .MESSAGE ("tulle_command_tokens: TOKENS must be 4..32")
  ) u_require_tokens_4_to_32 ();

  localparam         TAG   = `TULLE_TAG_WIDTH;
  localparam integer ALL    = TOKENS - 1;
  localparam integer LOWER  = TOKENS / 2 - 1;
  localparam integer LOWEST = (TOKENS >= 8) ? TOKENS / 4 - 1 : LOWER;
  localparam         NUMBER = $clog2(TOKENS); // bits of a token's number

  // -- Clearing and loading ------------------------------------------------------------------------------

  reg       writing_q;
  reg       loading_q;
  reg [4:0] last_q;    // the last token that is written: all behind it are 0, and are cleared
  reg [4:0] write_q;   // the token that is written
  reg [3:0] initial_q; // its initial count

  wire [4*TOKENS-1:0] initial_all = counts_i[4*TOKENS-1:0];
  wire      upper   = (initial_all >> (4 * LOWER + 4)) != {4*TOKENS{1'b0}};
  wire      middle  = (initial_all >> (4 * LOWEST + 4)) != {4*TOKENS{1'b0}};
  wire      written = write_q == last_q;
  wire [(4<<NUMBER)-1:0] counts = counts_i[(4<<NUMBER)-1:0];
  wire [4:0] write_d = (clear_i || load_i) ? 5'd0 : write_q + 5'd1;

  always @(posedge clk_i) begin
    if (!rst_ni) writing_q <= 1'b0;
    else begin
      writing_q <= clear_i || load_i || (writing_q && !written);
    end
    write_q   <= write_d;
    initial_q <= counts[{write_d[NUMBER-1:0], 2'b00} +: 4];
    if (clear_i || load_i) begin
      loading_q <= load_i;
      last_q    <= (clear_i || upper) ? ALL[4:0] : middle ? LOWER[4:0] : LOWEST[4:0];
    end
  end

  assign ready_o = !writing_q || write_q[4:1] == last_q[4:1];

  // The counts of the next program are cleared before it begins, in cycles in which nothing else is written.
  wire       bank;       // of the program
  wire       clears;     // a count of the other one is cleared
  wire [4:0] clear_token;
  wire       idle_cycle;

  generate
    if (QUEUE != 0) begin : gen_banks
      reg       bank_q;
      reg       clearing_q;
      reg [4:0] token_q;

      always @(posedge clk_i) begin
        if (!rst_ni) bank_q <= 1'b0;
        else         bank_q <= bank_q ^ next_i;
        if (!rst_ni || clear_i || old_over_i) begin
          clearing_q <= 1'b1;
          token_q    <= 5'd0;
        end else begin
          clearing_q <= clearing_q && !(idle_cycle && token_q == ALL[4:0]);
          token_q    <= token_q + {4'd0, idle_cycle};
        end
      end

      assign bank         = bank_q;
      assign clears       = clearing_q && idle_cycle;
      assign clear_token  = token_q;
      assign next_ready_o = !clearing_q && !writing_q;
    end else begin : gen_one_bank
      assign bank         = 1'b0;
      assign clears       = 1'b0;
      assign clear_token  = 5'd0;
      assign next_ready_o = 1'b0;

      wire unused_queue = &{1'b0, bank, clears, clear_token, idle_cycle, next_i, old_over_i};
    end
  endgenerate

  // -- Completed operations ------------------------------------------------------------------------------

  reg  [3:0]   full_q;
  reg  [4*TAG-1:0] tag_q;
  wire [3:0]   full_d;
  reg          second_q; // the first token of the current operation was given
  reg  [1:0]   turn_q;   // the queue whose operation is served
  reg  [TAG-1:0] tag;

  always @* begin
    case (turn_q)
      2'd0:    tag = tag_q[TAG-1:0];
      2'd1:    tag = tag_q[2*TAG-1:TAG];
      2'd2:    tag = tag_q[3*TAG-1:2*TAG];
      default: tag = tag_q[4*TAG-1:3*TAG];
    endcase
  end

  wire       taking;
  wire       serves = full_q != 4'b0000 && !taking && !writing_q;
  wire       both   = tag[11] && tag[5] && !second_q;
  wire       gives  = serves && (tag[11] || tag[5]);
  wire [4:0] token  = (tag[11] && !second_q) ? tag[10:6] : tag[4:0];
  wire       given  = serves && !both;
  wire       old    = QUEUE != 0 && old_i[turn_q];

  genvar d;
  generate
    for (d = 0; d < 4; d = d + 1) begin : gen_done
      assign full_d[d] = full_q[d] ? !(turn_q == d && given) : done_valid_i[d];

      always @(posedge clk_i) begin
        if (!rst_ni) full_q[d] <= 1'b0;
        else         full_q[d] <= full_d[d];
        if (!full_q[d]) tag_q[TAG*d +: TAG] <= done_tag_i[TAG*d +: TAG];
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)     second_q <= 1'b0;
    else if (serves) second_q <= both;
    // A queue keeps its turn until its operation's second token is given.
    if (!(serves ? both : second_q)) turn_q <= full_d[0] ? 2'd0 : full_d[1] ? 2'd1 : full_d[2] ? 2'd2 : 2'd3;
  end

  assign done_ready_o = ~full_q;
  assign given_o      = given && !old;
  assign old_idle_o   = full_q[3:2] == 2'b00;

  // -- Starting operations -------------------------------------------------------------------------------

  reg  [1:0]  look_q;    // the queue whose head is compared
  reg  [3:0]  may_q;
  reg  [11:0] take_q;    // the tokens that the last started operation has still to take
  reg  [11:0] waits;
  wire [3:0]  count;     // the count of the token that is taken or given
  wire [3:0]  count_a;   // the counts that the current head waits for
  wire [3:0]  count_b;

  always @* begin
    case (look_q)
      2'd0:    waits = waits_i[11:0];
      2'd1:    waits = waits_i[23:12];
      2'd2:    waits = waits_i[35:24];
      default: waits = waits_i[47:36];
    endcase
  end

  wire       looks = !writing_q && !taking && full_q == 4'b0000;
  wire       same  = waits[0] && waits[6] && waits[5:1] == waits[11:7];
  wire       more  = count_a[3:1] != 3'd0;
  wire       there = (!waits[0] || count_a != 4'd0) && (!waits[6] || count_b != 4'd0) && (!same || more);
  wire [3:0] at    = 4'b0001 << look_q;
  // The next head, in turn, that waits.
  wire [7:0] turn  = {waiting_i, waiting_i} >> look_q;
  wire [1:0] next  = turn[1] ? 2'd1 : turn[2] ? 2'd2 : turn[3] ? 2'd3 : 2'd0;
  wire       unused_turn = &{1'b0, turn};
  wire [3:0] start = (looks && there) ? at & waiting_i & ~held_i : 4'b0000;

  assign taking = take_q[0] || take_q[6];

  always @(posedge clk_i) begin
    if (!rst_ni) {look_q, may_q, take_q} <= 18'd0;
    else begin
      if (looks) begin
        look_q <= look_q + next;
        may_q  <= (may_q & ~at) | (there ? at : 4'b0000);
      end
      if (taking) begin
        if (take_q[0]) take_q[0] <= 1'b0;
        else           take_q[6] <= 1'b0;
      end else if (start != 4'b0000) begin
        take_q <= waits;
      end
    end
  end

  assign may_o   = may_q & waiting_i;
  assign start_o = start;

  // -- Counts --------------------------------------------------------------------------------------------

  localparam PLACE = NUMBER + ((QUEUE != 0) ? 1 : 0); // bits of the place of a count

  reg  [4:0] address;
  reg        other;      // bank
  reg  [3:0] count_d;
  reg        overflow_q;
  reg        old_q;      // it is of an operation of the program before
  reg [`TULLE_PLACE_WIDTH-1:0] place_q;

  always @* begin
    if (writing_q)   address = write_q;
    else if (taking) address = take_q[0] ? take_q[5:1] : take_q[11:7];
    else             address = token;
    other = (!writing_q && !taking && gives && old) || clears;
    if (clears)      address = clear_token;
    if (writing_q)   count_d = loading_q ? initial_q : 4'd0;
    else if (taking) count_d = count - 4'd1;
    else             count_d = count + 4'd1;
    if (clears)      count_d = 4'd0;
  end

  assign idle_cycle = !writing_q && !taking && !gives;

  wire       write = writing_q || taking || gives || clears;
  wire [NUMBER:0] place   = {bank ^ other, address[NUMBER-1:0]};
  wire [NUMBER:0] place_a = {bank, waits[1 +: NUMBER]};
  wire [NUMBER:0] place_b = {bank, waits[7 +: NUMBER]};
  wire       unused_bank = &{1'b0, place, place_a, place_b, other, address};

  // Three copies are read: the token that is taken or given, and the two tokens that the head waits for. The latter
  // must not depend on the choice of the operation that gives.
  tulle_lutram #(
    .WIDTH (4),
    .DEPTH (1 << PLACE)
  ) u_counts (
    .clk_i   (clk_i),
    .we_i    (write),
    .waddr_i (place[PLACE-1:0]),
    .wdata_i (count_d),
    .raddr_i (place[PLACE-1:0]),
    .rdata_o (count)
  );

  tulle_lutram #(
    .WIDTH (4),
    .DEPTH (1 << PLACE)
  ) u_counts_a (
    .clk_i   (clk_i),
    .we_i    (write),
    .waddr_i (place[PLACE-1:0]),
    .wdata_i (count_d),
    .raddr_i (place_a[PLACE-1:0]),
    .rdata_o (count_a)
  );

  tulle_lutram #(
    .WIDTH (4),
    .DEPTH (1 << PLACE)
  ) u_counts_b (
    .clk_i   (clk_i),
    .we_i    (write),
    .waddr_i (place[PLACE-1:0]),
    .wdata_i (count_d),
    .raddr_i (place_b[PLACE-1:0]),
    .rdata_o (count_b)
  );

  always @(posedge clk_i) begin
    overflow_q <= rst_ni && gives && count == 4'd15;
    place_q    <= tag[TAG-1:12];
    old_q      <= old;
  end

  assign overflow_o       = overflow_q;
  assign overflow_place_o = place_q;
  assign old_overflow_o   = old_q;
  assign idle_o           = !taking && full_q == 4'b0000 && !writing_q;

  wire unused = &{1'b0, counts_i, old_i};

  genvar c;
  generate
    for (c = 0; c < 4; c = c + 1) begin : gen_check
      // When a job is aborted, all operations are held, and engines withdraw what they offer.
      tulle_stream_check #(
        .WIDTH (TAG)
      ) u_done_check (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni && held_i != 4'b1111),
        .valid_i (done_valid_i[c]),
        .ready_i (done_ready_o[c]),
        .data_i  (done_tag_i[TAG*c +: TAG])
      );
    end
  endgenerate

endmodule

`default_nettype wire
