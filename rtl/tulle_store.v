// SPDX-License-Identifier: Apache-2.0
//
// tulle_store: executes store and accumulate operations. It takes results from the rows' collectors, adds clusters,
// rows and partial sums, applies the function, and writes to memory.
//
//   collectors -> tulle_store_groups -> tulle_function_lanes -> tulle_store_pack -> beats    } write port
//                 (partial sums)        (tulle_channel_table)
//                                        |                ^
//                                        v                |
//                 (operands) -----------> tulle_join_lanes
//   store      -> tulle_store_setup  -> tulle_store_bursts ---------^ ----------> bursts     }
//              -> tulle_store_window                                                         }
//                                       tulle_store_responses <------------------ responses  }
// With LINES beats pass tulle_store_gather on their way to the write port.
//
// With TAKE above 1 several groups of results are taken in a cycle and go through functions, narrowing and packing side by
// side (tulle_collector, tulle_store_groups). Groups that are added, or have numbers of their own from memory or from the
// table of channels, go one by one: partial sums, results scaled by channel, joins and softmax.
//
// An accumulate makes one setting for all stores after it, whatever rows and clusters it names. It takes effect when
// no store is in progress, and no store begins while an accumulate waits.
//
// Results that are joined with an operand pass the function lanes twice: first with bias, scale and limits of their
// channels, then joined, with the record's. So they take twice as many cycles. Joins of two operands from memory enter
// behind the first pass. So does softmax, whose first operands tulle_softmax makes exponentials of; it sets up the function
// for each row.
//
// Ports
//   clk_i, rst_ni                         clock, synchronous reset (also the soft reset); the initial setting is that
//                                         of an accumulate with all flags 0
//   abort_i                               begin nothing new
//   op_*                                  stores: masks, element, order, pattern (gen/isa/table.c), and op_bytes_i,
//                                         the bytes of the pattern; op_walk_i: groups of channels (group_holds,
//                                         group_repeats, group_run, first_group); op_tag_i is returned
//   done_valid_o, done_ready_i, done_tag_o  a store is complete: all its responses have arrived
//   acc_*                                 accumulates: flags and function record; acc_by_channel_i: {limits, scale,
//                                         bias}
//   acc_operand_i, acc_join_i, acc_alone_i, acc_scale_first_i, acc_fraction_15_i
//                                         of accumulates, with JOINS (gen/isa/table.c); one with an operand changes
//                                         nothing but the operand
//   acc_softmax_i                         the same, with SOFTMAX
//   acc_done_*                            an accumulate is in effect
//   has_i, bank_i, take_o, take_cluster_o, group_i
//                                         the collectors, see tulle_store_groups
//   partial_op_valid_o, partial_op_ready_i  an accumulate with source also goes to the reader of partial sums; the
//                                           acc_* inputs are stable meanwhile
//   partial_valid_i, partial_ready_o, partial_group_i
//                                         partial sums, sign-extended to ACC, a group of PES at a time
//   partial_exhausted_i                   fewer than PES elements are left, and no group follows
//   partial_bytes_o                       in the cycles of partial_ready_o: bytes of the group
//   operand_op_valid_o, operand_op_ready_i  bit 0: the accumulate goes to the reader of first operands; bit 1: of second
//                                           ones
//   operand_valid_i, operand_ready_o, operand_chunk_i, operand_exhausted_i
//                                         operands, sign-extended to 16 bits, LANES of them at a time; of the first
//                                         operand in the lower half
//   record_valid_i, record_ready_o, record_address_i, words_valid_i, words_ready_o, words_i, record_response_o
//                                         the status record, while sent_o: the address of each half, a multiple of 64,
//                                         its words in pairs, and in one cycle that a half is answered. A reset precedes the
//                                         next store
//   burst_*, data_*, strobe_o, response_* the write port (tulle_write_port)
//   bytes_valid_o, bytes_o                one cycle: bytes that a store writes, when it begins; else 0
//   error_o, error_code_o, error_queue_o, error_tag_o
//                                         one cycle: bad_field (store; the elements do not divide into groups of PES
//                                         for each stream), bad_length (accumulate; no partial sums are left; with
//                                         the store's tag), write_slave_error, write_decode_error (store)
//   waits_o, active_tag_o                 the store with this tag waits for results, and no other is in progress
//   stall_o                               the store waits for results in this cycle
//   sent_o                                no accumulate is pending, and stores in progress only wait for responses
//   idle_o                                no store is in progress and no accumulate is pending
//
// Parameters
//   MEM                                   bits of a beat: 64, 128, 256 or 512
//   ACC, PES, CLUSTERS, ROWS              bits of a result, K, clusters of a row, rows
//   LANES                                 elements of a group that pass function, narrowing and packing in a cycle: a power
//                                         of two, at most the next one from PES on
//   TAKE                                  groups that do so in a cycle: 1, or 2 or 4 with LANES from PES on
//   FUNCTIONS, ROUNDINGS                  as for tulle_function_lanes
//   CHANNEL_GROUPS                        groups of PES in the table of channels; 0: there is none
//   LOOKUP                                1: with tulle_lookup, which needs CHANNEL_GROUPS
//   JOINS                                 1: results may be joined with operands; only with CHANNEL_GROUPS
//   SOFTMAX                               elements of the longest row for tulle_softmax; 0: there is none. Only with JOINS
//   LINES                                 beats that wait until runs of several planes fill them (tulle_store_gather); 0: none
//   LOCAL                                 1: stores to addresses with bit 63 do not write to memory, so their bytes do
//                                         not count
//   BYTES, TAG                            bits of op_bytes_i, of a tag
//
// Throughput: a group takes as many cycles as it has chunks of LANES elements, or as there are groups to add plus
// partial sums, whichever is greater; with TAKE above 1, up to TAKE groups take one. A chunk in which a run ends takes one
// cycle more, and so does, with TAKE 1, one that crosses a beat. A burst every other cycle. A store begins about seven
// cycles after the last one took its last result.
// Bursts are announced before their results arrive. take_o and partial_ready_o depend on data_ready_i, and
// partial_op_valid_o on acc_valid_i, in the same cycle.

`default_nettype none
`include "tulle_isa.vh"

