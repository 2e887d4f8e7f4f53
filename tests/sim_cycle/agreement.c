/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model runs the same programs as the functional model: the same
 * results, whatever the knobs, in the same number of cycles every time, and
 * never in less than the data and the multiplications take.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cycle/cycle.h"
#include "tests/gen_base/rounds.h"
#include "tests/sim_model/tile.h"
#include "tests/sim_model/victims.h"

static struct cycle_options random_options(struct random *dice, const struct variant *v)
{
    struct cycle_options options = cycle_defaults(v);
    options.balance = (enum balance_rule)random_below(dice, 3);
    options.ring = random_chance(dice, 50);
    options.balance_threshold = random_range(dice, 1, 6);
    options.mac_bubble = random_chance(dice, 30) ? random_range(dice, 0, 5) : 0;
    options.latency = random_chance(dice, 50) ? 64 : random_range(dice, 1, 300);
    options.limit = 10000000;
    return options;
}

static struct job_result run_cycles(const struct variant *v, const struct cycle_options *options,
                                    struct slots *slots, uint64_t *busiest)
{
    struct cycle_report report;
    slots_restore(slots);
    cr_assert(cycle_run(v, options, &slots->job, &report));
    struct job_result result = report.result;
    expect_status(slots, &result);
    *busiest = 0;
    for (unsigned p = 0; p < report.pes; p++)
        *busiest = report.pe_busy[p] > *busiest ? report.pe_busy[p] : *busiest;
    cycle_report_free(&report);
    return result;
}

/* Cycles that the job takes at the very least. */
static void expect_possible(const struct variant *v, const struct job_result *r, uint64_t busiest)
{
    uint64_t port = v->memory_width / 8 * v->memory_ports, pes = (uint64_t)v->n * v->m * v->k;
    cr_assert_geq(r->cycles, r->bytes_read / port, "faster than the memory port reads");
    cr_assert_geq(r->cycles, r->bytes_written / port, "faster than the memory port writes");
    cr_assert_geq(r->cycles, r->bus_beats / v->n, "faster than the row buses");
    cr_assert_geq(r->cycles, r->effective_macs / pes, "faster than the multipliers");
    cr_assert_geq(r->cycles, busiest, "a PE was busy for longer than the job took");
    cr_assert_leq(r->moved, r->effective_macs);
}

/* Reproduce a failure: TULLE_TILE_SEED=<seed> TULLE_TILES=1 build/tests/sim_cycle --filter 'agreement/tiles'
 */
Test(agreement, tiles)
{
    uint64_t seed = from_environment("TULLE_TILE_SEED", 1),
             count = from_environment("TULLE_TILES", FEWER_ROUNDS(800));
    for (uint64_t i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct variant v = tile_variant(&dice);
        struct tile tile;
        tile_make(&tile, &dice, &v);
        struct cycle_options options = random_options(&dice, &v);
        uint64_t busiest[2];
        struct job_result once = run_cycles(&v, &options, &tile.slots, &busiest[0]);
        tile_expect(&tile, &once, seed + i);
        expect_possible(&v, &once, busiest[0]);
        struct job_result twice = run_cycles(&v, &options, &tile.slots, &busiest[1]);
        cr_assert_eq(once.cycles, twice.cycles, "TULLE_TILE_SEED=%llu: %llu cycles, then %llu",
                     (unsigned long long)(seed + i), (unsigned long long)once.cycles,
                     (unsigned long long)twice.cycles);
        tile_free(&tile);
    }
}

/* Which scheme moves what changes when things happen, never what comes out. */
Test(agreement, balancing_does_not_change_results)
{
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        for (unsigned scheme = 0; scheme < 6; scheme++) {
            struct cycle_options options = cycle_defaults(&t.v);
            uint64_t busiest;
            options.balance = (enum balance_rule)(scheme / 2);
            options.ring = scheme % 2;
            options.limit = 10000000;
            struct job_result result = run_cycles(&t.v, &options, &t.slots, &busiest);
            cr_assert_eq(result.code, JOB_OK, "victim %u, scheme %u: %s", which, scheme,
                         job_code_name(result.code));
            cr_assert(victim_is_right(&t), "victim %u, scheme %u", which, scheme);
            cr_assert_eq(result.moved == 0, options.balance == BALANCE_NONE || result.moved == 0);
        }
        victim_free(&t);
    }
}

