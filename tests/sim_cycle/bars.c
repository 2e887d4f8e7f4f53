/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cycle model must reach. Cycles are deterministic, so these are
 * tests and not measurements; plan_run.c also compares every result with a plain
 * computation.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "host/measure/plan_run.h"

/* C = A x W, k = n = 512, 64 rows. */
static const struct {
    const char *variant;
    double weights, activations, bar;
} products[] = {
    {"base", 0.5, 1.0, 0.99},  {"base", 0.2, 1.0, 0.988},  {"base", 0.1, 1.0, 0.978},
    {"base4", 0.5, 1.0, 0.93}, {"base4", 0.2, 1.0, 0.93},  {"base4", 0.1, 1.0, 0.90},
    {"base4", 0.5, 0.5, 0.93}, {"base4", 0.2, 0.5, 0.93},  {"base4", 0.1, 0.5, 0.90},
    {"base4", 0.5, 0.3, 0.94}, {"base4", 0.2, 0.3, 0.928}, {"base4", 0.1, 0.3, 0.89},
};

Test(bars, spmm)
{
    for (unsigned i = 0; i < sizeof products / sizeof *products; i++) {
        struct setup setup = setup_load(products[i].variant, NULL);
        struct sparse w = sparse_random(512, 512, products[i].weights, 1);
        const struct plan_description d = {.variant = &setup.variant, .weights = &w, .m = 64, .element = 2};
        struct plan_measured m = plan_run_measure(
            &setup, &d, &(struct plan_choice){.split = {PLAN_M, PLAN_M}}, products[i].activations);
        cr_assert_null(m.refused, "%s", m.refused);
        cr_log_info("%s, weights %.1f, activations %.1f: %.3f", products[i].variant, products[i].weights,
                    products[i].activations, m.efficiency);
        cr_assert_geq(m.efficiency, products[i].bar, "%s, weights %.1f, activations %.1f: %.3f, not %.3f",
                      products[i].variant, products[i].weights, products[i].activations, m.efficiency,
                      products[i].bar);
        cr_assert_leq(m.efficiency, 1.0, "nothing is faster than its limits");
        sparse_free(&w);
    }
}

Test(bars, banded_spmv_of_a_million)
{
    struct setup setup = setup_load("base", NULL);
    struct sparse a = sparse_banded(45455, 22, 30, 1);
    cr_assert_geq(a.start[a.rows], 999000);
    const struct plan_description d = {
        .variant = &setup.variant, .operator= PLAN_SPMV, .weights = &a, .m = 1, .element = 2};
    const struct plan_choice choice = {.gather = PLAN_GATHER_DIAGONAL, .packet_bytes = 8192};
    struct plan_measured m = plan_run_measure(&setup, &d, &choice, 1);
    cr_assert_null(m.refused, "%s", m.refused);
    cr_log_info("banded SpMV: %.3f", m.efficiency);
    cr_assert(m.efficiency >= 0.88 && m.efficiency <= 1.0, "%.3f", m.efficiency);
    sparse_free(&a);
}

static uint64_t cycles_with_heavy_pe(const char *balance, unsigned pe, unsigned times)
{
    const char *const sets[] = {balance, NULL};
    struct setup setup = setup_load("base", sets);
    struct sparse w = sparse_heavy(512, 512, 0.1, setup.variant.k, pe, times, 1);
    const struct plan_description d = {.variant = &setup.variant, .weights = &w, .m = 16, .element = 2};
    struct plan_measured m =
        plan_run_measure(&setup, &d, &(struct plan_choice){.split = {PLAN_M, PLAN_M}, .rows_held = 4}, 1);
    cr_assert_null(m.refused, "%s", m.refused);
    sparse_free(&w);
    return m.cycles;
}

/* Wherever the PE with four times the weights of each other one is, half of its work at most stays; even
 * weights take no longer for it. */
Test(bars, balancing)
{
    for (unsigned pe = 0; pe < 8; pe++) {
        const double without = (double)cycles_with_heavy_pe("balance=none", pe, 4),
                     with = (double)cycles_with_heavy_pe("balance=neighbour", pe, 4);
        cr_log_info("heavy PE %u: %.0f cycles, %.0f without balancing: %.2f times", pe, with, without,
                    without / with);
        cr_assert_geq(without / with, 1.8, "heavy PE %u: %.2f times", pe, without / with);
    }
    cr_assert_leq(cycles_with_heavy_pe("balance=neighbour", 0, 1),
                  cycles_with_heavy_pe("balance=none", 0, 1));
}

/* Of the bytes that a product writes. */
struct written {
    double whole, in_bursts; /* in whole beats, in bursts of CYCLE_BURST_LONG beats and more */
    uint64_t cycles, beats;
};

static struct written written(const char *variant, const char *lines, const struct plan_description *of)
{
    const char *const sets[] = {lines, NULL};
    struct setup setup = setup_load(variant, sets);
    struct plan_description d = *of;
    struct plan_alternatives all;
    struct plan_run run;
    struct plan plan;
    struct cycle_report report;
    d.variant = &setup.variant;
    plan_run_begin(&run, &setup, &d, 1);
    cr_assert_eq(plan_choose(&d, NULL, plan_run_cost, &run, 0, &all, &plan), PLAN_OK);
    plan_run_report(&run, &plan, NULL, &report);
    const struct written out = {.whole = (double)report.stored_whole / (double)report.stored,
                                .in_bursts = (double)report.stored_long / (double)report.stored,
                                .cycles = report.result.cycles,
                                .beats = report.write_busy};
    cr_assert_eq(report.stored + ISA_STATUS_BYTES, report.result.bytes_written);
    cycle_report_free(&report);
    plan_run_end(&run);
    plan_free(&plan);
    return out;
}

