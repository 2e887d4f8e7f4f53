/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what the bench of tulle_command plays: programs, and what must come of each. What an operation is,
 * and what is wrong with a program, is what sim/model/program.c says; queues and tokens are walked here as
 * sim/model/model.c does, without an array.
 *
 *   programs VARIANT SEED SUITE FACTOR [KEY=VALUE...]  the cases of a suite
 *   programs VARIANT parameters [KEY=VALUE...]      the bench's parameters, NAME=VALUE
 *
 * A case is a list of hexadecimal numbers:
 *   1, number of the case
 *   whether a reset comes first
 *   base and size of the eight slots
 *   64-bit words of the program, how many first
 *   record whose read fails (ffffffff: none), the response then
 *   number of the store that never gets its results (ffffffff: none)
 *   code, queue, offset of the status; whether the header is accepted, its watchdog
 *   the number of what the storage units hold, and the number that the job leaves
 *   for each queue: operations that must start, that may start, these as they are at the port, with what they
 *   wait for and a number that counts fences
 * and a 0 ends the list.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "gen/isa/codec.h"
#include "gen/isa/packed.h"
#include "host/plan/writer.h"
#include "sim/model/model.h"
#include "sim/model/program.h"
#include "sim/numerics/numerics.h"

#define NONE UINT32_MAX
#define STARTS_MAX 1500 /* operations of a case; longer ones are left out */
#define LISTED_MAX 4096

static struct random random_state;

static uint64_t below(uint64_t limit)
{
    return random_below(&random_state, limit);
}

static bool chance(unsigned percent)
{
    return below(100) < percent;
}

