// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_setup: computes how many groups of K results a store takes from each of its streams. It divides the
// store's bytes by the bytes of an element, by the clusters and the rows unless these are added, and by K, one
// division after another.
//
// Ports
//   clk_i, rst_ni              clock, synchronous reset
//   valid_i, bytes_i, element_i, clusters_i, rows_i
//                              the store, with log2 of its element's bytes; stable until restart_i
//   sum_clusters_i, sum_rows_i the setting that will apply to the store
//   restart_i                  one cycle: the store was taken or the setting has changed: compute again
//   ready_o                    the result is valid: groups_o, or bad_o if a division leaves a remainder
//   idle_o                     no computation is in progress, and there is no result
//
// Parameters
//   BYTES                      bits of bytes_i
//   PES, CLUSTERS, ROWS        K, clusters of a row, rows
//
// Latency: factors of two take a cycle each; any other divisor takes BYTES cycles.

`default_nettype none

module tulle_store_setup #(
  parameter BYTES    = 43,
  parameter PES      = 8,
  parameter CLUSTERS = 2,
  parameter ROWS     = 2
) (
  input  wire                clk_i,
  input  wire                rst_ni,

  input  wire                valid_i,
  input  wire [BYTES-1:0]    bytes_i,
  input  wire [1:0]          element_i,
  input  wire [CLUSTERS-1:0] clusters_i,
  input  wire [ROWS-1:0]     rows_i,
  input  wire                sum_clusters_i,
  input  wire                sum_rows_i,
  input  wire                restart_i,

  output wire                ready_o,
  output wire [BYTES-1:0]    groups_o,
  output wire                bad_o,
  output wire                idle_o
);

  tulle_require #(
    .LEGAL   (PES >= 1 && PES <= 16 && CLUSTERS >= 1 && CLUSTERS <= 16 && ROWS >= 1 && ROWS <= 16 && BYTES >= 6),
    .MESSAGE ("tulle_store_setup: PES, CLUSTERS and ROWS must be 1..16, BYTES at least 6")
  ) u_require_pes_clusters_rows_1_to_16 ();

  // K = PES_ODD x 2^PES_SHIFT; the power of two is divided at once.
  localparam PES_SHIFT = (PES % 16 == 0) ? 4 : (PES % 8 == 0) ? 3 : (PES % 4 == 0) ? 2 : (PES % 2 == 0) ? 1 : 0;
  localparam PES_ODD   = PES >> PES_SHIFT;
  localparam COUNT     = $clog2(BYTES);
  localparam LAST      = BYTES - 1;

  localparam [2:0] IDLE = 3'd0, BY_CLUSTERS = 3'd1, BY_ROWS = 3'd2, DONE = 3'd4; // 3: divides by PES_ODD

  function [4:0] population(input [15:0] mask);
    integer n;
    begin
      population = 5'd0;
      for (n = 0; n < 16; n = n + 1) population = population + {4'd0, mask[n]};
    end
  endfunction

  reg  [2:0]          state_q;
  reg  [7:0]          divisor_q; // the first divisor includes the bytes of an element
  reg  [BYTES-1:0] value_q;   // the rest of the dividend, above the quotient so far
  reg                 bad_q;
  reg                 dividing_q;
  reg  [3:0]          rest_q;    // the remainder so far, which is below the divisor
  reg  [COUNT-1:0]    count_q;

  // One counter serves both masks: rows are counted after the clusters.
  wire [15:0] clusters = {{16-CLUSTERS{1'b0}}, clusters_i};
  wire [15:0] rows     = {{16-ROWS{1'b0}}, rows_i};
  wire [4:0]  counted  = population(state_q == IDLE ? clusters : rows);
  wire        is_added = (state_q == IDLE) ? sum_clusters_i : sum_rows_i;

  wire        divided      = divisor_q == 8'd1;
  wire        divisor_even = !divisor_q[0];
  wire [4:0]  dividend     = {rest_q, value_q[BYTES-1]};
  wire        fits         = dividend >= divisor_q[4:0];
  wire [4:0]  rest_d       = fits ? dividend - divisor_q[4:0] : dividend;
  wire        last_step    = count_q == LAST[COUNT-1:0];

  wire        low_bits;
  wire [BYTES-1:0] shifted = bytes_i >> PES_SHIFT;

  generate
    if (PES_SHIFT == 0) begin : gen_odd
      assign low_bits = 1'b0;
    end else begin : gen_even
      assign low_bits = |bytes_i[PES_SHIFT-1:0];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      state_q    <= IDLE;
      dividing_q <= 1'b0;
    end else if (state_q == IDLE) begin
      if (valid_i) state_q <= BY_CLUSTERS;
    end else if (dividing_q) begin
      dividing_q <= !last_step;
    end else if (state_q != DONE) begin
      if (divided) state_q <= (state_q == BY_ROWS && PES_ODD == 1) ? DONE : state_q + 3'd1;
      else     dividing_q <= !divisor_even;
    end
  end

  always @(posedge clk_i) begin
    if (state_q == IDLE) begin
      value_q   <= shifted;
      bad_q     <= low_bits;
      divisor_q <= {3'd0, is_added ? 5'd1 : counted} << element_i;
    end else if (dividing_q) begin
      value_q <= {value_q[BYTES-2:0], fits};
      rest_q  <= rest_d[3:0];
      count_q <= count_q + 1'b1;
      if (last_step) begin
        bad_q     <= bad_q || rest_d != 5'd0;
        divisor_q <= 8'd1;
      end
    end else if (state_q != DONE) begin
      rest_q  <= 4'd0;
      count_q <= {COUNT{1'b0}};
      if (divided) begin
        divisor_q <= {3'd0, (state_q == BY_ROWS) ? PES_ODD[4:0] : is_added ? 5'd1 : counted};
      end else if (divisor_even) begin
        value_q   <= {1'b0, value_q[BYTES-1:1]};
        divisor_q <= {1'b0, divisor_q[7:1]};
        bad_q     <= bad_q || value_q[0];
      end
    end
  end

  assign ready_o  = state_q == DONE;
  assign groups_o = value_q;
  assign bad_o    = bad_q;
  assign idle_o   = state_q == IDLE;

  tulle_assert #(
    .MESSAGE ("a store names clusters and rows")
  ) u_names_something (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!valid_i || (clusters_i != {CLUSTERS{1'b0}} && rows_i != {ROWS{1'b0}}))
  );

  wire unused = &{1'b0, rest_d[4]};

endmodule

`default_nettype wire
