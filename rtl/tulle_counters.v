// SPDX-License-Identifier: Apache-2.0
//
// tulle_counters: 64-bit counters that share one adder. Each counter has a short register that accumulates its
// increments. The short registers are emptied in turn into a RAM by one 32-bit adder, which updates the lower half of
// a counter and then the upper half.
//
// A short register must hold the increments of two rounds, because the first round only clears the RAM. A round has
// two cycles for each counter. A short register has seven bits more than an increment, and so holds 127 increments.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   clear_i                   all counters become 0; increments from the next cycle on count
//   count_i, add_i            in this cycle, word c is added to counter c
//   read_i, read_address_i, read_o  read half a counter: its number, and in the lowest bit its half; read_o holds it
//                             from the next cycle until the next read_i
//   last_i                    one cycle: no increments come in this cycle and later. A new round begins
//   settled_o                 from the cycle of last_i on: a read of half h, h + 7 cycles later, returns all increments
//
// Parameters
//   COUNTERS                  2..15
//   WIDTH                     bits of a word of add_i
//   WIDTHS                    byte c: number of bits of counter c's increment; the others are ignored; 0: the counter
//                             stays 0
//
// Latency: an increment is in the RAM after at most 2 x COUNTERS + 2 cycles.

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

  localparam SHORT = (WIDTH > 25) ? WIDTH + 8 : 33; // at least one bit for the upper half
  localparam UPPER = SHORT - 32;
  localparam integer LAST  = 2 * COUNTERS - 1;

  tulle_require #(
    .LEGAL   (COUNTERS >= 2 && COUNTERS <= 15 && WIDTH <= 57),
    .MESSAGE ("tulle_counters: COUNTERS must be 2..15, WIDTH at most 57")
  ) u_require_counters_2_to_15 ();

  genvar c;

  // -- Pipeline: read half a counter, add to it, write the sum, one cycle each -------------------------------------
  // The short register is emptied with the lower half; its bits for the upper half are kept until that half is
  // updated.

  reg  [4:0]       turn_q;        // counter, and in the lowest bit its half
  reg              clearing_q;
  reg              add_q;
  reg              add_clears_q;  // the written sum is 0
  reg  [4:0]       add_turn_q;
  reg  [31:0]      value_q;
  reg              write_q;
  reg  [4:0]       write_turn_q;
  reg  [31:0]      sum_q;
  reg              carry_q;
  reg  [UPPER-1:0] upper_q;
  reg              restart_q;     // a new round begins behind the upper half
  wire [31:0]      value;
  wire [SHORT-1:0] short [0:15];
  wire [SHORT-1:0] here      = short[add_turn_q[4:1]];
  wire [31:0]      add       = add_turn_q[0] ? {{32-UPPER{1'b0}}, upper_q} : here[31:0];
  // The carry of the lower half enters as an extra lowest bit.
  wire [33:0]      sum       = {1'b0, value_q, 1'b1} + {1'b0, add, carry_q && add_turn_q[0]};
  wire             last      = turn_q == LAST[4:0];
  wire             restarts  = (last_i || restart_q) && !clearing_q; // a round that clears is completed
  // Not behind counter 0, whose last sum is not in the RAM yet.
  wire             jumps     = restarts && turn_q[0] && turn_q != 5'd1;
  wire             unused    = &{1'b0, add_i, sum[0]};

  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      turn_q     <= 5'd0;
      clearing_q <= 1'b1;
      {add_q, write_q, restart_q} <= 3'd0;
    end else begin
      turn_q     <= (last || jumps) ? 5'd0 : turn_q + 5'd1;
      clearing_q <= clearing_q && !last;
      restart_q  <= restarts && !jumps;
      add_q      <= 1'b1;
      write_q    <= add_q;
    end
  end

  always @(posedge clk_i) begin
    add_turn_q   <= turn_q;
    add_clears_q <= clearing_q;
    value_q      <= value;
    write_turn_q <= add_turn_q;
    if (add_clears_q) sum_q <= 32'd0;
    else              sum_q <= sum[32:1];
    if (add_clears_q) begin
      carry_q <= 1'b0;
      upper_q <= {UPPER{1'b0}};
    end else if (add_q) begin
      carry_q <= sum[33];
      upper_q <= here[SHORT-1:32];
    end
  end

  tulle_lutram #(
    .WIDTH (32),
    .DEPTH (32)
  ) u_values (
    .clk_i   (clk_i),
    .we_i    (write_q),
    .waddr_i (write_turn_q),
    .wdata_i (sum_q),
    .raddr_i (turn_q),
    .rdata_o (value)
  );

  // A copy, so that reads do not hold up the round.
  wire [31:0] copy;

  tulle_lutram #(
    .WIDTH (32),
    .DEPTH (32)
  ) u_copy (
    .clk_i   (clk_i),
    .we_i    (write_q),
    .waddr_i (write_turn_q),
    .wdata_i (sum_q),
    .raddr_i (read_address_i),
    .rdata_o (copy)
  );

  generate
    for (c = 0; c < 16; c = c + 1) begin : gen_short
      if (c < COUNTERS && WIDTHS[8*((c < COUNTERS) ? c : 0) +: 8] != 8'd0) begin : gen_there
        localparam OWN = WIDTHS[8*c +: 8];

        reg  [OWN+6:0]   short_q;
        reg              drops_q; // the register is emptied
        // The emptied bits are replaced. Above the word and its carry, the register's reset clears them.
        wire [OWN:0]     kept    = drops_q ? {OWN+1{1'b0}} : short_q[OWN:0];
        wire [OWN+6:0]   short_d = {7'd0, add_i[c*WIDTH +: OWN]} + {short_q[OWN+6:OWN+1], kept};

        // count_i is the register's enable, which saves a gate before the sum.
        always @(posedge clk_i) begin
          drops_q <= rst_ni && !clear_i && !clearing_q && turn_q == {c[3:0], 1'b0};
          if (!rst_ni || clear_i || (drops_q && !count_i)) short_q[OWN:0] <= {OWN+1{1'b0}};
          else if (count_i)                              short_q[OWN:0] <= short_d[OWN:0];
          if (!rst_ni || clear_i || drops_q) short_q[OWN+6:OWN+1] <= 6'd0;
          else if (count_i)                short_q[OWN+6:OWN+1] <= short_d[OWN+6:OWN+1];
        end

        assign short[c] = {{SHORT-OWN-7{1'b0}}, short_q};
      end else begin : gen_missing
        assign short[c] = {SHORT{1'b0}};
      end
    end
  endgenerate

  reg [31:0] read_q;

  always @(posedge clk_i) begin
    if (read_i) read_q <= copy;
  end

  assign read_o    = read_q;
  assign settled_o = !clearing_q;

endmodule

`default_nettype wire
