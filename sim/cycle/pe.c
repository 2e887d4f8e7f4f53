/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/pe.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cycle/pe_together.h"

/* A word of weights that is to come. */
struct word_work {
    uint32_t closes; /* segments that are complete with it */
    uint16_t ends;   /* ends that it brings */
    bool stored;
};

/* A segment that a packet announced. */
struct segment_work {
    size_t counts;       /* where its words are in `counts` */
    uint32_t words;      /* that have entries of it; 0: an empty segment */
    uint64_t first_word; /* words stored before its first one */
    bool frees_end;      /* its end leaves the queue with it: the last one that an END brought */
};

/* ---- growing queues -------------------------------------------------------------------------- */

/* What was consumed gives its place, where that is most of the queue. */
static bool flow_make_room(struct flow *flow, size_t item, size_t count)
{
    const size_t live = flow->end - flow->begin, room = (live + count) * 2;
    char *items = room > flow->room ? malloc(room * item) : flow->items;
    if (!items)
        return false;
    if (live)
        memmove(items, (char *)flow->items + flow->begin * item, live * item);
    if (items != flow->items) {
        free(flow->items);
        flow->items = items;
        flow->room = room;
    }
    flow->begin = 0;
    flow->end = live;
    return true;
}

static void *flow_push(struct flow *flow, size_t item, size_t count)
{
    flow->item = item;
    if (flow->begin == flow->end)
        flow->begin = flow->end = 0;
    if (flow->end + count > flow->room && !flow_make_room(flow, item, count))
        return NULL;
    void *to = (char *)flow->items + flow->end * item;
    flow->end += count;
    return to;
}

static struct segment_work *segment_at(const struct pe *pe, size_t index)
{
    return (struct segment_work *)pe->flow[FLOW_SEGMENTS].items + pe->flow[FLOW_SEGMENTS].begin + index;
}

static uint8_t count_at(const struct pe *pe, size_t index)
{
    return (
        (const uint8_t *)pe->flow[FLOW_COUNTS].items)[pe->flow[FLOW_COUNTS].begin + index - pe->counts_gone];
}

void pes_init(struct pe_array *pes, const struct variant *variant, const struct variant_derived *derived,
              const struct cycle_options *options)
{
    pes->variant = variant;
    pes->derived = derived;
    pes->options = options;
    pes->slack = variant_mac_slack(variant);
    pes->most = variant_macs(variant) - pes->slack;
    pes->ahead = variant->issue_queue_depth + 1 < pes->most ? variant->issue_queue_depth + 1 : pes->most;
}

void pes_free(struct pe_array *pes)
{
    for (unsigned p = 0; p < 16; p++)
        for (unsigned f = 0; f < PE_FLOWS; f++)
            free(pes->pe[p].flow[f].items);
}

bool pe_announce_flags(struct pe_array *pes, unsigned p, const uint8_t *flags, size_t count)
{
    struct pe *pe = &pes->pe[p];
    if (!count)
        return true;
    together_announce(pes);
    uint8_t *to = flow_push(&pe->flow[FLOW_FLAGS], 1, count), loads = pe->loads_announced;
    if (!to)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = loads = (uint8_t)(loads + flags[i]);
    pe->loads_announced = loads;
    return true;
}

/* ---- weights ahead --------------------------------------------------------------------------- */

static bool same_end(const struct lane *lane, size_t segment, size_t newest)
{
    return segment > newest && lane->closed[segment] == lane->closed[segment - 1];
}

static bool is_blank(const struct lane *lane, uint32_t word)
{
    for (size_t b = 0; b < lane->blanks && lane->blank[b] <= word; b++)
        if (lane->blank[b] == word)
            return true;
    return false;
}

/* How many of the segment's entries are in each of its words; a word with nothing but a jump counts, too. */
static bool announce_counts(struct pe *pe, const struct lane *lane, size_t segment,
                            const struct weights_words *words, struct segment_work *work)
{
    size_t e = lane_begin(lane, segment), end = lane->end[segment];
    const uint32_t first = weights_word(words, lane->opened[segment]),
                   last = weights_word(words, lane->closed[segment]);
    uint8_t *to = flow_push(&pe->flow[FLOW_COUNTS], 1, last - first + 1);
    for (uint32_t w = first; to && w <= last; w++) {
        const uint32_t next = weights_word_end(words, w);
        const size_t before = e;
        while (e < end && lane->place[e] < next)
            e++;
        if (e > before || !is_blank(lane, w))
            to[work->words++] = (uint8_t)(e - before);
    }
    pe->flow[FLOW_COUNTS].end -= to ? last - first + 1 - work->words : 0;
    return to;
}

