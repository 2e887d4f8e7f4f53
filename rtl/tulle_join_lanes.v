// SPDX-License-Identifier: Apache-2.0
//
// tulle_join_lanes: makes one number of two operands, LANES pairs a cycle, for the functions of the store engine
// (docs/numerics.md, "Two operands").
//
// One operand, x, is multiplied and rounded; the other one, y, is only shifted to the left. A product of both takes y
// instead of the multiplier. The multiplier is shifted to the left at first, so that results always begin at bit 26.
//
// Ports
//   clk_i, rst_ni      clock, synchronous reset (empties the pipeline)
//   set_first_i        while the pipeline is empty: zero_i is the first operand's zero point
//   set_second_i       likewise, the second operand's; and the scale, of the last such cycle:
//   zero_i, multiplier_i, shift_i
//                      with scale_first_i the multiplier is the first operand's. It is 2^30 or more; a shift from 31 on
//   scale_first_i, fraction_15_i
//                      operands have 15 fraction bits when they are added, not 20
//   ready_o            1: the multiplier is shifted; 0 for up to 15 cycles after set_second_i
//   join_i             TULLE_JOIN_*; stable while the pipeline is not empty
//   alone_i            1: the first operand is first_i; 0: it is result_i, and its zero point is 0
//   two_steps_i        1: x is rounded in two steps, not halves up
//   enable_i           0: the pipeline stops
//   valid_i, first_i, result_i, second_i
//                      LANES pairs of operands with 16 bits
//   valid_o, base_o    the base of the pairs, two cycles later
//   minus_o, rest_o, up_o
//                      with minus_o the result is base + ~rest + up, else base + rest + up, modulo 2^ACC. rest_o and up_o come
//                      a cycle after base_o, which goes through a register of the caller, and are stable without
//                      enable_i
//
// Parameters
//   ACC                bits of a sum, 32..64
//   LANES              pairs in a cycle
//
// Latency: three cycles with enable_i, the register behind base_o included. A lane has three DSP blocks.

`default_nettype none

`include "tulle_isa.vh"

