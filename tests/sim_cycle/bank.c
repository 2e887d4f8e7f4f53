/* SPDX-License-Identifier: Apache-2.0
 *
 * The activation bank in the cycle model: results and bytes are those of the functional model, and the time
 * of an access does not have the latency of memory.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/cycle/cycle.h"
#include "tests/sim_model/banked.h"

enum { PROGRAMS = 100 };

static struct job_result run_cycles(const struct banked *s, unsigned latency)
{
    struct cycle_options options = cycle_defaults(&s->b.variant);
    struct cycle_report report;
    options.latency = latency;
    options.limit = 10000000;
    cr_assert(cycle_run(&s->b.variant, &options, &s->slots.job, &report));
    const struct job_result result = report.result;
    cycle_report_free(&report);
    return result;
}

Test(bank, results_and_bytes_are_those_of_the_functional_model)
{
    const struct variant v = variant_of("tiny", BANKED_WITH);
    unsigned good = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct banked s;
        banked_make(&s, &v, SLOT_BANK, seed, 50);
        const size_t bytes = s.slots.job.slots[SLOT_OUTPUT].size;
        const struct job_result must = run_model(&s.b.variant, &s.slots);
        uint8_t *results = malloc(bytes);
        cr_assert(results);
        memcpy(results, s.slots.job.slots[SLOT_OUTPUT].bytes, bytes);
        slots_restore(&s.slots);
        const struct job_result is = run_cycles(&s, 64);
        cr_assert_eq(is.code, must.code, "seed %llu", (unsigned long long)seed);
        if (is.code == JOB_OK) {
            cr_assert(!memcmp(results, s.slots.job.slots[SLOT_OUTPUT].bytes, bytes));
            cr_assert_eq(is.bytes_read, must.bytes_read);
            cr_assert_eq(is.bytes_written, must.bytes_written);
            good++;
        }
        free(results);
        banked_free(&s);
    }
    cr_expect(good > PROGRAMS / 2, "%u programs end well", good);
}

/* ---- time ------------------------------------------------------------------------------------------ */

/* Cycles of a program that loads from a slot, and stores to a slot, `times` times in succession. */
static uint64_t cycles_of(unsigned from, unsigned to, unsigned times, unsigned latency)
{
    static const struct banked_piece piece = {.length = 512, .runs = 1, .planes = 1};
    const struct variant v = variant_of("tiny", BANKED_WITH);
    struct banked s;
    banked_begin(&s, &v, SLOT_BANK, 1);
    s.fenced = true;
    for (unsigned i = 0; i < times; i++) {
        banked_load(&s, from, &piece);
        banked_send(&s, piece.length / s.packed);
        banked_store(&s, to, &piece);
    }
    builder_finish(&s.b, &s.slots, 512);
    const struct job_result result = run_cycles(&s, latency);
    cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
    banked_free(&s);
    return result.cycles;
}

/* What the same program takes less in the bank. */
static uint64_t saved(unsigned from, unsigned to, unsigned times, unsigned latency)
{
    return cycles_of(SLOT_INPUT, SLOT_OUTPUT, times, latency) - cycles_of(from, to, times, latency);
}

/* A load from the bank has its first beat two cycles behind where memory has its address, and a store to it
 * its response a cycle earlier than memory of no latency. */
Test(bank, accesses_save_the_latency)
{
    static const unsigned latencies[] = {16, 64, 200};
    for (unsigned i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        const unsigned latency = latencies[i];
        for (unsigned times = 1; times <= 3; times++) {
            cr_expect_eq(saved(SLOT_BANK, SLOT_OUTPUT, times, latency), times * (latency - 2));
            cr_expect_eq(saved(SLOT_INPUT, SLOT_BANK, times, latency), times * (latency + 1));
            cr_expect_eq(saved(SLOT_BANK, SLOT_BANK, times, latency), times * (2 * latency - 1));
        }
    }
}
