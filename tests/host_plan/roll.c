/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops of programs: what the device makes of them is, operation by operation, what was written without them.
 */
#include "host/plan/roll.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gen/base/random.h"
#include "gen/isa/codec.h"
#include "sim/model/program.h"
#include "tests/sim_model/support.h"

#define NEST 4 /* repetitions within repetitions; loops are three levels deep */

struct source {
    struct variant v;
    struct random dice;
    int64_t offset, unit; /* of the repetitions around an operation; groups of channels are as units */
};

static void add_operation(struct source *s, struct writer *w, unsigned kind, int64_t offset, int64_t unit)
{
    const int64_t beat = s->v.row_bus_width / 8, group = (s->unit + unit) & 0xFFFF;
    offset = 1000000 * 8 + (s->offset + offset) * 8;
    unit = ((s->unit + unit) * beat) & (int64_t)(s->v.unit_bytes - 1);
    switch (kind) {
    case 0:
        writer_op(w, "load",
                  SETTINGS{{"rows", 1},
                           {"slot", SLOT_INPUT},
                           {"offset", offset},
                           {"length", 64},
                           {"unit_address", unit},
                           {NULL, 0}});
        break;
    case 1:
        writer_op(w, "distribute",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"command", EXEC},
                           {"count", 1},
                           {"length", beat},
                           {"unit_address", unit},
                           {NULL, 0}});
        break;
    case 2:
        writer_op(w, "store",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"slot", SLOT_OUTPUT},
                           {"offset", offset},
                           {"length", 64},
                           {"first_group", s->v.channel_groups ? group : 0},
                           {NULL, 0}});
        break;
    case 3:
        writer_load_data(
            w, SETTINGS{{"rows", 1}, {"slot", SLOT_PROGRAM}, {"offset", 0}, {"length", 64}, {NULL, 0}});
        break;
    default:
        writer_op(w, "fence", NULL);
    }
}

/* The same text again and again, with steps of its own; now and then one does not step evenly. */
static void repeat(struct source *s, struct writer *w, unsigned depth)
{
    const uint64_t body = random_next(&s->dice);
    const unsigned times = random_range(&s->dice, 1, 5), length = random_range(&s->dice, 1, 4);
    const int64_t offset = (int64_t)random_below(&s->dice, 4000) - 2000,
                  unit = (int64_t)random_below(&s->dice, 200) - 100, before_offset = s->offset,
                  before_unit = s->unit;
    const bool uneven = random_chance(&s->dice, 20);
    for (unsigned t = 0; t < times; t++) {
        struct random own = s->dice;
        s->dice = (struct random){body};
        s->offset = before_offset + t * offset + (uneven && t == times / 2);
        s->unit = before_unit + t * unit;
        for (unsigned i = 0; i < length; i++)
            if (depth && random_chance(&s->dice, 50))
                repeat(s, w, depth - 1);
            else
                add_operation(s, w, random_range(&s->dice, 0, 4), random_below(&s->dice, 100),
                              random_below(&s->dice, 100));
        s->dice = t + 1 < times ? own : s->dice;
    }
    s->offset = before_offset;
    s->unit = before_unit;
}

static bool same_operation(const struct operation *a, const struct operation *b, uint64_t base_a,
                           uint64_t base_b)
{
    struct operation x = *a, y = *b;
    x.place = y.place = 0;
    if (x.code == OP_LOAD && x.memory.slot == SLOT_PROGRAM) { /* the data begin elsewhere */
        x.memory.offset -= base_a;
        y.memory.offset -= base_b;
    }
    return x.code == y.code && !memcmp(x.wait, y.wait, sizeof x.wait) && x.rows == y.rows &&
           x.clusters == y.clusters && x.memory.slot == y.memory.slot && x.memory.offset == y.memory.offset &&
           x.memory.length == y.memory.length && x.unit_address == y.unit_address && x.command == y.command &&
           x.count == y.count && x.channels.first == y.channels.first;
}

/* Operations that the loops of the program save. */
static uint32_t compare(const struct variant *v, const struct strbuf *plain, const struct strbuf *rolled)
{
    struct program a, b;
    struct job_result result;
    struct operation x, y;
    cr_assert_eq(program_open(&a, v, 0, (const uint8_t *)plain->text, plain->len, &result), JOB_OK);
    cr_assert_eq(program_open(&b, v, 0, (const uint8_t *)rolled->text, rolled->len, &result), JOB_OK);
    do {
        cr_assert_eq(program_next(&a, &x, &result), JOB_OK);
        cr_assert_eq(program_next(&b, &y, &result), JOB_OK, "status %d", result.code);
        cr_assert(same_operation(&x, &y, (a.operations + 1) * ISA_OPERATION_BYTES,
                                 (b.operations + 1) * ISA_OPERATION_BYTES),
                  "operation %u, which is %u in loops", a.next - 1, b.next - 1);
    } while (x.code != OP_END);
    cr_assert_leq(b.operations, a.operations);
    return a.operations - b.operations;
}

