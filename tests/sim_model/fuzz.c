/* SPDX-License-Identifier: Apache-2.0
 *
 * Broken programs: a named error or the right result, never a crash, a hang
 * or a write outside the slots that a device writes (victim_run checks the
 * latter). Most of these find something only in a build with sanitizers.
 *
 * TULLE_FUZZ_RUNS=<factor> runs that many times as much; TULLE_FUZZ_SEED
 * changes the numbers. A failure prints what to set to see it again.
 */
#include <criterion/criterion.h>

#include "tests/sim_model/victims.h"

static uint64_t factor(void)
{
    return from_environment("TULLE_FUZZ_RUNS", 1);
}

static uint64_t first_seed(void)
{
    return from_environment("TULLE_FUZZ_SEED", 1);
}

/* The run ended well only if the result is right. */
static void expect_error_or_right(struct victim *t, unsigned which, const char *what, uint64_t where)
{
    struct job_result result = victim_run(t);
    cr_assert(result.code != JOB_OK || victim_is_right(t),
              "victim %u, %s %llu: ended well with a wrong result", which, what, (unsigned long long)where);
}

static void flip_words(struct victim *t, unsigned which, struct random *dice)
{
    uint8_t *program = t->slots.job.slots[SLOT_PROGRAM].bytes;
    for (uint64_t w = 0; w + 4 <= t->slots.job.slots[SLOT_PROGRAM].size; w += 4) {
        uint32_t change = (uint32_t)random_next(dice);
        for (unsigned kind = 0; kind < 3; kind++) {
            /* Some bits, one bit, all bits. */
            uint32_t flips = kind == 0   ? change | 1u << change % 32
                             : kind == 1 ? 1u << change % 32
                                         : UINT32_MAX;
            slots_restore(&t->slots);
            for (unsigned i = 0; i < 4; i++)
                program[w + i] ^= (uint8_t)(flips >> (8 * i));
            expect_error_or_right(t, which, "word at byte", w);
        }
    }
}

Test(fuzz, any_word_flipped)
{
    struct random dice = {first_seed()};
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        for (uint64_t round = 0; round < factor(); round++)
            flip_words(&t, which, &dice);
        victim_free(&t);
    }
}

Test(fuzz, truncated)
{
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        uint64_t size = t.slots.job.slots[SLOT_PROGRAM].size;
        /* A device rounds down to whole records; guard bytes of the slot are then in front of its end. */
        for (uint64_t cut = 0; cut < size; cut += cut % 64 == 63 ? 1 : cut % 64 ? 62 : 1) {
            slots_restore(&t.slots);
            t.slots.job.slots[SLOT_PROGRAM].size = cut;
            struct job_result result;
            model_run(t.model, &t.slots.job, &result);
            cr_assert(result.code != JOB_OK || victim_is_right(&t), "victim %u cut to %llu bytes", which,
                      (unsigned long long)cut);
            if (cut < 64)
                cr_assert_eq(result.code, JOB_BAD_LENGTH);
        }
        t.slots.job.slots[SLOT_PROGRAM].size = size;
        victim_free(&t);
    }
}

/* The operations moved by one place keep their words but not their positions. */
Test(fuzz, records_in_the_wrong_place)
{
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        uint8_t *program = t.slots.job.slots[SLOT_PROGRAM].bytes;
        unsigned operations = program[16] | (unsigned)program[17] << 8;
        for (unsigned i = 1; i < operations; i++) {
            slots_restore(&t.slots);
            for (unsigned b = 0; b < ISA_OPERATION_BYTES; b++) {
                uint8_t *here = program + (size_t)i * ISA_OPERATION_BYTES + b,
                        other = here[ISA_OPERATION_BYTES];
                here[ISA_OPERATION_BYTES] = *here;
                *here = other;
            }
            struct job_result result = victim_run(&t);
            cr_assert_eq(result.code, JOB_BAD_CHECK, "victim %u, operations %u and %u", which, i, i + 1);
            cr_assert_eq(result.offset, (uint64_t)i * ISA_OPERATION_BYTES);
        }
        victim_free(&t);
    }
}

Test(fuzz, other_versions)
{
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        uint8_t *program = t.slots.job.slots[SLOT_PROGRAM].bytes;
        for (unsigned version = 0; version < 256; version++) {
            slots_restore(&t.slots);
            program[4] = (uint8_t)version;
            seal_header(program);
            cr_assert_eq(victim_run(&t).code, version == 1 ? JOB_OK : JOB_BAD_VERSION, "major version %u",
                         version);
            slots_restore(&t.slots);
            program[5] = (uint8_t)version;
            seal_header(program);
            cr_assert_eq(victim_run(&t).code, version <= ISA_MINOR ? JOB_OK : JOB_BAD_VERSION,
                         "minor version %u", version);
            cr_assert(version > ISA_MINOR || victim_is_right(&t));
        }
        victim_free(&t);
    }
}

/* Past the check words anything may come out, but only within the slots and the bound on operations. */
Test(fuzz, sealed_again)
{
    bool seen[64] = {false};
    unsigned codes = 0;
    uint64_t runs = 3000 * factor();
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        for (uint64_t run = 0; run < runs; run++) {
            struct random dice = {(first_seed() << 32) + run};
            slots_restore(&t.slots);
            for (uint64_t changes = random_below(&dice, 3) + 1; changes; changes--)
                victim_change_sealed(&t, &dice);
            seen[victim_run(&t).code] = true;
        }
        victim_free(&t);
    }
    for (unsigned code = 0; code < 64; code++)
        codes += seen[code];
    cr_log_info("%u different codes", codes);
    cr_assert_gt(codes, 15, "the changes must get past the first checks: only %u different codes", codes);
}

/* Streams of weights carry no check; what they do is bounded all the same. */
Test(fuzz, changed_weights)
{
    struct random dice = {first_seed()};
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        uint64_t size = t.slots.job.slots[SLOT_WEIGHTS].size;
        for (uint64_t run = 0; size && run < 2000 * factor(); run++) {
            slots_restore(&t.slots);
            for (uint64_t changes = 1 + random_below(&dice, 8); changes; changes--)
                t.slots.job.slots[SLOT_WEIGHTS].bytes[random_below(&dice, size)] =
                    (uint8_t)random_next(&dice);
            victim_run(&t);
        }
        victim_free(&t);
    }
}