static void *must(void *memory)
{
    if (!memory) {
        fputs("programs: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static struct variant variant;
static uint64_t hash;

/* ---- a case ---------------------------------------------------------------------------------- */

#define PORT_DIGITS 108
#define PORT_BITS (4 * PORT_DIGITS)

/* Bits as the bench has them at a port, the last put lowest. */
struct port {
    char bits[PORT_BITS];
    unsigned count;
};

struct list {
    struct port op[LISTED_MAX];
    unsigned count, required;
};

struct play {
    uint64_t base[ISA_SLOTS];
    uint64_t size[ISA_SLOTS];
    uint8_t *image; /* of the program, size[0] rounded up to 64 */
    uint32_t failing, response, held_store;
    uint32_t held; /* the number of what the storage units hold */
};

enum { Q_LOAD, Q_DISTRIBUTE, Q_STORE, Q_ACCUMULATE, QUEUES };

struct waiting {
    struct operation op;
    unsigned fences;
};

struct queue {
    struct waiting op[16];
    unsigned first, count;
    bool stopped; /* its head reaches outside its slot */
};

struct walk {
    const struct play *play;
    struct program program;
    struct queue queues[QUEUES];
    struct list *lists;
    struct job_result result;
    bool faulty, store_held, too_long;
    uint64_t held_place;
    unsigned fences, starts, late;
    unsigned takers[ISA_TOKENS]; /* queues that wait for a token */
};

static void put(struct port *to, uint64_t value, unsigned bits)
{
    while (bits--)
        to->bits[to->count++] = (char)(value >> bits & 1);
}

static void put_tokens(struct port *to, const struct operation *op)
{
    put(to, op->place / 64, 26);
    for (unsigned i = 0; i < 2; i++) {
        put(to, op->signal[i] != NO_TOKEN, 1);
        put(to, op->signal[i] == NO_TOKEN ? 0 : op->signal[i], 5);
    }
}

static void put_waits(struct port *to, const struct operation *op, unsigned fences)
{
    for (unsigned i = 0; i < 2; i++) {
        put(to, op->wait[i] == NO_TOKEN ? 0 : op->wait[i], 5);
        put(to, op->wait[i] != NO_TOKEN, 1);
    }
    put(to, fences & 255, 8);
}

static void put_pattern(struct port *to, const struct operation *op, uint64_t address, unsigned length)
{
    put(to, address, 64);
    put(to, op->memory.length, length);
    put(to, op->memory.runs, 16);
    if (op->code != OP_ACCUMULATE)
        put(to, op->memory.planes, 16);
    put(to, (uint32_t)op->memory.run_pitch, 32);
    if (op->code != OP_ACCUMULATE)
        put(to, (uint32_t)op->memory.plane_pitch, 32);
}

/* docs/isa.md, "Function record" */
static void put_record(struct port *to, const struct operation *op)
{
    put(to, (uint16_t)op->slope, 16);
    put(to, (uint16_t)op->zero_point, 16);
    put(to, (uint16_t)op->high, 16);
    put(to, (uint16_t)op->low, 16);
    put(to, (uint32_t)op->multiplier, 32);
    put(to, op->rounding, 16);
    put(to, op->result, 2);
    put(to, op->shift, 6);
    put(to, op->function, 6);
    put(to, 3, 2);
}

static void put_operation(struct port *to, const struct operation *op, const struct play *play,
                          unsigned fences)
{
    uint64_t address = play->base[op->memory.slot] + op->memory.offset;
    uint64_t bytes = program_pattern_bytes(&op->memory);
    *to = (struct port){.count = 0};
    if (op->code != OP_ACCUMULATE)
        put(to, op->rows, 16);
    switch (op->code) {
    case OP_LOAD:
        put(to, op->zero, 1);
        put(to, variant.zero_points ? op->fill : 0, 16);
        put_pattern(to, op, address, 21);
        put(to, op->unit_address, 20);
        break;
    case OP_DISTRIBUTE:
        put(to, op->clusters, 16);
        put(to, op->command, 8);
        put(to, op->scatter, 1);
        put(to, op->dispatch, 1);
        put(to, op->count, 16);
        put(to, op->memory.length, 21);
        put(to, op->memory.runs, 16);
        put(to, (uint32_t)op->memory.run_pitch, 32);
        put(to, op->unit_address, 20);
        put(to, op->plain, 1);
        put(to, op->segment, 16);
        put(to, op->segments, 16);
        break;
    case OP_STORE:
        put(to, op->clusters, 16);
        put(to, op->element, 2);
        put(to, op->interleave, 1);
        put(to, op->no_sign, 1);
        put_pattern(to, op, address, 32);
        put(to, (uint64_t)(bytes >> 42 != 0) << 42 | (bytes & ((UINT64_C(1) << 42) - 1)), 43);
        put(to, op->channels.holds, 16);
        put(to, op->channels.repeats, 16);
        put(to, op->channels.run, 16);
        put(to, op->channels.first, 16);
        break;
    default:
        put(to, op->element, 2);
        put(to, op->source, 1);
        put(to, op->sum_clusters, 1);
        put(to, op->sum_rows, 1);
        put(to, op->final, 1);
        put_pattern(to, op, address, 32);
        put(to, program_pattern_bytes(&op->memory), 48);
        put_record(to, op);
        put(to, op->column, 3);
        put(to, op->group, 16);
        put(to, op->by_channel.limits, 1);
        put(to, op->by_channel.scale, 1);
        put(to, op->by_channel.bias, 1);
        put(to, op->operand, 2);
        put(to, op->join, 2);
        put(to, op->alone, 1);
        put(to, op->scale_first, 1);
        put(to, op->fraction_15, 1);
        put(to, op->no_sign, 1);
        put(to, op->softmax, 16);
    }
    put_tokens(to, op);
    put_waits(to, op, fences);
}

/* ---- what must come of it -------------------------------------------------------------------- */

static unsigned queue_of(const struct operation *op)
{
    return op->code == OP_LOAD         ? Q_LOAD
           : op->code == OP_DISTRIBUTE ? Q_DISTRIBUTE
           : op->code == OP_STORE      ? Q_STORE
                                       : Q_ACCUMULATE;
}

static bool tokens_there(const struct walk *w, const struct operation *op)
{
    unsigned twice = op->wait[0] == op->wait[1] ? 2 : 1;
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN && w->program.tokens[op->wait[i]] < twice)
            return false;
    return true;
}

static bool is_outside(const struct walk *w, const struct operation *op)
{
    const struct pattern *p = &op->memory;
    if (op->code == OP_DISTRIBUTE || (op->code == OP_LOAD && op->zero) ||
        (op->code == OP_ACCUMULATE && !op->source))
        return false;
    return !program_pattern_fits(p, w->play->size[p->slot]) || w->play->base[p->slot] % 64;
}

static void end_with(struct walk *w, enum job_code code, enum job_queue queue, uint64_t place)
{
    w->result.code = code;
    w->result.queue = queue;
    w->result.offset = place;
}

static void give(struct walk *w, const struct operation *op)
{
    for (unsigned i = 0; i < 2; i++) {
        if (op->signal[i] == NO_TOKEN)
            continue;
        if (w->program.tokens[op->signal[i]]++ < 15)
            continue;
        w->program.tokens[op->signal[i]] = 15;
        if (w->faulty)
            continue;
        w->faulty = true;
        end_with(w, JOB_TOKEN_OVERFLOW, QUEUE_COMMAND, op->place);
        for (unsigned q = 0; q < QUEUES; q++) /* how far the others got is a matter of time */
            w->lists[q].required = 0;
    }
}

static void begin(struct walk *w, unsigned q, const struct waiting *head)
{
    struct list *list = &w->lists[q];
    for (unsigned i = 0; i < 2; i++)
        if (head->op.wait[i] != NO_TOKEN)
            w->program.tokens[head->op.wait[i]]--;
    if (list->count < LISTED_MAX)
        put_operation(&list->op[list->count++], &head->op, w->play, head->fences);
    w->starts++;
    if (w->play->held_store != NONE &&
        q == Q_ACCUMULATE) /* its engine is the store's, so it may come too late */
        w->late++;
    else if (!w->faulty)
        list->required = list->count;
}

/* The head of a queue, as far as it goes; false: it stays where it is. */
static bool start_head(struct walk *w, unsigned q)
{
    struct queue *queue = &w->queues[q];
    if (!queue->count || queue->stopped || (q == Q_STORE && w->store_held))
        return false;
    struct waiting head = queue->op[queue->first];
    if (!tokens_there(w, &head.op))
        return false;
    if (is_outside(w, &head.op)) {
        if (!w->faulty)
            end_with(w, JOB_OUT_OF_SLOT, (enum job_queue)(QUEUE_LOAD + q), head.op.place);
        w->faulty = queue->stopped = true;
        return false;
    }
    begin(w, q, &head);
    queue->first = (queue->first + 1) % 16;
    queue->count--;
    if (q == Q_STORE && w->lists[q].count - 1 == w->play->held_store) {
        w->store_held = true;
        w->held_place = head.op.place;
        return true;
    }
    give(w, &head.op);
    return true;
}

static void run_queues(struct walk *w, bool *progress)
{
    for (unsigned q = 0; q < QUEUES; q++)
        while (start_head(w, q))
            *progress = true;
}

static bool hand_out(struct walk *w, const struct operation *op)
{
    if (op->code == OP_FENCE || op->code == OP_END) {
        for (unsigned q = 0; q < QUEUES; q++)
            if (w->queues[q].count)
                return false;
        w->fences += !w->store_held;
        return !w->store_held;
    }
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN)
            w->takers[op->wait[i]] |= 1u << queue_of(op);
    struct queue *queue = &w->queues[queue_of(op)];
    if (queue->count == variant.command_queue_depth)
        return false;
    queue->op[(queue->first + queue->count++) % 16] = (struct waiting){*op, w->fences};
    return true;
}

static void report_deadlock(struct walk *w)
{
    uint64_t place = w->store_held ? w->held_place : UINT64_MAX;
    for (unsigned q = 0; q < QUEUES; q++)
        if (w->queues[q].count && !(w->store_held && q == Q_STORE)) {
            uint64_t here = w->queues[q].op[w->queues[q].first].op.place;
            place = here < place ? here : place;
        }
    end_with(w, JOB_DEADLOCK, QUEUE_COMMAND, place);
}

/* A record that cannot be read is blank here, so that its check fails. */
static enum job_code read_error(const struct play *p)
{
    return p->response == 3 ? JOB_READ_DECODE_ERROR : JOB_READ_SLAVE_ERROR;
}

/* The next operation; what is wrong with it counts only when nothing before it is wrong. */
static bool next_operation(struct walk *w, struct operation *op)
{
    struct job_result result = {0};
    if (w->starts > STARTS_MAX) {
        w->too_long = !w->faulty;
        return false;
    }
    if (program_next(&w->program, op, &result) == JOB_OK)
        return true;
    const bool cut = w->program.packed && w->play->failing >= ISA_PACKED_FIRST && w->play->failing != NONE;
    if (cut ? result.code == JOB_BAD_LENGTH
            : result.code == JOB_BAD_CHECK && result.offset == (uint64_t)w->play->failing * 64)
        result.code = read_error(w->play);
    if (!w->faulty)
        w->result = result;
    return false;
}

static void walk_program(struct walk *w)
{
    struct operation op;
    bool pending = false, progress = true;
    unsigned steps = 0;
    while (progress) {
        if (!pending && !next_operation(w, &op))
            return;
        w->too_long = w->too_long || ++steps > 200000;
        pending = !hand_out(w, &op);
        progress = !pending;
        if ((progress && op.code == OP_END) || w->too_long)
            return;
        run_queues(w, &progress);
    }
    if (!w->faulty)
        report_deadlock(w);
}

/* ---- writing it ------------------------------------------------------------------------------ */

static unsigned cases, codes[64], left_out; /* too long, or no outcome that is the only one */
static bool fresh;                          /* no error before: the next case may go without a reset */

static void print_port(const struct port *op)
{
    static const char digits[] = "0123456789abcdef";
    unsigned first = PORT_BITS - op->count;
    for (unsigned d = 0; d < PORT_DIGITS; d++) {
        unsigned value = 0;
        for (unsigned b = 0; b < 4; b++) {
            unsigned at = 4 * d + b;
            value = value << 1 | (at < first ? 0 : (unsigned)op->bits[at - first]);
        }
        putchar(digits[value]);
    }
    putchar('\n');
}

static uint64_t word_at(const uint8_t *bytes, size_t at)
{
    return isa_get_bits(bytes + at, 0, 64);
}

static uint32_t header_lines(const struct play *p)
{
    return (uint32_t)isa_get_bits(p->image + 40, 0, 32);
}

static bool is_packed(const struct play *p)
{
    return p->size[0] >= 64 && variant.packed_programs && header_lines(p);
}

static void print_case(const struct play *p, const struct walk *w, bool accepted, uint32_t watchdog)
{
    uint64_t records = (p->size[0] + 63) / 64;
    printf("1 %x %x\n", cases, !fresh || chance(30));
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        printf("%" PRIx64 " %" PRIx64 "\n", p->base[s], p->size[s]);
    printf("%" PRIx64 "\n", records * 8);
    for (uint64_t i = 0; i < records * 64; i += 8)
        printf("%" PRIx64 "\n", word_at(p->image, i));
    printf("%x %x %x\n", p->failing, p->response, p->held_store);
    printf("%x %x %" PRIx64 " %x %x\n", w->result.code, w->result.queue, w->result.offset, accepted,
           watchdog);
    printf("%x %x\n", p->held, w->program.leaves);
    for (unsigned q = 0; q < QUEUES; q++) {
        printf("%x %x\n", w->lists[q].required, w->lists[q].count);
        for (unsigned i = 0; i < w->lists[q].count; i++)
            print_port(&w->lists[q].op[i]);
    }
    fresh = w->result.code == JOB_OK;
    codes[w->result.code]++;
    cases++;
}

static void play_free(struct play *p)
{
    free(p->image);
}

static struct play play_copy(const struct play *p)
{
    struct play copy = *p;
    size_t room = (size_t)(p->size[0] + 63) / 64 * 64;
    copy.image = must(calloc(1, room + 64));
    memcpy(copy.image, p->image, room);
    return copy;
}

/* Whether time decides: queues compete for a token, one that overflows is taken as well, or accumulates that
 * come too late fill their queue. */
static bool is_a_matter_of_time(const struct walk *w)
{
    if (w->store_held && w->late >= variant.command_queue_depth)
        return true;
    for (unsigned t = 0; t < ISA_TOKENS; t++)
        if ((w->takers[t] & (w->takers[t] - 1)) || (w->takers[t] && w->result.code == JOB_TOKEN_OVERFLOW))
            return true;
    return false;
}

static void add_case(const struct play *p)
{
    struct play readable = play_copy(p);
    const bool in_packed = is_packed(p) && p->failing >= ISA_PACKED_FIRST;
    if ((uint64_t)p->failing < p->size[0] / 64 && !in_packed)
        memset(readable.image + (size_t)p->failing * 64, 0, 64);
    struct walk w = {.play = p, .lists = must(calloc(QUEUES, sizeof(struct list)))};
    bool accepted = false;
    if (p->size[0] >= 64 && p->base[0] % 64)
        end_with(&w, JOB_OUT_OF_SLOT, QUEUE_COMMAND, 0);
    else if (p->size[0] >= 64 && p->failing == 0)
        end_with(&w, read_error(p), QUEUE_COMMAND, 0);
    else
        accepted = !program_open(&w.program, &variant, hash, readable.image, p->size[0], &w.result);
    if (accepted && w.program.expects && w.program.expects != p->held) {
        accepted = false;
        end_with(&w, JOB_STALE_WEIGHTS, QUEUE_COMMAND, 0);
    }
    if (accepted && in_packed && p->failing < w.program.lines)
        w.program.unpacker.size = (size_t)(p->failing - ISA_PACKED_FIRST) * 64;
    if (accepted)
        walk_program(&w);
    if (w.too_long || is_a_matter_of_time(&w))
        left_out++;
    else
        print_case(p, &w, accepted, accepted ? (uint32_t)isa_get_bits(p->image + 20, 0, 32) : 0);
    free(w.lists);
    play_free(&readable);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int64_t multiple(uint64_t limit, uint64_t unit)
{
    return (int64_t)(below(limit / unit) * unit);
}

static int64_t pitch(unsigned unit)
{
    int64_t steps = (int64_t)below(40) - 12;
    return steps * (int64_t)unit;
}

static unsigned mask(unsigned bits)
{
    return 1 + (unsigned)below((1u << bits) - 1);
}

struct maker {
    struct writer w;
    bool settling;                    /* no more tokens are given */
    unsigned pending[QUEUES][QUEUES]; /* gives of queue q to queue r that nothing waits for yet */
    unsigned depth, since[ISA_LOOP_LEVELS], level[ISA_LOOP_LEVELS];
};

/* The token from one queue to another: they may be few. */
static unsigned token_of(unsigned from, unsigned to)
{
    static const unsigned numbers[QUEUES][QUEUES] = {{0, 0, 0, 3}, {0, 0, 1, 0}, {2, 0, 0, 0}, {0, 0, 0, 0}};
    return numbers[from][to];
}

/* load to distribute, distribute to store, store to load, load to accumulate: no other pairs, so each token
 * has one queue that gives it and one that takes it. */
static bool is_pair(unsigned from, unsigned to)
{
    return (from == Q_LOAD && (to == Q_DISTRIBUTE || to == Q_ACCUMULATE)) ||
           (from == Q_DISTRIBUTE && to == Q_STORE) || (from == Q_STORE && to == Q_LOAD);
}

static unsigned add_tokens(struct maker *m, unsigned q, struct setting *to)
{
    unsigned count = 0, waits = 0, signals = 0;
    for (unsigned r = 0; r < QUEUES; r++)
        while (m->pending[r][q] && waits < 2 && is_pair(r, q)) {
            to[count++] = (struct setting){waits ? "wait_b" : "wait_a", 1};
            to[count++] = (struct setting){waits ? "wait_b_token" : "wait_a_token", token_of(r, q)};
            m->pending[r][q]--;
            waits++;
        }
    for (unsigned r = 0; r < QUEUES; r++)
        while (!m->settling && signals < 2 && is_pair(q, r) && m->pending[q][r] < 4 && chance(40)) {
            to[count++] = (struct setting){signals ? "signal_b" : "signal_a", 1};
            to[count++] = (struct setting){signals ? "signal_b_token" : "signal_a_token", token_of(q, r)};
            m->pending[q][r]++;
            signals++;
        }
    return count;
}

static unsigned add_unit(struct setting *to, bool steps)
{
    static const char *const names[] = {"unit_step0", "unit_step1", "unit_step2"};
    unsigned beat = variant.row_bus_width / 8, count = 0;
    to[count++] =
        (struct setting){"unit_address", multiple(chance(10) ? UINT32_MAX : variant.unit_bytes, beat)};
    for (unsigned l = 0; steps && l < 3; l++)
        to[count++] = (struct setting){names[l], (int64_t)below(65536) - 32768};
    return count;
}

/* In some variants half of the packets are plain, in some of them half of these bitmaps. */
static unsigned add_plain(struct setting *to)
{
    const bool plain = variant.plain_weights && chance(50),
               bitmap = plain && variant.bitmap_weights && chance(50);
    const unsigned least = variant_entries_per_beat(&variant),
                   most = bitmap ? variant_bitmap_masks(&variant) : UINT16_MAX;
    to[0] = (struct setting){"plain", plain};
    to[1] = (struct setting){"segment", plain ? least + (int64_t)below(most + 1 - least) : 0};
    to[2] = (struct setting){"segments", plain && !bitmap ? 1 + (int64_t)below(65535) : 0};
    to[3] = (struct setting){"bitmap", bitmap};
    return 4;
}

static unsigned add_offset(struct setting *to, unsigned unit)
{
    static const char *const names[] = {"offset_step0", "offset_step1", "offset_step2"};
    unsigned count = 0;
    to[count++] = (struct setting){"offset", (1 << 22) + multiple(1 << 20, unit)};
    for (unsigned l = 0; l < 3; l++)
        to[count++] = (struct setting){names[l], pitch(unit)};
    return count;
}

/* Of the table of channels, in variants that have one. */
static unsigned add_walk(struct setting *to)
{
    static const char *const names[] = {"first_group", "group_run", "group_repeats", "group_holds"},
                             *const steps[] = {"group_step0", "group_step1", "group_step2"};
    unsigned count = 0;
    for (unsigned i = 0; variant.channel_groups && i < 4; i++)
        to[count++] = (struct setting){names[i], (int64_t)below(65536)};
    for (unsigned i = 0; variant.channel_groups && i < 3; i++)
        to[count++] = (struct setting){steps[i], (int64_t)below(65536) - 32768};
    return count;
}

static int64_t setting_of(const struct setting *s, unsigned count, const char *name)
{
    while (count--)
        if (!strcmp(s[count].field, name))
            return s[count].value;
    return 0;
}

/* What an accumulate with these settings may have besides; one in ten has something that it may not. */
static unsigned add_channels(struct setting *s, unsigned n)
{
    enum { COLUMN, BIAS, SCALE, LIMITS, KINDS };
    const unsigned count = n, wrong = chance(10) ? (unsigned)below(KINDS) : KINDS;
    const bool final = setting_of(s, count, "final");
    const enum num_function function = (enum num_function)setting_of(s, count, "function");
    if (!variant.channel_groups)
        return 0;
    if (setting_of(s, count, "source") || wrong == COLUMN)
        s[n++] = (struct setting){"column", (int64_t)below(ISA_COLUMNS)};
    s[n++] = (struct setting){"group", (int64_t)below(65536)};
    s[n++] = (struct setting){"channel_bias", wrong == BIAS || (final && chance(50))};
    s[n++] =
        (struct setting){"channel_scale", wrong == SCALE || (final && num_scales(function) && chance(50))};
    s[n++] =
        (struct setting){"channel_limits", wrong == LIMITS || (final && num_limits(function) && chance(50))};
    return n - count;
}

static void set_to(struct setting *s, unsigned count, const char *name, int64_t value)
{
    while (count--)
        if (!strcmp(s[count].field, name))
            s[count].value = value;
}

/* Mostly at the limits. */
static int64_t pick_shift(void)
{
    static const int64_t limits[] = {30, 31, 41, 42, 46, 47};
    return chance(30) ? (int64_t)below(64) : limits[below(sizeof limits / sizeof *limits)];
}

/* The settings become those of an operand; `wrong`: of one that may not be. */
static unsigned as_operand(struct setting *s, unsigned n, bool wrong)
{
    static const char *const steps[] = {"offset", "offset_step0", "offset_step1", "offset_step2"};
    const unsigned count = n, group = variant.k << 1, kind = wrong ? (unsigned)below(8) : 8;
    const bool fraction_15 = chance(50), second = chance(60);
    set_to(s, count, "source", kind != 0);
    set_to(s, count, "final", kind == 1);
    set_to(s, count, "column", kind == 2 ? COLUMN_SHIFT : COLUMN_NONE);
    set_to(s, count, "channel_bias", 0);
    set_to(s, count, "channel_scale", 0);
    set_to(s, count, "channel_limits", 0);
    set_to(s, count, "element", kind == 3 ? NUM_INT32 : (int64_t)below(2));
    const int64_t apart = kind == 4 ? group / 2 : 0;
    const bool pitch = chance(50); /* wrong in this, or in the length */
    set_to(s, count, "length", (int64_t)(1 + below(1000)) * group + (pitch ? 0 : apart));
    set_to(s, count, "run_pitch", ((int64_t)below(5) - 2) * group + (pitch ? apart : 0));
    for (unsigned i = 0; i < 4; i++)
        set_to(s, count, steps[i], setting_of(s, count, steps[i]) * (int64_t)variant.k);
    if (kind == 4)
        set_to(s, count, "element", NUM_INT16);
    if (kind == 7)
        set_to(s, count, "offset", setting_of(s, count, "offset") + variant.k / 2);
    s[n++] = (struct setting){"operand", second ? OPERAND_SECOND : OPERAND_FIRST};
    s[n++] = (struct setting){"unsigned", variant.zero_points && chance(50)};
    if (!second)
        return n - count;
    set_to(s, count, "multiplier",
           kind == 5 ? (int32_t)below(UINT64_C(1) << 32) : (int32_t)(1u << 30 | below(1u << 30)));
    set_to(s, count, "shift", kind == 6 ? pick_shift() : 31 + (int64_t)below(fraction_15 ? 11 : 16));
    s[n++] = (struct setting){"scale_first", chance(50)};
    s[n++] = (struct setting){"fraction_15", fraction_15};
    return n - count;
}

/* The settings become those of a join. */
static unsigned as_join(struct setting *s, unsigned n, bool wrong)
{
    const unsigned count = n, kind = wrong ? (unsigned)below(5) : 5;
    const bool alone = chance(50);
    set_to(s, count, "final", kind != 0);
    set_to(s, count, "function", kind == 1 ? (int64_t)below(2) : NUM_REQUANTISE);
    set_to(s, count, "column", COLUMN_NONE);
    set_to(s, count, "source", alone ? kind == 2 : chance(50));
    set_to(s, count, "channel_bias", alone ? 0 : chance(50));
    set_to(s, count, "channel_scale", alone ? kind == 3 : kind != 3);
    set_to(s, count, "channel_limits", !alone);
    s[n++] = (struct setting){"join", kind == 4 ? 0 : 1 + (int64_t)below(3)};
    s[n++] = (struct setting){"alone", alone};
    return n - count;
}

/* The same of softmax. */
static unsigned as_softmax(struct setting *s, unsigned n, bool wrong)
{
    const unsigned kind = wrong ? (unsigned)below(3) : 3, more = as_join(s, n, false);
    const unsigned count = n + more;
    set_to(s, count, "source", 0);
    set_to(s, count, "channel_bias", 0);
    set_to(s, count, "channel_scale", kind == 0);
    set_to(s, count, "channel_limits", kind == 0);
    set_to(s, count, "join", kind == 1 ? JOIN_ADD : JOIN_NONE);
    set_to(s, count, "alone", kind != 0);
    s[count] =
        (struct setting){"softmax", 1 + (int64_t)below(variant.softmax) + (kind == 2) * variant.softmax};
    return more + 1;
}

static unsigned add_joins(struct setting *s, unsigned n)
{
    const bool wrong = chance(20);
    if (!variant.joins || chance(30))
        return 0;
    if (variant.softmax && chance(30))
        return as_softmax(s, n, wrong);
    return chance(50) ? as_operand(s, n, wrong) : as_join(s, n, wrong);
}

static void add_operation(struct maker *m)
{
    static const char *const names[] = {"load", "distribute", "store", "accumulate"};
    unsigned q = chance(10) ? Q_ACCUMULATE : (unsigned)below(3), n = 0;
    struct setting s[48];
    unsigned beat = variant.row_bus_width / 8, element = (unsigned)below(4);
    bool planes = chance(40);
    n += add_tokens(m, q, s);
    if (q != Q_ACCUMULATE)
        s[n++] = (struct setting){"rows", mask(variant.n)};
    if (q == Q_DISTRIBUTE || q == Q_STORE)
        s[n++] = (struct setting){"clusters", mask(variant.m)};
    switch (q) {
    case Q_LOAD:
        s[n++] = (struct setting){"slot", 1 + (int64_t)below(7)};
        s[n++] = (struct setting){"zero", chance(20)};
        if (s[n - 1].value && variant.zero_points && chance(80))
            s[n++] = (struct setting){"fill", (int64_t)below(65536)};
        s[n++] = (struct setting){"length", 8 + multiple(variant.unit_bytes / 16, 8)};
        s[n++] = (struct setting){"runs", 1 + (int64_t)below(planes ? 4 : 2)};
        s[n++] = (struct setting){"planes", 1 + (int64_t)below(planes ? 3 : 1)};
        s[n++] = (struct setting){"run_pitch", pitch(8)};
        s[n++] = (struct setting){"plane_pitch", pitch(8)};
        n += add_offset(s + n, 8);
        n += add_unit(s + n, true);
        break;
    case Q_DISTRIBUTE:
        s[n++] = (struct setting){"command", (int64_t)below(256)};
        s[n++] = (struct setting){"scatter", chance(20)};
        s[n++] = (struct setting){"dispatch", chance(20)};
        s[n++] = (struct setting){"count", 1 + (int64_t)below(65535)};
        s[n++] = (struct setting){"length", multiple(variant.unit_bytes / 8 + 1, beat)};
        s[n++] = (struct setting){"runs", 1 + (int64_t)below(6)};
        s[n++] = (struct setting){"run_pitch", pitch(beat)};
        n += add_unit(s + n, true);
        n += add_plain(s + n);
        break;
    case Q_STORE:
        s[n++] = (struct setting){"slot", chance(50) ? SLOT_OUTPUT : SLOT_SCRATCH};
        s[n++] = (struct setting){"element", element};
        s[n++] = (struct setting){"interleave", chance(50)};
        s[n++] = (struct setting){"unsigned", element <= NUM_INT16 && variant.zero_points && chance(50)};
        s[n++] = (struct setting){"length", (int64_t)(1 + below(5000)) << element};
        s[n++] = (struct setting){"runs", 1 + (int64_t)below(planes ? 65535 : 2)};
        s[n++] = (struct setting){"planes", 1 + (int64_t)below(planes ? 65535 : 1)};
        s[n++] = (struct setting){"run_pitch", planes ? (int64_t)below(3) - 1 : pitch(8)};
        s[n - 1].value <<= element;
        s[n++] = (struct setting){"plane_pitch", ((int64_t)below(3) - 1) * (1 << element)};
        n += add_offset(s + n, 8);
        n += add_walk(s + n);
        break;
    default:
        s[n++] = (struct setting){"slot", 1 + (int64_t)below(7)};
        s[n++] = (struct setting){"element", element};
        s[n++] = (struct setting){"source", chance(60)};
        s[n++] = (struct setting){"sum_clusters", chance(50)};
        s[n++] = (struct setting){"sum_rows", chance(50)};
        s[n++] = (struct setting){"final", chance(50)};
        s[n++] = (struct setting){"length", (int64_t)(1 + below(100000)) << element};
        s[n++] = (struct setting){"runs", 1 + (int64_t)below(9)};
        s[n++] = (struct setting){"run_pitch", pitch(8)};
        s[n++] = (struct setting){"function", chance(50) ? 0 : 1 + (int64_t)below(9)};
        while (s[n - 1].value && !(variant.functions >> (s[n - 1].value - 1) & 1))
            s[n - 1].value--;
        s[n++] = (struct setting){"shift", (int64_t)below(64)};
        s[n++] = (struct setting){"result", (int64_t)below(4)};
        s[n++] = (struct setting){"rounding", (int64_t)below(variant.roundings ? NUM_ROUNDINGS : 1)};
        s[n++] = (struct setting){"multiplier", (int32_t)random_next(&random_state)};
        s[n++] = (struct setting){"low", (int16_t)random_next(&random_state)};
        s[n++] = (struct setting){"high", (int16_t)random_next(&random_state)};
        s[n++] = (struct setting){"zero", (int16_t)random_next(&random_state)};
        s[n++] = (struct setting){"slope", (int16_t)random_next(&random_state)};
        n += add_offset(s + n, 8);
        n += add_channels(s, n);
        n += add_joins(s, n);
    }
    s[n] = (struct setting){NULL, 0};
    writer_op(&m->w, names[q], s);
}

static bool all_taken(const struct maker *m)
{
    for (unsigned q = 0; q < QUEUES; q++)
        for (unsigned r = 0; r < QUEUES; r++)
            if (m->pending[q][r])
                return false;
    return true;
}

/* Operations until every token given is waited for: only then may a pass or a fence be. */
static void settle(struct maker *m)
{
    m->settling = true;
    while (!all_taken(m))
        add_operation(m);
    m->settling = false;
}

static void begin_loop(struct maker *m, uint64_t iterations)
{
    unsigned lowest = m->depth ? m->level[m->depth - 1] + 1 : 0;
    if (lowest > 2)
        return;
    settle(m);
    unsigned level = lowest + (unsigned)below(3 - lowest);
    writer_op(&m->w, "loop", SETTINGS{{"level", level}, {"iterations", (int64_t)iterations}, {NULL, 0}});
    m->level[m->depth] = level;
    m->since[m->depth++] = m->w.count;
}

static void end_loop(struct maker *m)
{
    settle(m);
    unsigned body = m->w.count + 1 - m->since[--m->depth];
    if (body == 1) {
        add_operation(m);
        settle(m);
        body = m->w.count + 1 - m->since[m->depth];
    }
    writer_op(&m->w, "endloop", SETTINGS{{"level", m->level[m->depth]}, {"body", body}, {NULL, 0}});
}

static struct play make_program(unsigned length)
{
    struct maker m = {.depth = 0};
    writer_begin(&m.w, &variant);
    for (unsigned t = 0; t < 4; t++)
        m.w.tokens[t] = (uint8_t)(chance(50) ? 0 : below(3));
    while (m.w.count < length) {
        if (chance(12))
            begin_loop(&m, 1 + below(4));
        if (m.depth && chance(15))
            end_loop(&m);
        add_operation(&m);
        if (chance(5)) {
            settle(&m);
            writer_op(&m.w, "fence", NULL);
        }
    }
    while (m.depth)
        end_loop(&m);
    settle(&m);
    struct strbuf image = {0};
    if (!writer_finish(&m.w, chance(50) ? hash : 0, &image)) {
        fprintf(stderr, "programs: %s\n", plan_message());
        exit(1);
    }
    struct play p = {.failing = NONE, .held_store = NONE};
    size_t data = chance(50) ? 0 : below(300);
    p.size[0] = image.len + data;
    p.image = must(calloc(1, image.len + data + 128));
    memcpy(p.image, image.text, image.len);
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        p.base[s] = random_next(&random_state) >> (8 + below(40)) & ~UINT64_C(63);
        if (s)
            p.size[s] = (UINT64_C(1) << 32) + below(1000);
    }
    sb_free(&image);
    writer_free(&m.w);
    return p;
}

/* ---- what can be wrong with one -------------------------------------------------------------- */

static void seal(uint8_t *record, uint32_t number)
{
    isa_put_bits(record, 480, 32, 0);
    isa_put_bits(record, 480, 32, isa_checksum(record, ISA_OPERATION_BYTES) ^ isa_check_word(number));
}

static uint32_t operations_of(const struct play *p)
{
    return (uint32_t)isa_get_bits(p->image + 16, 0, 32);
}

static uint64_t tempting_value(unsigned bits)
{
    uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (below(7)) {
    case 0:
        return 0;
    case 1:
        return all;
    case 2:
        return all >> 1;
    case 3:
        return (UINT64_C(1) << below(bits)) & all;
    case 4:
        return below(20) & all;
    case 5:
        return multiple(1 << 20, 64) & (int64_t)all;
    default:
        return random_next(&random_state) & all;
    }
}

/* A field changed, and the record sealed again. */
static void change_field(struct play *p)
{
    uint32_t number = (uint32_t)below(operations_of(p) + 1);
    const struct isa_family *family = number ? &isa_operation : &isa_program;
    uint8_t *record = p->image + (size_t)number * 64;
    struct strbuf why = {0};
    const struct isa_format *format = isa_classify(family, record, isa_int8_widths, &why);
    sb_free(&why);
    if (!format)
        return;
    unsigned count = 0;
    while (format->fields[count].bits)
        count++;
    for (unsigned changes = 1 + (unsigned)below(2); changes; changes--) {
        const struct isa_field *field = &format->fields[below(count)];
        unsigned bits = field->bits > 64 ? 64 : (unsigned)field->bits;
        isa_put_bits(record, isa_field_lsb(family, format, field, isa_int8_widths), bits,
                     tempting_value(bits));
    }
    seal(record, number);
}

static void flip_words(const struct play *p)
{
    for (size_t w = 0; w < (size_t)(operations_of(p) + 1) * 16; w++) {
        struct play copy = play_copy(p);
        uint32_t flips = chance(50) ? 1u << below(32) : (uint32_t)random_next(&random_state) | 1;
        for (unsigned i = 0; i < 4; i++)
            copy.image[4 * w + i] ^= (uint8_t)(flips >> (8 * i));
        add_case(&copy);
        play_free(&copy);
    }
}

static void truncate_it(const struct play *p)
{
    for (uint64_t size = 0; size <= p->size[0]; size += size % 64 == 63 ? 1 : size % 64 ? 62 : 1) {
        struct play copy = play_copy(p);
        copy.size[0] = size;
        add_case(&copy);
        play_free(&copy);
    }
}

static void swap_records(const struct play *p)
{
    for (uint32_t i = 1; i < operations_of(p); i++) {
        struct play copy = play_copy(p);
        memcpy(copy.image + 64 * i, p->image + 64 * (i + 1), 64);
        memcpy(copy.image + 64 * (i + 1), p->image + 64 * i, 64);
        add_case(&copy);
        play_free(&copy);
    }
}

/* What the memory, a slot, or an array without results can do to it. */
static void disturb(struct play *p)
{
    switch (below(5)) {
    case 0:
        p->failing = (uint32_t)below(operations_of(p) + 1);
        p->response = 2 + (uint32_t)below(2);
        break;
    case 1:
        p->size[1 + below(7)] = tempting_value(64);
        break;
    case 2:
        p->base[below(8)] += chance(50) ? 32 : 8;
        break;
    case 3:
        p->size[1 + below(7)] = (UINT64_C(1) << 20) + below(1 << 21);
        break;
    default:
        p->held_store = (uint32_t)below(4);
    }
}

/* A token that an operation gives is not given. */
static void forget_signal(struct play *p)
{
    for (unsigned tries = 0; tries < 20; tries++) {
        uint32_t number = 1 + (uint32_t)below(operations_of(p));
        uint8_t *record = p->image + (size_t)number * 64;
        if (record[0] < 2 || record[0] > 5 || !isa_get_bits(record, 20, 1))
            continue;
        isa_put_bits(record, 20, 6, 0);
        seal(record, number);
        return;
    }
}

/* ---- programs made for one purpose ----------------------------------------------------------- */

static struct play finish_special(struct writer *w, const struct play *like)
{
    struct strbuf image = {0};
    if (!writer_finish(w, 0, &image)) {
        fprintf(stderr, "programs: %s\n", plan_message());
        exit(1);
    }
    struct play p = *like;
    p.size[0] = image.len;
    p.image = must(calloc(1, image.len + 128));
    memcpy(p.image, image.text, image.len);
    sb_free(&image);
    writer_free(w);
    return p;
}

static void zero_load(struct writer *w, unsigned signal)
{
    writer_op(w, "load",
              SETTINGS{{"rows", 1},
                       {"zero", 1},
                       {"length", 8},
                       {"signal_a", signal != NO_TOKEN},
                       {"signal_a_token", signal != NO_TOKEN ? signal : 0},
                       {NULL, 0}});
}

/* A body as long as the buffer allows, and one longer; with an inner loop or another record behind it. */
static void long_loops(const struct play *like)
{
    for (unsigned extra = 0; extra < 4; extra++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct writer w;
            writer_begin(&w, &variant);
            for (unsigned i = 0; i < kind; i++)
                zero_load(&w, NO_TOKEN);
            unsigned body = variant.program_buffer - 2 + extra, from = w.count + 1;
            writer_op(&w, "loop", SETTINGS{{"level", 0}, {"iterations", 3}, {NULL, 0}});
            if (kind == 2) { /* an inner loop that goes on when the outer one can no longer end */
                for (unsigned i = 0; i < variant.program_buffer / 2; i++)
                    zero_load(&w, NO_TOKEN);
                unsigned inner = w.count + 1;
                writer_op(&w, "loop", SETTINGS{{"level", 1 + extra % 2}, {"iterations", 2}, {NULL, 0}});
                while (w.count + 1 - inner < variant.program_buffer - 1)
                    zero_load(&w, NO_TOKEN);
                writer_op(&w, "endloop",
                          SETTINGS{{"level", 1 + extra % 2}, {"body", w.count + 1 - inner}, {NULL, 0}});
            }
            while (w.count + 1 - from < body)
                zero_load(&w, NO_TOKEN);
            if (kind != 3)
                writer_op(&w, "endloop", SETTINGS{{"level", 0}, {"body", w.count + 1 - from}, {NULL, 0}});
            zero_load(&w, NO_TOKEN);
            struct play p = finish_special(&w, like);
            add_case(&p);
            play_free(&p);
        }
}

static void three_deep(const struct play *like)
{
    struct writer w;
    writer_begin(&w, &variant);
    for (unsigned level = 0; level < 3; level++)
        writer_op(&w, "loop", SETTINGS{{"level", level}, {"iterations", level + 2}, {NULL, 0}});
    writer_op(&w, "load",
              SETTINGS{{"rows", 1},
                       {"slot", SLOT_INPUT},
                       {"length", 8},
                       {"offset", 1 << 24},
                       {"offset_step0", -800000},
                       {"offset_step1", 123456},
                       {"offset_step2", 80},
                       {"unit_step0", 1},
                       {"unit_step1", -1},
                       {"unit_step2", 17},
                       {NULL, 0}});
    for (unsigned level = 3; level--;)
        writer_op(&w, "endloop", SETTINGS{{"level", level}, {"body", 2 + 2 * (2 - level)}, {NULL, 0}});
    struct play p = finish_special(&w, like);
    add_case(&p);
    play_free(&p);
}

/* Twenty gives of a token that nobody takes. */
static void overflow(const struct play *like, bool looped)
{
    struct writer w;
    writer_begin(&w, &variant);
    w.tokens[1] = 3;
    if (looped)
        writer_op(&w, "loop", SETTINGS{{"level", 0}, {"iterations", 20}, {NULL, 0}});
    for (unsigned i = 0; i < (looped ? 1 : 20); i++)
        zero_load(&w, 1);
    if (looped)
        writer_op(&w, "endloop", SETTINGS{{"level", 0}, {"body", 2}, {NULL, 0}});
    struct play p = finish_special(&w, like);
    add_case(&p);
    play_free(&p);
}

/* Loops with an index above 2^16 cannot be played to there; all else that the loops' records can have wrong.
 */
static void bad_loops(const struct play *like)
{
    for (unsigned kind = 0; kind < 7; kind++) {
        struct writer w;
        writer_begin(&w, &variant);
        zero_load(&w, NO_TOKEN);
        if (kind != 0)
            writer_op(&w, "loop", SETTINGS{{"level", 1}, {"iterations", 2}, {NULL, 0}});
        if (kind == 6) /* the outer loop ends before the inner one */
            writer_op(&w, "loop", SETTINGS{{"level", 2}, {"iterations", 2}, {NULL, 0}});
        if (kind == 1 || kind == 2)
            writer_op(&w, "loop", SETTINGS{{"level", kind - 1}, {"iterations", 2}, {NULL, 0}});
        if (kind != 3)
            zero_load(&w, NO_TOKEN);
        writer_op(
            &w, "endloop",
            SETTINGS{{"level", kind == 4 ? 0 : 1}, {"body", kind == 3 ? 1 : 2 + (kind >= 5)}, {NULL, 0}});
        struct play p = finish_special(&w, like);
        add_case(&p);
        play_free(&p);
    }
}

/* One operation whose runs just fit their slot, or just do not, at either end. */
static void edge(const struct play *like)
{
    static const char *const names[] = {"load", "store", "accumulate"};
    unsigned kind = (unsigned)below(3), slot = kind == 0   ? SLOT_INPUT
                                               : kind == 1 ? SLOT_SCRATCH
                                                           : SLOT_PARTIAL;
    int64_t runs = 1 + (int64_t)below(chance(50) ? 4 : 60000), planes = kind == 2 ? 1 : 1 + (int64_t)below(4);
    int64_t length = 8 * (1 + (int64_t)below(9)), run_pitch = pitch(8),
            plane_pitch = kind == 2 ? 0 : pitch(8);
    if (kind == 0) /* not more than a storage unit holds */
        runs = 1 + (int64_t)below(3);
    int64_t along = (runs - 1) * run_pitch, across = (planes - 1) * plane_pitch;
    int64_t low = (along < 0 ? along : 0) + (across < 0 ? across : 0);
    int64_t offset = -low - (low < 0 && chance(30) ? 8 : 0);
    int64_t end = offset + (along > 0 ? along : 0) + (across > 0 ? across : 0) + length;
    struct setting settings[] = {
        {"rows", 1},        {"slot", slot},
        {"offset", offset}, {"length", length},
        {"runs", runs},     {"run_pitch", run_pitch},
        {"source", 1},      {"clusters", 1},
        {"planes", planes}, {"plane_pitch", plane_pitch},
    };
    struct setting given[12];
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *name = settings[i].field;
        if ((kind != 2 && !strcmp(name, "source")) || (kind != 1 && !strcmp(name, "clusters")) ||
            (kind == 2 && (!strncmp(name, "plane", 5) || !strcmp(name, "rows"))))
            continue;
        given[count++] = settings[i];
    }
    given[count] = (struct setting){NULL, 0};
    struct writer w;
    writer_begin(&w, &variant);
    writer_op(&w, names[kind], given);
    struct play p = finish_special(&w, like);
    p.size[slot] = (uint64_t)(end - (int64_t)below(2));
    add_case(&p);
    play_free(&p);
}

