// SPDX-License-Identifier: Apache-2.0
//
// tulle_command: the command processor (docs/isa.md, "Macro-operation"). It fetches a program, checks its records,
// unrolls its loops and computes addresses. It offers each operation to the engine of its queue in program order, as
// soon as the operation's tokens are available.
//
// The command processor reports errors in the same order as the functional model, which has no notion of time. It
// therefore reports an error only when no earlier operation can proceed. First comes an operation that reaches
// outside its slot and whose tokens are available (the first of several in program order), then an illegal record,
// then a deadlock. A token overflow is reported at once.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   start_i                      one cycle: a job begins; after an error only after a reset
//   abort_i                      issue no further requests and operations
//   argument_read_o, argument_o, number of a word of the argument registers; the word follows in the next cycle
//   argument_i
//   request_*, data_*            a client of tulle_read_port
//   load_*, distribute_*,        operations for the engines, as streams. The fields are those of docs/isa.md, with
//   store_*, accumulate_*        these exceptions: addresses are memory addresses, unit is an address in the storage
//                                unit, bit 63 is set in those of the activation bank, bytes is the size of the
//                                pattern, and the function's record has the format of
//                                a configuration. The tag is {place, signal a, token a, signal b, token b}.
//   done_valid_i, done_ready_o,  completed operations: one stream each for load (0), distribute, store and accumulate
//   done_tag_i
//   idle_i                       no operation is in flight outside this module
//   sent_i                       the same, except for stores whose results memory has not acknowledged
//   quiet_i                      as idle_i, but a store may wait for results that no unit produces
//   last_call_i                  no progress during the watchdog period: an error is reported even if units are still
//                                busy, for example because the results of a refused store block the collectors
//   store_waits_i, store_place_i a store waits for results; its place in the program
//   header_valid_o, watchdog_o   the header was accepted; its watchdog period, or 0 for none
//   bytes_valid_o, bytes_o       one cycle: bytes of the program, including the header
//   sent_o, ended_o              the program has ended, and stores that memory has not acknowledged are all that is
//                                left; all operations are complete. Until the next start
//   next_i, ahead_o, lead_o, hand_i, taken_i
//                                with QUEUE, the job that waits (tulle_control): it may begin; its program is fetched; nothing
//                                but stores of the job under way is left; its packets may be sent; it is under way
//   held_i, leaves_o             with KEPT: the number of what the storage units hold (tulle_control), and the number that
//                                the newest program with a header leaves. With lead_o it may be that of the job that waits,
//                                which expects nothing then: nobody looks at held_i before that job is done as well
//   loads_idle_i                 no load is in flight
//   spread_i                     no packet is on its way to the clusters
//   old_idle_i                   with lead_o: no store is in flight
//   error_o, error_code_o,       one cycle: the error's code, the queue that it belongs to, and its byte offset in
//   error_queue_o, error_offset_o
//                                the program
//
// With QUEUE the program of a job that waits is fetched when the program under way has no record left (ahead_o). When no
// operation of this one is left in the queues, and no load is under way, the next one's header is read (lead_o), and its
// loads begin as soon as all packets were sent, but for those that may read what the job under way writes, which wait until
// it is done. What the job writes is known by then: everything from the lowest to the highest byte of the slots that it
// stores to. Errors of the next program are reported when the job under way is done.
//
// Parameters
//   QUEUE                        1: a job may wait behind the one that runs
//   MEM, BUS                     bits of a memory beat and of a row bus
//   ROWS, CLUSTERS, UNIT_BYTES, BUFFER, DEPTH, TOKENS
//                                of the variant: rows, clusters of a row, bytes of a storage unit, records of the
//                                program buffer, operations of a queue, tokens
//   FUNCTIONS                    bit f: the variant has function f
//   JOINS, PES                   1: there are joins, whose operands are aligned to groups of PES elements
//   SOFTMAX                      elements of the longest row of softmax; 0: there is none
//   ROUNDINGS                    1: functions may round otherwise than up
//   LOCAL_BYTES                  bytes of the activation bank; 0: there is none
//   PLAIN                        entries of a PE in a beat of weights; 0: there are no plain packets
//   BITMAP                       most masks of a segment of a bitmap packet; 0: there are none
//   PACKED                       1: programs may be packed
//   KEPT                         1: storage units hold over jobs what programs number
//   VARIANT                      the variant's hash
//
// Latency: an operation takes 7 cycles (a distribute 6), plus one for each product: a loop level with a non-zero
// index has one product for the offset and one for the unit address or the first group, a pitch has one. An operation is offered 11
// cycles after it was read unless it has to wait.
// Limits: programs are smaller than 4 GiB. Bits 42 and up of a store's byte count are merged into one bit.

`default_nettype none

`include "tulle_isa.vh"

