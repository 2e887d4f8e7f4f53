/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's way of results: collectors (rtl/tulle_collector.v) and the
 * store engine (rtl/tulle_store*.v), from groups of K results to the responses
 * of the memory.
 */
#include <string.h>

#include "gen/base/math.h"
#include "sim/cycle/machine.h"

#define GROUP_STEPS 12  /* from a group that is taken to its last beat on the bus, chunks aside */
#define NEXT_STORE 2    /* from the last group that is taken to the next store */
#define STORE_DONE 4    /* from the last response to the token */
#define BURST_FIRST 3   /* from a store that begins to its first address on the bus */
#define BURST_EVERY 2   /* from an address to the next */
#define BURST_DATA 5    /* from a burst's address to its first beat, if that waits */
#define BURST_AGAIN 2   /* from a response to the address that takes the burst's place */
#define BURSTS_AHEAD 5  /* bursts whose addresses are on the bus before their data */
#define BURSTS_MAX 32   /* bursts without a response */
#define LINES_READ 2    /* from the last beat of a burst in lines to its first one on the bus */
#define LINES_FREE 2    /* from the cycle before lines are free to the address of the piece that takes them */
#define CHUNKS_AHEAD 12 /* chunks of results between the collectors and the beat that is filled */
#define TAKES_STEPS 3   /* more, where several groups are taken: rows, banks in order, two rotations */
#define COLUMN_END 8    /* from the last beat of a column to its token, groups aside */
#define JOIN_STEPS 12   /* more, for results that are joined: functions and narrowing again, and the join */
#define ROW_STEPS \
    64 /* softmax: from a row that was read to its exponentials, lanes, chunks and set-up aside */
#define ROW_PLACES 3 /* by which a row's sum is usually longer than its largest summand */
#define DIVISION 41  /* cycles of a division by what is no power of two */

/* ---- collectors ------------------------------------------------------------------------------ */

/* One beat a cycle a row, from the clusters in turn. */
static void collector_step(struct machine *m, unsigned row)
{
    for (unsigned i = 0; i < m->variant.m; i++) {
        unsigned c = (m->collector_turn[row] + i) % m->variant.m;
        struct cluster_time *cluster = &m->clusters[row * m->variant.m + c];
        if (!cluster_time_has_result(cluster))
            continue;
        cluster_time_take_result(cluster);
        m->collector_turn[row] = (c + 1) % m->variant.m;
        return;
    }
}

static unsigned nth_bit(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctz(mask);
}

/* Groups of K that the store engine takes in a cycle at most, and now. */
static unsigned takes_most(const struct machine *m)
{
    return m->derived.store_takes;
}

static unsigned takes_now(const struct machine *m)
{
    const struct collector_mode *mode = &m->mode;
    return mode->sum_clusters || mode->sum_rows || mode->source || mode->by_channel || mode->joined ||
                   mode->alone
               ? 1
               : takes_most(m);
}

static unsigned cluster_of(const struct machine *m, const struct operation *op, unsigned stream)
{
    const unsigned per_row = (unsigned)__builtin_popcount(op->clusters);
    return nth_bit(op->rows, stream / per_row) * m->variant.m + nth_bit(op->clusters, stream % per_row);
}

static void leaves_bank(struct machine *m, unsigned cluster)
{
    m->clusters[cluster].result_groups--;
    m->next_bank[cluster] = (m->next_bank[cluster] + 1) % takes_most(m);
}

/* The clusters whose groups make the next group of a store; takes them when all are there. */
static bool take_group(struct machine *m, const struct operation *op, unsigned stream)
{
    const struct collector_mode *mode = &m->mode;
    if (mode->alone)
        return true;
    unsigned per_row = mode->sum_clusters ? 1 : (unsigned)__builtin_popcount(op->clusters);
    unsigned rows = mode->sum_rows ? op->rows : 1u << nth_bit(op->rows, stream / per_row);
    unsigned clusters = mode->sum_clusters ? op->clusters : 1u << nth_bit(op->clusters, stream % per_row);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned r = 0; r < m->variant.n; r++)
            for (unsigned c = 0; c < m->variant.m; c++) {
                if (!(rows >> r & 1) || !(clusters >> c & 1))
                    continue;
                const unsigned cluster = r * m->variant.m + c;
                if (pass)
                    leaves_bank(m, cluster);
                else if (!m->clusters[cluster].result_groups)
                    return false;
            }
    return true;
}