/* Counters that time does not decide are those of the functional model. */
Test(agreement, counters)
{
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        struct cycle_options options = cycle_defaults(&t.v);
        uint64_t busiest;
        struct job_result with_time = run_cycles(&t.v, &options, &t.slots, &busiest);
        slots_restore(&t.slots);
        struct job_result without = victim_run(&t);
        uint64_t program =
            t.slots.job.slots[SLOT_PROGRAM].bytes[16] | t.slots.job.slots[SLOT_PROGRAM].bytes[17] << 8;
        cr_assert_eq(with_time.effective_macs, without.effective_macs);
        cr_assert_eq(with_time.scanned, without.scanned);
        cr_assert_eq(with_time.pe_busy, without.pe_busy);
        cr_assert_eq(with_time.bus_beats, without.bus_beats);
        cr_assert_eq(with_time.bytes_written, without.bytes_written);
        cr_assert_eq(with_time.bytes_read, without.bytes_read, "victim %u with %llu operations", which,
                     (unsigned long long)program);
        victim_free(&t);
    }
}

/* ---- broken programs -------------------------------------------------------------------------- */

static struct job_result run_broken(struct victim *t)
{
    struct cycle_options options = cycle_defaults(&t->v);
    struct cycle_report report;
    options.limit = 30000;
    cr_assert(cycle_run(&t->v, &options, &t->slots.job, &report));
    struct job_result result = report.result;
    cycle_report_free(&report);
    cr_assert(slots_whole(&t->slots), "written outside of the slots");
    cr_assert_str_neq(job_code_name(result.code), "unknown");
    return result;
}

Test(agreement, flipped_words_end_in_an_error_or_the_right_result)
{
    struct random dice = {from_environment("TULLE_FUZZ_SEED", 1)};
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        uint8_t *program = t.slots.job.slots[SLOT_PROGRAM].bytes;
        for (uint64_t w = 4 * random_below(&dice, 6); w + 4 <= t.slots.job.slots[SLOT_PROGRAM].size;
             w += 4 * random_range(&dice, 1, 12)) {
            slots_restore(&t.slots);
            program[w + random_below(&dice, 4)] ^= (uint8_t)(1u << random_below(&dice, 8));
            struct job_result result = run_broken(&t);
            cr_assert(result.code != JOB_OK || victim_is_right(&t), "victim %u, word at byte %llu", which,
                      (unsigned long long)w);
        }
        victim_free(&t);
    }
}

Test(agreement, changes_that_are_sealed_again_end)
{
    uint64_t runs = FEWER_ROUNDS(150) * from_environment("TULLE_FUZZ_RUNS", 1),
             seed = from_environment("TULLE_FUZZ_SEED", 1);
    for (unsigned which = 0; which < VICTIMS; which++) {
        struct victim t;
        victim_make(&t, which);
        for (uint64_t run = 0; run < runs; run++) {
            struct random dice = {(seed << 32) + run};
            slots_restore(&t.slots);
            for (uint64_t changes = random_below(&dice, 3) + 1; changes; changes--)
                victim_change_sealed(&t, &dice);
            run_broken(&t);
        }
        victim_free(&t);
    }
}

/* ---- sequences that differ -------------------------------------------------------------------- */

