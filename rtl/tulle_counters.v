// SPDX-License-Identifier: Apache-2.0
//
// tulle_counters: many 64-bit counters for little: each has a short register that adds up what comes, and in turn
// these are emptied into a RAM by one 64-bit adder.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   clear_i                   all counters become 0; what comes in the cycles behind it counts
//   count_i, add_i            in this cycle word c is added to counter c
//   read_i, read_address_i    half a counter: counter and, lowest bit, its half; read_i keeps the adder off the RAM
//   read_o                    in the next cycle
//   last_i                    one cycle: nothing is added in the cycles that follow
//   settled_o                 all that came before last_i is in the RAM
//
// Parameters
//   COUNTERS                  1..16
//   WIDTH                     bits of a word of add_i
//   WIDTHS                    byte c: how many of them counter c has; the others are not looked at
//
// A short register must hold what can come in a round: COUNTERS words and the cycles in which the RAM is read,
// at most one in two. With six bits more than a word it holds 63 words.
// Latency: a word is in the RAM after at most COUNTERS + 1 cycles without reads.

`default_nettype none

module tulle_counters #(
  parameter                  COUNTERS = 12,
  parameter                  WIDTH    = 10,
  parameter [8*COUNTERS-1:0] WIDTHS   = {COUNTERS{8'd10}}
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,
  input  wire                      clear_i,
  input  wire                      last_i,
  input  wire                      count_i,
  input  wire [COUNTERS*WIDTH-1:0] add_i,
  input  wire                      read_i,
  input  wire [4:0]                read_address_i,
  output wire [31:0]               read_o,
  output wire                      settled_o
);

  localparam SHORT = WIDTH + 6;
  localparam integer LAST = COUNTERS - 1;

  tulle_require #(
    .LEGAL   (COUNTERS >= 1 && COUNTERS <= 16 && WIDTH <= 58),
    .MESSAGE ("tulle_counters: COUNTERS must be 1..16, WIDTH at most 58")
  ) u_require_counters_1_to_16 ();

  genvar c;

  wire unused = &{1'b0, add_i};

  // -- In turn: the counter is read and its short register emptied; a cycle later the sum is written ------------

  reg  [3:0]       turn_q;
  reg              clearing_q;
  reg              write_q;
  reg  [3:0]       write_turn_q;
  reg  [63:0]      sum_q;
  reg  [4:0]       left_q;        // visits until all have been emptied since last_i

  wire [3:0]       read_turn = read_i ? read_address_i[4:1] : turn_q;
  wire             visit     = !read_i;
  wire [63:0]      value;
  wire [SHORT-1:0] short [0:15];
  wire             last      = turn_q == LAST[3:0];

  // The counter that is visited was written at least a cycle before, because a visit goes to the next one; with
  // one counter there is none, and it waits.
  wire             again     = COUNTERS == 1 && write_q;

  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      turn_q     <= 4'd0;
      clearing_q <= 1'b1;
      write_q    <= 1'b0;
      left_q     <= 5'd31;
    end else begin
      if (visit && !again) turn_q <= last ? 4'd0 : turn_q + 4'd1;
      if (visit && !again && last) clearing_q <= 1'b0;
      write_q <= visit && !again;
      if (last_i) left_q <= COUNTERS[4:0] + 5'd1;
      else if (visit && !again && left_q != 5'd0) left_q <= left_q - 5'd1;
    end
  end

  always @(posedge clk_i) begin
    write_turn_q <= turn_q;
    sum_q        <= clearing_q ? 64'd0 : value + {{64-SHORT{1'b0}}, short[turn_q]};
  end

  tulle_lutram #(
    .WIDTH (64),
    .DEPTH (16)
  ) u_values (
    .clk_i   (clk_i),
    .we_i    (write_q),
    .waddr_i (write_turn_q),
    .wdata_i (sum_q),
    .raddr_i (read_turn),
    .rdata_o (value)
  );

  generate
    for (c = 0; c < 16; c = c + 1) begin : gen_short
      if (c < COUNTERS) begin : gen_there
        localparam OWN = WIDTHS[8*c +: 8];

        reg  [OWN+5:0]   short_q;
        wire             empties = visit && !again && turn_q == c[3:0];
        wire             drops   = empties && !clearing_q;
        wire [OWN+5:0]   kept    = drops ? {OWN+6{1'b0}} : short_q;

        // Whether anything counts is the register's enable, not a gate before the sum.
        always @(posedge clk_i) begin
          if (!rst_ni || clear_i || (drops && !count_i)) short_q <= {OWN+6{1'b0}};
          else if (count_i)                              short_q <= kept + {6'd0, add_i[c*WIDTH +: OWN]};
        end

        if (OWN < WIDTH) begin : gen_narrow
          assign short[c] = {{WIDTH-OWN{1'b0}}, short_q};
        end else begin : gen_full
          assign short[c] = short_q;
        end
      end else begin : gen_missing
        assign short[c] = {SHORT{1'b0}};
      end
    end
  endgenerate

  reg [31:0] read_q;

  always @(posedge clk_i) begin
    if (read_i) read_q <= read_address_i[0] ? value[63:32] : value[31:0];
  end

  assign read_o    = read_q;
  assign settled_o = left_q == 5'd0;

endmodule

`default_nettype wire
