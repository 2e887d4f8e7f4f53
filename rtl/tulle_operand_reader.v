// SPDX-License-Identifier: Apache-2.0
//
// tulle_operand_reader: reads an operand of joins from memory, int8 or int16, and delivers it in chunks of LANES elements,
// one a cycle. Patterns are aligned to chunks, so that a chunk is a part of a piece of a line (tulle_line_reader).
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   abort_i                       1: no new bursts are requested
//   op_valid_i, op_ready_o        a pattern. It replaces the last pattern with all its data from the moment it is
//                                 offered, and is taken when no burst of the last one is outstanding
//   op_wide_i                     1: 16 bits
//   op_unsigned_i                 1: elements have no sign; 2^7 or 2^15 is subtracted from them
//   op_address_i, op_length_i     address and bytes of the first run; like op_run_pitch_i, multiples of LANES elements
//   op_runs_i, op_run_pitch_i     number of runs, at least one, and the signed distance of their beginnings
//   op_tag_i                      returned with an error
//   chunk_valid_o, chunk_ready_i, a chunk, with element 0 in the lowest bits, sign-extended to 16 bits
//   chunk_o
//   exhausted_o                   no elements are left (none before the first pattern)
//   request_*, data_valid_i, data_i
//                                 as for tulle_line_reader
//   data_error_i                  of a beat: 2 (SLVERR) or 3 (DECERR)
//   error_o, error_code_o,        one cycle: a beat had an error; not for a pattern that is being replaced
//   error_tag_o
//   taken_bytes_o                 in a cycle, bytes of the chunk that was taken in the last one; else 0
//   idle_o                        no burst is outstanding, and none will be before a chunk is taken or a pattern is
//                                 offered
//
// Parameters
//   MEM                           bits of a beat: 64, 128, 256, 512
//   LANES                         elements of a chunk: a power of two, 1..16, with 2 * LANES bytes at most in a beat
//   TAG                           bits of a tag
//   BURSTS                        as for tulle_line_reader
//
// Latency: a chunk is shown two cycles after its line has come. chunk_ready_i reaches the memory's read enable in the same
// cycle.

`default_nettype none

`include "tulle_isa.vh"