module tulle_store #(
  parameter        MEM       = 512,
  parameter        ACC       = 32,
  parameter        PES       = 8,
  parameter        CLUSTERS  = 2,
  parameter        ROWS      = 2,
  parameter        LANES     = 4,
  parameter        TAKE      = 1,
  parameter [15:0] FUNCTIONS = 16'd1,
  parameter        CHANNEL_GROUPS = 0,
  parameter        LOOKUP    = 0,
  parameter        JOINS     = 0,
  parameter        SOFTMAX   = 0,
  parameter        ROUNDINGS = 0,
  parameter        LINES     = 0,
  parameter        LOCAL     = 0,
  parameter        BYTES     = 43,
  parameter        TAG       = `TULLE_TAG_WIDTH,
  // Derived; not to be set.
  parameter        BANK      = (TAKE > 1) ? $clog2(TAKE) : 1
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire                     abort_i,

  input  wire                     op_valid_i,
  output wire                     op_ready_o,
  input  wire [ROWS-1:0]          op_rows_i,
  input  wire [CLUSTERS-1:0]      op_clusters_i,
  input  wire [1:0]               op_element_i,
  input  wire                     op_interleave_i,
  input  wire                     op_unsigned_i,
  input  wire [63:0]              op_address_i,
  input  wire [31:0]              op_length_i,
  input  wire [15:0]              op_runs_i,
  input  wire [15:0]              op_planes_i,
  input  wire [31:0]              op_run_pitch_i,
  input  wire [31:0]              op_plane_pitch_i,
  input  wire [BYTES-1:0]         op_bytes_i,
  input  wire [63:0]              op_walk_i,
  input  wire [TAG-1:0]           op_tag_i,
  output wire                     done_valid_o,
  input  wire                     done_ready_i,
  output wire [TAG-1:0]           done_tag_o,

  input  wire                     acc_valid_i,
  output wire                     acc_ready_o,
  input  wire [1:0]               acc_element_i,
  input  wire                     acc_source_i,
  input  wire                     acc_sum_clusters_i,
  input  wire                     acc_sum_rows_i,
  input  wire                     acc_final_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0] acc_record_i,
  input  wire [2:0]               acc_column_i,
  input  wire [15:0]              acc_group_i,
  input  wire [2:0]               acc_by_channel_i,
  input  wire [1:0]               acc_operand_i,
  input  wire [1:0]               acc_join_i,
  input  wire                     acc_alone_i,
  input  wire                     acc_scale_first_i,
  input  wire                     acc_fraction_15_i,
  input  wire [15:0]              acc_softmax_i,
  input  wire [TAG-1:0]           acc_tag_i,
  output wire                     acc_done_valid_o,
  input  wire                     acc_done_ready_i,
  output wire [TAG-1:0]           acc_done_tag_o,

  input  wire [ROWS*TAKE*CLUSTERS-1:0] has_i,
  input  wire [ROWS*CLUSTERS*BANK-1:0] bank_i,
  output wire [ROWS*TAKE-1:0]     take_o,
  output wire [TAKE*CLUSTERS-1:0] take_cluster_o,
  input  wire [ROWS*TAKE*PES*ACC-1:0] group_i,

  output wire                     partial_op_valid_o,
  input  wire                     partial_op_ready_i,
  input  wire                     partial_valid_i,
  output wire                     partial_ready_o,
  input  wire [PES*ACC-1:0]       partial_group_i,
  input  wire                     partial_exhausted_i,
  output wire [7:0]               partial_bytes_o,

  output wire [1:0]               operand_op_valid_o,
  input  wire [1:0]               operand_op_ready_i,
  input  wire [1:0]               operand_valid_i,
  output wire [1:0]               operand_ready_o,
  input  wire [2*LANES*16-1:0]    operand_chunk_i,
  input  wire [1:0]               operand_exhausted_i,

  input  wire                     record_valid_i,
  output wire                     record_ready_o,
  input  wire [63:0]              record_address_i,
  input  wire                     words_valid_i,
  output wire                     words_ready_o,
  input  wire [63:0]              words_i,

  output wire                     burst_valid_o,
  input  wire                     burst_ready_i,
  output wire [63:0]              burst_address_o,
  output wire [7:0]               burst_beats_o,
  output wire                     data_valid_o,
  input  wire                     data_ready_i,
  output wire [MEM-1:0]           data_o,
  output wire [MEM/8-1:0]         strobe_o,
  input  wire                     response_valid_i,
  input  wire [1:0]               response_error_i,
  output wire                     record_response_o,

  output wire                     bytes_valid_o,
  output wire [BYTES-1:0]         bytes_o,

  output wire                     error_o,
  output wire [15:0]              error_code_o,
  output wire [7:0]               error_queue_o,
  output wire [TAG-1:0]           error_tag_o,

  output wire                     waits_o,
  output wire [TAG-1:0]           active_tag_o,
  output wire                     stall_o,
  output wire                     sent_o,
  output wire                     idle_o
);

  localparam RECORD_WIDTH = `TULLE_CONFIG_WIDTH;
  localparam WIDE         = TAKE * LANES; // lanes of functions, narrowing and packing

  // -- The setting ----------------------------------------------------------------------------------------------

  localparam [RECORD_WIDTH-1:0] AS_IT_IS = {{RECORD_WIDTH-16{1'b0}}, `TULLE_ELEMENT_INT64, 6'd0, `TULLE_FUNCTION_NONE,
                                            `TULLE_CONFIG_FUNCTION_RECORD_VALUE};

  reg            source_q;
  reg            sum_clusters_q;
  reg            sum_rows_q;
  reg  [1:0]     partial_element_q;
  reg            reset_q;         // the function must be set up
  reg            acc_done_q;
  reg  [TAG-1:0] acc_tag_q;

  wire           groups_idle;
  wire           groups_ready;
  wire           bursts_idle;
  wire           stores_idle;
  wire           sole;          // one store is in progress
  wire           engine_idle = groups_idle && bursts_idle && stores_idle;
  wire           fills;   // an accumulate for the table of channels
  wire           filling; // the table is loaded; still so in the first cycle after it
  wire           filled;  // one cycle: the table was loaded
  wire           acc_go      = acc_valid_i && engine_idle && !filling && !acc_done_q && !reset_q && !abort_i;
  wire           operand_op  = JOINS != 0 && acc_operand_i != `TULLE_OPERAND_NONE;
  wire           to_second   = acc_operand_i == `TULLE_OPERAND_SECOND;
  wire           reads       = operand_op ? operand_op_ready_i[to_second] : partial_op_ready_i;
  wire           acc_take    = acc_go && (!acc_source_i || reads);
  wire           acc_sets    = acc_take && !operand_op;
  reg            alone_q;
  reg            together_q; // a chunk may have several groups
  reg  [1:0]     join_q;
  wire           alone       = JOINS != 0 && alone_q;

  assign partial_op_valid_o = acc_go && acc_source_i && !operand_op;
  assign operand_op_valid_o = {acc_go && operand_op && to_second, acc_go && operand_op && !to_second};
  assign acc_ready_o        = acc_take;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {source_q, sum_clusters_q, sum_rows_q} <= 3'd0;
      {alone_q, join_q} <= 3'd0;
      together_q     <= 1'b1;
      reset_q        <= 1'b1;
      acc_done_q     <= 1'b0;
    end else begin
      if (acc_sets) begin
        source_q       <= acc_source_i && !fills;
        sum_clusters_q <= acc_sum_clusters_i || (JOINS != 0 && acc_alone_i);
        sum_rows_q     <= acc_sum_rows_i || (JOINS != 0 && acc_alone_i);
        alone_q        <= acc_alone_i;
        join_q         <= acc_join_i;
        together_q     <= !((acc_source_i && !fills) || acc_sum_clusters_i || acc_sum_rows_i || acc_by_channel_i != 3'd0 ||
                            (JOINS != 0 && (acc_alone_i || acc_join_i != `TULLE_JOIN_NONE)));
      end
      reset_q    <= 1'b0;
      acc_done_q <= (acc_take && !fills) || filled || (acc_done_q && !acc_done_ready_i);
    end
  end

  always @(posedge clk_i) begin
    if (acc_sets) partial_element_q <= acc_element_i;
    if (acc_take) acc_tag_q         <= acc_tag_i;
  end

  assign acc_done_valid_o = acc_done_q;
  assign acc_done_tag_o   = acc_tag_q;

  localparam integer GROUP = PES;
  assign partial_bytes_o = GROUP[7:0] << partial_element_q;

  // -- Lanes of the first group, and zeros ----------------------------------------------------------------------------

  function [WIDE*ACC-1:0] widened;
    input [LANES*ACC-1:0] group;
    widened = {{(TAKE-1)*LANES*ACC{1'b0}}, group};
  endfunction

  // -- A store begins -------------------------------------------------------------------------------------------

  wire                setup_ready;
  wire                setup_bad;
  wire                setup_idle;
  wire [BYTES-1:0]    groups;
  wire                stores_ready;
  wire                functions_ready;
  wire                scale_ready; // that of operands
  wire                walking; // the table of channels is loaded, or chunks of the last store still read it
  wire                window_ready; // whether the store is gathered is known
  // Channels of the last store are walked to the end, and errors of sums are told with its tag.
  wire                groups_free = (TAKE > 1 && CHANNEL_GROUPS == 0 && together_q) ? groups_ready : groups_idle;
  wire                begins = setup_ready && !setup_bad && window_ready && functions_ready && scale_ready && groups_free && bursts_idle && stores_ready &&
                               !acc_valid_i && !walking && !abort_i;

  tulle_store_setup #(
    .BYTES    (BYTES),
    .PES      (PES),
    .CLUSTERS (CLUSTERS),
    .ROWS     (ROWS)
  ) u_setup (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .valid_i        (op_valid_i),
    .bytes_i        (op_bytes_i),
    .element_i      (op_element_i),
    .clusters_i     (op_clusters_i),
    .rows_i         (op_rows_i),
    .sum_clusters_i (sum_clusters_q),
    .sum_rows_i     (sum_rows_q),
    .restart_i      (begins || acc_take),
    .ready_o        (setup_ready),
    .groups_o       (groups),
    .bad_o          (setup_bad),
    .idle_o         (setup_idle)
  );

  assign op_ready_o = begins;

  reg  [TAG-1:0] active_tag_q;
  reg  [2:0]     element_q;    // element of the bursts, bit 2: without a sign

  always @(posedge clk_i) begin
    if (begins) begin
      active_tag_q <= op_tag_i;
      element_q    <= {op_unsigned_i, op_element_i};
    end
  end

  assign active_tag_o = active_tag_q;

  // -- Bursts: to the write port, the packer and the responses, all at once -----------------------------------------

  wire        burst;
  wire        burst_last;
  wire [63:0] burst_address;
  wire [7:0]  burst_beats;
  wire [9:0]  burst_low;
  wire [10:0] burst_bytes;
  wire        burst_ends;       // the piece ends a burst, else it is gathered
  wire [6:0]  piece_lines;
  wire [9:0]  piece_place;
  wire [9:0]  piece_first;
  wire [5:0]  piece_first_byte;
  wire [5:0]  piece_last_byte;
  wire        piece_cut;        // the next piece is cut in this cycle: of this row, and its first one or not
  wire        piece_fresh;
  wire [8:0]  piece_row;
  wire        gather;
  wire        upper;
  wire [1:0]  window;
  wire        piece_ready;      // of tulle_store_gather
  wire        lines_clear;      // the piece's lines are free
  wire        fill_ready;
  wire        response_ready;
  wire        burst_taken = burst_valid_o && burst_ready_i;
  wire        piece_taken = (burst_ends || record_valid_i) ? burst_taken
                                                           : burst && fill_ready && piece_ready && lines_clear;

  tulle_store_bursts #(
    .MEM   (MEM),
    .LINES (LINES)
  ) u_bursts (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .start_i       (begins),
    .address_i     (op_address_i),
    .length_i      (op_length_i),
    .runs_i        (op_runs_i),
    .planes_i      (op_planes_i),
    .run_pitch_i   (op_run_pitch_i),
    .plane_pitch_i (op_plane_pitch_i),
    .gather_i      (gather),
    .upper_i       (upper),
    .window_i      (window),
    .valid_o       (burst),
    .ready_i       (piece_taken && !record_valid_i),
    .address_o     (burst_address),
    .beats_o       (burst_beats),
    .low_o         (burst_low),
    .bytes_o       (burst_bytes),
    .ends_o        (burst_ends),
    .lines_o       (piece_lines),
    .place_o       (piece_place),
    .first_o       (piece_first),
    .first_byte_o  (piece_first_byte),
    .last_byte_o   (piece_last_byte),
    .cut_o         (piece_cut),
    .row_o         (piece_row),
    .fresh_o       (piece_fresh),
    .last_o        (burst_last),
    .idle_o        (bursts_idle)
  );

  // Half a status record is a burst without a store. Its elements have 32 bits, or 16 if a result has fewer than 32.
  localparam integer RECORD         = `TULLE_STATUS_WIDTH / 8 / 2;
  localparam integer RECORD_BEATS   = `TULLE_STATUS_WIDTH / MEM / 2;
  localparam [1:0]   RECORD_ELEMENT = (ACC < 32) ? 2'd1 : 2'd2;

  assign burst_valid_o   = ((burst && burst_ends && lines_clear) || record_valid_i) && fill_ready && piece_ready && response_ready;
  assign burst_address_o = record_valid_i ? record_address_i : burst_address;
  assign burst_beats_o   = record_valid_i ? RECORD_BEATS[7:0] - 8'd1 : burst_beats;
  assign record_ready_o  = burst_ready_i && fill_ready && piece_ready && response_ready;

  wire        fill_valid;
  wire        fill_taken;
  wire        pack_idle;
  wire [23:0] fill;

  tulle_fifo #(
    .WIDTH (24),
    .DEPTH (4)
  ) u_fill (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (piece_taken),
    .ready_o (fill_ready),
    .data_i  (record_valid_i ? {record_address_i[9:0], RECORD[10:0], 1'b0, RECORD_ELEMENT}
                             : {burst_low, burst_bytes, element_q}),
    .valid_o (fill_valid),
    .ready_i (fill_taken),
    .data_o  (fill)
  );

  // -- The path of the results ------------------------------------------------------------------------------------

  wire                 chunk_valid;
  wire                 chunk_ready;
  wire                 chunk_taken;   // the same as chunk_ready, with a shorter path to the groups
  wire [WIDE*ACC-1:0]  chunk;
  wire [BANK-1:0]      chunk_more;    // groups of the chunk, minus 1
  wire                 chunk_goes;    // the chunk goes on
  wire                 waits;         // the next group is not available
  wire                 wants_partial;
  wire                 sum_ready;     // partial sums are added

  localparam [ROWS-1:0]     ONE_ROW     = 1;
  localparam [CLUSTERS-1:0] ONE_CLUSTER = 1;

  tulle_store_groups #(
    .ACC      (ACC),
    .PES      (PES),
    .CLUSTERS (CLUSTERS),
    .ROWS     (ROWS),
    .LANES    (LANES),
    .TAKE     (TAKE),
    .GROUPS   (BYTES)
  ) u_groups (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_i         (begins),
    .rows_i          (alone ? ONE_ROW : op_rows_i),
    .clusters_i      (alone ? ONE_CLUSTER : op_clusters_i),
    .interleave_i    (op_interleave_i),
    .groups_i        (groups),
    .sum_clusters_i  (sum_clusters_q),
    .sum_rows_i      (sum_rows_q),
    .source_i        (source_q),
    .alone_i         (alone),
    .several_i       (together_q),
    .has_i           (has_i),
    .bank_i          (bank_i),
    .take_o          (take_o),
    .take_cluster_o  (take_cluster_o),
    .group_i         (group_i),
    .partial_valid_i (partial_valid_i),
    .partial_ready_o (sum_ready),
    .partial_group_i (partial_group_i),
    .valid_o         (chunk_valid),
    .ready_i         (chunk_taken && chunk_goes),
    .data_o          (chunk),
    .more_o          (chunk_more),
    .waits_o         (waits),
    .wants_partial_o (wants_partial),
    .ready_o         (groups_ready),
    .idle_o          (groups_idle)
  );

  wire                 result_valid;
  wire                 result_ready;
  wire                 result_room;
  wire [WIDE*ACC-1:0]  result;
  wire [BANK-1:0]      result_more;

  // Words of the status record are elements, two in a chunk where there are two lanes.
  localparam RECORD_BITS  = (ACC < 32) ? 16 : 32;                // of an element
  localparam RECORD_LANES = (WIDE > 1) ? 2 : 1;
  localparam RECORD_TURNS = 64 / (RECORD_BITS * RECORD_LANES);   // chunks of two words

  wire [WIDE*ACC-1:0]                 packed_in;
  wire [RECORD_LANES*RECORD_BITS-1:0] elements;

  genvar p;
  generate
    if (RECORD_TURNS == 1) begin : gen_at_once
      assign elements      = words_i;
      assign words_ready_o = result_ready;
    end else begin : gen_turns
      localparam TURN = $clog2(RECORD_TURNS);

      reg [TURN-1:0] turn_q;

      always @(posedge clk_i) begin
        if (!rst_ni)                            turn_q <= {TURN{1'b0}};
        else if (words_valid_i && result_ready) turn_q <= turn_q + 1'b1;
      end

      assign elements      = words_i[{turn_q, {6-TURN{1'b0}}} +: RECORD_LANES*RECORD_BITS];
      assign words_ready_o = result_ready && &turn_q;
    end

    for (p = 0; p < WIDE; p = p + 1) begin : gen_packed
      if (p < RECORD_LANES) begin : gen_word
        wire [ACC-1:0] element;

        if (ACC == RECORD_BITS) begin : gen_same
          assign element = elements[RECORD_BITS*p +: RECORD_BITS];
        end else begin : gen_wider
          assign element = {{ACC-RECORD_BITS{elements[RECORD_BITS*p + RECORD_BITS - 1]}}, elements[RECORD_BITS*p +: RECORD_BITS]};
        end

        assign packed_in[ACC*p +: ACC] = words_valid_i ? element : result[ACC*p +: ACC];
      end else begin : gen_result
        assign packed_in[ACC*p +: ACC] = result[ACC*p +: ACC];
      end
    end
  endgenerate

  // The function record is written a cycle later, from a register, because acc_take arrives late. Setting up a store
  // takes longer than that.
  wire [5:0]              acc_function = acc_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION];
  wire                    with_lookup  = LOOKUP != 0 && acc_function == `TULLE_FUNCTION_LOOKUP;
  reg  [RECORD_WIDTH-1:0] lane_record; // what comes before a look-up is requantised to int8
  reg                     looks_up_q;

  always @* begin
    lane_record = acc_record_i;
    if (with_lookup) begin
      lane_record[`TULLE_CONFIG_FUNCTION_FUNCTION] = `TULLE_FUNCTION_REQUANTISE;
      lane_record[`TULLE_CONFIG_FUNCTION_ELEMENT]  = `TULLE_ELEMENT_INT8;
    end
  end

  reg          function_q;
  reg  [RECORD_WIDTH-1:0] record_q;

  always @(posedge clk_i) begin
    function_q <= reset_q || acc_sets;
    if (SOFTMAX == 0 || reset_q || acc_sets) record_q <= (reset_q || !acc_final_i) ? AS_IT_IS : lane_record;
    if (reset_q || acc_sets) looks_up_q <= !reset_q && acc_final_i && with_lookup;
  end

  // The pipeline stops only if a result waits at its end, so that bubbles close, or a join for its operands.
  wire                 lane_valid;
  wire                 lane_first;   // the result of the lanes is joined next
  wire [WIDE*ACC-1:0]  lane_result;
  wire [BANK-1:0]      lane_more;
  wire                 waits_operand;

  assign chunk_ready = (result_ready || !result_valid) && !waits_operand;
  assign chunk_taken = (result_room || !result_valid) && !waits_operand;

  // -- Joins: a result, or the first operand, and the second operand --------------------------------------------------

  wire                 joined_valid; // the joined pairs are next, before the next chunk
  wire [LANES*ACC-1:0] joined;
  wire                 minus;
  wire [LANES*ACC-1:0] rest;
  wire [LANES-1:0]     up;
  wire                 wants_operand; // and none is left

  // With softmax first operands become exponentials, and the function's multiplier and shift are those of their row.
  wire                 softmax;
  wire                 share_valid;
  wire                 share_wants; // an operand, for a row that a store wants
  wire                 share_takes;
  wire [LANES*ACC-1:0] shares;
  wire                 scale_write;
  wire [31:0]          row_multiplier;
  wire [5:0]           row_shift;
  wire [1:0]           entry_start;
  wire [1:0]           entry_write;
  wire [31:0]          entry;

  generate
    if (SOFTMAX != 0) begin : gen_softmax
      reg                 softmax_q;
      wire [LANES*8-1:0]  bytes;
      wire [LANES*31-1:0] exponentials;
      genvar              l;

      always @(posedge clk_i) begin
        if (!rst_ni)       softmax_q <= 1'b0;
        else if (acc_sets) softmax_q <= acc_softmax_i != 16'd0;
      end

      for (l = 0; l < LANES; l = l + 1) begin : gen_lane
        assign bytes[8*l +: 8]        = operand_chunk_i[16*l +: 8];
        assign shares[ACC*l +: ACC] = {{ACC-31{1'b0}}, exponentials[31*l +: 31]};
      end

      tulle_softmax #(
        .LANES (LANES),
        .PES   (PES),
        .ROW   (SOFTMAX)
      ) u_softmax (
        .clk_i           (clk_i),
        .rst_ni          (rst_ni),
        .table_start_i   (entry_start[1]),
        .table_write_i   (entry_write[1]),
        .table_entry_i   (entry[30:0]),
        .begin_i         (acc_sets && acc_softmax_i != 16'd0),
        .row_i           (acc_softmax_i),
        .shift_i         (acc_record_i[`TULLE_CONFIG_FUNCTION_SHIFT]),
        .restart_i       (operand_op_valid_o[0] || acc_sets),
        .want_i          (chunk_valid && softmax_q),
        .operand_valid_i (operand_valid_i[0]),
        .operand_ready_o (share_takes),
        .operand_i       (bytes),
        .waits_o         (share_wants),
        .scale_write_o   (scale_write),
        .multiplier_o    (row_multiplier),
        .shift_o         (row_shift),
        .scale_ready_i   (functions_ready),
        .enable_i        (chunk_ready),
        .valid_o         (share_valid),
        .ready_i         (chunk_valid && chunk_ready),
        .data_o          (exponentials)
      );

      assign softmax = softmax_q;

      wire unused_sign = &{1'b0, entry[31]}; // of an exponential
    end else begin : gen_no_softmax
      assign softmax        = 1'b0;
      assign share_valid    = 1'b0;
      assign share_wants    = 1'b0;
      assign share_takes    = 1'b0;
      assign shares         = {LANES*ACC{1'b0}};
      assign scale_write    = 1'b0;
      assign row_multiplier = 32'd0;
      assign row_shift      = 6'd0;

      wire unused_softmax = &{1'b0, softmax, acc_softmax_i, entry_start[1], entry_write[1], entry, share_wants, share_takes, share_valid,
                              shares, row_multiplier, row_shift};
    end
  endgenerate

  reg [RECORD_WIDTH-1:0] row_record; // the record with what is the row's own

  always @* begin
    row_record = record_q;
    if (scale_write) begin
      row_record[`TULLE_CONFIG_FUNCTION_MULTIPLIER] = row_multiplier;
      row_record[`TULLE_CONFIG_FUNCTION_SHIFT]      = row_shift;
    end
  end

  generate
    if (JOINS != 0) begin : gen_joins
      wire                starts = alone ? chunk_valid && !softmax : lane_valid && lane_first;
      wire [1:0]          wants  = {starts, starts && alone};
      wire                missing = (wants & ~operand_valid_i) != 2'd0; // a chunk alone waits in front of the pipeline for it
      wire [LANES*16-1:0] lane_halves;
      reg                 two_steps_q;
      genvar              l;

      always @(posedge clk_i) begin
        if (acc_sets) two_steps_q <= acc_record_i[`TULLE_CONFIG_FUNCTION_ROUNDING] == `TULLE_ROUNDING_TWO_STEPS;
      end

      for (l = 0; l < LANES; l = l + 1) begin : gen_half
        assign lane_halves[16*l +: 16] = lane_result[ACC*l +: 16];
      end

      tulle_join_lanes #(
        .ACC   (ACC),
        .LANES (LANES)
      ) u_joins (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .set_first_i   (operand_op_valid_o[0]),
        .set_second_i  (operand_op_valid_o[1]),
        .zero_i        (acc_record_i[`TULLE_CONFIG_FUNCTION_ZERO]),
        .multiplier_i  (acc_record_i[`TULLE_CONFIG_FUNCTION_MULTIPLIER]),
        .shift_i       (acc_record_i[`TULLE_CONFIG_FUNCTION_SHIFT]),
        .scale_first_i (acc_scale_first_i),
        .fraction_15_i (acc_fraction_15_i),
        .ready_o       (scale_ready),
        .join_i        (join_q),
        .alone_i       (alone),
        .two_steps_i   (two_steps_q),
        .enable_i      (chunk_ready),
        .valid_i       (starts && !missing),
        .first_i       (operand_chunk_i[LANES*16-1:0]),
        .result_i      (lane_halves),
        .second_i      (operand_chunk_i[LANES*16 +: LANES*16]),
        .valid_o       (joined_valid),
        .base_o        (joined),
        .minus_o       (minus),
        .rest_o        (rest),
        .up_o          (up)
      );

      assign waits_operand   = missing && !alone;
      assign wants_operand   = ((wants | {1'b0, share_wants}) & ~operand_valid_i & operand_exhausted_i) != 2'd0;
      assign operand_ready_o = (wants & {2{chunk_ready && !missing}}) | {1'b0, share_takes};
      assign chunk_goes      = softmax ? share_valid : alone ? !missing : !joined_valid;
    end else begin : gen_no_joins
      assign scale_ready     = 1'b1;
      assign joined_valid    = 1'b0;
      assign joined          = {LANES*ACC{1'b0}};
      assign minus           = 1'b0;
      assign rest            = {LANES*ACC{1'b0}};
      assign up              = {LANES{1'b0}};
      assign waits_operand   = 1'b0;
      assign wants_operand   = 1'b0;
      assign operand_ready_o = 2'd0;
      assign chunk_goes      = 1'b1;

      wire unused_joins = &{1'b0, acc_scale_first_i, acc_fraction_15_i, join_q, operand_valid_i, operand_chunk_i,
                            operand_exhausted_i, joined_valid, joined, chunk_goes};
    end
  endgenerate

  // -- The table of channels: it is read while a chunk waits a cycle ------------------------------------------------

  localparam CHANNELS  = (CHANNEL_GROUPS != 0) ? $clog2((PES + LANES - 1) / LANES) + $clog2(CHANNEL_GROUPS) : 0;
  localparam PLACE     = (CHANNELS != 0) ? CHANNELS : 1;

  wire                 sums_valid;
  wire                 sums_joined;
  wire [WIDE*ACC-1:0]  sums;
  wire [BANK-1:0]      sums_more;
  wire [2:0]           by_channel;
  wire [LANES*ACC-1:0] bias;
  wire [LANES*47-1:0]  factor;
  wire [PLACE-1:0]     channel;
  wire                 late;
  wire [PLACE-1:0]     late_channel;
  wire [LANES*6-1:0]   shift;
  wire [LANES*16-1:0]  low;
  wire [LANES*16-1:0]  high;

  generate
    if (CHANNEL_GROUPS != 0) begin : gen_channels
      reg                 valid_q;
      reg                 joined_q;
      reg [WIDE*ACC-1:0]  sums_q;
      reg [BANK-1:0]      more_q;
      reg                 loading_q;
      reg [2:0]           by_channel_q;
      wire                loading;
      wire                table_ready;

      assign fills = acc_column_i != `TULLE_COLUMN_NONE;

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          {valid_q, loading_q} <= 2'd0;
          by_channel_q         <= 3'd0;
        end else begin
          if (chunk_ready) valid_q <= (chunk_valid && (softmax ? share_valid : !alone)) || joined_valid;
          loading_q <= loading;
          if (acc_sets) by_channel_q <= acc_by_channel_i;
        end
        if (chunk_ready) sums_q   <= joined_valid ? widened(joined) : chunk | widened(shares);
        if (chunk_ready) more_q   <= chunk_more;
        if (chunk_ready) joined_q <= joined_valid;
      end

      tulle_assert #(
        .MESSAGE ("a chunk or its share is 0")
      ) u_one_of_both (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!chunk_valid || chunk[LANES*ACC-1:0] == {LANES*ACC{1'b0}} || shares == {LANES*ACC{1'b0}})
      );

      assign filling         = loading || loading_q;
      assign filled          = loading_q && !loading;
      assign walking         = filling || chunk_valid;
      assign sums_valid      = valid_q;
      assign sums            = sums_q;
      assign sums_more       = more_q;
      assign sums_joined     = JOINS != 0 && joined_q;
      assign by_channel      = by_channel_q;
      assign partial_ready_o = sum_ready || table_ready;

      tulle_channel_table #(
        .ACC    (ACC),
        .PES    (PES),
        .LANES  (LANES),
        .GROUPS (CHANNEL_GROUPS),
        .LOOKUP (LOOKUP),
        .SOFTMAX (SOFTMAX),
        .ROUNDINGS (ROUNDINGS)
      ) u_channels (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .load_i         (acc_take && fills),
        .column_i       (acc_column_i),
        .first_i        (acc_group_i),
        .loading_o      (loading),
        .entry_start_o  (entry_start),
        .entry_write_o  (entry_write),
        .entry_o        (entry),
        .group_valid_i  (partial_valid_i),
        .group_ready_o  (table_ready),
        .group_i        (partial_group_i),
        .exhausted_i    (partial_exhausted_i),
        .start_i        (begins),
        .walk_first_i   (op_walk_i[15:0]),
        .walk_run_i     (op_walk_i[31:16]),
        .walk_repeats_i (op_walk_i[47:32]),
        .walk_holds_i   (op_walk_i[63:48]),
        .step_i         (chunk_valid && chunk_ready && chunk_goes),
        .bias_o         (bias),
        .factor_o       (factor),
        .place_o        (channel),
        .late_i         (late),
        .late_place_i   (late_channel),
        .shift_o        (shift),
        .low_o          (low),
        .high_o         (high)
      );
    end else begin : gen_alike
      assign fills           = 1'b0;
      assign filling         = 1'b0;
      assign filled          = 1'b0;
      assign walking         = 1'b0;
      assign sums_valid      = chunk_valid;
      assign sums            = chunk;
      assign sums_more       = chunk_more;
      assign sums_joined     = 1'b0;
      assign by_channel      = 3'd0;
      assign partial_ready_o = sum_ready;
      assign bias            = {LANES*ACC{1'b0}};
      assign factor          = {LANES*47{1'b0}};
      assign channel         = 1'b0;
      assign shift           = {LANES*6{1'b0}};
      assign low             = {LANES*16{1'b0}};
      assign high            = {LANES*16{1'b0}};
      assign entry_start     = 2'd0;
      assign entry_write     = 2'd0;
      assign entry           = 32'd0;

      wire unused_channels = &{1'b0, op_walk_i, acc_column_i, acc_group_i, acc_by_channel_i, late, late_channel};
    end
  endgenerate

  // Lanes behind those of the first group have nothing of their own.
  tulle_function_lanes #(
    .LANES     (WIDE),
    .MARK      (BANK),
    .ACC_WIDTH (ACC),
    .FUNCTIONS (FUNCTIONS),
    .ROUNDINGS (ROUNDINGS),
    .CHANNELS  (CHANNELS),
    .JOINS     (JOINS)
  ) u_functions (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .record_write_i (function_q || scale_write),
    .record_i       (row_record),
    .ready_o        (functions_ready),
    .enable_i       (chunk_ready),
    .valid_i        (sums_valid),
    .data_i         (sums),
    .mark_i         (sums_more),
    .by_channel_i   (by_channel),
    .bias_i         (widened(bias)),
    .factor_i       ({{(TAKE-1)*LANES*47{1'b0}}, factor}),
    .place_i        (channel),
    .late_o         (late),
    .late_place_o   (late_channel),
    .shift_i        ({{(TAKE-1)*LANES*6{1'b0}}, shift}),
    .low_i          ({{(TAKE-1)*LANES*16{1'b0}}, low}),
    .high_i         ({{(TAKE-1)*LANES*16{1'b0}}, high}),
    .first_i        (join_q != `TULLE_JOIN_NONE && !sums_joined),
    .second_i       (sums_joined),
    .rest_i         (widened(rest)),
    .minus_i        (minus),
    .up_i           ({{(TAKE-1)*LANES{1'b0}}, up}),
    .first_o        (lane_first),
    .valid_o        (lane_valid),
    .data_o         (lane_result),
    .mark_o         (lane_more)
  );

  generate
    if (LOOKUP != 0) begin : gen_lookup
      tulle_lookup #(
        .LANES (WIDE),
        .ACC   (ACC),
        .MARK  (BANK)
      ) u_lookup (
        .clk_i    (clk_i),
        .rst_ni   (rst_ni),
        .start_i  (entry_start[0]),
        .write_i  (entry_write[0]),
        .entry_i  (entry[7:0]),
        .use_i    (looks_up_q),
        .enable_i (result_ready || !result_valid),
        .valid_i  (lane_valid && !lane_first),
        .data_i   (lane_result),
        .mark_i   (lane_more),
        .valid_o  (result_valid),
        .data_o   (result),
        .mark_o   (result_more)
      );
    end else begin : gen_no_lookup
      assign result_valid = lane_valid && !lane_first;
      assign result       = lane_result;
      assign result_more  = lane_more;

      wire unused_lookup = &{1'b0, entry_start[0], entry_write[0], entry, looks_up_q};
    end
  endgenerate

  wire             beat_valid;
  wire             beat_ready;
  wire [MEM-1:0]   beat;
  wire [MEM/8-1:0] beat_strobe;
  wire             gather_idle;

  tulle_store_pack #(
    .MEM   (MEM),
    .ACC   (ACC),
    .PES   (PES),
    .LANES (WIDE),
    .TAKE  (TAKE)
  ) u_pack (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .burst_valid_i   (fill_valid),
    .burst_ready_o   (fill_taken),
    .burst_low_i     (fill[23:14]),
    .burst_bytes_i   (fill[13:3]),
    .burst_element_i (fill[1:0]),
    .burst_unsigned_i (fill[2]),
    .chunk_valid_i   (result_valid || words_valid_i),
    .chunk_ready_o   (result_ready),
    .chunk_room_o    (result_room),
    .chunk_i         (packed_in),
    .chunk_more_i    (result_more),
    .pair_i          (words_valid_i),
    .data_valid_o    (beat_valid),
    .data_ready_i    (beat_ready),
    .data_o          (beat),
    .strobe_o        (beat_strobe),
    .idle_o          (pack_idle)
  );

  // -- Runs of several planes fill beats and bursts ------------------------------------------------------------------

  generate
    if (LINES == 0) begin : gen_no_gather
      assign window_ready = 1'b1;
      assign gather       = 1'b0;
      assign upper        = 1'b0;
      assign window       = 2'd0;
      assign piece_ready  = 1'b1;
      assign lines_clear  = 1'b1;
      assign gather_idle  = 1'b1;
      assign beat_ready   = data_ready_i;
      assign data_valid_o = beat_valid;
      assign data_o       = beat;
      assign strobe_o     = beat_strobe;

      wire unused_gather = &{1'b0, piece_lines, piece_place, piece_first, piece_first_byte, piece_last_byte,
                           piece_cut, piece_fresh, piece_row};
    end else begin : gen_gather
      // Stores that are gathered take both halves of the lines in turn, so bursts of a store and of the one before may wait when its
      // next piece comes, and a window takes the lines of the row's window before the last. Bursts leave in order and are counted: a
      // piece waits until the burst of that window has left, and all bursts of the store before the last.
      localparam COUNT = $clog2(LINES) + 2; // bits of a number of bursts: rows end two to three while one waits

      reg              gather_q;    // of the store in progress
      reg              upper_q;
      reg  [COUNT-1:0] asked_q;     // bursts that were asked for, and those that were read from the lines
      reg  [COUNT-1:0] gone_q;
      reg  [COUNT-1:0] began_q;     // those that were asked for before this gathered store, and before the one before it
      reg  [COUNT-1:0] before_q;
      reg  [COUNT:0]   mark_q;      // {there is one, those with the row's burst before the last}
      reg  [COUNT:0]   last_mark_q; // the same of the row's last burst
      reg              store_q;     // those of the store before the last have left
      reg              clear_q;
      wire [2*COUNT+1:0] marks;     // of the row that is cut next
      wire             gone;
      wire             asks     = burst_taken && !record_valid_i && gather_q;
      wire             gathered = begins && gather;
      wire [COUNT-1:0] asked_d  = asked_q + {{COUNT-1{1'b0}}, asks};
      wire [COUNT:0]   mark     = !piece_cut ? mark_q : piece_fresh ? {COUNT+1{1'b0}} : marks[COUNT:0];
      wire [COUNT-1:0] since    = gone_q - mark[COUNT-1:0];
      wire [COUNT-1:0] of_store = gone_q - before_q;
      wire             store    = store_q || !of_store[COUNT-1];

      tulle_store_window #(
        .MEM   (MEM),
        .LINES (LINES)
      ) u_window (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .valid_i       (op_valid_i),
        .length_i      (op_length_i),
        .runs_i        (op_runs_i),
        .planes_i      (op_planes_i),
        .run_pitch_i   (op_run_pitch_i),
        .plane_pitch_i (op_plane_pitch_i),
        .restart_i     (begins || acc_take),
        .ready_o       (window_ready),
        .gather_o      (gather),
        .window_o      (window)
      );

      tulle_lutram #(
        .WIDTH (2 * (COUNT + 1)),
        .DEPTH (LINES / 4)
      ) u_marks (
        .clk_i   (clk_i),
        .we_i    (piece_taken && !record_valid_i && gather_q),
        .waddr_i (piece_row[COUNT-5:0]),
        .wdata_i (burst_ends ? {1'b1, asked_d, last_mark_q} : {last_mark_q, mark_q}),
        .raddr_i (piece_row[COUNT-5:0]),
        .rdata_o (marks)
      );

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          {gather_q, upper_q} <= 2'd0;
          {asked_q, gone_q}   <= {2*COUNT{1'b0}};
          {began_q, before_q} <= {2*COUNT{1'b0}};
        end else begin
          if (begins)   gather_q <= gather;
          if (gathered) upper_q  <= !upper_q;
          asked_q <= asked_d;
          gone_q  <= gone_q + {{COUNT-1{1'b0}}, gone};
          if (gathered) {began_q, before_q} <= {asked_d, began_q};
        end
      end

      always @(posedge clk_i) begin
        if (piece_cut) {last_mark_q, mark_q} <= piece_fresh ? {2*COUNT+2{1'b0}} : marks;
        store_q <= !gathered && store;
        clear_q <= !gather_q || (store && !(mark[COUNT] && since[COUNT-1]));
      end

      assign upper       = upper_q;

      wire unused_row = &{1'b0, piece_row};

      assign lines_clear = clear_q;

      tulle_store_gather #(
        .MEM   (MEM),
        .LINES (LINES)
      ) u_gather (
        .clk_i              (clk_i),
        .rst_ni             (rst_ni),
        .piece_valid_i      (piece_taken),
        .piece_ready_o      (piece_ready),
        .piece_gather_i     (gather_q && !record_valid_i),
        .piece_lines_i      (record_valid_i ? RECORD_BEATS[6:0] - 7'd1 : piece_lines),
        .piece_place_i      (piece_place),
        .piece_ends_i       (burst_ends),
        .piece_first_i      (piece_first),
        .piece_beats_i      (burst_beats[2:0]),
        .piece_first_byte_i (piece_first_byte),
        .piece_last_byte_i  (piece_last_byte),
        .data_valid_i       (beat_valid),
        .data_ready_o       (beat_ready),
        .data_i             (beat),
        .strobe_i           (beat_strobe),
        .data_valid_o       (data_valid_o),
        .data_ready_i       (data_ready_i),
        .data_o             (data_o),
        .strobe_o           (strobe_o),
        .gone_o             (gone),
        .idle_o             (gather_idle)
      );
    end
  endgenerate

  // -- Responses --------------------------------------------------------------------------------------------------

  wire           write_error;
  wire           write_decode;
  wire [TAG-1:0] write_tag;

  tulle_store_responses #(
    .TAG      (TAG),
    .BYTES    (BYTES),
    .LOCAL    (LOCAL)
  ) u_responses (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .op_ready_o       (stores_ready),
    .op_valid_i       (begins),
    .op_tag_i         (op_tag_i),
    .op_bytes_i       (op_bytes_i),
    .op_local_i       (op_address_i[63]),
    .burst_ready_o    (response_ready),
    .burst_valid_i    (burst_taken),
    .burst_last_i     (burst_last),
    .burst_alone_i    (record_valid_i),
    .response_valid_i (response_valid_i),
    .response_error_i (response_error_i),
    .response_alone_o (record_response_o),
    .done_valid_o     (done_valid_o),
    .done_ready_i     (done_ready_i),
    .done_tag_o       (done_tag_o),
    .bytes_valid_o    (bytes_valid_o),
    .bytes_o          (bytes_o),
    .error_o          (write_error),
    .error_decode_o   (write_decode),
    .error_tag_o      (write_tag),
    .idle_o           (stores_idle),
    .sole_o           (sole)
  );

  tulle_assert #(
    .MESSAGE ("no status record while a store has results to write")
  ) u_record_alone (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(record_valid_i || words_valid_i) || (groups_idle && bursts_idle && !result_valid))
  );

  // -- Errors: a lasting error is reported once ----------------------------------------------------------------------

  reg  field_told_q;
  reg  length_told_q;
  reg  length_error_q; // a register, because the readers know late that they have no more
  wire field_error  = setup_ready && setup_bad && engine_idle && !filling && !acc_valid_i && !acc_done_q && !field_told_q;
  wire length_error = ((wants_partial && partial_exhausted_i) || wants_operand) && !length_told_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {field_told_q, length_told_q, length_error_q} <= 3'd0;
    else begin
      field_told_q   <= field_told_q || field_error;
      length_told_q  <= length_told_q || length_error;
      length_error_q <= length_error;
    end
  end

  assign error_o       = (write_error || length_error_q || field_error) && !abort_i;
  assign error_code_o  = write_error    ? (write_decode ? `TULLE_STATUS_WRITE_DECODE_ERROR : `TULLE_STATUS_WRITE_SLAVE_ERROR)
                       : length_error_q ? `TULLE_STATUS_BAD_LENGTH
                       :                  `TULLE_STATUS_BAD_FIELD;
  assign error_queue_o = (length_error_q && !write_error) ? `TULLE_QUEUE_ACCUMULATE : `TULLE_QUEUE_STORE;
  assign error_tag_o   = write_error ? write_tag : length_error_q ? active_tag_q : op_tag_i;

  // An earlier store, whose data memory has not acknowledged, may still give tokens.
  assign waits_o = waits && sole;
  assign stall_o = waits;
  assign sent_o  = groups_idle && bursts_idle && !fill_valid && pack_idle && gather_idle && setup_idle && !acc_done_q && !reset_q && !filling;
  assign idle_o  = engine_idle && setup_idle && !acc_done_q && !reset_q && !filling;

  tulle_stream_check #(
    .WIDTH (ROWS + CLUSTERS + 4 + 64 + 32 + 32 + 64 + BYTES + 64 + TAG)
  ) u_op_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (op_valid_i),
    .ready_i (op_ready_o),
    .data_i  ({op_rows_i, op_clusters_i, op_element_i, op_interleave_i, op_unsigned_i, op_address_i, op_length_i,
               op_runs_i, op_planes_i, op_run_pitch_i, op_plane_pitch_i, op_bytes_i, op_walk_i, op_tag_i})
  );

  tulle_stream_check #(
    .WIDTH (6 + RECORD_WIDTH + 22 + 7 + 16 + TAG)
  ) u_acc_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (acc_valid_i),
    .ready_i (acc_ready_o),
    .data_i  ({acc_element_i, acc_source_i, acc_sum_clusters_i, acc_sum_rows_i, acc_final_i, acc_record_i,
               acc_column_i, acc_group_i, acc_by_channel_i, acc_operand_i, acc_join_i, acc_alone_i, acc_scale_first_i,
               acc_fraction_15_i, acc_softmax_i, acc_tag_i})
  );

  // A new accumulate withdraws what the reader offers for the old one.
  tulle_stream_check #(
    .WIDTH (PES*ACC)
  ) u_partial_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !(partial_op_valid_o && partial_op_ready_i)),
    .valid_i (partial_valid_i),
    .ready_i (partial_ready_o),
    .data_i  (partial_group_i)
  );

endmodule

`default_nettype wire