/* One operation with one field as given: what the variant does not have, what is not written to. */
static void one_field(const struct play *like, const char *name, const char *field, int64_t value)
{
    struct setting settings[8] = {{"length", 64}, {field, value}};
    unsigned count = 2;
    if (strcmp(name, "accumulate") && strcmp(field, "rows"))
        settings[count++] = (struct setting){"rows", 1};
    if (strcmp(name, "accumulate") && strcmp(name, "load") && strcmp(field, "clusters"))
        settings[count++] = (struct setting){"clusters", 1};
    if (!strcmp(name, "distribute") && strcmp(field, "count"))
        settings[count++] = (struct setting){"count", 1};
    if (!strcmp(name, "store") && strcmp(field, "slot"))
        settings[count++] = (struct setting){"slot", SLOT_OUTPUT};
    if (!strcmp(name, "accumulate"))
        settings[count++] = (struct setting){"final", 1};
    struct writer w;
    writer_begin(&w, &variant);
    writer_op(&w, name, settings);
    struct play p = finish_special(&w, like);
    add_case(&p);
    play_free(&p);
}

static void plain_packet(const struct play *like, bool bitmap, int64_t segment, int64_t segments)
{
    struct writer w;
    writer_begin(&w, &variant);
    writer_op(&w, "distribute",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"count", 1},
                       {"length", 64},
                       {"plain", 1},
                       {"bitmap", bitmap},
                       {"segment", segment},
                       {"segments", segments},
                       {NULL, 0}});
    struct play p = finish_special(&w, like);
    add_case(&p);
    play_free(&p);
}

