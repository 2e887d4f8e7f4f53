// SPDX-License-Identifier: Apache-2.0
//
// tulle_late_functions: the functions that follow the common function pipeline: tanh and sigmoid, of an argument that
// was scaled and limited to 16 bits there, and the user's function, of the whole sum. All other values pass through
// with the same latency.
//
// Ports
//   clk_i, enable_i  clock; 0 stops the pipeline
//   curve_i, user_i  the function record, for the user's function
//   sigmoid_i        selects the curve: sigmoid, else tanh
//   element_i        the element that a curve or user result is narrowed to
//   record_i         for the user's function
//   value_i
//   value_o          the result, LATENCY cycles with enable_i later
//
// sigmoid_i, and element_i of a curve, must be stable for seven cycles; the other inputs belong to value_i.
//
// Parameters
//   ACC_WIDTH        24..64
//   FUNCTIONS        bit f: the variant has function f; at least one of sigmoid, tanh (4, 5) and user (10). Logic
//                    that only absent functions need is not built
//
// LATENCY: 8 with sigmoid or tanh, else 6.

`default_nettype none

`include "tulle_isa.vh"

module tulle_late_functions #(
  parameter        ACC_WIDTH = 32,
  parameter [15:0] FUNCTIONS = 16'h0430
) (
  input  wire                 clk_i,
  input  wire                 enable_i,
  input  wire                 curve_i,
  input  wire                 user_i,
  input  wire                 sigmoid_i,
  input  wire [1:0]           element_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0]         record_i,
  input  wire [ACC_WIDTH-1:0] value_i,
  output wire [ACC_WIDTH-1:0] value_o
);

  localparam [63:0] HAS = {48'd0, FUNCTIONS}; // by number of the function

  localparam HAS_CURVE = HAS[`TULLE_FUNCTION_SIGMOID] || HAS[`TULLE_FUNCTION_TANH];
  localparam HAS_USER  = HAS[`TULLE_FUNCTION_USER];
  localparam CURVE     = 7; // cycles of tulle_curve
  localparam USER      = 4; // of tulle_user_function
  localparam BEFORE    = HAS_CURVE ? CURVE : USER + 1;
  localparam AFTER     = BEFORE - USER - 1;
  localparam LATE      = ACC_WIDTH + 4;

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 24 && ACC_WIDTH <= 64 && (HAS_CURVE || HAS_USER)),
    .MESSAGE ("tulle_late_functions: ACC_WIDTH must be 24..64, and FUNCTIONS have sigmoid, tanh or user")
  ) u_require_a_width_and_a_function ();

  genvar g;

  // -- Values that pass, and the selection --------------------------------------------------------------------

  reg [LATE-1:0] late_q [0:BEFORE-1];

  generate
    for (g = 0; g < BEFORE; g = g + 1) begin : gen_late
      if (g == 0) begin : gen_first
        always @(posedge clk_i) if (enable_i) late_q[g] <= {user_i, curve_i, element_i, value_i};
      end else begin : gen_next
        always @(posedge clk_i) if (enable_i) late_q[g] <= late_q[g-1];
      end
    end
  endgenerate

  // -- Curves -------------------------------------------------------------------------------------------------

  wire [15:0] y;

  generate
    if (HAS_CURVE) begin : gen_curve
      tulle_curve u_curve (
        .clk_i     (clk_i),
        .enable_i  (enable_i),
        .sigmoid_i (sigmoid_i),
        .int8_i    (element_i == `TULLE_ELEMENT_INT8),
        .x_i       (value_i[15:0]),
        .y_o       (y)
      );
    end else begin : gen_no_curve
      assign y = 16'd0;
      wire unused = &{1'b0, sigmoid_i};
    end
  endgenerate

  // -- The user's function ------------------------------------------------------------------------------------

  wire [31:0] own; // the narrowed result, after BEFORE cycles

  generate
    if (HAS_USER) begin : gen_user
      wire [31:0] value;
      wire [1:0]  element = late_q[USER-1][ACC_WIDTH +: 2];
      wire        sign    = value[31];
      wire        as_byte = value[31:7] == {25{sign}};
      wire        as_half = value[31:15] == {17{sign}};
      reg  [31:0] narrow_q [0:AFTER];

      tulle_user_function #(
        .ACC_WIDTH (ACC_WIDTH)
      ) u_user_function (
        .clk_i    (clk_i),
        .enable_i (enable_i),
        .sum_i    (value_i),
        .record_i (record_i),
        .value_o  (value)
      );

      for (g = 0; g <= AFTER; g = g + 1) begin : gen_narrow
        if (g == 0) begin : gen_first
          always @(posedge clk_i) begin
            if (enable_i) begin
              if (element == `TULLE_ELEMENT_INT8 && !as_byte)      narrow_q[g] <= {{25{sign}}, {7{!sign}}};
              else if (element == `TULLE_ELEMENT_INT16 && !as_half) narrow_q[g] <= {{17{sign}}, {15{!sign}}};
              else                               narrow_q[g] <= value;
            end
          end
        end else begin : gen_next
          always @(posedge clk_i) if (enable_i) narrow_q[g] <= narrow_q[g-1];
        end
      end

      assign own = narrow_q[AFTER];
    end else begin : gen_no_user
      assign own = 32'd0;
      wire unused = &{1'b0, record_i};
    end
  endgenerate

  // -- Choice -------------------------------------------------------------------------------------------------

  wire [LATE-1:0]      last  = late_q[BEFORE-1];
  wire [ACC_WIDTH+31:0] wide = {{ACC_WIDTH{own[31]}}, own};
  reg  [ACC_WIDTH-1:0] value_q;

  always @(posedge clk_i) begin
    if (enable_i) begin
      if (HAS_USER && last[ACC_WIDTH+3])       value_q <= wide[ACC_WIDTH-1:0];
      else if (HAS_CURVE && last[ACC_WIDTH+2]) value_q <= {{ACC_WIDTH-16{y[15]}}, y};
      else                                     value_q <= last[ACC_WIDTH-1:0];
    end
  end

  assign value_o = value_q;

  wire unused_late = &{1'b0, last, wide, y};

endmodule

`default_nettype wire
