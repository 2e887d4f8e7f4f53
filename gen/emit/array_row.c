/* SPDX-License-Identifier: Apache-2.0
 *
 * rtl/tulle_row.v: a row: its bus, its clusters, the way back.
 */
#include "gen/emit/array.h"
#include "gen/emit/emit.h"
#include "gen/emit/verilog.h"

static const char title[] = "tulle_row: a row of the array: a bus that carries each packet to one cluster, "
                            "some or all; the clusters;\n"
                            "and an arbiter that takes their results, a store of each in turn.";

static const char ports[] =
    "module tulle_row (\n"
    "  input  wire\t\tclk_i,\n"
    "  input  wire\t\trst_ni,\n"
    "\n"
    "  // Packets: command, clusters and count are the same for all beats of a packet\n"
    "  input  wire\t\tpacket_valid_i,\n"
    "  output wire\t\tpacket_ready_o,\n"
    "  input  wire\t[${row_bus_width-1}:0]\tpacket_data_i,\n"
    "  input  wire\t[7:0]\tpacket_command_i,\n"
    "  input  wire\t[${m-1}:0]\tpacket_clusters_i,\t// bit c: cluster c takes the packet\n"
    "  input  wire\t[15:0]\tpacket_count_i,\n"
    "  input  wire\t\tpacket_scatter_i,\t// its activations belong to the PEs in turn, value by value\n"
    "  input  wire\t\tpacket_last_i,\n"
    "  input  wire\t[5:0]\tpacket_tag_i,\n"
    "\n"
    "  // Results, and the cluster they are from\n"
    "  output wire\t\tresult_valid_o,\n"
    "  input  wire\t\tresult_ready_i,\n"
    "  output wire\t[${collector_width-1}:0]\tresult_data_o,\n"
    "  output wire\t[${cluster_id_width-1}:0]\tresult_cluster_o,\n"
    "  output wire\t\tresult_last_o,\n"
    "  input  wire\t[${m-1}:0]\tresult_room_i,\t// bit c: cluster c may send a store\n"
    "\n"
    "  // Of each cluster, the packets that are not done; 0 in variants that do not dispatch\n"
    "  output wire\t[6*${m}-1:0]\tbacklog_o,\n"
    "\n"
    "  // The first error of the row's clusters, until reset\n"
    "  output wire\t\terror_o,\n"
    "  output wire\t[15:0]\terror_code_o,\n"
    "  output wire\t[${cluster_id_width-1}:0]\terror_cluster_o,\n"
    "  output wire\t[10:0]\terror_place_o,\t// {tag of the packet, in a PE, which one}\n"
    "\n"
    "  // What PEs do in a cycle, added up, a word each: pairs multiplied (the lowest word), weights looked "
    "at,\n"
    "  // pairs of a neighbour multiplied, PEs that wait for weights, PEs that wait for the output queue\n"
    "  output wire\t[5*${add_width}-1:0]\tcounts_o,\n"
    "\n"
    "  output wire\t\tidle_o\n"
    ");\n"
    "\n"
    "  // -- Bus\n"
    "\n"
    "  wire\t[${m-1}:0]\tbus_valid;\t// bit c: for cluster c\n"
    "  wire\t[${m-1}:0]\tbus_ready;\n"
    "  wire\t[${row_bus_width-1}:0]\tbus_data;\n"
    "  wire\t[7:0]\tbus_command;\n"
    "  wire\t[15:0]\tbus_count;\n"
    "  wire\t\tbus_scatter;\n"
    "  wire\t\tbus_last;\n"
    "  wire\t[5:0]\tbus_tag;\n"
    "\n"
    "  tulle_fork #(\n"
    "    .WIDTH\t(${packet_width}),\n"
    "    .PORTS\t(${m})\n"
    "  ) u_bus (\n"
    "    .clk_i\t(clk_i),\n"
    "    .rst_ni\t(rst_ni),\n"
    "    .valid_i\t(packet_valid_i),\n"
    "    .ready_o\t(packet_ready_o),\n"
    "    .data_i\t({packet_tag_i, packet_last_i, packet_command_i, packet_count_i, packet_scatter_i, "
    "packet_data_i}),\n"
    "    .mask_i\t(packet_clusters_i),\n"
    "    .valid_o\t(bus_valid),\n"
    "    .ready_i\t(bus_ready),\n"
    "    .data_o\t({bus_tag, bus_last, bus_command, bus_count, bus_scatter, bus_data})\n"
    "  );\n"
    "\n"
    "  // -- Clusters\n";