module tulle_operand_reader #(
  parameter MEM    = 512,
  parameter LANES  = 8,
  parameter TAG    = `TULLE_TAG_WIDTH,
  parameter BURSTS = 4
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  input  wire                abort_i,

  input  wire                op_valid_i,
  output wire                op_ready_o,
  input  wire                op_wide_i,
  input  wire                op_unsigned_i,
  input  wire [63:0]         op_address_i,
  input  wire [31:0]         op_length_i,
  input  wire [15:0]         op_runs_i,
  input  wire [31:0]         op_run_pitch_i,
  input  wire [TAG-1:0]      op_tag_i,

  output wire                chunk_valid_o,
  input  wire                chunk_ready_i,
  output wire [LANES*16-1:0] chunk_o,
  output wire                exhausted_o,

  output wire                request_valid_o,
  input  wire                request_ready_i,
  output wire [63:0]         request_address_o,
  output wire [7:0]          request_beats_o,

  input  wire                data_valid_i,
  input  wire [MEM-1:0]      data_i,
  input  wire [1:0]          data_error_i,

  output wire                error_o,
  output wire [15:0]         error_code_o,
  output wire [TAG-1:0]      error_tag_o,

  output wire [7:0]          taken_bytes_o,

  output wire                idle_o
);

  localparam LINE_LOG  = $clog2(MEM / 8);
  localparam LANE_LOG  = $clog2(LANES);
  localparam PIECE     = (2 * LANES < 8) ? 8 : 2 * LANES; // bytes of a line that are read in a cycle
  localparam PIECE_LOG = $clog2(PIECE);
  localparam CHUNKS    = 32 - LANE_LOG;                   // bits of a number of chunks
  localparam PLACE     = (LINE_LOG > PIECE_LOG) ? LINE_LOG - PIECE_LOG : 1;

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES <= 16 && (LANES & (LANES - 1)) == 0 && 2 * LANES <= MEM / 8),
    .MESSAGE ("tulle_operand_reader: LANES must be a power of two, 1..16, and fit a beat with 16 bits each")
  ) u_require_lanes_power_of_two ();

  localparam integer CHUNK = LANES;

  genvar l;

  wire take_op = op_valid_i && op_ready_o;
  wire set_up  = op_ready_o; // as in tulle_line_reader

  reg           wide_q;
  reg           unsigned_q;
  reg [TAG-1:0] tag_q;

  always @(posedge clk_i) begin
    if (set_up) begin
      wide_q     <= op_wide_i;
      unsigned_q <= op_unsigned_i;
      tag_q      <= op_tag_i;
    end
  end

  wire               here;
  wire               lines_idle;
  wire               step;
  wire               consume;
  wire [PLACE-1:0]   piece_at;
  wire [PIECE*8-1:0] piece;

  tulle_line_reader #(
    .MEM    (MEM),
    .PIECE  (PIECE),
    .BURSTS (BURSTS)
  ) u_lines (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .abort_i           (abort_i),
    .op_valid_i        (op_valid_i),
    .op_ready_o        (op_ready_o),
    .op_address_i      (op_address_i),
    .op_length_i       (op_length_i),
    .op_runs_i         (op_runs_i),
    .op_run_pitch_i    (op_run_pitch_i),
    .request_valid_o   (request_valid_o),
    .request_ready_i   (request_ready_i),
    .request_address_o (request_address_o),
    .request_beats_o   (request_beats_o),
    .data_valid_i      (data_valid_i),
    .data_i            (data_i),
    .here_o            (here),
    .step_i            (step),
    .piece_i           (piece_at),
    .consume_i         (consume),
    .piece_o           (piece),
    .idle_o            (lines_idle)
  );

  // -- Steps: a chunk of the line ----------------------------------------------------------------------------------

  reg                active_q; // chunks are left
  reg                begin_q;  // the first run begins
  reg [LINE_LOG-1:0] offset_q; // byte offset in the line
  reg [LINE_LOG-1:0] next_offset_q; // of the next run
  reg [LINE_LOG-1:0] pitch_offset_q;
  reg [CHUNKS-1:0]   run_q;    // chunks of a run, minus 1
  reg [CHUNKS-1:0]   left_q;   // of this run, that follow this one
  reg [15:0]         runs_q;

  wire [CHUNKS-1:0]  op_chunks = op_wide_i ? {1'b0, op_length_i[31:LANE_LOG+1]} : op_length_i[31:LANE_LOG];
  wire [LINE_LOG:0]  moved     = CHUNK[LINE_LOG:0] << wide_q;
  wire [LINE_LOG:0]  offset_d  = {1'b0, offset_q} + moved;
  wire               run_ends  = left_q == {CHUNKS{1'b0}};
  wire               over      = run_ends && runs_q == 16'd1;
  wire               load_run  = begin_q || (step && run_ends && !over);
  wire               move;     // the chunk that was read is not needed any more

  assign step    = active_q && here && move;
  assign consume = step && (offset_d[LINE_LOG] || run_ends);

  always @(posedge clk_i) begin
    if (!rst_ni || set_up) begin
      begin_q  <= rst_ni && take_op;
      active_q <= 1'b0;
    end else begin
      begin_q  <= 1'b0;
      active_q <= begin_q || (active_q && !(step && over));
    end

    if (set_up) begin
      run_q          <= op_chunks - 1'b1;
      pitch_offset_q <= op_run_pitch_i[LINE_LOG-1:0];
      next_offset_q  <= op_address_i[LINE_LOG-1:0];
      runs_q         <= op_runs_i;
    end else if (load_run) begin
      next_offset_q <= next_offset_q + pitch_offset_q;
      if (step) runs_q <= runs_q - 16'd1;
    end

    if (load_run) begin
      offset_q <= next_offset_q;
      left_q   <= run_q;
    end else if (step) begin
      offset_q <= offset_d[LINE_LOG-1:0];
      left_q   <= left_q - 1'b1;
    end
  end

  generate
    if (LINE_LOG > PIECE_LOG) begin : gen_part
      assign piece_at = offset_q[LINE_LOG-1:PIECE_LOG];
    end else begin : gen_whole
      assign piece_at = 1'b0;
    end
  endgenerate

  // -- From the piece to the chunk -----------------------------------------------------------------------------------

  reg                          piece_valid_q;
  reg [PIECE_LOG-LANE_LOG-1:0] place_q;  // of the chunk in its piece
  reg                          valid_q;
  reg [LANES*16-1:0]           chunk_q;
  wire                         moves = !valid_q || chunk_ready_i;
  wire [PIECE*8-1:0]           from = piece >> {place_q, {LANE_LOG+3{1'b0}}};
  wire                         unused_from = &{1'b0, from};

  assign move = !piece_valid_q || moves;

  always @(posedge clk_i) begin
    if (!rst_ni || set_up) begin
      {piece_valid_q, valid_q} <= 2'd0;
    end else begin
      if (move)  piece_valid_q <= step;
      if (moves) valid_q       <= piece_valid_q;
    end
    if (move) place_q <= offset_q[PIECE_LOG-1:LANE_LOG];
  end

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire wide_sign = from[16*l+15] != unsigned_q;
      wire byte_sign = from[8*l+7] != unsigned_q;

      always @(posedge clk_i) begin
        if (moves) chunk_q[16*l +: 16] <= wide_q ? {wide_sign, from[16*l +: 15]} : {{9{byte_sign}}, from[8*l +: 7]};
      end
    end
  endgenerate

  assign chunk_valid_o = valid_q;
  assign chunk_o       = chunk_q;
  assign exhausted_o   = !begin_q && !active_q && !piece_valid_q && !valid_q;

  // -- Errors, counters ------------------------------------------------------------------------------------------

  reg        error_q;
  reg [15:0] error_code_q;
  reg        taken_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {error_q, taken_q} <= 2'd0;
    else begin
      error_q <= data_valid_i && data_error_i[1] && !op_valid_i;
      taken_q <= valid_q && chunk_ready_i;
    end
    error_code_q <= data_error_i[0] ? `TULLE_STATUS_READ_DECODE_ERROR : `TULLE_STATUS_READ_SLAVE_ERROR;
  end

  assign error_o       = error_q;
  assign error_code_o  = error_code_q;
  assign error_tag_o   = tag_q;
  assign taken_bytes_o = {8{taken_q}} & (CHUNK[7:0] << wide_q);
  assign idle_o        = lines_idle && !begin_q && ((valid_q && piece_valid_q) || !(piece_valid_q || (active_q && here)));

  // -- Properties ------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE ("address, length and pitch of a pattern are multiples of a chunk, nothing is 0")
  ) u_pattern_is_aligned (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!op_valid_i || (((op_address_i[5:0] | op_length_i[5:0] | op_run_pitch_i[5:0]) &
                               ((CHUNK[5:0] << op_wide_i) - 6'd1)) == 6'd0 && op_length_i != 32'd0 && op_runs_i != 16'd0))
  );

endmodule

`default_nettype wire
