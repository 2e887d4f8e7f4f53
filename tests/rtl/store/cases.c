/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what the bench of tulle_store and tulle_collector plays: programs of accumulates and stores, the
 * results that clusters give, and the memory that must come of it, computed one element after another as
 * array_store does in sim/model/array.c. A line is a kind (of enum line, in decimal) and twelve hexadecimal
 * numbers; see the functions put_*.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "sim/model/channels.h"
#include "sim/model/joins.h"
#include "sim/model/shares.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define REGION 65536u /* bytes of memory that stores may reach */
#define OPERATIONS 64 /* of a program */
#define ROWS_MAX 16
#define CLUSTERS_MAX 16

enum line {
    LINE_END,
    LINE_BEGIN,
    LINE_RESULT,
    LINE_STORE,
    LINE_ACCUMULATE,
    LINE_PARTIAL,
    LINE_BYTE,
    LINE_RUN
};

enum expected {
    EXPECT_OK,
    EXPECT_BAD_FIELD = 8,
    EXPECT_BAD_LENGTH = 10,
    EXPECT_DEADLOCK = 11,
    EXPECT_WRITE = 20
};
enum queue { QUEUE_NONE, QUEUE_STORE = 4, QUEUE_ACCUMULATE };

static struct {
    unsigned mem, acc, pes, clusters, rows, functions, roundings, lookup, joins, lanes, softmax, lines;
    struct variant variant; /* of the table of channels */
} hw;
#define CHANNELS_MAX 2048
static struct channel channels[CHANNELS_MAX]; /* also from program to program */
static int8_t lookup[256];                    /* likewise */
static struct shares shares;                  /* its table likewise */
static struct random random_state;

static unsigned below(unsigned limit)
{
    return (unsigned)random_below(&random_state, limit);
}

/* Of every magnitude equally often. */
static int64_t random_number(unsigned width)
{
    return num_wrap((int64_t)random_next(&random_state), 1 + below(width));
}

static void put(enum line kind, const uint64_t f[12])
{
    printf("%d", (int)kind);
    for (unsigned i = 0; i < 12; i++)
        printf(" %" PRIx64, f[i]);
    putchar('\n');
}

#define PUT(kind, ...) put((kind), (const uint64_t[12]){__VA_ARGS__})

/* ---- what the device has ----------------------------------------------------------------------- */

struct setting {
    bool source, sum_clusters, sum_rows, final;
    struct num_step step;
    struct channel_use by_channel;
    struct joining joining;
    bool softmax;
    enum num_element element;
    uint64_t partial_groups; /* left */
};

/* An operand of joins: those of its groups that are left. */
#define OPERAND_GROUPS 512
struct operand {
    unsigned next, groups;
    int16_t values[OPERAND_GROUPS][16];
};

struct store {
    unsigned rows, clusters;
    enum num_element element;
    bool interleave, no_sign;
    struct channel_walk walk;
    uint64_t offset, elements;
    uint32_t length;
    unsigned runs, planes;
    int32_t run_pitch, plane_pitch;
};

static struct {
    uint64_t base;
    uint8_t memory[REGION];
    bool written[REGION];
    struct setting setting;
    struct operand operand[2];
    struct operand_scale scale;
    enum { ANY, NO_JOIN, JOINED, ALONE, SHARES } wanted; /* of accumulates */
    uint64_t bytes, partial_bytes;
    uint64_t tag;
    unsigned bursts, bursts_before; /* of all stores, of all but the last */
} now;

