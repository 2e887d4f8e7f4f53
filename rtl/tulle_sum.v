// SPDX-License-Identifier: Apache-2.0
//
// tulle_sum: one of two numbers, or 0, plus a third, plus a carry, modulo 2^WIDTH, in one LUT a bit.
//
// Written as a difference because synthesis may exchange the operands of a sum: with the choice on the side that
// also feeds the carry chain it takes a second LUT a bit.
//
// Ports
//   zero_i, second_i              the first operand is 0; b_i; else a_i
//   a_i, b_i, c_i, carry_i
//   sum_o
//
// Latency: none.

`default_nettype none

module tulle_sum #(
  parameter WIDTH = 32
) (
  input  wire             zero_i,
  input  wire             second_i,
  input  wire [WIDTH-1:0] a_i,
  input  wire [WIDTH-1:0] b_i,
  input  wire [WIDTH-1:0] c_i,
  input  wire             carry_i,
  output wire [WIDTH-1:0] sum_o
);

  wire [WIDTH-1:0] first = (second_i ? b_i : a_i) & {WIDTH{!zero_i}};

  // 2 c + carry - (2 (-first - 1) + 1) = 2 (c + first) + 1 + carry
  wire [WIDTH:0] twice = {c_i, carry_i} - {~first, 1'b1};

  assign sum_o = twice[WIDTH:1];

  wire unused = &{1'b0, twice[0]};

endmodule

`default_nettype wire
