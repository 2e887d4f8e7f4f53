#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The simulated board around the stand-in with clusters in it, each with an assertion that fails on purpose.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"

# with_clusters: the stand-in with the array of base in it. Its packet ports are idle until mischief 7.
with_clusters() {
    sed '/^endmodule/,$d' "$STAND_IN"
    local row
    for row in 0 1; do
        echo "  wire [127:0] data$row; wire [0:0] cluster$row; wire ready$row, valid$row, last$row;"
    done
    echo "  wire [11:0] backlog0, backlog1; wire error, idle; wire [15:0] code; wire [0:0] error_row, error_cluster; wire [10:0] place;"
    echo "  tulle_array u_array (.clk_i(ap_clk), .rst_ni(ap_rst_n), .error_o(error), .error_code_o(code),"
    echo "    .error_row_o(error_row), .error_cluster_o(error_cluster), .error_place_o(place),"
    echo "    .counts_o(), .idle_o(idle)"
    for row in 0 1; do
        echo "    , .row${row}_packet_valid_i(mischief_q == 32'd7), .row${row}_packet_ready_o(ready$row),"
        echo "    .row${row}_packet_scatter_i(1'b0),"
        echo "    .row${row}_packet_data_i(256'd0), .row${row}_packet_command_i(8'h80), .row${row}_packet_clusters_i(2'd1),"
        echo "    .row${row}_packet_count_i(16'd1), .row${row}_packet_last_i(1'b1), .row${row}_packet_tag_i(6'd0),"
        echo "    .row${row}_result_room_i(2'b11), .row${row}_result_valid_o(valid$row),"
        echo "    .row${row}_backlog_o(backlog$row),"
        echo "    .row${row}_result_ready_i(1'b1), .row${row}_result_data_o(data$row),"
        echo "    .row${row}_result_cluster_o(cluster$row), .row${row}_result_last_o(last$row)"
    done
    echo "  );"
    echo "endmodule"
}

with_clusters >blocks.v
grep -q tulle_array blocks.v
assertion="  always @(posedge clk_i) if (rst_ni && packet_valid_i) \$fatal(1, \"seeded\");"
TULLE_BOARD_BLOCKS=1 board blocks --top blocks.v --change tulle_cluster endmodule "$assertion"$'\n'endmodule

finish