static unsigned population(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static unsigned stream_count(const struct store *s)
{
    if (now.setting.joining.alone)
        return 1;
    return (now.setting.sum_clusters ? 1 : population(s->clusters)) *
           (now.setting.sum_rows ? 1 : population(s->rows));
}

static int64_t result(unsigned row, unsigned cluster, unsigned pe)
{
    int64_t value = below(6) ? random_number(hw.acc) : random_number(10);
    PUT(LINE_RESULT, row, cluster, pe, (uint64_t)value);
    return value;
}

/* A group of each cluster of a stream, added. */
static void take_stream(unsigned rows, unsigned clusters, int64_t *values)
{
    memset(values, 0, hw.pes * sizeof *values);
    for (unsigned r = 0; r < hw.rows; r++)
        for (unsigned c = 0; c < hw.clusters; c++)
            for (unsigned p = 0; (rows >> r & 1) && (clusters >> c & 1) && p < hw.pes; p++)
                values[p] = num_wrap((int64_t)((uint64_t)values[p] + (uint64_t)result(r, c, p)), hw.acc);
}

/* Of the store's element of that number, which PE `p` has. */
static int64_t finish(const struct store *s, uint64_t index, unsigned p, int64_t value)
{
    const struct channel_use *use = &now.setting.by_channel;
    const struct joining *joining = &now.setting.joining;
    struct num_step step = now.setting.step;
    if (!now.setting.final)
        return value;
    if (now.setting.softmax)
        return num_wrap(shares_next(&shares), hw.acc);
    step.zero = joining->join ? 0 : step.zero;
    if (channel_used(use))
        value = channel_apply(channel_of(channels, &hw.variant, &s->walk, index), use, &step, value, hw.acc);
    if (channel_used(use) && !joining->join)
        return value;
    if (joining->join) {
        const struct operand *first = &now.operand[0], *second = &now.operand[1];
        value = joins_pair(&now.scale, joining, &now.setting.step,
                           joining->alone ? first->values[first->next][p] : value,
                           second->values[second->next][p]);
    }
    return num_wrap(num_apply(&now.setting.step, num_wrap(value, hw.acc)), hw.acc);
}

/* The next group of a store is a row's next; false: there is no row. */
static bool look_at_row(void)
{
    struct operand *o = &now.operand[0];
    if (shares.at != shares.places)
        return true;
    if ((o->groups - o->next) * hw.pes < shares.places)
        return false;
    for (unsigned i = 0; i < shares.places; i++)
        shares.row[i] = (int8_t)num_wrap(o->values[o->next + i / hw.pes][i % hw.pes], 8);
    o->next += shares.places / hw.pes;
    shares_look(&shares);
    return true;
}

/* Groups of operands that the setting's stores may still take. */
static unsigned operand_groups(void)
{
    const unsigned first = now.operand[0].groups - now.operand[0].next,
                   second = now.operand[1].groups - now.operand[1].next;
    return now.setting.joining.alone && first < second ? first : second;
}

/* Where element `index` of a store goes. */
static uint64_t place_of(const struct store *s, uint64_t index)
{
    uint64_t byte = index * num_element_bytes(s->element), run = byte / s->length;
    return s->offset + byte % s->length + (uint64_t)((int64_t)(run % s->runs) * s->run_pitch) +
           (uint64_t)((int64_t)(run / s->runs) * s->plane_pitch);
}

static void write_element(const struct store *s, uint64_t index, int64_t value)
{
    uint64_t at = place_of(s, index);
    num_put_elements(now.memory + at, s->element, s->no_sign, &value, 1);
    memset(now.written + at, true, num_element_bytes(s->element));
}

static unsigned nth_bit(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctz(mask);
}

/* The next group of a stream to memory; false: there are no partial sums left. */
static bool store_group(const struct store *s, unsigned stream, uint64_t *index, const int64_t *partial)
{
    unsigned per_row = now.setting.sum_clusters ? 1 : population(s->clusters);
    unsigned rows = now.setting.sum_rows ? s->rows : 1u << nth_bit(s->rows, stream / per_row);
    unsigned clusters = now.setting.sum_clusters ? s->clusters : 1u << nth_bit(s->clusters, stream % per_row);
    int64_t values[16];
    if (!now.setting.joining.alone)
        take_stream(rows, clusters, values);
    if ((now.setting.softmax && !look_at_row()) || (now.setting.source && !now.setting.partial_groups) ||
        (now.setting.joining.join && !operand_groups()))
        return false;
    for (unsigned p = 0; p < hw.pes; p++) {
        if (now.setting.source)
            values[p] = num_wrap((int64_t)((uint64_t)values[p] + (uint64_t)partial[p]), hw.acc);
        write_element(s, *index, finish(s, *index, p, values[p]));
        ++*index;
    }
    now.operand[0].next += now.setting.joining.alone && !now.setting.softmax;
    now.operand[1].next += now.setting.joining.join != JOIN_NONE;
    if (now.setting.source) {
        now.setting.partial_groups--;
        now.partial_bytes += hw.pes * num_element_bytes(now.setting.element);
    }
    return true;
}

/* Partial sums are made when the accumulate is: here they are only looked up. */
static int64_t partials[OPERATIONS * 1024][16];
static uint64_t partial_next;

static bool carry_out(const struct store *s)
{
    unsigned streams = stream_count(s);
    uint64_t groups = s->elements / hw.pes, piece = s->interleave ? 1 : groups / streams, index = 0;
    for (uint64_t done = 0; done < groups;)
        for (unsigned stream = 0; stream < streams; stream++)
            for (uint64_t g = 0; g < piece; g++, done++) {
                if (!store_group(s, stream, &index, partials[partial_next]))
                    return false;
                partial_next += now.setting.source;
            }
    now.bytes += s->elements * num_element_bytes(s->element);
    return true;
}

/* ---- random operations ------------------------------------------------------------------------- */

static uint64_t divisor_of(uint64_t number, unsigned limit)
{
    uint64_t divisor = 1 + below(limit);
    while (number % divisor)
        divisor--;
    return divisor;
}

static int32_t random_pitch(uint32_t length, unsigned bytes)
{
    switch (below(5)) {
    case 0:
        return (int32_t)length;
    case 1:
        return -(int32_t)(length + below(40) * bytes);
    case 2:
        return (int32_t)(below(2 * length / bytes + 1) * bytes); /* runs may overlap */
    default:
        return (int32_t)(length + below(80) * bytes);
    }
}

/* Moves the pattern into the region; false: it is too large. */
static bool fit(struct store *s, unsigned bytes)
{
    int64_t runs = (int64_t)(s->runs - 1) * s->run_pitch, planes = (int64_t)(s->planes - 1) * s->plane_pitch;
    int64_t low = (runs < 0 ? runs : 0) + (planes < 0 ? planes : 0);
    int64_t high = (runs > 0 ? runs : 0) + (planes > 0 ? planes : 0) + s->length;
    if (high - low > (int64_t)REGION)
        return false;
    uint64_t room = (uint64_t)((int64_t)REGION - (high - low)) / bytes;
    uint64_t at =
        below(3) ? below((unsigned)room + 1) * bytes : below((unsigned)(room * bytes / 64) + 1) * 64;
    s->offset = (uint64_t)((int64_t)at - low);
    return true;
}

/* Runs of all planes side by side, in rows that may reach into each other. */
static void random_rows(struct store *s, unsigned bytes)
{
    const uint64_t results = s->elements / hw.pes;
    static const unsigned rows[] = {3, 20, 150};
    s->runs = (unsigned)divisor_of(results, rows[below(COUNT(rows))]);
    s->planes = (unsigned)(results / s->runs);
    s->length = hw.pes * bytes;
    for (unsigned i = 0; i < 2 && s->planes % 2 == 0 && below(2); i++) {
        s->planes /= 2;
        s->length *= 2;
    }
    s->plane_pitch = (int32_t)s->length;
    s->run_pitch = (int32_t)(s->planes * s->length + (below(3) ? below(10) * (below(2) ? 64 : bytes) : 0)) -
                   (int32_t)(below(6) ? 0 : bytes);
    if (below(8) == 0)
        s->run_pitch = -(int32_t)(below(2 * s->planes) * s->length + bytes);
}

static void random_pattern(struct store *s)
{
    unsigned bytes = num_element_bytes(s->element);
    do {
        s->planes = below(2) ? 1 : (unsigned)divisor_of(s->elements, 5);
        s->runs = below(3) ? (unsigned)divisor_of(s->elements / s->planes, below(2) ? 12 : 300) : 1;
        s->length = (uint32_t)(s->elements / s->planes / s->runs) * bytes;
        s->run_pitch = random_pitch(s->length, bytes);
        s->plane_pitch = random_pitch(s->length * s->runs, bytes);
        if (hw.lines && below(3))
            random_rows(s, bytes);
    } while (!fit(s, bytes));
}

static unsigned random_mask(unsigned bits)
{
    unsigned mask = below(1u << bits);
    return below(3) && mask ? mask : (1u << bits) - 1;
}

static struct store random_store(unsigned groups)
{
    struct store s = {.rows = random_mask(hw.rows),
                      .clusters = random_mask(hw.clusters),
                      .element = (enum num_element)below(4),
                      .interleave = below(2)};
    s.no_sign = s.element <= NUM_INT16 && below(2);
    s.elements = (uint64_t)stream_count(&s) * hw.pes * groups;
    random_pattern(&s);
    if (hw.variant.channel_groups)
        s.walk = (struct channel_walk){.first = (uint16_t)below(below(8) ? hw.variant.channel_groups : 65536),
                                       .run = (uint16_t)(below(4) ? below(5) : below(65536)),
                                       .repeats = (uint16_t)(below(4) ? below(5) : below(65536)),
                                       .holds = (uint16_t)below(below(3) ? 2 : 5)};
    return s;
}

/* Bytes of the windows in which a store is gathered (rtl/tulle_store_window.v); 0: it is not. */
static unsigned gathered(const struct store *s)
{
    const uint64_t row = (uint64_t)s->planes * s->length;
    unsigned beats = 8;
    while (beats && s->runs * beats * 4 > hw.lines)
        beats /= 2;
    const bool rows = s->planes > 1 && s->plane_pitch == (int32_t)s->length &&
                      (s->runs == 1 || (s->run_pitch > 0 && (uint64_t)s->run_pitch >= row));
    return rows && s->length < beats * hw.mem / 8 ? beats * hw.mem / 8 : 0;
}

/* At most 1024 bytes, all between two multiples of that; or windows of rows. */
static unsigned burst_count(const struct store *s)
{
    unsigned bursts = 0;
    const unsigned window = gathered(s);
    for (unsigned row = 0; window && row < s->runs; row++) {
        uint64_t first = now.base + place_of(s, (uint64_t)row * s->length / num_element_bytes(s->element));
        bursts += (unsigned)((first + (uint64_t)s->planes * s->length - 1) / window - first / window + 1);
    }
    if (window)
        return bursts;
    for (uint64_t run = 0; run < (uint64_t)s->runs * s->planes; run++) {
        uint64_t first = place_of(s, run * s->length / num_element_bytes(s->element));
        bursts += (unsigned)((first + s->length - 1) / 1024 - first / 1024 + 1);
    }
    return bursts;
}

static void put_store(const struct store *s)
{
    now.bursts_before = now.bursts;
    now.bursts += burst_count(s);
    PUT(LINE_STORE, s->rows, s->clusters,
        s->element | (unsigned)s->interleave << 2 | (unsigned)s->no_sign << 3, now.base + s->offset,
        s->length, s->runs, s->planes, (uint32_t)s->run_pitch, (uint32_t)s->plane_pitch, s->elements,
        ++now.tag,
        s->walk.first | (uint64_t)s->walk.run << 16 | (uint64_t)s->walk.repeats << 32 |
            (uint64_t)s->walk.holds << 48);
}

/* One of the functions that there are. */
static enum num_function random_function(void)
{
    unsigned f = below(NUM_FUNCTIONS);
    return hw.functions >> f & 1 ? (enum num_function)f : random_function();
}

/* What a function that is applied may have of its channels. */
static struct channel_use random_use(const struct setting *s)
{
    const enum num_function f = s->step.function;
    if (!hw.variant.channel_groups || !s->final)
        return (struct channel_use){0};
    return (struct channel_use){
        .bias = below(2), .scale = num_scales(f) && below(4), .limits = num_limits(f) && below(2)};
}

/* A join, and what it needs of the setting. */
static void random_join(struct setting *s, bool *source)
{
    const enum num_function f = s->step.function;
    if (!hw.joins || now.wanted == NO_JOIN || !s->final || !num_scales(f) || !num_limits(f))
        return;
    s->joining.join = (enum isa_join)(now.wanted ? 1 + below(JOIN_MULTIPLY) : below(JOIN_MULTIPLY + 1));
    s->joining.alone = s->joining.join && (now.wanted ? now.wanted == ALONE : below(2));
    if (s->joining.alone) {
        *source = s->source = false;
        s->by_channel = (struct channel_use){0};
    } else if (s->joining.join) {
        s->by_channel.scale = s->by_channel.limits = true;
    }
    /* Results that are often not at their limits. */
    s->step.multiplier = (int32_t)(1u << 30 | below(1u << 30));
    s->step.shift = s->joining.join == JOIN_MULTIPLY ? 20 + below(25) : 40 + below(20);
}

/* Softmax of rows, and what it needs of the setting. */
static void random_softmax(struct setting *s, bool *source)
{
    const enum num_function f = s->step.function;
    const unsigned most = hw.pes * (below(4) ? 4 : 64);
    if (!hw.softmax || !s->final || !num_scales(f) || !num_limits(f) || now.wanted == NO_JOIN ||
        (now.wanted == ANY && below(2)) || now.wanted == JOINED || now.wanted == ALONE)
        return;
    s->joining = (struct joining){.alone = true};
    s->softmax = true;
    *source = s->source = false;
    s->by_channel = (struct channel_use){0};
    s->step.shift = 36 + below(28);
    if (below(4)) { /* what networks have */
        s->step.element = NUM_INT16;
        s->step.shift = 46;
        s->step.low = s->step.zero = INT16_MIN;
        s->step.high = INT16_MAX;
    }
    shares_begin(&shares, 1 + below(most < hw.softmax ? most : hw.softmax), hw.pes, &s->step);
}

/* Of the first (0) or the second (1) operand. */
static void put_operand(unsigned which, unsigned groups)
{
    struct operand *o = &now.operand[which];
    const bool wide = below(2), fraction_15 = which && below(2);
    const unsigned zero_bits = wide ? 16 : 8;
    const int32_t zero = (int32_t)random_number(zero_bits);
    const struct num_operand scaled = {.multiplier = (int32_t)(1u << 30 | below(1u << 30)),
                                       .left = fraction_15 ? 15 : 20,
                                       .shift = 31 + below(fraction_15 ? 11 : 16)};
    const bool scale_first = which && below(2);
    const enum isa_operand name = which ? OPERAND_SECOND : OPERAND_FIRST;
    if (which) {
        now.scale.scaled = scaled;
        now.scale.scale_first = scale_first;
        now.scale.second_zero = zero;
    } else {
        now.scale.first_zero = zero;
    }
    PUT(LINE_ACCUMULATE,
        (uint64_t)wide | 1u << 2 | (uint64_t)name << 32 | (uint64_t)scale_first << 37 |
            (uint64_t)fraction_15 << 38,
        (uint64_t)(uint32_t)scaled.multiplier << 32 | 3u | scaled.shift << 8, (uint64_t)(uint16_t)zero << 32,
        groups, ++now.tag);
    if (!which)
        shares_restart(&shares);
    o->next = 0;
    o->groups = groups;
    for (unsigned g = 0; g < groups; g++)
        for (unsigned p = 0; p < hw.pes; p++) {
            o->values[g][p] = (int16_t)num_wrap((int64_t)random_next(&random_state), zero_bits);
            PUT(LINE_PARTIAL, (uint64_t)(int64_t)o->values[g][p]);
        }
}

/* A column: what is read goes to the table from group `first` on, not to results. */
/* Above 31 there is a difference between roundings, which is often to be seen. */
static unsigned random_shift(void)
{
    return hw.roundings && below(2) ? 31 + below(6) : below(64);
}

/* Exponentials that are some, or anything. */
static int64_t random_entry(const int32_t *table, unsigned place)
{
    return table[255] ? table[place % NUM_SOFTMAX_ENTRIES] : random_number(33);
}

static void random_table(int32_t *table)
{
    const struct num_softmax softmax = {
        .multiplier = (int32_t)(1u << 30 | below(1u << 30)), .shift = 7 + below(8), .least = -255};
    num_softmax_table(&softmax, table);
    table[255] = below(4) ? table[255] | 1 : 0;
}

static void put_accumulate(bool source, unsigned groups, enum isa_column column, unsigned first)
{
    struct setting *s = &now.setting;
    int32_t table[NUM_SOFTMAX_ENTRIES] = {0};
    if (column == COLUMN_EXPONENTIAL)
        random_table(table);
    const bool rows = hw.softmax && !column && now.wanted == ANY && below(2);
    if (rows)
        now.wanted = SHARES;
    *s = (struct setting){
        .source = source && !column,
        .sum_clusters = below(2),
        .sum_rows = below(2),
        .final = now.wanted >= JOINED || below(2),
        .element = (enum num_element)below(4),
        .partial_groups = groups,
        .step = {.function = now.wanted >= JOINED ? NUM_REQUANTISE : random_function(),
                 .element = (enum num_element)below(4),
                 .shift = random_shift(),
                 .multiplier = (int32_t)random_number(32),
                 .low = (int16_t)-random_number(15),
                 .high = (int16_t)random_number(16),
                 .zero = (int16_t)random_number(12),
                 .slope = (int16_t)random_number(16),
                 .lookup = lookup,
                 .rounding = hw.roundings ? (enum num_rounding)below(NUM_ROUNDINGS) : NUM_HALVES_UP}};
    s->by_channel = random_use(s);
    if (column == COLUMN_EXPONENTIAL && below(4))
        s->element = NUM_INT32;
    if (!column)
        random_join(s, &source);
    if (!column)
        random_softmax(s, &source);
    if (rows)
        now.wanted = ANY;
    const struct channel_use use = s->by_channel;
    uint64_t flags = s->element | (unsigned)source << 2 | (unsigned)s->sum_clusters << 3 |
                     (unsigned)s->sum_rows << 4 | (unsigned)s->final << 5 | (unsigned)column << 6 |
                     (unsigned)use.bias << 9 | (unsigned)use.scale << 10 | (unsigned)use.limits << 11 |
                     (uint64_t)first << 16 | (uint64_t)s->joining.join << 34 |
                     (uint64_t)s->joining.alone << 36 | (uint64_t)(s->softmax ? shares.elements : 0) << 40;
    uint64_t low = (uint64_t)(uint32_t)s->step.multiplier << 32 |
                   (3u | s->step.function << 2 | s->step.shift << 8 | (unsigned)s->step.element << 14 |
                    (unsigned)s->step.rounding << 16);
    uint64_t high = (uint64_t)(uint16_t)s->step.low | (uint64_t)(uint16_t)s->step.high << 16 |
                    (uint64_t)(uint16_t)s->step.zero << 32 | (uint64_t)(uint16_t)s->step.slope << 48;
    PUT(LINE_ACCUMULATE, flags, low, high, source ? groups : 0, ++now.tag);
    partial_next = 0;
    for (unsigned g = 0; source && g < groups; g++)
        for (unsigned p = 0; p < hw.pes; p++) {
            unsigned width = 8 * num_element_bytes(s->element);
            const int64_t number = column == COLUMN_SHIFT         ? random_shift()
                                   : column == COLUMN_EXPONENTIAL ? random_entry(table, g * hw.pes + p)
                                                                  : random_number(width);
            partials[g][p] = num_wrap(number, width < hw.acc ? width : hw.acc);
            PUT(LINE_PARTIAL, (uint64_t)partials[g][p]);
            if (column == COLUMN_LOOKUP)
                lookup[(g * hw.pes + p) % sizeof lookup] = (int8_t)partials[g][p];
            else if (column == COLUMN_EXPONENTIAL)
                shares_set(&shares, g * hw.pes + p, partials[g][p]);
            else if (column)
                channel_set(channels, &hw.variant, column, ((uint64_t)first + g) * hw.pes + p,
                            partials[g][p]);
        }
    if (column)
        now.partial_bytes += (uint64_t)groups * hw.pes * num_element_bytes(s->element);
}

/* ---- programs ---------------------------------------------------------------------------------- */

static void begin(unsigned pace)
{
    static const uint64_t bases[] = {0, 0xFFFF8000, 0x123FFFF8000, 0xFFFFFFF8000, 0x7FFFFFFFFFFF8000};
    memset(&now, 0, sizeof now);
    now.base = bases[below(COUNT(bases))];
    for (unsigned i = 0; i < REGION; i++)
        now.memory[i] = (uint8_t)(i * 7 + (i >> 8));
    PUT(LINE_BEGIN, pace, now.base);
}

/* The program is complete: what must be written, how it ends, the burst that memory refuses (or none).
 * `cycles` 0: as many as it takes. */
static void run(enum expected code, enum queue queue, uint64_t tag, uint64_t burst, unsigned cycles)
{
    for (unsigned i = 0; code == EXPECT_OK && i < REGION; i++)
        if (now.written[i])
            PUT(LINE_BYTE, i, now.memory[i]);
    PUT(LINE_RUN, code, queue, tag, now.bytes, now.partial_bytes, burst & 0xFFFFFFFF, cycles, now.bursts);
}

static void random_accumulate(void)
{
    const unsigned groups = hw.variant.channel_groups;
    if (hw.lookup && !below(6))
        put_accumulate(true, 1 + below(2 * 256 / hw.pes), COLUMN_LOOKUP, 0);
    else if (hw.softmax && !below(6))
        put_accumulate(true, 1 + below(hw.pes < 4 ? 64 : 2 * 256 / hw.pes), COLUMN_EXPONENTIAL, 0);
    else if (groups && below(2))
        put_accumulate(true, 1 + below(2 * groups), (enum isa_column)(1 + below(COLUMN_HIGH)),
                       below(8) ? below(groups) : below(65536));
    else
        put_accumulate(below(2), 2000 / hw.pes, COLUMN_NONE, 0);
}

/* The whole table: what a device holds at first is not known. */
static void program_columns(void)
{
    begin(0);
    for (unsigned column = COLUMN_BIAS; column <= COLUMN_HIGH; column++)
        put_accumulate(true, hw.variant.channel_groups, (enum isa_column)column, 0);
    if (hw.lookup)
        put_accumulate(true, 256 / hw.pes + 1, COLUMN_LOOKUP, 0);
    if (hw.softmax)
        put_accumulate(true, 256 / hw.pes + 1, COLUMN_EXPONENTIAL, 0);
    run(EXPECT_OK, QUEUE_NONE, 0, UINT64_MAX, 0);
}

/* For so many groups of a store at least. */
static void put_operands(unsigned groups)
{
    for (unsigned which = 0; which < 2; which++)
        if (now.operand[which].groups - now.operand[which].next < groups)
            put_operand(which, groups + below(20));
}

/* As many as a store of so many groups reads at most. */
static void put_rows(unsigned groups)
{
    const unsigned row = shares.places / hw.pes, left = (shares.places - shares.at) / hw.pes,
                   there = left + now.operand[0].groups - now.operand[0].next;
    if (there < groups + row)
        put_operand(0, groups + row + below(row));
}

static void random_operations(unsigned operations, unsigned groups)
{
    for (unsigned n = 0; n < operations; n++) {
        if (!below(3)) {
            random_accumulate();
            continue;
        }
        struct store s = random_store(1 + below(groups));
        if (now.setting.source && now.setting.partial_groups < s.elements / hw.pes)
            continue;
        if (now.setting.softmax)
            put_rows((unsigned)(s.elements / hw.pes));
        if (now.setting.joining.join && operand_groups() < s.elements / hw.pes)
            put_operands((unsigned)(s.elements / hw.pes));
        put_store(&s);
        carry_out(&s);
    }
}

/* A store whose elements do not divide; false: all do here. */
static bool uneven_store(struct store *s)
{
    for (unsigned n = 0; n < 100; n++) {
        *s = random_store(1 + below(4));
        s->elements += below(2) ? hw.pes * (1 + below(stream_count(s))) : 1 + below(hw.pes);
        if (s->elements % (hw.pes * stream_count(s))) {
            random_pattern(s);
            return true;
        }
    }
    return false;
}

static void program_fails(unsigned kind, bool decode)
{
    begin(below(2) ? 3 : below(4));
    random_operations(below(5), 4);
    struct store s;
    uint64_t burst = UINT64_MAX;
    now.wanted = NO_JOIN;
    if (kind == 0 && !uneven_store(&s))
        kind = 2;
    switch (kind) {
    case 0: /* elements that do not divide */
        put_store(&s);
        run(EXPECT_BAD_FIELD, QUEUE_STORE, now.tag, burst, 0);
        break;
    case 1: /* too few partial sums, or operands */
        now.wanted = hw.joins && below(2) ? ANY : NO_JOIN;
        put_accumulate(true, below(4), COLUMN_NONE, 0);
        for (unsigned which = 0; which < 2 && now.setting.joining.join; which++)
            put_operand(which, 1 + below(4));
        if (now.setting.softmax)
            put_operand(0, 1 + below(4));
        s = random_store(5);
        put_store(&s);
        carry_out(&s);
        run(EXPECT_BAD_LENGTH, QUEUE_ACCUMULATE, now.tag, burst, 0);
        break;
    case 2: /* results that nobody makes: those of a store fewer */
        put_accumulate(false, 0, COLUMN_NONE, 0);
        s = random_store(5);
        put_store(&s);
        run(EXPECT_DEADLOCK, QUEUE_STORE, now.tag, burst, 0);
        break;
    default: /* memory refuses a burst of the last store, with a slave or a decode error */
        put_accumulate(false, 0, COLUMN_NONE, 0);
        for (unsigned n = 0; n < 2; n++) {
            s = random_store(1 + below(2));
            put_store(&s);
            carry_out(&s);
        }
        burst = now.bursts_before + (below(2) ? 0 : below(now.bursts - now.bursts_before));
        run((enum expected)(EXPECT_WRITE + decode), QUEUE_STORE, now.tag, burst, 0);
    }
}

/* One store of many aligned groups, nobody waits: `slowest` cycles a group, and what the way through takes.
 */
static void program_fast(unsigned slowest)
{
    begin(0);
    struct store s = {.rows = 1, .clusters = 1, .element = NUM_INT8, .planes = 1, .runs = 1};
    s.elements = 256 * hw.pes;
    s.length = (uint32_t)s.elements;
    put_store(&s);
    carry_out(&s);
    run(EXPECT_OK, QUEUE_NONE, 0, UINT64_MAX, 256 * slowest + 80);
}

/* The same with a join: two operands from memory take a cycle a chunk, results two. */
static void program_fast_join(bool alone, unsigned slowest)
{
    const unsigned chunks = (hw.pes + hw.lanes - 1) / hw.lanes, line = (hw.pes * 8 + hw.mem - 1) / hw.mem;
    const unsigned most = alone                  ? (chunks > line ? chunks : line)
                          : 2 * chunks > slowest ? 2 * chunks
                                                 : slowest;
    struct store s = {.rows = 1, .clusters = 1, .element = NUM_INT8, .planes = 1, .runs = 1};
    begin(0);
    now.wanted = alone ? ALONE : JOINED;
    put_accumulate(false, 0, COLUMN_NONE, 0);
    for (unsigned which = 0; which < 2; which++)
        put_operand(which, 256);
    s.elements = 256 * hw.pes;
    s.length = (uint32_t)s.elements;
    put_store(&s);
    carry_out(&s);
    run(EXPECT_OK, QUEUE_NONE, 0, UINT64_MAX, 256 * most + 140);
}

/* Rows that take three looks each. */
static void program_fast_softmax(void)
{
    const unsigned rows = 4;
    struct store s = {.rows = 1, .clusters = 1, .element = NUM_INT8, .planes = 1, .runs = 1};
    begin(0);
    now.wanted = SHARES;
    put_accumulate(false, 0, COLUMN_NONE, 0);
    put_operand(0, rows * shares.places / hw.pes);
    s.elements = (uint64_t)rows * shares.places;
    s.length = (uint32_t)s.elements;
    put_store(&s);
    carry_out(&s);
    run(EXPECT_OK, QUEUE_NONE, 0, UINT64_MAX, rows * (3 * shares.places / hw.lanes + hw.lanes + 70) + 140);
}

static unsigned number(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc != 17) {
        fputs("usage: cases MEM ACC PES CLUSTERS ROWS FUNCTIONS SLOWEST SEED PROGRAMS CHANNEL_GROUPS "
              "ROUNDINGS LOOKUP JOINS LANES SOFTMAX LINES\n",
              stderr);
        return 2;
    }
    hw.mem = number(argv[1]);
    hw.acc = number(argv[2]);
    hw.pes = number(argv[3]);
    hw.clusters = number(argv[4]);
    hw.rows = number(argv[5]);
    hw.lookup = number(argv[12]);
    hw.functions = number(argv[6]) | hw.lookup << NUM_LOOKUP;
    hw.roundings = number(argv[11]);
    hw.joins = number(argv[13]);
    hw.lanes = number(argv[14]);
    hw.softmax = number(argv[15]);
    hw.lines = number(argv[16]);
    random_state.state = strtoull(argv[8], NULL, 0);
    hw.variant = (struct variant){.k = hw.pes, .acc_width = hw.acc, .channel_groups = number(argv[10])};
    if (hw.variant.channel_groups * hw.pes > CHANNELS_MAX)
        return 2;
    program_fast(number(argv[7]));
    if (hw.variant.channel_groups)
        program_columns();
    for (unsigned alone = 0; alone < 2 && hw.joins; alone++)
        program_fast_join(alone, number(argv[7]));
    if (hw.softmax)
        program_fast_softmax();
    for (unsigned n = 0; n < number(argv[9]); n++) {
        begin(below(4));
        random_operations(12, below(4) ? 6 : 20);
        run(EXPECT_OK, QUEUE_NONE, 0, UINT64_MAX, 0);
        program_fails(0, false);
        program_fails(1 + n % 3, n % 2);
    }
    PUT(LINE_END, 0);
    return 0;
}
