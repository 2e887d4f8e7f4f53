// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_gather: beats of pieces that lie side by side wait in lines of block RAM and leave as bursts.
//
// A piece that is not gathered passes; its beats are a burst. Those of a gathered one are written to its lines byte by byte.
// When a burst ends with it, the burst leaves from its lines, while the next pieces arrive.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   piece_valid_i, piece_ready_o   a piece, in the order of the beats
//   piece_gather_i                 it is gathered; else nothing below but piece_lines_i has a meaning
//   piece_lines_i, piece_place_i   its beats minus 1, and the line of its first one
//   piece_ends_i                   a burst ends with it
//   piece_first_i, piece_beats_i   line of the burst's first beat, and its beats minus 1
//   piece_first_byte_i, piece_last_byte_i
//                                  the burst's first byte in its first beat, and its last byte in its last beat
//   data_valid_i, data_ready_o, data_i, strobe_i
//                                  the beats of pieces; bytes without a strobe belong to other pieces
//   data_valid_o, data_ready_i, data_o, strobe_o
//                                  the beats of bursts
//   gone_o                         one cycle: the last beat of a gathered burst was read
//   idle_o                         no piece is under way, and no burst
//
// Parameters
//   MEM                            bits of a beat: a power of two, 8..512
//   LINES                          lines: a power of two, 2..1024
//   PIECES, BURSTS                 pieces, and bursts that are complete, that can wait
//
// Latency: a beat that is not gathered none; the first beat of a burst three cycles after the last one of its last piece. A beat a cycle
// in and out. data_ready_o depends on data_ready_i in the same cycle if a piece is not gathered. Who hands over pieces
// takes care that the lines of a window were read when a piece of another comes to them.

