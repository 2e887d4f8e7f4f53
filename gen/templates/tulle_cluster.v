// SPDX-License-Identifier: Apache-2.0
//
// tulle_cluster: a cluster, which is a control unit and its processing elements (PEs). Packets configure it, bring
// weights and activations, and start sequences of instructions.
//
//   packets -> packet queue -> selector -+-> parser -> instruction store -> sequencer -> PEs, store queue
//                                        +-> run queue -------------------> sequencer
//                                        +-> weight feeder -> weight queues of the PEs
//                                        +-> activation queue -> input loader, partial loader -> PEs
//                                                  PEs -> store queue, shift-out -> results
//
//: if parallel
// Loads of activations have a sequencer of their own, with an instruction store of its own.
//
//: end
// Packets come beat by beat, and each beat has the packet's command and count beside it. Each exec packet that stores
// gives one packet of results. After an error, the cluster takes packets and ignores them until reset.
//
// Ports
//   packet_*   packets, beat by beat
//   result_*   results, beat by beat
//   error_*    the first error
//   counts_o   the number of PEs that work or wait in this cycle
//   backlog_o  the number of packets that the cluster has not finished (variants with dispatch)
//   idle_o     nothing is under way
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_params.vh"

module tulle_cluster (
  input  wire		clk_i,
  input  wire		rst_ni,

  // Packets
  input  wire		packet_valid_i,
  output wire		packet_ready_o,
  input  wire	[`TULLE_ROW_BUS_WIDTH-1:0]	packet_data_i,
  input  wire	[7:0]	packet_command_i,
  input  wire	[15:0]	packet_count_i,
  input  wire		packet_scatter_i,
  input  wire		packet_last_i,
  input  wire	[`TULLE_PACKET_TAG_WIDTH-1:0]	packet_tag_i,	// tells the packets apart that the cluster has not finished

  // Results
  output wire		result_valid_o,
  input  wire		result_ready_i,
  output wire	[`TULLE_RESULT_BEATS*`TULLE_COLLECTOR_WIDTH-1:0]	result_data_o,	// the beat is the or of its parts
  output wire		result_last_o,
  output wire		result_set_o,	// the last beat of a store

  // The first error, until reset
  output wire		error_o,
  output wire	[15:0]	error_code_o,
  output wire	[`TULLE_ERROR_PLACE_WIDTH-1:0]	error_place_o,	// {tag of the packet, 1 for an error in a PE, number of the PE}

  // Sums over all PEs of the events of a cycle: see tulle_row
  output wire	[5*`TULLE_COUNT_WIDTH-1:0]	counts_o,

//: if dispatch
  // Packets that are not finished: those in the packet queue, and runs that are not complete
  output wire	[`TULLE_BACKLOG_WIDTH-1:0]	backlog_o,

//: end
  output wire		idle_o
);

  // -- Sizes

  localparam PES	= `TULLE_K;
  localparam SCAN	= `TULLE_SCAN;
  localparam BUFFERS	= `TULLE_INSTRUCTION_BUFFERS;
  localparam BUFFER_WIDTH	= `TULLE_BUFFER_ID_WIDTH;
  localparam BUFFER_FIELD	= 5;	// bits of the number of a buffer in a command
  localparam DATA_WIDTH	= `TULLE_DATA_WIDTH;
  localparam ACC_WIDTH	= `TULLE_ACC_WIDTH;
  localparam ELEMENT_WIDTH	= `TULLE_ELEMENT_WIDTH;
  localparam MAXIMUM	= `TULLE_MAXIMUM;
  localparam [15:0] FUNCTION_MASK	= `TULLE_FUNCTION_MASK;
  localparam ROUNDINGS	= `TULLE_ROUNDINGS;
  localparam INPUT_DEPTH	= `TULLE_INPUT_BUFFER_DEPTH;
  localparam ADDRESS_WIDTH	= `TULLE_INPUT_ADDR_WIDTH;
  localparam LINE_WIDTH	= `TULLE_LINE_WIDTH;
  localparam LINE_VALUES	= `TULLE_LINE_VALUES;
  localparam ENTRIES	= `TULLE_OUTPUT_QUEUE_DEPTH;
  localparam ENTRY_WIDTH	= `TULLE_OUTPUT_QUEUE_ADDR_WIDTH;
  localparam WORD_WIDTH	= `TULLE_WORD_WIDTH;
  localparam BUS_WIDTH	= `TULLE_ROW_BUS_WIDTH;
  localparam TAG_WIDTH	= `TULLE_PACKET_TAG_WIDTH;
  localparam BEAT_WIDTH	= TAG_WIDTH + `TULLE_COMMAND_WIDTH + 16 + 1 + BUS_WIDTH;	// tag, command, count, scatter, data
  localparam COUNT_WIDTH	= `TULLE_COUNT_WIDTH;
  localparam ERROR_PLACE_WIDTH	= `TULLE_ERROR_PLACE_WIDTH;
  localparam PAGE_WIDTH	= `TULLE_PAGE_WIDTH;
  localparam PAGE_SHIFT	= `TULLE_PAGE_SHIFT;
  localparam ACCUMULATORS	= `TULLE_ACCUMULATORS;
  localparam SCALAR	= `TULLE_SCALAR_UNIT;
  localparam PE_OPERANDS	= `TULLE_PE_OPERANDS;
  localparam ZERO_POINTS	= `TULLE_ZERO_POINTS;
  localparam EXTENSION_WIDTH	= SCALAR * (`TULLE_BUFFER_EXTENSION_WIDTH + ADDRESS_WIDTH) + PE_OPERANDS * ADDRESS_WIDTH;
  localparam OPERANDS_WIDTH	= 2 * ACCUMULATORS + EXTENSION_WIDTH + MAXIMUM + `TULLE_BUFFER_OPERANDS_WIDTH + 4 * ADDRESS_WIDTH +
                             2 * ENTRY_WIDTH;
  localparam INSTRUCTION_DEPTH	= `TULLE_INSTRUCTION_DEPTH;
  localparam BUSY_COUNT_WIDTH	= `TULLE_BUSY_COUNT_WIDTH;
  localparam FACTS_WIDTH	= ACCUMULATORS + `TULLE_BUFFER_PACKET_WIDTH + 2 * BUFFER_WIDTH;
  localparam SEQUENCE_WIDTH	= ZERO_POINTS * (DATA_WIDTH + 1) + `TULLE_BUFFER_SEQUENCE_WIDTH + ADDRESS_WIDTH;
  localparam PE_COUNTS_WIDTH	= `TULLE_PE_COUNTS_WIDTH;
  localparam PLACE_WIDTH	= PAGE_WIDTH + 1;	// bits of the begin of a sequence
  localparam KIND_WIDTH	= 2;	// bits that tell the errors of a PE apart
  localparam BESIDE	= `TULLE_REDUCES_BESIDE;	// 1: reductions run beside MACs
  localparam ASKERS	= PES + BESIDE;	// of the function unit
//: if reduces
//: if reduces_beside
//: else
  localparam [PES-1:0] FIRST_PE	= 1;
//: end
//: end
//: if ring
  localparam MOVE_WIDTH	= `TULLE_MOVE_WIDTH;
  localparam RETURN_WIDTH	= `TULLE_RETURN_WIDTH;
//: end

  // -- Packet queue

  wire		beat_valid;
  wire		beat_ready;
  wire	[BUS_WIDTH-1:0]	beat_data;
  wire	[7:0]	beat_command;
  wire	[15:0]	beat_count;
  wire		beat_scatter;
  wire		beat_last;
  wire	[TAG_WIDTH-1:0]	beat_tag;
  wire		whole_end;
  wire		whole_open;

  // Weights are often taken slower than the bus sends them. So many beats of one cluster's packet may wait while the next
  // packet, for another cluster, already comes.
  tulle_activation_queue #(
    .WIDTH	(BEAT_WIDTH),
    .DEPTH	(32)
  ) u_packet_queue (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	(packet_valid_i),
    .ready_o	(packet_ready_o),
    .data_i	({packet_tag_i, packet_command_i, packet_count_i, packet_scatter_i, packet_data_i}),
    .last_i	(packet_last_i),
    .valid_o	(beat_valid),
    .ready_i	(beat_ready),
    .data_o	({beat_tag, beat_command, beat_count, beat_scatter, beat_data}),
    .last_o	(beat_last),
    .end_o	(whole_end),
    .open_o	(whole_open),
    .drop_i	(1'b0)
  );

  wire unused_pieces = &{1'b0, whole_end, whole_open};

  // -- Selector: finds the kind of a packet and its instruction buffer

  wire	[TAG_WIDTH-1:0]	tag;	// of the packet in front of the selector
  wire		is_config;
  wire		is_exec;
  wire		bad_command_reserved;
  wire		bad_command_field;
  // tulle_distribution_unit has the values of these two bits.
  wire		is_empty = !beat_command[`TULLE_EXEC_KIND] && beat_scatter;	// exec without data

  tulle_decode_command u_decode_command (
    .word_i	({beat_command[`TULLE_EXEC_KIND] || beat_scatter, beat_command[6:0]}),
    .config_o	(is_config),
    .exec_o	(is_exec),
    .bad_reserved_o	(bad_command_reserved),
    .bad_field_o	(bad_command_field)
  );

  // Without accumulation buffers no sum waits for the last packet.
  wire bad_last = is_exec && beat_command[`TULLE_EXEC_LAST] && ACCUMULATORS == 0;

  wire	[4:0]	buffer;
  wire	[15:0]	count;
  wire	[BUFFER_WIDTH-1:0]	look_buffer;
  wire	[9:0]	look_entry;
  wire		look_single;
  wire	[PLACE_WIDTH-1:0]	place; // {the sequence has one instruction, page of the register file where it begins}
  wire		configured;
  wire	[FACTS_WIDTH-1:0]	packet_facts;

  wire		config_start;
  wire		config_done;

  wire		segments_start;
  wire		segments_valid;
  wire		segments_rest;
  wire	[15:0]	segments;
  wire		weight_start;
  wire		weight_ready;
  wire		weight_valid;
  wire		weight_beat_ready;
  wire		operand_valid;
  wire		operand_ready;
  wire		operand_done;

  wire		run_announce;
  wire		load_announce;
  wire		consuming;
  wire		shift_out;
  wire		rotate;
  wire		writes;
  wire		after;
  wire	[BUFFER_WIDTH-1:0]	after_buffer;
  wire	[15:0]	hold;
  wire		run_room;
  wire		rotating;
  wire		runs_idle;
  wire		load_pending;

  wire		run_error;
  wire	[15:0]	run_code;
  wire	[ERROR_PLACE_WIDTH-1:0]	run_place;
  wire		selector_idle;

  tulle_selector #(
    .BUFFERS	(BUFFERS),
    .PLACE	(PLACE_WIDTH),
    .ACCUMULATORS	(ACCUMULATORS)
  ) u_selector (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .beat_valid_i	(beat_valid),
    .beat_last_i	(beat_last),
    .beat_ready_o	(beat_ready),
    .tag_i	(beat_tag),
    .tag_o	(tag),
    .command_illegal_i	(bad_command_reserved || bad_command_field || bad_last),
    .command_exec_i	(is_exec),
    .command_empty_i	(is_empty),
    .command_buffer_i	(beat_command[`TULLE_EXEC_BUFFER]),
    .command_shift_out_i	(beat_command[`TULLE_EXEC_SHIFT_OUT]),
    .command_last_i	(beat_command[`TULLE_EXEC_LAST]),
    .count_i	(beat_count),
    .buffer_o	(buffer),
    .count_o	(count),
    .look_buffer_o	(look_buffer),
    .configured_i	(configured),
    .packet_i	(packet_facts),
    .place_i	({look_single, look_entry[PAGE_SHIFT +: PAGE_WIDTH]}),
    .place_o	(place),
    .config_start_o	(config_start),
    .config_done_i	(config_done),
    .segments_start_o	(segments_start),
    .segments_valid_i	(segments_valid),
    .segments_rest_i	(segments_rest),
    .weight_start_o	(weight_start),
    .weight_ready_i	(weight_ready),
    .weight_valid_o	(weight_valid),
    .weight_beat_ready_i	(weight_beat_ready),
    .operand_valid_o	(operand_valid),
    .operand_ready_i	(operand_ready),
    .operand_done_i	(operand_done),
    .run_o	(run_announce),
    .load_o	(load_announce),
    .consuming_o	(consuming),
    .shift_out_o	(shift_out),
    .rotate_o	(rotate),
    .writes_o	(writes),
    .after_o	(after),
    .after_buffer_o	(after_buffer),
    .hold_o	(hold),
    .run_ready_i	(run_room),
    .rotating_i	(rotating),
    .runs_idle_i	(runs_idle),
    .load_pending_i	(load_pending),
    .error_i	(run_error),
    .error_code_i	(run_code),
    .error_place_i	(run_place),
    .error_o	(error_o),
    .error_code_o	(error_code_o),
    .error_place_o	(error_place_o),
    .idle_o	(selector_idle)
  );

  // A command that is not exec is config.
  wire unused = &{1'b0, is_config, look_entry};

  // -- Parser: writes configuration payloads into the instruction store

  wire	[127:0]	record;
  wire		is_header;
  wire		is_instruction;
  wire		is_extension;
  wire		is_function;
  wire		bad_reserved;
  wire		bad_field;
  wire		bad_instruction;

  tulle_decode_config u_decode_record (
    .word_i	(record),
    .header_o	(is_header),
    .instruction_o	(is_instruction),
    .extension_o	(is_extension),
    .function_o	(is_function),
    .bad_reserved_o	(bad_reserved),
    .bad_field_o	(bad_field),
    .bad_instruction_o	(bad_instruction)
  );

  wire		queue_valid;	// at the head of the activation queue
  wire	[LINE_WIDTH-1:0]	queue_data;
  wire		queue_last;
  wire		queue_end;
  wire		queue_open;
  wire		config_ready;
  wire		config_error;
  wire	[15:0]	config_code;
  wire		store_instruction;
  wire	[4:0]	store_index;
  wire	[OPERANDS_WIDTH-1:0]	store_operands;
  wire		store_ready;
  wire		store_full;
  wire		store_buffer;
  wire	[FACTS_WIDTH-1:0]	store_packet;
  wire	[SEQUENCE_WIDTH-1:0]	store_sequence;
  wire		table_write;
  wire	[1:0]	table_index;

  tulle_parser #(
    .PIECE_WIDTH	(LINE_WIDTH),
    .BUFFERS	(BUFFERS),
    .DEPTH	(INSTRUCTION_DEPTH),
    .INPUT_DEPTH	(INPUT_DEPTH),
    .OUTPUT_DEPTH	(ENTRIES),
    .LINE	(LINE_VALUES),
    .FUNCTIONS	(FUNCTION_MASK),	// bit f: the variant has function f; function 0 is none
    .MAXIMUM	(MAXIMUM),
    .ACCUMULATORS	(ACCUMULATORS),
    .SCALAR	(SCALAR),
    .PE_OPERANDS	(PE_OPERANDS),
    .ROUNDINGS	(ROUNDINGS),
    .PES	(PES),
    .DATA_WIDTH	(DATA_WIDTH),
    .ZERO_POINTS	(ZERO_POINTS)
  ) u_parser (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(config_start),
    .beat_valid_i	(queue_valid),
    .beat_last_i	(queue_last),
    .beat_end_i	(queue_end),
    .beat_open_i	(queue_open),
    .beat_data_i	(queue_data),
    .beat_ready_o	(config_ready),
    .record_o	(record),
    .is_header_i	(is_header),
    .is_instruction_i	(is_instruction),
    .is_extension_i	(is_extension),
    .is_function_i	(is_function),
    .bad_reserved_i	(bad_reserved),
    .bad_field_i	(bad_field),
    .bad_instruction_i	(bad_instruction),
    .store_instruction_o	(store_instruction),
    .store_index_o	(store_index),
    .operands_o	(store_operands),
    .store_ready_i	(store_ready),
    .store_full_i	(store_full),
    .store_buffer_o	(store_buffer),
    .packet_o	(store_packet),
    .sequence_o	(store_sequence),
    .table_write_o	(table_write),
    .table_index_o	(table_index),
    .done_o	(config_done),
    .error_o	(config_error),
    .error_code_o	(config_code)
  );

  // -- Instruction store: instruction buffers and register file

  wire	[BUFFER_WIDTH-1:0]	fetch_buffer;
  wire	[9:0]	fetch_entry;
  wire	[9:0]	fetch_next;
  wire	[OPERANDS_WIDTH-1:0]	fetch_operands;
  wire	[SEQUENCE_WIDTH-1:0]	fetch_sequence;
  wire		first;
  wire		passed;

  tulle_instruction_store #(
    .BUFFERS	(BUFFERS),
    .DEPTH	(INSTRUCTION_DEPTH),
    .ENTRIES	(`TULLE_REGISTER_FILE_ENTRIES),
    .OPERANDS	(OPERANDS_WIDTH),
    .PACKET	(FACTS_WIDTH),
    .SEQUENCE	(SEQUENCE_WIDTH)
  ) u_instruction_store (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .buffer_i	(buffer),
    .clear_i	(config_start),
    .write_instruction_i	(store_instruction),
    .write_index_i	(store_index),
    .write_operands_i	(store_operands),
    .write_single_i	(store_index == 5'd1),
    .ready_o	(store_ready),
    .full_o	(store_full),
    .write_buffer_i	(store_buffer),
    .write_packet_i	(store_packet),
    .write_sequence_i	(store_sequence),
    .look_buffer_i	(look_buffer),
    .configured_o	(configured),
    .packet_o	(packet_facts),
    .look_entry_o	(look_entry),
    .look_single_o	(look_single),
    .read_entry_i	(fetch_entry),
    .operands_o	(fetch_operands),
    .next_o	(fetch_next),
    .read_buffer_i	(fetch_buffer),
    .sequence_o	(fetch_sequence),
    .first_o	(first),
    .run_i	(passed)
  );

  // -- Run queue: runs and loads that packets have announced

  wire	[TAG_WIDTH-1:0]	oldest_tag;
  // MACs have numbers of 8 bits. MACs in flight and those that a store waits for have numbers that are close to each
  // other, so that the order of two numbers is known.
  wire	[7:0]	issued;
  wire	[7:0]	closed;
  wire	[PES-1:0]	pe_closed;
  wire		mac_start;

  tulle_closed_count #(
    .PES	(PES),
    .FLIGHT	(`TULLE_MACS),
    .NUMBER	(8)
  ) u_closed_count (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .issue_i	(mac_start),
    .closed_i	(pe_closed),
    .issued_o	(issued),
    .closed_o	(closed)
  );

  wire		load_go;
  wire		load_end;
  wire		run_valid;
  wire	[BUFFER_WIDTH-1:0]	run_buffer;
  wire	[PLACE_WIDTH-1:0]	run_begin;
  wire	[15:0]	run_count;
  wire	[15:0]	run_hold;
  wire		run_shift_out;
  wire		run_rotate;
  wire		run_writes;
  wire		run_next;
  wire		run_end;
  wire		runs_ended;
  wire	[3:0]	runs_open;
  wire		run_queue_idle;
  wire		beside_idle;	// no reduction runs beside MACs

  // The end of a run is delayed by a cycle, so that its last MAC is counted.
  reg		run_ended_q;

  always @(posedge clk_i) run_ended_q <= rst_ni && run_end;

  tulle_run_queue #(
    .SLOTS	(8),
    .BUFFER	(BUFFER_WIDTH),
    .PLACE	(PLACE_WIDTH),
    .NUMBER	(8),
    .ACCUMULATORS	(ACCUMULATORS)
  ) u_run_queue (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .ready_o	(run_room),
    .announce_i	(run_announce),
    .announce_buffer_i	(buffer[BUFFER_WIDTH-1:0]),
    .announce_place_i	(place),
    .announce_count_i	(count),
    .announce_hold_i	(hold),
    .announce_shift_out_i	(shift_out),
    .announce_rotate_i	(rotate),
    .announce_writes_i	(writes),
    .announce_tag_i	(tag),
    .oldest_tag_o	(oldest_tag),
    .load_i	(load_announce),
    .load_after_i	(after),
    .load_after_buffer_i	(after_buffer),
    .load_done_i	(operand_done && load_pending),
    .load_pending_o	(load_pending),
    .load_go_o	(load_go),
    .run_valid_o	(run_valid),
    .run_buffer_o	(run_buffer),
    .run_place_o	(run_begin),
    .run_count_o	(run_count),
    .run_hold_o	(run_hold),
    .run_shift_out_o	(run_shift_out),
    .run_rotate_o	(run_rotate),
    .run_writes_o	(run_writes),
    .feeding_i	(!weight_ready),
    .run_next_i	(run_next),
    .run_end_i	(run_ended_q),
    .number_i	(issued),
    .closed_i	(closed),
    .rotating_o	(rotating),
    .open_o	(runs_open),
    .ended_o	(runs_ended),
    .idle_o	(run_queue_idle)
  );

  assign runs_idle = run_queue_idle && beside_idle;

//: if dispatch
  // -- Backlog, by which the distribution unit chooses a cluster

  reg	[5:0]	waiting_q;	// packets in the packet queue
  reg	[`TULLE_BACKLOG_WIDTH-1:0]	backlog_q;
  wire		packet_comes = packet_valid_i && packet_ready_o && packet_last_i;
  wire		packet_goes = beat_valid && beat_ready && beat_last;

  always @(posedge clk_i) begin
    if (!rst_ni) waiting_q <= 6'd0;
    else         waiting_q <= waiting_q + {5'd0, packet_comes} - {5'd0, packet_goes};
    backlog_q <= waiting_q + {2'd0, runs_open};
  end

  assign backlog_o = backlog_q;

//: else
  wire unused_open = &{1'b0, runs_open};

//: end
  // -- Sequencer: sends instructions to loaders, PEs and the store queue

  wire		input_start;
  wire	[15:0]	input_address;
  wire	[16:0]	input_wrap;
  wire	[15:0]	input_block;
  wire		input_zeros;
  wire	[DATA_WIDTH:0]	input_coding;
  wire		input_ready;
  wire		input_near;
  wire		input_idle;
  wire		partial_start;
  wire		partial_stays;
  wire		partial_idle;
  wire		partial_flush;
  wire		reduce_start;
  wire		reduce_idle;
  wire	[1:0]	reduce_function;
  wire	[3:0]	reduce_destination;
  wire		scalar_write;
  wire	[15:0]	scalar;
  wire		reduce_ready;
  wire		reduce_owned;
  wire		reduce_awaited;
  wire		reduce_hold;
  wire		reduce_moving;

//: if parallel
  // The same of each of the two sequencers:
  wire		run_input_start;
  wire	[15:0]	run_input_address;
  wire	[16:0]	run_input_wrap;
  wire	[15:0]	run_input_block;
  wire		run_input_zeros;
  wire	[DATA_WIDTH:0]	run_input_coding;
  wire		run_sequence_error;
  wire	[15:0]	run_sequence_code;
  wire		loads_start;
  wire	[15:0]	loads_address;
  wire	[16:0]	loads_wrap;
  wire	[15:0]	loads_block;
  wire		loads_zeros;
  wire	[DATA_WIDTH:0]	loads_coding;
  wire		loads_error;
  wire	[15:0]	loads_code;
  wire		unused_load_end;

//: end
  wire	[9:0]	run_entry = {{10-PAGE_WIDTH{1'b0}}, run_begin[PAGE_WIDTH-1:0]};
  wire	[9:0]	load_entry = {{10-PAGE_WIDTH{1'b0}}, place[PAGE_WIDTH-1:0]};

  wire	[PES-1:0]	issue_ready;
  wire	[ADDRESS_WIDTH-1:0]	mac_address;
  wire	[ADDRESS_WIDTH:0]	mac_wrap;
  wire	[ADDRESS_WIDTH:0]	mac_base = {1'b0, mac_address} - mac_wrap;
  wire		mac_resume;
  wire		mac_keep;
  wire		mac_chain;
  wire	[MAXIMUM:0]	mac_way;
  wire	[1:0]	mac_acc;
  wire		mac_advance;
  wire		mac_rotate;
  wire	[4:0]	mac_buffer;
  wire	[ADDRESS_WIDTH-1:0]	mac_stride;
  wire		mac_hold;

  wire	[ENTRY_WIDTH-1:0]	result_entry;
  wire		entry_busy;
  wire		store_start;
  wire		store_last;
  wire		store_room;
  wire		stores_idle;
  wire		stores_clear;	// the store queue's entries are being cleared, so that no store is issued
  wire		sequence_error;
  wire	[15:0]	sequence_code;

  tulle_sequencer #(
    .BUFFERS	(BUFFERS),
    .ENTRIES	(`TULLE_REGISTER_ENTRIES),	// the register file in whole pages
    .INPUT_DEPTH	(INPUT_DEPTH),
    .OUTPUT_DEPTH	(ENTRIES),
    .LINE	(LINE_VALUES),
    .REDUCE	(`TULLE_REDUCES),
    .MAXIMUM	(MAXIMUM),
    .ACCUMULATORS	(ACCUMULATORS),
    .SCALAR	(SCALAR),
    .PE_OPERANDS	(PE_OPERANDS),
    .BESIDE	(BESIDE),
    .DATA_WIDTH	(DATA_WIDTH),
    .ZERO_POINTS	(ZERO_POINTS)
  ) u_sequencer (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .abort_i	(error_o),
    .run_valid_i	(run_valid),
    .run_buffer_i	(run_buffer),
    .run_entry_i	(run_entry << PAGE_SHIFT),
    .run_single_i	(run_begin[PAGE_WIDTH]),
    .run_count_i	(run_count),
    .run_hold_i	(run_hold),
    .run_shift_out_i	(run_shift_out),
    .run_rotate_i	(run_rotate),
    .run_writes_i	(run_writes),
    .run_next_o	(run_next),
    .run_end_o	(run_end),
//: if parallel
    .load_start_i	(1'b0),
    .load_buffer_i	({BUFFER_WIDTH{1'b0}}),
    .load_entry_i	(10'd0),
    .load_single_i	(1'b0),
    .load_count_i	(16'd0),
    .load_go_i	(1'b0),
    .load_end_o	(unused_load_end),
//: else
    .load_start_i	(load_announce),
    .load_buffer_i	(buffer[BUFFER_WIDTH-1:0]),
    .load_entry_i	(load_entry << PAGE_SHIFT),
    .load_single_i	(place[PAGE_WIDTH]),
    .load_count_i	(count),
    .load_go_i	(load_go),
    .load_end_o	(load_end),
//: end
    .buffer_o	(fetch_buffer),
    .entry_o	(fetch_entry),
    .operands_i	(fetch_operands),
    .next_i	(fetch_next),
    .sequence_i	(fetch_sequence),
    .first_i	(first),
    .passed_o	(passed),
//: if parallel
    .input_start_o	(run_input_start),
    .input_address_o	(run_input_address),
    .input_wrap_o	(run_input_wrap),
    .input_block_o	(run_input_block),
    .input_zeros_o	(run_input_zeros),
    .input_coding_o	(run_input_coding),
//: else
    .input_start_o	(input_start),
    .input_address_o	(input_address),
    .input_wrap_o	(input_wrap),
    .input_block_o	(input_block),
    .input_zeros_o	(input_zeros),
    .input_coding_o	(input_coding),
//: end
    .input_ready_i	(input_ready),
    .input_near_i	(input_near),
    .input_idle_i	(input_idle),
    .partial_start_o	(partial_start),
    .partial_stays_o	(partial_stays),
    .partial_idle_i	(partial_idle),
    .reduce_start_o	(reduce_start),
    .reduce_function_o	(reduce_function),
    .reduce_destination_o	(reduce_destination),
    .reduce_idle_i	(reduce_idle),
    .scalar_write_i	(scalar_write),
    .scalar_i	(scalar),
    .reduce_ready_i	(reduce_ready),
    .reduce_owned_i	(reduce_owned),
    .reduce_awaited_i	(reduce_awaited),
    .operand_open_i	(queue_open),
    .operand_flush_o	(partial_flush),
    .pe_ready_i	(&issue_ready),
    .quiet_i	(issued == closed && stores_idle && beside_idle),
    .mac_start_o	(mac_start),
    .mac_address_o	(mac_address),
    .mac_wrap_o	(mac_wrap),
    .mac_resume_o	(mac_resume),
    .mac_keep_o	(mac_keep),
    .mac_chain_o	(mac_chain),
    .mac_way_o	(mac_way),
    .mac_acc_o	(mac_acc),
    .mac_advance_o	(mac_advance),
    .mac_rotate_o	(mac_rotate),
    .mac_buffer_o	(mac_buffer),
    .mac_stride_o	(mac_stride),
    .mac_hold_i	(mac_hold || reduce_hold),
    .result_o	(result_entry),
    .busy_i	(entry_busy),
    .store_start_o	(store_start),
    .store_last_o	(store_last),
    .store_ready_i	(store_room),
//: if parallel
    .error_o	(run_sequence_error),
    .error_code_o	(run_sequence_code)
//: else
    .error_o	(sequence_error),
    .error_code_o	(sequence_code)
//: end
  );

//: if parallel
  // -- Loads: a sequencer that only loads activations, in the same cycles in which the other one issues the instructions
  // of runs. Its instruction store is written like the other one. A buffer belongs to runs or to loads as long as it is
  // configured, so each store knows by itself whether a packet has run the buffer, and each sequencer keeps the running
  // operands of its instructions.

  wire	[BUFFER_WIDTH-1:0]	loads_buffer;
  wire	[9:0]	loads_entry;
  wire	[9:0]	loads_next;
  wire	[OPERANDS_WIDTH-1:0]	loads_operands;
  wire	[SEQUENCE_WIDTH-1:0]	loads_sequence;
  wire		loads_first;
  wire		loads_passed;
  wire		loads_ready;
  wire		loads_full;
  wire		unused_configured;
  wire	[FACTS_WIDTH-1:0]	unused_packet;
  wire	[9:0]	unused_look_entry;
  wire		unused_look_single;

  tulle_instruction_store #(
    .BUFFERS	(BUFFERS),
    .DEPTH	(INSTRUCTION_DEPTH),
    .ENTRIES	(`TULLE_REGISTER_FILE_ENTRIES),
    .OPERANDS	(OPERANDS_WIDTH),
    .PACKET	(FACTS_WIDTH),
    .SEQUENCE	(SEQUENCE_WIDTH)
  ) u_loads_store (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .buffer_i	(buffer),
    .clear_i	(config_start),
    .write_instruction_i	(store_instruction),
    .write_index_i	(store_index),
    .write_operands_i	(store_operands),
    .write_single_i	(store_index == 5'd1),
    .ready_o	(loads_ready),
    .full_o	(loads_full),
    .write_buffer_i	(store_buffer),
    .write_packet_i	(store_packet),
    .write_sequence_i	(store_sequence),
    .look_buffer_i	(look_buffer),
    .configured_o	(unused_configured),
    .packet_o	(unused_packet),
    .look_entry_o	(unused_look_entry),
    .look_single_o	(unused_look_single),
    .read_entry_i	(loads_entry),
    .operands_o	(loads_operands),
    .next_o	(loads_next),
    .read_buffer_i	(loads_buffer),
    .sequence_o	(loads_sequence),
    .first_o	(loads_first),
    .run_i	(loads_passed)
  );

  tulle_assert #(
    .MESSAGE	("both instruction stores give an instruction the same entry")
  ) u_same_entries (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .holds_i	(loads_ready == store_ready && loads_full == store_full)
  );

  // Outputs that have no meaning for loads
  wire		unused_run_next;
  wire		unused_run_end;
  wire		unused_partial_start;
  wire		unused_partial_stays;
  wire		unused_reduce_start;
  wire	[1:0]	unused_reduce_function;
  wire	[3:0]	unused_reduce_destination;
  wire		unused_partial_flush;
  wire		unused_mac_start;
  wire	[ADDRESS_WIDTH-1:0]	unused_mac_address;
  wire	[ADDRESS_WIDTH:0]	unused_mac_wrap;
  wire		unused_mac_resume;
  wire		unused_mac_keep;
  wire		unused_mac_chain;
  wire	[MAXIMUM:0]	unused_mac_way;
  wire	[1:0]	unused_mac_acc;
  wire		unused_mac_advance;
  wire		unused_mac_rotate;
  wire	[4:0]	unused_mac_buffer;
  wire	[ADDRESS_WIDTH-1:0]	unused_mac_stride;
  wire	[ENTRY_WIDTH-1:0]	unused_result_entry;
  wire		unused_store_start;
  wire		unused_store_last;

  tulle_sequencer #(
    .BUFFERS	(BUFFERS),
    .ENTRIES	(`TULLE_REGISTER_ENTRIES),
    .INPUT_DEPTH	(INPUT_DEPTH),
    .OUTPUT_DEPTH	(ENTRIES),
    .LINE	(LINE_VALUES),
    .MAXIMUM	(MAXIMUM),
    .ACCUMULATORS	(ACCUMULATORS),
    .SCALAR	(SCALAR),
    .PE_OPERANDS	(PE_OPERANDS),
    .DATA_WIDTH	(DATA_WIDTH),
    .ZERO_POINTS	(ZERO_POINTS)
  ) u_loads_sequencer (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .abort_i	(error_o),
    .run_valid_i	(1'b0),
    .run_buffer_i	({BUFFER_WIDTH{1'b0}}),
    .run_entry_i	(10'd0),
    .run_single_i	(1'b0),
    .run_count_i	(16'd0),
    .run_hold_i	(16'd0),
    .run_shift_out_i	(1'b0),
    .run_rotate_i	(1'b0),
    .run_writes_i	(1'b0),
    .run_next_o	(unused_run_next),
    .run_end_o	(unused_run_end),
    .load_start_i	(load_announce),
    .load_buffer_i	(buffer[BUFFER_WIDTH-1:0]),
    .load_entry_i	(load_entry << PAGE_SHIFT),
    .load_single_i	(place[PAGE_WIDTH]),
    .load_count_i	(count),
    .load_go_i	(load_go),
    .load_end_o	(load_end),
    .buffer_o	(loads_buffer),
    .entry_o	(loads_entry),
    .operands_i	(loads_operands),
    .next_i	(loads_next),
    .sequence_i	(loads_sequence),
    .first_i	(loads_first),
    .passed_o	(loads_passed),
    .input_start_o	(loads_start),
    .input_address_o	(loads_address),
    .input_wrap_o	(loads_wrap),
    .input_block_o	(loads_block),
    .input_zeros_o	(loads_zeros),
    .input_coding_o	(loads_coding),
    .input_ready_i	(input_ready),
    .input_near_i	(input_near),
    .input_idle_i	(input_idle),
    .partial_start_o	(unused_partial_start),
    .partial_stays_o	(unused_partial_stays),
    .partial_idle_i	(1'b1),
    .reduce_start_o	(unused_reduce_start),
    .reduce_function_o	(unused_reduce_function),
    .reduce_destination_o	(unused_reduce_destination),
    .reduce_idle_i	(1'b1),
    .scalar_write_i	(1'b0),
    .scalar_i	(16'd0),
    .reduce_ready_i	(1'b0),
    .reduce_owned_i	(1'b0),
    .reduce_awaited_i	(1'b0),
    .operand_open_i	(1'b0),
    .operand_flush_o	(unused_partial_flush),
    .pe_ready_i	(1'b0),
    .quiet_i	(1'b0),
    .mac_start_o	(unused_mac_start),
    .mac_address_o	(unused_mac_address),
    .mac_wrap_o	(unused_mac_wrap),
    .mac_resume_o	(unused_mac_resume),
    .mac_keep_o	(unused_mac_keep),
    .mac_chain_o	(unused_mac_chain),
    .mac_way_o	(unused_mac_way),
    .mac_acc_o	(unused_mac_acc),
    .mac_advance_o	(unused_mac_advance),
    .mac_rotate_o	(unused_mac_rotate),
    .mac_buffer_o	(unused_mac_buffer),
    .mac_stride_o	(unused_mac_stride),
    .mac_hold_i	(1'b0),
    .result_o	(unused_result_entry),
    .busy_i	(1'b0),
    .store_start_o	(unused_store_start),
    .store_last_o	(unused_store_last),
    .store_ready_i	(1'b0),
    .error_o	(loads_error),
    .error_code_o	(loads_code)
  );

  // A run that loads activations itself takes the whole packet, and no load is announced meanwhile.
  assign input_start    = run_input_start || loads_start;
  assign input_address  = consuming ? run_input_address : loads_address;
  assign input_wrap     = consuming ? run_input_wrap : loads_wrap;
  assign input_block    = consuming ? run_input_block : loads_block;
  assign input_zeros    = consuming ? run_input_zeros : loads_zeros;
  assign input_coding   = consuming ? run_input_coding : loads_coding;
  assign sequence_error = run_sequence_error || loads_error;
  assign sequence_code  = loads_error ? loads_code : run_sequence_code;

  tulle_assert #(
    .MESSAGE	("activations are loaded by a run that takes the packet, else by the loads' sequencer")
  ) u_one_loads (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .holds_i	(!(run_input_start && !consuming) && !(loads_start && consuming))
  );

//: end
  // -- Weights: the feeder sends words to all PEs

  wire		weight_begin;
  wire	[15:0]	weight_segments;
  wire		weight_take;
  wire	[PES*WORD_WIDTH-1:0]	weight_word;	// word p is for PE p
  wire		weight_end;
  wire	[PES-1:0]	pe_weight_ready;
  wire	[PES-1:0]	pe_weight_idle;
  wire		weight_waiting;
  wire		weight_error;

  tulle_segment_count u_segment_count (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(segments_start),
    .count_i	(count),
    .hold_i	(hold),
    .valid_o	(segments_valid),
    .segments_o	(segments),
    .rest_o	(segments_rest)
  );

  tulle_weight_feeder #(
    .BUS_WIDTH	(BUS_WIDTH),
    .PES	(PES),
    .SCAN	(SCAN),
    .ENTRIES	(`TULLE_ENTRIES_PER_BEAT),
    .DATA_WIDTH	(DATA_WIDTH),
    .INDEX_WIDTH	(`TULLE_INDEX_WIDTH)
  ) u_weight_feeder (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(weight_start),
    .segments_i	(segments),
    .ready_o	(weight_ready),
    .beat_valid_i	(weight_valid),
    .beat_last_i	(beat_last),
    .beat_data_i	(beat_data),
    .beat_ready_o	(weight_beat_ready),
    .begin_o	(weight_begin),
    .segments_o	(weight_segments),
    .take_o	(weight_take),
    .word_o	(weight_word),
    .end_o	(weight_end),
    .pe_ready_i	(&pe_weight_ready),
    .pe_idle_i	(&pe_weight_idle),
    .waiting_o	(weight_waiting),
    .error_o	(weight_error)
  );

  // -- Operands: they go through the activation queue, a line at a time, to the loaders. The parser reads the same
  // queue, and works only while the loaders do not.

  wire		loader_ready;
  wire		loader_drop;
  reg		scatter_q;	// of the packet in the queue, which holds one packet at a time

  always @(posedge clk_i) if (operand_valid) scatter_q <= beat_scatter;

  tulle_activation_queue #(
    .WIDTH	(BUS_WIDTH),
    .PIECES	(BUS_WIDTH / LINE_WIDTH),
    .DEPTH	(`TULLE_ACTIVATION_QUEUE_DEPTH)
  ) u_activation_queue (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	(operand_valid),
    .ready_o	(operand_ready),
    .data_i	(beat_data),
    .last_i	(beat_last),
    .valid_o	(queue_valid),
    .ready_i	(loader_ready || config_ready),
    .data_o	(queue_data),
    .last_o	(queue_last),
    .end_o	(queue_end),
    .open_o	(queue_open),
    .drop_i	(loader_drop)
  );

  // After an error the cluster drains the packet and may withdraw a beat, so the check ends with the error.
  tulle_stream_check #(
    .WIDTH	(BUS_WIDTH)
  ) u_operand_check (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni && !error_o),
    .valid_i	(operand_valid),
    .ready_i	(operand_ready),
    .data_i	(beat_data)
  );

  wire		loader_valid;
  wire		input_taken;
  wire		partial_taken;
  wire		partial_drop;
  wire		operand_error;
  reg		load_ended_q;	// all instructions of the load have been started

  always @(posedge clk_i) begin
    if (!rst_ni) load_ended_q <= 1'b0;
    else         load_ended_q <= (load_ended_q || load_end) && !operand_done;
  end

  tulle_operands u_operands (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .beat_valid_i	(queue_valid),
    .beat_last_i	(queue_last),
    .beat_end_i	(queue_end),
    .beat_ready_o	(loader_ready),
    .beat_drop_o	(loader_drop),
    .open_i	(queue_open),
    .valid_o	(loader_valid),
    .ready_i	(input_taken || partial_taken),
    .drop_i	(partial_drop),
    .need_i	(input_need || !partial_idle),
    .flush_i	(partial_flush),
    .finish_i	((consuming ? runs_ended : load_ended_q) && input_idle && partial_idle),
    .done_o	(operand_done),
    .error_o	(operand_error)
  );

  wire		input_need;
  wire	[PES-1:0]	line_write;	// bit p is for PE p
  wire	[`TULLE_INPUT_LINE_ADDR_WIDTH-1:0]	line;
  wire	[LINE_WIDTH-1:0]	line_data;
  wire	[LINE_VALUES-1:0]	line_mask;

  tulle_input_loader #(
    .LOAD_WIDTH	(LINE_WIDTH),
    .DATA_WIDTH	(DATA_WIDTH),
    .LINES	(`TULLE_INPUT_LINES),
    .PES	(PES),
    .SCATTER	(`TULLE_SCATTER),
    .MAXIMUM	(MAXIMUM),
    .ZERO_POINTS	(ZERO_POINTS)
  ) u_input_loader (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(input_start),
    .address_i	(input_address),
    .wrap_i	(input_wrap),
    .block_i	(input_block),
    .zeros_i	(input_zeros),
    .coding_i	(input_coding),
    .start_ready_o	(input_ready),
    .near_o	(input_near),
    .idle_o	(input_idle),
    .need_o	(input_need),
    .scatter_i	(scatter_q),
    .valid_i	(loader_valid),
    .ready_o	(input_taken),
    .data_i	(queue_data),
    .write_o	(line_write),
    .line_o	(line),
    .data_o	(line_data),
    .mask_o	(line_mask)
  );

  // Bit or word p belongs to PE p.
  wire	[PES-1:0]	partial_write;
  wire	[PES*ACC_WIDTH-1:0]	partial;

  tulle_partial_loader #(
    .PIECE_WIDTH	(LINE_WIDTH),
    .ELEMENT_WIDTH	(ELEMENT_WIDTH),
    .ACC_WIDTH	(ACC_WIDTH),
    .PES	(PES)
  ) u_partial_loader (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(partial_start),
    .idle_o	(partial_idle),
    .valid_i	(loader_valid),
    .ready_o	(partial_taken),
    .drop_o	(partial_drop),
    .data_i	(queue_data),
    .write_o	(partial_write),
    .data_o	(partial)
  );

  // -- PEs

  // Bit or word p belongs to PE p.
  wire	[PES*ACC_WIDTH-1:0]	result;
  wire		result_take;
  wire	[ENTRY_WIDTH-1:0]	store_entry;
  wire	[PES-1:0]	pe_idle;
  wire	[PES-1:0]	pe_starved;
  wire	[PES-1:0]	chain_valid;
  wire	[PES*ACC_WIDTH-1:0]	chain;
  wire	[ASKERS-1:0]	chain_shift;
  wire	[PES*BUFFER_FIELD-1:0]	chain_buffer;
  wire	[ASKERS-1:0]	function_valid;
  wire	[ACC_WIDTH-1:0]	function_result;
  wire	[PES-1:0]	reduce_take;
//: if reduces_beside
  wire		reduce_stop;
  wire	[PES-1:0]	pe_still;
//: end
  wire	[ENTRY_WIDTH-1:0]	reduce_source;
  wire	[PES-1:0]	reduce_write;	// PEs that get the result of a reduction
  wire	[1:0]	function_index;
  wire		function_copies;
  wire	[ASKERS-1:0]	asks;	// requests to the function unit
  wire	[ENTRY_WIDTH-1:0]	taken_entry;	// that a store or a reduction reads
  wire	[ENTRY_WIDTH-1:0]	partial_entry;	// that a partial sum or a reduction writes
  wire		pe_answers;	// answers of the function unit are for PEs
  wire	[ACC_WIDTH-1:0]	answer;
  wire	[ASKERS*ACC_WIDTH-1:0]	asked;	// what the function unit reads
  wire	[ASKERS*BUFFER_FIELD-1:0]	asked_buffer;
  wire	[PES-1:0]	pe_error;
  wire	[PES-1:0]	pe_stuck;
  wire	[PES*PE_COUNTS_WIDTH-1:0]	pe_counts;
  wire	[PES*KIND_WIDTH-1:0]	pe_kind;
//: if ring

  // The ring: pairs for the left neighbour, sums that come back, and the progress of each PE
  wire	[PES-1:0]	move_valid;
  wire	[PES*MOVE_WIDTH-1:0]	move_load;
  wire	[PES-1:0]	return_valid;
  wire	[PES*RETURN_WIDTH-1:0]	return_sum;
  wire	[PES-1:0]	mac_ended;
  wire	[PES-1:0]	hungry;
//: end

  // A MAC that adds to the result of one of the three MACs before it waits for that result in each PE.
  wire	[1:0]	mac_age;

  tulle_entry_age #(
    .ENTRY	(ENTRY_WIDTH)
  ) u_entry_age (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .issue_i	(mac_start),
    .entry_i	(result_entry),
    .age_o	(mac_age)
  );

  // The wires to all PEs are long, so they come from registers. A MAC:
  reg		issue_start_q;
  reg	[ADDRESS_WIDTH-1:0]	issue_address_q;
  reg	[ADDRESS_WIDTH:0]	issue_wrap_q;
  reg	[ADDRESS_WIDTH:0]	issue_base_q;
  reg	[ENTRY_WIDTH-1:0]	issue_result_q;
  reg	[1:0]	issue_age_q;
  reg	[4:0]	issue_buffer_q;
  reg		issue_resume_q;
  reg	[MAXIMUM:0]	issue_way_q;
  reg	[3:0]	issue_flags_q;	// keep, chain, advance, rotate

  always @(posedge clk_i) begin
    issue_start_q   <= rst_ni && mac_start;
    issue_address_q <= mac_address;
    issue_wrap_q    <= mac_wrap;
    issue_base_q    <= mac_base;
    issue_result_q  <= result_entry;
    issue_age_q     <= mac_age;
    issue_buffer_q  <= mac_buffer;
    issue_resume_q  <= mac_resume;
    issue_way_q     <= mac_way;
    issue_flags_q   <= {mac_keep, mac_chain, mac_advance, mac_rotate};
  end

//: if accumulators
  // Its accumulation buffer, or that of a partial sum:
  reg	[1:0]	issue_acc_q;
  reg		partial_stays_q;

  always @(posedge clk_i) begin
    issue_acc_q     <= mac_acc;
    partial_stays_q <= partial_stays;
  end

//: else
  wire	[1:0]	issue_acc_q = 2'd0;

  wire unused_acc = &{1'b0, mac_acc, partial_stays};

//: end
//: if pe_operands
  // The address of each PE: p times the stride is added for PE p, and wrap subtracted at most once. That takes two
  // cycles more: one to find whether the sum is below wrap, one to add. All signals of a MAC are delayed as much.
  localparam MAC_WIDTH	= 1 + ADDRESS_WIDTH + 1 + ENTRY_WIDTH + 2 + BUFFER_FIELD + 1 + (MAXIMUM + 1) + 4 + 2;

  reg	[PES*ADDRESS_WIDTH-1:0]	multiple;	// p times the stride
  reg	[PES*ADDRESS_WIDTH-1:0]	multiple_q;
  reg	[PES*ADDRESS_WIDTH-1:0]	offset_q;	// a cycle later
  reg	[ADDRESS_WIDTH-1:0]	later_address_q;
  reg	[ADDRESS_WIDTH:0]	later_base_q;
  reg	[ADDRESS_WIDTH:0]	later_twice_q;	// address minus twice wrap, modulo twice the depth
  reg	[MAC_WIDTH-1:0]	later_q;
  reg	[MAC_WIDTH-1:0]	pe_mac_q;
  wire	[PES*ADDRESS_WIDTH-1:0]	pe_address;
  wire	[PES*(ADDRESS_WIDTH+1)-1:0]	pe_base;
  wire		pe_start;
  wire	[ADDRESS_WIDTH:0]	pe_wrap;
  wire	[ENTRY_WIDTH-1:0]	pe_entry;
  wire	[1:0]	pe_age;
  wire	[BUFFER_FIELD-1:0]	pe_buffer;
  wire		pe_resume;
  wire	[MAXIMUM:0]	pe_way;
  wire	[3:0]	pe_flags;
  wire	[1:0]	pe_acc;

  assign {pe_start, pe_wrap, pe_entry, pe_age, pe_buffer, pe_resume, pe_way, pe_flags, pe_acc} = pe_mac_q;
//: if accumulators
//: else

  wire unused_pe_acc = &{1'b0, pe_acc};
//: end

  always @(posedge clk_i) begin
    multiple_q      <= multiple;
    offset_q        <= multiple_q;
    later_address_q <= issue_address_q;
    later_base_q    <= issue_base_q;
    later_twice_q   <= issue_base_q - issue_wrap_q;
    later_q  <= {rst_ni && issue_start_q, issue_wrap_q, issue_result_q, issue_age_q, issue_buffer_q, issue_resume_q,
                 issue_way_q, issue_flags_q, issue_acc_q};
    pe_mac_q <= {rst_ni && later_q[MAC_WIDTH-1], later_q[MAC_WIDTH-2:0]};
  end

  // An even multiple is a shift.
  integer	m;

  always @* begin
    multiple = {PES*ADDRESS_WIDTH{1'b0}};
    for (m = 1; m < PES; m = m + 1) begin
      if (m % 2 == 0) multiple[m*ADDRESS_WIDTH +: ADDRESS_WIDTH] = multiple[(m/2)*ADDRESS_WIDTH +: ADDRESS_WIDTH] << 1;
      else            multiple[m*ADDRESS_WIDTH +: ADDRESS_WIDTH] = multiple[(m-1)*ADDRESS_WIDTH +: ADDRESS_WIDTH] + mac_stride;
    end
  end

  genvar a;
  generate
    for (a = 0; a < PES; a = a + 1) begin : gen_pe_operands
      wire	[ADDRESS_WIDTH-1:0]	offset = offset_q[a*ADDRESS_WIDTH +: ADDRESS_WIDTH];
      wire	[ADDRESS_WIDTH:0]	sum;	// relative to wrap
      reg		around_q;	// the sum is not below wrap
      reg	[ADDRESS_WIDTH-1:0]	address_q;
      reg	[ADDRESS_WIDTH:0]	base_q;

      assign sum = issue_base_q + {1'b0, multiple_q[a*ADDRESS_WIDTH +: ADDRESS_WIDTH]};

      always @(posedge clk_i) begin
        around_q  <= !sum[ADDRESS_WIDTH];
        address_q <= (around_q ? later_base_q[ADDRESS_WIDTH-1:0] : later_address_q) + offset;
        base_q    <= (around_q ? later_twice_q : later_base_q) + {1'b0, offset};
      end

      assign pe_address[a*ADDRESS_WIDTH +: ADDRESS_WIDTH]   = address_q;
      assign pe_base[a*(ADDRESS_WIDTH+1) +: ADDRESS_WIDTH+1] = base_q;

      wire unused_sum = &{1'b0, sum};
    end
  endgenerate

//: else
  wire	[1:0]	pe_acc = issue_acc_q;

  wire unused_stride = &{1'b0, mac_stride, pe_acc};

//: end
  // A partial sum, which shares the wires of the function unit's results:
  reg	[PES-1:0]	partial_write_q;
  reg		partial_comes_q;
  reg	[PES*ACC_WIDTH-1:0]	partial_q;

  always @(posedge clk_i) begin
    partial_write_q <= rst_ni ? partial_write : {PES{1'b0}};
    partial_comes_q <= !partial_idle;
    partial_q       <= partial;
  end

  genvar p;
  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_pe
//: if ring
      localparam LEFT  = (p + PES - 1) % PES;
      localparam RIGHT = (p + 1) % PES;

//: end
      tulle_pe u_pe (
        .clk_i	(clk_i),
        .rst_ni	(rst_ni),
//: if pe_operands
        .issue_start_i	(pe_start),
        .issue_address_i	(pe_address[p*ADDRESS_WIDTH +: ADDRESS_WIDTH]),
        .issue_wrap_i	(pe_wrap),
        .issue_base_i	(pe_base[p*(ADDRESS_WIDTH+1) +: ADDRESS_WIDTH+1]),
        .issue_result_i	(pe_entry),
        .issue_age_i	(pe_age),
        .issue_resume_i	(pe_resume),
        .issue_keep_i	(pe_flags[3]),
        .issue_chain_i	(pe_flags[2]),
        .issue_buffer_i	(pe_buffer),
        .issue_way_i	(pe_way),
        .issue_advance_i	(pe_flags[1]),
        .issue_rotate_i	(pe_flags[0]),
//: else
        .issue_start_i	(issue_start_q),
        .issue_address_i	(issue_address_q),
        .issue_wrap_i	(issue_wrap_q),
        .issue_base_i	(issue_base_q),
        .issue_result_i	(issue_result_q),
        .issue_age_i	(issue_age_q),
        .issue_resume_i	(issue_resume_q),
        .issue_keep_i	(issue_flags_q[3]),
        .issue_chain_i	(issue_flags_q[2]),
        .issue_buffer_i	(issue_buffer_q),
        .issue_way_i	(issue_way_q),
        .issue_advance_i	(issue_flags_q[1]),
        .issue_rotate_i	(issue_flags_q[0]),
//: end
//: if accumulators
        .issue_acc_i	(pe_acc),
        .partial_acc_i	(issue_acc_q),
        .partial_stays_i	(partial_stays_q && partial_comes_q),
//: end
        .issue_ready_o	(issue_ready[p]),
        .weight_begin_i	(weight_begin),
        .weight_segments_i	(weight_segments),
        .weight_take_i	(weight_take),
        .weight_word_i	(weight_word[p*WORD_WIDTH +: WORD_WIDTH]),
        .weight_end_i	(weight_end),
        .weight_ready_o	(pe_weight_ready[p]),
        .weight_idle_o	(pe_weight_idle[p]),
        .line_write_i	(line_write[p]),
        .line_i	(line),
        .line_data_i	(line_data),
        .line_mask_i	(line_mask),
        .partial_write_i	(partial_write_q[p] || reduce_write[p]),
        .partial_address_i	(partial_entry),
        .store_take_i	(result_take || reduce_take[p]),
        .store_address_i	(taken_entry),
        .store_o	(result[p*ACC_WIDTH +: ACC_WIDTH]),
//: if reduces_beside
        .stop_i	(reduce_stop),
        .still_o	(pe_still[p]),
//: end
        .closed_o	(pe_closed[p]),
        .idle_o	(pe_idle[p]),
        .starved_o	(pe_starved[p]),
//: if ring
        .help_valid_i	(move_valid[RIGHT]),
        .help_load_i	(move_load[RIGHT*MOVE_WIDTH +: MOVE_WIDTH]),
        .return_valid_o	(return_valid[p]),
        .return_o	(return_sum[p*RETURN_WIDTH +: RETURN_WIDTH]),
        .ended_o	(mac_ended[p]),
        .hungry_o	(hungry[p]),
        .move_valid_o	(move_valid[p]),
        .move_load_o	(move_load[p*MOVE_WIDTH +: MOVE_WIDTH]),
        .return_valid_i	(return_valid[LEFT]),
        .return_i	(return_sum[LEFT*RETURN_WIDTH +: RETURN_WIDTH]),
        .helper_ended_i	(mac_ended[LEFT]),
        .helper_hungry_i	(hungry[LEFT]),
//: end
        .chain_valid_o	(chain_valid[p]),
        .chain_o	(chain[p*ACC_WIDTH +: ACC_WIDTH]),
        .chain_shift_i	(chain_shift[p]),
        .chain_buffer_o	(chain_buffer[p*BUFFER_FIELD +: BUFFER_FIELD]),
        .function_valid_i	(function_valid[p] && pe_answers),
        .given_i	(partial_comes_q ? partial_q[p*ACC_WIDTH +: ACC_WIDTH] : answer),
        .stuck_o	(pe_stuck[p]),
        .counts_o	(pe_counts[p*PE_COUNTS_WIDTH +: PE_COUNTS_WIDTH]),
        .error_o	(pe_error[p]),
        .error_kind_o	(pe_kind[p*KIND_WIDTH +: KIND_WIDTH])
      );
    end
  endgenerate

//: if reduces
//: if reduces_beside
  // -- Reductions over the PEs, beside MACs. The function unit serves them like one more PE.

  wire	[ADDRESS_WIDTH+ENTRY_WIDTH-1:0]	reduce_entry = {{ENTRY_WIDTH{1'b0}}, mac_address};
  wire	[ENTRY_WIDTH-1:0]	reduce_result;
  wire		reduce_chain;
  wire	[ACC_WIDTH-1:0]	reduced;
  wire	[BUFFER_FIELD-1:0]	reduced_buffer;
  wire	[ACC_WIDTH-1:0]	reduce_value;
  wire		reduce_done;

  tulle_reduce_beside #(
    .PES	(PES),
    .ACC_WIDTH	(ACC_WIDTH),
    .BUFFERS	(BUFFERS),
    .ENTRIES	(ENTRIES),
    .STEP	(4),
    .NUMBER	(8)
  ) u_reduce_beside (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(reduce_start),
    .source_i	(reduce_entry[ENTRY_WIDTH-1:0]),
    .buffer_i	(mac_buffer),
    .ready_o	(reduce_ready),
    .entry_i	(result_entry),
    .owned_o	(reduce_owned),
    .awaited_o	(reduce_awaited),
    .issued_i	(issued),
    .closed_i	(closed),
    .hold_o	(reduce_hold),
    .store_take_i	(result_take),
    .take_o	(reduce_take),
    .take_entry_o	(reduce_source),
    .read_i	(result),
    .table_write_i	(table_write),
    .table_buffer_i	(buffer),
    .table_record_i	(record),
    .chain_valid_o	(reduce_chain),
    .chain_o	(reduced),
    .chain_buffer_o	(reduced_buffer),
    .chain_shift_i	(chain_shift[PES]),
    .function_valid_i	(function_valid[PES]),
    .function_i	(function_result),
    .stop_o	(reduce_stop),
    .still_i	(pe_still),
    .write_o	(reduce_done),
    .write_entry_o	(reduce_result),
    .value_o	(reduce_value),
    .moving_o	(reduce_moving),
    .idle_o	(beside_idle)
  );

  assign reduce_idle   = beside_idle;
  assign reduce_write  = {PES{reduce_done}};
  assign scalar_write  = 1'b0;
  assign scalar        = 16'd0;
  assign function_index  = 2'd0;
  assign function_copies = 1'b0;
  assign asks          = {reduce_chain, chain_valid};
  assign asked         = {reduced, chain};
  assign asked_buffer  = {reduced_buffer, chain_buffer};
  assign taken_entry   = result_take ? store_entry : reduce_source;
  assign partial_entry = reduce_done ? reduce_result : issue_result_q;
  assign pe_answers    = 1'b1;
  assign answer        = reduce_done ? reduce_value : function_result;

  wire unused_entry = &{1'b0, reduce_entry, reduce_function, reduce_destination};

//: else
  // -- Reductions over the PEs. All PEs are idle then. The function unit treats the sum as a sum of PE 0.

  wire	[ADDRESS_WIDTH+ENTRY_WIDTH-1:0]	reduce_entry = {{ENTRY_WIDTH{1'b0}}, mac_address};
  wire		reduce_chain;
  wire		take;
  wire	[ACC_WIDTH-1:0]	reduced;

  tulle_reduce #(
    .PES	(PES),
    .ACC_WIDTH	(ACC_WIDTH),
    .BUFFERS	(BUFFERS),
    .STEP	(4),
    .FORMS	(SCALAR)
  ) u_reduce (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(reduce_start),
    .buffer_i	(mac_buffer),
    .function_i	(reduce_function),
    .destination_i	(reduce_destination),
    .take_o	(take),
    .result_i	(result),
    .table_write_i	(table_write),
    .table_buffer_i	(buffer),
    .table_index_i	(table_index),
    .table_record_i	(record),
    .chain_valid_o	(reduce_chain),
    .chain_o	(reduced),
    .chain_shift_i	(chain_shift[0]),
    .function_valid_i	(function_valid[0]),
    .function_index_o	(function_index),
    .copies_o	(function_copies),
    .write_o	(reduce_write),
    .scalar_write_o	(scalar_write),
    .idle_o	(reduce_idle)
  );

  assign reduce_source = reduce_entry[ENTRY_WIDTH-1:0];
  assign scalar        = function_result[15:0];
  assign reduce_take   = {PES{take}};
  assign taken_entry   = take ? reduce_source : store_entry;
  assign asks          = chain_valid | ({PES{reduce_chain}} & FIRST_PE);
  assign pe_answers    = reduce_idle;

  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_asked
      assign asked[p*ACC_WIDTH +: ACC_WIDTH] =
             (p == 0 && reduce_chain) ? reduced : chain[p*ACC_WIDTH +: ACC_WIDTH];
      assign asked_buffer[p*BUFFER_FIELD +: BUFFER_FIELD] = (p == 0 && reduce_chain) ? mac_buffer : chain_buffer[p*BUFFER_FIELD +: BUFFER_FIELD];
    end
  endgenerate

  wire unused_entry = &{1'b0, reduce_entry};

//: end
//: else
  // -- No reductions over the PEs

  assign reduce_idle   = 1'b1;
  assign reduce_take   = {PES{1'b0}};
  assign reduce_source = {ENTRY_WIDTH{1'b0}};
  assign reduce_write  = {PES{1'b0}};
  assign taken_entry   = store_entry;
  assign asks          = chain_valid;
  assign pe_answers    = 1'b1;
  assign asked         = chain;
  assign asked_buffer  = chain_buffer;
  assign scalar_write  = 1'b0;
  assign scalar        = 16'd0;
  assign function_index  = 2'd0;
  assign function_copies = 1'b0;

  wire unused_reduce = &{1'b0, reduce_start, reduce_source, reduce_function, reduce_destination};

//: end
//: if reduces_beside
//: else
  assign beside_idle    = 1'b1;
  assign reduce_ready   = 1'b0;
  assign reduce_owned   = 1'b0;
  assign reduce_awaited = 1'b0;
  assign reduce_hold    = 1'b0;
  assign reduce_moving  = !reduce_idle;
  assign partial_entry  = issue_result_q;
  assign answer         = function_result;

//: end
  // -- Function unit: applies functions to the sums of chained MACs

  wire functions_idle;

  tulle_functions #(
    .PES	(ASKERS),
    .ACC_WIDTH	(ACC_WIDTH),
    .BUFFERS	(BUFFERS),
    .FUNCTIONS	(FUNCTION_MASK),
    .ROUNDINGS	(ROUNDINGS),
    .RECORDS	((SCALAR != 0) ? 3 : 1)
  ) u_functions (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .table_write_i	(table_write),
    .table_buffer_i	(buffer),
    .table_index_i	(table_index),
    .table_record_i	(record),
    .chain_valid_i	(asks),
    .chain_i	(asked),
    .chain_buffer_i	(asked_buffer),
    .index_i	(function_index),
    .copies_i	(!reduce_idle && function_copies),
    .chain_shift_o	(chain_shift),
    .function_valid_o	(function_valid),
    .function_o	(function_result),
    .idle_o	(functions_idle)
  );

  // -- Stores: send results to the collector

  wire		store_due;
  wire		store_due_last;
  wire		store_done;
  wire		shift_idle;

  tulle_store_queue #(
    .ENTRIES	(ENTRIES),
    .DEPTH	(32),
    .NUMBER	(8)
  ) u_store_queue (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .entry_i	(result_entry),
    .busy_o	(entry_busy),
    .store_i	(store_start),
    .last_i	(store_last),
    .ready_o	(store_room),
    .clears_o	(stores_clear),
    .issued_i	(issued),
    .closed_i	(closed),
    .hold_o	(mac_hold),
    .valid_o	(store_due),
    .head_o	(store_entry),
    .head_last_o	(store_due_last),
    .done_i	(store_done),
    .idle_o	(stores_idle)
  );

  tulle_shift_out #(
    .BUS_WIDTH	(`TULLE_COLLECTOR_WIDTH),
    .ELEMENT_WIDTH	(ELEMENT_WIDTH),
    .ACC_WIDTH	(ACC_WIDTH),
    .PES	(PES)
  ) u_shift_out (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	(store_due),
    .last_i	(store_due_last),
    .done_o	(store_done),
    .result_i	(result),
    .result_take_o	(result_take),
    .valid_o	(result_valid_o),
    .ready_i	(result_ready_i),
    .data_o	(result_data_o),
    .last_o	(result_last_o),
    .set_o	(result_set_o),
    .idle_o	(shift_idle)
  );

  // -- Errors and idleness

  wire		watch_error;
  wire	[15:0]	watch_code;

  tulle_watch #(
    .PES	(PES)
  ) u_watch (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .starved_i	(pe_starved),
    .waiting_i	(weight_waiting && !(&pe_weight_ready)),
    .feeding_i	(!weight_ready),
    .unfinished_i	(issued != closed),
    .moving_i	(mac_start || line_write[0] || store_due || stores_clear || !partial_idle || reduce_moving),
    .error_o	(watch_error),
    .error_code_o	(watch_code)
  );

  // A stuck PE is reported only after all others have stopped, because the oldest run is then the run of the error.
  reg	[6:0]	still_q;	// cycles since a PE multiplied or looked for pairs
  wire		stuck = still_q[6];

  always @(posedge clk_i) begin
    if (!rst_ni || pe_stuck == {PES{1'b0}} || counts_o[2*COUNT_WIDTH-1:0] != {2*COUNT_WIDTH{1'b0}}) still_q <= 7'd0;
    else if (!still_q[6]) still_q <= still_q + 7'd1;
  end

  // The lowest PE that reports an error.
  reg		pe_error_q;
  reg	[1:0]	pe_kind_q;
  reg		pe_stuck_q;	// the error is a position outside the input buffer
  reg	[3:0]	pe_q;
  reg	[4:0]	first_pe;
  integer	e;

  always @* begin
    first_pe = 5'd0;
    for (e = PES-1; e >= 0; e = e - 1) if (pe_error[e] || (stuck && pe_stuck[e])) first_pe = e[4:0];
  end

  always @(posedge clk_i) begin
    pe_error_q <= rst_ni && (pe_error != {PES{1'b0}} || stuck);
    pe_kind_q  <= pe_kind[first_pe*KIND_WIDTH +: KIND_WIDTH];
    pe_stuck_q <= pe_error == {PES{1'b0}};
    pe_q       <= first_pe[3:0];
  end

  wire	[15:0]	pe_code = pe_stuck_q        ? `TULLE_STATUS_OUT_OF_BUFFER :
                        pe_kind_q == 2'd0 ? `TULLE_STATUS_PACKET_LENGTH :
                        pe_kind_q == 2'd1 ? `TULLE_STATUS_BAD_ESCAPE :
                        pe_kind_q == 2'd2 ? `TULLE_STATUS_NO_FEATURE :
                                            `TULLE_STATUS_BAD_FIELD;

  // Errors of the control unit are found late in a cycle, so they go through a register.
  reg		found_q;
  reg	[15:0]	found_code_q;

  always @(posedge clk_i) begin
    found_q      <= rst_ni && (sequence_error || watch_error || config_error || operand_error || weight_error);
    found_code_q <= sequence_error ? sequence_code :
                    watch_error    ? watch_code :
                    config_error   ? config_code :
                                     `TULLE_STATUS_PACKET_LENGTH;
  end

  // The packet of an error is the one whose weights are fed, the one whose activations are loaded, the oldest one
  // that computes, or the one in front of the selector.
  reg	[TAG_WIDTH-1:0]	feed_tag_q;
  reg	[TAG_WIDTH-1:0]	load_tag_q;
  reg	[TAG_WIDTH-1:0]	pe_tag_q;
  reg	[TAG_WIDTH-1:0]	found_tag_q;

  always @(posedge clk_i) begin
    if (weight_start) feed_tag_q <= tag;
    if (load_announce) load_tag_q <= tag;
    pe_tag_q    <= pe_error != {PES{1'b0}} ? feed_tag_q : oldest_tag;
    found_tag_q <= (sequence_error || operand_error) && load_pending ? load_tag_q :
                   weight_error || (watch_error && watch_code == `TULLE_STATUS_QUEUE_OVERFLOW) ? feed_tag_q :
                   watch_error ? oldest_tag :
                                 tag;
  end

  assign run_place = pe_error_q ? {pe_tag_q, 1'b1, pe_q} : {found_tag_q, 5'd0};
  assign run_error = pe_error_q || found_q;
  assign run_code  = pe_error_q ? pe_code : found_code_q;

  // -- Counts

  wire	[PES-1:0]	pe_busy;
  wire	[PES*SCAN-1:0]	pe_scanned;
  wire	[PES-1:0]	pe_moved;
  wire	[PES-1:0]	pe_no_weights;
  wire	[PES-1:0]	pe_no_mac;

  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_counts
      assign {pe_no_mac[p], pe_no_weights[p], pe_moved[p], pe_scanned[p*SCAN +: SCAN], pe_busy[p]} =
             pe_counts[p*PE_COUNTS_WIDTH +: PE_COUNTS_WIDTH];
    end
  endgenerate

  tulle_add_up #(
    .PORTS	(PES),
    .SUM	(COUNT_WIDTH),
    .NEED	(BUSY_COUNT_WIDTH)
  ) u_busy (
    .clk_i	(clk_i),
    .words_i	(pe_busy),
    .sum_o	(counts_o[0 +: COUNT_WIDTH])
  );

  tulle_add_up #(
    .PORTS	(PES*SCAN),
    .SUM	(COUNT_WIDTH),
    .NEED	(`TULLE_SCAN_COUNT_WIDTH)
  ) u_scanned (
    .clk_i	(clk_i),
    .words_i	(pe_scanned),
    .sum_o	(counts_o[COUNT_WIDTH +: COUNT_WIDTH])
  );

  tulle_add_up #(
    .PORTS	(PES),
    .SUM	(COUNT_WIDTH),
    .NEED	(BUSY_COUNT_WIDTH)
  ) u_moved (
    .clk_i	(clk_i),
    .words_i	(pe_moved),
    .sum_o	(counts_o[2*COUNT_WIDTH +: COUNT_WIDTH])
  );

  tulle_add_up #(
    .PORTS	(PES),
    .SUM	(COUNT_WIDTH),
    .NEED	(BUSY_COUNT_WIDTH)
  ) u_no_weights (
    .clk_i	(clk_i),
    .words_i	(pe_no_weights),
    .sum_o	(counts_o[3*COUNT_WIDTH +: COUNT_WIDTH])
  );

  tulle_add_up #(
    .PORTS	(PES),
    .SUM	(COUNT_WIDTH),
    .NEED	(BUSY_COUNT_WIDTH)
  ) u_no_mac (
    .clk_i	(clk_i),
    .words_i	(pe_no_mac),
    .sum_o	(counts_o[4*COUNT_WIDTH +: COUNT_WIDTH])
  );

  assign idle_o = selector_idle && runs_idle && !load_pending && weight_ready && stores_idle && shift_idle &&
                  functions_idle && &pe_idle && line_write == {PES{1'b0}};

endmodule

`default_nettype wire
