/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's command processor (rtl/tulle_command*.v): fetches the
 * program, looks at its records, and offers operations to the engines when
 * their tokens are there.
 */
#include <assert.h>

#include "gen/isa/codec.h"
#include "sim/cycle/machine.h"

#define FETCH_BYTES 512
#define FETCH_EVERY 3 /* from a fetch to the next */
#define FETCH_DELAY \
    1 /* from the cycle behind a beat of the program on the bus to when its records can be read */
#define FETCH_FIRST 16 /* records of the slot that are fetched before the header says how many there are */
#define FETCH_FIRST_WIDE 32 /* the same with a memory of WIDE_BYTES, without packed_programs */
#define WIDE_BYTES 64
#define LINES_ROOM 16  /* with packed_programs: lines that wait to become records */
#define MADE_DELAY 2   /* from the last step of a record to when it can be read */
#define KNOWN_DELAY 4  /* from reading the header to records that may be packed */
#define START_DELAY 8  /* from the start of the job to the address of the first fetch on the bus */
#define HEADER_DELAY 4 /* from reading the header to the next record, or one for each token that is set */
#define LOOP_DELAY 5   /* the same for the begin or the end of a loop */
#define LOOK_DELAY 3   /* an operation takes no less, however few products it has */
#define PUSH_DELAY 6   /* from the last product that was begun to the operation's queue */
#define HEAD_DELAY 2   /* from there to the head */
#define NEXT_DELAY 3   /* from when the operation before it was taken to the head */
#define STILL 3        /* cycles of quiet before a fence or the end */
#define AHEAD_DELAY 7  /* as START_DELAY, for a job that waited */
#define LEAD_DELAY 4   /* from empty queues to the next job's header */

void command_init(struct machine *m)
{
    m->command.next_fetch = m->options->behind ? AHEAD_DELAY : START_DELAY;
}

/* ---- a job behind another one ------------------------------------------------------------------- */

/* Until when the operation is held, because the job in front is not over. */
static uint64_t held_until(const struct machine *m, const struct operation *op)
{
    const struct cycle_behind *b = m->options->behind;
    if (!b)
        return 0;
    if (op->code == OP_DISTRIBUTE)
        return b->hand;
    if (op->code != OP_LOAD)
        return b->done;
    const uint8_t *bytes = m->job.slots[op->memory.slot].bytes;
    const bool written = op->memory.slot == SLOT_BANK ||
                         (bytes < b->to && bytes + m->job.slots[op->memory.slot].size > b->from);
    return written ? b->done : b->spread;
}

static void note_writes(struct machine *m, const struct operation *op)
{
    struct command_time *c = &m->command;
    const uint8_t *from = m->job.slots[op->memory.slot].bytes,
                  *to = from + m->job.slots[op->memory.slot].size;
    if (op->code != OP_STORE || op->memory.slot == SLOT_BANK)
        return;
    c->from = !c->to || from < c->from ? from : c->from;
    c->to = to > c->to ? to : c->to;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static unsigned waits_of(const struct operation *op)
{
    return (op->wait[0] != NO_TOKEN) + (op->wait[1] != NO_TOKEN);
}

static bool take_tokens(struct command_time *c, const struct operation *op)
{
    uint8_t *tokens = c->program.tokens;
    bool twice = op->wait[0] == op->wait[1];
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN && tokens[op->wait[i]] < (twice ? 2 : 1))
            return false;
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN)
            tokens[op->wait[i]]--;
    return true;
}

void command_give(struct machine *m, const struct operation *op)
{
    for (unsigned i = 0; i < 2; i++) {
        if (op->signal[i] == NO_TOKEN)
            continue;
        if (++m->command.program.tokens[op->signal[i]] <= 15)
            continue;
        m->result->code = JOB_TOKEN_OVERFLOW;
        m->result->queue = QUEUE_COMMAND;
        m->result->offset = op->place;
        m->failed = true;
    }
}

/* ---- queues ---------------------------------------------------------------------------------- */