/* ---- a store begins -------------------------------------------------------------------------- */

static struct store_operation *work_at(struct store_time *store, unsigned place)
{
    return &store->work[(store->first + place) % STORES_UNDER_WAY];
}

static unsigned division(unsigned by)
{
    unsigned halves = (unsigned)__builtin_ctz(by);
    return halves + (by >> halves > 1 ? DIVISION : 0);
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Steps in which a group of K results goes through function and narrowing. */
static unsigned chunks_of(const struct machine *m)
{
    return math_divide_up(m->variant.k, m->derived.store_lanes);
}

#define READER_LEAST 2 /* cycles between two groups of the reader of partial sums */

/* Cycles in which the reader fills a group (rtl/tulle_partial_reader.v). */
static unsigned reader_cycles(const struct machine *m, unsigned element)
{
    const unsigned lanes = variant_partial_lanes(&m->variant), wide = m->variant.acc_width > 32 ? 8 : 4,
                   chunk = larger(8, smaller(m->derived.memory_bytes, lanes * wide));
    return larger(READER_LEAST, (unsigned)math_divide_up(m->variant.k, smaller(lanes, chunk >> element)));
}

/* Bytes of a row that are gathered (rtl/tulle_store_window.v); 0: none. */
static unsigned window_of(const struct machine *m, const struct pattern *p)
{
    const unsigned lines = m->variant.gather_lines;
    unsigned beats = 8;
    while (beats && (uint64_t)p->runs * beats * 4 > lines)
        beats /= 2;
    const int64_t row = (int64_t)p->planes * p->length;
    return p->planes > 1 && p->plane_pitch == (int64_t)p->length &&
                   p->length < beats * m->derived.memory_bytes && (p->runs == 1 || p->run_pitch >= row)
               ? beats * m->derived.memory_bytes
               : 0;
}

/* Cycles in which the elements are divided by clusters, rows and PEs (tulle_store_setup). */
static unsigned setup_cycles(const struct machine *m, const struct operation *op)
{
    unsigned clusters =
        m->mode.sum_clusters || m->mode.alone ? 1 : (unsigned)__builtin_popcount(op->clusters);
    unsigned rows = m->mode.sum_rows || m->mode.alone ? 1 : (unsigned)__builtin_popcount(op->rows);
    unsigned pes = m->variant.k >> __builtin_ctz(m->variant.k);
    const unsigned groups = 3 + division(clusters) + division(rows) + (pes > 1 ? 1 + DIVISION : 0),
                   bits = 32 - (unsigned)__builtin_clz(op->memory.planes);
    return larger(groups, m->variant.gather_lines ? 3 + (window_of(m, &op->memory) ? bits : 0) : 0);
}

static bool engine_ready(struct machine *m)
{
    struct store_time *store = &m->store;
    if (store->count == STORES_UNDER_WAY || store->taken < store->count ||
        (store->groups && m->now < store->last_take + NEXT_STORE))
        return false;
    /* The bursts of the store before must all be announced. */
    if (store->written == store->count)
        return true;
    const struct store_operation *last = work_at(store, store->count - 1);
    uint64_t left = last->elements - last->written;
    uint64_t run = last->op.memory.length < BURST_BYTES ? last->op.memory.length : BURST_BYTES;
    return store->written + 1 == store->count && left << last->op.element <= BURSTS_AHEAD * run;
}

static void begin(struct machine *m, const struct operation *op)
{
    struct store_time *store = &m->store;
    struct store_operation *work = work_at(store, store->count++);
    unsigned clusters = m->mode.alone ? 1 : (unsigned)__builtin_popcount(op->clusters);
    unsigned rows = m->mode.alone ? 1 : (unsigned)__builtin_popcount(op->rows);
    unsigned added = (m->mode.sum_clusters ? clusters : 1) * (m->mode.sum_rows ? rows : 1);
    unsigned chunks = chunks_of(m) << m->mode.joined; /* they pass the functions twice */
    added += m->mode.source;
    *work = (struct store_operation){
        .op = *op,
        .streams = clusters * rows / (added - m->mode.source),
        .interval = larger(larger(added, chunks), m->mode.source ? reader_cycles(m, m->mode.element) : 0),
        .elements = program_pattern_bytes(&op->memory) >> op->element,
        .first_group = store->groups,
        .begun = m->now};
    work->groups = math_divide_up(work->elements, m->variant.k);
    work->window = window_of(m, &op->memory);
    if (work->window) {
        store->began[1] = store->began[0];
        store->began[0] = store->asked;
        memset(store->row, 0, op->memory.runs * sizeof *store->row);
    }
    work->per_stream = work->elements / work->streams / m->variant.k;
    command_taken(m, Q_STORE);
    store->has_setup = false;
}

static void begin_step(struct machine *m)
{
    struct store_time *store = &m->store;
    const struct operation *op = command_offers(m, Q_STORE);
    if (!op)
        return;
    if (!store->has_setup) {
        store->has_setup = true;
        store->setup_until = m->now + setup_cycles(m, op);
    }
    if (m->now < store->setup_until || m->mode.ready > m->now || command_offers(m, Q_ACCUMULATE) ||
        !engine_ready(m))
        return;
    begin(m, op);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Results that fit a beat, in groups. */
static unsigned beat_groups(const struct machine *m, const struct store_operation *work)
{
    return (m->derived.memory_bytes >> work->op.element) / m->variant.k + 1;
}

/* Operands of the next group. Those of results are wanted later than the results. */
static bool operands_there(const struct machine *m)
{
    return (!m->mode.alone || operand_time_has_group(m, &m->operands[READS_FIRST])) &&
           (!(m->mode.alone || m->mode.joined) || operand_time_has_group(m, &m->operands[READS_SECOND])) &&
           (!m->mode.source || operand_time_has_group(m, &m->operands[READS_SUMS]));
}

static void take_operands(struct machine *m)
{
    if (m->mode.alone)
        operand_time_take_group(m, &m->operands[READS_FIRST]);
    if (m->mode.alone || m->mode.joined)
        operand_time_take_group(m, &m->operands[READS_SECOND]);
    if (m->mode.source)
        operand_time_take_group(m, &m->operands[READS_SUMS]);
}

/* Softmax reads a whole row before its first group leaves; false: that is not the case yet. */
static bool row_step(struct machine *m)
{
    struct store_time *store = &m->store;
    const unsigned chunks = chunks_of(m);
    if (m->now < store->row_next ||
        (!store->row_left && !operand_time_has_group(m, &m->operands[READS_FIRST])))
        return false;
    if (store->row_left)
        return true;
    operand_time_take_group(m, &m->operands[READS_FIRST]);
    store->row_next = m->now + chunks;
    if (++store->row_read < m->mode.row)
        return false;
    store->row_read = 0;
    store->row_left = m->mode.row;
    store->row_next += m->mode.row_steps + m->mode.row * chunks;
    return false;
}

static void row_leaves(struct machine *m)
{
    struct store_time *store = &m->store;
    if (!--store->row_left)
        store->row_next = m->now + chunks_of(m);
}

static unsigned stream_of(const struct store_operation *work)
{
    return (unsigned)(work->op.interleave || !work->per_stream
                          ? work->taken % work->streams
                          : work->taken / work->per_stream % work->streams);
}

/* A group leaves the collectors. */
static void group_taken(struct machine *m, struct store_operation *work)
{
    struct store_time *store = &m->store;
    const unsigned ways = takes_most(m) > 1 ? TAKES_STEPS : m->variant.n > 2;
    store->last_take = m->now;
    store->arrival[store->groups++ % GROUPS_RING] =
        m->now + GROUP_STEPS + (m->mode.joined ? JOIN_STEPS : 0) + ways + chunks_of(m);
    store->taken += ++work->taken == work->groups;
}

/* The groups behind the one that is taken: of its stream, or of neighbouring clusters of its row in the banks
 * behind its own (rtl/tulle_store_groups.v). */
static void take_further(struct machine *m, struct store_operation *work, unsigned stream)
{
    const bool same = !work->op.interleave || work->streams == 1;
    const unsigned per_row = (unsigned)__builtin_popcount(work->op.clusters);
    for (unsigned most = takes_now(m); most > 1 && work->taken < work->groups; most--) {
        const unsigned last = cluster_of(m, &work->op, stream), next = stream_of(work);
        const bool follows = same ? next == stream : next == stream + 1 && next % per_row;
        const unsigned cluster = cluster_of(m, &work->op, next);
        if (!follows || !m->clusters[cluster].result_groups ||
            (!same && m->next_bank[cluster] != m->next_bank[last]))
            return;
        leaves_bank(m, cluster);
        group_taken(m, work);
        stream = next;
    }
}

static void take_step(struct machine *m)
{
    struct store_time *store = &m->store;
    if (store->taken == store->count || (m->mode.row && !row_step(m)))
        return;
    struct store_operation *work = work_at(store, store->taken);
    if (store->groups > work->first_group && m->now < store->last_take + work->interval)
        return;
    const unsigned ahead = takes_most(m) > 1 ? takes_most(m) * (CHUNKS_AHEAD + TAKES_STEPS) : CHUNKS_AHEAD;
    if (store->groups - store->groups_written >= ahead / chunks_of(m) + beat_groups(m, work))
        return;
    const unsigned stream = stream_of(work);
    if (!m->mode.row && !operands_there(m))
        return;
    if (!take_group(m, &work->op, stream)) {
        m->result->stall_store++;
        return;
    }
    if (m->mode.row)
        row_leaves(m);
    else
        take_operands(m);
    group_taken(m, work);
    take_further(m, work, stream);
}

/* ---- beats ----------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A run's next bytes that are taken together: up to the end of the run and of what a burst, or a window, has.
 */
struct piece {
    uint64_t from, bytes; /* from: the first one's place in the slot */
    bool ends;            /* a burst ends with it */
    uint64_t back;        /* bytes of the burst before it */
};

static struct piece piece_of(const struct store_operation *work)
{
    const struct pattern *p = &work->op.memory;
    const unsigned room = work->window ? work->window : BURST_BYTES;
    const uint64_t from =
        p->offset + (uint64_t)((int64_t)work->run * p->run_pitch + (int64_t)work->plane * p->plane_pitch) +
        work->byte;
    const uint64_t left = p->length - work->byte, until = room - from % room,
                   done = (uint64_t)work->plane * p->length + work->byte;
    struct piece piece = {.from = from, .bytes = left < until ? left : until, .ends = true};
    if (!work->window)
        return piece;
    piece.ends = piece.bytes == until || (work->plane + 1u == p->planes && piece.bytes == left);
    piece.back = from % room < done ? from % room : done;
    return piece;
}

/* When the address of the next piece is known, and on the bus if a burst ends with it. */
static uint64_t next_address(const struct machine *m, const struct store_operation *work,
                             const struct piece *piece)
{
    const struct store_time *store = &m->store;
    uint64_t at = work->begun + BURST_FIRST, n = store->pieces, bursts = store->bursts;
    if (n)
        at = later(at, store->address + BURST_EVERY);
    if (n >= BURSTS_AHEAD)
        at = later(at, store->piece_beat[(n - BURSTS_AHEAD) % BURSTS_RING] - 1);
    if (work->window)
        at = later(at, store->unclear + LINES_FREE);
    if (piece->ends && bursts >= BURSTS_MAX) {
        const uint64_t last = store->last_beat[(bursts - BURSTS_MAX) % BURSTS_RING];
        at = last == UINT64_MAX ? last
                                : later(at, last + bank_time_response(m, &work->op.memory) + BURST_AGAIN);
    }
    return at;
}

static bool address_there(const struct machine *m, const struct store_operation *work,
                          const struct piece *piece)
{
    const uint64_t at = next_address(m, work, piece);
    return at != UINT64_MAX && m->now >= at + BURST_DATA;
}

/* Whether the lines of a gathered piece are free: those of the burst before the last one of its row, and of
 * the store before the last one. */
static bool lines_clear(const struct store_time *store, const struct store_operation *work)
{
    return store->left >= store->row[work->run][1] && store->left >= store->began[1];
}

static void next_place(struct store_operation *work, uint32_t part)
{
    const struct pattern *p = &work->op.memory;
    work->byte += part;
    if (work->byte < p->length)
        return;
    work->byte = 0;
    if (++work->run < p->runs)
        return;
    work->run = 0;
    work->plane++;
}

static bool is_near(const struct store_operation *work)
{
    return work->op.memory.slot == SLOT_BANK;
}

/* Of a burst, from its first byte on. */
static unsigned count_burst(struct machine *m, const struct store_operation *work, uint64_t from,
                            uint64_t bytes)
{
    const unsigned line = m->derived.memory_bytes;
    const uint64_t first = from / line, last = (from + bytes - 1) / line, beats = last - first + 1;
    const uint64_t whole = (from + bytes) / line - (from + line - 1) / line;
    if (is_near(work))
        return (unsigned)beats;
    m->stored += bytes;
    m->stored_whole += (from + bytes) / line > (from + line - 1) / line ? whole * line : 0;
    m->stored_long += beats >= CYCLE_BURST_LONG ? bytes : 0;
    return (unsigned)beats;
}

/* An address is there: of a burst that is filled, or that leaves from lines when they are. */
static void begin_piece(struct machine *m, struct store_operation *work, const struct piece *piece)
{
    struct store_time *store = &m->store;
    store->address = next_address(m, work, piece);
    store->pieces++;
    if (!piece->ends)
        return;
    store->last_beat[store->bursts++ % BURSTS_RING] = UINT64_MAX;
    if (!work->window) {
        count_burst(m, work, piece->from, piece->bytes);
        return;
    }
    store->row[work->run][1] = store->row[work->run][0];
    store->row[work->run][0] = ++store->asked;
}

/* All of a burst is in lines. */
static void gather_burst(struct machine *m, struct store_operation *work, const struct piece *piece)
{
    struct store_time *store = &m->store;
    const unsigned beats = count_burst(m, work, piece->from - piece->back, piece->bytes + piece->back);
    store->gathered[(store->gathered_first + store->gathered_count++) % BURSTS_RING] =
        (struct gathered_burst){.at = m->now + LINES_READ,
                                .number = store->bursts - 1,
                                .beats = beats,
                                .ends = work->written == work->elements ? work : NULL,
                                .near = is_near(work)};
}

/* A beat from lines to the bus; false: there is none. */
static bool gathered_step(struct machine *m)
{
    struct store_time *store = &m->store;
    struct gathered_burst *burst = &store->gathered[store->gathered_first];
    if (!store->gathered_count)
        return false;
    if (burst->at > m->now || (!burst->near && !machine_write_allowed(m)))
        return true;
    if (!burst->near)
        machine_write_beat(m);
    if (--burst->beats)
        return true;
    store->last_beat[burst->number % BURSTS_RING] = m->now;
    if (burst->ends)
        burst->ends->finish = m->now + bank_time_response(m, &burst->ends->op.memory) + STORE_DONE;
    store->left++;
    store->gathered_first = (store->gathered_first + 1) % BURSTS_RING;
    store->gathered_count--;
    return true;
}

/* One beat a cycle: up to a memory line, or a piece's end. */
static void write_step(struct machine *m)
{
    struct store_time *store = &m->store;
    const bool leaves = gathered_step(m);
    if (store->written == store->count)
        return;
    struct store_operation *work = work_at(store, store->written);
    const struct piece piece = piece_of(work);
    const unsigned line = m->derived.memory_bytes;
    const bool fresh = !work->piece_left;
    uint32_t room = line - (uint32_t)(piece.from % line);
    uint32_t part = piece.bytes < room ? (uint32_t)piece.bytes : room;
    uint64_t upto = work->written + (part >> work->op.element);
    uint64_t last_group = work->first_group + (upto - 1) / m->variant.k;
    if (fresh && work->window && !lines_clear(store, work))
        store->unclear = m->now;
    if (fresh && !address_there(m, work, &piece))
        return;
    if (last_group >= store->groups || m->now < store->arrival[last_group % GROUPS_RING] ||
        (!work->window && (leaves || (!is_near(work) && !machine_write_allowed(m)))))
        return;
    if (fresh) {
        begin_piece(m, work, &piece);
        work->piece_left = piece.bytes;
    }
    store->piece_beat[(store->pieces - 1) % BURSTS_RING] = m->now;
    work->written = upto;
    store->groups_written = work->first_group + upto / m->variant.k;
    if (!work->window) {
        store->last_beat[(store->bursts - 1) % BURSTS_RING] = m->now;
        if (!is_near(work))
            machine_write_beat(m);
    }
    work->piece_left -= part;
    if (work->window && !work->piece_left && piece.ends)
        gather_burst(m, work, &piece);
    next_place(work, part);
    if (work->written < work->elements)
        return;
    work->finish = work->window ? UINT64_MAX : m->now + bank_time_response(m, &work->op.memory) + STORE_DONE;
    store->written++;
}

void store_finish(struct machine *m)
{
    struct store_time *store = &m->store;
    const struct store_operation *work = work_at(store, 0);
    if (!store->written || work->finish > m->now)
        return;
    if (array_store(m->array, &work->op, &m->job, m->result))
        m->failed = true;
    else
        command_give(m, &work->op);
    store->first = (store->first + 1) % STORES_UNDER_WAY;
    store->count--;
    store->taken--;
    store->written--;
}

/* ---- accumulate ------------------------------------------------------------------------------ */

/* From the last beat of a column on: groups leave the reader, and are written chunk by chunk, multipliers and
 * entries of a function one by one. */
static unsigned column_cycles(const struct machine *m, const struct operation *op)
{
    const unsigned chunk = op->column == COLUMN_MULTIPLIER || op->column >= COLUMN_LOOKUP
                               ? m->derived.store_lanes + 2
                               : 1,
                   each = chunks_of(m) * chunk + 1, reader = reader_cycles(m, op->element);
    const uint64_t elements = program_pattern_bytes(&op->memory) >> op->element;
    return COLUMN_END + larger(each, reader) * (unsigned)(elements / m->variant.k);
}

/* Gives the token of a column that is loaded; false: it still loads. */
static bool column_step(struct machine *m)
{
    if (m->store.column_ends && m->now >= m->store.column_ends) {
        command_give(m, &m->store.column);
        m->store.column_ends = 0;
    }
    return !m->store.column_ends;
}

/* The setting stays; a multiplier is shifted bit by bit. */
static void begin_operand(struct machine *m, const struct operation *op)
{
    const bool second = op->operand == OPERAND_SECOND;
    operand_time_begin(&m->operands[second ? READS_SECOND : READS_FIRST], op);
    if (!second)
        m->store.row_read = m->store.row_left = 0;
    if (second)
        m->mode.ready =
            m->now + (op->fraction_15 ? ISA_OPERAND_SHIFT_MAX_15 : ISA_OPERAND_SHIFT_MAX_20) - op->shift;
}

static void begin_setting(struct machine *m, const struct operation *op)
{
    m->mode = (struct collector_mode){.sum_clusters = op->sum_clusters,
                                      .sum_rows = op->sum_rows,
                                      .source = op->source && !op->column,
                                      .by_channel = channel_used(&op->by_channel),
                                      .element = op->element,
                                      .joined = op->join && !op->alone,
                                      .alone = op->alone};
    if (op->softmax) {
        m->mode.row = math_divide_up(op->softmax, m->variant.k);
        m->mode.row_steps = ROW_STEPS + m->derived.store_lanes - ROW_PLACES - (op->shift + ROW_PLACES) % 16;
        m->store.row_read = m->store.row_left = 0;
    }
    if (op->column) {
        const uint64_t beats = machine_beats_of(m, op->memory.offset, program_pattern_bytes(&op->memory));
        m->mode.ready =
            column_cycles(m, op) +
            (op->memory.slot == SLOT_BANK ? bank_time_read(m, beats) : machine_read_burst(m, 0, beats));
    }
    if (m->mode.source)
        operand_time_begin(&m->operands[READS_SUMS], op);
    m->store.column_ends = op->column ? m->mode.ready : 0;
}

/* Takes effect when no store is under way. */
static void accumulate_step(struct machine *m)
{
    const bool ready = column_step(m);
    const struct operation *op = command_offers(m, Q_ACCUMULATE);
    if (!op || !ready || m->store.count)
        return;
    if (array_accumulate(m->array, op, &m->job, m->result)) {
        m->failed = true;
        return;
    }
    if (op->operand)
        begin_operand(m, op);
    else
        begin_setting(m, op);
    if (!op->column)
        command_give(m, op);
    else
        m->store.column = *op;
    command_taken(m, Q_ACCUMULATE);
    m->store.has_setup = false;
}

void store_step(struct machine *m)
{
    write_step(m);
    take_step(m);
    begin_step(m);
    accumulate_step(m);
    for (unsigned o = 0; o < READERS; o++)
        operand_time_step(m, &m->operands[o]);
    for (unsigned r = 0; r < m->variant.n; r++)
        collector_step(m, r);
}
