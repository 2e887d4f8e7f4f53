// SPDX-License-Identifier: Apache-2.0
//
// tulle_top: the device. It runs programs from memory: it loads operands into storage units, distributes them to the
// rows of the array, and stores the results.
//
//   memory -> command processor -> queues of load, distribute, store, accumulate
//   memory -> load -> storage units -> distribution units -> array -> collectors -> store engine -> memory
//
// One AXI ID is in use at a time. A soft reset changes to the next ID, and responses to older ones are dropped.
// Memory ports beyond the first serve loads only: row r loads through port r modulo the number of ports.
//
// Ports
//   ap_clk, ap_rst_n, interrupt  clock, synchronous reset, interrupt
//   s_axi_control_*              control registers, AXI4-Lite (docs/registers.md)
//   m_axi_mem<number>_*          memory ports, AXI4
//   *_axi_host_*, host_*         the host port, in variants that have one (docs/pcie.md of the source tree)
// The names of clock, reset, registers, memory ports and interrupt are those that the Vitis flow expects of an RTL
// kernel.
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"
`include "tulle_params.vh"

module tulle_top (
//: include control_ports.v
//: for i < memory_masters

  // Memory port ${i}, AXI4: 64-bit addresses, INCR bursts of whole words
//: include axi_master_ports.v port=m_axi_mem${i}
//: if host_port
  input  wire		m_axi_mem${i}_rlast,
//: else
  input  wire		m_axi_mem${i}_rlast${,}
//: end
//: end
//: if host_port

  // Host port: registers of the function, AXI4-Lite (docs/pcie.md, page 0x1000 of BAR0)
  input  wire		s_axi_host_awvalid,
  output wire		s_axi_host_awready,
  input  wire	[11:0]	s_axi_host_awaddr,
  input  wire		s_axi_host_wvalid,
  output wire		s_axi_host_wready,
  input  wire	[31:0]	s_axi_host_wdata,
  input  wire	[3:0]	s_axi_host_wstrb,
  output wire		s_axi_host_bvalid,
  input  wire		s_axi_host_bready,
  output wire	[1:0]	s_axi_host_bresp,
  input  wire		s_axi_host_arvalid,
  output wire		s_axi_host_arready,
  input  wire	[11:0]	s_axi_host_araddr,
  output wire		s_axi_host_rvalid,
  input  wire		s_axi_host_rready,
  output wire	[31:0]	s_axi_host_rdata,
  output wire	[1:0]	s_axi_host_rresp,
  output wire		host_interrupt,

  // From the bridge: bytes of device memory and of BAR2, bus mastering is on, a function-level reset (one cycle), an
  // access of BAR2 outside the memory (one cycle). To the bridge: the address at which BAR2 begins
  input  wire	[63:0]	host_memory_bytes,
  input  wire	[63:0]	host_window_bytes,
  input  wire		host_master,
  input  wire		host_function_reset,
  input  wire		host_window_fault,
  output wire	[63:0]	host_window,

  // The host's memory, AXI4: 64-bit addresses, INCR bursts of whole words
//: include axi_master_ports.v port=m_axi_host
  input  wire		m_axi_host_rlast
//: end
);

  // -- Sizes

  localparam ROWS	= `TULLE_N;
  localparam CLUSTERS	= `TULLE_M;
  localparam PES	= `TULLE_K;
  localparam PORTS	= `TULLE_MEMORY_PORTS;
  localparam ACC_WIDTH	= `TULLE_ACC_WIDTH;
  localparam [15:0] FUNCTION_MASK	= `TULLE_FUNCTION_MASK;
  localparam ZERO_POINTS	= `TULLE_ZERO_POINTS;
  localparam CHANNEL_GROUPS	= `TULLE_TABLE_GROUPS;
  localparam ROUNDINGS	= `TULLE_ROUNDINGS;
  localparam LOOKUP	= `TULLE_LOOKUP;
  localparam [15:0] STORE_FUNCTIONS	= FUNCTION_MASK | ((LOOKUP != 0) ? 16'd1 << `TULLE_FUNCTION_LOOKUP : 16'd0);
  localparam JOINS	= `TULLE_JOINS;
  localparam SOFTMAX	= `TULLE_SOFTMAX;
  localparam STORE_LANES	= `TULLE_STORE_LANES;
  localparam STORE_TAKES	= `TULLE_STORE_TAKES;
  localparam TAKE_WIDTH	= (STORE_TAKES > 1) ? $clog2(STORE_TAKES) : 1;	// of a bank of a collector
  localparam BUS_WIDTH	= `TULLE_ROW_BUS_WIDTH;
  localparam TAG_WIDTH	= `TULLE_PACKET_TAG_WIDTH;
  localparam PACKET_ID_WIDTH	= `TULLE_PACKET_ID_WIDTH;
  localparam MEMORY_WIDTH	= `TULLE_MEMORY_WIDTH;
  localparam MEMORY_BYTES	= `TULLE_MEMORY_BYTES;
  localparam OUTSTANDING_READS	= `TULLE_OUTSTANDING_READS;
  localparam UNIT_BYTES	= `TULLE_UNIT_BYTES;
  localparam BANKS	= `TULLE_BANKS;
  localparam BANK_WIDTH	= 64;	// bits of a bank of a storage unit
  localparam BANK_ADDRESS_WIDTH	= `TULLE_BANK_ADDRESS_WIDTH;
  localparam BEAT_SHIFT	= `TULLE_BEAT_SHIFT;
  localparam BEAT_ADDRESS_WIDTH	= `TULLE_BEAT_ADDRESS_WIDTH;
  localparam COLLECTOR_WIDTH	= `TULLE_COLLECTOR_WIDTH;
  localparam ROW_WIDTH	= `TULLE_ROW_ID_WIDTH;
  localparam CLUSTER_WIDTH	= `TULLE_CLUSTER_ID_WIDTH;
  localparam BACKLOG_WIDTH	= `TULLE_BACKLOG_WIDTH;
  localparam COUNT_WIDTH	= `TULLE_COUNT_WIDTH;
  localparam [7:0] COUNT_WIDTH_8	= `TULLE_COUNT_WIDTH;
  localparam [7:0] PE_COUNT_WIDTH	= `TULLE_PE_COUNT_WIDTH;
  localparam [7:0] ROW_COUNT_WIDTH	= `TULLE_ROW_COUNT_WIDTH;
  localparam OP_PLACE_WIDTH	= `TULLE_PLACE_WIDTH;	// bits of the place of an operation in the program
  localparam OP_GIVES_WIDTH	= `TULLE_TAG_WIDTH - `TULLE_PLACE_WIDTH;	// bits of the tokens that an operation gives
  localparam OP_TAG_WIDTH	= `TULLE_TAG_WIDTH;
  localparam BYTES_WIDTH	= 44;	// bits of a number of bytes written in a cycle
  localparam READ_WIDTH	= 34;	// bits of a number of bytes read in a cycle: of a program, or for the storage units
  localparam FIRST_CLIENTS	= 3 + 2 * JOINS;	// readers of memory at port 0: command processor, partial sums, loads, operands
  localparam LOADS	= FIRST_CLIENTS - 1;	// the first of the loads' readers
  localparam CLIENTS	= PORTS + LOADS;	// all readers of memory; the loads of each port are last
  localparam REQUEST_WIDTH	= 64;	// bits of the address of a burst
  localparam BEATS_WIDTH	= 8;	// bits of its number of beats
  localparam CAUSE_WIDTH	= 24;	// {queue, status code} of an error
  localparam UNIT_WIDTH	= 24;	// {PE, cluster, row} of an error

  // -- Resets: a job ends with a reset of everything but the control block and the memory ports

  wire		soft_reset;
  wire		engine_reset;
  wire		flush;
  wire		abort;
  wire		start;
  reg		run_reset_q = 1'b1;	// active high, so that FPGAs with active-high resets need no inverter
  wire		run_n = !run_reset_q;

//: if job_queue
  // A job that waits behind the one that runs (tulle_control) begins before that one is done. The array and its ways are reset when
  // they have nothing left of it, and the store engine when it is done.

  wire		next;
  wire		ahead;
  wire		lead;
  wire		hand;
  wire		array_reset;
  wire		taken;
  reg		array_reset_q = 1'b1;
  reg		store_reset_q = 1'b1;
  wire		array_n = !array_reset_q;
  wire		store_n = !store_reset_q;

  always @(posedge ap_clk) array_reset_q <= !ap_rst_n || soft_reset || engine_reset || array_reset;
  always @(posedge ap_clk) store_reset_q <= !ap_rst_n || soft_reset || engine_reset || taken;
//: else
  wire		array_n = run_n;
  wire		store_n = run_n;
//: end

  // While their clients are in reset, the memory ports drop the transfers that they wait for.
  reg		flush_q;

  always @(posedge ap_clk) run_reset_q <= !ap_rst_n || soft_reset || engine_reset;
  always @(posedge ap_clk) flush_q     <= ap_rst_n && (soft_reset || flush);

  // -- Memory port 0. Its readers are command processor (0), partial sums (1), operands, if there are joins, and loads; the store engine
  // writes.

  wire	[CLIENTS-1:0]	request_valid;	// of command processor, partial sums, operands, loads of each port
  wire	[CLIENTS-1:0]	request_ready;
  wire	[CLIENTS*REQUEST_WIDTH-1:0]	request_address;
  wire	[CLIENTS*BEATS_WIDTH-1:0]	request_beats;
  wire	[CLIENTS-1:0]	read_valid;
  wire	[PORTS*MEMORY_WIDTH-1:0]	read_data;	// a word of each port, for all of its readers
  wire	[PORTS-1:0]	read_last;
  wire	[2*PORTS-1:0]	read_error;
  wire	[PORTS-1:0]	read_beat;
  wire	[PORTS-1:0]	read_idle;
//: if local_bytes
  wire	[FIRST_CLIENTS-1:0]	port_request_valid;	// without what is read from the activation bank
  wire	[FIRST_CLIENTS-1:0]	port_request_ready;
  wire	[FIRST_CLIENTS-1:0]	local_valid;	// a word of the activation bank for this reader
  wire	[MEMORY_WIDTH-1:0]	local_data;
  wire		local_last;
  wire		local_hold;
//: end

  tulle_read_port #(
    .MEM	(MEMORY_WIDTH),
    .OUTSTANDING	(OUTSTANDING_READS),
//: if local_bytes
    .CLIENTS	(FIRST_CLIENTS),
    .LOCAL	(1)
//: else
    .CLIENTS	(FIRST_CLIENTS)
//: end
  ) u_read_port (
    .clk_i	(ap_clk),
    .rst_ni	(ap_rst_n),
    .flush_i	(flush_q),
    .abort_i	(abort),
//: if local_bytes
    .request_valid_i	(port_request_valid),
    .request_ready_o	(port_request_ready),
//: else
    .request_valid_i	(request_valid[FIRST_CLIENTS-1:0]),
    .request_ready_o	(request_ready[FIRST_CLIENTS-1:0]),
//: end
    .request_address_i	(request_address[0 +: FIRST_CLIENTS*REQUEST_WIDTH]),
    .request_beats_i	(request_beats[0 +: FIRST_CLIENTS*BEATS_WIDTH]),
    .data_valid_o	(read_valid[FIRST_CLIENTS-1:0]),
    .data_o	(read_data[MEMORY_WIDTH-1:0]),
    .data_last_o	(read_last[0]),
    .data_error_o	(read_error[1:0]),
//: if local_bytes
    .local_valid_i	(local_valid),
    .local_data_i	(local_data),
    .local_last_i	(local_last),
    .hold_i	(local_hold),
//: else
    .local_valid_i	({FIRST_CLIENTS{1'b0}}),
    .local_data_i	({MEMORY_WIDTH{1'b0}}),
    .local_last_i	(1'b0),
    .hold_i	(1'b0),
//: end
    .beat_o	(read_beat[0]),
    .idle_o	(read_idle[0]),
    .axi_arvalid_o	(m_axi_mem0_arvalid),
    .axi_arready_i	(m_axi_mem0_arready),
    .axi_arid_o	(m_axi_mem0_arid),
    .axi_araddr_o	(m_axi_mem0_araddr),
    .axi_arlen_o	(m_axi_mem0_arlen),
    .axi_arsize_o	(m_axi_mem0_arsize),
    .axi_arburst_o	(m_axi_mem0_arburst),
    .axi_rvalid_i	(m_axi_mem0_rvalid),
    .axi_rready_o	(m_axi_mem0_rready),
    .axi_rid_i	(m_axi_mem0_rid),
    .axi_rdata_i	(m_axi_mem0_rdata),
    .axi_rresp_i	(m_axi_mem0_rresp),
    .axi_rlast_i	(m_axi_mem0_rlast)
  );

  wire		burst_valid;
  wire		burst_ready;
  wire	[63:0]	burst_address;
  wire	[7:0]	burst_beats;
  wire		write_valid;
  wire		write_ready;
  wire	[MEMORY_WIDTH-1:0]	write_data;
  wire	[MEMORY_BYTES-1:0]	write_strobe;
  wire		response_valid;
  wire	[1:0]	response_error;
  wire		write_beat;
  wire		write_idle;
//: if local_bytes
  wire		port_burst_valid;	// without what is written to the activation bank
  wire		port_burst_ready;
  wire		port_write_valid;
  wire		port_write_ready;
  wire		port_response_valid;
  wire	[1:0]	port_response_error;
  reg		bank_write_q;	// a word was written
//: end

  tulle_write_port #(
    .MEM	(MEMORY_WIDTH),
    .OUTSTANDING	(32),
    .CLIENTS	(1),
    .EVERY_CYCLE	(`TULLE_WRITE_EVERY_CYCLE)
  ) u_write_port (
    .clk_i	(ap_clk),
    .rst_ni	(ap_rst_n),
    .flush_i	(flush_q),
    .abort_i	(abort),
//: if local_bytes
    .burst_valid_i	(port_burst_valid),
    .burst_ready_o	(port_burst_ready),
//: else
    .burst_valid_i	(burst_valid),
    .burst_ready_o	(burst_ready),
//: end
    .burst_address_i	(burst_address),
    .burst_beats_i	(burst_beats),
//: if local_bytes
    .data_valid_i	(port_write_valid),
    .data_ready_o	(port_write_ready),
//: else
    .data_valid_i	(write_valid),
    .data_ready_o	(write_ready),
//: end
    .data_i	(write_data),
    .strobe_i	(write_strobe),
//: if local_bytes
    .response_valid_o	(port_response_valid),
    .response_error_o	(port_response_error),
//: else
    .response_valid_o	(response_valid),
    .response_error_o	(response_error),
//: end
    .beat_o	(write_beat),
    .idle_o	(write_idle),
    .axi_awvalid_o	(m_axi_mem0_awvalid),
    .axi_awready_i	(m_axi_mem0_awready),
    .axi_awid_o	(m_axi_mem0_awid),
    .axi_awaddr_o	(m_axi_mem0_awaddr),
    .axi_awlen_o	(m_axi_mem0_awlen),
    .axi_awsize_o	(m_axi_mem0_awsize),
    .axi_awburst_o	(m_axi_mem0_awburst),
    .axi_wvalid_o	(m_axi_mem0_wvalid),
    .axi_wready_i	(m_axi_mem0_wready),
    .axi_wdata_o	(m_axi_mem0_wdata),
    .axi_wstrb_o	(m_axi_mem0_wstrb),
    .axi_wlast_o	(m_axi_mem0_wlast),
    .axi_bvalid_i	(m_axi_mem0_bvalid),
    .axi_bready_o	(m_axi_mem0_bready),
    .axi_bid_i	(m_axi_mem0_bid),
    .axi_bresp_i	(m_axi_mem0_bresp)
  );

  // Accesses are to normal memory (bufferable and modifiable); they are data accesses without privilege.
  assign m_axi_mem0_awcache = 4'b0011;
  assign m_axi_mem0_arcache = 4'b0011;
  assign m_axi_mem0_awprot  = 3'b000;
  assign m_axi_mem0_arprot  = 3'b000;

  // -- Command processor

  wire		argument_read;
  wire	[5:0]	argument_address;
  wire	[31:0]	argument;

  wire		load_valid;
  wire		load_ready;
  wire	[ROWS-1:0]	load_rows;
  wire		load_zero;
  wire	[15:0]	load_fill;
  wire	[63:0]	load_address;
  wire	[20:0]	load_length;
  wire	[15:0]	load_runs;
  wire	[15:0]	load_planes;
  wire	[31:0]	load_run_pitch;
  wire	[31:0]	load_plane_pitch;
  wire	[19:0]	load_unit;
  wire	[OP_TAG_WIDTH-1:0]	load_tag;

  wire		distribute_valid;
  wire		distribute_ready;
  wire	[ROWS-1:0]	distribute_rows;
  wire	[CLUSTERS-1:0]	distribute_clusters;
  wire	[7:0]	distribute_command;
  wire		distribute_scatter;
  wire		distribute_dispatch;
  wire		distribute_plain;
  wire	[15:0]	distribute_segment;
  wire	[15:0]	distribute_segments;
  wire	[15:0]	distribute_count;
  wire	[20:0]	distribute_length;
  wire	[15:0]	distribute_runs;
  wire	[31:0]	distribute_run_pitch;
  wire	[19:0]	distribute_unit;
  wire	[OP_TAG_WIDTH-1:0]	distribute_tag;

  wire		store_valid;
  wire		store_ready;
  wire	[ROWS-1:0]	store_rows;
  wire	[CLUSTERS-1:0]	store_clusters;
  wire	[1:0]	store_element;
  wire		store_interleave;
  wire		store_unsigned;
  wire	[63:0]	store_address;
  wire	[31:0]	store_length;
  wire	[15:0]	store_runs;
  wire	[15:0]	store_planes;
  wire	[31:0]	store_run_pitch;
  wire	[31:0]	store_plane_pitch;
  wire	[63:0]	store_walk;
  wire	[42:0]	store_operation_bytes;
  wire	[OP_TAG_WIDTH-1:0]	store_tag;

  wire		accumulate_valid;
  wire		accumulate_ready;
  wire	[1:0]	accumulate_element;
  wire		accumulate_source;
  wire		accumulate_sum_clusters;
  wire		accumulate_sum_rows;
  wire		accumulate_final;
  wire	[63:0]	accumulate_address;
  wire	[31:0]	accumulate_length;
  wire	[15:0]	accumulate_runs;
  wire	[31:0]	accumulate_run_pitch;
  wire	[47:0]	accumulate_bytes;
  wire	[127:0]	accumulate_record;
  wire	[2:0]	accumulate_column;
  wire	[15:0]	accumulate_group;
  wire	[2:0]	accumulate_by_channel;
  wire	[1:0]	accumulate_operand;
  wire	[1:0]	accumulate_join;
  wire		accumulate_alone;
  wire		accumulate_scale_first;
  wire		accumulate_fraction_15;
  wire		accumulate_unsigned;
  wire	[15:0]	accumulate_softmax;
  wire	[OP_TAG_WIDTH-1:0]	accumulate_tag;

  wire	[3:0]	done_valid;	// of load, distribute, store, accumulate
  wire	[3:0]	done_ready;
  wire	[4*OP_TAG_WIDTH-1:0]	done_tag;

  wire		idle;
  wire		all_sent;	// the same, except for stores that memory has not acknowledged
  wire		quiet;
  wire		last_call;
  wire		store_waits;
  wire	[OP_TAG_WIDTH-1:0]	store_active;
  wire		header_valid;
  wire	[31:0]	header_watchdog;
  wire		command_bytes_valid;
  wire	[32:0]	command_bytes;
  wire		sent;
  wire		ended;
  wire		command_error;