static void plain_packets(const struct play *like)
{
    const unsigned least = variant_entries_per_beat(&variant);
    const unsigned most = variant.input_buffer_depth / VARIANT_BITMAP_PLACES;
    plain_packet(like, false, least, 1);
    plain_packet(like, false, least - 1, 1);
    plain_packet(like, false, least, 0);
    plain_packet(like, true, least, 0);
    plain_packet(like, true, least - 1, 0);
    plain_packet(like, true, least, 1);
    plain_packet(like, true, most, 0);
    plain_packet(like, true, most + 1, 0);
    one_field(like, "distribute", "bitmap", 1);
    one_field(like, "distribute", "segment", least);
    one_field(like, "distribute", "segments", 1);
}

static void single_fields(const struct play *like)
{
    static const char *const names[] = {"load", "distribute", "store", "accumulate"};
    for (int64_t slot = 0; slot < 8; slot++)
        one_field(like, "store", "slot", slot);
    for (int64_t function = 0; function < 10; function++)
        one_field(like, "accumulate", "function", function);
    for (int64_t rounding = 0; rounding < NUM_ROUNDINGS; rounding++)
        one_field(like, "accumulate", "rounding", rounding);
    one_field(like, "accumulate", "operand", OPERAND_FIRST);
    one_field(like, "accumulate", "join", JOIN_ADD);
    one_field(like, "accumulate", "alone", 1);
    one_field(like, "accumulate", "scale_first", 1);
    one_field(like, "accumulate", "fraction_15", 1);
    one_field(like, "accumulate", "softmax", 21);
    one_field(like, "accumulate", "unsigned", 1);
    for (unsigned q = 0; q < QUEUES; q++) {
        one_field(like, names[q], "length", q == Q_DISTRIBUTE ? variant.row_bus_width / 16 : 0);
        if (q == Q_ACCUMULATE)
            continue;
        one_field(like, names[q], "rows", 0);
        one_field(like, names[q], "rows", (INT64_C(1) << variant.n) & 65535);
        if (q == Q_LOAD)
            continue;
        one_field(like, names[q], "clusters", 0);
        one_field(like, names[q], "clusters", (INT64_C(1) << variant.m) & 65535);
    }
    one_field(like, "distribute", "count", 0);
    plain_packets(like);
    one_field(like, "load", "length", 12);
    one_field(like, "load", "length", variant.unit_bytes);
    one_field(like, "load", "length", variant.unit_bytes + 8);
}

