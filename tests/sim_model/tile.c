/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/tile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim_numerics/reference.h"

/* A tile while it is made. */
struct making {
    struct tile *t;
    struct random *dice;
    struct builder b;
    const struct variant *v;
    unsigned in_buffer[32]; /* the configuration that each buffer holds, plus 1 */
    unsigned pages[32];     /* of the register file */
    unsigned buffers;       /* that are used: all, or so many that the longest sequences have registers */
    bool too_big;
};

#define IDLE_BUFFER 3 /* accumulation buffer of a MAC that does not keep its sum */

enum { LOAD_INPUT, LOAD_PARTIAL, LOAD_WEIGHTS, MULTIPLY, MULTIPLY_LAST, STORE_RESULTS, CONFIGURATIONS };

#define FAR 500 /* activations that long jumps are drawn among */

/* For what was added later: with the dice of the others every tile would become another one. */
static struct random own_dice(const struct random *dice, uint64_t purpose)
{
    return (struct random){dice->state ^ purpose};
}

static struct variant plain_variant(struct random *dice)
{
    static const char *const wide_index[] = {"index_width=12", "functions=relu,clamp,requantise,sigmoid",
                                             "accumulators=on", NULL};
    static const char *const int16[] = {"data_width=16", "acc_width=48", "index_width=11", NULL};
    static const char *const narrow[] = {"index_width=6", "acc_width=27", "segment_max=64", NULL};
    struct variant v;
    switch (random_below(dice, 9)) {
    case 0:
        return variant_of("base", NULL);
    case 1:
        return variant_of("odd", NULL);
    case 2:
        return variant_of("base", wide_index);
    case 3:
        return variant_of("odd", int16);
    case 4:
        return variant_of("base4", int16);
    case 5:
        return variant_of("tiny", narrow);
    case 6:
        return variant_of("tiny", NULL);
    default:
        variant_random(random_below(dice, 1000000), &v);
        return v;
    }
}

static bool has_function(const struct variant *v, unsigned function)
{
    return !function || (v->functions >> (function - 1) & 1);
}