void command_taken(struct machine *m, unsigned queue)
{
    struct queue *q = &m->command.queues[queue];
    q->first = (q->first + 1) % QUEUE_MAX;
    q->count--;
    q->started = false;
    q->next = m->now + NEXT_DELAY;
}

/* One operation starts a cycle, and takes a token a cycle. */
static void start_step(struct machine *m)
{
    struct command_time *c = &m->command;
    if (m->now < c->next_start)
        return;
    for (unsigned i = 0; i < QUEUES; i++) {
        struct queue *q = &c->queues[i];
        if (!q->count || q->started || m->now < q->next || m->now < q->op[q->first].from ||
            m->now < held_until(m, &q->op[q->first].op) || !take_tokens(c, &q->op[q->first].op))
            continue;
        q->started = true;
        q->offered = m->now + 1;
        c->next_start = m->now + 1 + waits_of(&q->op[q->first].op);
        return;
    }
}

static struct queue *queue_for(struct command_time *c, const struct operation *op)
{
    switch (op->code) {
    case OP_LOAD:
        return &c->queues[Q_LOAD];
    case OP_DISTRIBUTE:
        return &c->queues[Q_DISTRIBUTE];
    case OP_STORE:
        return &c->queues[Q_STORE];
    default:
        return &c->queues[Q_ACCUMULATE];
    }
}

static void push_step(struct machine *m)
{
    struct command_time *c = &m->command;
    if (!c->has_pending || m->now < c->pending_until)
        return;
    struct queue *q = queue_for(c, &c->pending);
    if (q->count == m->variant.command_queue_depth)
        return;
    unsigned place = (q->first + q->count++) % QUEUE_MAX;
    q->op[place].op = c->pending;
    q->op[place].from = m->now + HEAD_DELAY;
    c->has_pending = false;
    c->pending_next = m->now + 1;
}

/* ---- records --------------------------------------------------------------------------------- */

/* In the program buffer, or in the queue of lines that become records. */
static bool has_room(const struct command_time *c, const struct variant *v, uint32_t most, uint32_t count)
{
    return c->program.packed && c->fetched >= ISA_PACKED_FIRST
               ? c->fetched - ISA_PACKED_FIRST - c->unpack.parts / 8 + count <= LINES_ROOM
               : c->fetched + most <= c->program.next + v->program_buffer;
}

/* Records, or lines of a packed program, that may be fetched by now. */
static uint64_t fetch_limit(const struct machine *m)
{
    const struct command_time *c = &m->command;
    const bool known = c->has_header && m->now >= c->known_at, wide = m->derived.memory_bytes == WIDE_BYTES,
               first = m->variant.packed_programs &&
                       (!known || (c->program.packed && c->fetched < ISA_PACKED_FIRST));
    const uint64_t total =
        c->has_header ? c->program.lines : m->job.slots[SLOT_PROGRAM].size / ISA_OPERATION_BYTES;
    const uint64_t most = first           ? ISA_PACKED_FIRST
                          : c->has_header ? total
                          : wide          ? FETCH_FIRST_WIDE
                                          : FETCH_FIRST;
    return total < most ? total : most;
}

/* Keeps the program buffer filled: position p of the program (0 is the header) is in line p / per_fetch. */
static void fetch_step(struct machine *m)
{
    struct command_time *c = &m->command;
    const uint32_t per_fetch = FETCH_BYTES / ISA_OPERATION_BYTES;
    const uint64_t total = fetch_limit(m);
    if (m->now < c->next_fetch || c->fetched >= total)
        return;
    uint32_t count = total - c->fetched < per_fetch ? (uint32_t)total - c->fetched : per_fetch;
    if (!has_room(c, &m->variant, per_fetch, count) || !machine_read_allowed(m, 0))
        return;
    unsigned line = m->derived.memory_bytes;
    uint64_t there = machine_read_burst(m, 0, machine_beats_of(m, 0, (uint64_t)count * ISA_OPERATION_BYTES));
    assert(line);
    for (uint32_t i = 0; i < count; i++)
        c->fetched_at[(c->fetched + i) % 4096] =
            there - (count - 1 - i) * ISA_OPERATION_BYTES / line + FETCH_DELAY;
    c->fetched += count;
    c->next_fetch = m->now + FETCH_EVERY;
}

