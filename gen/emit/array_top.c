/* SPDX-License-Identifier: Apache-2.0
 *
 * rtl/tulle_array.v: all rows. rtl/tulle_top.v: the array and its control.
 */
#include "gen/emit/array.h"
#include "gen/emit/emit.h"
#include "gen/emit/verilog.h"

/* ---- ports that both have -------------------------------------------------------------------- */

static const char row_ports[] = "\n"
                                "  // Row ${i}: packets in, results out\n"
                                "  input  wire\t\trow${i}_packet_valid_i,\n"
                                "  output wire\t\trow${i}_packet_ready_o,\n"
                                "  input  wire\t[${row_bus_width-1}:0]\trow${i}_packet_data_i,\n"
                                "  input  wire\t[7:0]\trow${i}_packet_command_i,\n"
                                "  input  wire\t[${m-1}:0]\trow${i}_packet_clusters_i,\n"
                                "  input  wire\t[15:0]\trow${i}_packet_count_i,\n"
                                "  input  wire\t\trow${i}_packet_last_i,\n"
                                "  output wire\t\trow${i}_result_valid_o,\n"
                                "  input  wire\t\trow${i}_result_ready_i,\n"
                                "  output wire\t[${collector_width-1}:0]\trow${i}_result_data_o,\n"
                                "  output wire\t[${cluster_id_width-1}:0]\trow${i}_result_cluster_o,\n"
                                "  output wire\t\trow${i}_result_last_o,\n";

/* ---- tulle_array ----------------------------------------------------------------------------- */

static const char array_title[] =
    "tulle_array: the rows of the array, its first error, and whether it is idle.";

static const char array_begin[] = "module tulle_array (\n"
                                  "  input  wire\t\tclk_i,\n"
                                  "  input  wire\t\trst_ni,\n";

static const char array_end_of_ports[] = "\n"
                                         "  // The first error, until reset\n"
                                         "  output wire\t\terror_o,\n"
                                         "  output wire\t[15:0]\terror_code_o,\n"
                                         "  output wire\t[${row_id_width-1}:0]\terror_row_o,\n"
                                         "  output wire\t[${cluster_id_width-1}:0]\terror_cluster_o,\n"
                                         "\n"
                                         "  output wire\t\tidle_o\n"
                                         ");\n";

static const char row[] = "\n"
                          "  wire\t\trow${i}_error;\n"
                          "  wire\t[15:0]\trow${i}_error_code;\n"
                          "  wire\t[${cluster_id_width-1}:0]\trow${i}_error_cluster;\n"
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
                          "    .packet_last_i\t(row${i}_packet_last_i),\n"
                          "    .result_valid_o\t(row${i}_result_valid_o),\n"
                          "    .result_ready_i\t(row${i}_result_ready_i),\n"
                          "    .result_data_o\t(row${i}_result_data_o),\n"
                          "    .result_cluster_o\t(row${i}_result_cluster_o),\n"
                          "    .result_last_o\t(row${i}_result_last_o),\n"
                          "    .error_o\t(row${i}_error),\n"
                          "    .error_code_o\t(row${i}_error_code),\n"
                          "    .error_cluster_o\t(row${i}_error_cluster),\n"
                          "    .idle_o\t(row${i}_idle)\n"
                          "  );\n";

static const char first_error[] = "\n"
                                  "  tulle_first_error #(\n"
                                  "    .WIDTH\t(${cluster_id_width} + 16),\n"
                                  "    .PORTS\t(${n})\n"
                                  "  ) u_first_error (\n"
                                  "    .clk_i\t(clk_i),\n"
                                  "    .rst_ni\t(rst_ni),\n";

static const char first_error_to[] = "    .error_o\t(error_o),\n"
                                     "    .data_o\t({error_cluster_o, error_code_o}),\n"
                                     "    .index_o\t(error_row_o)\n"
                                     "  );\n"
                                     "\n"
                                     "  wire [${n-1}:0] row_idle = ";

static bool emit_rows(const struct emit_context *ctx)
{
    unsigned n = ctx->variant->n;
    struct strbuf text = {0};
    verilog_add(&text, ctx, 0, array_begin);
    verilog_repeat(&text, ctx, n, "", row_ports);
    verilog_add(&text, ctx, 0, array_end_of_ports);
    verilog_repeat(&text, ctx, n, "", row);
    verilog_add(&text, ctx, 0, first_error);
    verilog_gather(&text, ctx, n, "    .error_i\t(", "row${i}_error", "),\n");
    verilog_gather(&text, ctx, n, "    .data_i\t(", "row${i}_error_cluster, row${i}_error_code", "),\n");
    verilog_add(&text, ctx, 0, first_error_to);
    verilog_gather(&text, ctx, n, "", "row${i}_idle", ";\n\n");
    sb_add(&text, "  assign idle_o = &row_idle;\n\nendmodule\n");
    return verilog_file(ctx, "rtl/tulle_array.v", array_title, &text);
}

