// SPDX-License-Identifier: Apache-2.0
//
// tulle_array: the rows of the array. It reports their first error, adds up their counts, and is idle when all rows
// are.
//
// Ports: each row has the ports of tulle_row, named row<number>_*.
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_params.vh"

module tulle_array (
  input  wire		clk_i,
  input  wire		rst_ni,
//: for i < n
//: include row_ports.v
//: end

  // The first error, until reset
  output wire		error_o,
  output wire	[15:0]	error_code_o,
  output wire	[`TULLE_ROW_ID_WIDTH-1:0]	error_row_o,
  output wire	[`TULLE_CLUSTER_ID_WIDTH-1:0]	error_cluster_o,
  output wire	[`TULLE_ERROR_PLACE_WIDTH-1:0]	error_place_o,	// {tag of the packet, 1 for an error in a PE, number of the PE}

  output wire	[5*`TULLE_COUNT_WIDTH-1:0]	counts_o,	// the sums of the rows: see tulle_row
  output wire		idle_o
);

  // -- Sizes

  localparam ROWS	= `TULLE_N;
  localparam CLUSTER_WIDTH	= `TULLE_CLUSTER_ID_WIDTH;
  localparam COUNT_WIDTH	= `TULLE_COUNT_WIDTH;
  localparam COUNTS_WIDTH	= 5 * `TULLE_COUNT_WIDTH;
  localparam ERROR_PLACE_WIDTH	= `TULLE_ERROR_PLACE_WIDTH;
  localparam CODE_WIDTH	= 16;	// bits of a status code
//: for i < n

  wire		row${i}_error;
  wire	[15:0]	row${i}_error_code;
  wire	[CLUSTER_WIDTH-1:0]	row${i}_error_cluster;
  wire	[ERROR_PLACE_WIDTH-1:0]	row${i}_error_place;
  wire	[COUNTS_WIDTH-1:0]	row${i}_counts;
  wire		row${i}_idle;

  tulle_row u_row${i} (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .packet_valid_i	(row${i}_packet_valid_i),
    .packet_ready_o	(row${i}_packet_ready_o),
    .packet_data_i	(row${i}_packet_data_i),
    .packet_command_i	(row${i}_packet_command_i),
    .packet_clusters_i	(row${i}_packet_clusters_i),
    .packet_count_i	(row${i}_packet_count_i),
    .packet_scatter_i	(row${i}_packet_scatter_i),
    .packet_last_i	(row${i}_packet_last_i),
    .packet_tag_i	(row${i}_packet_tag_i),
    .result_valid_o	(row${i}_result_valid_o),
    .result_ready_i	(row${i}_result_ready_i),
    .result_data_o	(row${i}_result_data_o),
    .result_cluster_o	(row${i}_result_cluster_o),
    .result_last_o	(row${i}_result_last_o),
    .result_room_i	(row${i}_result_room_i),
    .backlog_o	(row${i}_backlog_o),
    .error_o	(row${i}_error),
    .error_code_o	(row${i}_error_code),
    .error_cluster_o	(row${i}_error_cluster),
    .error_place_o	(row${i}_error_place),
    .counts_o	(row${i}_counts),
    .idle_o	(row${i}_idle)
  );
//: end

  tulle_add_up #(
    .PORTS	(ROWS),
    .FIELDS	(5),
    .WIDTH	(COUNT_WIDTH),
    .USED	(`TULLE_ROW_SCAN_COUNT_WIDTH),
    .SUM	(COUNT_WIDTH),
    .NEED	(COUNT_WIDTH)
  ) u_counts (
    .clk_i	(clk_i),
    .words_i	({${row${i}_counts for i < n}}),
    .sum_o	(counts_o)
  );

  tulle_first_error #(
    .WIDTH	(ERROR_PLACE_WIDTH + CLUSTER_WIDTH + CODE_WIDTH),
    .PORTS	(ROWS)
  ) u_first_error (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .error_i	({${row${i}_error for i < n}}),
    .data_i	({${row${i}_error_place, row${i}_error_cluster, row${i}_error_code for i < n}}),
    .error_o	(error_o),
    .data_o	({error_place_o, error_cluster_o, error_code_o}),
    .index_o	(error_row_o)
  );

  wire [ROWS-1:0] row_idle = {${row${i}_idle for i < n}};

  assign idle_o = &row_idle;

endmodule

`default_nettype wire