/* Of the record that is made. */
static uint32_t unpack_number(const struct unpack_time *u)
{
    return ISA_PACKED_FIRST + u->made;
}

static uint32_t packed_word(const struct command_time *c, uint64_t word)
{
    const uint8_t *bytes = c->program.unpacker.bytes + word * 4;
    return word * 4 < c->program.unpacker.size ? (uint32_t)isa_get_bits(bytes, 0, 32) : 0;
}

/* Words that the step takes; `may`: it needs nothing else. */
static unsigned unpack_wants(const struct machine *m, bool *may)
{
    const struct command_time *c = &m->command;
    const struct unpack_time *u = &c->unpack;
    const uint32_t keep = c->program.depth ? c->program.loops[0].start + 1 : c->program.next;
    *may = u->state != UNPACK_HEAD ||
           (unpack_number(u) < keep + m->variant.program_buffer && unpack_number(u) <= c->program.operations);
    if (u->state == UNPACK_HEAD)
        return 1;
    return u->state == UNPACK_MERGE ? (u->mask & 1) + (u->mask >> 1 & 1) : 0;
}

static void unpack_on(struct machine *m)
{
    struct command_time *c = &m->command;
    struct unpack_time *u = &c->unpack;
    switch (u->state) {
    case UNPACK_HEAD:
        u->mask = packed_word(c, u->word) & 0x7FFF;
        u->part = 0;
        u->state = UNPACK_LEAD;
        break;
    case UNPACK_LEAD:
        u->state = UNPACK_MERGE;
        break;
    case UNPACK_MERGE:
        u->mask >>= 2;
        u->state = ++u->part == 8 ? UNPACK_SEAL : UNPACK_MERGE;
        break;
    case UNPACK_SEAL:
        u->made_at[(ISA_PACKED_FIRST + u->made++) % ISA_PACKED_KEPT] = m->now + MADE_DELAY;
        u->state = UNPACK_HEAD;
    }
}

/* One step of tulle_command_unpack. */
static void unpack_step(struct machine *m)
{
    struct command_time *c = &m->command;
    struct unpack_time *u = &c->unpack;
    bool may;
    const unsigned wants = unpack_wants(m, &may);
    const bool goes = may && (u->there || !wants || (wants == 1 && u->half)), pops = goes && wants > u->half;
    while (u->lines + ISA_PACKED_FIRST < c->fetched &&
           c->fetched_at[(u->lines + ISA_PACKED_FIRST) % 4096] <= m->now)
        u->lines++;
    const bool reads = u->parts < 8 * u->lines && (!u->there || pops);
    if (goes) {
        unpack_on(m);
        u->word += wants;
        u->half = (u->half + wants) % 2;
    }
    u->there = reads || (u->there && !pops);
    u->parts += reads;
}

static bool can_be_read(const struct machine *m, uint32_t position)
{
    const struct command_time *c = &m->command;
    if (c->program.packed && position >= ISA_PACKED_FIRST)
        return position < unpack_number(&c->unpack) &&
               c->unpack.made_at[position % ISA_PACKED_KEPT] <= m->now;
    return position < c->fetched && c->fetched_at[position % 4096] <= m->now;
}

/* Products that the address of an operation takes, one a cycle (tulle_command_address). */
static unsigned products_of(const struct command_time *c, const struct operation *op)
{
    unsigned passes = 0;
    for (unsigned i = 0; i < ISA_LOOP_LEVELS; i++)
        passes += c->program.index[i] != 0;
    unsigned runs = op->memory.runs > 1, planes = op->memory.planes > 1 ? 3 : 0;
    switch (op->code) {
    case OP_LOAD:
        return 5 + runs + planes + 2 * passes;
    case OP_DISTRIBUTE:
        return 2 + passes;
    case OP_END:
    case OP_FENCE:
        return 0;
    case OP_STORE:
        return 5 + runs + planes + passes * (c->program.variant->channel_groups ? 2 : 1);
    default:
        return 5 + runs + planes + passes;
    }
}

