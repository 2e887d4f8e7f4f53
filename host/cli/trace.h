/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces a job as lines and as value changes for a waveform viewer.
 * docs/bench.md describes both.
 */
#ifndef TULLE_HOST_CLI_TRACE_H
#define TULLE_HOST_CLI_TRACE_H

#include "host/cli/simulated.h"
#include "host/measure/measure.h"

struct trace_filter {
    bool packets, instructions, macs;
    int row, cluster, pe; /* -1: all */
    uint64_t from, to;    /* cycles of the job */
};

struct trace {
    const struct trace_filter *filter;
    const struct variant *variant;
    bool json;
    struct strbuf *text, *vcd; /* NULL: none */
    uint64_t start;            /* start of the job in cycles of the viewer's clock */
    uint64_t told;             /* the cycle whose changes are being written */
};

void trace_begin(struct trace *trace);
/* The probe of the cycle model; its context is the trace. */
void trace_event(void *context, const struct cycle_event *event);
void trace_end(struct trace *trace, uint64_t cycles);

const char *trace_opcode(unsigned opcode);

/* ---- value changes (trace_vcd.c) ---------------------------------------------------------------------- */

void trace_vcd_begin(struct trace *trace);
void trace_vcd_event(struct trace *trace, const struct cycle_event *event);
void trace_vcd_end(struct trace *trace, uint64_t cycles);

#endif