static const char cluster[] = "\n"
                              "  wire\t\tcluster${i}_valid;\n"
                              "  wire\t\tcluster${i}_ready;\n"
                              "  wire\t[${result_beats}*${collector_width}-1:0]\tcluster${i}_data;\n"
                              "  wire\t\tcluster${i}_last;\n"
                              "  wire\t\tcluster${i}_set;\n"
                              "  wire\t\tcluster${i}_error;\n"
                              "  wire\t[15:0]\tcluster${i}_error_code;\n"
                              "  wire\t[10:0]\tcluster${i}_error_place;\n"
                              "  wire\t[5*${add_width}-1:0]\tcluster${i}_counts;\n"
                              "  wire\t[5:0]\tcluster${i}_backlog;\n"
                              "  wire\t\tcluster${i}_idle;\n"
                              "\n"
                              "  tulle_cluster u_cluster${i} (\n"
                              "    .clk_i\t(clk_i),\n"
                              "    .rst_ni\t(rst_ni),\n"
                              "    .packet_valid_i\t(bus_valid[${i}]),\n"
                              "    .packet_ready_o\t(bus_ready[${i}]),\n"
                              "    .packet_data_i\t(bus_data),\n"
                              "    .packet_command_i\t(bus_command),\n"
                              "    .packet_count_i\t(bus_count),\n"
                              "    .packet_scatter_i\t(bus_scatter),\n"
                              "    .packet_last_i\t(bus_last),\n"
                              "    .packet_tag_i\t(bus_tag),\n"
                              "    .result_valid_o\t(cluster${i}_valid),\n"
                              "    .result_ready_i\t(cluster${i}_ready),\n"
                              "    .result_data_o\t(cluster${i}_data),\n"
                              "    .result_last_o\t(cluster${i}_last),\n"
                              "    .result_set_o\t(cluster${i}_set),\n"
                              "    .error_o\t(cluster${i}_error),\n"
                              "    .error_code_o\t(cluster${i}_error_code),\n"
                              "    .error_place_o\t(cluster${i}_error_place),\n"
                              "    .counts_o\t(cluster${i}_counts),\n";

static const char backlog[] = "    .backlog_o\t(cluster${i}_backlog),\n";

static const char no_backlog[] = "\n"
                                 "  assign cluster${i}_backlog = 6'd0;\n";

static const char cluster_end[] = "    .idle_o\t(cluster${i}_idle)\n"
                                  "  );\n";

static const char counts[] = "\n"
                             "  tulle_add_up #(\n"
                             "    .PORTS\t(${m}),\n"
                             "    .FIELDS\t(5),\n"
                             "    .WIDTH\t(${add_width}),\n"
                             "    .USED\t(${scanned_bits}),\n"
                             "    .SUM\t(${add_width}),\n"
                             "    .NEED\t(${row_scanned_bits})\n"
                             "  ) u_counts (\n"
                             "    .clk_i\t(clk_i),\n";

static const char results_from[] = "\n"
                                   "  // -- Results: store by store, so that no cluster waits for the end of "
                                   "another one's packet; through a\n"
                                   "  // register slice\n"
                                   "\n"
                                   "  wire\t\tgathered_valid;\n"
                                   "  wire\t\tgathered_ready;\n"
                                   "  wire\t[${result_beats}*${collector_width}-1:0]\tgathered_parts;\n"
                                   "  reg\t[${collector_width-1}:0]\tgathered_data;\t// their or\n"
                                   "  wire\t[${cluster_id_width-1}:0]\tgathered_cluster;\n"
                                   "  wire\t\tgathered_last;\n"
                                   "  wire\t\tgathered_set;\n"
                                   "\n"
                                   "  tulle_arbiter #(\n"
                                   "    .WIDTH\t(${result_beats} * ${collector_width} + 1),\n"
                                   "    .PORTS\t(${m})\n"
                                   "  ) u_arbiter (\n"
                                   "    .clk_i\t(clk_i),\n"
                                   "    .rst_ni\t(rst_ni),\n";

