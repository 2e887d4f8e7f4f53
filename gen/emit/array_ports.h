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

#endif