static bool announce_segment(struct pe *pe, const struct lane *lane, size_t segment, size_t newest,
                             const struct weights_words *words, uint64_t first_word)
{
    struct segment_work work;
    memset(&work, 0, sizeof work); /* segments of PEs are compared byte by byte */
    work.counts = pe->counts_gone + flow_count(&pe->flow[FLOW_COUNTS]);
    work.first_word = first_word;
    work.frees_end = segment + 1 == lane->segments || !same_end(lane, segment + 1, newest);
    bool empty = lane_begin(lane, segment) == lane->end[segment];
    if (!empty && !announce_counts(pe, lane, segment, words, &work))
        return false;
    struct segment_work *to = flow_push(&pe->flow[FLOW_SEGMENTS], sizeof *to, 1);
    if (to)
        memcpy(to, &work, sizeof work);
    return to;
}

bool pe_announce_weights(struct pe_array *pes, unsigned p, const struct lane *lane, uint32_t segments,
                         size_t words)
{
    struct pe *pe = &pes->pe[p];
    const struct weights_words shape = weights_words_of(pes->derived->entries_per_beat, pes->variant->scan);
    size_t newest = lane->segments - segments, blanks = 0;
    if (!words)
        return true;
    together_announce(pes);
    struct word_work *work = flow_push(&pe->flow[FLOW_WORDS], sizeof *work, words);
    if (!work)
        return false;
    memset(work, 0, words * sizeof *work);
    uint32_t end = segments ? weights_word(&shape, lane->closed[lane->segments - 1]) + 1 : 0, from = 0;
    for (size_t b = 0; b <= lane->blanks; b++) { /* stored are the words between the blank ones */
        uint32_t to = b < lane->blanks && lane->blank[b] < end ? lane->blank[b] : end;
        for (; from < to; from++)
            work[from].stored = true;
        from += from < end;
    }
    for (size_t s = newest; s < lane->segments; s++) {
        uint32_t first = weights_word(&shape, lane->opened[s]), last = weights_word(&shape, lane->closed[s]);
        while (blanks < lane->blanks && lane->blank[blanks] < first)
            blanks++;
        work[last].closes++;
        work[last].ends = (uint16_t)(work[last].ends + !same_end(lane, s, newest));
        if (!announce_segment(pe, lane, s, newest, &shape, pe->announced_words + first - blanks))
            return false;
    }
    while (blanks < lane->blanks && lane->blank[blanks] < end)
        blanks++;
    pe->announced_words += end - blanks;
    return true;
}

/* ---- weights arriving ------------------------------------------------------------------------ */

/* Whether the MAC that reads the head segment is the last one to do so. */
static bool reads_last(const struct pe_array *pes, const struct pe *pe)
{
    const struct mac_work *mac = &pes->macs[pe->started % VARIANT_MACS_MAX];
    return pe->read && mac->advance && !mac->rotate;
}

/* Places are free up to the first word of the oldest segment, or to the one that is read for the last time.
 */
static uint64_t words_held(const struct pe_array *pes, const struct pe *pe)
{
    if (!flow_count(&pe->flow[FLOW_SEGMENTS]))
        return 0;
    uint64_t first = segment_at(pe, 0)->first_word + (reads_last(pes, pe) ? pe->read : 0);
    return pe->stored > first ? pe->stored - first : 0;
}

bool pes_accept_word(const struct pe_array *pes)
{
    for (unsigned p = 0; p < pes_stepped(pes); p++) {
        const struct pe *pe = &pes->pe[p];
        if (pe->loading || words_held(pes, pe) >= pes->derived->weight_words ||
            pe->ends + 2 * pes->variant->scan > pes->derived->segment_queue_depth)
            return false;
    }
    return true;
}

void pes_take_word(struct pe_array *pes)
{
    for (unsigned p = 0; p < pes_stepped(pes); p++) {
        struct pe *pe = &pes->pe[p];
        if (!flow_count(&pe->flow[FLOW_WORDS]))
            continue;
        const struct word_work *word =
            (const struct word_work *)pe->flow[FLOW_WORDS].items + pe->flow[FLOW_WORDS].begin;
        pe->stored += word->stored;
        pe->ends += word->ends;
        pe->loading = word->ends ? word->ends : 1; /* this cycle's step counts */
        pe->arriving[0] += word->closes;
        pe->coming += word->closes;
        pe->flow[FLOW_WORDS].begin++;
    }
}

