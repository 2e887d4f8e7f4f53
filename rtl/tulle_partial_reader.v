// SPDX-License-Identifier: Apache-2.0
//
// tulle_partial_reader: reads partial sums and biases from memory and delivers them in groups of PES elements, from the
// lines of a tulle_line_reader. Runs are packed contiguously, so a group may span runs.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   abort_i                       1: no new bursts are requested
//   op_valid_i, op_ready_o        a pattern. It replaces the last pattern with all its data from the moment it is
//                                 offered, and is taken when no burst of the last one is outstanding
//   op_element_i                  0..3: int8 .. int64, sign-extended
//   op_address_i, op_length_i     address and bytes of the first run; like op_run_pitch_i, multiples of the element
//   op_runs_i, op_run_pitch_i     number of runs, at least one, and the signed distance of their beginnings
//   op_tag_i                      returned with an error
//   group_valid_o, group_ready_i, a group, with element 0 in the lowest bits, modulo 2^ACC_WIDTH
//   group_o
//   exhausted_o                   fewer elements than a group are left (none before the first pattern)
//   request_valid_o, request_ready_i, request_address_o, request_beats_o
//                                 bursts: address of the first beat, and beats minus 1; none crosses a multiple of
//                                 1024
//   data_valid_i, data_i, data_error_i
//                                 their beats, in order, always taken; errors are 2 (SLVERR) and 3 (DECERR)
//   error_o, error_code_o,        one cycle: a beat had an error; not for a pattern that is being replaced
//   error_tag_o
//   taken_o, taken_bytes_o        one cycle: a group was taken, with the bytes of its elements in memory
//   idle_o                        no burst is outstanding, and none will be before a group is taken or a pattern is
//                                 offered
//
// Parameters
//   MEM                           bits of a beat: 64, 128, 256, 512
//   PES                           elements of a group, 1..16
//   ACC_WIDTH                     24..64
//   TAG                           bits of a tag
//   LANES                         elements that are moved to groups in a cycle: 1, 2, 4 or 8. int64 with ACC_WIDTH up
//                                 to 32, and elements that are wider than MEM / LANES, are moved in smaller pieces
//   BURSTS                        bursts of 1024 bytes that the buffer holds: a power of two, at least 2
//
// Latency: a burst takes three cycles or more to request, and a run one more. A group is shown six cycles after its
// last beat. A cycle handles the elements that lie within an aligned chunk of LANES elements in memory, within a run
// and within a group. With PES up to 2 LANES and aligned groups, a group takes two cycles, otherwise three.

`default_nettype none

`include "tulle_isa.vh"

