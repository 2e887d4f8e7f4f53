/* SPDX-License-Identifier: Apache-2.0
 *
 * The activation bank in the functional model: a program does with it what it does with the slot scratch of
 * the same size, bytes of memory aside; it is empty in every job; and what is refused.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/sim_model/banked.h"

enum { PROGRAMS = 400 };

Test(bank, does_what_memory_does)
{
    unsigned good = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct banked bank, memory;
        banked_make(&bank, BANKED_WITH, SLOT_BANK, seed);
        banked_make(&memory, BANKED_WITHOUT, SLOT_SCRATCH, seed);
        const struct job_result is = run_model(&bank.v, &bank.slots),
                                must = run_model(&memory.v, &memory.slots);
        cr_assert(is.code == must.code && is.queue == must.queue && is.offset == must.offset,
                  "seed %llu: %s, not %s", (unsigned long long)seed, job_code_name(is.code),
                  job_code_name(must.code));
        cr_assert(is.code == JOB_OK || is.code == JOB_OUT_OF_SLOT);
        cr_assert_eq(bank.out, memory.out);
        cr_assert(!memcmp(bank.slots.job.slots[SLOT_OUTPUT].bytes, memory.slots.job.slots[SLOT_OUTPUT].bytes,
                          (size_t)bank.out + 8),
                  "seed %llu", (unsigned long long)seed);
        if (is.code == JOB_OK) {
            cr_assert_eq(is.bytes_read + bank.read, must.bytes_read);
            cr_assert_eq(is.bytes_written + bank.written, must.bytes_written);
            good++;
        }
        banked_free(&bank);
        banked_free(&memory);
    }
    cr_expect(good > PROGRAMS / 2 && good < PROGRAMS, "%u programs end well", good);
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

static const struct banked_piece WHOLE = {.length = BANK_BYTES, .runs = 1, .planes = 1};

/* Writes or reads the whole bank. */
static void one_way(struct banked *s, bool writes)
{
    banked_begin(s, BANKED_WITH, SLOT_BANK, 3);
    banked_load(s, writes ? SLOT_INPUT : SLOT_BANK, &WHOLE);
    banked_send(s, BANK_BYTES);
    banked_store(s, writes ? SLOT_BANK : SLOT_OUTPUT, &WHOLE);
    builder_finish(&s->b, &s->slots, BANK_BYTES);
}

static void expect_zeros(struct model *model, struct banked *reads)
{
    slots_restore(&reads->slots);
    cr_assert_eq(run_on(model, &reads->slots).code, JOB_OK);
    for (unsigned i = 0; i < BANK_BYTES; i++)
        cr_assert_eq(reads->slots.job.slots[SLOT_OUTPUT].bytes[i], 0, "byte %u", i);
}

Test(bank, is_empty_when_a_job_begins)
{
    struct banked writes, reads;
    one_way(&writes, true);
    one_way(&reads, false);
    struct model *model = model_new(&writes.v);
    cr_assert(model);
    expect_zeros(model, &reads);
    cr_assert_eq(run_on(model, &writes.slots).code, JOB_OK);
    expect_zeros(model, &reads);
    /* A job that failed leaves nothing, either: it wrote before it did. */
    writes.slots.job.max_operations = 8;
    cr_assert_eq(run_on(model, &writes.slots).code, JOB_WATCHDOG);
    expect_zeros(model, &reads);
    struct job_result by_chance;
    for (uint64_t seed = 1; seed < 6; seed++) {
        slots_restore(&reads.slots);
        model_run_by_chance(model, &reads.slots.job, seed, &by_chance);
        cr_assert_eq(by_chance.code, JOB_OK);
        cr_assert_eq(reads.slots.job.slots[SLOT_OUTPUT].bytes[seed], 0, "memories that hold anything");
    }
    model_free(model);
    banked_free(&writes);
    banked_free(&reads);
}

/* ---- what is refused ------------------------------------------------------------------------------- */

/* An operation alone, in a variant with a bank and in one without. */
static void expect(const char *format, const struct setting *settings, enum job_code with,
                   enum job_queue queue)
{
    for (unsigned way = 0; way < 2; way++) {
        struct banked s;
        banked_begin(&s, way ? BANKED_WITHOUT : BANKED_WITH, SLOT_BANK, 1);
        writer_op(&s.b.writer, format, settings);
        builder_finish(&s.b, &s.slots, 64);
        const struct job_result is = run_model(&s.v, &s.slots);
        cr_assert_eq(is.code, way ? JOB_NO_FEATURE : with, "%s: %s", format, job_code_name(is.code));
        cr_assert_eq(is.queue, way ? QUEUE_COMMAND : queue, "%s: queue %d", format, is.queue);
        banked_free(&s);
    }
}

#define IN_BANK           \
    {                     \
        "slot", SLOT_BANK \
    }
#define STORED {"rows", 1}, {"clusters", 1}, {"element", NUM_INT32}, IN_BANK

Test(bank, accesses_outside_and_variants_without_it)
{
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", BANK_BYTES}), JOB_OK, QUEUE_NONE);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", BANK_BYTES}, {"zero", 1}), JOB_OK, QUEUE_NONE);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"offset", BANK_BYTES - 8}), JOB_OK, QUEUE_NONE);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"offset", BANK_BYTES}), JOB_OUT_OF_SLOT,
           QUEUE_LOAD);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"runs", 2}, {"run_pitch", BANK_BYTES}),
           JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"planes", 2}, {"plane_pitch", -8}),
           JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect("store", WITH(STORED, {"length", 8}, {"offset", BANK_BYTES - 4}), JOB_OUT_OF_SLOT, QUEUE_STORE);
    expect("accumulate", WITH(IN_BANK, {"source", 1}, {"length", 8}), JOB_OK, QUEUE_NONE);
    expect("accumulate", WITH(IN_BANK, {"source", 1}, {"length", 8}, {"offset", BANK_BYTES}), JOB_OUT_OF_SLOT,
           QUEUE_ACCUMULATE);
    expect("accumulate", WITH(IN_BANK), JOB_OK, QUEUE_NONE);
}
