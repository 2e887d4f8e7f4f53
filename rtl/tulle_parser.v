// SPDX-License-Identifier: Apache-2.0
//
// tulle_parser: reads a configuration payload (docs/isa.md): a header, instruction records and function records. It
// checks each record and the whole payload, and fills the instruction store on the way. Only a payload without an
// error makes its buffer configured.
//
// A faulty header is refused at once. An error in a later record is reported at the end of the payload, because a
// wrong length or check word takes precedence.
//
// The parser computes whatever can be computed once. base x block is added to the operand that the base concerns: the
// address for a MAC and for an LD of activations or weights, otherwise the result. A stride, and the sum of stride
// and pitch, become backward steps in 0..wrap - 1, modulo wrap.
//
// The fields for the sequencer and the selector are, from the highest bit on:
// operands_o: (with ACCUMULATORS) accumulation buffer; (with SCALAR) bits 9 and 10 of the instruction, registers of the
// address and of the result, outer, backward step of stride + pitch + plane; (with PE_OPERANDS) pe_stride; (with
// MAXIMUM) maximum; load that never fits; last but one of its sequence; opcode, bits 3 and 4, and
// bits 11 and 12 of the instruction; address; backward step of stride, and of stride + pitch; wrap; inner; result;
// result stride.
// packet_o: (with ACCUMULATORS) defers sums; needs an absent feature; weights stay; kind (0 runs, 1 loads activations only, 2 takes weights, 3 takes
// other operands); trigger and its buffer; after and its buffer; hold, at least 1.
// sequence_o: (with ZERO_POINTS) activations have no sign; their zero point; block; restart; index of the last ST; index of the last MAC.
//
// An extension record is kept until the instruction record behind it comes. An LD of activations that adds a scalar
// register belongs to a run (kind 3), so that it does not overtake the reduction that sets the register.
//
// Ports
//   clk_i, rst_ni               clock, synchronous reset
//   start_i                     one cycle: a payload begins
//   beat_*                      the payload, piece by piece, padded with zeros to whole beats of the row bus: the
//                               piece; whether it belongs to the packet's last beat; whether it is the last, or not
//                               the first, of its beat
//   record_o                    the record for tulle_decode_config, which answers in the same cycle:
//   is_*_i, bad_*_i             its kind, and its errors
//   store_instruction_o, store_index_o, operands_o
//                               one cycle: an instruction and its operands, for the instruction store
//   store_ready_i, store_full_i the store can take an instruction; the store has no room for it
//   store_buffer_o, packet_o, sequence_o
//                               one cycle: the values of the whole buffer
//   table_write_o, table_index_o
//                               one cycle: record_o is a record of the function table, and its number from 0; without
//                               SCALAR only the first one is written
//   done_o                      one cycle: the buffer is configured
//   error_o, error_code_o       the payload is refused: one cycle, or two if it ends too early; the first code counts
//
// Parameters
//   PIECE_WIDTH                 bits of a piece: 32, 64, 128, 256
//   BUFFERS                     instruction buffers
//   DEPTH                       instructions in a buffer
//   INPUT_DEPTH                 activations in an input buffer; a wrap of 0 stands for it
//   OUTPUT_DEPTH                entries of an output queue
//   LINE                        activations in a line of the input buffer
//   FUNCTIONS                   bit f: the variant has function f
//   MAXIMUM                     1: MACs may keep the largest product
//   ACCUMULATORS                1: MACs name accumulation buffers
//   SCALAR                      1: there is a scalar unit
//   PE_OPERANDS                 1: the address of a MAC may advance from PE to PE
//   ROUNDINGS                   1: functions may round otherwise than up
//   PES                         PEs of a cluster
//   DATA_WIDTH                  bits of an activation
//   ZERO_POINTS                 1: activations have a zero point, and may have no sign
//   EXTENSION                   bits of the operands for SCALAR and PE_OPERANDS; to be left as it is
//   CODING                      bits of sequence_o for ZERO_POINTS; to be left as it is
//
// Latency: 8 to 20 cycles for an instruction record (4 more with outer turns), 3 for any other, and one for each 64 bits of padding. If a
// piece has at most 32 bits, each record takes 2 more cycles, and each further 32 bits one.

`default_nettype none

`include "tulle_isa.vh"

