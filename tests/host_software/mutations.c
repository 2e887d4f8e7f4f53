/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with one thing changed: where the model's result changes, the data flow's changes to the same
 * bits.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/program.h"
#include "tests/host_software/checked.h"

enum { WANTED = 10, SEEDS_MOST = 3000 };

static uint8_t *program_of(const struct subject *s)
{
    return s->victim.slots.job.slots[SLOT_PROGRAM].bytes;
}

static unsigned operations_of(const struct subject *s)
{
    return (unsigned)isa_get_bits(program_of(s), 128, 32);
}

/* Sets a field of an operation by chance, in steps of `unit` so that it stays legal more often. False: the
 * operation has no such field. */
static bool change_field(struct subject *s, uint64_t place, const char *name, uint64_t unit,
                         struct random *dice)
{
    uint8_t *record = program_of(s) + place;
    const struct isa_format *format = isa_classify(&isa_operation, record, isa_int8_widths, NULL);
    const struct isa_field *field = format ? isa_find_field(format, name) : NULL;
    if (!field || !isa_field_present(&isa_operation, format, field, record, isa_int8_widths))
        return false;
    const unsigned lsb = isa_field_lsb(&isa_operation, format, field, isa_int8_widths),
                   bits = isa_field_bits(field, isa_int8_widths);
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
                   step = unit * random_range(dice, 1, 4), now = isa_get_bits(record, lsb, bits);
    isa_put_bits(record, lsb, bits, (random_chance(dice, 50) ? now + step : now - step) & mask);
    seal_operation(program_of(s), place);
    return true;
}

static bool change_address(struct subject *s, uint64_t place, struct random *dice)
{
    return random_chance(dice, 50) ? change_field(s, place, "offset", 1, dice)
                                   : change_field(s, place, "unit_address", 8, dice);
}

static bool change_stride(struct subject *s, uint64_t place, struct random *dice)
{
    return change_field(s, place, "run_pitch", random_chance(dice, 50) ? 1 : 8, dice);
}

static bool change_shift(struct subject *s, uint64_t place, struct random *dice)
{
    return change_field(s, place, "shift", 1, dice);
}

/* A flag and the variant's last token, bits from `lsb` on: the operation waits, or signals. */
static void put_token(struct subject *s, uint64_t place, unsigned lsb)
{
    const unsigned last = s->victim.v.tokens - 1;
    isa_put_bits(program_of(s) + place, lsb, 6, 1 | last << 1);
    seal_operation(program_of(s), place);
}

static bool has_queue(const struct subject *s, uint64_t place)
{
    const uint64_t opcode = isa_get_bits(program_of(s) + place, 0, 8);
    return opcode >= OP_LOAD && opcode <= OP_ACCUMULATE;
}

/* A later operation no longer waits, and the operation waits for it: tokens that matter, since a program of
 * the planner has one for each dependency. */
static bool wait_for_later(struct subject *s, uint64_t place, struct random *dice)
{
    enum { WAIT_A = 8, WAIT_B = 14, SIGNAL_B = 26 };
    const uint64_t later = place + ISA_OPERATION_BYTES * random_range(dice, 1, 4);
    if (later / ISA_OPERATION_BYTES > operations_of(s) || !has_queue(s, place) || !has_queue(s, later) ||
        isa_get_bits(program_of(s) + place, WAIT_B, 1) || isa_get_bits(program_of(s) + later, SIGNAL_B, 1))
        return false;
    isa_put_bits(program_of(s) + later, WAIT_A, 12, 0);
    put_token(s, place, WAIT_B);
    put_token(s, later, SIGNAL_B);
    return true;
}

static bool swap_operations(struct subject *s, uint64_t place, struct random *dice)
{
    uint8_t *here = program_of(s) + place, keep[ISA_OPERATION_BYTES];
    (void)dice;
    if (place / ISA_OPERATION_BYTES >= operations_of(s))
        return false;
    memcpy(keep, here, sizeof keep);
    memcpy(here, here + sizeof keep, sizeof keep);
    memcpy(here + sizeof keep, keep, sizeof keep);
    seal_operation(program_of(s), place);
    seal_operation(program_of(s), place + sizeof keep);
    return true;
}

typedef bool mutation(struct subject *s, uint64_t place, struct random *dice);

/* Whether the program is still accepted and gives another result. Fails where the data flow does not. */
static bool changes_result(struct subject *s, uint64_t seed, mutation *change)
{
    struct random dice = {seed};
    uint8_t *before, *after;
    if (!change(s, ISA_OPERATION_BYTES * random_range(&dice, 1, operations_of(s)), &dice))
        return false;
    const size_t results = check_flow(s, seed, &after);
    bool changed = false;
    if (results) {
        const uint64_t size = s->victim.slots.job.slots[s->victim.result_slot].size;
        struct subject same = *s;
        struct recipe recipe;
        const struct recipe_taste taste = {.legal_only = true};
        recipe_random(&recipe, &s->victim.v, &taste, seed);
        cr_assert(!subject_make(&same, &s->victim.v, &recipe));
        check_flow(&same, seed, &before);
        changed = memcmp(before, after, size) != 0;
        free(before);
        subject_free(&same);
    }
    free(after);
    return changed;
}

static void check_mutation(const char *name, uint64_t first, mutation *change)
{
    /* Operations are changed where they stand, so they are full ones. */
    const struct variant v =
        variant_of(name, (const char *const[]){"local_bytes=0", "packed_programs=off", NULL});
    const struct recipe_taste taste = {.legal_only = true};
    unsigned changed = 0;
    for (uint64_t seed = first; changed < WANTED && seed < first + SEEDS_MOST; seed++) {
        struct recipe recipe;
        struct subject subject;
        recipe_random(&recipe, &v, &taste, seed);
        if (subject_make(&subject, &v, &recipe))
            continue;
        changed += changes_result(&subject, seed, change);
        subject_free(&subject);
    }
    cr_assert_eq(changed, WANTED, "only %u programs with another result", changed);
}

Test(mutations, of_addresses)
{
    check_mutation("tiny", 1, change_address);
}

Test(mutations, of_strides)
{
    check_mutation("tiny", 10001, change_stride);
}

Test(mutations, of_shifts)
{
    check_mutation("networks", 20001, change_shift);
}

Test(mutations, of_tokens)
{
    check_mutation("tiny", 30001, wait_for_later);
}

Test(mutations, of_two_operations_that_change_places)
{
    check_mutation("tiny", 40001, swap_operations);
}