module tulle_command #(
  parameter        QUEUE      = 0,
  parameter        MEM        = 512,
  parameter        BUS        = 256,
  parameter        ROWS       = 2,
  parameter        CLUSTERS   = 2,
  parameter        UNIT_BYTES = 65536,
  parameter        BUFFER     = 64,
  parameter        DEPTH      = 4,
  parameter        TOKENS     = 16,
  parameter [15:0]  FUNCTIONS  = 16'h07FF,
  parameter        ZERO_POINTS = 0,
  parameter        CHANNELS   = 0,
  parameter        ROUNDINGS  = 0,
  parameter        JOINS      = 0,
  parameter        SOFTMAX    = 0,
  parameter        PES        = 1,
  parameter        LOCAL_BYTES = 0,
  parameter        PLAIN      = 0,
  parameter        BITMAP     = 0,
  parameter        PACKED     = 0,
  parameter        KEPT       = 0,
  parameter [63:0] VARIANT    = 64'd0
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  input  wire                start_i,
  input  wire                abort_i,
  output wire                argument_read_o,
  output wire [5:0]          argument_o,
  input  wire [31:0]         argument_i,

  output wire                request_valid_o,
  input  wire                request_ready_i,
  output wire [63:0]         request_address_o,
  output wire [7:0]          request_beats_o,
  input  wire                data_valid_i,
  input  wire [MEM-1:0]      data_i,
  input  wire [1:0]          data_error_i,

  output wire                load_valid_o,
  input  wire                load_ready_i,
  output wire [ROWS-1:0]     load_rows_o,
  output wire                load_zero_o,
  output wire [15:0]         load_fill_o,
  output wire [63:0]         load_address_o,
  output wire [20:0]         load_length_o,
  output wire [15:0]         load_runs_o,
  output wire [15:0]         load_planes_o,
  output wire [31:0]         load_run_pitch_o,
  output wire [31:0]         load_plane_pitch_o,
  output wire [19:0]         load_unit_o,
  output wire [`TULLE_TAG_WIDTH-1:0]         load_tag_o,

  output wire                distribute_valid_o,
  input  wire                distribute_ready_i,
  output wire [ROWS-1:0]     distribute_rows_o,
  output wire [CLUSTERS-1:0] distribute_clusters_o,
  output wire [7:0]          distribute_command_o,
  output wire                distribute_scatter_o,
  output wire                distribute_dispatch_o,
  output wire                distribute_plain_o,
  output wire [15:0]         distribute_segment_o,
  output wire [15:0]         distribute_segments_o,
  output wire [15:0]         distribute_count_o,
  output wire [20:0]         distribute_length_o,
  output wire [15:0]         distribute_runs_o,
  output wire [31:0]         distribute_run_pitch_o,
  output wire [19:0]         distribute_unit_o,
  output wire [`TULLE_TAG_WIDTH-1:0]         distribute_tag_o,

  output wire                store_valid_o,
  input  wire                store_ready_i,
  output wire [ROWS-1:0]     store_rows_o,
  output wire [CLUSTERS-1:0] store_clusters_o,
  output wire [1:0]          store_element_o,
  output wire                store_interleave_o,
  output wire                store_unsigned_o,
  output wire [63:0]         store_address_o,
  output wire [31:0]         store_length_o,
  output wire [15:0]         store_runs_o,
  output wire [15:0]         store_planes_o,
  output wire [31:0]         store_run_pitch_o,
  output wire [31:0]         store_plane_pitch_o,
  output wire [63:0]         store_walk_o,
  output wire [42:0]         store_bytes_o,
  output wire [`TULLE_TAG_WIDTH-1:0]         store_tag_o,

  output wire                accumulate_valid_o,
  input  wire                accumulate_ready_i,
  output wire [1:0]          accumulate_element_o,
  output wire                accumulate_source_o,
  output wire                accumulate_sum_clusters_o,
  output wire                accumulate_sum_rows_o,
  output wire                accumulate_final_o,
  output wire [63:0]         accumulate_address_o,
  output wire [31:0]         accumulate_length_o,
  output wire [15:0]         accumulate_runs_o,
  output wire [31:0]         accumulate_run_pitch_o,
  output wire [47:0]         accumulate_bytes_o,
  output wire [`TULLE_CONFIG_WIDTH-1:0] accumulate_record_o,
  output wire [2:0]          accumulate_column_o,
  output wire [15:0]         accumulate_group_o,
  output wire [2:0]          accumulate_by_channel_o,
  output wire [1:0]          accumulate_operand_o,
  output wire [1:0]          accumulate_join_o,
  output wire                accumulate_alone_o,
  output wire                accumulate_scale_first_o,
  output wire                accumulate_fraction_15_o,
  output wire                accumulate_unsigned_o,
  output wire [15:0]         accumulate_softmax_o,
  output wire [`TULLE_TAG_WIDTH-1:0]         accumulate_tag_o,

  input  wire [3:0]          done_valid_i,
  output wire [3:0]          done_ready_o,
  input  wire [4*`TULLE_TAG_WIDTH-1:0] done_tag_i,

  input  wire                idle_i,
  input  wire                sent_i,
  input  wire                quiet_i,
  input  wire                last_call_i,
  input  wire                store_waits_i,
  input  wire [`TULLE_PLACE_WIDTH-1:0] store_place_i,

  output wire                header_valid_o,
  output wire [31:0]         watchdog_o,
  output wire                bytes_valid_o,
  output wire [32:0]         bytes_o,
  output wire                sent_o,
  output wire                ended_o,
  input  wire [31:0]         held_i,
  output wire [31:0]         leaves_o,
  input  wire                next_i,
  output wire                ahead_o,
  output wire                lead_o,
  input  wire                hand_i,
  input  wire                taken_i,
  input  wire                loads_idle_i,
  input  wire                spread_i,
  input  wire                old_idle_i,
  output wire                error_o,
  output wire [15:0]         error_code_o,
  output wire [7:0]          error_queue_o,
  output wire [31:0]         error_offset_o
);

  localparam PLACE    = $clog2(BUFFER);
  localparam RECORD   = 376;             // bits 383..8 of a record: the fields that engines and tokens use
  localparam NUMBER   = `TULLE_PLACE_WIDTH; // bits of a place in the program, and of an operation's number
  localparam TAG      = `TULLE_TAG_WIDTH;
  localparam MORE     = (CHANNELS != 0) ? 64 : (ZERO_POINTS != 0) ? 16 : 0; // bits behind them: a load's fill, a store's walk
  localparam EARLY    = MORE + 2 * NUMBER + RECORD;
  localparam BODY     = ((CHANNELS != 0) ? 16 : 0) + 1 + 48 + 64;
  localparam LATE     = BODY + ((QUEUE != 0) ? 1 : 0);
  localparam integer LAST_PE = PES - 1;
  localparam [3:0] GROUP = LAST_PE[3:0]; // lower bits of a number of elements that are 0 in whole groups
  localparam FULL     = 16;              // records of a packed program that are not packed
  localparam AHEAD    = (MEM == 512 && PACKED == 0) ? 5 : 4;
  // Records that are fetched before the header is known: half a latency of 64 cycles or more. Where programs may be packed,
  // no more than FULL, because a line behind a packed program would be unpacked.
  localparam FIRST    = 1 << AHEAD;

  // -- States --------------------------------------------------------------------------------------------

  localparam [3:0] IDLE   = 4'd0;
  localparam [3:0] SLOT   = 4'd1;  // the program's base and size are read
  localparam [3:0] WANT   = 4'd2;  // waits for the next record
  localparam [3:0] LOOK   = 4'd3;  // the record is available
  localparam [3:0] SUM    = 4'd4;  // its check word is summed up; its jobs begin
  localparam [3:0] JUDGE  = 4'd5;  // the result of the checks is available
  localparam [3:0] JOBS   = 4'd6;  // its jobs run
  localparam [3:0] PASS   = 4'd7;  // a pass of a loop ends
  localparam [3:0] STILL  = 4'd8;  // a fence or the end waits
  localparam [3:0] WRONG  = 4'd9;  // stopped by error code_q at record next_q
  localparam [3:0] ENDED  = 4'd10;
  localparam [3:0] DEAD   = 4'd11; // an error was reported

  reg [3:0]  state_q;
  reg [2:0]  cycle_q;    // in state SLOT
  reg        header_q;   // the current record is the header
  reg [NUMBER-1:0] next_q;     // number of the current record
  reg [NUMBER:0] limit_q;    // number of records that may be fetched
  reg [NUMBER-1:0] last_q;     // the last record, once the header is accepted
  reg        known_q;    // the header was accepted
  reg [NUMBER-1:0] room_q;     // whole records in the program's slot, at most 2^26 - 1
  reg [15:0] code_q;
  reg [NUMBER-1:0] number_q;   // operations handed over so far; it orders them

  wire [511:0] record;
  wire         available;
  wire         fetch_failed;
  wire         fetch_decode_error;
  wire         fetch_idle;
  wire         tokens_ready;
  wire         fetches;  // the program of the job that waits is fetched, and operations of the one under way are in the queues
  wire         passed = known_q && {1'b0, next_q} == limit_q; // the last record was not an end
  wire         read = state_q == WANT && available && tokens_ready && !fetches && !passed;
  wire         look = state_q == LOOK;

  // -- The job that waits --------------------------------------------------------------------------------

  wire         leads;    // its operations begin, and stores of the program under way are not done
  wire         overtakes; // one cycle: it is fetched from now on
  wire         enters;   // one cycle: from now on operations in the queues are its own
  wire         begins = start_i || overtakes; // a program

  assign ahead_o = overtakes || fetches || leads;
  assign lead_o  = leads;

  // -- Fetching ------------------------------------------------------------------------------------------

  wire [63:0]    slot;          // base, then the complement of the size
  wire [63:0]    slot_soon;     // the same a cycle before
  wire [PLACE:0] keep;
  wire           fetch_short; // a packed program ends before the next record
  wire           fetch_rest;  // and behind it are whole lines
  reg            packed_q;    // the program is packed
  reg  [NUMBER-1:0] lines_q;  // then its lines
  wire [NUMBER:0] lines       = packed_q ? {1'b0, lines_q} : limit_q;
  wire           fetch_start = state_q == SLOT && cycle_q == 3'd2;
  wire           stop        = abort_i || (state_q == SLOT && cycle_q != 3'd4) || state_q == WRONG || state_q == DEAD;

  tulle_command_fetch #(
    .MEM    (MEM),
    .BUFFER (BUFFER),
    .PACKED (PACKED)
  ) u_fetch (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .start_i           (fetch_start),
    .base_i            (slot),
    .limit_i           (lines),
    .packed_i          (packed_q),
    .last_i            (last_q),
    .stop_i            (stop),
    .next_i            (next_q[PLACE:0]),
    .keep_i            (keep),
    .available_o       (available),
    .read_i            (read),
    .record_o          (record),
    .failed_o          (fetch_failed),
    .decode_error_o    (fetch_decode_error),
    .short_o           (fetch_short),
    .rest_o            (fetch_rest),
    .idle_o            (fetch_idle),
    .request_valid_o   (request_valid_o),
    .request_ready_i   (request_ready_i),
    .request_address_o (request_address_o),
    .request_beats_o   (request_beats_o),
    .data_valid_i      (data_valid_i),
    .data_i            (data_i),
    .data_error_i      (data_error_i)
  );

  // -- Checking ------------------------------------------------------------------------------------------

  wire        is_end, is_load, is_distribute, is_store, is_accumulate, is_loop, is_endloop, is_fence;
  wire        bad_reserved, bad_field;
  wire        is_program, program_bad_reserved, program_bad_field;
  wire [15:0] header_code;
  wire [15:0] operation_code;
  wire        extra_tokens;
  wire        no_function;
  wire        no_feature;

  tulle_decode_operation u_decode_operation (
    .word_i         (record),
    .end_o          (is_end),
    .load_o         (is_load),
    .distribute_o   (is_distribute),
    .store_o        (is_store),
    .accumulate_o   (is_accumulate),
    .loop_o         (is_loop),
    .endloop_o      (is_endloop),
    .fence_o        (is_fence),
    .bad_reserved_o (bad_reserved),
    .bad_field_o    (bad_field)
  );

  tulle_decode_program u_decode_program (
    .word_i         (record),
    .program_o      (is_program),
    .bad_reserved_o (program_bad_reserved),
    .bad_field_o    (program_bad_field)
  );

  tulle_command_check #(
    .ROWS      (ROWS),
    .CLUSTERS  (CLUSTERS),
    .TOKENS    (TOKENS),
    .BUS       (BUS),
    .FUNCTIONS (FUNCTIONS),
    .ZERO_POINTS (ZERO_POINTS),
    .CHANNELS  (CHANNELS),
    .ROUNDINGS (ROUNDINGS),
    .JOINS     (JOINS),
    .SOFTMAX   (SOFTMAX),
    .PES       (PES),
    .LOCAL_BYTES (LOCAL_BYTES),
    .PLAIN     (PLAIN),
    .BITMAP    (BITMAP),
    .PACKED    (PACKED),
    .KEPT      (KEPT),
    .VARIANT   (VARIANT)
  ) u_check (
    .clk_i                  (clk_i),
    .begin_i                (look),
    .record_i               (record),
    .number_i               (next_q),
    .is_end_i               (is_end),
    .is_load_i              (is_load),
    .is_distribute_i        (is_distribute),
    .is_store_i             (is_store),
    .is_accumulate_i        (is_accumulate),
    .is_loop_i              (is_loop),
    .is_endloop_i           (is_endloop),
    .is_fence_i             (is_fence),
    .bad_reserved_i         (bad_reserved),
    .bad_field_i            (bad_field),
    .is_program_i           (is_program),
    .program_bad_reserved_i (program_bad_reserved),
    .program_bad_field_i    (program_bad_field),
    .header_o               (header_code),
    .operation_o            (operation_code),
    .extra_tokens_o         (extra_tokens),
    .no_function_o          (no_function),
    .no_feature_o           (no_feature)
  );

  // The kind of the record, if it is a legal queue operation. The record leaves block RAM late in state LOOK, so few
  // bits are decoded. Jobs that begin for another kind of record have no effect.
  localparam [7:0] OF_LOAD       = `TULLE_LOAD_OPCODE_VALUE;
  localparam [7:0] OF_DISTRIBUTE = `TULLE_DISTRIBUTE_OPCODE_VALUE;
  localparam [7:0] OF_STORE      = `TULLE_STORE_OPCODE_VALUE;
  localparam [7:0] OF_ACCUMULATE = `TULLE_ACCUMULATE_OPCODE_VALUE;

  wire as_load       = record[2:0] == OF_LOAD[2:0];
  wire as_distribute = record[2:0] == OF_DISTRIBUTE[2:0];
  wire as_store      = record[2:0] == OF_STORE[2:0];
  wire as_accumulate = record[2:0] == OF_ACCUMULATE[2:0];

  // The kind of the record, from the cycle after LOOK on.
  reg       loop_q;
  reg       endloop_q;
  reg       fence_q;
  reg       end_q;
  reg       queued_q;
  reg [1:0] level_q;

  wire      queued = is_load || is_distribute || is_store || is_accumulate;

  always @(posedge clk_i) begin
    loop_q    <= is_loop;
    endloop_q <= is_endloop;
    fence_q   <= is_fence;
    end_q     <= is_end;
    queued_q  <= queued;
    level_q   <= is_loop ? record[`TULLE_LOOP_LEVEL] : record[`TULLE_ENDLOOP_LEVEL];
  end

  // -- Loops ---------------------------------------------------------------------------------------------

  wire        may_begin;
  wire        may_end;
  wire        last_pass;
  wire        in_loop;
  wire [95:0] index;
  wire        judge      = state_q == JUDGE && !header_q && operation_code == `TULLE_STATUS_OK;
  wire        begin_loop = judge && loop_q && may_begin;

  tulle_command_loops #(
    .BUFFER (BUFFER)
  ) u_loops (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (begins),
    .next_i       (next_q[PLACE:0]),
    .level_i      (level_q),
    .iterations_i (record[`TULLE_LOOP_ITERATIONS]),
    .body_i       (record[`TULLE_ENDLOOP_BODY]),
    .may_begin_o  (may_begin),
    .may_end_o    (may_end),
    .begin_i      (begin_loop),
    .end_i        (state_q == PASS),
    .last_o       (last_pass),
    .open_o       (in_loop),
    .index_o      (index),
    .keep_o       (keep)
  );

  // -- Addresses -----------------------------------------------------------------------------------------

  wire        hand_over;   // the record's last job begins, so that the next record may be read
  wire        base_taken;
  wire        done;
  wire [63:0] address;
  wire [63:0] bytes;
  wire [19:0] unit;
  wire [15:0] group;       // of a store, that loops add
  wire [4:0]  offset_low;
  wire        outside;
  reg         busy_q;      // an operation was handed over and has not reached its queue

  // The slot is looked up a cycle later than the record, because the position of its number depends on the record.
  reg  [3:0] slot_q;
  wire       sums = state_q == SUM;

  always @(posedge clk_i) slot_q <= as_load ? record[`TULLE_LOAD_SLOT] : record[`TULLE_STORE_SLOT];

  tulle_command_slot #(
    .LOCAL_BYTES (LOCAL_BYTES)
  ) u_slot (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .begin_i    (sums || begins),
    .slot_i     (sums ? slot_q[2:0] : 3'd0),
    .local_i    (sums && slot_q[3]),
    .size_i     (base_taken || (state_q == SLOT && cycle_q == 3'd3)),
    .argument_read_o (argument_read_o),
    .argument_o (argument_o),
    .argument_i (argument_i),
    .value_o    (slot),
    .soon_o     (slot_soon)
  );

  tulle_command_address #(
    .BUS        (BUS),
    .UNIT_BYTES (UNIT_BYTES),
    .LOCAL_BYTES (LOCAL_BYTES),
    .CHANNELS   (CHANNELS)
  ) u_address (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .begin_i         (look && !header_q),
    .record_i        (record),
    .is_load_i       (as_load),
    .is_distribute_i (as_distribute),
    .is_store_i      (as_store),
    .is_accumulate_i (as_accumulate),
    .index_i         (index),
    .last_may_i      (state_q == JOBS && !busy_q),
    .last_o          (hand_over),
    .base_taken_o    (base_taken),
    .base_i          (slot),
    .done_o          (done),
    .address_o       (address),
    .bytes_o         (bytes),
    .unit_o          (unit),
    .group_o         (group),
    .offset_low_o    (offset_low),
    .outside_o       (outside)
  );

  // -- From the record to the queue ----------------------------------------------------------------------

  reg  [1:0]      queue_q;
  reg  [NUMBER-1:0] place_q;
  reg  [1:0]      element_q;
  reg             zero_q;
  reg             source_q;
  reg             operand_q;  // an accumulate reads an operand
  reg             no_function_q;
  reg             no_feature_q;
  reg             ready_q;    // an operation waits to be pushed
  reg             fits_q;     // its queue had room in the last cycle; only this operation can use the room
  reg             refuse_q;   // or it is refused, with code refusal_q
  reg  [15:0]     refusal_q;

  wire [1:0] queue = as_load ? 2'd0 : as_distribute ? 2'd1 : as_store ? 2'd2 : 2'd3;
  wire [3:0] room;
  wire       push  = ready_q && fits_q;

  wire        to_unit   = !queue_q[1];
  wire        to_memory = queue_q != 2'd1 && !zero_q && (queue_q != 2'd3 || source_q);
  wire        too_much  = to_unit && (bytes[63:21] != 43'd0 || bytes[20:0] > UNIT_BYTES[20:0]);
  wire [2:0]  elements  = (queue_q == 2'd0) ? 3'b111 : {&element_q, element_q[1], element_q != 2'd0};
  wire [4:0]  apart     = operand_q ? (element_q[0] ? {GROUP, 1'b1} : {1'b0, GROUP}) : {2'b00, elements};
  wire        missing   = no_function_q || no_feature_q;
  wire        unaligned = (offset_low & apart) != 5'd0 && queue_q != 2'd1 && (queue_q != 2'd3 || source_q);
  // A load and a distribute use the lower 20 bits, a store uses 43.
  wire [47:0] amount    = {queue_q[0] ? bytes[47:42] : {5'd0, bytes[63:42] != 22'd0}, bytes[41:20],
                           to_unit ? unit : bytes[19:0]};

  wire         reads_new;    // the operation may read what the job under way writes
  wire [128:0] late_d = {group, to_memory && outside, amount, address};
  wire [129:0] pushed = (QUEUE != 0) ? {{129-BODY{1'b0}}, reads_new, late_d[BODY-1:0]} : {1'b0, late_d};

  always @(posedge clk_i) begin
    if (!rst_ni || begins) {busy_q, ready_q, refuse_q} <= 3'd0;
    else begin
      if (hand_over)             busy_q <= 1'b1;
      else if (push || refuse_q) busy_q <= 1'b0;
      ready_q  <= (done && !too_much && !unaligned && !missing) || (ready_q && !push);
      refuse_q <= done && (too_much || unaligned || missing);
    end
  end

  always @(posedge clk_i) fits_q <= room[queue_q];

  always @(posedge clk_i) begin
    if (hand_over) begin
      queue_q       <= queue;
      place_q       <= next_q;
      element_q     <= record[`TULLE_STORE_ELEMENT];
      zero_q        <= is_load && record[`TULLE_LOAD_ZERO];
      source_q      <= record[`TULLE_ACCUMULATE_SOURCE];
      operand_q     <= JOINS != 0 && is_accumulate && record[`TULLE_ACCUMULATE_OPERAND] != `TULLE_OPERAND_NONE;
      no_function_q <= no_function;
      no_feature_q  <= no_feature;
    end
    if (done) begin
      refusal_q <= (too_much || unaligned) ? `TULLE_STATUS_BAD_FIELD
                 : no_feature_q            ? `TULLE_STATUS_NO_FEATURE
                                           : `TULLE_STATUS_NO_FUNCTION;
    end
    if (begins)         number_q <= {NUMBER{1'b0}};
    else if (hand_over) number_q <= number_q + 1'b1;
  end

  // -- Queues and tokens ---------------------------------------------------------------------------------

  wire [3:0]         empty;
  wire               settled;
  wire [3:0]         waiting;
  wire [3:0]         may;
  wire [3:0]         start;
  wire [4*EARLY-1:0] early;
  wire [4*LATE-1:0]  late;
  wire [3:0]         valid;
  wire [3:0]         ready = {accumulate_ready_i, store_ready_i, distribute_ready_i, load_ready_i};
  wire               fresh = QUEUE != 0 && late[LATE-1]; // the first load may read what the job under way writes
  wire [3:0]         out;    // some run of the head reaches outside the slot
  wire [47:0]        waits;
  wire               given;
  wire               tokens_idle;
  wire               overflow;
  wire [NUMBER-1:0]  overflow_place;
  wire [31:0]        operations   = record[`TULLE_PROGRAM_OPERATIONS];
  wire [31:0]        header_lines = record[`TULLE_PROGRAM_LINES];
  wire               in_lines = PACKED != 0 && header_lines != 32'd0;
  wire               too_long = in_lines ? header_lines > {{32-NUMBER{1'b0}}, room_q} || header_lines <= FULL ||
                                         operations < FULL || operations[31:NUMBER] != {32-NUMBER{1'b0}}
                                       : operations >= {{32-NUMBER{1'b0}}, room_q};
  wire               stale;      // the storage units do not hold what the program expects
  wire               left_later; // what they will hold is not known yet, because the job under way is not done
  wire               accept  = state_q == JUDGE && header_q && header_code == `TULLE_STATUS_OK &&
                               !too_long && !extra_tokens && !stale && !left_later;

  wire [63:0]               more_d  = (CHANNELS != 0 && !is_load) ? record[447:384] : {48'd0, record[`TULLE_LOAD_FILL]};
  wire [63+2*NUMBER+RECORD:0] early_d = {more_d, number_q, next_q, record[383:8]};

  tulle_command_queues #(
    .EARLY (EARLY),
    .LATE  (LATE),
    .DEPTH (DEPTH)
  ) u_queues (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .write_i       (hand_over),
    .write_queue_i (queue),
    .early_i       (early_d[EARLY-1:0]),
    .late_write_i  (done),
    .push_i        (push),
    .push_queue_i  (queue_q),
    .late_i        (pushed[LATE-1:0]),
    .room_o        (room),
    .empty_o       (empty),
    .settled_o     (settled),
    .waiting_o     (waiting),
    .start_i       (start),
    .head_early_o  (early),
    .head_late_o   (late),
    .valid_o       (valid),
    .ready_i       (ready)
  );

  wire [3:0]         holds;  // operations of the job that waits, until the one under way is far enough
  wire               next_ready;
  wire               old_tokens_idle;
  wire               old_overflow;

  tulle_command_tokens #(
    .QUEUE  (QUEUE),
    .TOKENS (TOKENS)
  ) u_tokens (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .clear_i          (start_i),
    .load_i           (look && header_q),
    .counts_i         ({record[`TULLE_PROGRAM_TOKENS_HIGH], record[`TULLE_PROGRAM_TOKENS_LOW]}),
    .ready_o          (tokens_ready),
    .waiting_i        (waiting),
    .waits_i          (waits),
    .held_i           (out | holds | {4{abort_i || state_q == DEAD}}),
    .may_o            (may),
    .start_o          (start),
    .done_valid_i     (done_valid_i),
    .done_ready_o     (done_ready_o),
    .done_tag_i       (done_tag_i),
    .given_o          (given),
    .overflow_o       (overflow),
    .overflow_place_o (overflow_place),
    .idle_o           (tokens_idle),
    .next_i           (enters),
    .next_ready_o     (next_ready),
    .old_i            ({{2{leads}}, leads && !hand_i, 1'b0}),
    .old_idle_o       (old_tokens_idle),
    .old_over_i       (taken_i),
    .old_overflow_o   (old_overflow)
  );

  // -- The operations at the ports -----------------------------------------------------------------------

  wire [1535:0] field;    // the records, 384 bits each
  wire [191:0]  amounts;
  wire [255:0]  addresses;
  wire [4*TAG-1:0]    tags;
  wire [8*NUMBER-1:0] heads;    // the number and the place of each

  genvar q;
  generate
    for (q = 0; q < 4; q = q + 1) begin : gen_head
      wire [383:0] head = {early[EARLY*q +: RECORD], 8'd0};

      assign field[384*q +: 384]         = head;
      assign heads[2*NUMBER*q +: 2*NUMBER] = early[EARLY*q + RECORD +: 2*NUMBER];
      assign addresses[64*q +: 64]       = late[LATE*q +: 64];
      assign amounts[48*q +: 48]         = late[LATE*q + 64 +: 48];
      assign out[q]                      = late[LATE*q + 112];
      assign waits[12*q +: 12]           = {head[`TULLE_LOAD_WAIT_B_TOKEN], head[`TULLE_LOAD_WAIT_B],
                                            head[`TULLE_LOAD_WAIT_A_TOKEN], head[`TULLE_LOAD_WAIT_A]};
      assign tags[TAG*q +: TAG]          = {heads[2*NUMBER*q +: NUMBER],
                                            head[`TULLE_LOAD_SIGNAL_A], head[`TULLE_LOAD_SIGNAL_A_TOKEN],
                                            head[`TULLE_LOAD_SIGNAL_B], head[`TULLE_LOAD_SIGNAL_B_TOKEN]};
    end
  endgenerate

  generate
    if (ZERO_POINTS != 0) begin : gen_fill
      assign load_fill_o = early[2*NUMBER+RECORD +: 16];
    end else begin : gen_zeros
      assign load_fill_o = 16'd0;
    end

    if (CHANNELS != 0) begin : gen_walk
      wire [63:0] walk = early[3*EARLY-1 -: 64];

      assign store_walk_o = {walk[63:16], walk[15:0] + late[2*LATE + BODY - 1 -: 16]};
    end else begin : gen_no_walk
      assign store_walk_o = 64'd0;
    end
  endgenerate

  wire [383:0] load       = field[383:0];
  wire [383:0] distribute = field[767:384];
  wire [383:0] store      = field[1151:768];
  wire [383:0] accumulate = field[1535:1152];

  assign {accumulate_valid_o, store_valid_o, distribute_valid_o, load_valid_o} = valid;
  assign {accumulate_tag_o, store_tag_o, distribute_tag_o, load_tag_o}         = tags;

  assign load_rows_o        = load[32 +: ROWS];
  assign load_zero_o        = load[`TULLE_LOAD_ZERO];
  assign load_address_o     = addresses[63:0];
  assign load_length_o      = load[128 +: 21];
  assign load_runs_o        = load[`TULLE_LOAD_RUNS];
  assign load_planes_o      = load[`TULLE_LOAD_PLANES];
  assign load_run_pitch_o   = load[`TULLE_LOAD_RUN_PITCH];
  assign load_plane_pitch_o = load[`TULLE_LOAD_PLANE_PITCH];
  assign load_unit_o        = amounts[19:0];

  assign distribute_rows_o      = distribute[32 +: ROWS];
  assign distribute_clusters_o  = distribute[48 +: CLUSTERS];
  assign distribute_command_o   = distribute[`TULLE_DISTRIBUTE_COMMAND];
  assign distribute_scatter_o   = distribute[`TULLE_DISTRIBUTE_SCATTER];
  assign distribute_dispatch_o  = distribute[`TULLE_DISTRIBUTE_DISPATCH];
  assign distribute_plain_o     = PLAIN != 0 && distribute[`TULLE_DISTRIBUTE_PLAIN];
  assign distribute_segment_o   = (PLAIN != 0) ? distribute[`TULLE_DISTRIBUTE_SEGMENT] : 16'd0;
  assign distribute_segments_o  = (PLAIN != 0) ? distribute[`TULLE_DISTRIBUTE_SEGMENTS] : 16'd0;
  assign distribute_count_o     = distribute[`TULLE_DISTRIBUTE_COUNT];
  assign distribute_length_o    = distribute[96 +: 21];
  assign distribute_runs_o      = distribute[`TULLE_DISTRIBUTE_RUNS];
  assign distribute_run_pitch_o = distribute[`TULLE_DISTRIBUTE_RUN_PITCH];
  assign distribute_unit_o      = amounts[48 +: 20];

  assign store_rows_o        = store[32 +: ROWS];
  assign store_clusters_o    = store[48 +: CLUSTERS];
  assign store_element_o     = store[`TULLE_STORE_ELEMENT];
  assign store_interleave_o  = store[`TULLE_STORE_INTERLEAVE];
  assign store_unsigned_o    = ZERO_POINTS != 0 && store[`TULLE_STORE_UNSIGNED];
  assign store_address_o     = addresses[191:128];
  assign store_length_o      = store[`TULLE_STORE_LENGTH];
  assign store_runs_o        = store[`TULLE_STORE_RUNS];
  assign store_planes_o      = store[`TULLE_STORE_PLANES];
  assign store_run_pitch_o   = store[`TULLE_STORE_RUN_PITCH];
  assign store_plane_pitch_o = store[`TULLE_STORE_PLANE_PITCH];
  assign store_bytes_o       = amounts[96 +: 43];

  assign accumulate_element_o      = accumulate[`TULLE_ACCUMULATE_ELEMENT];
  assign accumulate_source_o       = accumulate[`TULLE_ACCUMULATE_SOURCE];
  assign accumulate_sum_clusters_o = accumulate[`TULLE_ACCUMULATE_SUM_CLUSTERS];
  assign accumulate_sum_rows_o     = accumulate[`TULLE_ACCUMULATE_SUM_ROWS];
  assign accumulate_final_o        = accumulate[`TULLE_ACCUMULATE_FINAL];
  assign accumulate_address_o      = addresses[255:192];
  assign accumulate_length_o       = accumulate[`TULLE_ACCUMULATE_LENGTH];
  assign accumulate_runs_o         = accumulate[`TULLE_ACCUMULATE_RUNS];
  assign accumulate_run_pitch_o    = accumulate[`TULLE_ACCUMULATE_RUN_PITCH];
  assign accumulate_bytes_o        = amounts[191:144];
  // Words 8 to 11 of an accumulate contain the function record without its record kind.
  wire [1:0] rounding              = (ROUNDINGS != 0) ? accumulate[`TULLE_ACCUMULATE_ROUNDING] : `TULLE_ROUNDING_UP;
  assign accumulate_record_o       = {accumulate[383:288], 14'd0, rounding, accumulate[271:264], accumulate[261:256],
                                      `TULLE_CONFIG_FUNCTION_RECORD_VALUE};

  assign accumulate_column_o       = accumulate[`TULLE_ACCUMULATE_COLUMN];
  assign accumulate_group_o        = accumulate[`TULLE_ACCUMULATE_GROUP];
  assign accumulate_by_channel_o   = {accumulate[`TULLE_ACCUMULATE_CHANNEL_LIMITS], accumulate[`TULLE_ACCUMULATE_CHANNEL_SCALE],
                                      accumulate[`TULLE_ACCUMULATE_CHANNEL_BIAS]};
  assign accumulate_operand_o      = accumulate[`TULLE_ACCUMULATE_OPERAND];
  assign accumulate_join_o         = accumulate[`TULLE_ACCUMULATE_JOIN];
  assign accumulate_alone_o        = accumulate[`TULLE_ACCUMULATE_ALONE];
  assign accumulate_scale_first_o  = accumulate[`TULLE_ACCUMULATE_SCALE_FIRST];
  assign accumulate_fraction_15_o  = accumulate[`TULLE_ACCUMULATE_FRACTION_15];
  assign accumulate_unsigned_o     = accumulate[`TULLE_ACCUMULATE_UNSIGNED];
  assign accumulate_softmax_o      = accumulate[`TULLE_ACCUMULATE_SOFTMAX];

  // -- Whether anything can proceed ----------------------------------------------------------------------

  reg [7:0] flying_q; // operations that have started and not given their tokens
  reg       was_calm_q; // no progress was possible in the last cycle; a register, because the queues say late what they hold
  reg [3:0] calm_q;   // cycles without possible progress, at most 15
  reg [1:0] still_q;  // cycles with all units empty, at most 3
  reg [1:0] sent_q;   // cycles with all units empty but for acknowledgements, at the end of the program, at most SENT

  // A unit hands its work on without an empty cycle, but for one that the register before the array's idleness makes.
  localparam [1:0] SENT = 2'd2;

  // A wrong record is reported only when all earlier operations are in their queues.
  wire wrong = state_q == WRONG && !busy_q && !fetches && !leads;
  wire stuck = (ready_q && !push) || (state_q == STILL && !busy_q) || fetches || wrong;
  // Operations whose tokens are available but which reach outside their slots.
  wire [3:0] outsiders = may & out & ~{1'b0, store_waits_i, 2'b00};
  // While a store waits for results, its engine takes neither a store nor an accumulate.
  wire rest  = stuck && !leads && quiet_i && settled && tokens_idle && (valid & ~{{2{store_waits_i}}, 2'b00}) == 4'b0000 &&
               (may & ~out) == 4'b0000 && done_valid_i == 4'b0000;
  wire calm  = rest || (last_call_i && !leads && (outsiders != 4'b0000 || wrong));
  wire quits = state_q == STILL && !busy_q && !leads && empty == 4'b1111;
  wire still = quits && idle_i && flying_q == 8'd0;

  always @(posedge clk_i) begin
    if (!rst_ni || start_i || enters) {flying_q, was_calm_q, calm_q, still_q, sent_q} <= 17'd0;
    else begin
      flying_q <= flying_q + {{7{given && start == 4'b0000}}, given != (start != 4'b0000)};
      calm_q   <= !was_calm_q ? 4'd0 : calm_q + {3'd0, calm_q != 4'd15};
      was_calm_q <= calm;
      still_q  <= !still ? 2'd0 : still_q + {1'b0, still_q != 2'd3};
      if (sent_q != SENT) sent_q <= (quits && end_q && sent_i) ? sent_q + 2'd1 : 2'd0;
    end
  end

  // -- The control ---------------------------------------------------------------------------------------

  wire report;      // an error is reported in the next cycle

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      known_q <= 1'b0;
    end else begin
      case (state_q)
        SLOT: if (cycle_q == 3'd4) state_q <= (room_q == {NUMBER{1'b0}} || code_q != `TULLE_STATUS_OK) ? WRONG : WANT;

        WANT: begin
          if (read) state_q <= LOOK;
          else if (passed || fetch_failed || fetch_short) state_q <= WRONG;
        end

        LOOK: state_q <= SUM;
        SUM:  state_q <= JUDGE;

        JUDGE: begin
          if (header_q)               state_q <= accept ? WANT : left_later ? JUDGE : WRONG;
          else if (!judge)            state_q <= WRONG;
          else if (queued_q)          state_q <= JOBS;
          else if (loop_q)            state_q <= may_begin ? WANT : WRONG;
          else if (endloop_q)         state_q <= may_end ? PASS : WRONG;
          else if (fence_q)           state_q <= STILL;
          else                        state_q <= (in_loop || next_q != last_q || fetch_rest) ? WRONG : STILL;
        end

        JOBS: if (hand_over) state_q <= WANT;
        PASS: state_q <= WANT;
        STILL: if (still_q == 2'd3) begin
          if (fence_q)         state_q <= WANT;
          else if (fetch_idle) state_q <= ENDED;
        end

        default: state_q <= state_q;
      endcase
      if (accept)   known_q <= 1'b1;
      if (refuse_q) state_q <= WRONG;
      if (report)   state_q <= DEAD;
      if (begins) begin
        state_q <= SLOT;
        known_q <= 1'b0;
      end
    end
  end

  // The next record: the loop's first record after a pass, or else the following record.
  reg [15:0] back_q;
  wire       goes_back = state_q == PASS && !last_pass;
  // Twice the next place, plus a carry bit.
  wire [NUMBER:0] twice = {next_q, 1'b1} + {goes_back ? ~{{NUMBER-16{1'b0}}, back_q} : {NUMBER{1'b0}}, 1'b1};

  always @(posedge clk_i) begin
    cycle_q <= begins ? 3'd0 : cycle_q + 3'd1;

    // The slot's size is read as its complement.
    if (state_q == SLOT && cycle_q == 3'd3) begin
      room_q  <= (~slot_soon[63:32] != 32'd0) ? {NUMBER{1'b1}} : ~slot_soon[31:6];
      limit_q <= (~slot_soon[63:6+AHEAD] != {58-AHEAD{1'b0}}) ? FIRST[NUMBER:0] : {{NUMBER+1-AHEAD{1'b0}}, ~slot_soon[6 +: AHEAD]};
    end
    if (accept)  limit_q <= {1'b0, record[128 +: NUMBER]} + 1'b1;
    if (accept)  last_q  <= record[128 +: NUMBER];
    if (begins)  limit_q <= {NUMBER+1{1'b0}};
    packed_q <= PACKED != 0 && !begins && (accept ? in_lines : packed_q);
    if (accept)  lines_q <= header_lines[NUMBER-1:0];

    back_q <= record[`TULLE_ENDLOOP_BODY] - 16'd1;
    if (begins)        next_q <= {NUMBER{1'b0}};
    else if (refuse_q) next_q <= place_q;
    else if (accept || begin_loop || hand_over || state_q == PASS || (state_q == STILL && fence_q && still_q == 2'd3))
      next_q <= twice[NUMBER:1];

    if (begins)      header_q <= 1'b1;
    else if (accept) header_q <= 1'b0;
  end

  // The error code of record next_q.
  always @(posedge clk_i) begin
    if (begins) begin
      code_q <= `TULLE_STATUS_OK;
    end else if (refuse_q) begin
      code_q <= refusal_q;
    end else begin
      case (state_q)
        SLOT: begin
          if (fetch_start && slot[5:0] != 6'd0) code_q <= `TULLE_STATUS_OUT_OF_SLOT;
          if (cycle_q == 3'd4 && room_q == {NUMBER{1'b0}}) code_q <= `TULLE_STATUS_BAD_LENGTH;
        end
        WANT:    code_q <= (passed || fetch_short) ? `TULLE_STATUS_BAD_LENGTH
                         : fetch_decode_error ? `TULLE_STATUS_READ_DECODE_ERROR : `TULLE_STATUS_READ_SLAVE_ERROR;
        JUDGE: begin
          if (header_q)
            code_q <= (header_code != `TULLE_STATUS_OK)                         ? header_code
                    : too_long                              ? `TULLE_STATUS_BAD_LENGTH
                    : extra_tokens                          ? `TULLE_STATUS_BAD_FIELD
                                                            : `TULLE_STATUS_STALE_WEIGHTS;
          else
            code_q <= (operation_code != `TULLE_STATUS_OK) ? operation_code
                    : (end_q && !in_loop)                  ? `TULLE_STATUS_BAD_LENGTH : `TULLE_STATUS_BAD_LOOP;
        end
        default: code_q <= code_q;
      endcase
    end
  end

  // -- Errors --------------------------------------------------------------------------------------------

  // When nothing moves, the heads of the queues and the waiting store are compared one by one. The result is the
  // first operation in program order that reaches outside its slot, or else the lowest place in the program.
  localparam [2:0] BEGIN = 3'd0;
  localparam [2:0] STORE = 3'd5; // 1 to 4: the queues
  localparam [2:0] TELL  = 3'd6;

  reg [2:0]  step_q;
  reg        outside_q;  // some operation with available tokens reaches outside
  reg        found_q;
  reg [NUMBER-1:0] key_q;
  reg [NUMBER-1:0] found_place_q;
  reg [1:0]  found_queue_q;
  reg [1:0]  head_q;

  wire        nothing   = outsiders == 4'b0000 && !wrong && empty == 4'b1111 && !store_waits_i;
  wire        at_store  = step_q == STORE;
  wire [2*NUMBER-1:0] of_head = head_q[1] ? (head_q[0] ? heads[6*NUMBER +: 2*NUMBER] : heads[4*NUMBER +: 2*NUMBER])
                                          : (head_q[0] ? heads[2*NUMBER +: 2*NUMBER] : heads[0 +: 2*NUMBER]);
  wire [NUMBER-1:0] place = at_store ? store_place_i : of_head[NUMBER-1:0];
  wire [NUMBER-1:0] key   = outside_q ? of_head[2*NUMBER-1:NUMBER] : place;
  wire        candidate = at_store ? store_waits_i && !outside_q : outside_q ? outsiders[head_q]
                          : waiting[head_q] && !(head_q == 2'd2 && store_waits_i);
  wire [NUMBER:0]   ahead = {1'b0, key} - {1'b0, key_q};
  // Operation numbers wrap around.
  wire        earlier   = !found_q || (outside_q ? ahead[NUMBER-1] : ahead[NUMBER]);

  always @(posedge clk_i) begin
    if (!rst_ni || start_i || state_q == DEAD) begin
      step_q <= BEGIN;
    end else begin
      if (step_q != BEGIN || (calm_q == 4'd15 && !nothing)) step_q <= (step_q == TELL) ? BEGIN : step_q + 3'd1;
      if (!was_calm_q) step_q <= BEGIN;
    end
  end

  always @(posedge clk_i) begin
    head_q <= step_q[1:0];
    if (step_q == BEGIN) begin
      outside_q <= outsiders != 4'b0000;
      found_q   <= 1'b0;
    end else if (candidate && earlier && step_q != TELL) begin
      found_q       <= 1'b1;
      key_q         <= key;
      found_place_q <= place;
      found_queue_q <= head_q;
    end
  end

  // Whether this cycle is calm is known too late in it. After 20 calm cycles only the watchdog's call can end in one, and the
  // watchdog notices progress a cycle late as well.
  wire tell = step_q == TELL && was_calm_q;

  reg        error_q;
  reg [15:0] error_code_q;
  reg [7:0]  error_queue_q;
  reg [NUMBER-1:0] error_place_q;

  wire              overflows;
  wire [NUMBER-1:0] overflows_at;

  assign report = (overflows || tell) && !abort_i && state_q != IDLE && state_q != ENDED && state_q != DEAD;

  always @(posedge clk_i) begin
    error_q <= rst_ni && report && !start_i;
    if (overflows) begin
      error_code_q  <= `TULLE_STATUS_TOKEN_OVERFLOW;
      error_queue_q <= `TULLE_QUEUE_COMMAND;
      error_place_q <= overflows_at;
    end else begin
      error_code_q  <= outside_q ? `TULLE_STATUS_OUT_OF_SLOT : wrong ? code_q : `TULLE_STATUS_DEADLOCK;
      error_queue_q <= outside_q ? `TULLE_QUEUE_LOAD + {6'd0, found_queue_q} : `TULLE_QUEUE_COMMAND;
      error_place_q <= (outside_q || !wrong) ? found_place_q : next_q;
    end
  end

  assign error_o        = error_q;
  assign error_code_o   = error_code_q;
  assign error_queue_o  = error_queue_q;
  assign error_offset_o = {error_place_q, 6'd0};

  // -- Results for the job -------------------------------------------------------------------------------

  reg [31:0] watchdog_q;
  reg        bytes_q;

  always @(posedge clk_i) begin
    bytes_q <= rst_ni && accept;
    if (begins)      watchdog_q <= 32'd0;
    else if (accept) watchdog_q <= record[`TULLE_PROGRAM_WATCHDOG];
  end

  assign header_valid_o = known_q;
  assign watchdog_o     = watchdog_q;
  assign bytes_valid_o  = bytes_q;
  assign bytes_o        = {lines, 6'd0};

  // -- What the storage units hold over jobs ---------------------------------------------------------------

  generate
    if (KEPT != 0) begin : gen_kept
      reg [31:0] leaves_q;
      reg        expects_q;
      reg        stale_q;

      wire [31:0] expects = record[`TULLE_PROGRAM_EXPECTS];

      always @(posedge clk_i) begin
        expects_q <= expects != 32'd0;
        stale_q   <= expects != 32'd0 && expects != held_i;
        if (accept) leaves_q <= record[`TULLE_PROGRAM_LEAVES];
      end

      assign stale      = stale_q;
      assign left_later = leads && expects_q;

      assign leaves_o   = leaves_q;
    end else begin : gen_not_kept
      assign stale      = 1'b0;
      assign left_later = 1'b0;
      assign leaves_o   = 32'd0;

      wire unused_held = &{1'b0, held_i};
    end
  endgenerate

  // -- The job that waits: from one program to the next ---------------------------------------------------

  generate
    if (QUEUE != 0) begin : gen_next
      reg        fetches_q;
      reg        leads_q;
      reg [1:0]  clear_q;    // cycles in which no operation of the program under way is in the queues, at most 3
      reg [1:0]  old_sent_q; // cycles with all units empty but for acknowledgements, at most 3
      reg [1:0]  old_q;      // cycles with all units empty, at most 3
      reg [1:0]  spread_q;
      reg        overflow_q; // of the job that waits
      reg [NUMBER-1:0] overflow_at_q;

      wire clear = fetches_q && empty == 4'b1111 && tokens_idle && next_ready && loads_idle_i && !done_valid_i[0];

      assign overtakes = state_q == STILL && end_q && !busy_q && sent_q == 2'd0 && still_q == 2'd0 && fetch_idle && next_i &&
                      !fetches && !leads && !report;
      assign enters = clear_q == 2'd3 && clear;

      always @(posedge clk_i) begin
        if (!rst_ni || start_i) begin
          {fetches_q, leads_q, clear_q, old_sent_q, old_q, spread_q, overflow_q} <= 11'd0;
        end else begin
          fetches_q <= overtakes || (fetches_q && !enters);
          leads_q   <= enters || (leads_q && !taken_i);
          clear_q   <= !clear ? 2'd0 : clear_q + {1'b0, clear_q != 2'd3};
          if (!leads_q)                old_sent_q <= 2'd0;
          else if (old_sent_q != 2'd3) old_sent_q <= sent_i ? old_sent_q + 2'd1 : 2'd0;
          old_q     <= !(leads_q && old_idle_i && old_tokens_idle && done_valid_i[3:2] == 2'b00) ? 2'd0
                     : old_q + {1'b0, old_q != 2'd3};
          spread_q  <= !(leads_q && spread_i) ? 2'd0 : spread_q + {1'b0, spread_q != 2'd3};
          overflow_q <= overflow_q || (overflow && leads_q && !old_overflow);
        end
        if (overflow && !overflow_q) overflow_at_q <= overflow_place;
      end

      assign fetches      = fetches_q;
      assign leads        = leads_q;
      assign holds        = leads_q ? {2'b11, !hand_i, fresh || spread_q != 2'd3} : 4'b0000;
      assign overflows    = leads_q ? overflow && old_overflow : overflow || overflow_q;
      assign overflows_at = overflow_q && !leads_q ? overflow_at_q : overflow_place;
      assign sent_o       = leads_q ? old_sent_q == 2'd3 : sent_q == SENT;
      assign ended_o      = leads_q ? old_q == 2'd3 : state_q == ENDED;

      // What the program writes: from the lowest to the highest byte of the slots that it stores to, in units of 64 bytes.
      reg [57:0] lowest_q, highest_q; // of the program
      reg [57:0] from_q, to_q;        // of the program before
      reg [57:0] base_q, top_q;       // of the slot of the operation
      reg        store_q;
      reg        local_q;
      reg        base_there_q, end_there_q;
      reg        within_q;

      wire       overlaps = base_q < to_q && top_q > from_q;

      always @(posedge clk_i) begin
        if (base_taken) begin
          store_q <= as_store;
          local_q <= LOCAL_BYTES != 0 && (as_load ? record[`TULLE_LOAD_SLOT] : record[`TULLE_STORE_SLOT]) == `TULLE_SLOT_BANK;
        end
        // The base, and a cycle later the complement of the size, which is rounded up.
        base_there_q <= base_taken;
        end_there_q  <= base_there_q;
        if (base_taken)   base_q <= slot[63:6];
        if (base_there_q) top_q  <= base_q + ~slot[63:6] + {57'd0, slot[5:0] != 6'h3F};
        within_q <= local_q || overlaps;
        if (!rst_ni || begins) begin
          lowest_q  <= {58{1'b1}};
          highest_q <= 58'd0;
        end else if (end_there_q && store_q && !local_q) begin
          if (base_q < lowest_q) lowest_q  <= base_q;
          if (top_q > highest_q) highest_q <= top_q;
        end
        if (overtakes) begin
          from_q <= lowest_q;
          to_q   <= highest_q;
        end
      end

      assign reads_new = leads_q && within_q;
    end else begin : gen_alone
      assign overtakes    = 1'b0;
      assign enters       = 1'b0;
      assign fetches      = 1'b0;
      assign leads        = 1'b0;
      assign holds        = 4'b0000;
      assign overflows    = overflow;
      assign overflows_at = overflow_place;
      assign sent_o       = sent_q == SENT;
      assign ended_o      = state_q == ENDED;
      assign reads_new    = 1'b0;

      wire unused_queue = &{1'b0, next_i, hand_i, taken_i, loads_idle_i, spread_i, old_idle_i, next_ready, old_tokens_idle,
                            old_overflow, fresh, leads};
    end
  endgenerate

  // An engine uses part of a record, and only the sign of a difference tells which number is older.
  wire unused = &{1'b0, slot_soon[5:0], amounts, addresses, field, load, distribute, store, accumulate, ahead, early, early_d, late_d, pushed, twice[0]};

endmodule

`default_nettype wire