/* ---- tulle_top ------------------------------------------------------------------------------- */

static const char top_title[] =
    "tulle_top: the array and its control block.\n"
    "\n"
    "Clock, reset, s_axi_control and interrupt have the names that the Vitis flow expects of an RTL kernel;\n"
    "reset is synchronous. Each row has a port for packets and one for results:\n"
    "  packet_command   the command, see docs/isa.md of the source tree; the same for all beats of a "
    "packet,\n"
    "  packet_clusters  bit c: cluster c takes the packet;               and so are these\n"
    "  packet_count     how often the sequence runs\n"
    "  packet_last      last beat of the packet\n"
    "  result_cluster   the cluster that a result is from\n"
    "  result_last      last beat of a packet's results\n"
    "Whoever drives the packet ports is told that a job begins (job_start_o), says that all of it was sent\n"
    "(job_sent_i), and drops what it was sending on soft_reset_o.";

static const char top_begin[] = "`include \"tulle_isa.vh\"\n"
                                "\n"
                                "module tulle_top (\n"
                                "  input  wire\t\tap_clk,\n"
                                "  input  wire\t\tap_rst_n,\n"
                                "\n"
                                "  // Control registers, AXI4-Lite: docs/registers.md\n"
                                "  input  wire\t\ts_axi_control_awvalid,\n"
                                "  output wire\t\ts_axi_control_awready,\n"
                                "  input  wire\t[11:0]\ts_axi_control_awaddr,\n"
                                "  input  wire\t\ts_axi_control_wvalid,\n"
                                "  output wire\t\ts_axi_control_wready,\n"
                                "  input  wire\t[31:0]\ts_axi_control_wdata,\n"
                                "  input  wire\t[3:0]\ts_axi_control_wstrb,\n"
                                "  output wire\t\ts_axi_control_bvalid,\n"
                                "  input  wire\t\ts_axi_control_bready,\n"
                                "  output wire\t[1:0]\ts_axi_control_bresp,\n"
                                "  input  wire\t\ts_axi_control_arvalid,\n"
                                "  output wire\t\ts_axi_control_arready,\n"
                                "  input  wire\t[11:0]\ts_axi_control_araddr,\n"
                                "  output wire\t\ts_axi_control_rvalid,\n"
                                "  input  wire\t\ts_axi_control_rready,\n"
                                "  output wire\t[31:0]\ts_axi_control_rdata,\n"
                                "  output wire\t[1:0]\ts_axi_control_rresp,\n"
                                "  /* verilator lint_off SYMRSVDWORD */ // the Vitis flow wants this name\n"
                                "  output wire\t\tinterrupt,\n"
                                "  /* verilator lint_on SYMRSVDWORD */\n";

static const char top_end_of_ports[] = "\n"
                                       "  // Jobs\n"
                                       "  output wire\t\tjob_start_o,\n"
                                       "  input  wire\t\tjob_sent_i,\n"
                                       "  output wire\t\tsoft_reset_o\n"
                                       ");\n"
                                       "\n"
                                       "  wire\t\terror;\n"
                                       "  wire\t[15:0]\terror_code;\n"
                                       "  wire\t[${row_id_width-1}:0]\terror_row;\n"
                                       "  wire\t[${cluster_id_width-1}:0]\terror_cluster;\n"
                                       "  wire\t\tidle;\n"
                                       "\n"
                                       "  // -- What moves in this cycle\n"
                                       "\n";

