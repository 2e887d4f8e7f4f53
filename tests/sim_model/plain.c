/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain packets and bitmaps: the same results and counters as packets with the entries that docs/isa.md says
 * the bytes become, whatever the segments and the width of the row bus; and what is refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/numerics/numerics.h"
#include "tests/sim_model/stream.h"

enum { INTO, WEIGH }; /* buffers */

struct shape {
    unsigned k, bus, scan, segment, segments;
};

enum keys { NO_KEY, PLAIN, BITMAP };

/* Of tiny, with the shape's PEs, and with plain packets, bitmaps too, or without. */
static struct variant variant_for(const struct shape *shape, enum keys keys)
{
    static char text[3][40];
    snprintf(text[0], sizeof text[0], "k=%u", shape->k);
    snprintf(text[1], sizeof text[1], "row_bus_width=%u", shape->bus);
    snprintf(text[2], sizeof text[2], "scan=%u", shape->scan);
    return variant_of("tiny",
                      (const char *const[]){text[0], text[1], text[2], keys ? "plain_weights=on" : NULL,
                                            keys == BITMAP ? "bitmap_weights=on" : NULL, NULL});
}

/* A job of all clusters of all rows up to its packet of weights: 64 activations in the input buffers, a MAC
 * and a result for each segment. */
static void begin(struct builder *b, const struct variant *v, const int8_t *activations,
                  const struct shape *shape)
{
    builder_begin(b, v);
    builder_config(b, INTO, WITH({"block", 64}),
                   (const struct config_instruction[]){{"ld", WITH({"target", 0}), NULL}}, 1);
    builder_config(b, WEIGH, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 2}), NULL},
                                                       {"mac", WITH({"keep", 1}), WITH({"result_stride", 1})},
                                                       {"st", NULL, WITH({"result_stride", 1})}},
                   3);
    const struct send into = {every_row(v), every_cluster(v), EXEC | INTO, 1, .scatter = false};
    builder_send(b, &into, activations, 64);
    writer_op(&b->writer, "store",
              WITH({"rows", every_row(v)}, {"clusters", every_cluster(v)}, {"slot", SLOT_OUTPUT},
                   {"element", NUM_INT32}, {"length", 4 * (int64_t)v->n * v->m * v->k * shape->segments}));
}

static struct job_result end(struct builder *b, const struct variant *v, struct slots *slots,
                             const struct shape *shape)
{
    builder_finish(b, slots, 4 * (size_t)v->n * v->m * v->k * shape->segments);
    builder_free(b);
    return run_model(v, slots);
}

static struct send weights_to(const struct variant *v, const struct shape *shape, bool plain)
{
    return (struct send){.rows = every_row(v),
                         .clusters = every_cluster(v),
                         .command = EXEC_SHIFT_OUT | WEIGH,
                         .count = shape->segments,
                         .plain = plain,
                         .segment = plain ? shape->segment : 0,
                         .segments = plain ? shape->segments : 0};
}

/* Half of the weights become 0. */
static void remove_some(struct random *dice, struct strbuf *weights)
{
    for (size_t i = 0; i < weights->len; i++)
        if (random_chance(dice, 50))
            weights->text[i] = 0;
}