static void arrive_step(struct pe *pe)
{
    pe->loading -= pe->loading > 0;
    if (!pe->coming)
        return;
    pe->arrived += pe->arriving[SEGMENT_LATENCY - 1];
    pe->coming -= (unsigned)pe->arriving[SEGMENT_LATENCY - 1];
    memmove(pe->arriving + 1, pe->arriving, (SEGMENT_LATENCY - 1) * sizeof *pe->arriving);
    pe->arriving[0] = 0;
}

/* ---- telling ----------------------------------------------------------------------------------- */

void pes_tell(const struct pe_array *pes, uint64_t cycle, struct cycle_event event)
{
    const struct cycle_probe *probe = pes->options->probe;
    if (!probe)
        return;
    event.cycle = cycle;
    event.row = pes->number / pes->variant->m;
    event.cluster = pes->number % pes->variant->m;
    probe->event(probe->context, &event);
}

static void tell_mac(const struct pe_array *pes, const struct pe *pe, enum cycle_event_kind kind,
                     uint64_t number)
{
    if (pes->options->probe)
        pes_tell(pes, pes->now,
                 (struct cycle_event){.kind = kind, .pe = (unsigned)(pe - pes->pe), .count = number});
}

/* ---- scan ------------------------------------------------------------------------------------ */

static void drop_segment(struct pe *pe)
{
    const struct segment_work *gone = segment_at(pe, 0);
    pe->ends -= gone->frees_end;
    pe->flow[FLOW_COUNTS].begin += gone->words;
    pe->counts_gone += gone->words;
    pe->flow[FLOW_SEGMENTS].begin++;
    pe->arrived--;
}

static void finish_mac(struct pe_array *pes, struct pe *pe, const struct mac_work *mac)
{
    pe->read = 0;
    pe->started++;
    pe->bubble = pes->options->mac_bubble;
    if (!mac->advance)
        return;
    if (!mac->rotate)
        drop_segment(pe);
    else if (++pe->head == flow_count(&pe->flow[FLOW_SEGMENTS]))
        pe->head = 0;
}

/* A word of the head segment: its effective loads and perhaps the MAC's end. */
static struct load_group read_word(struct pe_array *pes, struct pe *pe)
{
    const struct segment_work *work = segment_at(pe, pe->head);
    const struct mac_work *mac = &pes->macs[pe->started % VARIANT_MACS_MAX];
    struct load_group group = {.valid = true, .balance = mac->balance};
    if (!pe->read)
        tell_mac(pes, pe, CYCLE_MAC, pe->started);
    const unsigned entries = work->words ? count_at(pe, work->counts + pe->read++) : 0;
    if (entries) {
        pe->flow[FLOW_FLAGS].begin += entries;
        const uint8_t loads = ((const uint8_t *)pe->flow[FLOW_FLAGS].items)[pe->flow[FLOW_FLAGS].begin - 1];
        group.loads = (uint8_t)(loads - pe->loads_read);
        pe->loads_read = loads;
    }
    group.ends = pe->read == work->words;
    if (group.ends)
        finish_mac(pes, pe, mac);
    return group;
}

static void note_idle(struct pe *pe, enum cycle_use why)
{
    pe->counters.idle[why] += !pe->multiplied;
}

/* Whether no load is on its way to the multiplier. */
static bool is_drained(const struct pe *pe)
{
    return !pe->first_count && !pe->second_count && !pe->in_flight;
}

/* The word that arrives goes to the first load queue; its place in the ring is free then. */
static struct load_group *land(struct pe *pe)
{
    struct load_group *place = &pe->flight[pe->flight_head];
    if (place->loads || place->ends)
        pe->first[(pe->first_head + pe->first_count++) % LOAD_QUEUE_MAX] = *place;
    pe->flying -= place->valid;
    pe->in_flight = pe->flying;
    *place = (struct load_group){0};
    pe->flight_head = pe->flight_head + 1 == SCAN_LATENCY ? 0 : pe->flight_head + 1;
    return place;
}