/* A store waits for results, and one that is before it in the loop waits for a token behind it in the queue.
 */
static void held_in_a_loop(const struct play *like)
{
    struct writer w;
    writer_begin(&w, &variant);
    w.tokens[2] = 1;
    writer_op(&w, "loop", SETTINGS{{"level", 0}, {"iterations", 3}, {NULL, 0}});
    for (unsigned i = 0; i < 2; i++)
        writer_op(&w, "store",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"slot", SLOT_OUTPUT},
                           {"length", 8},
                           {"wait_a", !i},
                           {"wait_a_token", i ? 0 : 2},
                           {NULL, 0}});
    writer_op(&w, "endloop", SETTINGS{{"level", 0}, {"body", 3}, {NULL, 0}});
    struct play p = finish_special(&w, like);
    p.held_store = 1;
    add_case(&p);
    play_free(&p);
}

/* A record that is wrong behind one that finds no room: nobody looks at it. */
static void wrong_behind_full(const struct play *like)
{
    struct writer w;
    writer_begin(&w, &variant);
    for (unsigned i = 0; i <= variant.command_queue_depth; i++)
        writer_op(
            &w, "load",
            SETTINGS{{"rows", 1}, {"zero", 1}, {"length", 8}, {"wait_a", 1}, {"wait_a_token", 1}, {NULL, 0}});
    writer_op(&w, "fence", NULL);
    struct play p = finish_special(&w, like);
    p.image[64 * (variant.command_queue_depth + 2)] ^= 1;
    add_case(&p);
    play_free(&p);
}

