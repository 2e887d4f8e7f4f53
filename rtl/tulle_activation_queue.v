// SPDX-License-Identifier: Apache-2.0
//
// tulle_activation_queue: a queue in block RAM that is written a word at a time and read a piece at a time. It holds
// row-bus beats for consumers that take them in pieces. The RAM selects the piece, so that no multiplexer is needed.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset (empties the queue)
//   valid_i, ready_o, data_i, last_i
//                             the input stream: a word and its flag. An offered word may be withdrawn.
//   valid_o, ready_i, data_o  the output stream: the pieces of each word, the lowest first
//   last_o, end_o, open_o     of the piece on offer: its word's flag; the piece is the last of its word; it is not
//                             the first of its word
//   drop_i                    drops the piece and the word's remaining pieces; used instead of ready_i
//
// Parameters
//   WIDTH                     bits of a word
//   PIECES                    pieces of a word, a power of two
//   DEPTH                     words in the RAM, a power of two, at least 2; the output register holds one piece more
//
// Latency: two cycles from an input to the output of an empty queue. A piece a cycle; none in the cycle after a drop.
// A word that leaves a full queue makes room two cycles later. All outputs are registers, except data_o and last_o,
// which are outputs of the RAM.

`default_nettype none

module tulle_activation_queue #(
  parameter WIDTH  = 8,
  parameter PIECES = 1,
  parameter DEPTH  = 16
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,

  input  wire                    valid_i,
  output wire                    ready_o,
  input  wire [WIDTH-1:0]        data_i,
  input  wire                    last_i,

  output wire                    valid_o,
  input  wire                    ready_i,
  output wire [WIDTH/PIECES-1:0] data_o,
  output wire                    last_o,
  output wire                    end_o,
  output wire                    open_o,
  input  wire                    drop_i
);

  localparam ADDR  = $clog2(DEPTH);
  localparam SHIFT = $clog2(PIECES);
  localparam PIECE = WIDTH / PIECES;

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && DEPTH >= 2 && (DEPTH & (DEPTH - 1)) == 0),
    .MESSAGE ("tulle_activation_queue: WIDTH must be at least 1, DEPTH a power of two, at least 2")
  ) u_require_width_at_least_1_and_depth_power_of_two ();

  tulle_require #(
    .LEGAL   (PIECES >= 1 && (PIECES & (PIECES - 1)) == 0 && PIECE * PIECES == WIDTH),
    .MESSAGE ("tulle_activation_queue: PIECES must be a power of two that divides WIDTH")
  ) u_require_pieces_power_of_two ();

  reg [ADDR+SHIFT:0] head_q; // in pieces, with one bit more than the address, which distinguishes full from empty
  reg [ADDR:0]       tail_q; // in words
  reg                ready_q;
  reg                valid_q; // the RAM's output is the head of the queue
  reg                open_q;
  reg                end_q;

  localparam                LAST = PIECES - 1;
  localparam [ADDR:0]       FULL = DEPTH[ADDR:0];
  localparam [ADDR+SHIFT:0] NONE = {ADDR+SHIFT+1{1'b0}};
  localparam [ADDR+SHIFT:0] PART = LAST[ADDR+SHIFT:0]; // the bits of head_q that number the piece within its word

  wire                push   = valid_i && ready_q && rst_ni;
  wire                pop    = valid_q && (ready_i || drop_i);
  wire                skip   = valid_q && drop_i && !end_q;
  wire [ADDR:0]       word   = head_q[ADDR+SHIFT:SHIFT];
  wire                read   = word != tail_q && (pop || !valid_q) && !skip;
  wire [ADDR+SHIFT:0] from   = head_q | (skip ? PART : NONE);
  wire [ADDR+SHIFT:0] behind = from + {{ADDR+SHIFT{1'b0}}, 1'b1};
  wire [ADDR:0]       tail_d = tail_q + 1'b1;
  wire [ADDR:0]       full   = word ^ FULL; // the tail of a full queue

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= {ADDR+SHIFT+1{1'b0}};
      tail_q  <= {ADDR+1{1'b0}};
      {ready_q, valid_q} <= 2'd0;
    end else begin
      if (read || skip) head_q <= behind;
      if (push) tail_q <= tail_d;
      ready_q <= push ? tail_d != full : tail_q != full; // a word that leaves in this cycle makes room in the next
      valid_q <= read || (valid_q && !pop);
    end
  end

  always @(posedge clk_i) begin
    if (read) begin
      open_q <= (head_q & PART) != NONE;
      end_q  <= (head_q & PART) == PART;
    end
  end

  wire [PIECES*(PIECE+1)-1:0] words; // each piece with a copy of the flag

  genvar p;
  generate
    for (p = 0; p < PIECES; p = p + 1) begin : gen_piece
      assign words[p*(PIECE+1) +: PIECE+1] = {last_i, data_i[p*PIECE +: PIECE]};
    end
  endgenerate

  tulle_block_ram #(
    .WIDTH  (PIECES * (PIECE + 1)),
    .PIECES (PIECES),
    .DEPTH  (DEPTH)
  ) u_words (
    .clk_i   (clk_i),
    .we_i    (push),
    .waddr_i (tail_q[ADDR-1:0]),
    .wdata_i (words),
    .re_i    (read),
    .raddr_i (head_q[ADDR+SHIFT-1:0]),
    .rdata_o ({last_o, data_o})
  );

  assign ready_o = ready_q;
  assign valid_o = valid_q;
  assign open_o  = valid_q && open_q;
  assign end_o   = end_q;

endmodule

`default_nettype wire
