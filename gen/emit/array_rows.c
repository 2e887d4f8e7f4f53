/* SPDX-License-Identifier: Apache-2.0
 *
 * rtl/tulle_array.v: all rows.
 */
#include "gen/emit/array.h"
#include "gen/emit/array_ports.h"
#include "gen/emit/emit.h"
#include "gen/emit/verilog.h"

static const char title[] = "tulle_array: the rows of the array, its first error, and whether it is idle.";

static const char begin[] = "module tulle_array (\n"
                            "  input  wire\t\tclk_i,\n"
                            "  input  wire\t\trst_ni,\n";

static const char end_of_ports[] =
    "\n"
    "  // The first error, until reset\n"
    "  output wire\t\terror_o,\n"
    "  output wire\t[15:0]\terror_code_o,\n"
    "  output wire\t[${row_id_width-1}:0]\terror_row_o,\n"
    "  output wire\t[${cluster_id_width-1}:0]\terror_cluster_o,\n"
    "  output wire\t[10:0]\terror_place_o,\t// {tag of the packet, in a PE, which one}\n"
    "\n"
    "  output wire\t[5*${add_width}-1:0]\tcounts_o,\t// as the rows have it\n"
    "  output wire\t\tidle_o\n"
    ");\n";

static const char row[] = "\n"
                          "  wire\t\trow${i}_error;\n"
                          "  wire\t[15:0]\trow${i}_error_code;\n"
                          "  wire\t[${cluster_id_width-1}:0]\trow${i}_error_cluster;\n"
                          "  wire\t[10:0]\trow${i}_error_place;\n"
                          "  wire\t[5*${add_width}-1:0]\trow${i}_counts;\n"
                          "  wire\t\trow${i}_idle;\n"
                          "\n"
                          "  tulle_row u_row${i} (\n"
                          "    .clk_i\t(clk_i),\n"
                          "    .rst_ni\t(rst_ni),\n"
                          "    .packet_valid_i\t(row${i}_packet_valid_i),\n"
                          "    .packet_ready_o\t(row${i}_packet_ready_o),\n"
                          "    .packet_data_i\t(row${i}_packet_data_i),\n"
                          "    .packet_command_i\t(row${i}_packet_command_i),\n"
                          "    .packet_clusters_i\t(row${i}_packet_clusters_i),\n"
                          "    .packet_count_i\t(row${i}_packet_count_i),\n"
                          "    .packet_scatter_i\t(row${i}_packet_scatter_i),\n"
                          "    .packet_last_i\t(row${i}_packet_last_i),\n"
                          "    .packet_tag_i\t(row${i}_packet_tag_i),\n"
                          "    .result_valid_o\t(row${i}_result_valid_o),\n"
                          "    .result_ready_i\t(row${i}_result_ready_i),\n"
                          "    .result_data_o\t(row${i}_result_data_o),\n"
                          "    .result_cluster_o\t(row${i}_result_cluster_o),\n"
                          "    .result_last_o\t(row${i}_result_last_o),\n"
                          "    .result_room_i\t(row${i}_result_room_i),\n"
                          "    .backlog_o\t(row${i}_backlog_o),\n"
                          "    .error_o\t(row${i}_error),\n"
                          "    .error_code_o\t(row${i}_error_code),\n"
                          "    .error_cluster_o\t(row${i}_error_cluster),\n"
                          "    .error_place_o\t(row${i}_error_place),\n"
                          "    .counts_o\t(row${i}_counts),\n"
                          "    .idle_o\t(row${i}_idle)\n"
                          "  );\n";

static const char counts[] = "\n"
                             "  tulle_add_up #(\n"
                             "    .PORTS\t(${n}),\n"
                             "    .FIELDS\t(5),\n"
                             "    .WIDTH\t(${add_width}),\n"
                             "    .USED\t(${row_scanned_bits}),\n"
                             "    .SUM\t(${add_width}),\n"
                             "    .NEED\t(${add_width})\n"
                             "  ) u_counts (\n"
                             "    .clk_i\t(clk_i),\n";

static const char first_error[] = "\n"
                                  "  tulle_first_error #(\n"
                                  "    .WIDTH\t(11 + ${cluster_id_width} + 16),\n"
                                  "    .PORTS\t(${n})\n"
                                  "  ) u_first_error (\n"
                                  "    .clk_i\t(clk_i),\n"
                                  "    .rst_ni\t(rst_ni),\n";

static const char first_error_to[] = "    .error_o\t(error_o),\n"
                                     "    .data_o\t({error_place_o, error_cluster_o, error_code_o}),\n"
                                     "    .index_o\t(error_row_o)\n"
                                     "  );\n"
                                     "\n"
                                     "  wire [${n-1}:0] row_idle = ";

bool emit_array_rows(const struct emit_context *ctx)
{
    unsigned n = ctx->variant->n;
    struct strbuf text = {0};
    verilog_add(&text, ctx, 0, begin);
    verilog_repeat(&text, ctx, n, "", array_row_ports);
    verilog_add(&text, ctx, 0, end_of_ports);
    verilog_repeat(&text, ctx, n, "", row);
    verilog_add(&text, ctx, 0, counts);
    verilog_gather(&text, ctx, n, "    .words_i\t(", "row${i}_counts", "),\n");
    sb_add(&text, "    .sum_o\t(counts_o)\n  );\n");
    verilog_add(&text, ctx, 0, first_error);
    verilog_gather(&text, ctx, n, "    .error_i\t(", "row${i}_error", "),\n");
    verilog_gather(&text, ctx, n, "    .data_i\t(",
                   "row${i}_error_place, row${i}_error_cluster, row${i}_error_code", "),\n");
    verilog_add(&text, ctx, 0, first_error_to);
    verilog_gather(&text, ctx, n, "", "row${i}_idle", ";\n\n");
    sb_add(&text, "  assign idle_o = &row_idle;\n\nendmodule\n");
    return verilog_file(ctx, "rtl/tulle_array.v", title, &text);
}
