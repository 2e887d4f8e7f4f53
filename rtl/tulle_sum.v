// SPDX-License-Identifier: Apache-2.0
//
// tulle_sum: adds one of two numbers, or 0, to a third number and a carry, modulo 2^WIDTH, with one LUT for each bit.
// The sum is written as a difference because synthesis may exchange the operands of a sum: with the choice on the
// side that also feeds the carry chain, each bit would take a second LUT.
//
// Ports
//   zero_i, second_i              select the first operand: 0 with zero_i, b_i with second_i, otherwise a_i
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
