/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain packets: the same results and counters as packets with the entries that docs/isa.md says the bytes
 * become, whatever the segments and the width of the row bus; and what is refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/numerics/numerics.h"
#include "tests/sim_model/stream.h"

enum { INTO, WEIGH }; /* buffers */

struct shape {
    unsigned k, bus, scan, segment, segments;
};

/* Of tiny, with the shape's PEs, and with plain packets or without. */
static struct variant variant_for(const struct shape *shape, bool plain)
{
    static char text[3][40];
    snprintf(text[0], sizeof text[0], "k=%u", shape->k);
    snprintf(text[1], sizeof text[1], "row_bus_width=%u", shape->bus);
    snprintf(text[2], sizeof text[2], "scan=%u", shape->scan);
    return variant_of(
        "tiny", (const char *const[]){text[0], text[1], text[2], plain ? "plain_weights=on" : NULL, NULL});
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
    const struct variant v = variant_for(shape, true);
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

/* How a job ends whose packet of weights has these fields, with plain packets or without them. */
static enum job_code code_of(bool with, const struct send *fields)
{
    const struct shape shape = {2, 64, 2, 4, 2};
    const struct variant v = variant_for(&shape, with);
    const int8_t bytes[64] = {1};
    struct send send = weights_to(&v, &shape, false);
    struct slots slots;
    struct builder b;
    begin(&b, &v, bytes, &shape);
    send.plain = fields->plain;
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
    cr_expect_eq(code_of(true, &right), JOB_OK);
    cr_expect_eq(code_of(false, &without_key), JOB_NO_FEATURE);
    cr_expect_eq(code_of(true, &one_weight), JOB_BAD_FIELD, "a beat has two entries of a PE");
    cr_expect_eq(code_of(true, &no_segment), JOB_BAD_FIELD);
    cr_expect_eq(code_of(true, &not_plain), JOB_BAD_RESERVED);
    cr_expect_eq(code_of(true, &not_plain_either), JOB_BAD_RESERVED);
    cr_expect_eq(code_of(true, &fewer), JOB_PACKET_LENGTH, "two MACs take two segments");
}

/* A plain packet that fills the storage unit has twice its bytes on the row bus. */
Test(plain, a_packet_may_fill_the_unit)
{
    const struct shape shape = {2, 64, 2, 64, 64};
    struct variant v = variant_for(&shape, true);
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