/* Without loops, with them, and with loops around those: operations that the last saves. */
static uint32_t roll(const struct variant *v, uint64_t seed)
{
    enum { WAYS = 3 };
    struct strbuf image[WAYS] = {{0}};
    for (unsigned rolled = 0; rolled < WAYS; rolled++) {
        struct source s = {.v = *v, .dice = {seed}};
        struct writer w;
        writer_begin(&w, v);
        sb_addn(&w.data, (char[64]){0}, 64);
        repeat(&s, &w, NEST);
        for (unsigned i = 0; i < rolled; i++)
            writer_roll(&w);
        cr_assert(writer_finish(&w, 0, &image[rolled]));
        writer_free(&w);
    }
    const uint32_t saved = compare(v, &image[0], &image[1]);
    cr_assert_geq(compare(v, &image[0], &image[2]), saved);
    for (unsigned i = 0; i < WAYS; i++)
        sb_free(&image[i]);
    return saved;
}

Test(roll, same_operations)
{
    static const char *const names[] = {"tiny", "base", "odd"};
    uint64_t saved = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        const struct variant v =
            variant_of(names[seed % 3], (const char *const[]){seed % 2 ? "channel_groups=16" : NULL, NULL});
        saved += roll(&v, seed);
    }
    cr_assert_gt(saved, 10000u, "%llu operations saved", (unsigned long long)saved);
}

/* Loops within loops: of 3000 loads three are left. */
Test(roll, nests)
{
    struct variant v = variant_of("base", (const char *const[]){NULL});
    struct writer w;
    writer_begin(&w, &v);
    for (unsigned i = 0; i < 100; i++)
        for (unsigned j = 0; j < 10; j++)
            for (unsigned k = 0; k < 3; k++)
                writer_op(
                    &w, "load",
                    SETTINGS{{"rows", 1},
                             {"slot", SLOT_INPUT},
                             {"offset", 8 * (int64_t)(1000 * i + 7 * j + 100 * k)},
                             {"length", 64},
                             {"unit_address", (int64_t)(32 * ((i + 5 * j + k * k) % (v.unit_bytes / 32)))},
                             {NULL, 0}});
    writer_roll(&w);
    cr_assert_eq(w.count, 3u + 4, "%u operations", w.count); /* the squares are not even */
    writer_free(&w);
}

/* The version that knows the steps of groups is named where they are. */
static unsigned version_of_stores(const struct variant *v, int64_t groups, uint32_t *count)
{
    struct strbuf image = {0};
    struct writer w;
    writer_begin(&w, v);
    for (unsigned i = 0; i < 60; i++)
        writer_op(&w, "store",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"slot", SLOT_OUTPUT},
                           {"offset", 16 * (i % 12) + 1000 * (i / 12)},
                           {"length", 16},
                           {"first_group", groups * (i % 12) & 0xFFFF},
                           {NULL, 0}});
    writer_roll(&w);
    *count = w.count;
    cr_assert(writer_finish(&w, 0, &image));
    const unsigned found = (unsigned)isa_header_field(&isa_program, (const uint8_t *)image.text, "minor");
    writer_free(&w);
    sb_free(&image);
    return found;
}

Test(roll, steps_groups)
{
    const struct variant v = variant_of("networks", (const char *const[]){NULL});
    uint32_t count;
    cr_assert_eq(version_of_stores(&v, 2, &count), 2u);
    cr_assert_eq(count, 1u + 4, "%u operations", count);
    cr_assert_eq(version_of_stores(&v, -3, &count), 2u);
    cr_assert_eq(count, 1u + 4, "%u operations", count);
    cr_assert_eq(version_of_stores(&v, 0, &count), (unsigned)WRITER_MINOR);
    cr_assert_eq(count, 1u + 4, "%u operations", count);
}

/* Loops that are there get others around them, of lower levels only. */
Test(roll, around_loops)
{
    const struct variant v = variant_of("base", (const char *const[]){NULL});
    for (unsigned level = 0; level < ISA_LOOP_LEVELS; level++) {
        struct writer w;
        writer_begin(&w, &v);
        for (unsigned i = 0; i < 100; i++) {
            writer_op(&w, "loop", SETTINGS{{"iterations", 7}, {"level", level}, {NULL, 0}});
            writer_op(&w, "load",
                      SETTINGS{{"rows", 1},
                               {"slot", SLOT_INPUT},
                               {"offset", 1000 * (int64_t)i},
                               {"length", 64},
                               {level == 2 ? "offset_step2"
                                : level    ? "offset_step1"
                                           : "offset_step0",
                                64},
                               {NULL, 0}});
            writer_op(&w, "endloop", SETTINGS{{"level", level}, {"body", 2}, {NULL, 0}});
        }
        writer_roll(&w);
        cr_assert_eq(w.count, level ? 5u : 300u, "level %u: %u operations", level, w.count);
        writer_free(&w);
    }
}
