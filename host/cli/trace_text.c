/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/trace.h"
#include "sim/model/cluster.h"

#define BUFFER 31 /* of a command */

const char *trace_opcode(unsigned opcode)
{
    static const char *const names[] = {[I_MAC] = "MAC", [I_LD] = "LD", [I_ST] = "ST", [I_SPU] = "SPU"};
    return names[opcode];
}

static bool is_packet(const struct cycle_event *e)
{
    return e->kind == CYCLE_PACKET || e->kind == CYCLE_PACKET_END;
}

static bool is_mac(const struct cycle_event *e)
{
    return e->kind == CYCLE_MAC || e->kind == CYCLE_MAC_END;
}

static bool is_told(const struct trace_filter *f, const struct cycle_event *e)
{
    if (e->cycle < f->from || e->cycle >= f->to || (f->row >= 0 && e->row != (unsigned)f->row))
        return false;
    if (is_packet(e))
        return f->packets && f->pe < 0 && (f->cluster < 0 || e->clusters >> f->cluster & 1);
    if (f->cluster >= 0 && e->cluster != (unsigned)f->cluster)
        return false;
    if (e->kind == CYCLE_INSTRUCTION)
        return f->instructions && f->pe < 0;
    return is_mac(e) && f->macs && (f->pe < 0 || e->pe == (unsigned)f->pe);
}

/* ---- lines
 * ------------------------------------------------------------------------------------------------- */

static void add_clusters(const struct trace *t, const struct cycle_event *e, const char *between,
                         struct strbuf *to)
{
    bool any = false;
    for (unsigned c = 0; c < t->variant->m; c++) {
        if (!(e->clusters >> c & 1))
            continue;
        sb_addf(to, "%s%u", any ? between : "", c);
        any = true;
    }
}

static void add_what(const struct cycle_event *e, struct strbuf *to)
{
    switch (e->kind) {
    case CYCLE_PACKET:
        sb_addf(to, "%s packet for buffer %u%s, %llu beats", e->command & COMMAND_EXEC ? "exec" : "config",
                e->command & BUFFER,
                e->command & COMMAND_EXEC && e->command & COMMAND_SHIFT_OUT ? ", shift-out" : "",
                (unsigned long long)e->count);
        break;
    case CYCLE_PACKET_END:
        sb_addf(to, "last beat of the packet for buffer %u", e->command & BUFFER);
        break;
    case CYCLE_INSTRUCTION:
        sb_addf(to, "%s, place %llu of buffer %u", trace_opcode(e->opcode), (unsigned long long)e->count,
                e->command);
        break;
    case CYCLE_MAC:
        sb_addf(to, "MAC %llu begins", (unsigned long long)e->count);
        break;
    default:
        sb_addf(to, "MAC %llu has its sum", (unsigned long long)e->count);
        break;
    }
}

static void add_line(const struct trace *t, const struct cycle_event *e)
{
    struct strbuf clusters = {0};
    if (is_packet(e))
        add_clusters(t, e, ",", &clusters);
    else
        sb_addf(&clusters, "%u", e->cluster);
    sb_addf(t->text, "%10llu %4u %7s ", (unsigned long long)e->cycle, e->row, sb_text(&clusters));
    if (is_mac(e))
        sb_addf(t->text, "%3u  ", e->pe);
    else
        sb_add(t->text, "  -  ");
    add_what(e, t->text);
    sb_add(t->text, "\n");
    sb_free(&clusters);
}

static void add_object(const struct trace *t, const struct cycle_event *e)
{
    static const char *const kinds[] = {[CYCLE_PACKET] = "packet",
                                        [CYCLE_PACKET_END] = "packet_end",
                                        [CYCLE_INSTRUCTION] = "instruction",
                                        [CYCLE_MAC] = "mac",
                                        [CYCLE_MAC_END] = "mac_end"};
    struct strbuf *to = t->text;
    sb_addf(to, "{\"cycle\": %llu, \"kind\": \"%s\", \"row\": %u, ", (unsigned long long)e->cycle,
            kinds[e->kind], e->row);
    if (is_packet(e)) {
        sb_add(to, "\"clusters\": [");
        add_clusters(t, e, ", ", to);
        sb_addf(to, "], \"exec\": %s, \"shift_out\": %s, \"buffer\": %u",
                e->command & COMMAND_EXEC ? "true" : "false",
                e->command & COMMAND_EXEC && e->command & COMMAND_SHIFT_OUT ? "true" : "false",
                e->command & BUFFER);
        if (e->kind == CYCLE_PACKET)
            sb_addf(to, ", \"beats\": %llu", (unsigned long long)e->count);
    } else if (e->kind == CYCLE_INSTRUCTION) {
        sb_addf(to, "\"cluster\": %u, \"opcode\": \"%s\", \"buffer\": %u, \"place\": %llu", e->cluster,
                trace_opcode(e->opcode), e->command, (unsigned long long)e->count);
    } else {
        sb_addf(to, "\"cluster\": %u, \"pe\": %u, \"mac\": %llu", e->cluster, e->pe,
                (unsigned long long)e->count);
    }
    sb_add(to, "}\n");
}

/* ---- a trace
 * ----------------------------------------------------------------------------------------------- */

void trace_begin(struct trace *t)
{
    if (!t->json)
        sb_add(t->text, "     cycle  row cluster  pe  what\n");
    if (t->vcd)
        trace_vcd_begin(t);
}

void trace_event(void *context, const struct cycle_event *e)
{
    struct trace *t = context;
    if (!is_told(t->filter, e))
        return;
    if (t->json)
        add_object(t, e);
    else
        add_line(t, e);
    if (t->vcd)
        trace_vcd_event(t, e);
}

void trace_end(struct trace *t, uint64_t cycles)
{
    if (t->vcd)
        trace_vcd_end(t, cycles);
}
