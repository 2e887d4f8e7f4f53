// SPDX-License-Identifier: Apache-2.0
//
// tulle_packet_top: the control block and the array without the memory side, as the device of the test bench. The
// test bench takes the place of command processor, storage, distribution and collectors.
//
// Each row has a port for packets and a port for results. The command, the clusters and the count are the same for
// all beats of a packet.
//   packet_command   the command (docs/isa.md of the source tree)
//   packet_clusters  bit c: cluster c takes the packet
//   packet_count     the number of times that the sequence runs
//   packet_last      this is the last beat of the packet
//   result_cluster   the cluster that sends the result
//   result_last      this is the last beat of a packet's results
//   result_room      bit c: cluster c may send a store
// job_start_o announces a job. The test bench sets job_sent_i when it has sent all packets of the job, and drops its
// packets on soft_reset_o. The begin and the end of a job reset nothing in this module.
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_params.vh"

module tulle_packet_top (
//: include control_ports.v
//: for i < n
//: include row_ports.v
//: end

  // Jobs
  output wire		job_start_o,
  input  wire		job_sent_i,
  output wire		soft_reset_o
);

  localparam ROWS	= `TULLE_N;
  localparam ROW_ID_WIDTH	= `TULLE_ROW_ID_WIDTH;	// bits of a row's number
  localparam CLUSTER_ID_WIDTH	= `TULLE_CLUSTER_ID_WIDTH;	// bits of a cluster's number
  localparam PLACE_WIDTH	= `TULLE_ERROR_PLACE_WIDTH;	// bits of the place of an error
  localparam COUNTS	= 5;	// numbers that the array counts in a cycle
  localparam ADD_WIDTH	= `TULLE_COUNT_WIDTH;	// bits of each of them
  localparam READ_WIDTH	= 34;	// bits of the number of bytes read in a cycle
  localparam BYTES_WIDTH	= 44;	// bits of the number of bytes written in a cycle
  localparam [ADD_WIDTH-1:0] ONE	= 1;

  wire		error;
  wire	[15:0]	error_code;
  wire	[ROW_ID_WIDTH-1:0]	error_row;
  wire	[CLUSTER_ID_WIDTH-1:0]	error_cluster;
  wire	[PLACE_WIDTH-1:0]	unused_error_place;
  wire	[COUNTS*ADD_WIDTH-1:0]	counts;
  wire		idle;

  // -- The packets and results that move in this cycle

  wire	[ROWS-1:0]	packet_moves;
  wire	[ROWS-1:0]	result_moves;

//: for i < n
  assign packet_moves[${i}] = row${i}_packet_valid_i && row${i}_packet_ready_o;
  assign result_moves[${i}] = row${i}_result_valid_o && row${i}_result_ready_i;
//: end

  reg	[ADD_WIDTH-1:0]	beats;
  integer		i;

  always @* begin
    beats = {ADD_WIDTH{1'b0}};
    for (i = 0; i < ROWS; i = i + 1)
      if (packet_moves[i]) beats = beats + ONE;
  end

  // -- Control: status records are discarded

  wire		unused_engine_reset;
  wire		unused_flush;
  wire		unused_abort;
  wire		unused_last_call;
  wire	[31:0]	unused_argument;
  wire	[31:0]	unused_held;
  wire		unused_burst_valid;
  wire	[63:0]	unused_burst_address;
  wire		unused_words_valid;
  wire	[63:0]	unused_words;
  wire	[3:0]	unused_queue;	// of jobs: there is none

  tulle_control #(
    .COUNTERS	(`TULLE_COUNTERS),
    .ADD_WIDTH	(ADD_WIDTH),
    .ADD_WIDTHS	({8{ADD_WIDTH[7:0]}}),
    .READ_WIDTH	(READ_WIDTH),
    .BYTES_WIDTH	(BYTES_WIDTH)
  ) u_control (
//: include control_pins.v
    .soft_reset_o	(soft_reset_o),
    .engine_reset_o	(unused_engine_reset),
    .flush_o	(unused_flush),
    .job_start_o	(job_start_o),
    .job_sent_i	(job_sent_i),
    .idle_i	(idle),
    .complete_i	(1'b1),
    .abort_o	(unused_abort),
    .last_call_o	(unused_last_call),
    .ports_idle_i	(1'b1),
    .progress_i	(|packet_moves || |result_moves),
    .watchdog_i	(32'd0),
    .add_i	({counts[2*ADD_WIDTH +: ADD_WIDTH], {4*ADD_WIDTH{1'b0}}, beats,
              counts[ADD_WIDTH +: ADD_WIDTH], counts[0 +: ADD_WIDTH]}),
    .bytes_read_i	({READ_WIDTH{1'b0}}),
    .bytes_written_i	({BYTES_WIDTH{1'b0}}),
    .error_i	(error),
    .error_code_i	(error_code),
    .error_queue_i	(`TULLE_QUEUE_CLUSTER),
    .error_row_i	({{8-ROW_ID_WIDTH{1'b0}}, error_row}),
    .error_cluster_i	({{8-CLUSTER_ID_WIDTH{1'b0}}, error_cluster}),
    .error_pe_i	(8'd0),
    .error_offset_i	(32'd0),
    .argument_read_i	(1'b0),
    .argument_i	(6'd0),
    .argument_o	(unused_argument),
    .leaves_i	(32'd0),
    .held_o	(unused_held),
    .burst_valid_o	(unused_burst_valid),
    .burst_ready_i	(1'b1),
    .burst_address_o	(unused_burst_address),
    .words_valid_o	(unused_words_valid),
    .words_ready_i	(1'b1),
    .words_o	(unused_words),
    .response_valid_i	(1'b1),
    .next_o	(unused_queue[0]),
    .ahead_i	(1'b0),
    .lead_i	(1'b0),
    .hand_o	(unused_queue[1]),
    .array_reset_o	(unused_queue[2]),
    .taken_o	(unused_queue[3])
  );

  // -- Array

  tulle_array u_array (
    .clk_i	(ap_clk),
    .rst_ni	(ap_rst_n && !soft_reset_o),
//: for i < n
    .row${i}_packet_valid_i	(row${i}_packet_valid_i),
    .row${i}_packet_ready_o	(row${i}_packet_ready_o),
    .row${i}_packet_data_i	(row${i}_packet_data_i),
    .row${i}_packet_command_i	(row${i}_packet_command_i),
    .row${i}_packet_clusters_i	(row${i}_packet_clusters_i),
    .row${i}_packet_count_i	(row${i}_packet_count_i),
    .row${i}_packet_scatter_i	(row${i}_packet_scatter_i),
    .row${i}_packet_last_i	(row${i}_packet_last_i),
    .row${i}_packet_tag_i	(row${i}_packet_tag_i),
    .row${i}_result_valid_o	(row${i}_result_valid_o),
    .row${i}_result_ready_i	(row${i}_result_ready_i),
    .row${i}_result_data_o	(row${i}_result_data_o),
    .row${i}_result_cluster_o	(row${i}_result_cluster_o),
    .row${i}_result_last_o	(row${i}_result_last_o),
    .row${i}_result_room_i	(row${i}_result_room_i),
    .row${i}_backlog_o	(row${i}_backlog_o),
//: end
    .error_o	(error),
    .error_code_o	(error_code),
    .error_row_o	(error_row),
    .error_cluster_o	(error_cluster),
    .error_place_o	(unused_error_place),
    .counts_o	(counts),
    .idle_o	(idle)
  );

endmodule

`default_nettype wire