struct variant tile_variant(struct random *dice)
{
    struct variant v = plain_variant(dice);
    struct random own = own_dice(dice, UINT64_C(0x5A45524F));
    v.zero_points = random_chance(&own, 35);
    if (has_function(&v, NUM_REQUANTISE) && random_chance(&own, 35))
        v.channel_groups = 16u << random_below(&own, 7);
    v.lookup = v.channel_groups && random_chance(&own, 50);
    v.plain_weights =
        v.data_width == 8 && v.index_width == 8 && v.row_bus_width >= 16 * v.k && random_chance(&own, 50);
    return v;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static unsigned random_mask(struct random *dice, unsigned count)
{
    unsigned all = (1u << count) - 1;
    unsigned mask = random_chance(dice, 60) ? all : (unsigned)random_next(dice) & all;
    return mask ? mask : 1;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static struct num_step random_step(struct random *dice, const struct variant *v)
{
    struct random from = {random_next(dice)};
    struct num_step step;
    do {
        step = operand_step(&from);
    } while (!has_function(v, step.function));
    step.rounding = v->roundings ? (enum num_rounding)random_below(&from, NUM_ROUNDINGS) : NUM_HALVES_UP;
    return step;
}

static unsigned entries_in(const struct variant *v, unsigned places)
{
    return least(places, v->output_queue_depth);
}

static void choose_operator(struct making *k, unsigned size)
{
    struct tile *t = k->t;
    const struct variant *v = k->v;
    unsigned line = v->load_width * 8 / v->data_width;
    t->rows = random_mask(k->dice, v->n);
    t->clusters = random_mask(k->dice, v->m);
    t->way = (enum weights_way)random_below(k->dice, 3);
    t->fused = random_chance(k->dice, 50);
    t->hold = random_chance(k->dice, 25);
    t->held = random_range(k->dice, 1, 4);
    unsigned wanted = (t->way == STREAMED) + (t->hold ? 1 : t->held) * (t->fused ? 2 : 1);
    if (wanted > v->instruction_depth) {
        t->fused = false;
        t->way = t->way == STREAMED ? RESIDENT : t->way;
    }
    /* Without STs in the sequence of the MACs, one sequence has an ST for each vector. */
    if (!t->hold || !t->fused)
        t->held = least(t->held, v->instruction_depth);
    unsigned lines = v->input_buffer_depth / line / t->held;
    cr_assert(lines, "the smallest input buffer has 16 lines");
    t->length = line * random_range(k->dice, 1, least(lines, 1 + size / line));
    struct random far = own_dice(k->dice, UINT64_C(0x4A554D50));
    if (v->long_jumps && random_chance(&far, 50))
        t->length = line * random_range(&far, 1, least(lines, 1 + FAR / line));
    t->held = entries_in(v, t->held);
    t->segments = random_range(k->dice, 1, least(1 + size / 8, v->output_queue_depth / t->held));
    t->blocks = random_range(k->dice, 1, 3);
    t->origin = line * (uint32_t)random_below(k->dice, v->input_buffer_depth / line);
    struct random own = own_dice(k->dice, UINT64_C(0x49444C45));
    t->idle = !t->hold && wanted < v->instruction_depth && random_chance(&own, 40) &&
              (!v->accumulators || t->held <= IDLE_BUFFER);
}

/* Some of the vectors, or all: with `hold` they have one MAC. */
static void choose_maxima(struct making *k)
{
    struct tile *t = k->t;
    if (!has_function(k->v, NUM_MAX) || random_chance(k->dice, 60))
        return;
    t->zeros = random_chance(k->dice, 50);
    t->maximum = t->hold ? (1u << t->held) - 1 : random_mask(k->dice, t->held);
}

static int32_t random_activation(const struct tile *t, struct random *dice, unsigned data_width)
{
    const int64_t value = random_signed(dice, data_width);
    return (int32_t)(t->has_no_sign ? value & ((1 << data_width) - 1) : value);
}

static void choose_zero_point(struct making *k)
{
    struct tile *t = k->t;
    struct random own = own_dice(k->dice, UINT64_C(0x504F494E));
    if (!k->v->zero_points)
        return;
    t->has_no_sign = random_chance(&own, 50);
    t->zero = random_chance(&own, 80) ? random_activation(t, &own, k->v->data_width) : 0;
    t->results_have_no_sign = t->element <= NUM_INT16 && random_chance(&own, 50);
}

static bool in(unsigned mask, unsigned bit)
{
    return mask >> bit & 1;
}

static void choose_way(struct making *k)
{
    struct tile *t = k->t;
    t->shared = random_chance(k->dice, 50);
    t->scatter = random_chance(k->dice, 25) && k->v->scatter;
    t->initial = random_chance(k->dice, 30);
    t->chained = random_step(k->dice, k->v);
    t->chain = random_chance(k->dice, 30);
    t->trigger = !t->fused && t->segments == 1 && k->buffers > STORE_RESULTS && random_chance(k->dice, 50);
    t->set_up = random_chance(k->dice, 80);
    t->interleave = random_chance(k->dice, 50);
    t->element = (enum num_element)random_below(k->dice, 4);
    t->slot = random_chance(k->dice, 80) ? SLOT_OUTPUT : SLOT_SCRATCH;
    if (!t->set_up)
        return;
    t->source = random_chance(k->dice, 50);
    t->sum_clusters = random_chance(k->dice, 30);
    t->sum_rows = random_chance(k->dice, 30);
    t->final = random_chance(k->dice, 50);
    t->step = random_step(k->dice, k->v);
    t->partial_element = (enum num_element)random_below(k->dice, 4);
}

/* The store engine has a function that is a table, where the variant has it; the other numbers stay. */
static void choose_lookup(struct making *k)
{
    struct random own = own_dice(k->dice, UINT64_C(0x4C4F4F4B));
    if (k->v->lookup && k->t->final && random_chance(&own, 25))
        k->t->step.function = NUM_LOOKUP;
}

/* ---- operands -------------------------------------------------------------------------------- */

static size_t place_of(const struct making *k, unsigned row, unsigned cluster, unsigned pe)
{
    return ((size_t)row * k->v->m + cluster) * k->v->k + pe;
}

static size_t place_count(const struct making *k)
{
    return (size_t)k->v->n * k->v->m * k->v->k;
}

/* The segment of a PE: the same for all blocks when it stays in a rotating queue, for all clusters when
 * shared. */
static struct segment *weights_at(const struct making *k, unsigned block, size_t place, unsigned segment)
{
    const struct tile *t = k->t;
    block = t->way == ROTATING ? 0 : block;
    place = t->shared ? place % k->v->k : place;
    return &t->weights[(block * place_count(k) + place) * t->segments + segment];
}

/* The same for all PEs of a cluster unless they are scattered. */
static int32_t *activations_at(const struct making *k, unsigned block, size_t place, unsigned vector)
{
    place = k->t->scatter ? place : place / k->v->k * k->v->k;
    return &k->t->activation[((block * place_count(k) + place) * k->t->held + vector) * k->t->length];
}

static int64_t *start_at(const struct making *k, size_t place, unsigned result)
{
    return &k->t->start[place * k->t->segments * k->t->held + result];
}

static void make_operands(struct making *k)
{
    struct tile *t = k->t;
    size_t all = place_count(k);
    t->weights = calloc(all * t->blocks * t->segments, sizeof *t->weights);
    t->activation = calloc(all * t->blocks * t->held * t->length, sizeof *t->activation);
    t->start = calloc(all * t->segments * t->held, sizeof *t->start);
    cr_assert(t->weights && t->activation && t->start);
    uint32_t longest = k->v->weight_queue_depth / 2 / (t->way == STREAMED ? 1 : t->segments);
    unsigned dense = (unsigned)random_below(k->dice, 3) * 50;
    for (unsigned b = 0; b < t->blocks; b++)
        for (size_t p = 0; p < all; p++) {
            for (unsigned s = 0; s < t->segments; s++)
                if (!weights_at(k, b, p, s)->position)
                    segment_random(k->dice, weights_at(k, b, p, s), t->length, longest, k->v->data_width);
            for (size_t i = 0; (t->scatter || p % k->v->k == 0) && i < (size_t)t->held * t->length; i++)
                activations_at(k, b, p, 0)[i] =
                    random_chance(k->dice, dense) ? random_activation(t, k->dice, k->v->data_width) : t->zero;
        }
    for (size_t i = 0; t->initial && i < all * t->segments * t->held; i++)
        t->start[i] = random_signed(k->dice, k->v->acc_width);
    k->too_big = !longest;
}

/* ---- configurations -------------------------------------------------------------------------- */

/* An address said with or without a base. */
static void split_address(struct making *k, uint32_t address, uint32_t block, int64_t *base, int64_t *rest)
{
    uint32_t blocks = block ? least(address / block, 15) : 0;
    *base = blocks ? (int64_t)random_below(k->dice, blocks + 1) : 0;
    *rest = address - *base * block;
}

#define CODE_MAX 10
struct sequence_text {
    struct config_instruction code[CODE_MAX];
    struct setting instruction[CODE_MAX][8], operands[CODE_MAX][8];
    unsigned count;
};

static void add_code(struct sequence_text *s, const char *format, const struct setting *instruction,
                     const struct setting *operands)
{
    unsigned i = s->count++;
    cr_assert_lt(i, CODE_MAX);
    memcpy(s->instruction[i], instruction, sizeof s->instruction[i]);
    memcpy(s->operands[i], operands, sizeof s->operands[i]);
    s->code[i] = (struct config_instruction){format, s->instruction[i], s->operands[i]};
}

#define FIELDS (const struct setting[8])

static void add_macs(struct making *k, struct sequence_text *s, bool first, bool last, uint32_t block)
{
    const struct tile *t = k->t;
    for (unsigned h = 0; h < (t->hold ? 1 : t->held); h++) {
        int64_t base, rest;
        split_address(k, (t->origin + h * t->length) % k->v->input_buffer_depth, block, &base, &rest);
        add_code(s, "mac",
                 FIELDS{{"base", base},
                        {"acc", k->v->accumulators && !in(t->maximum, h) ? h : 0},
                        {"resume", !first || t->initial},
                        {"keep", !(last && t->chain)},
                        {"chain", last && t->chain},
                        {"balance", !in(t->maximum, h) && random_chance(k->dice, 50)}},
                 FIELDS{{"maximum", in(t->maximum, h)},
                        {"address", rest},
                        {"stride", t->hold ? t->length : 0},
                        {"inner", t->hold ? t->held : 0},
                        {"pitch", t->hold ? -(int64_t)t->length * t->held : 0},
                        {"result", h},
                        {"result_stride", t->hold ? 1 : t->held}});
    }
}

/* A MAC of the first vector that does not keep its sum: it names the last vector's entry, which stays as it
 * is. Where there are accumulation buffers, the sum stays in one that no other MAC names. */
static void add_idle_mac(struct making *k, struct sequence_text *s)
{
    const struct tile *t = k->t;
    add_code(s, "mac", FIELDS{{"acc", k->v->accumulators ? IDLE_BUFFER : 0}, {"resume", 1}},
             FIELDS{{"address", t->origin}, {"result", t->held - 1}, {"result_stride", t->held}});
}

static void add_stores(struct making *k, struct sequence_text *s)
{
    const struct tile *t = k->t;
    for (unsigned h = 0; h < (t->hold && t->fused ? 1 : t->held); h++)
        add_code(s, "st", FIELDS{{NULL, 0}},
                 FIELDS{{"result", h}, {"result_stride", t->hold && t->fused ? 1 : t->held}});
}

static void write_code(struct making *k, unsigned kind, bool first, uint32_t block, struct sequence_text *s)
{
    const struct tile *t = k->t;
    switch (kind) {
    case LOAD_INPUT:
        add_code(
            s, "ld", FIELDS{{"target", 0}},
            FIELDS{{"maximum", t->zeros}, {"address", t->origin}, {"stride", t->held > 1 ? t->length : 0}});
        break;
    case LOAD_PARTIAL:
        add_code(s, "ld", FIELDS{{"target", 1}}, FIELDS{{"result_stride", 1}});
        break;
    case LOAD_WEIGHTS:
        add_code(s, "ld", FIELDS{{"target", 2}}, FIELDS{{NULL, 0}});
        break;
    case STORE_RESULTS:
        add_stores(k, s);
        break;
    default:
        if (t->way == STREAMED)
            add_code(s, "ld", FIELDS{{"target", 2}}, FIELDS{{NULL, 0}});
        add_macs(k, s, first, kind == MULTIPLY_LAST, block);
        if (t->idle)
            add_idle_mac(k, s);
        if (kind == MULTIPLY_LAST && t->fused)
            add_stores(k, s);
    }
}

/* The buffer that holds the configuration; configured first when it does not. MACs of the first block are
 * not those of the others, so they count as a kind of their own. */
static unsigned buffer_for(struct making *k, unsigned kind, bool first)
{
    const struct tile *t = k->t;
    unsigned buffer = kind % k->buffers, tag = 1 + kind + (first ? CONFIGURATIONS : 0);
    if (k->in_buffer[buffer] == tag)
        return buffer;
    struct sequence_text s = {.count = 0};
    bool macs = kind == MULTIPLY || kind == MULTIPLY_LAST, input = kind == LOAD_INPUT;
    bool rotates = macs && t->way == ROTATING, triggers = kind == MULTIPLY_LAST && t->trigger;
    uint32_t block = input ? t->length : (uint32_t)random_below(k->dice, 100);
    write_code(k, kind, first, block, &s);
    const struct setting header[] = {{"restart", 1},
                                     {"block", block},
                                     {"queue", rotates},
                                     {"hold", macs && t->hold ? t->held : 0},
                                     {"after", input},
                                     {"after_buffer", input ? MULTIPLY % k->buffers : 0},
                                     {"trigger", triggers},
                                     {"trigger_buffer", triggers ? STORE_RESULTS : 0},
                                     {"unsigned", t->has_no_sign},
                                     {"zero", (int16_t)(input || !k->v->zero_points ? t->zero : t->zero ^ 1)},
                                     {NULL, 0}};
    const struct num_step *c = &t->chained;
    const struct function_record function = {c->function, c->element, c->shift, c->multiplier, c->low,
                                             c->high,     c->zero,    c->slope, c->rounding};
    builder_config_functions(&k->b, buffer, header, s.code, s.count, &function, macs && t->chain);
    k->in_buffer[buffer] = tag;
    k->pages[buffer] = variant_register_pages(k->v, s.count);
    unsigned pages = 0, there = variant_register_pages(k->v, k->v->register_file_entries);
    for (unsigned b = 0; b < k->buffers; b++)
        pages += k->pages[b];
    if (pages > there) {
        k->too_big = true;
        k->buffers = least(k->buffers, there / variant_register_pages(k->v, k->v->instruction_depth));
    }
    return buffer;
}

/* ---- packets --------------------------------------------------------------------------------- */

static void send(struct making *k, unsigned rows, unsigned clusters, unsigned command, unsigned count,
                 bool scatter, struct strbuf *bytes)
{
    const struct send to = {
        .rows = rows, .clusters = clusters, .command = command, .count = count, .scatter = scatter};
    if (bytes->len > k->v->unit_bytes)
        k->too_big = true;
    else
        builder_send(&k->b, &to, sb_text(bytes), bytes->len);
    sb_free(bytes);
}

static void add_value(struct strbuf *to, int64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        const char byte = (char)(uint8_t)((uint64_t)value >> (8 * i));
        sb_addn(to, &byte, 1);
    }
}

static void send_activations(struct making *k, unsigned block, unsigned row, unsigned cluster)
{
    const struct tile *t = k->t;
    unsigned buffer = buffer_for(k, LOAD_INPUT, false), lanes = t->scatter ? k->v->k : 1;
    struct strbuf bytes = {0};
    for (unsigned h = 0; h < t->held; h++)
        for (uint32_t i = 0; i < t->length; i++)
            for (unsigned p = 0; p < lanes; p++)
                add_value(&bytes, activations_at(k, block, place_of(k, row, cluster, p), h)[i],
                          k->v->data_width / 8);
    send(k, 1u << row, 1u << cluster, EXEC | buffer, t->held, t->scatter, &bytes);
}

static void send_partial_sums(struct making *k, unsigned row, unsigned cluster)
{
    const struct tile *t = k->t;
    unsigned buffer = buffer_for(k, LOAD_PARTIAL, false), results = t->segments * t->held;
    struct strbuf bytes = {0};
    for (unsigned i = 0; i < results; i++) {
        for (unsigned p = 0; p < k->v->k; p++)
            add_value(&bytes, *start_at(k, place_of(k, row, cluster, p), i), k->v->acc_width <= 32 ? 4 : 8);
        while (bytes.len % k->b.derived.bus_bytes)
            sb_addn(&bytes, "", 1);
    }
    send(k, 1u << row, 1u << cluster, EXEC | buffer, results, false, &bytes);
}

/* Whether what stays in the queues surely fits: every word of the packet, and an end for each segment. */
static bool streams_stay(const struct making *k, const struct stream *streams)
{
    const struct variant_derived *d = &k->b.derived;
    size_t longest = 0;
    for (unsigned p = 0; p < k->v->k; p++)
        longest = streams[p].count > longest ? streams[p].count : longest;
    size_t beats = (longest + d->entries_per_beat - 1) / d->entries_per_beat;
    return (beats + d->beats_per_word - 1) / d->beats_per_word * d->words_per_beat <= d->pace_words &&
           k->t->segments + k->v->scan <= d->pace_segments;
}

static void pack_weights(struct making *k, unsigned block, unsigned row, unsigned cluster, struct strbuf *to)
{
    const struct tile *t = k->t;
    struct stream streams[16];
    for (unsigned p = 0; p < k->v->k; p++) {
        streams[p] = (struct stream){.variant = k->v};
        for (unsigned s = 0; s < t->segments; s++)
            stream_segment(&streams[p], k->dice, weights_at(k, block, place_of(k, row, cluster, p), s));
    }
    if (t->way == STREAMED)
        k->too_big = !streams_pace(k->v, streams) || k->too_big;
    else
        k->too_big = !streams_stay(k, streams) || k->too_big;
    streams_pack(k->v, streams, to);
    for (unsigned p = 0; p < k->v->k; p++)
        stream_free(&streams[p]);
}

/* To the clusters of the masks: weights, if they are to come, and what multiplies them. */
static void send_work(struct making *k, unsigned block, unsigned rows, unsigned clusters)
{
    const struct tile *t = k->t;
    bool last = block + 1 == t->blocks, loads = t->way != ROTATING || block == 0;
    unsigned row = (unsigned)__builtin_ctz(rows), cluster = (unsigned)__builtin_ctz(clusters);
    struct strbuf weights = {0}, nothing = {0};
    if (loads)
        pack_weights(k, block, row, cluster, &weights);
    if (t->way != STREAMED && loads)
        send(k, rows, clusters, EXEC | buffer_for(k, LOAD_WEIGHTS, false), t->segments, false, &weights);
    if (t->trigger && last)
        buffer_for(k, STORE_RESULTS, false);
    unsigned exec = last && (t->fused || t->trigger) ? EXEC_SHIFT_OUT : EXEC;
    unsigned buffer = buffer_for(k, last ? MULTIPLY_LAST : MULTIPLY, block == 0);
    send(k, rows, clusters, exec | buffer, t->segments * (t->hold ? t->held : 1), false,
         t->way == STREAMED ? &weights : &nothing);
    sb_free(&weights);
}

#define FOR_EACH_CLUSTER(k, row, cluster)                          \
    for (unsigned row = 0; row < (k)->v->n; row++)                 \
        for (unsigned cluster = 0; cluster < (k)->v->m; cluster++) \
            if (in((k)->t->rows, row) && in((k)->t->clusters, cluster))

static void send_all(struct making *k)
{
    const struct tile *t = k->t;
    struct strbuf nothing = {0};
    for (unsigned b = 0; b < t->blocks; b++) {
        FOR_EACH_CLUSTER(k, row, cluster)
        {
            send_activations(k, b, row, cluster);
            if (b == 0 && t->initial)
                send_partial_sums(k, row, cluster);
            if (!t->shared)
                send_work(k, b, 1u << row, 1u << cluster);
        }
        if (t->shared)
            send_work(k, b, t->rows, t->clusters);
    }
    if (!t->fused && !t->trigger)
        send(k, t->rows, t->clusters, EXEC_SHIFT_OUT | buffer_for(k, STORE_RESULTS, false), t->segments,
             false, &nothing);
}

/* ---- what comes of it ------------------------------------------------------------------------ */

/* The complete entry of the output queue. */
static int64_t entry_of(struct making *k, size_t place, unsigned segment, unsigned vector)
{
    struct tile *t = k->t;
    bool maximum = in(t->maximum, vector);
    big acc = maximum ? -((big)1 << (2 * k->v->data_width - 1)) : 0;
    if (t->initial && !(maximum && acc > *start_at(k, place, segment * t->held + vector)))
        acc = *start_at(k, place, segment * t->held + vector);
    for (unsigned b = 0; b < t->blocks; b++) {
        const struct segment *w = weights_at(k, b, place, segment);
        const int32_t *a = activations_at(k, b, place, vector);
        for (uint32_t e = 0; e < w->count; e++) {
            const int32_t activation = a[w->position[e]] - t->zero;
            big product = (big)w->value[e] * activation;
            bool counts = (t->zeros || activation) && (w->value[e] || !k->v->plain_weights);
            acc = !maximum ? acc + product : counts && product > acc ? product : acc;
            t->effective_macs += counts * (1 + (t->idle && vector == 0));
        }
        t->scanned += w->count * (1 + (t->idle && vector == 0));
        acc = reference_wrap(acc, k->v->acc_width);
    }
    return t->chain ? reference_wrap(reference_apply(&t->chained, acc), k->v->acc_width) : acc;
}

/* Results in the order in which the collectors take them: of each cluster, K at a time. */
static int64_t *all_results(struct making *k)
{
    unsigned each = k->t->segments * k->t->held * k->v->k;
    int64_t *results = calloc((size_t)k->v->n * k->v->m * each, sizeof *results);
    cr_assert(results);
    FOR_EACH_CLUSTER(k, row, cluster)
    for (unsigned s = 0; s < k->t->segments; s++)
        for (unsigned h = 0; h < k->t->held; h++)
            for (unsigned p = 0; p < k->v->k; p++)
                results[(row * k->v->m + cluster) * each + (s * k->t->held + h) * k->v->k + p] =
                    entry_of(k, place_of(k, row, cluster, p), s, h);
    return results;
}

static unsigned bits_in(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static unsigned nth_bit(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctz(mask);
}

static unsigned stream_count(const struct tile *t)
{
    return (t->sum_clusters ? 1 : bits_in(t->clusters)) * (t->sum_rows ? 1 : bits_in(t->rows));
}

/* Element `which` of stream `stream`, added up over the clusters that make the stream. */
static int64_t collected(const struct making *k, const int64_t *results, unsigned stream, unsigned which)
{
    const struct tile *t = k->t;
    unsigned per_row = t->sum_clusters ? 1 : bits_in(t->clusters), each = t->segments * t->held * k->v->k;
    unsigned rows = t->sum_rows ? t->rows : 1u << nth_bit(t->rows, stream / per_row);
    unsigned clusters = t->sum_clusters ? t->clusters : 1u << nth_bit(t->clusters, stream % per_row);
    big sum = 0;
    FOR_EACH_CLUSTER(k, row, cluster)
    if (in(rows, row) && in(clusters, cluster))
        sum += results[(row * k->v->m + cluster) * each + which];
    return reference_wrap(sum, k->v->acc_width);
}

static int64_t finish_result(const struct making *k, int64_t value, uint64_t index)
{
    const struct tile *t = k->t;
    if (t->source) {
        uint64_t at = spread_place(&t->partial, index << t->partial_element);
        const struct strbuf *from = &k->b.slot[SLOT_PARTIAL];
        value =
            reference_wrap((big)value + num_get_element((const uint8_t *)from->text + at, t->partial_element),
                           k->v->acc_width);
    }
    if (t->final)
        value = table_apply(&t->table, k->v, &t->step, index, value);
    const struct num_step narrow = {.function = NUM_NONE, .element = t->element};
    return reference_apply(&narrow, value);
}

static void expect_results(struct making *k)
{
    struct tile *t = k->t;
    int64_t *results = all_results(k);
    unsigned streams = stream_count(t), each = t->segments * t->held * k->v->k;
    t->expected = malloc(t->store.slot_bytes + 1);
    cr_assert(t->expected);
    memset(t->expected, 0xEE, t->store.slot_bytes);
    for (unsigned i = 0; i < streams * each; i++) {
        unsigned stream = t->interleave ? i / k->v->k % streams : i / each;
        unsigned which = t->interleave ? i / k->v->k / streams * k->v->k + i % k->v->k : i % each;
        uint64_t at = spread_place(&t->store, (uint64_t)i << t->element);
        const int64_t half = t->results_have_no_sign ? 1 << (t->element == NUM_INT8 ? 7 : 15) : 0;
        num_put_element(t->expected + at, t->element,
                        finish_result(k, collected(k, results, stream, which), i) + half);
    }
    free(results);
}

/* ---- collection ------------------------------------------------------------------------------ */

/* The last column that is loaded may come with it. */
static void write_accumulate(struct making *k)
{
    const struct tile *t = k->t;
    const struct table *c = &t->table;
    const struct spread *from = c->joined ? &c->last.from : &t->partial;
    writer_op(&k->b.writer, "accumulate",
              SETTINGS{{"slot", SLOT_PARTIAL},
                       {"element", c->joined ? c->last.element : t->partial_element},
                       {"source", t->source || c->joined},
                       {"sum_clusters", t->sum_clusters},
                       {"sum_rows", t->sum_rows},
                       {"final", t->final},
                       {"column", c->joined ? c->last.column : 0},
                       {"group", c->joined ? c->last.group : 0},
                       {"channel_bias", c->bias},
                       {"channel_scale", c->scale},
                       {"channel_limits", c->limits},
                       {"offset", (int64_t)from->offset},
                       {"length", from->length},
                       {"runs", from->runs ? from->runs : 1},
                       {"run_pitch", from->run_pitch},
                       {"function", t->step.function},
                       {"result", t->step.element},
                       {"rounding", t->step.rounding},
                       {"shift", t->step.shift},
                       {"multiplier", t->step.multiplier},
                       {"low", t->step.low},
                       {"high", t->step.high},
                       {"zero", t->step.zero},
                       {"slope", t->step.slope},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_SET_UP},
                       {NULL, 0}});
}

static void write_store(struct making *k)
{
    const struct tile *t = k->t;
    writer_op(&k->b.writer, "store",
              SETTINGS{{"rows", t->rows},
                       {"clusters", t->clusters},
                       {"slot", t->slot},
                       {"element", t->element},
                       {"interleave", t->interleave},
                       {"unsigned", t->results_have_no_sign},
                       {"offset", (int64_t)t->store.offset},
                       {"length", t->store.length},
                       {"runs", t->store.runs},
                       {"planes", t->store.planes},
                       {"run_pitch", t->store.run_pitch},
                       {"plane_pitch", t->store.plane_pitch},
                       {"first_group", t->table.first},
                       {"group_run", t->table.run},
                       {"group_repeats", t->table.repeats},
                       {"group_holds", t->table.holds},
                       {"wait_a", t->set_up},
                       {"wait_a_token", t->set_up ? TOKEN_SET_UP : 0},
                       {NULL, 0}});
}

static void choose_table(struct making *k, uint32_t groups)
{
    struct tile *t = k->t;
    struct random own = own_dice(k->dice, UINT64_C(0x5441424C));
    if (k->v->channel_groups && t->final && (t->step.function == NUM_LOOKUP || random_chance(&own, 80)))
        table_make(&t->table, &own, &k->b, &t->step, groups, !t->source);
}

static void write_collection(struct making *k)
{
    struct tile *t = k->t;
    uint32_t elements = stream_count(t) * t->segments * t->held * k->v->k;
    spread_choose(k->dice, &t->store, elements, num_element_bytes(t->element), true);
    if (t->source)
        spread_choose(k->dice, &t->partial, elements, num_element_bytes(t->partial_element), false);
    for (uint64_t i = 0; i < t->partial.slot_bytes; i++)
        add_value(&k->b.slot[SLOT_PARTIAL], random_signed(k->dice, 8), 1);
    choose_table(k, elements / k->v->k);
    if (t->set_up)
        write_accumulate(k);
    write_store(k);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool try_to_make(struct making *k, unsigned size)
{
    *k->t = (struct tile){0};
    memset(k->in_buffer, 0, sizeof k->in_buffer);
    memset(k->pages, 0, sizeof k->pages);
    builder_begin(&k->b, k->v);
    choose_operator(k, size);
    choose_way(k);
    choose_lookup(k);
    choose_maxima(k);
    choose_zero_point(k);
    make_operands(k);
    if (!k->too_big) {
        write_collection(k);
        send_all(k);
    }
    return !k->too_big;
}

static void free_operands(struct tile *t, size_t segments)
{
    for (size_t i = 0; t->weights && i < segments; i++)
        segment_free(&t->weights[i]);
    free(t->weights);
    free(t->activation);
    free(t->start);
    table_free(&t->table);
    t->weights = NULL;
    t->activation = NULL;
    t->start = NULL;
}

void tile_make(struct tile *tile, struct random *dice, const struct variant *variant)
{
    tile_make_of_size(tile, dice, variant, random_range(dice, 8, 64));
}

void tile_make_of_size(struct tile *tile, struct random *dice, const struct variant *variant, unsigned size)
{
    struct making k = {.t = tile, .dice = dice, .v = variant, .buffers = variant->instruction_buffers};
    bool made = false;
    for (; !made; size = size / 2 + 1) {
        k.too_big = false;
        made = try_to_make(&k, size);
        if (made) {
            expect_results(&k);
            builder_finish(&k.b, &tile->slots, 0);
            slots_set(&tile->slots, tile->slot, NULL, tile->store.slot_bytes);
        }
        free_operands(tile, place_count(&k) * tile->blocks * tile->segments);
        builder_free(&k.b);
    }
}

void tile_free(struct tile *tile)
{
    slots_free(&tile->slots);
    free(tile->expected);
}

void tile_expect(const struct tile *t, const struct job_result *result, uint64_t seed)
{
    unsigned long long s = seed;
    cr_assert_eq(result->code, JOB_OK, "TULLE_TILE_SEED=%llu: %s of queue %d at %llu", s,
                 job_code_name(result->code), result->queue, (unsigned long long)result->offset);
    cr_assert_eq(result->effective_macs, t->effective_macs, "TULLE_TILE_SEED=%llu: effective MACs", s);
    cr_assert_eq(result->scanned, t->scanned, "TULLE_TILE_SEED=%llu: scanned weights", s);
    const uint8_t *got = t->slots.job.slots[t->slot].bytes;
    for (uint64_t i = 0; i < t->store.slot_bytes; i++)
        cr_assert_eq(got[i], t->expected[i], "TULLE_TILE_SEED=%llu: byte %llu of the slot is %u, not %u", s,
                     (unsigned long long)i, got[i], t->expected[i]);
}
