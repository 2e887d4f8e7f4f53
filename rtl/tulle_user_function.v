// SPDX-License-Identifier: Apache-2.0
//
// tulle_user_function: the function named `user`, which users replace with their own (docs/functions.md, "Your own
// function"). The example is hard swish of a sum with 12 fraction bits that is first limited to 16 bits: x (x + 3) /
// 6 between -3 and 3, 0 below, and x above. sim/numerics/user.c is the same function in C.
//
// Ports
//   clk_i, enable_i  clock; 0 stops the pipeline
//   sum_i            the complete sum
//   record_i         the function record as configured (docs/isa.md), in the cycle of sum_i. The user's function may
//                    give its shift, multiplier, low, high, zero and slope any meaning; the example ignores them
//   value_o          the result, 32 bits with a sign; it is limited to int8 and int16 elements later
//
// Parameters
//   ACC_WIDTH        bits of a sum, 24..64
//
// Latency: value_o must follow sum_i by exactly four cycles with enable_i; a sum a cycle.

`default_nettype none

module tulle_user_function #(
  parameter ACC_WIDTH = 32
) (
  input  wire                 clk_i,
  input  wire                 enable_i,
  input  wire [ACC_WIDTH-1:0] sum_i,
  input  wire [127:0]         record_i,
  output wire [31:0]          value_o
);

  localparam signed [17:0] THREE = 18'sd12288;
  localparam signed [17:0] SIX   = 18'sd24576;
  localparam signed [16:0] SIXTH = 17'sd43691; // 2^30 / SIX

  reg signed [15:0] x_q;       // the sum, limited
  reg signed [15:0] x_late_q;
  reg signed [15:0] gate_q;    // x + 3, limited to 0..6
  reg signed [31:0] product_q;
  reg signed [31:0] value_q;

  wire               fits   = sum_i[ACC_WIDTH-1:15] == {ACC_WIDTH-15{sum_i[ACC_WIDTH-1]}};
  wire signed [17:0] raised = {{2{x_q[15]}}, x_q} + THREE;
  wire signed [48:0] scaled = product_q * SIXTH + 49'sd536870912; // plus half a unit

  always @(posedge clk_i) begin
    if (enable_i) begin
      x_q       <= fits ? sum_i[15:0] : {sum_i[ACC_WIDTH-1], {15{!sum_i[ACC_WIDTH-1]}}};
      x_late_q  <= x_q;
      gate_q    <= raised < 0 ? 16'sd0 : raised > SIX ? SIX[15:0] : raised[15:0];
      product_q <= x_late_q * gate_q;
      value_q   <= {{13{scaled[48]}}, scaled[48:30]};
    end
  end

  assign value_o = value_q;

  wire unused = &{1'b0, record_i, scaled[29:0]};

endmodule

`default_nettype wire
