// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_check: checks a record of a program: its check word, format, reserved bits, ranges, and the rules
// between fields that need no arithmetic. Of several errors, it reports the first in the order of docs/isa.md.
//
// Ports
//   clk_i                        clock
//   begin_i                      one cycle: record_i and number_i are valid, and stay stable for two cycles
//   record_i, number_i           the record, and its number, which is 0 for the header
//   header_o, operation_o        the error codes for the record as a header and as an operation, 0 if there is no
//                                error; valid from two cycles after begin_i until the next
//   extra_tokens_o               the header initialises tokens that this variant does not have
//   no_function_o                the function of an accumulate is not in this variant; reported only if the record
//                                has no other error
//   no_feature_o                 the same of what the record needs, and precedes no_function_o
//   is_*_i, bad_*_i, program_*_i the outputs of tulle_decode_operation and tulle_decode_program for the record, in
//                                the same cycle
//
// Parameters
//   ROWS, CLUSTERS, TOKENS       of the variant
//   BUS                          bits of a row bus
//   FUNCTIONS                    bit f: the variant has function f
//   ZERO_POINTS                  0: loads with a fill other than 0 and stores without a sign are refused
//   CHANNELS                     0: operations that name the table of channels are refused
//   JOINS, PES                   0: operations that name joins are refused; else K, a power of two
//   SOFTMAX                      0: operations that name softmax are refused; else elements of the longest row
//   ROUNDINGS                    1: functions may round otherwise than up
//   LOCAL_BYTES                  0: operations that name the activation bank are refused
//   PLAIN                        0: plain packets are refused; else entries of a PE in a beat of weights
//   BITMAP                       0: bitmap packets are refused; else most masks of a segment, a power of two
//   PACKED                       0: packed programs are refused
//   KEPT                         0: programs that name what storage units hold over jobs are refused
//   VARIANT                      the variant's hash

`default_nettype none

`include "tulle_isa.vh"