static void expect_the_same(const struct shape *shape, uint64_t seed)
{
    struct random dice = {seed};
    const struct variant v = variant_for(shape, PLAIN);
    struct variant_derived d;
    struct stream streams[16];
    struct strbuf entries = {0}, plain = {0}, activations = {0};
    struct slots slots[2];
    struct job_result result[2];
    variant_derive(&v, &d);
    random_bytes(&dice, &activations, 64);
    const unsigned each = d.entries_per_beat, half = d.bus_bytes / 2;
    const size_t weights = (size_t)shape->segment * shape->segments;
    random_bytes(&dice, &plain, math_round_up(math_divide_up(weights, each) * half, d.bus_bytes));
    remove_some(&dice, &plain);
    uint64_t effective = 0;
    for (unsigned p = 0; p < shape->k; p++) {
        streams[p] = (struct stream){.variant = &v};
        for (size_t w = 0; w < weights; w++) {
            const int8_t value = (int8_t)plain.text[w / each * half + p * each + w % each];
            stream_weight(&streams[p], 0, value, w % shape->segment + 1 == shape->segment);
            effective += value && activations.text[w % shape->segment];
        }
    }
    streams_pack(&v, streams, &entries);
    for (unsigned way = 0; way < 2; way++) {
        const struct strbuf *data = way ? &plain : &entries;
        const struct send send = weights_to(&v, shape, way);
        struct builder b;
        begin(&b, &v, (const int8_t *)activations.text, shape);
        builder_send(&b, &send, data->text, data->len);
        result[way] = end(&b, &v, &slots[way], shape);
        cr_assert_eq(result[way].code, JOB_OK, "seed %llu: %s", (unsigned long long)seed,
                     job_code_name(result[way].code));
    }
    cr_expect(!memcmp(slots[0].job.slots[SLOT_OUTPUT].bytes, slots[1].job.slots[SLOT_OUTPUT].bytes,
                      slots[0].job.slots[SLOT_OUTPUT].size),
              "seed %llu", (unsigned long long)seed);
    for (unsigned way = 0; way < 2; way++) {
        cr_expect_eq(result[way].effective_macs, v.n * v.m * effective, "zeros are not multiplied");
        cr_expect_eq(result[way].scanned, v.n * v.m * v.k * weights);
    }
    for (unsigned p = 0; p < shape->k; p++)
        stream_free(&streams[p]);
    for (unsigned way = 0; way < 2; way++)
        slots_free(&slots[way]);
    sb_free(&entries);
    sb_free(&plain);
    sb_free(&activations);
}