/* ---- suites ---------------------------------------------------------------------------------- */

static void suite_valid(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct play p = make_program(1 + (unsigned)below(i % 4 ? 20 : 120));
        add_case(&p);
        play_free(&p);
    }
}

static void suite_special(void)
{
    struct play p = make_program(3);
    three_deep(&p);
    long_loops(&p);
    overflow(&p, false);
    overflow(&p, true);
    bad_loops(&p);
    single_fields(&p);
    held_in_a_loop(&p);
    wrong_behind_full(&p);
    for (unsigned i = 0; i < 40; i++)
        edge(&p);
    truncate_it(&p);
    swap_records(&p);
    play_free(&p);
}

static void suite_broken(unsigned count, void (*change)(struct play *))
{
    for (unsigned i = 0; i < count; i++) {
        struct play p = make_program(1 + (unsigned)below(20));
        change(&p);
        add_case(&p);
        play_free(&p);
    }
}

static bool pack_it(struct play *p)
{
    struct strbuf packed = {0};
    const size_t room = (size_t)(p->size[0] + 63) / 64 * 64;
    if (is_packed(p))
        return true;
    const bool ok = isa_program_pack(p->image, (size_t)p->size[0], &packed);
    if (ok) {
        memset(p->image, 0, room);
        memcpy(p->image, packed.text, packed.len);
        p->size[0] = packed.len;
    }
    sb_free(&packed);
    return ok;
}

