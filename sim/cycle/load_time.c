/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's load engine (rtl/tulle_load.v): bursts of one operation
 * after another, several operations in flight.
 */
#include "sim/cycle/machine.h"

#define LOAD_START 4 /* from an operation that is taken to its first address on the bus */
#define LOAD_DONE 5  /* from the cycle behind the last beat on the bus to the token */
#define ZERO_DONE 4  /* the same for zeros, which come from within */

static struct load_operation *oldest_unasked(struct load_time *load)
{
    return &load->work[(load->first + load->count - load->unasked) % LOADS_MAX];
}

/* An operation is taken when no run but the last of the one before it is left to be asked for. */
static bool may_take(struct load_time *load)
{
    if (load->count == LOADS_MAX || load->unasked > 1)
        return false;
    const struct pattern *p = &oldest_unasked(load)->op.memory;
    return !load->unasked || (load->run + 1 == p->runs && load->plane + 1 == p->planes);
}

static void take(struct machine *m)
{
    struct load_time *load = &m->load;
    const struct operation *op = command_offers(m, Q_LOAD);
    if (!op || !may_take(load))
        return;
    load->work[(load->first + load->count++) % LOADS_MAX] =
        (struct load_operation){.op = *op, .from = m->now + LOAD_START};
    load->unasked++;
    command_taken(m, Q_LOAD);
}

static void next_burst(struct load_time *load, const struct pattern *p, uint32_t part)
{
    load->byte += part;
    if (load->byte < p->length)
        return;
    load->byte = 0;
    if (++load->run < p->runs)
        return;
    load->run = 0;
    if (++load->plane < p->planes)
        return;
    load->plane = 0;
    load->unasked--;
}

/* Zeros go the way of data, a beat a cycle, behind those that were asked for; nothing is asked for meanwhile.
 */
static void make_zeros(struct machine *m, struct load_operation *work)
{
    struct load_time *load = &m->load;
    const struct pattern *p = &work->op.memory;
    uint64_t begin = load->data_until > m->now ? load->data_until : m->now;
    uint64_t runs = (uint64_t)p->runs * p->planes;
    load->zeros_until = load->data_until = begin + runs * beats_of(m, p->offset, p->length);
    work->finish = load->zeros_until + ZERO_DONE;
    load->unasked--;
}

/* One burst a cycle. */
static void ask(struct machine *m)
{
    struct load_time *load = &m->load;
    struct load_operation *work = oldest_unasked(load);
    if (!load->unasked || m->now < work->from || m->now < load->zeros_until)
        return;
    if (work->op.zero) {
        make_zeros(m, work);
        return;
    }
    if (!read_allowed(m))
        return;
    const struct pattern *p = &work->op.memory;
    uint64_t offset = p->offset +
                      (uint64_t)((int64_t)load->run * p->run_pitch + (int64_t)load->plane * p->plane_pitch) +
                      load->byte;
    uint32_t room = BURST_BYTES - (uint32_t)(offset % BURST_BYTES);
    uint32_t part = p->length - load->byte < room ? p->length - load->byte : room;
    load->data_until = read_burst(m, beats_of(m, offset, part));
    work->finish = load->data_until + LOAD_DONE;
    next_burst(load, p, part);
}

void load_finish(struct machine *m)
{
    struct load_time *load = &m->load;
    struct load_operation *work = &load->work[load->first];
    if (load->count == load->unasked || work->finish > m->now)
        return;
    if (array_load(m->array, &work->op, m->job, m->result))
        m->failed = true;
    else
        command_give(m, &work->op);
    load->first = (load->first + 1) % LOADS_MAX;
    load->count--;
}

void load_step(struct machine *m)
{
    ask(m);
    take(m);
}
