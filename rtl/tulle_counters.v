// SPDX-License-Identifier: Apache-2.0
//
// tulle_counters: 64-bit counters that share two adders. Each counter has a short register that accumulates its
// increments. The short registers are emptied in turn into two RAMs: one adder updates the lower half of a counter, and
// another one, a cycle later, the upper half.
//
// A short register must hold the increments of two rounds, because the first round only clears the RAMs. A round has a
// cycle for each counter. A short register has as many bits more than an increment as count the cycles of two rounds.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   clear_i                   all counters become 0; increments from the next cycle on count
//   count_i, add_i            in this cycle, word c is added to counter c
//   look_i, read_i, read_address_i, read_o
//                             read_o is this counter from the next cycle until the next look_i: the halves of read_i, and 0
//                             for the others
//   last_i                    one cycle: no increments come behind this cycle. A new round begins
//   settled_o                 from the cycle of last_i on: a look at counter c, c + 7 cycles later, returns all increments
//
// Parameters
//   COUNTERS                  3..15
//   WIDTH                     bits of a word of add_i
//   WIDTHS                    byte c: number of bits of counter c's increment; the others are ignored; 0: the counter
//                             stays 0
//
// Latency: an increment is in the RAM after at most COUNTERS + 4 cycles.

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
  input  wire                      look_i,
  input  wire [1:0]                read_i,
  input  wire [3:0]                read_address_i,
  output wire [63:0]               read_o,
  output wire                      settled_o
);

  localparam SPARE = $clog2(2 * COUNTERS + 4);                              // bits of a short register beside an increment
  localparam SHORT = (WIDTH + SPARE > 32) ? WIDTH + SPARE + 1 : 33; // at least one bit for the upper half
  localparam UPPER = SHORT - 32;
  localparam integer LAST = COUNTERS - 1;

  tulle_require #(
    .LEGAL   (COUNTERS >= 3 && COUNTERS <= 15 && WIDTH <= 57),
    .MESSAGE ("tulle_counters: COUNTERS must be 3..15, WIDTH at most 57")
  ) u_require_counters_3_to_15 ();

  genvar c;

  // -- Pipeline: the lower half is read, added to and written, a cycle each; a cycle behind it the upper half ------
  // The short register is emptied with the lower half; its bits for the upper half are kept until that half is
  // updated.

  reg  [3:0]       turn_q;        // counter
  reg              clearing_q;
  reg              restart_q;     // a new round begins
  reg              add_q;
  reg              add_clears_q;  // the written sum is 0
  reg  [3:0]       add_turn_q;
  reg  [31:0]      value_q;
  reg              write_q;
  reg              write_clears_q;
  reg  [3:0]       write_turn_q;
  reg  [31:0]      sum_q;
  reg              carry_q;
  reg  [UPPER-1:0] short_upper_q;
  reg  [31:0]      upper_value_q;
  reg              upper_write_q;
  reg  [3:0]       upper_turn_q;
  reg  [31:0]      upper_sum_q;
  wire [31:0]      value;
  wire [31:0]      upper_value;
  wire [SHORT-1:0] short [0:15];
  wire [SHORT-1:0] here      = short[add_turn_q];
  wire [32:0]      sum       = {1'b0, value_q} + {1'b0, here[31:0]};
  // The carry of the lower half enters as an extra lowest bit.
  wire [32:0]      upper_sum = {upper_value_q, 1'b1} + {{32-UPPER{1'b0}}, short_upper_q, carry_q};
  wire             last      = turn_q == LAST[3:0];
  wire             restarts  = (last_i || restart_q) && !clearing_q; // a round that clears is completed
  // Not while the last sum of counter 0 is not in the RAM yet.
  wire             jumps     = restarts && turn_q[3:1] != 3'd0;
  wire             unused    = &{1'b0, add_i, upper_sum[0]};

  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      turn_q     <= 4'd0;
      clearing_q <= 1'b1;
      {add_q, write_q, upper_write_q, restart_q} <= 4'd0;
    end else begin
      turn_q        <= (last || jumps) ? 4'd0 : turn_q + 4'd1;
      clearing_q    <= clearing_q && !last;
      restart_q     <= restarts && !jumps;
      add_q         <= 1'b1;
      write_q       <= add_q;
      upper_write_q <= write_q;
    end
  end

  always @(posedge clk_i) begin
    add_turn_q     <= turn_q;
    add_clears_q   <= clearing_q;
    value_q        <= value;
    write_turn_q   <= add_turn_q;
    write_clears_q <= add_clears_q;
    upper_value_q  <= upper_value;
    upper_turn_q   <= write_turn_q;
    if (add_clears_q) {carry_q, sum_q} <= 33'd0;
    else              {carry_q, sum_q} <= sum;
    if (add_clears_q) short_upper_q <= {UPPER{1'b0}};
    else              short_upper_q <= here[SHORT-1:32];
    if (write_clears_q) upper_sum_q <= 32'd0;
    else                upper_sum_q <= upper_sum[32:1];
  end

  tulle_lutram #(
    .WIDTH (32),
    .DEPTH (16)
  ) u_values (
    .clk_i   (clk_i),
    .we_i    (write_q),
    .waddr_i (write_turn_q),
    .wdata_i (sum_q),
    .raddr_i (turn_q),
    .rdata_o (value)
  );

  tulle_lutram #(
    .WIDTH (32),
    .DEPTH (16)
  ) u_upper_values (
    .clk_i   (clk_i),
    .we_i    (upper_write_q),
    .waddr_i (upper_turn_q),
    .wdata_i (upper_sum_q),
    .raddr_i (add_turn_q),
    .rdata_o (upper_value)
  );

  // Copies, so that reads do not hold up the round.
  wire [63:0] copy;

  tulle_lutram #(
    .WIDTH (32),
    .DEPTH (16)
  ) u_copy (
    .clk_i   (clk_i),
    .we_i    (write_q),
    .waddr_i (write_turn_q),
    .wdata_i (sum_q),
    .raddr_i (read_address_i),
    .rdata_o (copy[31:0])
  );

  tulle_lutram #(
    .WIDTH (32),
    .DEPTH (16)
  ) u_upper_copy (
    .clk_i   (clk_i),
    .we_i    (upper_write_q),
    .waddr_i (upper_turn_q),
    .wdata_i (upper_sum_q),
    .raddr_i (read_address_i),
    .rdata_o (copy[63:32])
  );

  generate
    for (c = 0; c < 16; c = c + 1) begin : gen_short
      if (c < COUNTERS && WIDTHS[8*((c < COUNTERS) ? c : 0) +: 8] != 8'd0) begin : gen_there
        localparam [31:0] OWN = {24'd0, WIDTHS[8*c +: 8]};

        reg  [OWN+SPARE-1:0] short_q;
        reg                  drops_q; // the register is emptied
        // The emptied bits are replaced. Above the word and its carry, the register's reset clears them.
        wire [OWN:0]         kept    = drops_q ? {OWN+1{1'b0}} : short_q[OWN:0];
        wire [OWN+SPARE-1:0] short_d = {{SPARE{1'b0}}, add_i[c*WIDTH +: OWN]} + {short_q[OWN+SPARE-1:OWN+1], kept};

        // count_i is the register's enable, which saves a gate before the sum.
        always @(posedge clk_i) begin
          drops_q <= rst_ni && !clear_i && !clearing_q && turn_q == c[3:0];
          if (!rst_ni || clear_i || (drops_q && !count_i)) short_q[OWN:0] <= {OWN+1{1'b0}};
          else if (count_i)                              short_q[OWN:0] <= short_d[OWN:0];
          if (!rst_ni || clear_i || drops_q) short_q[OWN+SPARE-1:OWN+1] <= {SPARE-1{1'b0}};
          else if (count_i)                  short_q[OWN+SPARE-1:OWN+1] <= short_d[OWN+SPARE-1:OWN+1];
        end

        assign short[c] = {{SHORT-OWN-SPARE{1'b0}}, short_q};
      end else begin : gen_missing
        assign short[c] = {SHORT{1'b0}};
      end
    end
  endgenerate

  reg [63:0] read_q;

  always @(posedge clk_i) begin
    if (look_i && !read_i[0]) read_q[31:0]  <= 32'd0;
    else if (look_i)          read_q[31:0]  <= copy[31:0];
    if (look_i && !read_i[1]) read_q[63:32] <= 32'd0;
    else if (look_i)          read_q[63:32] <= copy[63:32];
  end

  assign read_o    = read_q;
  assign settled_o = !clearing_q;

endmodule

`default_nettype wire
