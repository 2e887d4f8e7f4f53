/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs in other orders than their own, in memories that hold anything:
 * what is right as it stands comes out the same, and what lacks a token does
 * not.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/cluster.h"
#include "tests/sim_model/victims.h"

#define ORDERS 40

/* How many of the orders end well with the right result. */
static unsigned right_orders(struct victim *t)
{
    unsigned right = 0;
    for (uint64_t seed = 1; seed <= ORDERS; seed++) {
        struct job_result result;
        slots_restore(&t->slots);
        model_run_by_chance(t->model, &t->slots.job, seed, &result);
        cr_assert(slots_whole(&t->slots), "seed %d: written outside of the slots", (int)seed);
        right += result.code == JOB_OK && victim_is_right(t);
    }
    return right;
}

Test(chance, whole_programs_come_out_the_same)
{
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        cr_assert_eq(right_orders(&t), ORDERS, "victim %u", which);
        victim_free(&t);
    }
}

static void clear_field(uint8_t *record, const char *format, const char *name)
{
    const struct isa_format *f = isa_find_format(&isa_operation, format);
    const struct isa_field *field = isa_find_field(f, name);
    isa_put_bits(record, isa_field_lsb(&isa_operation, f, field, isa_int8_widths), (unsigned)field->bits, 0);
}

/* The last packet of a program of loops no longer waits for what was loaded for it. */
Test(chance, a_missing_token_shows)
{
    struct victim t;
    struct strbuf why = {0};
    victim_make(&t, 2);
    uint8_t *program = t.slots.before[SLOT_PROGRAM], *last = NULL;
    unsigned operations = program[16] | (unsigned)program[17] << 8;
    for (unsigned i = 1; i <= operations; i++) {
        uint8_t *record = program + (size_t)i * ISA_OPERATION_BYTES;
        const struct isa_format *f = isa_classify(&isa_operation, record, isa_int8_widths, &why);
        last = f && !strcmp(f->name, "distribute") ? record : last;
    }
    sb_free(&why);
    cr_assert(last);
    clear_field(last, "distribute", "wait_a");
    clear_field(last, "distribute", "wait_a_token");
    seal_operation(program, (uint64_t)(last - program));
    cr_assert_lt(right_orders(&t), ORDERS, "every order gave the right result");
    victim_free(&t);
}

/* ---- input buffers at power on ----------------------------------------------------------------- */

/* What many fills give. */
struct seen {
    int32_t least, most;
    unsigned zeros, counting_zeros, without_their_mark;
};

static void see(struct seen *seen, int32_t activation, bool counts)
{
    seen->least = activation < seen->least ? activation : seen->least;
    seen->most = activation > seen->most ? activation : seen->most;
    seen->zeros += !activation && !counts;
    seen->counting_zeros += !activation && counts;
    seen->without_their_mark += activation && !counts;
}

static struct seen see_fills(const char *const *sets, size_t *words)
{
    struct variant v = variant_of("tiny", sets);
    struct variant_derived d;
    struct cluster c;
    struct seen seen = {0};
    variant_derive(&v, &d);
    cr_assert(cluster_init(&c, &v, &d));
    const size_t each = (size_t)v.k * v.input_buffer_depth;
    for (uint64_t seed = 1; seed <= ORDERS; seed++) {
        cluster_fill(&c, seed);
        for (size_t i = 0; i < each; i++)
            see(&seen, c.input[i], c.zeros[i]);
    }
    cr_assert(c.zeros_count && c.scattered);
    cluster_free(&c);
    *words = ORDERS * each;
    return seen;
}

/* 9 bits: a mask bit, which is 0 in half of the words, and an activation. */
Test(chance, input_buffers_hold_any_activation_and_mask)
{
    size_t words;
    struct seen seen = see_fills((const char *const[]){NULL}, &words);
    cr_assert_eq(seen.least, -128);
    cr_assert_eq(seen.most, 127);
    cr_assert_eq(seen.without_their_mark, 0);
    cr_assert_gt(seen.counting_zeros, 0);
    cr_assert(seen.zeros > words / 3 && seen.zeros < words * 2 / 3, "%u of %zu", seen.zeros, words);
}

/* 9 bits: a difference, whose most negative value does not count. */
Test(chance, input_buffers_hold_any_difference)
{
    size_t words;
    struct seen seen = see_fills((const char *const[]){"zero_points=on", NULL}, &words);
    cr_assert_eq(seen.least, -255);
    cr_assert_eq(seen.most, 255);
    cr_assert_eq(seen.without_their_mark, 0);
    cr_assert_gt(seen.counting_zeros, 0);
    cr_assert(seen.zeros > 0 && seen.zeros < words / 100, "%u of %zu", seen.zeros, words);
}