module tulle_command_check #(
  parameter        ROWS      = 2,
  parameter        CLUSTERS  = 2,
  parameter        TOKENS    = 16,
  parameter        BUS       = 256,
  parameter [15:0]  FUNCTIONS = 16'h07FF,
  parameter        ZERO_POINTS = 0,
  parameter        CHANNELS  = 0,
  parameter        ROUNDINGS = 0,
  parameter        JOINS     = 0,
  parameter        PES       = 1,
  parameter        SOFTMAX   = 0,
  parameter        LOCAL_BYTES = 0,
  parameter        PLAIN     = 0,
  parameter        BITMAP    = 0,
  parameter        PACKED    = 0,
  parameter        KEPT      = 0,
  parameter [63:0] VARIANT   = 64'd0
) (
  input  wire         clk_i,
  input  wire         begin_i,
  input  wire [511:0] record_i,
  input  wire [`TULLE_PLACE_WIDTH-1:0] number_i,

  input  wire         is_end_i,
  input  wire         is_load_i,
  input  wire         is_distribute_i,
  input  wire         is_store_i,
  input  wire         is_accumulate_i,
  input  wire         is_loop_i,
  input  wire         is_endloop_i,
  input  wire         is_fence_i,
  input  wire         bad_reserved_i,
  input  wire         bad_field_i,
  input  wire         is_program_i,
  input  wire         program_bad_reserved_i,
  input  wire         program_bad_field_i,

  output wire [15:0]  header_o,
  output wire [15:0]  operation_o,
  output wire         extra_tokens_o,
  output wire         no_function_o,
  output wire         no_feature_o
);

  localparam BEAT = $clog2(BUS / 8); // bits of an address within a beat
  localparam [63:0] HAS = {48'd0, FUNCTIONS}; // by number of the function

  localparam integer PLAIN_ENTRIES = PLAIN;
  localparam [15:0]  LEAST_SEGMENT = PLAIN_ENTRIES[15:0];
  localparam integer BITMAP_MASKS  = BITMAP;
  localparam [15:0]  MOST_MASKS    = BITMAP_MASKS[15:0];

  localparam integer MAJOR = `TULLE_ISA_MAJOR;
  localparam integer MINOR = `TULLE_ISA_MINOR;

  // -- Exclusive or of all words -------------------------------------------------------------------------

  reg [31:0] sum;
  integer    i;

  always @* begin
    sum = `TULLE_CHECK_SEED;
    for (i = 0; i < 16; i = i + 1) sum = sum ^ record_i[32*i +: 32];
  end

  // -- Rules between fields ------------------------------------------------------------------------------

  wire of_array = is_distribute_i || is_store_i;
  wire of_rows  = of_array || is_load_i;
  wire queued   = of_rows || is_accumulate_i;

  wire [15:0] rows     = record_i[`TULLE_STORE_ROWS];
  wire [15:0] clusters = record_i[`TULLE_STORE_CLUSTERS];
  wire        no_rows;
  wire        no_clusters;

  generate
    if (ROWS == 16) begin : gen_all_rows
      assign no_rows = rows == 16'd0;
    end else begin : gen_rows
      assign no_rows = rows[ROWS-1:0] == {ROWS{1'b0}} || rows[15:ROWS] != {16-ROWS{1'b0}};
    end

    if (CLUSTERS == 16) begin : gen_all_clusters
      assign no_clusters = clusters == 16'd0;
    end else begin : gen_clusters
      assign no_clusters = clusters[CLUSTERS-1:0] == {CLUSTERS{1'b0}} || clusters[15:CLUSTERS] != {16-CLUSTERS{1'b0}};
    end
  endgenerate

  // Token numbers are 0 in fields without a token.
  wire no_token = {1'b0, record_i[`TULLE_LOAD_WAIT_A_TOKEN]} >= TOKENS[5:0] ||
                  {1'b0, record_i[`TULLE_LOAD_WAIT_B_TOKEN]} >= TOKENS[5:0] ||
                  {1'b0, record_i[`TULLE_LOAD_SIGNAL_A_TOKEN]} >= TOKENS[5:0] ||
                  {1'b0, record_i[`TULLE_LOAD_SIGNAL_B_TOKEN]} >= TOKENS[5:0];

  wire [3:0] slot     = record_i[`TULLE_STORE_SLOT];
  wire       names_bank = is_load_i ? record_i[`TULLE_LOAD_SLOT] == `TULLE_SLOT_BANK
                                    : (is_store_i || is_accumulate_i) && slot == `TULLE_SLOT_BANK;
  wire       writable = slot == `TULLE_SLOT_OUTPUT || slot == `TULLE_SLOT_SCRATCH || slot == `TULLE_SLOT_BANK;

  // A load moves granules of eight bytes, a packet whole beats, a store and an accumulate whole elements.
  wire [1:0] element  = record_i[`TULLE_STORE_ELEMENT];
  wire [2:0] apart    = {&element, element[1], element != 2'd0};
  wire       source   = record_i[`TULLE_ACCUMULATE_SOURCE];
  wire [2:0] ld_low   = record_i[130:128] | record_i[194:192] | record_i[226:224];
  wire [2:0] st_low   = record_i[162:160] | record_i[226:224] | (is_store_i ? record_i[258:256] : 3'd0);
  wire       no_bytes = (is_load_i ? record_i[`TULLE_LOAD_LENGTH] : record_i[`TULLE_STORE_LENGTH]) == 32'd0;

  wire bad_load       = is_load_i && (ld_low != 3'd0 || no_bytes || record_i[256 +: BEAT] != {BEAT{1'b0}});
  wire bad_distribute = is_distribute_i && ((record_i[96 +: BEAT] | record_i[128 +: BEAT] | record_i[192 +: BEAT])
                                            != {BEAT{1'b0}} || record_i[`TULLE_DISTRIBUTE_COUNT] == 16'd0);
  wire plain          = is_distribute_i && record_i[`TULLE_DISTRIBUTE_PLAIN];
  wire bitmap         = PLAIN != 0 && plain && record_i[`TULLE_DISTRIBUTE_BITMAP];
  wire no_segments    = record_i[`TULLE_DISTRIBUTE_SEGMENTS] == 16'd0;
  wire too_many_masks = record_i[`TULLE_DISTRIBUTE_SEGMENT] > MOST_MASKS;
  wire bad_segments   = bitmap ? BITMAP != 0 && (!no_segments || too_many_masks) : no_segments;
  wire bad_plain      = PLAIN != 0 && plain && (record_i[`TULLE_DISTRIBUTE_SEGMENT] < LEAST_SEGMENT || bad_segments);
  wire bad_elements   = (is_store_i || (is_accumulate_i && source)) && ((st_low & apart) != 3'd0 || no_bytes);
  wire no_sign        = is_store_i && record_i[`TULLE_STORE_UNSIGNED];

  // What is read into the table of channels, or taken from it, has a use.
  wire [2:0] by_channel = {record_i[`TULLE_ACCUMULATE_CHANNEL_LIMITS], record_i[`TULLE_ACCUMULATE_CHANNEL_SCALE],
                           record_i[`TULLE_ACCUMULATE_CHANNEL_BIAS]};
  wire [7:0] function_number = record_i[`TULLE_ACCUMULATE_FUNCTION];
  wire       column   = record_i[`TULLE_ACCUMULATE_COLUMN] != `TULLE_COLUMN_NONE;
  wire       lookup   = record_i[`TULLE_ACCUMULATE_COLUMN] == `TULLE_COLUMN_LOOKUP;
  wire       exponential = record_i[`TULLE_ACCUMULATE_COLUMN] == `TULLE_COLUMN_EXPONENTIAL;
  wire       final_is = record_i[`TULLE_ACCUMULATE_FINAL];
  wire       with_zero = function_number == {2'd0, `TULLE_FUNCTION_REQUANTISE} ||
                         function_number == {2'd0, `TULLE_FUNCTION_AVERAGE};
  wire       scales   = with_zero || function_number == {2'd0, `TULLE_FUNCTION_LOOKUP} ||
                        function_number == {2'd0, `TULLE_FUNCTION_SIGMOID} ||
                        function_number == {2'd0, `TULLE_FUNCTION_TANH};
  wire       limits   = with_zero || function_number == {2'd0, `TULLE_FUNCTION_CLAMP};
  wire       bad_channels = is_accumulate_i && ((column && !source) || ((lookup || exponential) && record_i[`TULLE_ACCUMULATE_GROUP] != 16'd0) || (by_channel != 3'd0 && !final_is) ||
                                                (by_channel[1] && !scales) || (by_channel[2] && !limits));
  wire       names_channels = (is_accumulate_i && (column || by_channel != 3'd0 ||
                                                   record_i[`TULLE_ACCUMULATE_GROUP] != 16'd0)) ||
                              (is_store_i && (record_i[`TULLE_STORE_FIRST_GROUP] | record_i[`TULLE_STORE_GROUP_RUN] |
                                              record_i[`TULLE_STORE_GROUP_REPEATS] |
                                              record_i[`TULLE_STORE_GROUP_HOLDS] | record_i[`TULLE_STORE_GROUP_STEP0] |
                                              record_i[`TULLE_STORE_GROUP_STEP1] |
                                              record_i[`TULLE_STORE_GROUP_STEP2]) != 16'd0);

  // Operands are whole groups, with a scale that the store engine has. Results that are joined were scaled by the table of
  // channels before, or are operands alone.
  localparam integer LAST_PE = PES - 1;
  localparam [3:0] GROUP = LAST_PE[3:0];
  localparam [5:0] SHIFT_MIN = 6'd31, SHIFT_MAX_20 = 6'd46, SHIFT_MAX_15 = 6'd41;

  wire [1:0]  operand     = record_i[`TULLE_ACCUMULATE_OPERAND];
  wire [1:0]  join_is     = record_i[`TULLE_ACCUMULATE_JOIN];
  wire        alone       = record_i[`TULLE_ACCUMULATE_ALONE];
  wire        scale_first = record_i[`TULLE_ACCUMULATE_SCALE_FIRST];
  wire        fraction_15 = record_i[`TULLE_ACCUMULATE_FRACTION_15];
  wire        operand_unsigned = record_i[`TULLE_ACCUMULATE_UNSIGNED];
  wire [31:0] length      = record_i[`TULLE_ACCUMULATE_LENGTH];
  wire [31:0] run_pitch   = record_i[`TULLE_ACCUMULATE_RUN_PITCH];
  wire [31:0] multiplier  = record_i[`TULLE_ACCUMULATE_MULTIPLIER];
  wire [5:0]  shift       = record_i[`TULLE_ACCUMULATE_SHIFT];
  wire [4:0]  group_low   = element[0] ? {GROUP, 1'b1} : {1'b0, GROUP};
  wire        is_operand  = operand != `TULLE_OPERAND_NONE;
  wire [15:0] softmax     = record_i[`TULLE_ACCUMULATE_SOFTMAX];
  wire        is_softmax  = softmax != 16'd0;
  wire        is_joined   = join_is != `TULLE_JOIN_NONE;
  wire        is_join     = is_joined || is_softmax;
  wire        bad_scale   = multiplier[31:30] != 2'b01 || shift < SHIFT_MIN ||
                            shift > (fraction_15 ? SHIFT_MAX_15 : SHIFT_MAX_20);
  wire        bad_operand = is_operand ? !source || column || final_is || is_join || element[1] ||
                                         ((length[4:0] | run_pitch[4:0]) & group_low) != 5'd0 ||
                                         (operand == `TULLE_OPERAND_SECOND && bad_scale)
                                       : scale_first || fraction_15 || operand_unsigned;
  wire        bad_join    = is_join ? !final_is || !with_zero ||
                                      (alone ? source || by_channel != 3'd0 : by_channel[2:1] != 2'b11)
                                    : alone;
  // Softmax is of one operand alone.
  wire        bad_softmax = SOFTMAX != 0 && is_softmax && (is_joined || !alone || {16'd0, softmax} > SOFTMAX);
  wire        bad_joins   = JOINS != 0 && is_accumulate_i && (bad_operand || bad_join || bad_softmax);
  wire        names_joins = JOINS == 0 && is_accumulate_i && (is_operand || is_join || alone || scale_first || fraction_15 ||
                                                         operand_unsigned);

  // -- The header ----------------------------------------------------------------------------------------

  wire [127:0] tokens       = {record_i[`TULLE_PROGRAM_TOKENS_HIGH], record_i[`TULLE_PROGRAM_TOKENS_LOW]};
  wire         extra_tokens;

  generate
    if (TOKENS == 32) begin : gen_all_tokens
      assign extra_tokens = 1'b0;
    end else begin : gen_tokens
      assign extra_tokens = tokens[127:4*TOKENS] != {128-4*TOKENS{1'b0}};
    end
  endgenerate

  // -- First stage ---------------------------------------------------------------------------------------

  reg [31:0] sum_q;
  reg        begun_q;
  reg        unknown_q, reserved_q, field_q, mask_q, fixed_q, rule_q, feature_q, function_q;
  reg        magic_q, version_q, program_reserved_q, program_field_q, variant_q, lacks_q, tokens_q;

  always @(posedge clk_i) begin
    begun_q <= begin_i;
    if (begin_i) begin
      sum_q              <= sum;
      unknown_q          <= !(queued || is_end_i || is_loop_i || is_endloop_i || is_fence_i);
      reserved_q         <= bad_reserved_i;
      field_q            <= bad_field_i;
      mask_q             <= (of_rows && no_rows) || (of_array && no_clusters) || (queued && no_token);
      fixed_q            <= is_store_i && !writable;
      rule_q             <= (no_sign && element[1]) || bad_load || bad_distribute || bad_elements || bad_channels ||
                            bad_joins || bad_plain;
      feature_q          <= (((is_load_i && record_i[`TULLE_LOAD_FILL] != 16'd0) || no_sign || (is_accumulate_i && operand_unsigned)) &&
                             ZERO_POINTS == 0) ||
                            (names_channels && CHANNELS == 0) || names_joins || (names_bank && LOCAL_BYTES == 0) ||
                            (plain && PLAIN == 0) || (bitmap && BITMAP == 0) ||
                            (is_accumulate_i && lookup && !HAS[`TULLE_FUNCTION_LOOKUP]) ||
                            (SOFTMAX == 0 && is_accumulate_i && (exponential || is_softmax)) ||
                            (ROUNDINGS == 0 && is_accumulate_i &&
                             record_i[`TULLE_ACCUMULATE_ROUNDING] != `TULLE_ROUNDING_UP);
      function_q         <= is_accumulate_i && record_i[`TULLE_ACCUMULATE_FINAL] && !FUNCTIONS[record_i[259:256]];
      magic_q            <= !is_program_i;
      // A program of a newer minor version may use encodings that this device does not know.
      version_q          <= record_i[`TULLE_PROGRAM_MAJOR] != MAJOR[7:0] || record_i[`TULLE_PROGRAM_MINOR] > MINOR[7:0];
      program_reserved_q <= program_bad_reserved_i;
      program_field_q    <= program_bad_field_i;
      variant_q          <= record_i[`TULLE_PROGRAM_VARIANT] != 64'd0 && record_i[`TULLE_PROGRAM_VARIANT] != VARIANT;
      lacks_q            <= (PACKED == 0 && record_i[`TULLE_PROGRAM_LINES] != 32'd0) ||
                            (KEPT == 0 && (record_i[`TULLE_PROGRAM_EXPECTS] | record_i[`TULLE_PROGRAM_LEAVES]) != 32'd0);
      tokens_q           <= extra_tokens;
    end
  end

  // -- Second stage: the first error ---------------------------------------------------------------------

  reg [15:0] operation_q;
  reg [15:0] header_q;

  wire bad_check = sum_q != {6'd0, number_i};

  always @(posedge clk_i) begin
    if (begun_q) begin
      operation_q <= bad_check           ? `TULLE_STATUS_BAD_CHECK
                   : unknown_q           ? `TULLE_STATUS_BAD_OPCODE
                   : reserved_q          ? `TULLE_STATUS_BAD_RESERVED
                   : field_q || mask_q   ? `TULLE_STATUS_BAD_FIELD
                   : fixed_q             ? `TULLE_STATUS_NOT_WRITABLE
                   : rule_q              ? `TULLE_STATUS_BAD_FIELD
                                         : `TULLE_STATUS_OK;
      header_q    <= magic_q             ? `TULLE_STATUS_BAD_MAGIC
                   : version_q           ? `TULLE_STATUS_BAD_VERSION
                   : bad_check           ? `TULLE_STATUS_BAD_CHECK
                   : program_reserved_q  ? `TULLE_STATUS_BAD_RESERVED
                   : program_field_q     ? `TULLE_STATUS_BAD_FIELD
                   : variant_q           ? `TULLE_STATUS_WRONG_VARIANT
                   : lacks_q             ? `TULLE_STATUS_NO_FEATURE
                                         : `TULLE_STATUS_OK;
    end
  end

  assign operation_o    = operation_q;
  assign header_o       = header_q;
  assign no_function_o  = function_q;
  assign no_feature_o   = feature_q;
  assign extra_tokens_o = tokens_q;

  wire unused = &{1'b0, tokens, bad_operand, bad_join, length, run_pitch, multiplier};

endmodule

`default_nettype wire
