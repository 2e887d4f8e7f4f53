/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights that stay on the device from one run of an operator to the next: the same results with less read,
 * on devices of variants with kept_weights, and what a job in between changes. A second device of the library
 * is a second context on the same board.
 */
#include <stdlib.h>
#include <string.h>

#include "host/tulle.h"
#include "tests/host_lib/support.h"

enum { ROWS = 60, K = 70, DEVICES = 2, OPERATORS = 3 };

#define LIST "model:tiny;set=kept_weights=on;timed=1"

/* An operator of each kind of weights, on one device of the library. */
struct user {
    struct tulle_device *device;
    struct tulle_operator *op[OPERATORS];
};

static struct sample weights[OPERATORS];

static void open_user(struct user *u, bool first)
{
    if (first)
        u->device = open_device(LIST, NULL, 0);
    else
        done(tulle_device_open(NULL, NULL, &u->device));
    for (unsigned i = 0; i < OPERATORS; i++) {
        const struct tulle_matrix matrix = sample_view(&weights[i], TULLE_CSR);
        const struct tulle_operator_options options = {.size = sizeof options,
                                                       .operation = TULLE_SPMM_LEFT,
                                                       .matrix = &matrix,
                                                       .dense = 1,
                                                       .output_type = TULLE_INT32};
        done(tulle_operator_create(u->device, &options, &u->op[i]));
    }
}

static void close_user(struct user *u)
{
    for (unsigned i = 0; i < OPERATORS; i++)
        tulle_operator_free(u->op[i]);
    tulle_device_close(u->device);
}

/* An x of that seed times the weights; bytes that the device has read. */
struct product {
    int8_t x[K];
    int32_t y[ROWS];
    struct tulle_matrix input;
    struct tulle_output output;
    struct tulle_operands operands;
};

static void prepare(struct product *p, uint64_t seed)
{
    struct random random = {seed};
    *p = (struct product){.input = {.size = sizeof p->input,
                                    .type = TULLE_INT8,
                                    .rows = K,
                                    .columns = 1,
                                    .row_stride = 1,
                                    .column_stride = 1,
                                    .values = p->x},
                          .output = {.size = sizeof p->output,
                                     .type = TULLE_INT32,
                                     .row_stride = 1,
                                     .column_stride = 1,
                                     .values = p->y},
                          .operands = {.size = sizeof p->operands, .input = &p->input, .output = &p->output}};
    for (unsigned i = 0; i < K; i++)
        p->x[i] = (int8_t)(random_below(&random, 255) - 127);
}

static void check(const struct product *p, unsigned which)
{
    for (unsigned r = 0; r < ROWS; r++) {
        int32_t sum = 0;
        for (unsigned c = 0; c < K; c++)
            sum += weights[which].dense[r * K + c] * p->x[c];
        cr_assert_eq(p->y[r], sum, "row %u of operator %u: %d, not %d", r, which, p->y[r], sum);
    }
}

static uint64_t run(const struct user *u, unsigned which, uint64_t seed)
{
    struct product p;
    struct tulle_counters counters = {.size = sizeof counters};
    prepare(&p, seed);
    done(tulle_run(u->op[which], &p.operands, WAIT, &counters));
    check(&p, which);
    cr_assert_eq(counters.jobs, 1);
    return counters.bytes_read;
}

static void begin(void)
{
    struct random random = {5};
    for (unsigned i = 0; i < OPERATORS; i++)
        weights[i] = sample_make(ROWS, K, 0.3, &random);
}

static void end(void)
{
    for (unsigned i = 0; i < OPERATORS; i++)
        sample_free(&weights[i]);
}

TestSuite(stays, .init = begin, .fini = end);

Test(stays, a_run_behind_one_of_the_same_operator_reads_no_weights)
{
    struct user u;
    open_user(&u, true);
    const uint64_t whole = run(&u, 0, 1), again = run(&u, 0, 2);
    cr_expect(again + weights[0].entries < whole, "%llu bytes of %llu", (unsigned long long)again,
              (unsigned long long)whole);
    cr_expect_eq(run(&u, 0, 3), again);
    run(&u, 1, 4);
    cr_expect_eq(run(&u, 0, 5), whole, "another operator was in between");
    cr_expect_eq(run(&u, 0, 6), again);
    close_user(&u);
}

/* The device tells: the library knows nothing of the other context. */
Test(stays, another_context_takes_and_gives_nothing)
{
    struct user u[DEVICES];
    for (unsigned i = 0; i < DEVICES; i++)
        open_user(&u[i], !i);
    const uint64_t whole = run(&u[0], 0, 1), again = run(&u[0], 0, 2);
    cr_expect_eq(run(&u[1], 0, 3), whole, "the same weights of another context");
    cr_expect_eq(run(&u[0], 0, 4), whole, "once more, and whole");
    cr_expect_eq(run(&u[0], 0, 5), again);
    for (unsigned i = 0; i < 40; i++)
        run(&u[i * 7 % 3 % DEVICES], i * 5 % 4 % OPERATORS, i);
    for (unsigned i = 0; i < DEVICES; i++)
        close_user(&u[i]);
}

/* Started one behind the other, and waited for later: those of the same operator find their weights. */
Test(stays, runs_in_a_row)
{
    enum { RUNS = 12 };
    struct user u[DEVICES];
    static struct product p[RUNS];
    struct tulle_run *runs[RUNS];
    for (unsigned i = 0; i < DEVICES; i++)
        open_user(&u[i], !i);
    for (unsigned i = 0; i < RUNS; i++) {
        prepare(&p[i], 100 + i);
        done(tulle_start(u[i % 5 == 4].op[i / 3 % OPERATORS], &p[i].operands, &runs[i]));
    }
    for (unsigned i = 0; i < RUNS; i++) {
        done(tulle_wait(runs[i], WAIT, NULL));
        check(&p[i], i / 3 % OPERATORS);
        tulle_run_free(runs[i]);
    }
    for (unsigned i = 0; i < DEVICES; i++)
        close_user(&u[i]);
}
