// SPDX-License-Identifier: Apache-2.0
//
// tulle_row: a row of the array. It carries each packet to one cluster, to some or to all of them, and collects their
// results.
//
//   packets -> bus (tulle_fork) -> clusters -> arbiter -> register slice -> results
//
// The arbiter takes the results of one store from a cluster, then turns to the next cluster that has results.
//
// Ports
//   packet_*   packets, beat by beat, with the clusters that take them
//   result_*   results, beat by beat, with the cluster that they come from
//   backlog_o  the number of packets that each cluster has not finished
//   error_*    the first error of the clusters
//   counts_o   the number of PEs that work or wait in this cycle
//   idle_o     nothing is under way
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_params.vh"

module tulle_row (
  input  wire		clk_i,
  input  wire		rst_ni,

  // Packets. Command, clusters and count are the same for all beats of a packet.
  input  wire		packet_valid_i,
  output wire		packet_ready_o,
  input  wire	[`TULLE_ROW_BUS_WIDTH-1:0]	packet_data_i,
  input  wire	[7:0]	packet_command_i,
  input  wire	[`TULLE_M-1:0]	packet_clusters_i,	// bit c: cluster c takes the packet
  input  wire	[15:0]	packet_count_i,
  input  wire		packet_scatter_i,	// value i of its activations is for PE i modulo the number of PEs
  input  wire		packet_last_i,
  input  wire	[`TULLE_PACKET_TAG_WIDTH-1:0]	packet_tag_i,

  // Results, and the cluster that they come from
  output wire		result_valid_o,
  input  wire		result_ready_i,
  output wire	[`TULLE_COLLECTOR_WIDTH-1:0]	result_data_o,
  output wire	[`TULLE_CLUSTER_ID_WIDTH-1:0]	result_cluster_o,
  output wire		result_last_o,
  input  wire	[`TULLE_M-1:0]	result_room_i,	// bit c: cluster c may send a store

  // For each cluster, the packets that it has not finished; 0 in variants without dispatch
  output wire	[`TULLE_M*`TULLE_BACKLOG_WIDTH-1:0]	backlog_o,

  // The first error of the row's clusters, until reset
  output wire		error_o,
  output wire	[15:0]	error_code_o,
  output wire	[`TULLE_CLUSTER_ID_WIDTH-1:0]	error_cluster_o,
  output wire	[`TULLE_ERROR_PLACE_WIDTH-1:0]	error_place_o,	// {tag of the packet, 1 for an error in a PE, number of the PE}

  // Sums over all PEs of the events of a cycle. The words are, from the lowest on: multiplied pairs, weights that
  // were looked at, multiplied pairs of a neighbour, PEs that wait for weights, PEs that wait for a MAC.
  output wire	[5*`TULLE_COUNT_WIDTH-1:0]	counts_o,

  output wire		idle_o
);

  // -- Sizes

  localparam CLUSTERS	= `TULLE_M;
  localparam BUS_WIDTH	= `TULLE_ROW_BUS_WIDTH;
  localparam TAG_WIDTH	= `TULLE_PACKET_TAG_WIDTH;
  localparam BEAT_WIDTH	= TAG_WIDTH + 1 + `TULLE_COMMAND_WIDTH + 16 + 1 + BUS_WIDTH;	// tag, last, command, count, scatter, data
  localparam COLLECTOR_WIDTH	= `TULLE_COLLECTOR_WIDTH;
  localparam RESULT_BEATS	= `TULLE_RESULT_BEATS;
  localparam PARTS_WIDTH	= RESULT_BEATS * COLLECTOR_WIDTH;	// the beats of a store, side by side
  localparam CLUSTER_WIDTH	= `TULLE_CLUSTER_ID_WIDTH;
  localparam BACKLOG_WIDTH	= `TULLE_BACKLOG_WIDTH;
  localparam COUNT_WIDTH	= `TULLE_COUNT_WIDTH;
  localparam COUNTS_WIDTH	= 5 * `TULLE_COUNT_WIDTH;
  localparam ERROR_PLACE_WIDTH	= `TULLE_ERROR_PLACE_WIDTH;
  localparam CODE_WIDTH	= 16;	// bits of a status code

  // -- Bus

  wire	[CLUSTERS-1:0]	bus_valid;	// bit c: for cluster c
  wire	[CLUSTERS-1:0]	bus_ready;
  wire	[BUS_WIDTH-1:0]	bus_data;
  wire	[7:0]	bus_command;
  wire	[15:0]	bus_count;
  wire		bus_scatter;
  wire		bus_last;
  wire	[TAG_WIDTH-1:0]	bus_tag;

  tulle_fork #(
    .WIDTH	(BEAT_WIDTH),
    .PORTS	(CLUSTERS)
  ) u_bus (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	(packet_valid_i),
    .ready_o	(packet_ready_o),
    .data_i	({packet_tag_i, packet_last_i, packet_command_i, packet_count_i, packet_scatter_i, packet_data_i}),
    .mask_i	(packet_clusters_i),
    .valid_o	(bus_valid),
    .ready_i	(bus_ready),
    .data_o	({bus_tag, bus_last, bus_command, bus_count, bus_scatter, bus_data})
  );

  // -- Clusters
//: for i < m

  wire		cluster${i}_valid;
  wire		cluster${i}_ready;
  wire	[PARTS_WIDTH-1:0]	cluster${i}_data;
  wire		cluster${i}_last;
  wire		cluster${i}_set;
  wire		cluster${i}_error;
  wire	[15:0]	cluster${i}_error_code;
  wire	[ERROR_PLACE_WIDTH-1:0]	cluster${i}_error_place;
  wire	[COUNTS_WIDTH-1:0]	cluster${i}_counts;
  wire	[BACKLOG_WIDTH-1:0]	cluster${i}_backlog;
  wire		cluster${i}_idle;

  tulle_cluster u_cluster${i} (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .packet_valid_i	(bus_valid[${i}]),
    .packet_ready_o	(bus_ready[${i}]),
    .packet_data_i	(bus_data),
    .packet_command_i	(bus_command),
    .packet_count_i	(bus_count),
    .packet_scatter_i	(bus_scatter),
    .packet_last_i	(bus_last),
    .packet_tag_i	(bus_tag),
    .result_valid_o	(cluster${i}_valid),
    .result_ready_i	(cluster${i}_ready),
    .result_data_o	(cluster${i}_data),
    .result_last_o	(cluster${i}_last),
    .result_set_o	(cluster${i}_set),
    .error_o	(cluster${i}_error),
    .error_code_o	(cluster${i}_error_code),
    .error_place_o	(cluster${i}_error_place),
    .counts_o	(cluster${i}_counts),
//: if dispatch
    .backlog_o	(cluster${i}_backlog),
//: end
    .idle_o	(cluster${i}_idle)
  );
//: if !dispatch

  assign cluster${i}_backlog = 6'd0;
//: end
//: end

  tulle_add_up #(
    .PORTS	(CLUSTERS),
    .FIELDS	(5),
    .WIDTH	(COUNT_WIDTH),
    .USED	(`TULLE_SCAN_COUNT_WIDTH),
    .SUM	(COUNT_WIDTH),
    .NEED	(`TULLE_ROW_SCAN_COUNT_WIDTH)
  ) u_counts (
    .clk_i	(clk_i),
    .words_i	({${cluster${i}_counts for i < m}}),
    .sum_o	(counts_o)
  );

  // -- Results. The arbiter changes after each store, so that no cluster waits for the end of another one's packet.

  wire		gathered_valid;
  wire		gathered_ready;
  wire	[PARTS_WIDTH-1:0]	gathered_parts;
  reg	[COLLECTOR_WIDTH-1:0]	gathered_data;	// the or of the parts
  wire	[CLUSTER_WIDTH-1:0]	gathered_cluster;
  wire		gathered_last;
  wire		gathered_set;

  tulle_arbiter #(
    .WIDTH	(1 + PARTS_WIDTH),
    .PORTS	(CLUSTERS)
  ) u_arbiter (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	({${cluster${i}_valid for i < m}}),
    .ready_o	({${cluster${i}_ready for i < m}}),
    .last_i	({${cluster${i}_set for i < m}}),
    .data_i	({${{cluster${i}_last, cluster${i}_data} for i < m}}),
    .may_begin_i	(result_room_i),
    .abandon_i	({${cluster${i}_error for i < m}}),
    .valid_o	(gathered_valid),
    .ready_i	(gathered_ready),
    .last_o	(gathered_set),
    .data_o	({gathered_last, gathered_parts}),
    .index_o	(gathered_cluster)
  );

  integer b;

  always @* begin
    gathered_data = {COLLECTOR_WIDTH{1'b0}};
    for (b = 0; b < RESULT_BEATS; b = b + 1)
      gathered_data = gathered_data | gathered_parts[b*COLLECTOR_WIDTH +: COLLECTOR_WIDTH];
  end

  tulle_slice #(
    .WIDTH	(1 + CLUSTER_WIDTH + COLLECTOR_WIDTH)
  ) u_result_slice (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	(gathered_valid),
    .ready_o	(gathered_ready),
    .data_i	({gathered_last, gathered_cluster, gathered_data}),
    .valid_o	(result_valid_o),
    .ready_i	(result_ready_i),
    .data_o	({result_last_o, result_cluster_o, result_data_o})
  );

  // -- Errors and idleness

  tulle_first_error #(
    .WIDTH	(ERROR_PLACE_WIDTH + CODE_WIDTH),
    .PORTS	(CLUSTERS)
  ) u_first_error (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .error_i	({${cluster${i}_error for i < m}}),
    .data_i	({${cluster${i}_error_place, cluster${i}_error_code for i < m}}),
    .error_o	(error_o),
    .data_o	({error_place_o, error_code_o}),
    .index_o	(error_cluster_o)
  );

  wire [CLUSTERS-1:0] cluster_idle = {${cluster${i}_idle for i < m}};

  assign backlog_o = {${cluster${i}_backlog for i < m}};

  wire unused = &{1'b0, gathered_set};

  assign idle_o = &cluster_idle && bus_valid == {CLUSTERS{1'b0}} && !result_valid_o;

endmodule

`default_nettype wire
