// SPDX-License-Identifier: Apache-2.0
//
// tulle_block_ram: RAM with one write port and one synchronous read port, in block RAM however small it is: for
// wide words, which would cost much LUT RAM. It may be read in pieces of a word, which block RAM does by itself.
//
// The wrapper of this kind: replace its body to use a vendor's primitive.
//
// Ports
//   clk_i                    clock of both ports
//   we_i, waddr_i, wdata_i   write, at the rising edge
//   re_i, raddr_i            read, at the rising edge: a piece, those of word 0 first, its lowest first of them
//   rdata_o                  what was read; kept until the next read
//
// Parameters
//   WIDTH                    bits of a word
//   PIECES                   pieces of a word, a power of two that divides WIDTH
//   DEPTH                    words; need not be a power of two
//   RACES                    1: it is up to a program whether a word is read while it is written
//   ZERO                     1: the content is 0 at first (PIECES 1)
//
// Latency: rdata_o follows a read by one cycle; a write is seen by reads of the next cycle on.
// Limits: a read from the word that is written in the same cycle is undefined on some FPGAs, so it is forbidden
// (an assertion), unless RACES says that nobody can promise it. Reset does not touch the content.

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