module tulle_join_lanes #(
  parameter ACC   = 32,
  parameter LANES = 8
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,

  input  wire                 set_first_i,
  input  wire                 set_second_i,
  input  wire [15:0]          zero_i,
  input  wire [31:0]          multiplier_i,
  input  wire [5:0]           shift_i,
  input  wire                 scale_first_i,
  input  wire                 fraction_15_i,
  output wire                 ready_o,

  input  wire [1:0]           join_i,
  input  wire                 alone_i,
  input  wire                 two_steps_i,

  input  wire                 enable_i,
  input  wire                 valid_i,
  input  wire [LANES*16-1:0]  first_i,
  input  wire [LANES*16-1:0]  result_i,
  input  wire [LANES*16-1:0]  second_i,
  output wire                 valid_o,
  output wire [LANES*ACC-1:0] base_o,
  output wire                 minus_o,
  output wire [LANES*ACC-1:0] rest_o,
  output wire [LANES-1:0]     up_o
);

  localparam FACTOR  = 47;
  localparam LOW     = 24;              // bits of the lower limb of a factor
  localparam HIGH    = FACTOR - LOW;
  localparam PLACE   = 26;              // where results begin in a product
  localparam OPERAND = 17;              // bits of an operand without its zero point
  localparam PRODUCT = OPERAND + FACTOR;

  tulle_require #(
    .LEGAL   (ACC >= 32 && ACC <= 64 && LANES >= 1),
    .MESSAGE ("tulle_join_lanes: ACC must be 32..64, LANES at least 1")
  ) u_require_acc_32_to_64 ();

  genvar l;

  // -- The scale ----------------------------------------------------------------------------------------------------

  reg  [15:0]       first_zero_q;
  reg  [15:0]       second_zero_q;
  reg               scale_first_q;
  reg               fraction_15_q;
  reg  [FACTOR-1:0] factor_q;   // multiplier x 2^(26 - shift + fraction bits)
  reg  [3:0]        shifts_q;   // of them remain
  reg  [14:0]       middle_q;   // bits 10..24 of the product that the first of two steps keeps
  reg               two_q;      // the shift is above 31
  wire [5:0]        shifts = (fraction_15_i ? 6'd41 : 6'd46) - shift_i;
  wire              unused_shifts = &{1'b0, shifts};

  always @(posedge clk_i) begin
    if (!rst_ni)               shifts_q <= 4'd0;
    else if (set_second_i)     shifts_q <= shifts[3:0];
    else if (shifts_q != 4'd0) shifts_q <= shifts_q - 4'd1;

    if (set_first_i) first_zero_q <= zero_i;
    if (set_second_i) begin
      second_zero_q <= zero_i;
      scale_first_q <= scale_first_i;
      fraction_15_q <= fraction_15_i;
      two_q         <= shift_i != 6'd31;
      factor_q      <= {{FACTOR-32{1'b0}}, multiplier_i};
      middle_q      <= fraction_15_i ? 15'h7FE0 : 15'h7FFF;
    end else if (shifts_q != 4'd0) begin
      factor_q <= {factor_q[FACTOR-2:0], 1'b0};
      middle_q <= {middle_q[13:0], 1'b0};
    end
  end

  assign ready_o = shifts_q == 4'd0;

  // -- What lanes share: signs and zero points, from registers --------------------------------------------------------
  // x is an operand minus its zero point. So is y, or its negative: the second operand, if it is subtracted. x is
  // subtracted as a whole, since it must be rounded before.

  wire [OPERAND-1:0] first_zero  = {first_zero_q[15] && alone_i, first_zero_q & {16{alone_i}}};
  wire [OPERAND-1:0] second_zero = {second_zero_q[15], second_zero_q};
  wire               subtract    = join_i == `TULLE_JOIN_SUBTRACT;

  // Where x and y come from, as codes, so that a bit of x or y takes one LUT of six inputs.
  localparam [1:0] FIRST = 2'd0, RESULT = 2'd1, SECOND = 2'd2, INVERTED = 2'd3; // the second operand, inverted

  wire [1:0]         from_first  = alone_i ? FIRST : RESULT;

  reg                multiply_q;
  reg  [1:0]         x_from_q;
  reg  [1:0]         y_from_q;
  reg                minus_x_q;
  reg                two_steps_q;
  reg  [OPERAND-1:0] x_zero_q;   // inverted
  reg  [OPERAND-1:0] y_zero_q;   // inverted, unless y is
  reg  [FACTOR-1:0]  scale_q;    // the factor, 0 when operands are multiplied

  always @(posedge clk_i) begin
    multiply_q  <= join_i == `TULLE_JOIN_MULTIPLY;
    x_from_q    <= scale_first_q ? from_first : SECOND;
    y_from_q    <= !scale_first_q ? from_first : subtract ? INVERTED : SECOND;
    minus_x_q   <= subtract && !scale_first_q;
    two_steps_q <= two_steps_i && two_q;
    x_zero_q    <= ~(scale_first_q ? first_zero : second_zero);
    y_zero_q    <= (scale_first_q ? second_zero : first_zero) ^ {OPERAND{!(subtract && scale_first_q)}};
    scale_q     <= (join_i == `TULLE_JOIN_MULTIPLY) ? {FACTOR{1'b0}} : factor_q;
  end

  reg [1:0] valid_q;

  always @(posedge clk_i) begin
    if (!rst_ni)       valid_q <= 2'd0;
    else if (enable_i) valid_q <= {valid_q[0], valid_i};
  end

  assign valid_o = valid_q[1];
  assign minus_o = minus_x_q;

  // -- Lanes ----------------------------------------------------------------------------------------------------------

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire [15:0]        first    = first_i[16*l +: 16];
      wire [15:0]        result   = result_i[16*l +: 16];
      wire [15:0]        second   = second_i[16*l +: 16];
      wire [15:0]        x_from   = x_from_q[1] ? second : x_from_q[0] ? result : first;
      wire [15:0]        y_from   = y_from_q[1] ? second ^ {16{y_from_q[0]}} : y_from_q[0] ? result : first;
      wire [OPERAND-1:0] x_d;
      wire [OPERAND-1:0] y_d;
      reg  [OPERAND-1:0] x_q;
      reg  [OPERAND-1:0] y_q;

      tulle_sum #(
        .WIDTH (OPERAND)
      ) u_x (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      ({x_from[15], x_from}),
        .b_i      ({OPERAND{1'b0}}),
        .c_i      (x_zero_q),
        .carry_i  (1'b1),
        .sum_o    (x_d)
      );

      tulle_sum #(
        .WIDTH (OPERAND)
      ) u_y (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      ({y_from[15], y_from}),
        .b_i      ({OPERAND{1'b0}}),
        .c_i      (y_zero_q),
        .carry_i  (1'b1),
        .sum_o    (y_d)
      );

      always @(posedge clk_i) begin
        if (enable_i) begin
          x_q <= x_d;
          y_q <= y_d;
        end
      end

      wire signed [OPERAND-1:0] x    = x_q;
      wire signed [LOW:0]       low  = {1'b0, scale_q[LOW-1:0]};
      wire signed [HIGH-1:0]    high = scale_q[FACTOR-1:LOW];
      wire signed [OPERAND-1:0] y    = y_q;
      reg  signed [OPERAND+LOW:0]    low_product_q;
      reg  signed [OPERAND+HIGH-1:0] high_product_q;
      reg  signed [2*OPERAND-1:0]    both_product_q; // of x and y, or 0
      reg         [OPERAND-1:0]      late_y_q;
      reg                            late_sign_q;
      reg                            negative_q; // the product, or 0: a multiplier is positive

      always @(posedge clk_i) begin
        if (enable_i) begin
          low_product_q  <= x * low;
          high_product_q <= x * high;
          late_sign_q    <= x_q[OPERAND-1];
          negative_q     <= late_sign_q;
        end
      end

      // A product of both operands has a DSP block of its own: choosing between y and the factor takes a LUT for each bit.
      always @(posedge clk_i) begin
        if (!multiply_q)   both_product_q <= {2*OPERAND{1'b0}};
        else if (enable_i) both_product_q <= x * y;
      end

      // The base of a product is 0.
      always @(posedge clk_i) begin
        if (multiply_q)    late_y_q <= {OPERAND{1'b0}};
        else if (enable_i) late_y_q <= y_q;
      end

      wire [PRODUCT-LOW-1:0] carried = {{PRODUCT-2*LOW-OPERAND+LOW-1{low_product_q[OPERAND+LOW]}}, low_product_q[OPERAND+LOW:LOW]};
      wire [PRODUCT-LOW-1:0] both    = {{PRODUCT-2*OPERAND-PLACE{both_product_q[2*OPERAND-1]}}, both_product_q, {PLACE-LOW{1'b0}}};
      wire [PRODUCT-LOW-1:0] upper_d; // of the product
      reg  [PRODUCT-LOW-1:0] upper_q;
      reg  [LOW-1:PLACE-16]  lower_q; // the bits of it that rounding looks at

      // One of carried and both is 0.
      tulle_sum #(
        .WIDTH (PRODUCT-LOW)
      ) u_upper (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      (carried | both),
        .b_i      ({PRODUCT-LOW{1'b0}}),
        .c_i      (high_product_q),
        .carry_i  (1'b0),
        .sum_o    (upper_d)
      );

      always @(posedge clk_i) begin
        if (enable_i) begin
          upper_q <= upper_d;
          lower_q <= low_product_q[LOW-1:PLACE-16];
        end
      end

      // Two steps: tulle_round_up has the reason. Below a product of both is nothing to round.
      wire [15:0] below    = {upper_q[1:0], lower_q};  // bits 10 to 25 of the product
      wire        half     = below[15];
      wire        flat     = ((below[14:0] ^ {15{!negative_q}}) & middle_q) == 15'd0;
      wire        up       = !two_steps_q ? half : negative_q ? half && !flat : half || flat;
      wire [PRODUCT-PLACE-1:0] floor = upper_q[PRODUCT-LOW-1:PLACE-LOW];

      assign up_o[l] = up ^ minus_x_q;

      wire [OPERAND+18:0] base = fraction_15_q ? {{5{late_y_q[OPERAND-1]}}, late_y_q, 14'd0} : {late_y_q, 19'd0};

      if (ACC > PRODUCT - PLACE) begin : gen_extend
        assign rest_o[l*ACC +: ACC] = {{ACC-PRODUCT+PLACE{floor[PRODUCT-PLACE-1]}}, floor};
      end else begin : gen_cut
        assign rest_o[l*ACC +: ACC] = floor[ACC-1:0];
        wire unused_floor = &{1'b0, floor};
      end
      if (ACC > OPERAND + 19) begin : gen_extend_base
        assign base_o[l*ACC +: ACC] = {{ACC-OPERAND-19{base[OPERAND+18]}}, base};
      end else begin : gen_cut_base
        assign base_o[l*ACC +: ACC] = base[ACC-1:0];
        wire unused_base = &{1'b0, base};
      end
    end
  endgenerate

  tulle_assert #(
    .MESSAGE ("pairs come when the scale is set up")
  ) u_come_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!valid_i || ready_o)
  );

endmodule

`default_nettype wire
