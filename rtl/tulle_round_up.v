// SPDX-License-Identifier: Apache-2.0
//
// tulle_round_up: decides whether a product that is shifted right is rounded to the number above or to that below
// (docs/numerics.md, "Rounding"). The product is shifted left by 15 - shift mod 16 before it comes, so its result
// begins at bit 15 + 16 * (shift / 16).
//
// The module is combinational.
//
// Ports
//   product_i          the lowest 62 bits of the product
//   negative_i         its sign
//   odd_i, half_i      the lowest bit of the result, and the bit below
//   step_i             shift / 16
//   even_i             1: halves go to the even neighbour
//   two_steps_i        1: halves go up at bit 31 of the product and then away from zero; with shifts from 32 on only
//   middle_i           bit i: bit 30 + i of product_i counts. For halves to even it is 16'hFFFF with shifts from 32 on
//                      and else 0. In two steps the bits of middle_i are those below the half and from bit 30 on of the
//                      product before the shift to the left.
//   up_o               1: the result is the number above
//
// In two steps the first rounding carries into the bit of the second half if all bits from bit 30 to below the half are
// 1, and it leaves these bits 0 if all of them are. So a positive product is rounded up if the half is 1 or all of them
// are 1, and a negative product if the half is 1 and not all of them are 0.

`default_nettype none

module tulle_round_up (
  input  wire [61:0] product_i,
  input  wire        negative_i,
  input  wire        odd_i,
  input  wire        half_i,
  input  wire [1:0]  step_i,
  input  wire        even_i,
  input  wire        two_steps_i,
  input  wire [15:0] middle_i,
  output wire        up_o
);

  wire low  = product_i[13:0] != 14'd0 || (step_i != 2'd0 && product_i[29:14] != 16'd0);
  wire down = even_i || negative_i; // a half alone is not rounded up
  wire flat = ((product_i[45:30] ^ {16{!down}}) & middle_i) == 16'd0 &&
              (step_i != 2'd3 || product_i[61:46] == {16{!down}});

  assign up_o = !(even_i || two_steps_i) ? half_i
              : down                     ? half_i && (!flat || (even_i && (odd_i || low)))
                                         : half_i || flat;

endmodule

`default_nettype wire
