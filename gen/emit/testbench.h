/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of tb/tulle_tb.v, for testbench.c.
 */
#ifndef TULLE_GEN_EMIT_TESTBENCH_H
#define TULLE_GEN_EMIT_TESTBENCH_H

#include <stdbool.h>

#include "gen/base/strbuf.h"

struct emit_context;
struct variant;

/* The configuration payloads, as constants made with the table of encodings: a memory of records, and for
 * each payload NAME the localparams NAME (its first record) and NAME_RECORDS. */
void testbench_payloads(struct strbuf *to, const struct emit_context *ctx);

/* The test bench's body behind them: device, drivers, monitors, tasks; and the test itself. */
void testbench_bench(struct strbuf *to, const struct emit_context *ctx);
void testbench_test(struct strbuf *to, const struct emit_context *ctx);

/* tb/tulle_packet_top.v, the device of the test bench. */
bool emit_packet_top(const struct emit_context *ctx);

#endif