/* One packet to clusters whose buffers of that number do different things. */
Test(agreement, clusters_may_be_configured_differently)
{
    struct variant v = variant_of("tiny", NULL);
    struct builder b;
    struct slots slots;
    struct stream streams[2];
    struct strbuf bytes = {0};
    const struct config_instruction code[] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                              {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, NULL},
                                              {"mac", SETTINGS{{"resume", 1}, {"keep", 1}, {NULL, 0}}, NULL},
                                              {"mac", SETTINGS{{"resume", 1}, {"keep", 1}, {NULL, 0}}, NULL}};
    builder_begin(&b, &v);
    builder_config(&b, 0, NULL, code, 4);
    for (unsigned p = 0; p < 2; p++) {
        streams[p] = (struct stream){.variant = &v};
        for (unsigned s = 0; s < 12; s++)
            stream_weight(&streams[p], s, 1, true);
    }
    streams_pack(&v, streams, &bytes);
    b.config_rows = 2; /* the other row multiplies once */
    builder_config(&b, 0, NULL, code, 2);
    const struct send send = {.rows = 3, .clusters = 3, .command = EXEC, .count = 12};
    builder_send(&b, &send, bytes.text, bytes.len);
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    struct cycle_options options = cycle_defaults(&v);
    options.limit = 100000;
    uint64_t busiest;
    struct job_result result = run_cycles(&v, &options, &slots, &busiest);
    cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
    cr_assert_eq(result.scanned, 2 * 2 * 12 * (3 + 1));
    slots_free(&slots);
    sb_free(&bytes);
    stream_free(&streams[0]);
    stream_free(&streams[1]);
}

/* Results that no ST is to take may be overwritten; an entry is only in use while an ST waits for it. */
Test(agreement, kept_results_may_be_overwritten)
{
    struct variant v = variant_of("tiny", NULL);
    struct builder b;
    struct slots slots;
    struct stream streams[2];
    struct strbuf bytes = {0};
    const unsigned segments = 3 * v.output_queue_depth;
    const struct config_instruction code[] = {
        {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
        {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, SETTINGS{{"result_stride", 1}, {NULL, 0}}}};
    builder_begin(&b, &v);
    builder_config(&b, 0, NULL, code, 2);
    for (unsigned p = 0; p < 2; p++) {
        streams[p] = (struct stream){.variant = &v};
        for (unsigned s = 0; s < segments; s++)
            stream_weight(&streams[p], s, 1, true);
    }
    cr_assert(streams_pace(&v, streams));
    streams_pack(&v, streams, &bytes);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC, .count = segments};
    builder_send(&b, &send, bytes.text, bytes.len);
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    struct cycle_options options = cycle_defaults(&v);
    options.limit = 100000;
    uint64_t busiest;
    struct job_result result = run_cycles(&v, &options, &slots, &busiest);
    cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
    cr_assert_eq(result.scanned, 2 * segments);
    slots_free(&slots);
    sb_free(&bytes);
    stream_free(&streams[0]);
    stream_free(&streams[1]);
}

/* Activations and partial sums loaded in the middle of a run, scattered or not, with results before and
 * behind them, in more packets than runs are announced at a time. */
Test(agreement, loads_within_runs)
{
    struct variant v = variant_of("tiny", NULL);
    for (unsigned scatter = 0; scatter < 2; scatter++) {
        struct builder b;
        struct slots slots;
        const unsigned packets = 12, iterations = 3, bytes = (16 * (scatter ? v.k : 1) + 8) * iterations;
        uint8_t data[256] = {0};
        builder_begin(&b, &v);
        builder_config(&b, 0, SETTINGS{{"block", 16}, {NULL, 0}},
                       (const struct config_instruction[]){{"st", NULL, NULL},
                                                           {"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL},
                                                           {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, NULL},
                                                           {"st", NULL, NULL}},
                       4);
        writer_op(&b.writer, "store",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"slot", SLOT_OUTPUT},
                           {"element", 2},
                           {"length", packets * iterations * 2 * 8},
                           {NULL, 0}});
        for (unsigned i = 0; i < packets; i++) {
            const struct send send = {
                .rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT, .count = iterations, .scatter = scatter};
            data[bytes - 8] = (uint8_t)i;
            builder_send(&b, &send, data, bytes);
        }
        builder_finish(&b, &slots, (size_t)packets * iterations * 2 * 8);
        builder_free(&b);
        struct cycle_options options = cycle_defaults(&v);
        options.limit = 100000;
        uint64_t busiest;
        struct job_result result = run_cycles(&v, &options, &slots, &busiest);
        cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
        cr_assert_eq(slots.job.slots[SLOT_OUTPUT].bytes[packets * iterations * 2 * 8 - 8], packets - 1);
        slots_free(&slots);
    }
}
