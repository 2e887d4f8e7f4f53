/* SPDX-License-Identifier: Apache-2.0
 *
 * The activation bank in the functional model: a program does with it what it does with the slot scratch of
 * the same size, bytes of memory aside; it is empty in every job; and what is refused.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/sim_model/banked.h"

enum { PROGRAMS = 150 };

/* How many programs end well. */
static unsigned compare(const char *name, const char *const *more, unsigned programs)
{
    const char *const *sets[] = {(const char *const[]){"local_bytes=1024", more[0], more[1], NULL},
                                 (const char *const[]){more[0], more[1], NULL}};
    const struct variant with = variant_of(name, sets[0]), without = variant_of(name, sets[1]);
    unsigned good = 0;
    for (uint64_t seed = 1; seed <= programs; seed++) {
        struct banked bank, memory;
        banked_make(&bank, &with, SLOT_BANK, seed, 50);
        banked_make(&memory, &without, SLOT_SCRATCH, seed, 50);
        const struct job_result is = run_model(&with, &bank.slots), must = run_model(&without, &memory.slots);
        cr_assert(is.code == must.code && is.queue == must.queue && is.offset == must.offset,
                  "%s, seed %llu: %s, not %s", name, (unsigned long long)seed, job_code_name(is.code),
                  job_code_name(must.code));
        cr_assert(is.code == JOB_OK || is.code == JOB_OUT_OF_SLOT, "%s", job_code_name(is.code));
        cr_assert_eq(bank.out, memory.out);
        cr_assert(!memcmp(bank.slots.job.slots[SLOT_OUTPUT].bytes, memory.slots.job.slots[SLOT_OUTPUT].bytes,
                          (size_t)bank.out + 8),
                  "%s, seed %llu", name, (unsigned long long)seed);
        if (is.code == JOB_OK) {
            cr_assert_eq(is.bytes_read + bank.read, must.bytes_read);
            cr_assert_eq(is.bytes_written + bank.written, must.bytes_written);
            good++;
        }
        banked_free(&bank);
        banked_free(&memory);
    }
    return good;
}

Test(bank, does_what_memory_does)
{
    static const char *const joins[] = {"joins=on", "channel_groups=16"}, *const none[] = {NULL, NULL};
    const unsigned good =
        compare("tiny", joins, PROGRAMS) + compare("base", joins, PROGRAMS) + compare("odd", none, PROGRAMS);
    cr_expect(good > 3 * PROGRAMS / 2 && good < 3 * PROGRAMS, "%u programs end well", good);
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

static const struct banked_piece WHOLE = {.length = BANK_BYTES, .runs = 1, .planes = 1};

/* Writes or reads the whole bank. */
static void one_way(struct banked *s, const struct variant *v, bool writes)
{
    banked_begin(s, v, SLOT_BANK, 3);
    s->fenced = true;
    banked_load(s, writes ? SLOT_INPUT : SLOT_BANK, &WHOLE);
    banked_send(s, BANK_BYTES / s->packed);
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
    const struct variant v = variant_of("tiny", BANKED_WITH);
    one_way(&writes, &v, true);
    one_way(&reads, &v, false);
    struct model *model = model_new(&v);
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
        const struct variant v = variant_of("tiny", way ? BANKED_WITHOUT : BANKED_WITH);
        banked_begin(&s, &v, SLOT_BANK, 1);
        writer_op(&s.b.writer, format, settings);
        builder_finish(&s.b, &s.slots, 64);
        const struct job_result is = run_model(&v, &s.slots);
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
