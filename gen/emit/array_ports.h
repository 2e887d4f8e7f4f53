/* SPDX-License-Identifier: Apache-2.0
 *
 * Port lists that several emitted modules have, as templates (gen/emit/verilog.h).
 */
#ifndef TULLE_GEN_EMIT_ARRAY_PORTS_H
#define TULLE_GEN_EMIT_ARRAY_PORTS_H

extern const char array_control_ports[]; /* clock, reset, s_axi_control and interrupt of a top */
extern const char array_control_pins[];  /* the same, as connections of tulle_control */
extern const char array_row_ports[];     /* packet and result port of row ${i} */
extern const char array_row_pins[];      /* the same, as connections of tulle_array */

/* The ports of an AXI4 master, from a comment on; the last one without a comma. */
#define AXI_MASTER_PORTS(name, what)                          \
    "\n"                                                      \
    "  // " what "\n"                                         \
    "  output wire\t\t" name "_awvalid,\n"                    \
    "  input  wire\t\t" name "_awready,\n"                    \
    "  output wire\t[1:0]\t" name "_awid,\n"                  \
    "  output wire\t[63:0]\t" name "_awaddr,\n"               \
    "  output wire\t[7:0]\t" name "_awlen,\n"                 \
    "  output wire\t[2:0]\t" name "_awsize,\n"                \
    "  output wire\t[1:0]\t" name "_awburst,\n"               \
    "  output wire\t[3:0]\t" name "_awcache,\n"               \
    "  output wire\t[2:0]\t" name "_awprot,\n"                \
    "  output wire\t\t" name "_wvalid,\n"                     \
    "  input  wire\t\t" name "_wready,\n"                     \
    "  output wire\t[${memory_width-1}:0]\t" name "_wdata,\n" \
    "  output wire\t[${memory_bytes-1}:0]\t" name "_wstrb,\n" \
    "  output wire\t\t" name "_wlast,\n"                      \
    "  input  wire\t\t" name "_bvalid,\n"                     \
    "  output wire\t\t" name "_bready,\n"                     \
    "  input  wire\t[1:0]\t" name "_bid,\n"                   \
    "  input  wire\t[1:0]\t" name "_bresp,\n"                 \
    "  output wire\t\t" name "_arvalid,\n"                    \
    "  input  wire\t\t" name "_arready,\n"                    \
    "  output wire\t[1:0]\t" name "_arid,\n"                  \
    "  output wire\t[63:0]\t" name "_araddr,\n"               \
    "  output wire\t[7:0]\t" name "_arlen,\n"                 \
    "  output wire\t[2:0]\t" name "_arsize,\n"                \
    "  output wire\t[1:0]\t" name "_arburst,\n"               \
    "  output wire\t[3:0]\t" name "_arcache,\n"               \
    "  output wire\t[2:0]\t" name "_arprot,\n"                \
    "  input  wire\t\t" name "_rvalid,\n"                     \
    "  output wire\t\t" name "_rready,\n"                     \
    "  input  wire\t[1:0]\t" name "_rid,\n"                   \
    "  input  wire\t[${memory_width-1}:0]\t" name "_rdata,\n" \
    "  input  wire\t[1:0]\t" name "_rresp,\n"                 \
    "  input  wire\t\t" name "_rlast"

/* The host port (gen/emit/array_host.c): ports of the top behind those of memory, and the copy engine, which
 * has memory port ${i}. */
extern const char array_host_ports[];
extern const char array_host[];

#endif
