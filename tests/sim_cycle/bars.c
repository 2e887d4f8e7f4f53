/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cycle model must reach. Cycles are deterministic, so these are
 * tests and not measurements; run.c also compares every result with a plain
 * computation.
 */
#include <criterion/criterion.h>

#include "sim/explore/run.h"

static const struct plan_options four_rows = {.rows_held = 4, .packet_bytes = 4096};
static const struct plan_options stream = {.packet_bytes = 8192};

/* C = A x W, k = n = 512, 64 rows. */
static const struct {
    const char *variant;
    double weights, activations, bar;
} products[] = {
    {"base", 0.5, 1.0, 0.93},  {"base", 0.2, 1.0, 0.93},  {"base", 0.1, 1.0, 0.90},
    {"base4", 0.5, 1.0, 0.93}, {"base4", 0.2, 1.0, 0.93}, {"base4", 0.1, 1.0, 0.90},
    {"base4", 0.5, 0.5, 0.93}, {"base4", 0.2, 0.5, 0.93}, {"base4", 0.1, 0.5, 0.90},
    {"base4", 0.5, 0.3, 0.93}, {"base4", 0.2, 0.3, 0.93}, {"base4", 0.1, 0.3, 0.89},
};

Test(bars, spmm)
{
    for (unsigned i = 0; i < sizeof products / sizeof *products; i++) {
        struct setup setup = setup_load(products[i].variant, NULL);
        struct sparse w = sparse_random(512, 512, products[i].weights, 1);
        struct measurement m = measure_spmm(&setup, &w, 64, products[i].activations, &four_rows);
        cr_assert_null(m.refused, "%s", m.refused);
        cr_log_info("%s, weights %.1f, activations %.1f: %.3f", products[i].variant, products[i].weights,
                    products[i].activations, m.efficiency);
        cr_assert_geq(m.efficiency, products[i].bar, "%s, weights %.1f, activations %.1f: %.3f, not %.2f",
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
    struct measurement m = measure_spmv(&setup, &a, &stream);
    cr_assert_null(m.refused, "%s", m.refused);
    cr_log_info("banded SpMV: %.3f", m.efficiency);
    cr_assert(m.efficiency >= 0.88 && m.efficiency <= 1.0, "%.3f", m.efficiency);
    sparse_free(&a);
}

Test(bars, empty_job)
{
    static const char *const names[] = {"tiny", "base", "base4", "wide", "odd"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct setup setup = setup_load(names[i], NULL);
        cr_assert_eq(setup.options.latency, 64);
        struct measurement m = measure_empty(&setup);
        cr_log_info("%s: an empty job takes %llu cycles", names[i], (unsigned long long)m.cycles);
        cr_assert_leq(m.cycles, 350, "%s: %llu cycles", names[i], (unsigned long long)m.cycles);
    }
}