/* Operations that differ in little, so that many of them come from a line. */
static struct play make_alike(const struct play *like, unsigned operations)
{
    struct writer w;
    writer_begin(&w, &variant);
    w.minor = ISA_MINOR;
    while (w.count < operations)
        if (chance(80) || w.count + 4 > operations)
            writer_op(&w, "load",
                      SETTINGS{{"rows", mask(variant.n)},
                               {"zero", 1},
                               {"length", 8 * (1 + (int64_t)below(4))},
                               {"offset", multiple(1 << 20, 8)},
                               {NULL, 0}});
        else {
            writer_op(&w, "loop", SETTINGS{{"level", 0}, {"iterations", 1 + (int64_t)below(5)}, {NULL, 0}});
            zero_load(&w, NO_TOKEN);
            zero_load(&w, NO_TOKEN);
            writer_op(&w, "endloop", SETTINGS{{"level", 0}, {"body", 3}, {NULL, 0}});
        }
    return finish_special(&w, like);
}

static void add_header(const struct play *p, unsigned at, uint32_t value)
{
    struct play copy = play_copy(p);
    isa_put_bits(copy.image + at, 0, 32, value);
    seal(copy.image, 0);
    add_case(&copy);
    play_free(&copy);
}

static void disturb_packed(const struct play *p)
{
    struct play copy = play_copy(p);
    copy.failing = (uint32_t)below(header_lines(p));
    copy.response = 2 + (uint32_t)below(2);
    add_case(&copy);
    play_free(&copy);
}