/* Results of products lie side by side, and leave so with gather_lines, at no cost in cycles. */
Test(bars, whole_beats_and_bursts)
{
    static const struct {
        const char *variant;
        uint32_t rows, k, n;
        double density;
    } of[] = {{"base", 64, 512, 512, 0.5},
              {"base", 64, 512, 512, 0.1},
              {"base", 512, 64, 64, 0.3},
              {"base", 16, 128, 4096, 0.1},
              {"wide", 64, 512, 512, 0.2}};
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        struct sparse w = sparse_random(of[i].n, of[i].k, of[i].density, 1);
        const struct plan_description d = {.weights = &w, .m = of[i].rows, .element = 2};
        const struct written with = written(of[i].variant, "gather_lines=512", &d),
                             without = written(of[i].variant, "gather_lines=0", &d);
        cr_log_info(
            "%u x %u x %u on %s: %.3f in whole beats, %.3f in bursts; %.3f and %.3f without; %llu and %llu "
            "cycles",
            of[i].rows, of[i].k, of[i].n, of[i].variant, with.whole, with.in_bursts, without.whole,
            without.in_bursts, (unsigned long long)with.cycles, (unsigned long long)without.cycles);
        cr_expect_geq(with.whole, 0.95, "case %u: %.3f", i, with.whole);
        cr_expect_geq(with.in_bursts, 0.80, "case %u: %.3f", i, with.in_bursts);
        cr_expect_lt(without.in_bursts, 0.80, "case %u: %.3f without lines", i, without.in_bursts);
        cr_expect_leq(with.beats, without.beats, "case %u: %llu beats", i, (unsigned long long)with.beats);
        cr_expect_leq((double)with.cycles, 1.001 * (double)without.cycles, "case %u: %llu cycles, not %llu",
                      i, (unsigned long long)with.cycles, (unsigned long long)without.cycles);
        sparse_free(&w);
    }
}

/* Depthwise kernels of `side` x `side`, with steps of 2 or 1, over images of 64 or 128 channels. */
static double depthwise(const char *variant, const char *groups, const struct plan_window *window,
                        uint32_t images, double kept)
{
    const char *const sets[] = {groups, NULL};
    struct setup setup = setup_load(variant, sets);
    struct sparse w = sparse_random(window->channels, window->side_y * window->side_x, kept, 1);
    const struct plan_description d = {.variant = &setup.variant,
                                       .operator= PLAN_CONVOLUTION,
                                       .weights = &w,
                                       .window = window,
                                       .m = images,
                                       .element = 2};
    struct plan_alternatives all;
    struct plan_run run;
    struct plan plan;
    struct cycle_report report;
    plan_run_begin(&run, &setup, &d, 1);
    cr_assert_eq(plan_choose(&d, NULL, plan_run_cost, &run, 0, &all, &plan), PLAN_OK);
    plan_run_report(&run, &plan, NULL, &report);
    const double efficiency = run.roofline / (double)report.result.cycles;
    cycle_report_free(&report);
    plan_run_end(&run);
    plan_free(&plan);
    sparse_free(&w);
    return efficiency;
}

/* Results limit these: the store engine takes groups of K as fast as the memory takes them. */
Test(bars, several_groups_of_results)
{
    static const struct {
        const char *variant;
        struct plan_window window;
        uint32_t images;
        double kept, with, without; /* at least, with two groups a cycle; and below, with one */
    } of[] = {
        {"wide", {.height = 56, .width = 56, .channels = 64, .side_y = 2, .stride_y = 2}, 4, 1, 0.85, 0.47},
        {"wide", {.height = 57, .width = 57, .channels = 64, .side_y = 3, .stride_y = 2}, 4, 1, 0.72, 0.51},
        {"networks",
         {.height = 30, .width = 30, .channels = 128, .side_y = 3, .stride_y = 1},
         1,
         0.2,
         0.55,
         0.45},
    };
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        struct plan_window w = of[i].window;
        w.side_x = w.side_y;
        w.stride_x = w.stride_y;
        w.dilation_y = w.dilation_x = 1;
        w.depthwise = true;
        const double with = depthwise(of[i].variant, "store_groups=2", &w, of[i].images, of[i].kept),
                     without = depthwise(of[i].variant, "store_groups=1", &w, of[i].images, of[i].kept);
        cr_log_info("%ux%u on %s: %.3f, %.3f with one group", w.side_y, w.side_x, of[i].variant, with,
                    without);
        cr_expect_geq(with, of[i].with, "case %u: %.3f", i, with);
        cr_expect_lt(without, of[i].without, "case %u: %.3f", i, without);
    }
}

Test(bars, empty_job)
{
    static const char *const names[] = {"tiny", "base", "base4", "wide", "odd"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct setup setup = setup_load(names[i], NULL);
        cr_assert_eq(setup.options.latency, 64);
        const uint64_t cycles = plan_run_empty(&setup);
        cr_log_info("%s: an empty job takes %llu cycles", names[i], (unsigned long long)cycles);
        cr_assert_leq(cycles, strcmp(names[i], "base") ? 350 : 173, "%s: %llu cycles", names[i],
                      (unsigned long long)cycles);
    }
}