/* Words are read only when the first load queue surely has room for what comes of them. */
static void scan_step(struct pe_array *pes, struct pe *pe)
{
    struct load_group *place = land(pe);
    const unsigned waiting = pe->first_count + pe->flying;
    if (pe->bubble) {
        pe->bubble--;
        note_idle(pe, CYCLE_BETWEEN);
        return;
    }
    if (pe->started == pes->issued) {
        pe->counters.stall_output++;
        note_idle(pe, is_drained(pe) ? pes->unissued : CYCLE_BETWEEN);
        return;
    }
    if (pe->head >= pe->arrived) {
        pe->counters.stall_weights++;
        note_idle(pe, is_drained(pe) ? CYCLE_WEIGHTS : CYCLE_BETWEEN);
        return;
    }
    note_idle(pe, CYCLE_BETWEEN);
    if (waiting < pes->variant->load_queue_depth + SCAN_LATENCY && waiting < LOAD_QUEUE_MAX) {
        *place = read_word(pes, pe);
        pe->flying++;
    }
}

/* ---- load queues and multiplier -------------------------------------------------------------- */

static bool second_has_room(const struct pe_array *pes, const struct pe *pe)
{
    (void)pes;
    return pe->second_count < MULTIPLIER_PLACES;
}

/* One load, with the end of the MAC when it is the last of it. */
static void move_to_own(struct pe_array *pes, struct pe *pe, struct load_group *group)
{
    if (!second_has_room(pes, pe))
        return;
    struct load_group out = {.loads = group->loads ? 1 : 0, .ends = group->loads <= 1 && group->ends};
    pe->second[(pe->second_head + pe->second_count++) % MULTIPLIER_PLACES] = out;
    group->loads = (uint8_t)(group->loads - out.loads);
    if (!out.ends)
        return;
    group->ends = false;
    pe->split++;
}

static bool is_hungry(const struct pe_array *pes, const struct pe *pe)
{
    return pe->started == pes->issued && !pe->second_count && !pe->first_count && !pe->in_flight;
}

static bool wants_help(const struct pe_array *pes, const struct pe *pe, const struct pe *helper)
{
    unsigned threshold = pes->options->balance_threshold;
    switch (pes->options->balance) {
    case BALANCE_OCCUPANCY:
        return pe->second_count + pe->foreign_count >=
               helper->second_count + helper->foreign_count + threshold;
    case BALANCE_PROGRESS:
        return helper->ended >= pe->ended + threshold || is_hungry(pes, helper);
    case BALANCE_NONE:
        break;
    }
    return false;
}

/* One load of the same group to the left neighbour, which multiplies it and gives the product back. */
static void move_to_left(struct pe_array *pes, unsigned p, uint64_t mac, struct load_group *group)
{
    const unsigned k = pes->variant->k;
    struct pe *pe = &pes->pe[p], *helper = &pes->pe[p ? p - 1 : k - 1];
    /* The last load of a MAC stays: it carries the end. */
    if (!group->balance || group->loads < 1 + group->ends || mac >= pe->summed + MOVING_MACS ||
        helper->foreign_count == FOREIGN_QUEUE || k < 2 || (p == 0 && !pes->options->ring) ||
        !wants_help(pes, pe, helper))
        return;
    group->loads--;
    helper->foreign[(helper->foreign_head + helper->foreign_count++) % FOREIGN_QUEUE] =
        (uint8_t)(mac % MOVING_MACS);
    pe->out[mac % MOVING_MACS]++;
    pe->counters.moved++;
}

static void split_step(struct pe_array *pes, unsigned p)
{
    struct pe *pe = &pes->pe[p];
    if (!pe->first_count)
        return;
    struct load_group *group = &pe->first[pe->first_head];
    uint64_t mac = pe->split;
    move_to_own(pes, pe, group);
    move_to_left(pes, p, mac, group);
    if (group->loads || group->ends)
        return;
    pe->first_head = (pe->first_head + 1) % LOAD_QUEUE_MAX;
    pe->first_count--;
}

/* Work taken over comes first: the helper falls behind by it, and its own left neighbour helps it in turn, so
 * that the work of one heavy PE spreads over the ring. */