static const char results_to[] =
    "    .valid_o\t(gathered_valid),\n"
    "    .ready_i\t(gathered_ready),\n"
    "    .last_o\t(gathered_set),\n"
    "    .data_o\t({gathered_last, gathered_parts}),\n"
    "    .index_o\t(gathered_cluster)\n"
    "  );\n"
    "\n"
    "  integer b;\n"
    "\n"
    "  always @* begin\n"
    "    gathered_data = {${collector_width}{1'b0}};\n"
    "    for (b = 0; b < ${result_beats}; b = b + 1)\n"
    "      gathered_data = gathered_data | gathered_parts[b*${collector_width} +: ${collector_width}];\n"
    "  end\n"
    "\n"
    "  tulle_slice #(\n"
    "    .WIDTH\t(${collector_width} + ${cluster_id_width} + 1)\n"
    "  ) u_result_slice (\n"
    "    .clk_i\t(clk_i),\n"
    "    .rst_ni\t(rst_ni),\n"
    "    .valid_i\t(gathered_valid),\n"
    "    .ready_o\t(gathered_ready),\n"
    "    .data_i\t({gathered_last, gathered_cluster, gathered_data}),\n"
    "    .valid_o\t(result_valid_o),\n"
    "    .ready_i\t(result_ready_i),\n"
    "    .data_o\t({result_last_o, result_cluster_o, result_data_o})\n"
    "  );\n"
    "\n"
    "  // -- Errors and idleness\n"
    "\n"
    "  tulle_first_error #(\n"
    "    .WIDTH\t(11 + 16),\n"
    "    .PORTS\t(${m})\n"
    "  ) u_first_error (\n"
    "    .clk_i\t(clk_i),\n"
    "    .rst_ni\t(rst_ni),\n";

static const char errors_to[] = "    .error_o\t(error_o),\n"
                                "    .data_o\t({error_place_o, error_code_o}),\n"
                                "    .index_o\t(error_cluster_o)\n"
                                "  );\n"
                                "\n";

static const char end[] = "  wire unused = &{1'b0, gathered_set};\n"
                          "\n"
                          "  assign idle_o = &cluster_idle && bus_valid == ${m}'d0 && !result_valid_o;\n"
                          "\n"
                          "endmodule\n";

bool emit_array_row(const struct emit_context *ctx)
{
    unsigned m = ctx->variant->m;
    struct strbuf text = {0};
    verilog_add(&text, ctx, 0, ports);
    bool dispatch = ctx->variant->balance == VARIANT_BALANCE_DISPATCH;
    for (unsigned i = 0; i < m; i++) {
        verilog_add(&text, ctx, i, cluster);
        verilog_add(&text, ctx, i, dispatch ? backlog : "");
        verilog_add(&text, ctx, i, cluster_end);
        verilog_add(&text, ctx, i, dispatch ? "" : no_backlog);
    }
    verilog_add(&text, ctx, 0, counts);
    verilog_gather(&text, ctx, m, "    .words_i\t(", "cluster${i}_counts", "),\n");
    sb_add(&text, "    .sum_o\t(counts_o)\n  );\n");
    verilog_add(&text, ctx, 0, results_from);
    verilog_gather(&text, ctx, m, "    .valid_i\t(", "cluster${i}_valid", "),\n");
    verilog_gather(&text, ctx, m, "    .ready_o\t(", "cluster${i}_ready", "),\n");
    verilog_gather(&text, ctx, m, "    .last_i\t(", "cluster${i}_set", "),\n");
    verilog_gather(&text, ctx, m, "    .data_i\t(", "{cluster${i}_last, cluster${i}_data}", "),\n");
    verilog_add(&text, ctx, 0, "    .may_begin_i\t(result_room_i),\n");
    verilog_gather(&text, ctx, m, "    .abandon_i\t(", "cluster${i}_error", "),\n");
    verilog_add(&text, ctx, 0, results_to);
    verilog_gather(&text, ctx, m, "    .error_i\t(", "cluster${i}_error", "),\n");
    verilog_gather(&text, ctx, m, "    .data_i\t(", "cluster${i}_error_place, cluster${i}_error_code",
                   "),\n");
    verilog_add(&text, ctx, 0, errors_to);
    verilog_add(&text, ctx, 0, "  wire [${m-1}:0] cluster_idle = ");
    verilog_gather(&text, ctx, m, "", "cluster${i}_idle", ";\n\n");
    verilog_gather(&text, ctx, m, "  assign backlog_o = ", "cluster${i}_backlog", ";\n\n");
    verilog_add(&text, ctx, 0, end);
    return verilog_file(ctx, "rtl/tulle_row.v", title, &text);
}
