/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's load engines (rtl/tulle_load_group.v, rtl/tulle_load.v), one for
 * each memory port: bursts of one operation after another, several operations in
 * flight. An operation goes to every port that has one of its rows.
 */
#include "sim/cycle/machine.h"

#define LOAD_START 4 /* from an operation that is taken to its first address on the bus */
#define LOAD_DONE 3  /* from the cycle behind the last beat on the bus to the token */
#define ZERO_DONE 2  /* the same for zeros, which come from within */

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
    const struct operation *op = command_offers(m, Q_LOAD);
    if (!op || m->load_count == LOADS_MAX)
        return;
    unsigned ports = array_load_ports(&m->variant, op->rows);
    for (unsigned p = 0; p < PORTS_MAX; p++)
        if ((ports >> p & 1) && !may_take(&m->load[p]))
            return;
    for (unsigned p = 0; p < PORTS_MAX; p++)
        if (ports >> p & 1) {
            struct load_time *load = &m->load[p];
            load->work[(load->first + load->count++) % LOADS_MAX] =
                (struct load_operation){.op = *op, .from = m->now + LOAD_START};
            load->unasked++;
        }
    m->load_ports[(m->load_first + m->load_count++) % LOADS_MAX] = ports;
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
static void make_zeros(const struct machine *m, struct load_time *load, struct load_operation *work)
{
    const struct pattern *p = &work->op.memory;
    uint64_t begin = load->data_until > m->now ? load->data_until : m->now;
    uint64_t runs = (uint64_t)p->runs * p->planes;
    load->zeros_until = load->data_until = begin + runs * machine_beats_of(m, p->offset, p->length);
    work->finish = load->zeros_until + ZERO_DONE;
    load->unasked--;
}

/* One burst a cycle. */
static void ask(struct machine *m, unsigned port)
{
    struct load_time *load = &m->load[port];
    struct load_operation *work = oldest_unasked(load);
    if (!load->unasked || m->now < work->from || m->now < load->zeros_until)
        return;
    if (work->op.zero) {
        make_zeros(m, load, work);
        return;
    }
    const struct pattern *p = &work->op.memory;
    const bool bank = p->slot == SLOT_BANK;
    if (!bank && !machine_read_allowed(m, port))
        return;
    uint64_t offset = p->offset +
                      (uint64_t)((int64_t)load->run * p->run_pitch + (int64_t)load->plane * p->plane_pitch) +
                      load->byte;
    uint32_t room = BURST_BYTES - (uint32_t)(offset % BURST_BYTES);
    uint32_t part = p->length - load->byte < room ? p->length - load->byte : room;
    const uint64_t beats = machine_beats_of(m, offset, part);
    load->data_until = bank ? bank_time_load(m, load, beats) : machine_read_burst(m, port, beats);
    load->from_bank = bank;
    work->finish = load->data_until + LOAD_DONE;
    next_burst(load, p, part);
}

/* Whether the oldest operation of the port is in the storage units. */
static bool is_loaded(const struct machine *m, const struct load_time *load)
{
    return load->count > load->unasked && load->work[load->first].finish <= m->now;
}

void load_finish(struct machine *m)
{
    unsigned ports = m->load_ports[m->load_first];
    const struct operation *op = NULL;
    if (!m->load_count)
        return;
    for (unsigned p = 0; p < PORTS_MAX; p++)
        if (ports >> p & 1) {
            if (!is_loaded(m, &m->load[p]))
                return;
            op = &m->load[p].work[m->load[p].first].op;
        }
    if (!op || array_load(m->array, op, &m->job, m->result))
        m->failed = true;
    else
        command_give(m, op);
    for (unsigned p = 0; p < PORTS_MAX; p++)
        if (ports >> p & 1) {
            m->load[p].first = (m->load[p].first + 1) % LOADS_MAX;
            m->load[p].count--;
        }
    m->load_first = (m->load_first + 1) % LOADS_MAX;
    m->load_count--;
}

void load_step(struct machine *m)
{
    for (unsigned p = 0; p < m->variant.memory_ports; p++)
        ask(m, p);
    take(m);
}
