//: # SPDX-License-Identifier: Apache-2.0
//: # Ports for packets and results of row i.

  // Row ${i}: packets in, results out
  input  wire		row${i}_packet_valid_i,
  output wire		row${i}_packet_ready_o,
  input  wire	[`TULLE_ROW_BUS_WIDTH-1:0]	row${i}_packet_data_i,
  input  wire	[7:0]	row${i}_packet_command_i,
  input  wire	[`TULLE_M-1:0]	row${i}_packet_clusters_i,
  input  wire	[15:0]	row${i}_packet_count_i,
  input  wire		row${i}_packet_scatter_i,
  input  wire		row${i}_packet_last_i,
  input  wire	[`TULLE_PACKET_TAG_WIDTH-1:0]	row${i}_packet_tag_i,
  output wire		row${i}_result_valid_o,
  input  wire		row${i}_result_ready_i,
  output wire	[`TULLE_COLLECTOR_WIDTH-1:0]	row${i}_result_data_o,
  output wire	[`TULLE_CLUSTER_ID_WIDTH-1:0]	row${i}_result_cluster_o,
  output wire		row${i}_result_last_o,
  input  wire	[`TULLE_M-1:0]	row${i}_result_room_i,
  output wire	[`TULLE_M*`TULLE_BACKLOG_WIDTH-1:0]	row${i}_backlog_o,
