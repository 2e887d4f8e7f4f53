/* SPDX-License-Identifier: Apache-2.0
 *
 * tb/tulle_packet_top.v: control block and array without what is between them and the memory. The test bench
 * drives the packet ports itself.
 */
#include "gen/emit/array_ports.h"
#include "gen/emit/emit.h"
#include "gen/emit/testbench.h"
#include "gen/emit/verilog.h"

static const char title[] =
    "tulle_packet_top: the control block and the array, for the test bench, which plays command processor,\n"
    "storage, distribution and collectors.\n"
    "\n"
    "Each row has a port for packets and one for results:\n"
    "  packet_command   the command, see docs/isa.md of the source tree; the same for all beats of a "
    "packet,\n"
    "  packet_clusters  bit c: cluster c takes the packet;               and so are these\n"
    "  packet_count     how often the sequence runs\n"
    "  packet_last      last beat of the packet\n"
    "  result_cluster   the cluster that a result is from\n"
    "  result_last      last beat of a packet's results\n"
    "  result_room      bit c: cluster c may send a store\n"
    "Whoever drives the packet ports is told that a job begins (job_start_o), says that all of it was sent\n"
    "(job_sent_i), and drops what it was sending on soft_reset_o. A job's begin and end reset nothing here.";

static const char begin[] = "`include \"tulle_isa.vh\"\n"
                            "\n"
                            "module tulle_packet_top (\n";

static const char end_of_ports[] = "\n"
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
                                   "  wire\t[10:0]\tunused_error_place;\n"
                                   "  wire\t[5*${add_width}-1:0]\tcounts;\n"
                                   "  wire\t\tidle;\n"
                                   "\n"
                                   "  // -- What moves in this cycle\n"
                                   "\n"
                                   "  wire\t[${n-1}:0]\tpacket_moves;\n"
                                   "  wire\t[${n-1}:0]\tresult_moves;\n"
                                   "\n";

static const char control[] = "\n"
                              "  reg\t[${add_width-1}:0]\tbeats;\n"
                              "  integer\t\ti;\n"
                              "\n"
                              "  always @* begin\n"
                              "    beats = ${add_width}'d0;\n"
                              "    for (i = 0; i < ${n}; i = i + 1)\n"
                              "      if (packet_moves[i]) beats = beats + ${add_width}'d1;\n"
                              "  end\n"
                              "\n"
                              "  // -- Control: status records vanish\n"
                              "\n"
                              "  wire\t\tunused_engine_reset;\n"
                              "  wire\t\tunused_flush;\n"
                              "  wire\t\tunused_abort;\n"
                              "  wire\t\tunused_last_call;\n"
                              "  wire\t[31:0]\tunused_argument;\n"
                              "  wire\t\tunused_burst_valid;\n"
                              "  wire\t[63:0]\tunused_burst_address;\n"
                              "  wire\t\tunused_word_valid;\n"
                              "  wire\t[31:0]\tunused_word;\n"
                              "\n"
                              "  tulle_control #(\n"
                              "    .COUNTERS\t(${counters}),\n"
                              "    .ADD_WIDTH\t(${add_width}),\n"
                              "    .ADD_WIDTHS\t({8{8'd${add_width}}}),\n"
                              "    .READ_WIDTH\t(34),\n"
                              "    .BYTES_WIDTH\t(44)\n"
                              "  ) u_control (\n";

static const char control_end[] =
    "    .soft_reset_o\t(soft_reset_o),\n"
    "    .engine_reset_o\t(unused_engine_reset),\n"
    "    .flush_o\t(unused_flush),\n"
    "    .job_start_o\t(job_start_o),\n"
    "    .job_sent_i\t(job_sent_i),\n"
    "    .idle_i\t(idle),\n"
    "    .abort_o\t(unused_abort),\n"
    "    .last_call_o\t(unused_last_call),\n"
    "    .ports_idle_i\t(1'b1),\n"
    "    .progress_i\t(packet_moves != ${n}'d0 || result_moves != ${n}'d0),\n"
    "    .watchdog_i\t(32'd0),\n"
    "    .add_i\t({counts[2*${add_width} +: ${add_width}], {4*${add_width}{1'b0}}, beats,\n"
    "              counts[${add_width} +: ${add_width}], counts[0 +: ${add_width}]}),\n"
    "    .bytes_read_i\t(34'd0),\n"
    "    .bytes_written_i\t(44'd0),\n"
    "    .error_i\t(error),\n"
    "    .error_code_i\t(error_code),\n"
    "    .error_queue_i\t(`TULLE_QUEUE_CLUSTER),\n"
    "    .error_row_i\t({{8-${row_id_width}{1'b0}}, error_row}),\n"
    "    .error_cluster_i\t({{8-${cluster_id_width}{1'b0}}, error_cluster}),\n"
    "    .error_pe_i\t(8'd0),\n"
    "    .error_offset_i\t(32'd0),\n"
    "    .argument_read_i\t(1'b0),\n"
    "    .argument_i\t(6'd0),\n"
    "    .argument_o\t(unused_argument),\n"
    "    .burst_valid_o\t(unused_burst_valid),\n"
    "    .burst_ready_i\t(1'b1),\n"
    "    .burst_address_o\t(unused_burst_address),\n"
    "    .word_valid_o\t(unused_word_valid),\n"
    "    .word_ready_i\t(1'b1),\n"
    "    .word_o\t(unused_word),\n"
    "    .response_valid_i\t(1'b1)\n"
    "  );\n"
    "\n"
    "  // -- Array\n"
    "\n"
    "  tulle_array u_array (\n"
    "    .clk_i\t(ap_clk),\n"
    "    .rst_ni\t(ap_rst_n && !soft_reset_o),\n";

static const char end[] = "    .error_o\t(error),\n"
                          "    .error_code_o\t(error_code),\n"
                          "    .error_row_o\t(error_row),\n"
                          "    .error_cluster_o\t(error_cluster),\n"
                          "    .error_place_o\t(unused_error_place),\n"
                          "    .counts_o\t(counts),\n"
                          "    .idle_o\t(idle)\n"
                          "  );\n"
                          "\n"
                          "endmodule\n";

bool emit_packet_top(const struct emit_context *ctx)
{
    unsigned n = ctx->variant->n;
    struct strbuf text = {0};
    verilog_add(&text, ctx, 0, begin);
    verilog_add(&text, ctx, 0, array_control_ports);
    verilog_repeat(&text, ctx, n, "", array_row_ports);
    verilog_add(&text, ctx, 0, end_of_ports);
    verilog_repeat(&text, ctx, n, "",
                   "  assign packet_moves[${i}] = row${i}_packet_valid_i && row${i}_packet_ready_o;\n"
                   "  assign result_moves[${i}] = row${i}_result_valid_o && row${i}_result_ready_i;\n");
    verilog_add(&text, ctx, 0, control);
    verilog_add(&text, ctx, 0, array_control_pins);
    verilog_add(&text, ctx, 0, control_end);
    verilog_repeat(&text, ctx, n, "", array_row_pins);
    verilog_add(&text, ctx, 0, end);
    return verilog_file(ctx, "tb/tulle_packet_top.v", title, &text);
}