Test(plain, a_byte_is_as_good_as_an_entry)
{
    static const struct shape shapes[] = {
        {2, 64, 2, 3, 5},   /* the last beat is half skips */
        {2, 64, 2, 2, 9},   /* a beat ends a segment of each PE, and an odd number of beats */
        {2, 64, 4, 7, 3},   /* words of two beats */
        {1, 512, 1, 32, 2}, /* as many weights as a beat has */
        {1, 512, 1, 33, 3}, /* one more */
        {5, 128, 2, 4, 3},  /* the row bus has more bits than the entries */
        {3, 256, 2, 5, 7},  {16, 256, 2, 1, 4}, /* segments of one weight */
        {8, 256, 2, 64, 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 1; seed <= 5; seed++)
            expect_the_same(&shapes[i], 10 * i + seed);
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

/* Segments of random weights for all PEs, as bytes and as the entries that these become. */
struct masked {
    struct stream streams[16];
    struct strbuf bytes[16]; /* of each PE */
    int64_t sums[16][64];    /* of each segment */
    uint64_t effective;
};

static void put_byte(struct masked *m, unsigned pe, unsigned byte)
{
    sb_addn(&m->bytes[pe], &(const char){(char)byte}, 1);
}

/* One mask and its weights. *next: the place behind the entry before. */
static void random_mask(struct random *dice, struct masked *m, unsigned pe, unsigned segment, unsigned mask,
                        bool last, unsigned percent, const int8_t *activations, unsigned *next)
{
    unsigned bits = mask ? 0 : 1; /* a segment does not begin with a mask of 0 */
    for (unsigned i = 0; i < 8; i++)
        bits |= (unsigned)random_chance(dice, percent) << i;
    put_byte(m, pe, bits);
    if (bits)
        stream_escape(&m->streams[pe], ESCAPE_SKIP, 0);
    else
        stream_weight(&m->streams[pe], 8 * mask + 7 - *next, 0, last);
    *next = bits ? *next : 8 * mask + 8;
    for (unsigned i = 0; i < 8; i++) {
        if (!(bits >> i & 1))
            continue;
        const unsigned place = 8 * mask + i;
        const int8_t value = random_chance(dice, 10) ? 0 : (int8_t)random_signed(dice, 8);
        put_byte(m, pe, (uint8_t)value);
        stream_weight(&m->streams[pe], place - *next, value, last && !(bits >> i >> 1));
        m->sums[pe][segment] += value * activations[place];
        m->effective += value && activations[place];
        *next = place + 1;
    }
}

/* Zeros between two segments are skips. */
static void random_masks(struct random *dice, struct masked *m, const struct shape *shape,
                         const int8_t *activations)
{
    const unsigned percent = (unsigned[]){3, 20, 50, 100}[random_below(dice, 4)];
    for (unsigned pe = 0; pe < shape->k; pe++)
        for (unsigned s = 0; s < shape->segments; s++) {
            unsigned next = 0;
            for (unsigned skips = (unsigned)random_below(dice, 3); skips; skips--) {
                put_byte(m, pe, 0);
                stream_escape(&m->streams[pe], ESCAPE_SKIP, 0);
            }
            for (unsigned mask = 0; mask < shape->segment; mask++)
                random_mask(dice, m, pe, s, mask, mask + 1 == shape->segment, percent, activations, &next);
        }
}

/* The bytes of all PEs as they are in the storage unit. */
static void interleave(const struct masked *m, const struct variant_derived *d, unsigned k, struct strbuf *to)
{
    const unsigned each = d->entries_per_beat, half = d->bus_bytes / 2;
    size_t beats = 0;
    for (unsigned pe = 0; pe < k; pe++)
        beats = m->bytes[pe].len > beats * each ? math_divide_up(m->bytes[pe].len, each) : beats;
    for (size_t i = 0; i < math_round_up(beats * half, d->bus_bytes); i++) {
        const size_t pe = i % half / each, at = i / half * each + i % half % each;
        const char byte = pe >= k ? 0x55 : at < m->bytes[pe].len ? m->bytes[pe].text[at] : 0;
        sb_addn(to, &byte, 1);
    }
}

static void expect_masks(const struct shape *shape, uint64_t seed)
{
    struct random dice = {seed};
    const struct variant v = variant_for(shape, BITMAP);
    struct variant_derived d;
    struct masked *m = calloc(1, sizeof *m);
    struct strbuf data[2] = {{0}}, activations = {0};
    struct job_result result[2];
    variant_derive(&v, &d);
    random_bytes(&dice, &activations, 64);
    for (unsigned p = 0; p < shape->k; p++)
        m->streams[p].variant = &v;
    random_masks(&dice, m, shape, (const int8_t *)activations.text);
    streams_pack(&v, m->streams, &data[0]);
    interleave(m, &d, shape->k, &data[1]);
    for (unsigned way = 0; way < 2; way++) {
        struct send send = weights_to(&v, shape, way);
        struct slots slots;
        struct builder b;
        send.bitmap = way;
        send.segments = 0;
        begin(&b, &v, (const int8_t *)activations.text, shape);
        builder_send(&b, &send, data[way].text, data[way].len);
        result[way] = end(&b, &v, &slots, shape);
        cr_assert_eq(result[way].code, JOB_OK, "seed %llu: %s", (unsigned long long)seed,
                     job_code_name(result[way].code));
        for (unsigned i = 0; i < v.n * v.m * v.k * shape->segments; i++)
            cr_assert_eq(num_get_element(slots.job.slots[SLOT_OUTPUT].bytes + 4 * (size_t)i, NUM_INT32),
                         m->sums[i % v.k][i / v.k % shape->segments], "seed %llu: result %u",
                         (unsigned long long)seed, i);
        cr_expect_eq(result[way].effective_macs, v.n * v.m * m->effective);
        slots_free(&slots);
        sb_free(&data[way]);
    }
    cr_expect_eq(result[0].scanned, result[1].scanned);
    for (unsigned p = 0; p < shape->k; p++) {
        stream_free(&m->streams[p]);
        sb_free(&m->bytes[p]);
    }
    free(m);
    sb_free(&activations);
}

Test(plain, masks_are_as_good_as_entries)
{
    static const struct shape shapes[] = {
        {2, 64, 2, 2, 5}, /* as many masks as a beat has entries */
        {2, 64, 2, 8, 2},  {2, 64, 4, 3, 3},  {1, 64, 1, 5, 2}, {5, 128, 2, 1, 9}, /* a mask alone */
        {5, 128, 2, 4, 3},                                                         /* an entry in a beat */
        {3, 256, 2, 5, 3}, {8, 256, 2, 7, 4},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            expect_masks(&shapes[i], 100 * i + seed);
}

/* ---- refused --------------------------------------------------------------------------------- */

/* How a job ends whose packet of weights has these fields. */
static enum job_code code_of(enum keys keys, const struct send *fields)
{
    const struct shape shape = {2, 64, 2, 4, 2};
    const struct variant v = variant_for(&shape, keys);
    const int8_t bytes[64] = {1};
    struct send send = weights_to(&v, &shape, false);
    struct slots slots;
    struct builder b;
    begin(&b, &v, bytes, &shape);
    send.plain = fields->plain;
    send.bitmap = fields->bitmap;
    send.segment = fields->segment;
    send.segments = fields->segments;
    builder_send(&b, &send, bytes, 16);
    const enum job_code code = end(&b, &v, &slots, &shape).code;
    slots_free(&slots);
    return code;
}

Test(plain, what_is_refused)
{
    const struct send right = {.plain = true, .segment = 4, .segments = 2}, without_key = right,
                      one_weight = {.plain = true, .segment = 1, .segments = 2},
                      no_segment = {.plain = true, .segment = 4}, not_plain = {.segment = 4},
                      not_plain_either = {.segments = 2},
                      fewer = {.plain = true, .segment = 4, .segments = 1};
    cr_expect_eq(code_of(PLAIN, &right), JOB_OK);
    cr_expect_eq(code_of(NO_KEY, &without_key), JOB_NO_FEATURE);
    cr_expect_eq(code_of(PLAIN, &one_weight), JOB_BAD_FIELD, "a beat has two entries of a PE");
    cr_expect_eq(code_of(PLAIN, &no_segment), JOB_BAD_FIELD);
    cr_expect_eq(code_of(PLAIN, &not_plain), JOB_BAD_RESERVED);
    cr_expect_eq(code_of(PLAIN, &not_plain_either), JOB_BAD_RESERVED);
    cr_expect_eq(code_of(PLAIN, &fewer), JOB_PACKET_LENGTH, "two MACs take two segments");
}

Test(plain, which_bitmaps_are_refused)
{
    const struct send right = {.plain = true, .bitmap = true, .segment = 128},
                      some_segments = {.plain = true, .bitmap = true, .segment = 128, .segments = 2},
                      one_mask = {.plain = true, .bitmap = true, .segment = 1},
                      too_many = {.plain = true, .bitmap = true, .segment = 129},
                      not_plain = {.bitmap = true};
    cr_expect_eq(code_of(BITMAP, &right), JOB_PACKET_LENGTH, "16 bytes are less than a segment");
    cr_expect_eq(code_of(PLAIN, &right), JOB_NO_FEATURE);
    cr_expect_eq(code_of(NO_KEY, &right), JOB_NO_FEATURE);
    cr_expect_eq(code_of(BITMAP, &some_segments), JOB_BAD_FIELD);
    cr_expect_eq(code_of(BITMAP, &one_mask), JOB_BAD_FIELD, "a beat has two entries of a PE");
    cr_expect_eq(code_of(PLAIN, &one_mask), JOB_BAD_FIELD, "the same without bitmaps");
    cr_expect_eq(code_of(BITMAP, &too_many), JOB_BAD_FIELD, "an input buffer has 1024 places");
    cr_expect_eq(code_of(BITMAP, &not_plain), JOB_BAD_RESERVED);
}

/* A plain packet that fills the storage unit has twice its bytes on the row bus. */
Test(plain, a_packet_may_fill_the_unit)
{
    const struct shape shape = {2, 64, 2, 64, 64};
    struct variant v = variant_for(&shape, PLAIN);
    v.unit_bytes = 8192;
    v.output_queue_depth = 64;
    struct strbuf bytes = {0};
    struct random dice = {3};
    struct builder b;
    struct slots slots;
    random_bytes(&dice, &bytes, 8192);
    const struct send send = weights_to(&v, &shape, true);
    begin(&b, &v, (const int8_t *)bytes.text, &shape);
    builder_send(&b, &send, bytes.text, bytes.len);
    const struct job_result result = end(&b, &v, &slots, &shape);
    cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
    for (unsigned s = 0; s < shape.segments; s++) {
        int32_t sum = 0;
        for (unsigned i = 0; i < 64; i++) {
            const unsigned weight = s * 64 + i;
            sum += bytes.text[i] * (int8_t)bytes.text[weight / 2 * 4 + weight % 2];
        }
        cr_expect_eq(num_get_element(slots.job.slots[SLOT_OUTPUT].bytes + 8 * s, NUM_INT32), sum,
                     "segment %u", s);
    }
    slots_free(&slots);
    sb_free(&bytes);
}