static void multiply(const struct pe_array *pes, struct pe *pe, struct pe *right)
{
    if (pe->foreign_count) {
        right->returning[0][pe->foreign[pe->foreign_head]]++;
        right->coming_back++;
        pe->foreign_head = (pe->foreign_head + 1) % FOREIGN_QUEUE;
        pe->foreign_count--;
        pe->counters.busy++;
        return;
    }
    struct load_group *load = &pe->second[pe->second_head];
    if (!pe->second_count || (load->ends && pe->ended == pe->summed + SUMS_MAX))
        return;
    pe->counters.busy += load->loads;
    if (load->ends)
        pe->sum_at[pe->ended++ % SUMS_MAX] = pes->now + SUM_LATENCY;
    pe->second_head = (pe->second_head + 1) % MULTIPLIER_PLACES;
    pe->second_count--;
}

static void multiply_step(struct pe_array *pes, unsigned p)
{
    struct pe *pe = &pes->pe[p];
    const uint64_t before = pe->counters.busy;
    multiply(pes, pe, &pes->pe[p + 1 == pes->variant->k ? 0 : p + 1]);
    pe->multiplied = pe->counters.busy != before;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void return_step(struct pe *pe)
{
    if (!pe->coming_back)
        return;
    for (unsigned m = 0; m < MOVING_MACS; m++) {
        pe->out[m] -= pe->returning[RETURN_LATENCY - 1][m];
        pe->coming_back -= pe->returning[RETURN_LATENCY - 1][m];
    }
    memmove(pe->returning + 1, pe->returning, (RETURN_LATENCY - 1) * sizeof *pe->returning);
    memset(pe->returning, 0, sizeof *pe->returning);
}

/* MACs close in order, one a cycle, when all products are there; the function unit is shared. */
static void close_step(struct pe_array *pes, struct pe *pe)
{
    if (pe->closing && pe->close_at <= pes->now) {
        pe->closing = false;
        tell_mac(pes, pe, CYCLE_MAC_END, pe->closed++);
    }
    if (pe->closing || pe->summed == pe->ended || pe->sum_at[pe->summed % SUMS_MAX] > pes->now ||
        pe->out[pe->summed % MOVING_MACS])
        return;
    pe->closing = true;
    pe->close_at = pes->now + 1;
    if (pes->macs[pe->summed % VARIANT_MACS_MAX].chain) {
        pes->function_free = (pes->function_free > pes->now ? pes->function_free : pes->now) + 1;
        pe->close_at = pes->function_free + FUNCTION_LATENCY;
    }
    pe->summed++;
}

/* ---- all PEs --------------------------------------------------------------------------------- */

/* As tulle_issue_ring counts: so many MACs more fit as are issued until the sequencer learns of it. The PEs
 * that are furthest behind decide. */
static bool have_room(const struct pe_array *pes, uint64_t started, uint64_t closed)
{
    return pes->issued - started < pes->ahead && pes->issued - closed < pes->most;
}

bool pes_accept_mac(const struct pe_array *pes)
{
    return pes->room >> pes->slack & 1;
}

void pes_issue(struct pe_array *pes, struct mac_work mac)
{
    if (mac.chain) /* PEs take turns at the function unit */
        together_part(pes);
    pes->macs[pes->issued++ % VARIANT_MACS_MAX] = mac;
}

void pes_step(struct pe_array *pes)
{
    const unsigned k = pes_stepped(pes);
    uint64_t started = UINT64_MAX, closed = UINT64_MAX;
    for (unsigned p = 0; p < k; p++) {
        return_step(&pes->pe[p]);
        close_step(pes, &pes->pe[p]);
    }
    for (unsigned p = 0; p < k; p++)
        multiply_step(pes, p);
    for (unsigned p = 0; p < k; p++)
        split_step(pes, p);
    for (unsigned p = 0; p < k; p++) {
        struct pe *pe = &pes->pe[p];
        scan_step(pes, pe);
        arrive_step(pe);
        started = pe->started < started ? pe->started : started;
        closed = pe->closed < closed ? pe->closed : closed;
    }
    memmove(pes->done + 1, pes->done, CLOSED_LATENCY * sizeof *pes->done);
    pes->done[0] = closed;
    pes->room = pes->room << 1 | have_room(pes, started, pes->done[ROOM_LATENCY]);
    pes->now++;
}

uint64_t pes_done(const struct pe_array *pes)
{
    return pes->done[CLOSED_LATENCY];
}

bool pes_idle(const struct pe_array *pes)
{
    for (unsigned p = 0; p < pes_stepped(pes); p++)
        if (pes->pe[p].closed != pes->issued || pes->pe[p].foreign_count)
            return false;
    return true;
}
