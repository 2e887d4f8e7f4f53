// SPDX-License-Identifier: Apache-2.0
//
// tulle_input_buffer: a PE's activations, each with a bit that tells whether it is non-zero. There is a copy for each
// weight that the PE looks at in a cycle. The copies cost block RAM, but save the wide multiplexers that a common
// bitmask would need. An activation is read together with its bit, so no second read follows.
//
// A write stores a line in all copies; a read gives one activation. With ZERO_POINTS an activation is the difference of
// tulle_input_loader, of DATA_WIDTH + 1 bits, and its bit follows from it, so that a word is no wider.
//
// Ports
//   clk_i                         clock
//   write_i, line_i, data_i, mask_i
//                                 a line, with activation 0 in the lowest bits, and its mask bits
//   read_i, address_i             a read of each copy
//   data_o, mask_o                the activation and its mask bit, two cycles later; a register follows the slow
//                                 block RAM. With ZERO_POINTS the activation has a bit more
//
// Parameters
//   DATA_WIDTH                    bits of an activation
//   LINE                          activations in a line, a power of two
//   LINES                         a power of two
//   COPIES
//   ZERO_POINTS                   1: {mask_i, data_i} are differences, and the most negative one marks a zero
//   ACTIVATION_WIDTH              bits of data_o for each copy; to be left as it is
//
// Limits: reading a line in the cycle in which it is written is undefined on some FPGAs, and no_rw_check tells
// synthesis so. Sequences that load name the runs that they follow (`after`).
//
// The memory of copy c is gen_copy[c].memory, by activation; without ZERO_POINTS the bit of the mask is its highest.

`default_nettype none

module tulle_input_buffer #(
  parameter DATA_WIDTH = 8,
  parameter LINE       = 8,
  parameter LINES      = 512,
  parameter COPIES     = 2,
  parameter ZERO_POINTS = 0,
  parameter ACTIVATION_WIDTH = DATA_WIDTH + ((ZERO_POINTS != 0) ? 1 : 0)
) (
  input  wire                                   clk_i,

  input  wire                                   write_i,
  input  wire [$clog2((LINES > 1) ? LINES : 2)-1:0] line_i,
  input  wire [LINE*DATA_WIDTH-1:0]             data_i,
  input  wire [LINE-1:0]                        mask_i,

  input  wire                                   read_i,
  input  wire [COPIES*$clog2(LINE*LINES)-1:0]   address_i,
  output wire [COPIES*ACTIVATION_WIDTH-1:0]     data_o,
  output wire [COPIES-1:0]                      mask_o
);

  localparam DEPTH = LINE * LINES;
  localparam ADDR  = $clog2(DEPTH);
  localparam WORD  = DATA_WIDTH + 1;
  localparam STEP  = (LINE > 1) ? $clog2(LINE) : 1;

  tulle_require #(
    .LEGAL   (LINE >= 1 && (LINE & (LINE - 1)) == 0 && LINES >= 1 && (LINES & (LINES - 1)) == 0 && DEPTH >= 2),
    .MESSAGE ("tulle_input_buffer: LINE and LINES must be powers of two")
  ) u_require_line_and_lines_powers_of_two ();

  genvar c;
  generate
    for (c = 0; c < COPIES; c = c + 1) begin : gen_copy
      (* no_rw_check *)
      reg [WORD-1:0] memory [0:DEPTH-1];
      reg [WORD-1:0] read_q;
      reg [WORD-1:0] word_q;

      if (LINE == 1) begin : gen_single
        always @(posedge clk_i) begin
          if (write_i) memory[line_i] <= {mask_i, data_i};
        end
      end else begin : gen_line
        integer i;
        always @(posedge clk_i) begin
          if (write_i)
            for (i = 0; i < LINE; i = i + 1)
              memory[{line_i, i[STEP-1:0]}] <= {mask_i[i], data_i[i*DATA_WIDTH +: DATA_WIDTH]};
        end
      end

      always @(posedge clk_i) begin
        if (read_i) read_q <= memory[address_i[c*ADDR +: ADDR]];
        word_q <= read_q;
      end

      if (ZERO_POINTS != 0) begin : gen_difference
        localparam [WORD-1:0] NOTHING = {1'b1, {DATA_WIDTH{1'b0}}};
        reg mask_q;

        always @(posedge clk_i) mask_q <= read_q != NOTHING;

        assign mask_o[c] = mask_q;
        assign data_o[c*WORD +: WORD] = word_q;
      end else begin : gen_value_and_mask
        assign {mask_o[c], data_o[c*DATA_WIDTH +: DATA_WIDTH]} = word_q;
      end
    end
  endgenerate

endmodule

`default_nettype wire