`default_nettype none

module tulle_store_gather #(
  parameter MEM    = 512,
  parameter LINES  = 512,
  parameter PIECES = 8,
  parameter BURSTS = 32
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             piece_valid_i,
  output wire             piece_ready_o,
  input  wire             piece_gather_i,
  input  wire [6:0]       piece_lines_i,
  input  wire [9:0]       piece_place_i,
  input  wire             piece_ends_i,
  input  wire [9:0]       piece_first_i,
  input  wire [2:0]       piece_beats_i,
  input  wire [5:0]       piece_first_byte_i,
  input  wire [5:0]       piece_last_byte_i,

  input  wire             data_valid_i,
  output wire             data_ready_o,
  input  wire [MEM-1:0]   data_i,
  input  wire [MEM/8-1:0] strobe_i,

  output wire             data_valid_o,
  input  wire             data_ready_i,
  output wire [MEM-1:0]   data_o,
  output wire [MEM/8-1:0] strobe_o,

  output wire             gone_o,
  output wire             idle_o
);

  localparam BYTES = MEM / 8;
  localparam PLACE = $clog2(LINES);
  localparam BURST = 10 + 3 + 6 + 6;
  localparam PIECE = 1 + 7 + 10 + 1 + BURST;
  localparam COUNT = $clog2(BURSTS + 1);

  tulle_require #(
    .LEGAL   (MEM >= 8 && MEM <= 512 && (MEM & (MEM - 1)) == 0 && LINES >= 2 && LINES <= 1024 && (LINES & (LINES - 1)) == 0),
    .MESSAGE ("tulle_store_gather: MEM must be a power of two, 8..512, LINES one, 2..1024")
  ) u_require_mem_and_lines_power_of_two ();

  // -- Pieces ---------------------------------------------------------------------------------------------------

  wire             piece;
  wire             gather;
  wire [6:0]       lines;
  wire [9:0]       place;
  wire             ends;
  wire [BURST-1:0] burst_in;
  reg  [6:0]       line_q;      // beats of the piece that have come
  wire             moves      = data_valid_i && data_ready_o;
  wire             last_line  = line_q == lines;
  wire             piece_gone = moves && last_line;

  tulle_fifo #(
    .WIDTH (PIECE),
    .DEPTH (PIECES)
  ) u_pieces (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (piece_valid_i),
    .ready_o (piece_ready_o),
    .data_i  ({piece_gather_i, piece_lines_i, piece_place_i, piece_ends_i, piece_first_i, piece_beats_i, piece_first_byte_i,
               piece_last_byte_i}),
    .valid_o (piece),
    .ready_i (piece_gone),
    .data_o  ({gather, lines, place, ends, burst_in})
  );

  always @(posedge clk_i) begin
    if (!rst_ni)    line_q <= 7'd0;
    else if (moves) line_q <= last_line ? 7'd0 : line_q + 7'd1;
  end

  // -- Bursts that are complete -------------------------------------------------------------------------------------

  wire             room;
  wire             complete = piece_gone && gather && ends;
  wire             burst;
  wire             burst_gone;
  wire [9:0]       first;
  wire [2:0]       beats;
  wire [5:0]       first_byte;
  wire [5:0]       last_byte;

  tulle_fifo #(
    .WIDTH (BURST),
    .DEPTH (BURSTS)
  ) u_bursts (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (complete),
    .ready_o (room),
    .data_i  (burst_in),
    .valid_o (burst),
    .ready_i (burst_gone),
    .data_o  ({first, beats, first_byte, last_byte})
  );

  reg  [COUNT-1:0] bursts_q;  // in the queue
  reg  [2:0]       beat_q;    // of the burst that is read
  reg              read_q;    // a beat is on offer
  reg  [BYTES-1:0] strobe_q;
  wire             reads      = burst && (!read_q || data_ready_i);
  wire             last_beat  = beat_q == beats;
  assign           burst_gone = reads && last_beat;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      bursts_q <= {COUNT{1'b0}};
      beat_q   <= 3'd0;
      read_q   <= 1'b0;
    end else begin
      bursts_q <= bursts_q + {{COUNT-1{!complete && burst_gone}}, complete != burst_gone};
      if (reads) beat_q <= last_beat ? 3'd0 : beat_q + 3'd1;
      read_q <= reads || (read_q && !data_ready_i);
    end
  end

  wire [BYTES-1:0] from_first = {BYTES{1'b1}} << first_byte;
  wire [BYTES-1:0] to_last    = ~(({BYTES{1'b1}} << last_byte) << 1);

  always @(posedge clk_i) begin
    if (reads) strobe_q <= (from_first | {BYTES{beat_q != 3'd0}}) & (to_last | {BYTES{!last_beat}});
  end

  // -- Lines ----------------------------------------------------------------------------------------------------

  wire             direct = piece && !gather && bursts_q == {COUNT{1'b0}} && !read_q;
  wire [9:0]       to     = place + {3'd0, line_q};
  wire [9:0]       from   = first + {7'd0, beat_q};
  wire [MEM-1:0]   line;

  tulle_byte_ram #(
    .BYTES (BYTES),
    .DEPTH (LINES)
  ) u_lines (
    .clk_i   (clk_i),
    .we_i    (strobe_i & {BYTES{moves && gather}}),
    .waddr_i (to[PLACE-1:0]),
    .wdata_i (data_i),
    .re_i    (reads),
    .raddr_i (from[PLACE-1:0]),
    .rdata_o (line)
  );

  assign data_ready_o = piece && (gather ? room : direct && data_ready_i);
  assign data_valid_o = read_q || (direct && data_valid_i);
  assign data_o       = read_q ? line : data_i;
  assign strobe_o     = read_q ? strobe_q : strobe_i;
  assign gone_o       = burst_gone;
  assign idle_o       = !piece && bursts_q == {COUNT{1'b0}} && !read_q;

  wire unused = &{1'b0, to, from};

  tulle_assert #(
    .MESSAGE ("the last beat of a burst has its last byte")
  ) u_burst_not_empty (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!burst || beats != 3'd0 || first_byte <= last_byte)
  );

endmodule

`default_nettype wire
