// SPDX-License-Identifier: Apache-2.0
//
// tulle_curve: a pipeline for tanh and sigmoid of 16-bit fixed-point numbers (docs/numerics.md, "tanh and sigmoid").
//
// Ports
//   clk_i, enable_i  clock; 0 stops the pipeline
//   sigmoid_i        1: sigmoid, 0: tanh
//   int8_i           1: the result has 8 bits with 7 fraction bits; 0: 16 bits with 15 fraction bits
//   x_i              argument, with 12 fraction bits
//   y_o              result, sign-extended
//
// sigmoid_i and int8_i must be stable while an argument is in the pipeline.

`default_nettype none

module tulle_curve (
  input  wire        clk_i,
  input  wire        enable_i,
  input  wire        sigmoid_i,
  input  wire        int8_i,
  input  wire [15:0] x_i,
  output wire [15:0] y_o
);

  // -- 1: magnitude; 2 and 3: table -------------------------------------------------------------------------

  reg  [15:0] magnitude_q; // up to 2^15
  reg  [6:0]  fraction_q;
  reg  [6:0]  fraction_late_q;
  reg  [4:0]  negative_q;  // bit i: of the argument that came i + 1 cycles ago
  wire [15:0] knot;
  wire [9:0]  rise;

  // From interval 511 on, tanh is constant.
  wire [8:0] index    = sigmoid_i ? magnitude_q[15:7] : magnitude_q[14:6] | {9{magnitude_q[15]}};
  wire [6:0] fraction = sigmoid_i ? magnitude_q[6:0] : {magnitude_q[5:0], 1'b0};

  tulle_curve_table u_table (
    .clk_i    (clk_i),
    .enable_i (enable_i),
    .index_i  (index),
    .knot_o   (knot),
    .rise_o   (rise)
  );

  always @(posedge clk_i) begin
    if (enable_i) begin
      negative_q      <= {negative_q[3:0], x_i[15]};
      magnitude_q     <= (x_i ^ {16{x_i[15]}}) + {15'd0, x_i[15]};
      fraction_q      <= fraction;
      fraction_late_q <= fraction_q;
    end
  end

  // -- 4: product; 5: sum, with half a unit; 6: sign; 7: element ----------------------------------------------

  reg [16:0] product_q;
  reg [15:0] knot_q;
  reg [15:0] total_q;  // magnitude of the result; for sigmoid, its distance from 1/2
  reg [16:0] signed_q; // int8: with half a unit added
  reg [15:0] y_q;

  // In units of 2^-7 of a knot, with one bit below for the carry. Half a unit is 64 for tanh, and 128 = 127 + 1 for
  // sigmoid.
  wire [23:0] sum     = {knot_q, 1'b1, {6{sigmoid_i}}, sigmoid_i} + {6'd0, product_q, sigmoid_i};
  wire [15:0] total   = sigmoid_i ? {1'b0, sum[23:9]} : sum[23:8];
  wire        minus   = negative_q[4];
  wire [16:0] begin_at = {2'd0, sigmoid_i, 6'd0, int8_i, 7'd0};
  wire [8:0]  byte_of = signed_q[16:8];
  wire        unused  = &{1'b0, sum[7:0]};

  always @(posedge clk_i) begin
    if (enable_i) begin
      product_q <= {7'd0, rise} * {10'd0, fraction_late_q};
      knot_q    <= knot;
      total_q   <= total;
      signed_q  <= begin_at + ({1'b0, total_q} ^ {17{minus}}) + {16'd0, minus};
      if (!int8_i)               y_q <= signed_q[15:0];
      else if (byte_of == 9'd128) y_q <= 16'd127;
      else                       y_q <= {{8{byte_of[8]}}, byte_of[7:0]};
    end
  end

  assign y_o = y_q;

endmodule

`default_nettype wire
