// SPDX-License-Identifier: Apache-2.0
//
// tulle_rotate: rotates a word upwards by a number of pieces. Each bit of the number selects one of two words, which
// tools map to four-way choices.
//
// Ports
//   data_i, by_i, data_o  the word, how many pieces, the word rotated
//
// Parameters
//   PIECE                 bits of a piece
//   STEPS                 bits of by_i; the word has whole pieces, at least 2^STEPS of them
//   WIDTH                 bits of the word
//
// Combinational.

`default_nettype none

module tulle_rotate #(
  parameter PIECE = 8,
  parameter STEPS = 3,
  parameter WIDTH = 64
) (
  input  wire [WIDTH-1:0] data_i,
  input  wire [STEPS-1:0] by_i,
  output wire [WIDTH-1:0] data_o
);

  tulle_require #(
    .LEGAL   (PIECE >= 1 && STEPS >= 1 && WIDTH >= PIECE << STEPS && WIDTH % PIECE == 0),
    .MESSAGE ("tulle_rotate: WIDTH must be whole pieces, 2^STEPS of them or more")
  ) u_require_width_whole_pieces ();

  genvar s;
  generate
    for (s = 0; s < STEPS; s = s + 1) begin : gen_step
      localparam BITS = PIECE << s;
      wire [WIDTH-1:0] from;
      wire [WIDTH-1:0] turned = by_i[s] ? {from[WIDTH-1-BITS:0], from[WIDTH-1 -: BITS]} : from;

      if (s == 0) begin : gen_first
        assign from = data_i;
      end else begin : gen_further
        assign from = gen_step[s-1].turned;
      end
    end
  endgenerate

  assign data_o = gen_step[STEPS-1].turned;

endmodule

`default_nettype wire