module tulle_parser #(
  parameter        PIECE_WIDTH  = 64,
  parameter        BUFFERS      = 1,
  parameter        DEPTH        = 1,
  parameter        INPUT_DEPTH  = 64,
  parameter        OUTPUT_DEPTH = 16,
  parameter        LINE         = 8,
  parameter [15:0] FUNCTIONS    = 16'd1,
  parameter        MAXIMUM      = 0,
  parameter        ACCUMULATORS = 0,
  parameter        SCALAR       = 0,
  parameter        PE_OPERANDS  = 0,
  parameter        ROUNDINGS    = 0,
  parameter        PES          = 1,
  parameter        EXTENSION    = ((SCALAR != 0) ? `TULLE_BUFFER_EXTENSION_WIDTH + $clog2(INPUT_DEPTH) : 0) +
                                  ((PE_OPERANDS != 0) ? $clog2(INPUT_DEPTH) : 0),
  parameter        DATA_WIDTH   = 8,
  parameter        ZERO_POINTS  = 0,
  parameter        CODING       = (ZERO_POINTS != 0) ? DATA_WIDTH + 1 : 0
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,

  input  wire                 start_i,

  input  wire                 beat_valid_i,
  input  wire                 beat_last_i,
  input  wire                 beat_end_i,
  input  wire                 beat_open_i,
  input  wire [PIECE_WIDTH-1:0] beat_data_i,
  output wire                 beat_ready_o,

  output wire [`TULLE_CONFIG_WIDTH-1:0] record_o,
  input  wire                 is_header_i,
  input  wire                 is_instruction_i,
  input  wire                 is_extension_i,
  input  wire                 is_function_i,
  input  wire                 bad_reserved_i,
  input  wire                 bad_field_i,
  input  wire                 bad_instruction_i,

  output wire                 store_instruction_o,
  output wire [4:0]           store_index_o,
  output wire [2*ACCUMULATORS+EXTENSION+MAXIMUM+`TULLE_BUFFER_OPERANDS_WIDTH+4*$clog2(INPUT_DEPTH)+2*$clog2(OUTPUT_DEPTH)-1:0] operands_o,
  input  wire                 store_ready_i,
  input  wire                 store_full_i,

  output wire                 store_buffer_o,
  output wire [ACCUMULATORS+`TULLE_BUFFER_PACKET_WIDTH+2*$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] packet_o,
  output wire [CODING+$clog2(INPUT_DEPTH)+`TULLE_BUFFER_SEQUENCE_WIDTH-1:0] sequence_o,
  output wire                 table_write_o,
  output wire [1:0]           table_index_o,

  output wire                 done_o,
  output wire                 error_o,
  output wire [15:0]          error_code_o
);

  tulle_require #(
    .LEGAL   (PIECE_WIDTH == 32 || PIECE_WIDTH == 64 || PIECE_WIDTH == 128 || PIECE_WIDTH == 256),
    .MESSAGE ("tulle_parser: PIECE_WIDTH must be 32, 64, 128 or 256")
  ) u_require_piece_width_32_64_128_or_256 ();

  tulle_require #(
    .LEGAL   (BUFFERS >= 1 && BUFFERS <= 32 && DEPTH >= 1 && DEPTH <= 32),
    .MESSAGE ("tulle_parser: BUFFERS and DEPTH must be 1..32")
  ) u_require_buffers_and_depth_1_to_32 ();

  tulle_require #(
    .LEGAL   (INPUT_DEPTH >= 2 && INPUT_DEPTH <= 65536 && OUTPUT_DEPTH >= 2 && OUTPUT_DEPTH <= 65536),
    .MESSAGE ("tulle_parser: INPUT_DEPTH and OUTPUT_DEPTH must be 2..65536")
  ) u_require_depths_2_to_65536 ();

  tulle_require #(
    .LEGAL   (MAXIMUM == 0 || MAXIMUM == 1),
    .MESSAGE ("tulle_parser: MAXIMUM must be 0 or 1")
  ) u_require_maximum_0_or_1 ();

  tulle_require #(
    .LEGAL   (PES >= 1 && PES <= 16),
    .MESSAGE ("tulle_parser: PES must be 1..16")
  ) u_require_pes_1_to_16 ();

  localparam [15:0] REDUCTIONS = 16'd1 << `TULLE_FUNCTION_SUM | 16'd1 << `TULLE_FUNCTION_MAX |
                                 16'd1 << `TULLE_FUNCTION_AVERAGE;
  localparam ADDR   = $clog2(INPUT_DEPTH);
  localparam OUT    = $clog2(OUTPUT_DEPTH);
  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);

  // -- Records from beats: 64 bits at a time, or a piece if that is less -------------------------------------

  localparam RECORD      = `TULLE_CONFIG_WIDTH;
  localparam CHUNK       = (PIECE_WIDTH < 64) ? PIECE_WIDTH : 64;
  localparam CHUNKS      = PIECE_WIDTH / CHUNK;
  localparam CHUNK_WIDTH = $clog2((CHUNKS > 1) ? CHUNKS : 2);
  localparam LAST_CHUNK  = CHUNKS - 1;
  localparam PARTS       = RECORD / CHUNK; // parts of a record
  localparam PART_WIDTH  = $clog2(PARTS);

  localparam [2:0] IDLE   = 3'd0;
  localparam [2:0] READ   = 3'd1; // a record arrives
  localparam [2:0] CHECK  = 3'd3; // the record is complete
  localparam [2:0] BASE   = 3'd4; // the operands are computed
  localparam [2:0] WRITE  = 3'd5; // the operands are written to the store
  localparam [2:0] PAD    = 3'd6; // padding of the last beat
  localparam [2:0] SETTLE = 3'd2; // end of the payload
  localparam [2:0] VERIFY = 3'd7; // the result of the checks is available

  reg [2:0]             state_q;
  reg [2:0]             state_d;
  reg [CHUNK_WIDTH-1:0] chunk_q;        // chunk of the piece
  reg [PART_WIDTH-1:0]  part_q;         // part of the record
  reg [RECORD-1:0]      record_q;
  reg [31:0]            sum_q;          // exclusive or of all words so far
  reg                   header_q;       // the record is the header
  reg                   ended_q;        // the packet's last beat was taken
  reg [5:0]             instructions_q; // instruction records left, including the current one
  reg [1:0]             functions_q;

  wire in_beat = beat_open_i || chunk_q != {CHUNK_WIDTH{1'b0}};
  wire more;
  wire wanted  = state_q == READ || (state_q == CHECK && header_q) || (state_q == WRITE && more) || (state_q == PAD && in_beat);
  wire take    = wanted && beat_valid_i && !ended_q;
  wire at_end  = chunk_q == LAST_CHUNK[CHUNK_WIDTH-1:0];

  assign beat_ready_o = take && at_end;

  wire [CHUNK-1:0] chunk;
  wire [31:0]      chunk_sum;
  generate
    if (CHUNKS == 1) begin : gen_one_chunk
      assign chunk = beat_data_i;
    end else begin : gen_chunks
      assign chunk = beat_data_i[chunk_q*CHUNK +: CHUNK];
    end

    if (CHUNK == 32) begin : gen_one_word
      assign chunk_sum = chunk;
    end else begin : gen_two_words
      assign chunk_sum = chunk[31:0] ^ chunk[63:32];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (state_q == IDLE) chunk_q <= {CHUNK_WIDTH{1'b0}};
    else if (take)       chunk_q <= at_end ? {CHUNK_WIDTH{1'b0}} : chunk_q + 1'b1;

    if (state_q == IDLE) part_q <= {PART_WIDTH{1'b0}};
    else if (take)       part_q <= part_q + 1'b1;
  end

  always @(posedge clk_i) begin
    if (take) record_q <= {chunk, record_q[RECORD-1:CHUNK]};

    if (state_q == IDLE) sum_q <= 32'd0;
    else if (take)       sum_q <= sum_q ^ chunk_sum;
  end

  assign record_o = record_q;

  // -- Fields of the record --------------------------------------------------------------------------------

  // Fields of a header
  wire [5:0]  version        = record_q[`TULLE_CONFIG_HEADER_VERSION];
  wire [5:0]  instructions   = record_q[`TULLE_CONFIG_HEADER_INSTRUCTIONS];
  wire [1:0]  functions      = record_q[`TULLE_CONFIG_HEADER_FUNCTIONS];
  wire [4:0]  trigger_buffer = record_q[`TULLE_CONFIG_HEADER_TRIGGER_BUFFER];
  wire [4:0]  after_buffer   = record_q[`TULLE_CONFIG_HEADER_AFTER_BUFFER];
  wire [15:0] hold           = record_q[`TULLE_CONFIG_HEADER_HOLD];
  wire [15:0] zero           = record_q[`TULLE_CONFIG_HEADER_ZERO];
  wire        has_no_sign    = record_q[`TULLE_CONFIG_HEADER_UNSIGNED];

  // Fields of an instruction record
  wire [11:0] instruction    = record_q[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION];
  wire [15:0] address        = record_q[`TULLE_CONFIG_INSTRUCTION_ADDRESS];
  wire [15:0] stride         = record_q[`TULLE_CONFIG_INSTRUCTION_STRIDE];
  wire [15:0] pitch          = record_q[`TULLE_CONFIG_INSTRUCTION_PITCH];
  wire [15:0] wrap           = record_q[`TULLE_CONFIG_INSTRUCTION_WRAP];
  wire [15:0] result         = record_q[`TULLE_CONFIG_INSTRUCTION_RESULT];
  wire [15:0] result_stride  = record_q[`TULLE_CONFIG_INSTRUCTION_RESULT_STRIDE];
  wire [15:0] inner          = record_q[`TULLE_CONFIG_INSTRUCTION_INNER];
  wire        maximum        = record_q[`TULLE_CONFIG_INSTRUCTION_MAXIMUM];

  wire is_mac   = instruction[`TULLE_MAC_OPCODE] == `TULLE_MAC_OPCODE_VALUE;
  wire is_load  = instruction[`TULLE_LD_OPCODE] == `TULLE_LD_OPCODE_VALUE;
  wire is_store = instruction[`TULLE_ST_OPCODE] == `TULLE_ST_OPCODE_VALUE;
  wire is_spu   = instruction[`TULLE_SPU_OPCODE] == `TULLE_SPU_OPCODE_VALUE;
  wire to_input   = is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_INPUT;
  wire to_weights = is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_WEIGHTS;
  wire chained  = is_mac && instruction[`TULLE_MAC_CHAIN];

  wire [1:0]  spu_function    = instruction[`TULLE_SPU_FUNCTION];
  wire [3:0]  spu_destination = instruction[`TULLE_SPU_DESTINATION];

  // Fields of a function record
  wire [5:0]  function_id    = record_q[`TULLE_CONFIG_FUNCTION_FUNCTION];
  wire [1:0]  rounding       = record_q[`TULLE_CONFIG_FUNCTION_ROUNDING];

  // -- The buffer's own values -----------------------------------------------------------------------------

  reg [15:0] block_q;
  reg        restart_q;
  reg [DATA_WIDTH:0] coding_q; // {activations have no sign, their zero point}
  reg        missing_q;        // needs a feature that this variant does not have
  reg        defer_q;          // sums are written with the last packet only
  reg        trigger_q;
  reg [4:0]  trigger_buffer_q;
  reg        has_functions_q;
  reg [4:0]  index_q;          // index of the instruction
  reg [4:0]  last_store_q;     // the last instruction that stores results
  reg [4:0]  last_mac_q;       // the last MAC
  reg        rotate_q;         // weights stay in their queue
  reg        after_q;
  reg [4:0]  after_buffer_q;
  reg [15:0] hold_q;
  reg        has_input_q;      // the sequence loads activations
  reg        has_partial_q;    // partial sums
  reg        has_weights_q;
  reg        has_compute_q;    // the sequence does more than load
  reg        has_spu_q;
  reg        has_register_q;   // the sequence loads activations to where a scalar register says
  reg        update_q;         // the pipeline
  reg [1:0]  functions_all_q;
  reg [3:1]  must_reduce_q;    // the function records that reduce into a register

  always @(posedge clk_i) begin
    if (state_q == CHECK && header_q) begin
      block_q          <= record_q[`TULLE_CONFIG_HEADER_BLOCK];
      restart_q        <= record_q[`TULLE_CONFIG_HEADER_RESTART];
      coding_q         <= {has_no_sign, zero[DATA_WIDTH-1:0]};
      missing_q        <= record_q[`TULLE_CONFIG_HEADER_QUEUE] == `TULLE_QUEUE_STATE_SW;
      defer_q          <= ACCUMULATORS != 0 && record_q[`TULLE_CONFIG_HEADER_DEFER];
      trigger_q        <= record_q[`TULLE_CONFIG_HEADER_TRIGGER];
      trigger_buffer_q <= trigger_buffer;
      has_functions_q  <= functions != 2'd0;
      index_q          <= 5'd0;
      rotate_q         <= record_q[`TULLE_CONFIG_HEADER_QUEUE] == `TULLE_QUEUE_STATE_RQ;
      after_q          <= record_q[`TULLE_CONFIG_HEADER_AFTER];
      after_buffer_q   <= after_buffer;
      hold_q           <= hold == 16'd0 ? 16'd1 : hold;
      {has_input_q, has_partial_q, has_weights_q, has_compute_q, has_spu_q, has_register_q} <= 6'd0;
      update_q         <= record_q[`TULLE_CONFIG_HEADER_PIPELINE];
      functions_all_q  <= functions;
      must_reduce_q    <= 3'd0;
    end else if (state_q == WRITE) begin
      index_q <= index_q + 5'd1;
      if (is_store) last_store_q <= index_q;
      if (is_mac)   last_mac_q   <= index_q;
      has_input_q   <= has_input_q || to_input;
      has_partial_q <= has_partial_q || (is_load && !to_input && !to_weights);
      has_weights_q <= has_weights_q || to_weights;
      has_compute_q <= has_compute_q || !is_load;
      has_spu_q     <= has_spu_q || is_spu;
      has_register_q <= has_register_q || (to_input && register_q != 4'd0);
      if (is_spu && spu_destination != 4'd0) must_reduce_q <= must_reduce_q | 3'd1 << (spu_function - 2'd1);
    end
  end

  // -- The extension record of the next instruction --------------------------------------------------------

  localparam EXTENDS = SCALAR != 0 || PE_OPERANDS != 0;

  wire       at_extension = EXTENDS && at_instruction && is_extension_i;
  reg        extended_q;        // an extension record waits for its instruction record
  reg [3:0]  register_q;
  reg [3:0]  result_register_q;
  reg [15:0] pe_stride_q;
  reg [15:0] outer_q;
  reg [15:0] plane_q;

  always @(posedge clk_i) begin
    if (state_q == IDLE || state_q == WRITE) begin
      {extended_q, register_q, result_register_q, pe_stride_q, outer_q, plane_q} <= 57'd0;
    end else if (state_q == CHECK && at_extension) begin
      extended_q        <= 1'b1;
      register_q        <= record_q[`TULLE_CONFIG_EXTENSION_REGISTER];
      result_register_q <= record_q[`TULLE_CONFIG_EXTENSION_RESULT_REGISTER];
      pe_stride_q       <= record_q[`TULLE_CONFIG_EXTENSION_PE_STRIDE];
      outer_q           <= record_q[`TULLE_CONFIG_EXTENSION_OUTER];
      plane_q           <= record_q[`TULLE_CONFIG_EXTENSION_PLANE];
    end
  end

  // The address of the last PE is corrected by wrap only once.
  localparam [19:0] LAST_PE = PES - 1;
  reg  [19:0] span;     // written as sums, because Yosys takes a DSP for a product
  reg  [19:0] span_q;
  integer     b;

  always @* begin
    span = 20'd0;
    for (b = 0; b < 4; b = b + 1) if (LAST_PE[b]) span = span + ({4'd0, pe_stride_q} << b);
  end

  always @(posedge clk_i) span_q <= span;

  wire [19:0] limit    = {{19-ADDR{1'b0}}, first_wrap == {ADDR{1'b0}}, first_wrap};
  wire        too_far  = PE_OPERANDS != 0 && span_q >= limit;

  // Which instructions have which operands
  wire uses_address = is_mac || to_input || is_spu;
  wire uses_result  = is_mac || is_store || (is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_ACCUMULATOR) ||
                      (is_spu && spu_destination == 4'd0);
  wire updates      = register_q != 4'd0 || result_register_q != 4'd0 || outer_q != 16'd0;
  wire bad_extension = EXTENDS && ((updates && !(update_q && SCALAR != 0)) || (register_q != 4'd0 && !uses_address) ||
                       (result_register_q != 4'd0 && !uses_result) || (pe_stride_q != 16'd0 && !is_mac) ||
                       (outer_q != 16'd0 && inner == 16'd0) || (plane_q != 16'd0 && outer_q == 16'd0));

  // -- Operands --------------------------------------------------------------------------------------------

  wire base_is_address = is_mac || to_input || to_weights || is_spu;
  wire operands_done;
  wire [ADDR-1:0] first_address;
  wire [OUT-1:0]  first_result;
  wire [ADDR-1:0] first_stride;
  wire [ADDR-1:0] first_turn;
  wire [ADDR-1:0] first_plane;
  wire [ADDR-1:0] first_wrap;
  wire            outside;
  wire            unfit;

  tulle_first_operands #(
    .INPUT_DEPTH  (INPUT_DEPTH),
    .OUTPUT_DEPTH (OUTPUT_DEPTH),
    .LINE         (LINE),
    .PLANES       (SCALAR)
  ) u_first_operands (
    .clk_i             (clk_i),
    .run_i             (state_q == BASE),
    .base_i            (instruction[`TULLE_MAC_BASE]), // the base is at the same position in every format
    .base_is_address_i (base_is_address),
    .loads_i           (to_input),
    .block_i           (block_q),
    .address_i         (address),
    .stride_i          (stride),
    .inner_i           (inner),
    .pitch_i           (pitch),
    .outer_i           (outer_q),
    .plane_i           (plane_q),
    .wrap_i            (wrap),
    .result_i          (result),
    .done_o            (operands_done),
    .address_o         (first_address),
    .result_o          (first_result),
    .stride_o          (first_stride),
    .turn_o            (first_turn),
    .plane_o           (first_plane),
    .wrap_o            (first_wrap),
    .outside_o         (outside),
    .unfit_o           (unfit)
  );

  // A packet brings only weights or no weights.
  wire mixed = is_load && (has_weights_q || (to_weights && (has_input_q || has_partial_q)));

  // -- Errors ----------------------------------------------------------------------------------------------

  wire at_instruction = !header_q && instructions_q != 6'd0;
  wire no_rounding    = ROUNDINGS == 0 && rounding != `TULLE_ROUNDING_UP;
  wire has_function   = function_id < 6'd16 && FUNCTIONS[function_id[3:0]];

  // An SPU reduces over the PEs by the first record of the function table, if the variant has a reduction.
  wire reduces        = (FUNCTIONS & REDUCTIONS) != 16'd0 && instruction[`TULLE_SPU_FUNCTION] == 2'd1 &&
                        instruction[`TULLE_SPU_DESTINATION] == 4'd0;
  // A MAC or an LD that names an accumulation buffer
  wire buffered       = (is_mac && instruction[`TULLE_MAC_ACC] != 2'd0) ||
                        (is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_BUFFER);
  wire reduction      = function_id < 6'd16 && REDUCTIONS[function_id[3:0]];

  // The work of a maximum must stay with its PE, and it has no accumulation buffer; for a load, maximum means that zeros
  // count.
  wire has_buffer     = instruction[`TULLE_MAC_ACC] != 2'd0 || defer_q;
  wire may_be_maximum = to_input || (is_mac && !instruction[`TULLE_MAC_BALANCE] && !has_buffer);
  wire no_feature     = (is_spu && !reduces && SCALAR == 0) || (pe_stride_q != 16'd0 && PE_OPERANDS == 0) ||
                        (maximum && MAXIMUM == 0) || (buffered && ACCUMULATORS == 0);
  wire no_operand     = (maximum && !may_be_maximum) || bad_extension ||
                        (SCALAR != 0 && is_spu && spu_destination != 4'd0 && spu_function == 2'd0);
  wire right_kind     = header_q ? is_header_i : at_extension ? !extended_q : at_instruction ? is_instruction_i : is_function_i;

  // errors of the record itself
  wire [15:0] record_code = !right_kind       ? `TULLE_STATUS_BAD_FIELD :
                            bad_instruction_i ? `TULLE_STATUS_BAD_INSTRUCTION :
                            bad_reserved_i    ? `TULLE_STATUS_BAD_RESERVED :
                            bad_field_i       ? `TULLE_STATUS_BAD_FIELD :
                                                `TULLE_STATUS_OK;

  // errors of a header, which are refused at once
  wire [15:0] header_code = !is_header_i                      ? `TULLE_STATUS_BAD_FIELD :
                            version != `TULLE_ISA_MAJOR       ? `TULLE_STATUS_CONFIG_VERSION :
                            record_code != `TULLE_STATUS_OK   ? record_code :
                            instructions > DEPTH[5:0]         ? `TULLE_STATUS_CONFIG_LENGTH :
                                                                `TULLE_STATUS_OK;

  // Without a scalar unit all SPU instructions reduce by the first record.
  wire must_reduce = (SCALAR != 0) ? table_q != 2'd3 && must_reduce_q[table_q + 2'd1] : table_write_o && has_spu_q;
  wire no_record   = (SCALAR != 0) ? (chained && functions_all_q == 2'd0) || (is_spu && spu_function > functions_all_q) :
                                     (chained || is_spu) && !has_functions_q;

  // errors of the record's meaning, which are reported at the end
  wire no_pipeline = (record_q[`TULLE_CONFIG_HEADER_PIPELINE] || functions[1]) && SCALAR == 0;
  wire no_deferral = record_q[`TULLE_CONFIG_HEADER_DEFER] && ACCUMULATORS == 0;
  wire no_zero_point = (has_no_sign || zero != 16'd0) && ZERO_POINTS == 0;
  wire no_buffer = {1'b0, trigger_buffer} >= BUFFERS[5:0] || {1'b0, after_buffer} >= BUFFERS[5:0];

  // A zero point is one of the values of an activation: the bits above it are its sign, or 0 without a sign.
  wire [16:0]            zero17  = {!has_no_sign && zero[15], zero};
  wire [17-DATA_WIDTH:0] above   = zero17[16:DATA_WIDTH-1];
  wire                   no_value = ZERO_POINTS != 0 && above[17-DATA_WIDTH:1] != {17-DATA_WIDTH{!has_no_sign && above[0]}};

  reg [15:0] fault;
  reg [15:0] fault_q;

  always @* begin
    fault = `TULLE_STATUS_OK;
    if (state_q == CHECK && header_q) begin
      if (no_buffer)                       fault = `TULLE_STATUS_BAD_FIELD;
      else if (no_pipeline || no_deferral || no_zero_point) fault = `TULLE_STATUS_NO_FEATURE;
      else if (no_value)                   fault = `TULLE_STATUS_BAD_FIELD;
    end else if (state_q == CHECK) begin
      if (record_code != `TULLE_STATUS_OK)   fault = record_code;
      else if (at_extension)                 fault = `TULLE_STATUS_OK;
      else if (at_instruction && no_feature) fault = `TULLE_STATUS_NO_FEATURE;
      else if (at_instruction && no_operand) fault = `TULLE_STATUS_BAD_FIELD;
      else if (!at_instruction && no_rounding) fault = `TULLE_STATUS_NO_FEATURE;
      else if (!at_instruction && (!has_function || (must_reduce && !reduction)))
        fault = `TULLE_STATUS_NO_FUNCTION;
    end else if (state_q == WRITE) begin
      if (outside || too_far)                fault = `TULLE_STATUS_OUT_OF_BUFFER;
      else if (no_record)                    fault = `TULLE_STATUS_NO_FUNCTION;
      else if (mixed)                        fault = `TULLE_STATUS_BAD_FIELD;
      else if (store_full_i)                 fault = `TULLE_STATUS_CONFIG_LENGTH;
    end
  end

  always @(posedge clk_i) begin
    if (state_q == IDLE)                   fault_q <= `TULLE_STATUS_OK;
    else if (fault_q == `TULLE_STATUS_OK) fault_q <= fault;
  end

  // The error is reported in the next cycle, when the next record may have begun to arrive, or the payload is
  // verified.
  reg [15:0] code;
  reg [15:0] code_q;

  always @* begin
    code = `TULLE_STATUS_OK;
    if (state_q == CHECK && header_q)          code = header_code;
    else if (wanted && ended_q)                code = `TULLE_STATUS_CONFIG_LENGTH;
    else if (state_q == SETTLE) begin
      if (!ended_q)                            code = `TULLE_STATUS_CONFIG_LENGTH;
      else if (sum_q != `TULLE_CHECK_SEED)     code = `TULLE_STATUS_CONFIG_CHECK;
      else                                     code = fault_q;
    end
  end

  always @(posedge clk_i) begin
    if (state_q == IDLE) code_q <= `TULLE_STATUS_OK;
    else                 code_q <= code;
  end

  assign error_o      = code_q != `TULLE_STATUS_OK;
  assign error_code_o = code_q;

  // -- States of a payload ---------------------------------------------------------------------------------

  assign more = header_q || {2'b00, instructions_q} + {6'd0, functions_q} != 8'd1;

  always @* begin
    state_d = state_q;
    case (state_q)
      IDLE:    if (start_i) state_d = READ;
      READ:    if (take && part_q == {PART_WIDTH{1'b1}}) state_d = CHECK;
      CHECK:   state_d = at_extension ? READ : at_instruction ? BASE : more ? READ : in_beat ? PAD : SETTLE;
      BASE:    if (operands_done && store_ready_i) state_d = WRITE;
      WRITE:   state_d = more ? READ : in_beat ? PAD : SETTLE;
      PAD:     if (!in_beat) state_d = SETTLE;
      SETTLE:  state_d = VERIFY;
      default: state_d = IDLE;
    endcase
    if (error_o) state_d = IDLE;
  end

  always @(posedge clk_i) begin
    if (!rst_ni) state_q <= IDLE;
    else         state_q <= state_d;
  end

  wire record_done = (state_q == CHECK && !at_instruction) || state_q == WRITE;

  always @(posedge clk_i) begin
    if (state_q == IDLE) begin
      header_q       <= 1'b1;
      {ended_q, instructions_q, functions_q} <= 9'd0;
    end else begin
      if (take && at_end && beat_end_i && beat_last_i) ended_q <= 1'b1;
      if (record_done) begin
        header_q <= 1'b0;
        if (header_q) begin
          instructions_q <= instructions;
          functions_q    <= functions;
        end else if (at_instruction) begin
          instructions_q <= instructions_q - 6'd1;
        end else begin
          functions_q <= functions_q - 2'd1;
        end
      end
    end
  end

  // -- To the instruction store ----------------------------------------------------------------------------

  assign store_instruction_o   = state_q == WRITE;
  assign store_index_o         = index_q;
  // Chained MACs use the first record of the table, and a scalar unit all of them.
  reg [1:0] table_q;

  always @(posedge clk_i) begin
    if (state_q == IDLE)    table_q <= 2'd0;
    else if (table_write_o) table_q <= table_q + 2'd1;
  end

  assign table_index_o = table_q;

  wire       last_soon = instructions_q == 6'd2;
  wire       has_named = SCALAR != 0 && has_register_q;
  wire [1:0] kind      = has_weights_q                                    ? 2'd2 :
                         has_input_q && !has_partial_q && !has_compute_q && !has_named ? 2'd1 :
                         has_input_q || has_partial_q                    ? 2'd3 :
                                                                            2'd0;

  wire [`TULLE_BUFFER_OPERANDS_WIDTH+4*ADDR+2*OUT:0] operands = {maximum, unfit, last_soon, instruction[11:8], instruction[1:0],
                                         first_address, first_stride, first_turn, first_wrap, inner,
                                         first_result, result_stride[OUT-1:0]};

  localparam PLAIN  = MAXIMUM + `TULLE_BUFFER_OPERANDS_WIDTH + 4 * ADDR + 2 * OUT; // operands without an extension
  localparam STRIDE = (PE_OPERANDS != 0) ? ADDR : 0;

  assign operands_o[PLAIN-1:0] = operands[PLAIN-1:0];

  generate
    if (PE_OPERANDS != 0) begin : gen_pe_operands
      assign operands_o[PLAIN +: ADDR] = pe_stride_q[ADDR-1:0];
    end
    if (ACCUMULATORS != 0) begin : gen_accumulators
      assign operands_o[PLAIN+EXTENSION +: 2] = instruction[`TULLE_MAC_ACC];
    end
    if (SCALAR != 0) begin : gen_scalar
      assign operands_o[PLAIN+STRIDE +: `TULLE_BUFFER_EXTENSION_WIDTH+ADDR] = {instruction[3:2], register_q, result_register_q, outer_q, first_plane};
    end
  endgenerate

  wire [`TULLE_BUFFER_PACKET_WIDTH+2*BUFFER:0] facts = {defer_q, missing_q, rotate_q, kind, trigger_q,
                                         trigger_buffer_q[BUFFER-1:0], after_q, after_buffer_q[BUFFER-1:0], hold_q};

  assign packet_o   = facts[ACCUMULATORS+`TULLE_BUFFER_PACKET_WIDTH+2*BUFFER-1:0];
  wire [16:0] block17 = {1'b0, block_q}; // as wide as for the deepest input buffer

  localparam SEQUENCE = ADDR + `TULLE_BUFFER_SEQUENCE_WIDTH; // without the coding

  assign sequence_o[SEQUENCE-1:0] = {block17[ADDR:0], restart_q, last_store_q, last_mac_q};

  generate
    if (ZERO_POINTS != 0) begin : gen_zero_points
      assign sequence_o[SEQUENCE +: DATA_WIDTH+1] = coding_q;
    end
  endgenerate

  assign store_buffer_o = state_q == VERIFY && !error_o;
  assign table_write_o  = state_q == CHECK && !header_q && !at_instruction && (SCALAR != 0 || !table_q[0]);
  assign done_o         = store_buffer_o;

  // Upper bits that are 0 in legal values.
  wire unused = &{1'b0, coding_q, zero17, is_extension_i, extended_q, has_register_q, update_q, functions_all_q, must_reduce_q, first_plane,
                  limit, span_q, spu_function, spu_destination, has_functions_q, has_spu_q, reduces, instruction, operands, facts, block17, result_stride, trigger_buffer_q, after_buffer_q};

  tulle_assert #(
    .MESSAGE("a payload begins when the last one is done")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || state_q == IDLE)
  );

endmodule

`default_nettype wire
