/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's distribution units (rtl/tulle_distribute.v,
 * tulle_distribution_unit.v): packets over the row buses into the packet
 * queues of the clusters, which take them up from there.
 */
#include <string.h>

#include "sim/cycle/machine.h"

#define UNIT_AHEAD 3  /* packets that a unit has of those that are not sent */
#define UNIT_START 8  /* from a packet that is taken to its first beat on the row bus, for a unit at rest */
#define UNIT_BITMAP 2 /* the same more where entries are made of masks */
#define UNIT_DONE 4   /* from the last beat on the row bus to the token */

static bool units_ready(const struct machine *m, const struct operation *op)
{
    for (unsigned r = 0; r < m->variant.n; r++)
        if ((op->rows >> r & 1) &&
            (m->units[r].count - m->units[r].sent == UNIT_AHEAD || m->units[r].count == UNIT_QUEUE))
            return false;
    return true;
}

static void take(struct machine *m)
{
    const struct operation *op = command_offers(m, Q_DISTRIBUTE);
    if (!op || m->distribute_count == DISTRIBUTES_MAX || !units_ready(m, op))
        return;
    unsigned entry = (m->distribute_first + m->distribute_count++) % DISTRIBUTES_MAX;
    struct distribute *d = &m->distributes[entry];
    *d = (struct distribute){.op = *op};
    if (op->dispatch) /* to the first one, as the functional array does */
        d->op.clusters &= (uint16_t)-op->clusters;
    uint64_t beats = program_packet_bytes(op) / m->derived.bus_bytes;
    for (unsigned r = 0; r < m->variant.n; r++) {
        if (!(op->rows >> r & 1))
            continue;
        struct unit *unit = &m->units[r];
        if (unit->count == unit->sent)
            unit->from = m->now + UNIT_START + (m->variant.bitmap_weights ? UNIT_BITMAP : 0);
        beats = beats ? beats : 1;
        unit->packet[(unit->first + unit->count++) % UNIT_QUEUE] =
            (struct packet_time){.entry = entry, .op = d->op, .unsent = beats, .left = beats};
        d->rows_left++;
    }
    command_taken(m, Q_DISTRIBUTE);
}

void distribute_finish(struct machine *m)
{
    struct distribute *d = &m->distributes[m->distribute_first];
    if (!m->distribute_count || d->rows_left || d->finish > m->now)
        return;
    command_give(m, &d->op);
    m->distribute_first = (m->distribute_first + 1) % DISTRIBUTES_MAX;
    m->distribute_count--;
}

/* ---- sending --------------------------------------------------------------------------------- */

static bool queues_have_room(const struct unit *unit, uint16_t clusters)
{
    for (unsigned c = 0; clusters >> c; c++)
        if ((clusters >> c & 1) && unit->held[c] == PORT_BEATS)
            return false;
    return true;
}

/* A beat enters the queues of these clusters, or leaves them. */
static void move_beat(struct unit *unit, uint16_t clusters, int beats)
{
    for (unsigned c = 0; clusters >> c; c++)
        if (clusters >> c & 1)
            unit->held[c] += (unsigned)beats;
}

/* What was sent may be overwritten in the storage unit. */
static void send(struct machine *m, unsigned row)
{
    struct unit *unit = &m->units[row];
    const unsigned place = (unit->first + unit->sent) % UNIT_QUEUE;
    struct packet_time *packet = &unit->packet[place];
    if (unit->sent == unit->count || m->now < unit->from || !queues_have_room(unit, packet->op.clusters))
        return;
    move_beat(unit, packet->op.clusters, 1);
    if (--packet->unsent)
        return;
    packet->kept = !packet->begun;
    if (packet->kept)
        array_gather(m->array, row, &packet->op, unit->data[place]);
    struct distribute *d = &m->distributes[packet->entry];
    unit->sent++;
    d->rows_left--;
    d->finish = m->now + UNIT_DONE;
}

/* ---- taking up ------------------------------------------------------------------------------- */

/* What cluster c of the row does with the packet; NULL: it is configured. */
static const struct sequence *sequence_of(const struct machine *m, unsigned row, unsigned c,
                                          const struct operation *op)
{
    return op->command & 0x80 ? array_sequence(m->array, row, c, op->command & 31) : NULL;
}

static bool targets_have_room(const struct machine *m, unsigned row, const struct operation *op)
{
    for (unsigned c = 0; c < m->variant.m; c++)
        if ((op->clusters >> c & 1) &&
            !cluster_time_has_room(&m->clusters[row * m->variant.m + c], sequence_of(m, row, c, op)))
            return false;
    return true;
}

