/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's readers of operands and partial sums (rtl/tulle_operand_reader.v,
 * rtl/tulle_partial_reader.v): they ask for bursts as long as their buffer has room for one of the largest.
 */
#include "gen/base/math.h"
#include "sim/cycle/machine.h"

#define BUFFER_BYTES (4 * BURST_BYTES)
#define BURST_STEPS 3 /* from a request to the next */
#define RUN_STEP 1    /* more, to the first of a run */
#define TO_CHUNK 3    /* from a line to its first chunk */

void operand_time_begin(struct operand_time *o, const struct operation *op)
{
    *o = (struct operand_time){.op = *op, .bytes = program_pattern_bytes(&op->memory)};
}

static bool in_bank(const struct operand_time *o)
{
    return o->op.memory.slot == SLOT_BANK;
}

static void ask(struct machine *m, struct operand_time *o)
{
    const struct pattern *p = &o->op.memory;
    const uint64_t byte = o->asked % p->length,
                   at = program_run_offset(p, 0, (unsigned)(o->asked / p->length)) + byte,
                   room = BURST_BYTES - at % BURST_BYTES,
                   bytes = p->length - byte < room ? p->length - byte : room;
    const unsigned lines = (unsigned)machine_beats_of(m, at, bytes),
                   place = (o->first + o->count++) % OPERAND_BURSTS;
    o->asked += bytes;
    o->lines += lines;
    o->burst[place].lines = lines;
    o->burst[place].upto = o->asked;
    o->burst[place].at = (in_bank(o) ? bank_time_read(m, lines) : machine_read_burst(m, 0, lines)) + TO_CHUNK;
    o->next = m->now + BURST_STEPS + (byte + bytes == p->length ? RUN_STEP : 0);
}

void operand_time_step(struct machine *m, struct operand_time *o)
{
    const unsigned line = m->derived.memory_bytes;
    if (o->asked == o->bytes || m->now < o->next || o->count == OPERAND_BURSTS ||
        (o->lines * line + BURST_BYTES) > BUFFER_BYTES || !(in_bank(o) || machine_read_allowed(m, 0)))
        return;
    ask(m, o);
}

static uint64_t group_end(const struct machine *m, const struct operand_time *o)
{
    return o->taken + ((uint64_t)m->variant.k << o->op.element);
}

bool operand_time_has_group(const struct machine *m, const struct operand_time *o)
{
    const uint64_t end = group_end(m, o);
    for (unsigned i = 0; i < o->count; i++) {
        const unsigned place = (o->first + i) % OPERAND_BURSTS;
        if (o->burst[place].upto >= end)
            return o->burst[place].at <= m->now;
    }
    /* None is left: the store fails when it is complete. */
    return end > o->bytes;
}

void operand_time_take_group(const struct machine *m, struct operand_time *o)
{
    o->taken = group_end(m, o);
    while (o->count && o->burst[o->first].upto <= o->taken) {
        o->lines -= o->burst[o->first].lines;
        o->first = (o->first + 1) % OPERAND_BURSTS;
        o->count--;
    }
}
