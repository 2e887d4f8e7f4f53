/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes value changes (IEEE 1364, with strings as viewers know them): the
 * current packet of each row, the last instruction of each cluster, and the
 * multiplications that its PEs have begun and summed up.
 */
#include "host/cli/trace.h"
#include "sim/model/cluster.h"

#define CYCLE_UNITS 10 /* of the waveforms of simulated boards, in each cycle */

enum signal { SIGNAL_PACKET, SIGNAL_OPCODE, SIGNAL_PLACE, SIGNAL_MAC, SIGNAL_SUMMED, SIGNALS };

/* "p0", "o0.1", "m0.1.3": codes may be any printable characters. */
static void add_code(enum signal signal, const struct cycle_event *e, struct strbuf *to)
{
    sb_addf(to, "%c%u", "poims"[signal], e -> row);
    if (signal != SIGNAL_PACKET)
        sb_addf(to, ".%u", e->cluster);
    if (signal == SIGNAL_MAC || signal == SIGNAL_SUMMED)
        sb_addf(to, ".%u", e->pe);
}

static void declare(enum signal signal, const struct cycle_event *e, const char *kind, const char *name,
                    struct strbuf *to)
{
    sb_addf(to, "$var %s ", kind);
    add_code(signal, e, to);
    sb_addf(to, " %s $end\n", name);
}

static void declare_cluster(const struct trace *t, const struct cycle_event *cluster)
{
    sb_addf(t->vcd, "$scope module cluster%u $end\n", cluster->cluster);
    declare(SIGNAL_OPCODE, cluster, "string 1", "instruction", t->vcd);
    declare(SIGNAL_PLACE, cluster, "reg 16", "place", t->vcd);
    struct cycle_event pe = *cluster;
    for (pe.pe = 0; pe.pe < t->variant->k; pe.pe++) {
        sb_addf(t->vcd, "$scope module pe%u $end\n", pe.pe);
        declare(SIGNAL_MAC, &pe, "reg 32", "mac", t->vcd);
        declare(SIGNAL_SUMMED, &pe, "reg 32", "summed", t->vcd);
        sb_add(t->vcd, "$upscope $end\n");
    }
    sb_add(t->vcd, "$upscope $end\n");
}

void trace_vcd_begin(struct trace *t)
{
    struct cycle_event at = {.cycle = 0};
    t->told = UINT64_MAX;
    sb_add(t->vcd,
           "$version tulle trace, of the cycle model $end\n$timescale 1ps $end\n$scope module job $end\n");
    for (at.row = 0; at.row < t->variant->n; at.row++) {
        sb_addf(t->vcd, "$scope module row%u $end\n", at.row);
        declare(SIGNAL_PACKET, &at, "string 1", "packet", t->vcd);
        for (at.cluster = 0; at.cluster < t->variant->m; at.cluster++)
            declare_cluster(t, &at);
        sb_add(t->vcd, "$upscope $end\n");
    }
    sb_add(t->vcd, "$upscope $end\n$enddefinitions $end\n");
}

static void go_to(struct trace *t, uint64_t cycle)
{
    const uint64_t time = (t->start + cycle) * CYCLE_UNITS;
    if (t->told != cycle)
        sb_addf(t->vcd, "#%llu\n", (unsigned long long)time);
    t->told = cycle;
}

static void change_text(struct trace *t, enum signal signal, const struct cycle_event *e, const char *text)
{
    sb_addf(t->vcd, "s%s ", text);
    add_code(signal, e, t->vcd);
    sb_add(t->vcd, "\n");
}

static void change_number(struct trace *t, enum signal signal, const struct cycle_event *e)
{
    sb_add(t->vcd, "b");
    unsigned bit = 31;
    while (bit && !(e->count >> bit & 1))
        bit--;
    for (unsigned b = bit + 1; b-- > 0;)
        sb_addf(t->vcd, "%u", (unsigned)(e->count >> b & 1));
    sb_add(t->vcd, " ");
    add_code(signal, e, t->vcd);
    sb_add(t->vcd, "\n");
}

void trace_vcd_event(struct trace *t, const struct cycle_event *e)
{
    char text[32];
    go_to(t, e->cycle);
    switch (e->kind) {
    case CYCLE_PACKET:
        snprintf(text, sizeof text, "%s_%u_of_%llu", e->command & COMMAND_EXEC ? "exec" : "config",
                 e->command & 31, (unsigned long long)e->count);
        change_text(t, SIGNAL_PACKET, e, text);
        break;
    case CYCLE_PACKET_END:
        change_text(t, SIGNAL_PACKET, e, "-");
        break;
    case CYCLE_INSTRUCTION:
        snprintf(text, sizeof text, "%s_%u", trace_opcode(e->opcode), e->command);
        change_text(t, SIGNAL_OPCODE, e, text);
        change_number(t, SIGNAL_PLACE, e);
        break;
    default:
        change_number(t, e->kind == CYCLE_MAC ? SIGNAL_MAC : SIGNAL_SUMMED, e);
        break;
    }
}

void trace_vcd_end(struct trace *t, uint64_t cycles)
{
    go_to(t, cycles < t->filter->to ? cycles : t->filter->to);
}