/* The packet's first beat: its effects happen, and each cluster learns what there is to do. */
static void packet_begin(struct machine *m, unsigned row, unsigned place)
{
    const struct unit *unit = &m->units[row];
    const struct packet_time *packet = &unit->packet[place];
    const struct operation *op = &packet->op;
    struct work_sink sink = cluster_time_sink(m->clusters);
    if (array_deliver(m->array, row, op, packet->kept ? unit->data[place] : NULL, &sink, m->result)) {
        m->failed = true;
        return;
    }
    for (unsigned c = 0; c < m->variant.m; c++) {
        struct cluster_time *cluster = &m->clusters[row * m->variant.m + c];
        if (!(op->command & COMMAND_EXEC) && (op->clusters >> c & 1))
            cluster_time_configure(cluster, array_sequence(m->array, row, c, op->command & 31));
        m->no_memory = m->no_memory || cluster->failed;
    }
    m->failed = m->failed || m->no_memory;
}

/* The parser takes a configuration as it comes; a packet without data takes a beat that nobody looks at. */
static void find_takers(const struct machine *m, unsigned row, struct packet_time *packet)
{
    const struct operation *op = &packet->op;
    for (unsigned c = 0; c < m->variant.m && program_pattern_bytes(&op->memory); c++) {
        const struct sequence *s = op->clusters >> c & 1 ? sequence_of(m, row, c, op) : NULL;
        packet->takers |= (uint16_t)((s != NULL) << c);
        packet->kind[c] = s ? cluster_time_packet_kind(s) : PACKET_OPERANDS;
    }
}

static bool beat_accepted(const struct machine *m, unsigned row, const struct packet_time *packet)
{
    for (unsigned c = 0; c < m->variant.m; c++)
        if ((packet->takers >> c & 1) &&
            !cluster_time_accepts(&m->clusters[row * m->variant.m + c], packet->kind[c]))
            return false;
    return true;
}

static void take_beat(struct machine *m, unsigned row, const struct packet_time *packet)
{
    for (unsigned c = 0; c < m->variant.m; c++)
        if (packet->takers >> c & 1)
            cluster_time_take(&m->clusters[row * m->variant.m + c], packet->kind[c], packet->left == 0);
}

static void tell(const struct machine *m, unsigned row, enum cycle_event_kind kind,
                 const struct packet_time *packet)
{
    const struct cycle_probe *probe = m->options->probe;
    if (!probe)
        return;
    probe->event(probe->context, &(struct cycle_event){.kind = kind,
                                                       .cycle = m->now,
                                                       .row = row,
                                                       .clusters = packet->op.clusters,
                                                       .command = packet->op.command,
                                                       .count = packet->left});
}

/* A beat of the packet, of which there is one in the queues. */
static void take_up(struct machine *m, unsigned row, unsigned place)
{
    struct unit *unit = &m->units[row];
    struct packet_time *packet = &unit->packet[place];
    const struct operation *op = &packet->op;
    if (!packet->begun) {
        if (!targets_have_room(m, row, op))
            return;
        packet_begin(m, row, place);
        find_takers(m, row, packet);
        packet->begun = true;
        tell(m, row, CYCLE_PACKET, packet);
        if (m->failed)
            return;
    }
    if (!beat_accepted(m, row, packet))
        return;
    move_beat(unit, op->clusters, -1);
    packet->left--;
    take_beat(m, row, packet);
    if (!packet->left)
        tell(m, row, CYCLE_PACKET_END, packet);
}

/* Packets that are taken up leave the ring: those before them move into their places. */
static void forget_taken(struct unit *unit)
{
    unsigned gone = 0;
    for (unsigned i = unit->sent; i--;) {
        const unsigned from = (unit->first + i) % UNIT_QUEUE, to = (from + gone) % UNIT_QUEUE;
        if (!unit->packet[from].left) {
            gone++;
        } else if (gone) {
            unit->packet[to] = unit->packet[from];
            memcpy(unit->data[to], unit->data[from], sizeof unit->data[to]);
        }
    }
    unit->first = (unit->first + gone) % UNIT_QUEUE;
    unit->count -= gone;
    unit->sent -= gone;
}

/* Clusters take up their packets in order, and do not wait for the packets of others. */
static void take_up_all(struct machine *m, unsigned row)
{
    struct unit *unit = &m->units[row];
    uint16_t waiting = 0; /* clusters that are not done with a packet before */
    for (unsigned i = 0; i < unit->count && i <= unit->sent && !m->failed; i++) {
        const unsigned place = (unit->first + i) % UNIT_QUEUE;
        const struct packet_time *packet = &unit->packet[place];
        const uint16_t clusters = packet->left ? packet->op.clusters : 0;
        if (packet->left > packet->unsent && !(clusters & waiting))
            take_up(m, row, place);
        waiting |= clusters;
    }
    forget_taken(unit);
}

void distribute_step(struct machine *m)
{
    for (unsigned r = 0; r < m->variant.n && !m->failed; r++) {
        take_up_all(m, r);
        send(m, r);
    }
    take(m);
}