//: if kept_weights
  wire	[31:0]	held;	// the number of what the storage units hold over jobs
  wire	[31:0]	leaves;	// the number that the job leaves there
//: else
  wire	[31:0]	unused_leaves;
  wire	[31:0]	unused_held;
//: end
//: if !job_queue
  wire	[3:0]	unused_queue;	// of jobs: there is none
  wire		unused_ahead;
  wire		unused_lead;
//: end
  wire	[15:0]	command_error_code;
  wire	[7:0]	command_error_queue;
  wire	[31:0]	command_error_offset;

//: if job_queue
  wire		load_idle;
  wire		spread;	// all packets were sent
  wire		old_idle;	// no store of the job under way is in flight
//: end

  tulle_command #(
//: if job_queue
    .QUEUE	(1),
//: end
    .MEM	(MEMORY_WIDTH),
    .BUS	(BUS_WIDTH),
    .ROWS	(ROWS),
    .CLUSTERS	(CLUSTERS),
    .UNIT_BYTES	(UNIT_BYTES),
    .BUFFER	(`TULLE_PROGRAM_BUFFER),
    .DEPTH	(`TULLE_COMMAND_QUEUE_DEPTH),
    .TOKENS	(`TULLE_TOKENS),
    .FUNCTIONS	(STORE_FUNCTIONS),
    .ZERO_POINTS	(ZERO_POINTS),
    .CHANNELS	(CHANNEL_GROUPS),
    .ROUNDINGS	(ROUNDINGS),
    .JOINS	(JOINS),
    .PES	(PES),
    .SOFTMAX	(SOFTMAX),
//: if local_bytes
    .LOCAL_BYTES	(`TULLE_LOCAL_BYTES),
