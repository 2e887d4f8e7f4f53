// SPDX-License-Identifier: Apache-2.0
//
// tulle_block_ram: a RAM with one write port and one synchronous read port, built from block RAM even if it is small.
// It suits wide words, which would use many LUT RAMs. The read port can read a piece of a word.
//
// To use a vendor's primitive, replace the body of this wrapper.
//
// Ports
//   clk_i                    clock of both ports
//   we_i, waddr_i, wdata_i   write, at the rising edge
//   re_i, raddr_i            read, at the rising edge: the number of a piece; the pieces of word 0 come first, its
//                            lowest piece first
//   rdata_o                  the piece that was read; it stays until the next read
//
// Parameters
//   WIDTH                    bits of a word
//   PIECES                   pieces of a word, a power of two that divides WIDTH
//   DEPTH                    words; need not be a power of two
//   RACES                    1: a program may read a word while it is written
//   ZERO                     1: the initial content is 0 (PIECES 1 only)
//
// Latency: rdata_o follows a read by one cycle. A write is visible to reads from the next cycle on.
// Limits: reading a word in the cycle in which it is written is undefined on some FPGAs. An assertion forbids it
// unless RACES is 1. Reset does not change the content.

`default_nettype none

module tulle_block_ram #(
  parameter WIDTH  = 8,
  parameter PIECES = 1,
  parameter DEPTH  = 64,
  parameter RACES  = 0,
  parameter ZERO   = 0
) (
  input  wire                                   clk_i,
  input  wire                                   we_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)-1:0] waddr_i,
  input  wire [WIDTH-1:0]                       wdata_i,
  input  wire                                   re_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)+$clog2(PIECES)-1:0] raddr_i,
  output wire [WIDTH/PIECES-1:0]                rdata_o
);

  localparam ADDR  = $clog2((DEPTH > 1) ? DEPTH : 2);
  localparam SHIFT = $clog2(PIECES);
  localparam PIECE = WIDTH / PIECES;

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && DEPTH >= 1),
    .MESSAGE ("tulle_block_ram: WIDTH and DEPTH must be at least 1")
  ) u_require_width_and_depth_at_least_1 ();

  tulle_require #(
    .LEGAL   (PIECES >= 1 && (PIECES & (PIECES - 1)) == 0 && PIECE * PIECES == WIDTH),
    .MESSAGE ("tulle_block_ram: PIECES must be a power of two that divides WIDTH")
  ) u_require_pieces_power_of_two ();

  reg [PIECE-1:0] rdata_q;
  assign rdata_o = rdata_q;

  generate
    if (DEPTH * PIECES == 1) begin : gen_register
      reg [WIDTH-1:0] word_q;

      always @(posedge clk_i) begin
        if (we_i) word_q <= wdata_i;
        if (re_i) rdata_q <= word_q;
      end

      wire unused = &{1'b0, waddr_i, raddr_i};
    end else if (PIECES == 1) begin : gen_memory
      (* ram_style = "block", no_rw_check *)
      reg [WIDTH-1:0] memory [0:DEPTH-1];

      always @(posedge clk_i) begin
        if (we_i) memory[waddr_i] <= wdata_i;
        if (re_i) rdata_q <= memory[raddr_i];
      end

      if (ZERO != 0) begin : gen_zero
        integer z;
        initial for (z = 0; z < DEPTH; z = z + 1) memory[z] = {WIDTH{1'b0}};
      end
    end else begin : gen_pieces
      (* ram_style = "block", no_rw_check *)
      reg [PIECE-1:0] memory [0:DEPTH*PIECES-1];
      integer         i;

      always @(posedge clk_i) begin
        if (we_i) for (i = 0; i < PIECES; i = i + 1) memory[{waddr_i, i[SHIFT-1:0]}] <= wdata_i[i*PIECE +: PIECE];
        if (re_i) rdata_q <= memory[raddr_i];
      end
    end
  endgenerate

  tulle_assert #(
    .MESSAGE("a word is not read while it is written")
  ) u_no_collision (
    .clk_i   (clk_i),
    .rst_ni  (1'b1),
    .holds_i (RACES != 0 || !(we_i === 1'b1 && re_i === 1'b1 && waddr_i === raddr_i[ADDR+SHIFT-1:SHIFT]))
  );

endmodule

`default_nettype wire