static const char control[] = "\n"
                              "  reg\t[${beats_width-1}:0]\tbeats;\n"
                              "  integer\t\ti;\n"
                              "\n"
                              "  always @* begin\n"
                              "    beats = ${beats_width}'d0;\n"
                              "    for (i = 0; i < ${n}; i = i + 1)\n"
                              "      if (packet_moves[i]) beats = beats + ${beats_width}'d1;\n"
                              "  end\n"
                              "\n"
                              "  // -- Control\n"
                              "\n"
                              "  tulle_control #(\n"
                              "    .COUNTERS\t(${counters}),\n"
                              "    .BEATS_WIDTH\t(${beats_width})\n"
                              "  ) u_control (\n"
                              "    .clk_i\t(ap_clk),\n"
                              "    .rst_ni\t(ap_rst_n),\n"
                              "    .awvalid_i\t(s_axi_control_awvalid),\n"
                              "    .awready_o\t(s_axi_control_awready),\n"
                              "    .awaddr_i\t(s_axi_control_awaddr),\n"
                              "    .wvalid_i\t(s_axi_control_wvalid),\n"
                              "    .wready_o\t(s_axi_control_wready),\n"
                              "    .wdata_i\t(s_axi_control_wdata),\n"
                              "    .wstrb_i\t(s_axi_control_wstrb),\n"
                              "    .bvalid_o\t(s_axi_control_bvalid),\n"
                              "    .bready_i\t(s_axi_control_bready),\n"
                              "    .bresp_o\t(s_axi_control_bresp),\n"
                              "    .arvalid_i\t(s_axi_control_arvalid),\n"
                              "    .arready_o\t(s_axi_control_arready),\n"
                              "    .araddr_i\t(s_axi_control_araddr),\n"
                              "    .rvalid_o\t(s_axi_control_rvalid),\n"
                              "    .rready_i\t(s_axi_control_rready),\n"
                              "    .rdata_o\t(s_axi_control_rdata),\n"
                              "    .rresp_o\t(s_axi_control_rresp),\n"
                              "    .interrupt_o\t(interrupt),\n"
                              "    .soft_reset_o\t(soft_reset_o),\n"
                              "    .job_start_o\t(job_start_o),\n"
                              "    .job_sent_i\t(job_sent_i),\n"
                              "    .idle_i\t(idle),\n"
                              "    .progress_i\t(packet_moves != ${n}'d0 || result_moves != ${n}'d0),\n"
                              "    .beats_i\t(beats),\n"
                              "    .error_i\t(error),\n"
                              "    .error_code_i\t(error_code),\n"
                              "    .error_queue_i\t(`TULLE_QUEUE_CLUSTER),\n"
                              "    .error_row_i\t({{8-${row_id_width}{1'b0}}, error_row}),\n"
                              "    .error_cluster_i\t({{8-${cluster_id_width}{1'b0}}, error_cluster})\n"
                              "  );\n"
                              "\n"
                              "  // -- Array\n"
                              "\n"
                              "  tulle_array u_array (\n"
                              "    .clk_i\t(ap_clk),\n"
                              "    .rst_ni\t(ap_rst_n && !soft_reset_o),\n";

static const char row_pins[] = "    .row${i}_packet_valid_i\t(row${i}_packet_valid_i),\n"
                               "    .row${i}_packet_ready_o\t(row${i}_packet_ready_o),\n"
                               "    .row${i}_packet_data_i\t(row${i}_packet_data_i),\n"
                               "    .row${i}_packet_command_i\t(row${i}_packet_command_i),\n"
                               "    .row${i}_packet_clusters_i\t(row${i}_packet_clusters_i),\n"
                               "    .row${i}_packet_count_i\t(row${i}_packet_count_i),\n"
                               "    .row${i}_packet_last_i\t(row${i}_packet_last_i),\n"
                               "    .row${i}_result_valid_o\t(row${i}_result_valid_o),\n"
                               "    .row${i}_result_ready_i\t(row${i}_result_ready_i),\n"
                               "    .row${i}_result_data_o\t(row${i}_result_data_o),\n"
                               "    .row${i}_result_cluster_o\t(row${i}_result_cluster_o),\n"
                               "    .row${i}_result_last_o\t(row${i}_result_last_o),\n";

static const char top_end[] = "    .error_o\t(error),\n"
                              "    .error_code_o\t(error_code),\n"
                              "    .error_row_o\t(error_row),\n"
                              "    .error_cluster_o\t(error_cluster),\n"
                              "    .idle_o\t(idle)\n"
                              "  );\n"
                              "\n"
                              "endmodule\n";

static bool emit_top(const struct emit_context *ctx)
{
    unsigned n = ctx->variant->n;
    struct strbuf text = {0};
    verilog_add(&text, ctx, 0, top_begin);
    verilog_repeat(&text, ctx, n, "", row_ports);
    verilog_add(&text, ctx, 0, top_end_of_ports);
    verilog_add(&text, ctx, 0, "  wire\t[${n-1}:0]\tpacket_moves;\n  wire\t[${n-1}:0]\tresult_moves;\n\n");
    verilog_repeat(&text, ctx, n, "",
                   "  assign packet_moves[${i}] = row${i}_packet_valid_i && row${i}_packet_ready_o;\n"
                   "  assign result_moves[${i}] = row${i}_result_valid_o && row${i}_result_ready_i;\n");
    verilog_add(&text, ctx, 0, control);
    verilog_repeat(&text, ctx, n, "", row_pins);
    verilog_add(&text, ctx, 0, top_end);
    return verilog_file(ctx, "rtl/tulle_top.v", top_title, &text);
}

bool emit_array_top(const struct emit_context *ctx)
{
    return emit_rows(ctx) && emit_top(ctx);
}