/* Initial counts, or only those of the lower half or quarter when the others are 0 (tulle_command_tokens);
 * the next record is read a cycle later when they are odd. */
static unsigned tokens_set(const struct machine *m)
{
    const unsigned tokens = m->variant.tokens, parts = tokens < 8 ? 2 : 4;
    unsigned used = tokens;
    while (used > tokens / parts && !m->command.program.tokens[used - 1])
        used--;
    const unsigned set = used > tokens / 2 ? tokens : used > tokens / parts ? tokens / 2 : tokens / parts;
    return set + set % 2;
}

/* What a program expects is left by the job before it when that is done. */
static uint64_t header_from(const struct machine *m)
{
    const struct cycle_behind *behind = m->options->behind;
    return !behind ? 0 : m->command.program.expects ? behind->done : behind->lead;
}

static void read_step(struct machine *m)
{
    struct command_time *c = &m->command;
    uint32_t position = c->has_header ? c->program.next : 0;
    if (c->has_looked || m->now < c->next_read || !can_be_read(m, position))
        return;
    if (!c->has_header && m->now < header_from(m))
        return;
    if (!c->has_header) {
        c->has_header = true;
        c->known_at = m->now + KNOWN_DELAY;
        m->result->bytes_read += c->program.lines * ISA_OPERATION_BYTES;
        c->next_read = m->now + (tokens_set(m) > HEADER_DELAY ? tokens_set(m) : HEADER_DELAY);
        return;
    }
    uint64_t walked = c->program.loops_walked;
    if (program_next(&c->program, &c->looked, m->result)) {
        m->failed = true;
        return;
    }
    unsigned products = products_of(c, &c->looked);
    c->has_looked = true;
    c->still = 0;
    c->looked_until = m->now + LOOP_DELAY * (c->program.loops_walked - walked) + 1 +
                      (products > LOOK_DELAY ? products : LOOK_DELAY);
}

static bool queues_empty(const struct command_time *c)
{
    for (unsigned q = 0; q < QUEUES; q++)
        if (c->queues[q].count)
            return false;
    return true;
}

/* At the end of the program the status record is written behind the last results. */
static void sent_step(struct machine *m)
{
    struct command_time *c = &m->command;
    if (c->sent)
        return;
    if (c->calm < STILL)
        c->calm = queues_empty(c) && machine_calm(m) ? c->calm + 1 : 0;
    else if (m->store.written == m->store.count)
        c->sent = m->now;
}

/* When what is behind the end of the program may be the next job's. */
static void note_free(struct machine *m)
{
    struct command_time *c = &m->command;
    c->ahead = c->ahead ? c->ahead : m->now;
    if (!c->lead && queues_empty(c) && !m->load_count)
        c->lead = m->now + LEAD_DELAY;
    if (c->lead && !c->spread && machine_spread(m))
        c->spread = m->now;
}

/* A fence or the end waits until nothing is under way. */
static void still_step(struct machine *m)
{
    struct command_time *c = &m->command;
    if (c->looked.code == OP_END) {
        note_free(m);
        sent_step(m);
    }
    if (c->still == STILL) {
        c->ended = c->looked.code == OP_END;
        c->has_looked = false;
        c->next_read = m->now + 1;
        return;
    }
    c->still = queues_empty(c) && machine_idle(m) ? c->still + 1 : 0;
}

static void hand_over_step(struct machine *m)
{
    struct command_time *c = &m->command;
    if (!c->has_looked || m->now < c->looked_until || c->has_pending || m->now < c->pending_next)
        return;
    if (c->looked.code == OP_END || c->looked.code == OP_FENCE) {
        still_step(m);
        return;
    }
    note_writes(m, &c->looked);
    c->pending = c->looked;
    c->has_pending = true;
    c->pending_until = m->now + PUSH_DELAY;
    c->has_looked = false;
    c->next_read = m->now + 1;
}

void command_step(struct machine *m)
{
    start_step(m);
    push_step(m);
    hand_over_step(m);
    read_step(m);
    if (m->command.program.packed)
        unpack_step(m);
    fetch_step(m);
}