/* The heads of packed operations, which have some of their words in common with others, flip bit by bit. */
static void flip_packed(const struct play *p)
{
    const size_t lines = header_lines(p);
    for (size_t bit = 0; bit < (lines - ISA_PACKED_FIRST) * 512; bit += 1 + below(60)) {
        struct play copy = play_copy(p);
        copy.image[64 * ISA_PACKED_FIRST + bit / 8] ^= (uint8_t)(1 << bit % 8);
        add_case(&copy);
        play_free(&copy);
    }
}

static void suite_packed(unsigned factor)
{
    struct play like = make_program(3);
    add_case(&like);
    add_header(&like, 40, ISA_PACKED_FIRST + 1); /* no_feature, or too few operations */
    for (unsigned i = 0; variant.packed_programs && i < 10 * factor; i++) {
        struct play p = i % 2 ? make_alike(&like, 16 + (unsigned)below(i % 4 == 1 ? 400 : 40))
                              : make_program(16 + (unsigned)below(i % 4 ? 20 : 120));
        if (i % 5 == 4 && !is_packed(&p))
            change_field(&p);
        if (pack_it(&p)) {
            add_case(&p);
            if (i % 5 != 4)
                disturb_packed(&p);
        }
        play_free(&p);
    }
    struct play p = make_alike(&like, 40);
    if (variant.packed_programs && pack_it(&p)) {
        const uint32_t lines = header_lines(&p);
        flip_packed(&p);
        for (uint32_t value = 0; value <= lines + 2; value++)
            add_header(&p, 40, value);
        add_header(&p, 40, UINT32_MAX);
        add_header(&p, 16, 15);
        add_header(&p, 16, operations_of(&p) - 1);
        add_header(&p, 16, operations_of(&p) + 1);
        add_header(&p, 16, ISA_PACKED_MOST + 1);
        p.size[0] += 64; /* a line behind it */
        add_header(&p, 40, lines + 1);
        p.size[0] -= 64;
        truncate_it(&p);
    }
    play_free(&p);
    play_free(&like);
}

/* Numbers of what the storage units hold: those of the device, of the program's expectation, and that it
 * leaves. */
static void suite_kept(unsigned factor)
{
    static const uint32_t numbers[] = {0, 1, 0x80000000, 0x12345678, UINT32_MAX};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    struct play p = make_program(3);
    add_case(&p);
    for (unsigned i = 0; i < 40 * factor; i++) {
        const uint32_t expects = numbers[below(NUMBERS)], one_off = UINT32_C(1) << below(32);
        p.held = chance(50) ? expects : chance(50) ? expects ^ one_off : numbers[below(NUMBERS)];
        isa_put_bits(p.image + 44, 0, 32, expects);
        add_header(&p, 48, chance(50) ? numbers[below(NUMBERS)] : (uint32_t)below(UINT32_MAX));
    }
    isa_put_bits(p.image + 44, 0, 32, 5);
    add_header(&p, 16, operations_of(&p) + 1000); /* its length is looked at first */
    add_header(&p, 56, 1);
    play_free(&p);
}

static void play_suite(const char *name, unsigned factor)
{
    if (!strcmp(name, "valid"))
        suite_valid(10 * factor);
    else if (!strcmp(name, "special"))
        suite_special();
    else if (!strcmp(name, "flipped")) {
        struct play p = make_program(4);
        flip_words(&p);
        play_free(&p);
    } else if (!strcmp(name, "changed"))
        suite_broken(60 * factor, change_field);
    else if (!strcmp(name, "disturbed"))
        suite_broken(30 * factor, disturb);
    else if (!strcmp(name, "packed"))
        suite_packed(factor);
    else if (!strcmp(name, "kept"))
        suite_kept(factor);
    else if (!strcmp(name, "deadlock"))
        suite_broken(10 * factor, forget_signal);
    else {
        fprintf(stderr, "programs: no suite %s\n", name);
        exit(2);
    }
}

static void print_parameters(void)
{
    unsigned functions = 1;
    for (unsigned f = 0; f < VARIANT_FUNCTIONS; f++)
        functions |= (variant.functions >> f & 1) << (f + 1);
    printf("MEM=%u BUS=%u ROWS=%u CLUSTERS=%u UNIT_BYTES=%u BUFFER=%u DEPTH=%u TOKENS=%u FUNCTIONS=%u "
           "ZERO_POINTS=%u CHANNELS=%u ROUNDINGS=%u JOINS=%u SOFTMAX=%u PES=%u PLAIN=%u BITMAP=%u PACKED=%u "
           "KEPT=%u "
           "VARIANT=64'h%" PRIx64 "\n",
           variant.memory_width, variant.row_bus_width, variant.n, variant.m, variant.unit_bytes,
           variant.program_buffer, variant.command_queue_depth, variant.tokens, functions,
           variant.zero_points, variant.channel_groups, variant.roundings, variant.joins, variant.softmax,
           variant.k, variant.plain_weights ? variant_entries_per_beat(&variant) : 0,
           variant_bitmap_masks(&variant), variant.packed_programs, variant.kept_weights, hash);
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    bool parameters = argc > 2 && !strcmp(argv[2], "parameters");
    int sets = parameters ? 3 : 5;
    if (argc < sets) {
        fputs(
            "usage: programs VARIANT SEED SUITE FACTOR [KEY=VALUE...] | VARIANT parameters [KEY=VALUE...]\n",
            stderr);
        return 2;
    }
    if (!variant_load(argv[1], (const char *const *)argv + sets, (size_t)(argc - sets), &variant, &diag)) {
        fputs("programs: not a legal variant\n", stderr);
        return 2;
    }
    hash = model_variant_hash(&variant);
    if (parameters) {
        print_parameters();
        return 0;
    }
    random_state.state = strtoull(argv[2], NULL, 0);
    play_suite(argv[3], (unsigned)strtoul(argv[4], NULL, 10));
    puts("0");
    fprintf(stderr, "%u cases", cases);
    for (unsigned c = 0; c < 64; c++)
        if (codes[c])
            fprintf(stderr, ", %u %s", codes[c], job_code_name((enum job_code)c));
    fprintf(stderr, "; %u left out\n", left_out);
    return 0;
}
