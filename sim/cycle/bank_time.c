/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's activation bank (rtl/tulle_bank*.v): bursts of loads and readers that come from it, and
 * responses to bursts that stores write to it.
 */
#include "sim/cycle/machine.h"

#define FIRST_BEAT \
    2 /* from where a burst of memory has its address on the bus to the first beat on the bus */
#define BEHIND_MEMORY \
    2 /* from the cycle behind a last beat of memory to the first one of the bank, of a load */
#define RESPONSE (-1) /* from a last beat of a store to its response: there is no bus between */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Beats of memory that would be on the bus wait. */
static uint64_t take_bus(struct machine *m, uint64_t first, uint64_t beats)
{
    struct read_port *port = &m->port[0];
    port->free = later(port->free, first) + beats;
    return first + beats;
}

uint64_t bank_time_read(struct machine *m, uint64_t beats)
{
    m->bank.readers_free = take_bus(m, later(m->now + FIRST_BEAT, m->bank.readers_free), beats);
    return m->bank.readers_free;
}

uint64_t bank_time_load(struct machine *m, const struct load_time *load, uint64_t beats)
{
    const uint64_t behind = load->data_until && !load->from_bank ? load->data_until + BEHIND_MEMORY : 0,
                   first = later(later(m->now + FIRST_BEAT, behind),
                                 later(m->bank.readers_free, m->bank.loads_free));
    m->bank.loads_free = take_bus(m, first, beats);
    return m->bank.loads_free;
}

uint64_t bank_time_response(const struct machine *m, const struct pattern *pattern)
{
    return pattern->slot == SLOT_BANK ? (uint64_t)RESPONSE : m->options->latency;
}