//: end
//: if plain_weights
    .PLAIN	(`TULLE_ENTRIES_PER_BEAT),
//: end
//: if bitmap_masks
    .BITMAP	(`TULLE_BITMAP_MASKS),
//: end
//: if packed_programs
    .PACKED	(1),
//: end
//: if kept_weights
    .KEPT	(1),
//: end
    .VARIANT	({`TULLE_RESET_VARIANT_HIGH, `TULLE_RESET_VARIANT_LOW})
  ) u_command (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
    .start_i	(start),
    .abort_i	(abort),
    .argument_read_o	(argument_read),
    .argument_o	(argument_address),
    .argument_i	(argument),
    .request_valid_o	(request_valid[0]),
    .request_ready_i	(request_ready[0]),
    .request_address_o	(request_address[0 +: REQUEST_WIDTH]),
    .request_beats_o	(request_beats[0 +: BEATS_WIDTH]),
    .data_valid_i	(read_valid[0]),
    .data_i	(read_data[MEMORY_WIDTH-1:0]),
    .data_error_i	(read_error[1:0]),
    .load_valid_o	(load_valid),
    .load_ready_i	(load_ready),
    .load_rows_o	(load_rows),
    .load_zero_o	(load_zero),
    .load_fill_o	(load_fill),
    .load_address_o	(load_address),
    .load_length_o	(load_length),
    .load_runs_o	(load_runs),
    .load_planes_o	(load_planes),
    .load_run_pitch_o	(load_run_pitch),
    .load_plane_pitch_o	(load_plane_pitch),
    .load_unit_o	(load_unit),
    .load_tag_o	(load_tag),
    .distribute_valid_o	(distribute_valid),
    .distribute_ready_i	(distribute_ready),
    .distribute_rows_o	(distribute_rows),
    .distribute_clusters_o	(distribute_clusters),
    .distribute_command_o	(distribute_command),
    .distribute_scatter_o	(distribute_scatter),
    .distribute_dispatch_o	(distribute_dispatch),
    .distribute_plain_o	(distribute_plain),
    .distribute_segment_o	(distribute_segment),
    .distribute_segments_o	(distribute_segments),
    .distribute_count_o	(distribute_count),
    .distribute_length_o	(distribute_length),
    .distribute_runs_o	(distribute_runs),
    .distribute_run_pitch_o	(distribute_run_pitch),
    .distribute_unit_o	(distribute_unit),
    .distribute_tag_o	(distribute_tag),
    .store_valid_o	(store_valid),
    .store_ready_i	(store_ready),
    .store_rows_o	(store_rows),
    .store_clusters_o	(store_clusters),
    .store_element_o	(store_element),
    .store_interleave_o	(store_interleave),
    .store_unsigned_o	(store_unsigned),
    .store_address_o	(store_address),
    .store_length_o	(store_length),
    .store_runs_o	(store_runs),
    .store_planes_o	(store_planes),
    .store_run_pitch_o	(store_run_pitch),
    .store_plane_pitch_o	(store_plane_pitch),
    .store_walk_o	(store_walk),
    .store_bytes_o	(store_operation_bytes),
    .store_tag_o	(store_tag),
    .accumulate_valid_o	(accumulate_valid),
    .accumulate_ready_i	(accumulate_ready),
    .accumulate_element_o	(accumulate_element),
    .accumulate_source_o	(accumulate_source),
    .accumulate_sum_clusters_o	(accumulate_sum_clusters),
    .accumulate_sum_rows_o	(accumulate_sum_rows),
    .accumulate_final_o	(accumulate_final),
    .accumulate_address_o	(accumulate_address),
    .accumulate_length_o	(accumulate_length),
    .accumulate_runs_o	(accumulate_runs),
    .accumulate_run_pitch_o	(accumulate_run_pitch),
    .accumulate_bytes_o	(accumulate_bytes),
    .accumulate_record_o	(accumulate_record),
    .accumulate_column_o	(accumulate_column),
    .accumulate_group_o	(accumulate_group),
    .accumulate_by_channel_o	(accumulate_by_channel),
    .accumulate_operand_o	(accumulate_operand),
    .accumulate_join_o	(accumulate_join),
    .accumulate_alone_o	(accumulate_alone),
    .accumulate_scale_first_o	(accumulate_scale_first),
    .accumulate_fraction_15_o	(accumulate_fraction_15),
    .accumulate_unsigned_o	(accumulate_unsigned),
    .accumulate_softmax_o	(accumulate_softmax),
    .accumulate_tag_o	(accumulate_tag),
    .done_valid_i	(done_valid),
    .done_ready_o	(done_ready),
    .done_tag_i	(done_tag),
    .idle_i	(idle),
    .sent_i	(all_sent),
    .quiet_i	(quiet),
    .last_call_i	(last_call),
    .store_waits_i	(store_waits),
    .store_place_i	(store_active[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH]),
    .header_valid_o	(header_valid),
    .watchdog_o	(header_watchdog),
    .bytes_valid_o	(command_bytes_valid),
    .bytes_o	(command_bytes),
    .sent_o	(sent),
    .ended_o	(ended),
//: if kept_weights
    .held_i	(held),
    .leaves_o	(leaves),
//: else
    .held_i	(32'd0),
    .leaves_o	(unused_leaves),
//: end
//: if job_queue
    .next_i	(next),
    .ahead_o	(ahead),
    .lead_o	(lead),
    .hand_i	(hand),
    .taken_i	(taken),
    .loads_idle_i	(load_idle),
    .spread_i	(spread),
    .old_idle_i	(old_idle),
//: else
    .next_i	(1'b0),
    .ahead_o	(unused_ahead),
    .lead_o	(unused_lead),
    .hand_i	(1'b0),
    .taken_i	(1'b0),
    .loads_idle_i	(1'b0),
    .spread_i	(1'b0),
    .old_idle_i	(1'b0),
//: end
    .error_o	(command_error),
    .error_code_o	(command_error_code),
    .error_queue_o	(command_error_queue),
    .error_offset_o	(command_error_offset)
  );

  // -- Load: copies memory into storage units

  wire	[ROWS-1:0]	unit_write;	// of each row
  wire	[ROWS*BANKS-1:0]	unit_enable;
  wire	[ROWS*BANKS*BANK_ADDRESS_WIDTH-1:0]	unit_word;
  wire	[ROWS*BANKS*BANK_WIDTH-1:0]	unit_data;
  wire	[40:0]	load_bytes;
  wire		load_error;
  wire	[15:0]	load_error_code;
  wire	[OP_TAG_WIDTH-1:0]	load_error_tag;
//: if !job_queue
  wire		load_idle;
//: end

  tulle_load_group #(
    .PORTS	(PORTS),
    .MEM	(MEMORY_WIDTH),
    .BUS	(BUS_WIDTH),
    .ROWS	(ROWS),
    .UNIT_BYTES	(UNIT_BYTES),
    .OUTSTANDING	(OUTSTANDING_READS),
    .TAG	(OP_TAG_WIDTH),
//: if local_bytes
    .LOCAL	(1),
//: end
    .FILL	(ZERO_POINTS * `TULLE_DATA_WIDTH)
  ) u_load (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
    .abort_i	(abort),
    .op_valid_i	(load_valid),
    .op_ready_o	(load_ready),
    .op_rows_i	(load_rows),
    .op_zero_i	(load_zero),
    .op_fill_i	(load_fill),
    .op_address_i	(load_address),
    .op_length_i	(load_length),
    .op_runs_i	(load_runs),
    .op_planes_i	(load_planes),
    .op_run_pitch_i	(load_run_pitch),
    .op_plane_pitch_i	(load_plane_pitch),
    .op_unit_i	(load_unit),
    .op_tag_i	(load_tag),
    .request_valid_o	(request_valid[LOADS +: PORTS]),
    .request_ready_i	(request_ready[LOADS +: PORTS]),
    .request_address_o	(request_address[LOADS*REQUEST_WIDTH +: PORTS*REQUEST_WIDTH]),
    .request_beats_o	(request_beats[LOADS*BEATS_WIDTH +: PORTS*BEATS_WIDTH]),
    .data_valid_i	(read_valid[LOADS +: PORTS]),
    .data_i	(read_data),
    .data_last_i	(read_last),
    .data_error_i	(read_error),
    .write_o	(unit_write),
    .write_enable_o	(unit_enable),
    .write_word_o	(unit_word),
    .write_data_o	(unit_data),
    .done_valid_o	(done_valid[0]),
    .done_ready_i	(done_ready[0]),
    .done_tag_o	(done_tag[OP_TAG_WIDTH-1:0]),
    .bytes_o	(load_bytes),
    .error_o	(load_error),
    .error_code_o	(load_error_code),
    .error_tag_o	(load_error_tag),
    .idle_o	(load_idle)
  );

  // -- Distribution: sends packets from storage units to rows

  wire	[ROWS-1:0]	packet_valid;
  wire	[ROWS-1:0]	packet_ready;
  wire	[ROWS-1:0]	unit_valid;
  wire	[ROWS-1:0]	unit_ready;
  wire	[PACKET_ID_WIDTH-1:0]	unit_id;
  wire	[ROWS-1:0]	finish;
  wire	[PACKET_ID_WIDTH*ROWS-1:0]	finish_id;
  wire	[ROWS-1:0]	unit_idle;
  wire		distribute_error;
  wire	[OP_TAG_WIDTH-1:0]	distribute_error_tag;
  wire		distribute_idle;

  tulle_distribute #(
    .ROWS	(ROWS),
    .ID	(PACKET_ID_WIDTH),
    .TAG	(OP_TAG_WIDTH),
    .SCATTER	(`TULLE_SCATTER)
  ) u_distribute (
    .clk_i	(ap_clk),
    .rst_ni	(array_n),
    .op_valid_i	(distribute_valid),
    .op_ready_o	(distribute_ready),
    .op_rows_i	(distribute_rows),
    .op_scatter_i	(distribute_scatter),
    .op_tag_i	(distribute_tag),
    .unit_valid_o	(unit_valid),
    .unit_ready_i	(unit_ready),
    .unit_id_o	(unit_id),
    .finish_i	(finish),
    .finish_id_i	(finish_id),
    .done_valid_o	(done_valid[1]),
    .done_ready_i	(done_ready[1]),
    .done_tag_o	(done_tag[2*OP_TAG_WIDTH-1:OP_TAG_WIDTH]),
    .error_o	(distribute_error),
    .error_tag_o	(distribute_error_tag),
    .idle_o	(distribute_idle)
  );

  wire unused_beat_bits = &{1'b0, distribute_unit, distribute_length, distribute_run_pitch, accumulate_bytes};

  wire	[3:0]	array_error_pe;
  wire		array_error_in_pe;
  wire	[TAG_WIDTH-1:0]	array_error_tag;
  wire	[ROWS*OP_PLACE_WIDTH-1:0]	places;	// for each row, the place of the packet that has the tag of the error

//: for 1 <= i < memory_ports
  // Memory port ${i}: serves loads only

  tulle_read_port #(
    .MEM	(MEMORY_WIDTH),
    .OUTSTANDING	(OUTSTANDING_READS),
    .CLIENTS	(1)
  ) u_read_port${i} (
    .clk_i	(ap_clk),
    .rst_ni	(ap_rst_n),
    .flush_i	(flush_q),
    .abort_i	(abort),
    .request_valid_i	(request_valid[LOADS+${i}]),
    .request_ready_o	(request_ready[LOADS+${i}]),
    .request_address_i	(request_address[(LOADS+${i})*REQUEST_WIDTH +: REQUEST_WIDTH]),
    .request_beats_i	(request_beats[(LOADS+${i})*BEATS_WIDTH +: BEATS_WIDTH]),
    .data_valid_o	(read_valid[LOADS+${i}]),
    .data_o	(read_data[MEMORY_WIDTH*${i} +: MEMORY_WIDTH]),
    .data_last_o	(read_last[${i}]),
    .data_error_o	(read_error[2*${i} +: 2]),
    .local_valid_i	(1'b0),
    .local_data_i	({MEMORY_WIDTH{1'b0}}),
    .local_last_i	(1'b0),
    .hold_i	(1'b0),
    .beat_o	(read_beat[${i}]),
    .idle_o	(read_idle[${i}]),
    .axi_arvalid_o	(m_axi_mem${i}_arvalid),
    .axi_arready_i	(m_axi_mem${i}_arready),
    .axi_arid_o	(m_axi_mem${i}_arid),
    .axi_araddr_o	(m_axi_mem${i}_araddr),
    .axi_arlen_o	(m_axi_mem${i}_arlen),
    .axi_arsize_o	(m_axi_mem${i}_arsize),
    .axi_arburst_o	(m_axi_mem${i}_arburst),
    .axi_rvalid_i	(m_axi_mem${i}_rvalid),
    .axi_rready_o	(m_axi_mem${i}_rready),
    .axi_rid_i	(m_axi_mem${i}_rid),
    .axi_rdata_i	(m_axi_mem${i}_rdata),
    .axi_rresp_i	(m_axi_mem${i}_rresp),
    .axi_rlast_i	(m_axi_mem${i}_rlast)
  );

  assign m_axi_mem${i}_arcache = 4'b0011;
  assign m_axi_mem${i}_arprot  = 3'b000;
  assign m_axi_mem${i}_awvalid = 1'b0;
  assign m_axi_mem${i}_awid    = 2'd0;
  assign m_axi_mem${i}_awaddr  = 64'd0;
  assign m_axi_mem${i}_awlen   = 8'd0;
  assign m_axi_mem${i}_awsize  = 3'd0;
  assign m_axi_mem${i}_awburst = 2'b01;
  assign m_axi_mem${i}_awcache = 4'b0011;
  assign m_axi_mem${i}_awprot  = 3'b000;
  assign m_axi_mem${i}_wvalid  = 1'b0;
  assign m_axi_mem${i}_wdata   = {MEMORY_WIDTH{1'b0}};
  assign m_axi_mem${i}_wstrb   = {MEMORY_BYTES{1'b0}};
  assign m_axi_mem${i}_wlast   = 1'b0;
  assign m_axi_mem${i}_bready  = 1'b1;

  wire unused_port${i} = &{1'b0, m_axi_mem${i}_awready, m_axi_mem${i}_wready, m_axi_mem${i}_bvalid, m_axi_mem${i}_bid,
                       m_axi_mem${i}_bresp};

//: end
//: if host_port
  // -- Host port: the copy engine is the only client of memory port ${memory_ports}

  tulle_copy #(
    .MEM	(MEMORY_WIDTH)
  ) u_copy (
    .clk_i	(ap_clk),
    .rst_ni	(ap_rst_n),
    .function_reset_i	(host_function_reset),
    .master_i	(host_master),
    .memory_bytes_i	(host_memory_bytes),
    .window_bytes_i	(host_window_bytes),
    .window_o	(host_window),
    .window_fault_i	(host_window_fault),
    .interrupt_o	(host_interrupt),
    .awvalid_i	(s_axi_host_awvalid),
    .awready_o	(s_axi_host_awready),
    .awaddr_i	(s_axi_host_awaddr),
    .wvalid_i	(s_axi_host_wvalid),
    .wready_o	(s_axi_host_wready),
    .wdata_i	(s_axi_host_wdata),
    .wstrb_i	(s_axi_host_wstrb),
    .bvalid_o	(s_axi_host_bvalid),
    .bready_i	(s_axi_host_bready),
    .bresp_o	(s_axi_host_bresp),
    .arvalid_i	(s_axi_host_arvalid),
    .arready_o	(s_axi_host_arready),
    .araddr_i	(s_axi_host_araddr),
    .rvalid_o	(s_axi_host_rvalid),
    .rready_i	(s_axi_host_rready),
    .rdata_o	(s_axi_host_rdata),
    .rresp_o	(s_axi_host_rresp),
    .host_awvalid_o	(m_axi_host_awvalid),
    .host_awready_i	(m_axi_host_awready),
    .host_awid_o	(m_axi_host_awid),
    .host_awaddr_o	(m_axi_host_awaddr),
    .host_awlen_o	(m_axi_host_awlen),
    .host_awsize_o	(m_axi_host_awsize),
    .host_awburst_o	(m_axi_host_awburst),
    .host_wvalid_o	(m_axi_host_wvalid),
    .host_wready_i	(m_axi_host_wready),
    .host_wdata_o	(m_axi_host_wdata),
    .host_wstrb_o	(m_axi_host_wstrb),
    .host_wlast_o	(m_axi_host_wlast),
    .host_bvalid_i	(m_axi_host_bvalid),
    .host_bready_o	(m_axi_host_bready),
    .host_bid_i	(m_axi_host_bid),
    .host_bresp_i	(m_axi_host_bresp),
    .host_arvalid_o	(m_axi_host_arvalid),
    .host_arready_i	(m_axi_host_arready),
    .host_arid_o	(m_axi_host_arid),
    .host_araddr_o	(m_axi_host_araddr),
    .host_arlen_o	(m_axi_host_arlen),
    .host_arsize_o	(m_axi_host_arsize),
    .host_arburst_o	(m_axi_host_arburst),
    .host_rvalid_i	(m_axi_host_rvalid),
    .host_rready_o	(m_axi_host_rready),
    .host_rid_i	(m_axi_host_rid),
    .host_rdata_i	(m_axi_host_rdata),
    .host_rresp_i	(m_axi_host_rresp),
    .host_rlast_i	(m_axi_host_rlast),
    .mem_awvalid_o	(m_axi_mem${memory_ports}_awvalid),
    .mem_awready_i	(m_axi_mem${memory_ports}_awready),
    .mem_awid_o	(m_axi_mem${memory_ports}_awid),
    .mem_awaddr_o	(m_axi_mem${memory_ports}_awaddr),
    .mem_awlen_o	(m_axi_mem${memory_ports}_awlen),
    .mem_awsize_o	(m_axi_mem${memory_ports}_awsize),
    .mem_awburst_o	(m_axi_mem${memory_ports}_awburst),
    .mem_wvalid_o	(m_axi_mem${memory_ports}_wvalid),
    .mem_wready_i	(m_axi_mem${memory_ports}_wready),
    .mem_wdata_o	(m_axi_mem${memory_ports}_wdata),
    .mem_wstrb_o	(m_axi_mem${memory_ports}_wstrb),
    .mem_wlast_o	(m_axi_mem${memory_ports}_wlast),
    .mem_bvalid_i	(m_axi_mem${memory_ports}_bvalid),
    .mem_bready_o	(m_axi_mem${memory_ports}_bready),
    .mem_bid_i	(m_axi_mem${memory_ports}_bid),
    .mem_bresp_i	(m_axi_mem${memory_ports}_bresp),
    .mem_arvalid_o	(m_axi_mem${memory_ports}_arvalid),
    .mem_arready_i	(m_axi_mem${memory_ports}_arready),
    .mem_arid_o	(m_axi_mem${memory_ports}_arid),
    .mem_araddr_o	(m_axi_mem${memory_ports}_araddr),
    .mem_arlen_o	(m_axi_mem${memory_ports}_arlen),
    .mem_arsize_o	(m_axi_mem${memory_ports}_arsize),
    .mem_arburst_o	(m_axi_mem${memory_ports}_arburst),
    .mem_rvalid_i	(m_axi_mem${memory_ports}_rvalid),
    .mem_rready_o	(m_axi_mem${memory_ports}_rready),
    .mem_rid_i	(m_axi_mem${memory_ports}_rid),
    .mem_rdata_i	(m_axi_mem${memory_ports}_rdata),
    .mem_rresp_i	(m_axi_mem${memory_ports}_rresp),
    .mem_rlast_i	(m_axi_mem${memory_ports}_rlast)
  );

  assign m_axi_host_awcache = 4'b0011;
  assign m_axi_host_arcache = 4'b0011;
  assign m_axi_host_awprot  = 3'b000;
  assign m_axi_host_arprot  = 3'b000;
  assign m_axi_mem${memory_ports}_awcache = 4'b0011;
  assign m_axi_mem${memory_ports}_arcache = 4'b0011;
  assign m_axi_mem${memory_ports}_awprot  = 3'b000;
  assign m_axi_mem${memory_ports}_arprot  = 3'b000;

//: end
//: for i < n
  // Row ${i}

  wire	[BUS_WIDTH-1:0]	row${i}_read_data;
  wire		row${i}_enable;
  wire		row${i}_read;
  wire	[BEAT_ADDRESS_WIDTH-1:0]	row${i}_read_address;
  wire	[BUS_WIDTH-1:0]	row${i}_packet_data;
  wire	[CLUSTERS-1:0]	row${i}_packet_clusters;
  wire	[CLUSTERS*BACKLOG_WIDTH-1:0]	row${i}_backlog;
  wire	[7:0]	row${i}_packet_command;
  wire	[15:0]	row${i}_packet_count;
  wire		row${i}_packet_scatter;
  wire		row${i}_packet_last;
  wire	[TAG_WIDTH-1:0]	row${i}_packet_tag;

  tulle_storage_unit #(
    .UNIT_BYTES	(UNIT_BYTES),
    .BANKS	(BANKS),
    .BUS	(BUS_WIDTH)
  ) u_row${i}_storage (
    .clk_i	(ap_clk),
    .write_i	(unit_write[${i}]),
    .write_enable_i	(unit_enable[${i}*BANKS +: BANKS]),
    .write_word_i	(unit_word[${i}*BANKS*BANK_ADDRESS_WIDTH +: BANKS*BANK_ADDRESS_WIDTH]),
    .write_data_i	(unit_data[${i}*BANKS*BANK_WIDTH +: BANKS*BANK_WIDTH]),
    .enable_i	(row${i}_enable),
    .read_i	(row${i}_read),
    .read_address_i	(row${i}_read_address),
    .data_o	(row${i}_read_data)
  );

  tulle_distribution_unit #(
    .BUS	(BUS_WIDTH),
    .CLUSTERS	(CLUSTERS),
    .DISPATCH	(`TULLE_DISPATCH),
    .BACKLOG	(6),
//: if plain_weights
    .PLAIN	(1),
    .PES	(PES),
    .ENTRIES	(`TULLE_ENTRIES_PER_BEAT),
//: end
//: if bitmap_masks
    .BITMAP	(`TULLE_BITMAP_MASKS),
//: end
    .ADDRESS	(BEAT_ADDRESS_WIDTH),
    .ID	(PACKET_ID_WIDTH),
    .PLACE	(OP_PLACE_WIDTH),
    .TAG	(6)
  ) u_row${i}_distribution (
    .clk_i	(ap_clk),
    .rst_ni	(array_n),
    .op_valid_i	(unit_valid[${i}]),
    .op_ready_o	(unit_ready[${i}]),
    .op_id_i	(unit_id),
    .op_place_i	(distribute_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH]),
    .op_clusters_i	(distribute_clusters),
    .op_dispatch_i	(distribute_dispatch),
    .op_command_i	(distribute_command),
    .op_count_i	(distribute_count),
    .op_scatter_i	(distribute_scatter),
    .op_address_i	(distribute_unit[BEAT_SHIFT +: BEAT_ADDRESS_WIDTH]),
    .op_beats_i	(distribute_length[BEAT_SHIFT +: BEAT_ADDRESS_WIDTH + 1]),
    .op_runs_i	(distribute_runs),
    .op_pitch_i	(distribute_run_pitch[BEAT_SHIFT +: BEAT_ADDRESS_WIDTH]),
    .op_plain_i	(distribute_plain),
    .op_segment_i	(distribute_segment),
    .op_segments_i	(distribute_segments),
    .backlogs_i	(row${i}_backlog),
    .enable_o	(row${i}_enable),
    .read_o	(row${i}_read),
    .address_o	(row${i}_read_address),
    .data_i	(row${i}_read_data),
    .packet_valid_o	(packet_valid[${i}]),
    .packet_ready_i	(packet_ready[${i}]),
    .packet_data_o	(row${i}_packet_data),
    .packet_clusters_o	(row${i}_packet_clusters),
    .packet_command_o	(row${i}_packet_command),
    .packet_count_o	(row${i}_packet_count),
    .packet_scatter_o	(row${i}_packet_scatter),
    .packet_last_o	(row${i}_packet_last),
    .packet_tag_o	(row${i}_packet_tag),
    .finish_o	(finish[${i}]),
    .finish_id_o	(finish_id[${i}*PACKET_ID_WIDTH +: PACKET_ID_WIDTH]),
    .error_tag_i	(array_error_tag),
    .error_place_o	(places[${i}*OP_PLACE_WIDTH +: OP_PLACE_WIDTH]),
    .idle_o	(unit_idle[${i}])
  );

//: end
//: for i < n
  wire		row${i}_result_valid;
  wire		row${i}_result_ready;
  wire	[COLLECTOR_WIDTH-1:0]	row${i}_result_data;
  wire	[CLUSTER_WIDTH-1:0]	row${i}_result_cluster;
  wire	[CLUSTERS-1:0]	row${i}_result_room;
  wire		unused_row${i}_idle;
  wire		unused_row${i}_result_last;
//: end
  // -- Array

  wire		array_error;
  wire	[15:0]	array_error_code;
  wire	[ROW_WIDTH-1:0]	array_error_row;
  wire	[CLUSTER_WIDTH-1:0]	array_error_cluster;
  wire		array_idle;
  wire	[COUNT_WIDTH-1:0]	array_busy;
  wire	[COUNT_WIDTH-1:0]	array_scanned;
  wire	[COUNT_WIDTH-1:0]	array_moved;
  wire	[COUNT_WIDTH-1:0]	array_stall_weights;
  wire	[COUNT_WIDTH-1:0]	array_stall_output;

  tulle_array u_array (
    .clk_i	(ap_clk),
    .rst_ni	(array_n),
//: for i < n
    .row${i}_packet_valid_i	(packet_valid[${i}]),
    .row${i}_packet_ready_o	(packet_ready[${i}]),
    .row${i}_packet_data_i	(row${i}_packet_data),
    .row${i}_packet_command_i	(row${i}_packet_command),
    .row${i}_packet_clusters_i	(row${i}_packet_clusters),
    .row${i}_packet_count_i	(row${i}_packet_count),
    .row${i}_packet_scatter_i	(row${i}_packet_scatter),
    .row${i}_packet_last_i	(row${i}_packet_last),
    .row${i}_packet_tag_i	(row${i}_packet_tag),
    .row${i}_result_valid_o	(row${i}_result_valid),
    .row${i}_result_ready_i	(row${i}_result_ready),
    .row${i}_result_data_o	(row${i}_result_data),
    .row${i}_result_cluster_o	(row${i}_result_cluster),
    .row${i}_result_last_o	(unused_row${i}_result_last),
    .row${i}_result_room_i	(row${i}_result_room),
    .row${i}_backlog_o	(row${i}_backlog),
//: end
    .error_o	(array_error),
    .error_code_o	(array_error_code),
    .error_row_o	(array_error_row),
    .error_cluster_o	(array_error_cluster),
    .error_place_o	({array_error_tag, array_error_in_pe, array_error_pe}),
    .counts_o	({array_stall_output, array_stall_weights, array_moved, array_scanned, array_busy}),
    .idle_o	(array_idle)
  );

  // -- Collectors and store engine: write results to memory

  wire	[ROWS*STORE_TAKES*CLUSTERS-1:0]	has;
  wire	[ROWS*CLUSTERS*TAKE_WIDTH-1:0]	banks;
  wire	[ROWS*STORE_TAKES-1:0]	take;
  wire	[STORE_TAKES*CLUSTERS-1:0]	take_cluster;
  wire	[ROWS*STORE_TAKES*PES*ACC_WIDTH-1:0]	groups;
  wire	[ROWS-1:0]	result_moves;
  wire		record_valid;	// of the status record
  wire		record_ready;
  wire	[63:0]	record_address;
  wire		words_valid;
  wire		words_ready;
  wire	[63:0]	words;
  wire		partial_op_valid;
  wire		partial_op_ready;
  wire		partial_valid;
  wire		partial_ready;
  wire	[PES*ACC_WIDTH-1:0]	partial_group;
  wire		partial_exhausted;
  wire		partial_error;
  wire	[15:0]	partial_error_code;
  wire	[OP_TAG_WIDTH-1:0]	partial_error_tag;
  wire		partial_taken;
  wire	[7:0]	partial_bytes;
  wire		partial_idle;
  wire	[7:0]	unused_partial_bytes;
  wire		store_bytes_valid;
  wire	[42:0]	store_bytes;
  wire		store_error;
  wire	[15:0]	store_error_code;
  wire	[7:0]	store_error_queue;
  wire	[OP_TAG_WIDTH-1:0]	store_error_tag;
  wire		store_stall;
  wire		record_response;
  wire		store_sent;
  wire		store_idle;

//: for i < n
  tulle_collector #(
    .COLLECTOR	(COLLECTOR_WIDTH),
    .ACC	(ACC_WIDTH),
    .PES	(PES),
    .CLUSTERS	(CLUSTERS),
    .DEPTH	(`TULLE_RESULT_QUEUE_DEPTH),
    .TAKE	(STORE_TAKES)
  ) u_row${i}_collector (
    .clk_i	(ap_clk),
    .rst_ni	(array_n),
    .result_valid_i	(row${i}_result_valid),
    .result_ready_o	(row${i}_result_ready),
    .result_data_i	(row${i}_result_data),
    .result_cluster_i	(row${i}_result_cluster),
    .room_o	(row${i}_result_room),
    .has_o	(has[${i}*STORE_TAKES*CLUSTERS +: STORE_TAKES*CLUSTERS]),
    .bank_o	(banks[${i}*CLUSTERS*TAKE_WIDTH +: CLUSTERS*TAKE_WIDTH]),
    .take_i	(take[${i}*STORE_TAKES +: STORE_TAKES]),
    .take_cluster_i	(take_cluster),
    .group_o	(groups[${i}*STORE_TAKES*PES*ACC_WIDTH +: STORE_TAKES*PES*ACC_WIDTH]),
    .idle_o	(unused_row${i}_idle)
  );

  assign result_moves[${i}] = row${i}_result_valid && row${i}_result_ready;

//: end
  // Operands of joins: the first, and the second.

  wire	[1:0]	operand_op_valid;
  wire	[1:0]	operand_op_ready;
  wire	[1:0]	operand_valid;
  wire	[1:0]	operand_ready;
  wire	[2*STORE_LANES*16-1:0]	operand_chunk;
  wire	[1:0]	operand_exhausted;
  wire	[1:0]	operand_error;
  wire	[31:0]	operand_error_codes;
  wire	[2*OP_TAG_WIDTH-1:0]	operand_error_tags;
  wire	[15:0]	operand_bytes;
  wire	[1:0]	operand_idle;
  wire	[15:0]	operand_error_code = operand_error[0] ? operand_error_codes[15:0] : operand_error_codes[31:16];
  wire	[OP_TAG_WIDTH-1:0]	operand_error_tag = operand_error[0] ? operand_error_tags[0 +: OP_TAG_WIDTH]
                                                           : operand_error_tags[OP_TAG_WIDTH +: OP_TAG_WIDTH];

//: if joins
//: for i < 2
  tulle_operand_reader #(
    .MEM	(MEMORY_WIDTH),
    .LANES	(STORE_LANES),
    .TAG	(OP_TAG_WIDTH)
  ) u_operand${i}_reader (
    .clk_i	(ap_clk),
    .rst_ni	(store_n),
    .abort_i	(abort),
    .op_valid_i	(operand_op_valid[${i}]),
    .op_ready_o	(operand_op_ready[${i}]),
    .op_wide_i	(accumulate_element[0]),
    .op_unsigned_i	(accumulate_unsigned),
    .op_address_i	(accumulate_address),
    .op_length_i	(accumulate_length),
    .op_runs_i	(accumulate_runs),
    .op_run_pitch_i	(accumulate_run_pitch),
    .op_tag_i	(accumulate_tag),
    .chunk_valid_o	(operand_valid[${i}]),
    .chunk_ready_i	(operand_ready[${i}]),
    .chunk_o	(operand_chunk[${i}*STORE_LANES*16 +: STORE_LANES*16]),
    .exhausted_o	(operand_exhausted[${i}]),
    .request_valid_o	(request_valid[${i+2}]),
    .request_ready_i	(request_ready[${i+2}]),
    .request_address_o	(request_address[${i+2}*REQUEST_WIDTH +: REQUEST_WIDTH]),
    .request_beats_o	(request_beats[${i+2}*BEATS_WIDTH +: BEATS_WIDTH]),
    .data_valid_i	(read_valid[${i+2}]),
    .data_i	(read_data[MEMORY_WIDTH-1:0]),
    .data_error_i	(read_error[1:0]),
    .error_o	(operand_error[${i}]),
    .error_code_o	(operand_error_codes[${i}*16 +: 16]),
    .error_tag_o	(operand_error_tags[${i}*OP_TAG_WIDTH +: OP_TAG_WIDTH]),
    .taken_bytes_o	(operand_bytes[${i}*8 +: 8]),
    .idle_o	(operand_idle[${i}])
  );

//: end
//: else
  assign operand_op_ready    = 2'd0;
  assign operand_valid       = 2'd0;
  assign operand_chunk       = {2*STORE_LANES*16{1'b0}};
  assign operand_exhausted   = 2'd0;
  assign operand_error       = 2'd0;
  assign operand_error_codes = 32'd0;
  assign operand_error_tags  = {2*OP_TAG_WIDTH{1'b0}};
  assign operand_bytes       = 16'd0;
  assign operand_idle        = 2'd3;

  wire unused_operands = &{1'b0, operand_op_valid, operand_ready, accumulate_unsigned};

//: end
  tulle_partial_reader #(
    .MEM	(MEMORY_WIDTH),
    .PES	(PES),
    .ACC_WIDTH	(ACC_WIDTH),
    .TAG	(OP_TAG_WIDTH),
    .LANES	(`TULLE_PARTIAL_LANES)
  ) u_partial_reader (
    .clk_i	(ap_clk),
    .rst_ni	(store_n),
    .abort_i	(abort),
    .op_valid_i	(partial_op_valid),
    .op_ready_o	(partial_op_ready),
    .op_element_i	(accumulate_element),
    .op_address_i	(accumulate_address),
    .op_length_i	(accumulate_length),
    .op_runs_i	(accumulate_runs),
    .op_run_pitch_i	(accumulate_run_pitch),
    .op_tag_i	(accumulate_tag),
    .group_valid_o	(partial_valid),
    .group_ready_i	(partial_ready),
    .group_o	(partial_group),
    .exhausted_o	(partial_exhausted),
    .request_valid_o	(request_valid[1]),
    .request_ready_i	(request_ready[1]),
    .request_address_o	(request_address[REQUEST_WIDTH +: REQUEST_WIDTH]),
    .request_beats_o	(request_beats[BEATS_WIDTH +: BEATS_WIDTH]),
    .data_valid_i	(read_valid[1]),
    .data_i	(read_data[MEMORY_WIDTH-1:0]),
    .data_error_i	(read_error[1:0]),
    .error_o	(partial_error),
    .error_code_o	(partial_error_code),
    .error_tag_o	(partial_error_tag),
    .taken_o	(partial_taken),
    .taken_bytes_o	(partial_bytes),
    .idle_o	(partial_idle)
  );

  tulle_store #(
    .MEM	(MEMORY_WIDTH),
    .ACC	(ACC_WIDTH),
    .PES	(PES),
    .CLUSTERS	(CLUSTERS),
    .ROWS	(ROWS),
    .LANES	(STORE_LANES),
    .TAKE	(STORE_TAKES),
    .FUNCTIONS	(FUNCTION_MASK),
    .LOOKUP	(LOOKUP),
    .CHANNEL_GROUPS	(CHANNEL_GROUPS),
    .JOINS	(JOINS),
    .SOFTMAX	(SOFTMAX),
    .ROUNDINGS	(ROUNDINGS),
//: if gather_lines
    .LINES	(`TULLE_GATHER_LINES),
//: end
//: if local_bytes
    .LOCAL	(1),
//: end
    .TAG	(OP_TAG_WIDTH)
  ) u_store (
    .clk_i	(ap_clk),
    .rst_ni	(store_n),
    .abort_i	(abort),
    .op_valid_i	(store_valid),
    .op_ready_o	(store_ready),
    .op_rows_i	(store_rows),
    .op_clusters_i	(store_clusters),
    .op_element_i	(store_element),
    .op_interleave_i	(store_interleave),
    .op_unsigned_i	(store_unsigned),
    .op_address_i	(store_address),
    .op_length_i	(store_length),
    .op_runs_i	(store_runs),
    .op_planes_i	(store_planes),
    .op_run_pitch_i	(store_run_pitch),
    .op_plane_pitch_i	(store_plane_pitch),
    .op_bytes_i	(store_operation_bytes),
    .op_walk_i	(store_walk),
    .op_tag_i	(store_tag),
    .done_valid_o	(done_valid[2]),
    .done_ready_i	(done_ready[2]),
    .done_tag_o	(done_tag[3*OP_TAG_WIDTH-1:2*OP_TAG_WIDTH]),
    .acc_valid_i	(accumulate_valid),
    .acc_ready_o	(accumulate_ready),
    .acc_element_i	(accumulate_element),
    .acc_source_i	(accumulate_source),
    .acc_sum_clusters_i	(accumulate_sum_clusters),
    .acc_sum_rows_i	(accumulate_sum_rows),
    .acc_final_i	(accumulate_final),
    .acc_record_i	(accumulate_record),
    .acc_column_i	(accumulate_column),
    .acc_group_i	(accumulate_group),
    .acc_by_channel_i	(accumulate_by_channel),
    .acc_operand_i	(accumulate_operand),
    .acc_join_i	(accumulate_join),
    .acc_alone_i	(accumulate_alone),
    .acc_scale_first_i	(accumulate_scale_first),
    .acc_fraction_15_i	(accumulate_fraction_15),
    .acc_softmax_i	(accumulate_softmax),
    .acc_tag_i	(accumulate_tag),
    .acc_done_valid_o	(done_valid[3]),
    .acc_done_ready_i	(done_ready[3]),
    .acc_done_tag_o	(done_tag[4*OP_TAG_WIDTH-1:3*OP_TAG_WIDTH]),
    .has_i	(has),
    .bank_i	(banks),
    .take_o	(take),
    .take_cluster_o	(take_cluster),
    .group_i	(groups),
    .partial_op_valid_o	(partial_op_valid),
    .partial_op_ready_i	(partial_op_ready),
    .partial_valid_i	(partial_valid),
    .partial_ready_o	(partial_ready),
    .partial_group_i	(partial_group),
    .partial_exhausted_i	(partial_exhausted),
    .partial_bytes_o	(unused_partial_bytes),
    .operand_op_valid_o	(operand_op_valid),
    .operand_op_ready_i	(operand_op_ready),
    .operand_valid_i	(operand_valid),
    .operand_ready_o	(operand_ready),
    .operand_chunk_i	(operand_chunk),
    .operand_exhausted_i	(operand_exhausted),
    .record_valid_i	(record_valid),
    .record_ready_o	(record_ready),
    .record_address_i	(record_address),
    .words_valid_i	(words_valid),
    .words_ready_o	(words_ready),
    .words_i	(words),
    .burst_valid_o	(burst_valid),
    .burst_ready_i	(burst_ready),
    .burst_address_o	(burst_address),
    .burst_beats_o	(burst_beats),
    .data_valid_o	(write_valid),
    .data_ready_i	(write_ready),
    .data_o	(write_data),
    .strobe_o	(write_strobe),
    .response_valid_i	(response_valid),
    .response_error_i	(response_error),
    .record_response_o	(record_response),
    .bytes_valid_o	(store_bytes_valid),
    .bytes_o	(store_bytes),
    .error_o	(store_error),
    .error_code_o	(store_error_code),
    .error_queue_o	(store_error_queue),
    .error_tag_o	(store_error_tag),
    .waits_o	(store_waits),
    .active_tag_o	(store_active),
    .stall_o	(store_stall),
    .sent_o	(store_sent),
    .idle_o	(store_idle)
  );

//: if local_bytes
//: include bank.v

//: end
  // -- The first error, its place in the array, and its operation

  reg		array_error_q;	// a cycle late, when the operation is known
  wire		error;
  wire	[CAUSE_WIDTH-1:0]	error_code;	// {queue, status code}
  wire	[OP_PLACE_WIDTH-1:0]	error_place;
  wire	[7:0]	error_row;
  wire	[7:0]	error_cluster;
  wire	[7:0]	error_pe;
  wire	[2:0]	unused_error_source;
  wire	[OP_PLACE_WIDTH-1:0]	array_place = places[array_error_row*OP_PLACE_WIDTH +: OP_PLACE_WIDTH];

  always @(posedge ap_clk) array_error_q <= run_n && array_error;

//: if job_queue
  // The first error of the job that waits is reported when the job under way is done.

  wire		next_error;
  wire	[OP_PLACE_WIDTH+UNIT_WIDTH+CAUSE_WIDTH-1:0]	next_error_data;
  wire	[1:0]	unused_next_source;
  wire		of_array = !hand;	// errors of the array and of the distribution are of the job under way
  wire		of_loads = !lead;	// and so are those of loads

  tulle_first_error #(
    .WIDTH	(OP_PLACE_WIDTH + UNIT_WIDTH + CAUSE_WIDTH),
    .PORTS	(3)
  ) u_next_error (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
    .error_i	({array_error_q && hand, distribute_error && hand, load_error && lead}),
    .data_i	({
      array_place, 4'd0, array_error_pe & {4{array_error_in_pe}}, {8-CLUSTER_WIDTH{1'b0}}, array_error_cluster,
      {8-ROW_WIDTH{1'b0}}, array_error_row, array_error_in_pe ? `TULLE_QUEUE_PE : `TULLE_QUEUE_CLUSTER, array_error_code,
      distribute_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, `TULLE_QUEUE_DISTRIBUTE, `TULLE_STATUS_NO_FEATURE,
      load_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, `TULLE_QUEUE_LOAD, load_error_code
    }),
    .error_o	(next_error),
    .data_o	(next_error_data),
    .index_o	(unused_next_source)
  );

//: end
  tulle_first_error #(
    .WIDTH	(OP_PLACE_WIDTH + UNIT_WIDTH + CAUSE_WIDTH),
//: if job_queue
    .PORTS	(8)
//: else
    .PORTS	(7)
//: end
  ) u_first_error (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
//: if job_queue
    .error_i	({next_error && !lead, array_error_q && of_array, operand_error != 2'd0, partial_error, store_error,
                  distribute_error && of_array, load_error && of_loads, command_error}),
    .data_i	({
      next_error_data,
//: else
    .error_i	({array_error_q, operand_error != 2'd0, partial_error, store_error, distribute_error, load_error, command_error}),
    .data_i	({
//: end
      array_place, 4'd0, array_error_pe & {4{array_error_in_pe}}, {8-CLUSTER_WIDTH{1'b0}}, array_error_cluster,
      {8-ROW_WIDTH{1'b0}}, array_error_row, array_error_in_pe ? `TULLE_QUEUE_PE : `TULLE_QUEUE_CLUSTER, array_error_code,
      operand_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, `TULLE_QUEUE_ACCUMULATE, operand_error_code,
      partial_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, `TULLE_QUEUE_ACCUMULATE, partial_error_code,
      store_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, store_error_queue, store_error_code,
      distribute_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, `TULLE_QUEUE_DISTRIBUTE, `TULLE_STATUS_NO_FEATURE,
      load_error_tag[OP_TAG_WIDTH-1 -: OP_PLACE_WIDTH], {UNIT_WIDTH{1'b0}}, `TULLE_QUEUE_LOAD, load_error_code,
      command_error_offset[31:6], {UNIT_WIDTH{1'b0}}, command_error_queue, command_error_code
    }),
    .error_o	(error),
    .data_o	({error_place, error_pe, error_cluster, error_row, error_code}),
    .index_o	(unused_error_source)
  );

  wire unused_tags = &{1'b0, command_error_offset[5:0], load_error_tag[OP_GIVES_WIDTH-1:0], store_error_tag[OP_GIVES_WIDTH-1:0],
                       distribute_error_tag[OP_GIVES_WIDTH-1:0], partial_error_tag[OP_GIVES_WIDTH-1:0], operand_error_tag[OP_GIVES_WIDTH-1:0], store_active[OP_GIVES_WIDTH-1:0]};

  // -- Idleness, progress and counts

  wire	[ROWS-1:0]	packet_moves = packet_valid & packet_ready;
  reg	[COUNT_WIDTH-1:0]	beats;
  reg	[COUNT_WIDTH-1:0]	unit_stalls;
  integer		i;

  always @* begin
    beats       = {COUNT_WIDTH{1'b0}};
    unit_stalls = {COUNT_WIDTH{1'b0}};
    for (i = 0; i < ROWS; i = i + 1) begin
      if (packet_moves[i]) beats = beats + 1'b1;
//: if job_queue
      if (unit_idle[i] && !load_idle && (hand || !lead)) unit_stalls = unit_stalls + 1'b1;
//: else
      if (unit_idle[i] && !load_idle) unit_stalls = unit_stalls + 1'b1;
//: end
    end
  end

  // The wire of the array's idleness is long, so it goes through a register. Its readers wait for several idle cycles.
  reg array_idle_q;

  always @(posedge ap_clk) array_idle_q <= array_idle;

  wire calm = load_idle && distribute_idle && &unit_idle && array_idle_q;

//: if job_queue
  assign spread   = distribute_idle && &unit_idle;
  assign old_idle = store_idle && partial_idle && &operand_idle;
//: end
  assign quiet = calm && (store_idle || store_waits);
//: if job_queue
  assign all_sent = (calm || (lead && spread && array_idle_q)) && store_sent && partial_idle && &operand_idle;
//: else
  assign all_sent = calm && store_sent && partial_idle && &operand_idle;
//: end
  assign idle  = calm && store_idle && partial_idle && &operand_idle;

  reg all_sent_q;

  always @(posedge ap_clk) all_sent_q <= all_sent;

//: if job_queue
  // What the job that waits reads is kept until the counters are its own.
  reg	[READ_WIDTH-1:0]	data_read_q;	// of partial sums and operands
  reg	[READ_WIDTH-1:0]	load_read_q;	// of loads and the program
  reg	[READ_WIDTH-1:0]	early_read_q;
  wire		keep = lead && !hand;
  wire	[READ_WIDTH-1:0]	bytes_read = data_read_q + (keep ? {READ_WIDTH{1'b0}} : load_read_q + early_read_q);

  always @(posedge ap_clk) begin
    load_read_q  <= {1'b0, command_bytes & {33{command_bytes_valid}}} + {{READ_WIDTH-26{1'b0}}, load_bytes[25:0]};
    early_read_q <= keep ? early_read_q + load_read_q : {READ_WIDTH{1'b0}};
  end

  // While a job runs ahead, the watchdog is that of the job under way.
  reg	[31:0]	period_q;
  wire	[31:0]	own_period = header_valid ? header_watchdog : 32'd0;

  always @(posedge ap_clk) if (!ahead) period_q <= own_period;

//: else
  // The bytes of the program are counted before its operations begin, so that one of the two numbers is 0 and an or
  // adds them. Loads and partial sums of a cycle are at most the bytes of the storage units.
  reg	[READ_WIDTH-1:0]	data_read_q;
  wire	[READ_WIDTH-1:0]	bytes_read = {1'b0, command_bytes & {33{command_bytes_valid}}} | data_read_q;
//: end
  wire	[BYTES_WIDTH-1:0]	bytes_written = {{BYTES_WIDTH-43{1'b0}}, store_bytes};
  wire		unused_valid = &{1'b0, store_bytes_valid, load_bytes};
//: if local_bytes
  wire		any_write = write_beat || bank_write_q;
//: else
  wire		any_write = write_beat;
//: end
  wire		progress = |read_beat || any_write || packet_moves != {ROWS{1'b0}} || result_moves != {ROWS{1'b0}} ||
                          array_busy != {COUNT_WIDTH{1'b0}};

  always @(posedge ap_clk) begin
//: if job_queue
    data_read_q <=
//: else
    data_read_q <= {{READ_WIDTH-26{1'b0}}, load_bytes[25:0]} +
//: end
//: if local_bytes
                   {{READ_WIDTH-8{1'b0}}, partial_bytes & {8{partial_taken && !partial_local_q}}} +
                   {{READ_WIDTH-8{1'b0}}, operand_bytes[7:0] & {8{!operand_local_q[0]}}} +
                   {{READ_WIDTH-8{1'b0}}, operand_bytes[15:8] & {8{!operand_local_q[1]}}};
//: else
                   {{READ_WIDTH-8{1'b0}}, partial_bytes & {8{partial_taken}}} +
                   {{READ_WIDTH-8{1'b0}}, operand_bytes[7:0]} + {{READ_WIDTH-8{1'b0}}, operand_bytes[15:8]};
//: end
  end

  // -- Control block

  tulle_control #(
    .COUNTERS	(`TULLE_COUNTERS),
//: if job_queue
    .QUEUE	(1),
//: end
//: if kept_weights
    .KEPT	(1),
//: end
    .ADD_WIDTH	(COUNT_WIDTH),
    .ADD_WIDTHS	({PE_COUNT_WIDTH, 8'd1, PE_COUNT_WIDTH, PE_COUNT_WIDTH, ROW_COUNT_WIDTH, ROW_COUNT_WIDTH,
                   COUNT_WIDTH_8, PE_COUNT_WIDTH}),
    .READ_WIDTH	(READ_WIDTH),
    .BYTES_WIDTH	(BYTES_WIDTH)
  ) u_control (
//: include control_pins.v
    .soft_reset_o	(soft_reset),
    .engine_reset_o	(engine_reset),
    .flush_o	(flush),
    .job_start_o	(start),
    .job_sent_i	(sent),
    .idle_i	(all_sent_q), // sent has counted cycles of all_sent before
//: if job_queue
    .complete_i	(lead ? ended : ended && idle),
//: else
    .complete_i	(ended && idle),
//: end
    .abort_o	(abort),
    .last_call_o	(last_call),
    .ports_idle_i	(&read_idle && write_idle),
    .progress_i	(progress),
//: if job_queue
    .watchdog_i	(ahead ? period_q : own_period),
//: else
    .watchdog_i	(header_valid ? header_watchdog : 32'd0),
//: end
    .add_i	({array_moved, {COUNT_WIDTH-1{1'b0}}, store_stall, array_stall_output,
              array_stall_weights, unit_stalls, beats,
              array_scanned, array_busy}),
    .bytes_read_i	(bytes_read),
    .bytes_written_i	(bytes_written),
    .error_i	(error),
    .error_code_i	(error_code[15:0]),
    .error_queue_i	(error_code[23:16]),
    .error_row_i	(error_row),
    .error_cluster_i	(error_cluster),
    .error_pe_i	(error_pe),
    .error_offset_i	({error_place, 6'd0}),
    .argument_read_i	(argument_read),
    .argument_i	(argument_address),
    .argument_o	(argument),
//: if kept_weights
    .leaves_i	(leaves),
    .held_o	(held),
//: else
    .leaves_i	(32'd0),
    .held_o	(unused_held),
//: end
    .burst_valid_o	(record_valid),
    .burst_ready_i	(record_ready),
    .burst_address_o	(record_address),
    .words_valid_o	(words_valid),
    .words_ready_i	(words_ready),
    .words_o	(words),
    .response_valid_i	(record_response),
//: if job_queue
    .next_o	(next),
    .ahead_i	(ahead),
    .lead_i	(lead),
    .hand_o	(hand),
    .array_reset_o	(array_reset),
    .taken_o	(taken)
//: else
    .next_o	(unused_queue[0]),
    .ahead_i	(1'b0),
    .lead_i	(1'b0),
    .hand_o	(unused_queue[1]),
    .array_reset_o	(unused_queue[2]),
    .taken_o	(unused_queue[3])
//: end
  );

endmodule

`default_nettype wire