module tulle_partial_reader #(
  parameter MEM       = 512,
  parameter PES       = 8,
  parameter ACC_WIDTH = 32,
  parameter TAG       = `TULLE_TAG_WIDTH,
  parameter LANES     = 4,
  parameter BURSTS    = 4
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire                     abort_i,

  input  wire                     op_valid_i,
  output wire                     op_ready_o,
  input  wire [1:0]               op_element_i,
  input  wire [63:0]              op_address_i,
  input  wire [31:0]              op_length_i,
  input  wire [15:0]              op_runs_i,
  input  wire [31:0]              op_run_pitch_i,
  input  wire [TAG-1:0]           op_tag_i,

  output wire                     group_valid_o,
  input  wire                     group_ready_i,
  output wire [PES*ACC_WIDTH-1:0] group_o,
  output wire                     exhausted_o,

  output wire                     request_valid_o,
  input  wire                     request_ready_i,
  output wire [63:0]              request_address_o,
  output wire [7:0]               request_beats_o,

  input  wire                     data_valid_i,
  input  wire [MEM-1:0]           data_i,
  input  wire [1:0]               data_error_i,

  output wire                     error_o,
  output wire [15:0]              error_code_o,
  output wire [TAG-1:0]           error_tag_o,

  output wire                     taken_o,
  output wire [7:0]               taken_bytes_o,

  output wire                     idle_o
);

  localparam LINE        = MEM / 8;              // bytes of a beat
  localparam LINE_LOG    = $clog2(LINE);
  localparam LANE_LOG    = $clog2(LANES);
  localparam WIDE        = LANES * ((ACC_WIDTH > 32) ? 8 : 4);
  localparam CHUNK       = (LINE < WIDE) ? LINE : (WIDE < 8) ? 8 : WIDE; // bytes of a line that a cycle handles
  localparam CHUNK_LOG   = $clog2(CHUNK);
  localparam PIECE_8     = LANES;                // elements of a chunk that a cycle takes
  localparam PIECE_16    = (LANES * 2 > CHUNK) ? CHUNK / 2 : LANES;
  localparam PIECE_32    = (LANES * 4 > CHUNK) ? CHUNK / 4 : LANES;
  localparam PIECE_64    = (LANES * 8 > CHUNK) ? CHUNK / 8 : LANES;

  tulle_require #(
    .LEGAL   (MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512),
    .MESSAGE ("tulle_partial_reader: MEM must be 64, 128, 256 or 512")
  ) u_require_mem_64_128_256_or_512 ();

  tulle_require #(
    .LEGAL   (PES >= 1 && PES <= 16 && ACC_WIDTH >= 24 && ACC_WIDTH <= 64),
    .MESSAGE ("tulle_partial_reader: PES must be 1..16, ACC_WIDTH 24..64")
  ) u_require_pes_1_to_16_and_acc_width_24_to_64 ();

  tulle_require #(
    .LEGAL   (LANES == 1 || LANES == 2 || LANES == 4 || LANES == 8),
    .MESSAGE ("tulle_partial_reader: LANES must be 1, 2, 4 or 8")
  ) u_require_lanes_1_2_4_or_8 ();

  genvar e, l, s;

  // op_valid_i arrives late. When op_ready_o is set, no other pattern is left to lose, so the registers are set up in
  // any case, and only the start depends on op_valid_i.
  wire take_op = op_valid_i && op_ready_o;
  wire set_up  = op_ready_o;

  reg  [1:0]     element_q;
  reg  [TAG-1:0] tag_q;

  always @(posedge clk_i) begin
    if (set_up) begin
      element_q <= op_element_i;
      tag_q     <= op_tag_i;
    end
  end

  // -- Lines -----------------------------------------------------------------------------------------------------

  wire            here;    // a line is here
  wire            step;
  wire            consume; // a line is consumed
  wire            move;    // the pipeline to the group moves
  wire            lines_idle;
  wire [CHUNK*8-1:0] chunk; // chunk of the line

  localparam PLACE = (CHUNK < LINE) ? LINE_LOG - CHUNK_LOG : 1;
  wire [PLACE-1:0] chunk_at;

  tulle_line_reader #(
    .MEM    (MEM),
    .PIECE  (CHUNK),
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
    .piece_i           (chunk_at),
    .consume_i         (consume),
    .piece_o           (chunk),
    .idle_o            (lines_idle)
  );

  // -- Steps: the elements of a line for the places of a group ---------------------------------------------------
  // The limits of a step are kept as numbers of elements to the end of the line's piece, the group and the run. The
  // run has 16 x many + few elements left. few is below 32 and, unless many is 0, large enough for any step.

  reg               active_q;  // elements are left
  reg  [LINE_LOG-1:0] offset_q; // byte offset in the line
  reg  [LINE_LOG-1:0] next_offset_q; // byte offset of the next run
  reg  [LINE_LOG-1:0] pitch_offset_q;
  reg  [3:0]        piece_q;   // elements of a piece
  reg  [3:0]        in_piece_q;
  reg  [4:0]        in_group_q;
  reg  [4:0]        few_q;
  reg  [27:0]       many_q;
  reg               none_q;    // many is 0
  reg  [31:0]       elements_q; // elements of a run
  reg  [15:0]       walk_runs_q;
  reg               begin_q;   // the first run begins

  function [3:0] piece_of;
    input [1:0] element;
    case (element)
      2'd0:    piece_of = PIECE_8[3:0];
      2'd1:    piece_of = PIECE_16[3:0];
      2'd2:    piece_of = PIECE_32[3:0];
      default: piece_of = PIECE_64[3:0];
    endcase
  endfunction

  // Elements from this byte of a line to the end of its piece.
  function [3:0] rest_of_piece;
    input [2:0] place;
    input [3:0] piece;
    rest_of_piece = piece - ({1'b0, place} & (piece - 4'd1));
  endfunction

  wire [LINE_LOG-1:0] next_place = next_offset_q >> element_q;
  wire [4:0]  two_limit  = ({1'b0, in_piece_q} < in_group_q) ? {1'b0, in_piece_q} : in_group_q;
  wire        run_limits = none_q && few_q <= two_limit;
  wire [4:0]  count      = run_limits ? few_q : two_limit;
  wire [LINE_LOG+3:0] moved  = {{LINE_LOG{1'b0}}, count[3:0]} << element_q; // at most a line
  wire [LINE_LOG:0] offset_d = {1'b0, offset_q} + moved[LINE_LOG:0];
  wire        group_ends = in_group_q == count;
  wire        refill     = !none_q && few_q < 5'd16;
  wire        over       = run_limits && walk_runs_q == 16'd1;
  wire        load_run   = begin_q || (step && run_limits && !over);
  wire        unused_place = &{1'b0, next_place, moved};

  assign step    = active_q && here && move;
  assign consume = step && (offset_d[LINE_LOG] || run_limits);

  always @(posedge clk_i) begin
    if (!rst_ni || set_up) begin
      begin_q  <= rst_ni && take_op;
      active_q <= 1'b0;
    end else begin
      begin_q <= 1'b0;
      if (begin_q)           active_q <= 1'b1;
      else if (step && over) active_q <= 1'b0;
    end

    if (set_up) begin
      piece_q        <= piece_of(op_element_i);
      elements_q     <= op_length_i >> op_element_i;
      pitch_offset_q <= op_run_pitch_i[LINE_LOG-1:0];
      next_offset_q  <= op_address_i[LINE_LOG-1:0];
      walk_runs_q    <= op_runs_i;
    end else if (load_run) begin
      next_offset_q <= next_offset_q + pitch_offset_q;
      if (step) walk_runs_q <= walk_runs_q - 16'd1;
    end

    if (load_run) begin
      offset_q   <= next_offset_q;
      in_piece_q <= rest_of_piece(next_place[2:0], piece_q);
      few_q      <= {1'b0, elements_q[3:0]};
      many_q     <= elements_q[31:4];
      none_q     <= elements_q[31:4] == 28'd0;
    end else if (step) begin
      offset_q   <= offset_d[LINE_LOG-1:0];
      in_piece_q <= (in_piece_q == count[3:0]) ? piece_q : in_piece_q - count[3:0];
      few_q      <= few_q - count + {refill, 4'd0};
      many_q     <= many_q - {27'd0, refill};
      none_q     <= none_q || (refill && many_q == 28'd1);
    end

    if (set_up)    in_group_q <= PES[4:0];
    else if (step) in_group_q <= group_ends ? PES[4:0] : in_group_q - count;
  end

  // -- Pipeline from line to group: chunk, lanes, places ---------------------------------------------------------

  reg                 chunk_next_q;  // a step was made, and its line is being read
  reg                 chunk_valid_q;
  reg                 lanes_valid_q;
  reg                 chunk_next_end_q; // the step ends a group
  reg                 chunk_end_q;
  reg                 lanes_end_q;
  reg  [CHUNK_LOG-1:0] place_q;      // first byte in the chunk
  reg  [4:0]          first_q;       // first place in the group
  reg  [4:0]          count_q;
  reg  [3:0]          lane_q;        // lane of the first element
  reg  [CHUNK*8-1:0]  chunk_q;
  reg  [CHUNK_LOG-1:0] chunk_place_q;
  reg  [PES-1:0]      chunk_mask_q;  // places of the group
  reg  [2:0]          chunk_turn_q;  // rotation from places to lanes
  reg  [PES-1:0]      lanes_mask_q;
  reg  [2:0]          lanes_turn_q;
  reg  [LANES*ACC_WIDTH-1:0] lanes_q;
  wire [LANES*ACC_WIDTH-1:0] lanes;

  wire [2:0]          turn = lane_q[2:0] - first_q[2:0];
  wire [31:0]         mask = ~(32'hFFFF_FFFF << count_q) << first_q;
  wire                unused_mask = &{1'b0, mask, lane_q, lanes_turn_q};

  generate
    if (CHUNK == LINE) begin : gen_whole
      assign chunk_at = 1'b0;
    end else begin : gen_part
      assign chunk_at = offset_q[LINE_LOG-1:CHUNK_LOG];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni || set_up) begin
      {chunk_next_q, chunk_valid_q, lanes_valid_q} <= 3'd0;
    end else if (move) begin
      chunk_next_q  <= step;
      chunk_valid_q <= chunk_next_q;
      lanes_valid_q <= chunk_valid_q;
    end

    if (move) begin
      chunk_next_end_q <= group_ends;
      place_q          <= offset_q[CHUNK_LOG-1:0];
      first_q          <= PES[4:0] - in_group_q;
      count_q          <= count;
      lane_q           <= piece_q - in_piece_q;

      chunk_end_q   <= chunk_next_end_q;
      chunk_q       <= chunk;
      chunk_place_q <= place_q;
      chunk_mask_q  <= mask[PES-1:0];
      chunk_turn_q  <= turn;

      lanes_end_q  <= chunk_end_q;
      lanes_q      <= lanes;
      lanes_mask_q <= chunk_mask_q & {PES{chunk_valid_q}};
      lanes_turn_q <= chunk_turn_q;
    end
  end

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire [4*ACC_WIDTH-1:0] as; // interpreted as each element type
      for (e = 0; e < 4; e = e + 1) begin : gen_element
        localparam BITS  = 8 << e;
        localparam PIECE = ((LANES << e) > CHUNK) ? CHUNK >> e : LANES;
        localparam PIECE_LOG = $clog2(PIECE << e); // bytes
        wire [BITS-1:0] raw;
        if (l >= PIECE) begin : gen_none
          assign raw = {BITS{1'b0}};
        end else if (PIECE_LOG == CHUNK_LOG) begin : gen_one
          assign raw = chunk_q[l*BITS +: BITS];
        end else begin : gen_some
          wire [CHUNK*8-1:0] from = chunk_q >> {chunk_place_q[CHUNK_LOG-1:PIECE_LOG], {PIECE_LOG+3{1'b0}}};
          wire               unused_from = &{1'b0, from};
          assign raw = from[l*BITS +: BITS];
        end
        if (BITS < ACC_WIDTH) begin : gen_extend
          assign as[e*ACC_WIDTH +: ACC_WIDTH] = {{ACC_WIDTH-BITS{raw[BITS-1]}}, raw};
        end else begin : gen_cut
          assign as[e*ACC_WIDTH +: ACC_WIDTH] = raw[ACC_WIDTH-1:0];
          wire unused_raw = &{1'b0, raw};
        end
      end
      assign lanes[l*ACC_WIDTH +: ACC_WIDTH] =
        element_q[1] ? (element_q[0] ? as[3*ACC_WIDTH +: ACC_WIDTH] : as[2*ACC_WIDTH +: ACC_WIDTH]) :
                       (element_q[0] ? as[ACC_WIDTH +: ACC_WIDTH] : as[0 +: ACC_WIDTH]);
    end
  endgenerate

  // -- Group -----------------------------------------------------------------------------------------------------

  reg  [PES*ACC_WIDTH-1:0]   filled_q; // the group that is being assembled
  reg                        full_q;
  reg  [PES*ACC_WIDTH-1:0]   group_q;
  reg                        valid_q;
  wire [LANES*ACC_WIDTH-1:0] turned;   // lane s mod LANES for place s

  // group_ready_i arrives late, so a taken group makes room in the next cycle; a consumer takes a group every two
  // cycles at most.
  assign move = !full_q || !valid_q;

  wire unused_lanes = &{1'b0, chunk_place_q, turned};

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_turn
      if (LANES == 1) begin : gen_single
        assign turned = lanes_q;
      end else begin : gen_several
        wire [LANE_LOG-1:0] from = lanes_turn_q[LANE_LOG-1:0] + l[LANE_LOG-1:0];
        assign turned[l*ACC_WIDTH +: ACC_WIDTH] = lanes_q[from*ACC_WIDTH +: ACC_WIDTH];
      end
    end

    for (s = 0; s < PES; s = s + 1) begin : gen_place
      always @(posedge clk_i) begin
        if (move && lanes_mask_q[s]) filled_q[s*ACC_WIDTH +: ACC_WIDTH] <= turned[(s % LANES)*ACC_WIDTH +: ACC_WIDTH];
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni || set_up) {full_q, valid_q} <= 2'd0;
    else begin
      if (move) full_q <= lanes_valid_q && lanes_end_q;
      valid_q <= valid_q ? !group_ready_i : full_q;
    end
    if (full_q && move) group_q <= filled_q;
  end

  assign group_valid_o = valid_q;
  assign group_o       = group_q;
  assign exhausted_o   = !begin_q && !active_q && !chunk_next_q && !chunk_valid_q && !lanes_valid_q && !full_q && !valid_q;

  // -- Errors, counters ------------------------------------------------------------------------------------------

  reg        error_q;
  reg [15:0] error_code_q;
  reg        taken_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {error_q, taken_q} <= 2'd0;
    else begin
      error_q <= data_valid_i && data_error_i[1] && !op_valid_i;
      taken_q <= valid_q && group_ready_i;
    end
    error_code_q <= data_error_i[0] ? `TULLE_STATUS_READ_DECODE_ERROR : `TULLE_STATUS_READ_SLAVE_ERROR;
  end

  assign error_o       = error_q;
  assign error_code_o  = error_code_q;
  assign error_tag_o   = tag_q;
  assign taken_o       = taken_q;
  assign taken_bytes_o = {3'd0, PES[4:0]} << element_q;

  wire in_way  = chunk_next_q || chunk_valid_q || lanes_valid_q || full_q || (active_q && here);
  wire stopped = full_q && valid_q;

  assign idle_o = lines_idle && !begin_q && (stopped || !in_way);

  // -- Properties ------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE ("address, length and pitch of a pattern are multiples of the element, nothing is 0")
  ) u_pattern_is_aligned (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!op_valid_i || (((op_address_i[2:0] | op_length_i[2:0] | op_run_pitch_i[2:0]) &
                               ~(3'b111 << op_element_i)) == 3'd0 && op_length_i != 32'd0 && op_runs_i != 16'd0))
  );

endmodule

`default_nettype wire
