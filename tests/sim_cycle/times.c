/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycles of some jobs and rows, as the cycle model counted them when it last agreed with Verilated
 * devices (tests/sim_board/device.sh, make bench-cluster). Other tests bound its time; this one notices every
 * change of it. Where a change is meant, the message has the new numbers.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "host/measure/plan_run.h"
#include "sim/cycle/cluster_run.h"
#include "sim/verilated/packet_list.h"
#include "tests/sim_model/tile.h"
#include "tests/sim_model/victims.h"

#define TILES 120 /* whose sum is one number for each thirty */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_cycles(const char *what, const uint64_t *recorded, const uint64_t *cycles, size_t count)
{
    struct strbuf now = {0};
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        same = same && cycles[i] == recorded[i];
        sb_addf(&now, "%s%llu", i ? ", " : "", (unsigned long long)cycles[i]);
    }
    cr_assert(same, "the cycles of %s are now %s", what, sb_text(&now));
    sb_free(&now);
}

static uint64_t cycles_of(const struct variant *v, const struct slots *slots)
{
    struct cycle_options options = cycle_defaults(v);
    struct cycle_report report;
    options.limit = 10000000;
    cr_assert(cycle_run(v, &options, &slots->job, &report));
    const uint64_t cycles = report.result.cycles;
    cycle_report_free(&report);
    return cycles;
}

/* Programs of every kind of operation. */
Test(times, programs)
{
    static const uint64_t recorded[VICTIMS] = {676, 625, 1337, 1728, 1611, 1492, 1326, 9044, 2156, 860};
    uint64_t cycles[VICTIMS];
    for (unsigned i = 0; i < VICTIMS; i++) {
        struct victim t;
        victim_make(&t, i);
        cycles[i] = cycles_of(&t.v, &t.slots);
        victim_free(&t);
    }
    expect_cycles("the programs", recorded, cycles, VICTIMS);
}

/* Random operators of random variants. */
Test(times, tiles)
{
    static const uint64_t recorded[TILES / 30] = {72762, 99863, 125352, 96854};
    uint64_t cycles[TILES / 30] = {0};
    for (uint64_t i = 0; i < TILES; i++) {
        struct random dice = {i + 1};
        struct variant v = tile_variant(&dice);
        struct tile tile;
        tile_make(&tile, &dice, &v);
        cycles[i / 30] += cycles_of(&v, &tile.slots);
        tile_free(&tile);
    }
    expect_cycles("the tiles", recorded, cycles, COUNT(recorded));
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static const struct {
    const char *variant;
    struct plan_choice choice;
    double weights, activations;
    uint64_t device, row; /* cycles; of the row alone */
} plans[] = {
    {"tiny", {.mapping = PLAN_INPUT_STATIONARY, .split = {PLAN_M, PLAN_M}}, 0.3, 1, 10377, 9515},
    {"tiny",
     {.mapping = PLAN_OUTPUT_STATIONARY, .split = {PLAN_N, PLAN_K}, .block = 32},
     0.3,
     0.5,
     11677,
     10495},
    {"odd",
     {.mapping = PLAN_WEIGHT_STATIONARY, .split = {PLAN_K, PLAN_N}, .block = 64},
     0.2,
     0.7,
     3426,
     1915},
    {"base", {.mapping = PLAN_OUTPUT_STATIONARY, .split = {PLAN_M, PLAN_N}}, 0.1, 0.4, 1151, 849},
    {"base4",
     {.mapping = PLAN_INPUT_STATIONARY, .split = {PLAN_N, PLAN_M}, .packet_bytes = 512},
     0.2,
     0.3,
     1592,
     1366},
};

/* Row 0 alone, with its packets there at once and its results taken at once. */
static uint64_t row_cycles(const struct setup *setup, const struct plan_run *run, const struct plan *plan)
{
    struct job job;
    struct row_program program = {0};
    struct cluster_report report;
    plan_run_job(run, plan, &job);
    const char *why = row_program_read(&program, &setup->variant, &job);
    cr_assert_null(why, "%s", why);
    const struct cycle_options options = cycle_defaults(&setup->variant);
    cr_assert(cluster_run(&setup->variant, &options, program.row[0].packet, program.row[0].count, &report));
    cr_assert_eq(report.code, JOB_OK);
    row_program_free(&program);
    plan_run_job_free(&job);
    return report.cycles;
}

Test(times, plans)
{
    uint64_t recorded[2][COUNT(plans)], cycles[2][COUNT(plans)];
    for (unsigned i = 0; i < COUNT(plans); i++) {
        struct setup setup = setup_load(plans[i].variant, NULL);
        struct sparse w = sparse_random(60, 200, plans[i].weights, 1);
        const struct plan_description d = {.variant = &setup.variant, .weights = &w, .m = 20, .element = 2};
        struct plan_run run;
        struct plan plan = {0};
        plan_run_begin(&run, &setup, &d, plans[i].activations);
        const char *why = plan_why(plan_make(&d, &plans[i].choice, &plan));
        cr_assert_null(why, "plan %u: %s", i, why);
        cycles[0][i] = plan_run_cycles(&run, &plan);
        cycles[1][i] = row_cycles(&setup, &run, &plan);
        recorded[0][i] = plans[i].device;
        recorded[1][i] = plans[i].row;
        plan_free(&plan);
        plan_run_end(&run);
        sparse_free(&w);
    }
    expect_cycles("the plans", recorded[0], cycles[0], COUNT(plans));
    expect_cycles("their first rows", recorded[1], cycles[1], COUNT(plans));
}
