/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices most of whose rows and columns have no entries: these take neither
 * cycles nor memory beyond that of the vectors.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/host_lib/support.h"

#define SIDE 1000000
#define ENTRIES 1000
#define EFFORT 20
#define VECTOR_BYTES 64 /* of memory for each row and column, and as many as SLACK beside them */
#define SLACK (24l << 20)

/* `entries` in rows and columns of `side` that a stride meets: each row once, every fourth column several
 * times. */
struct coordinates {
    int64_t entries;
    int32_t *row, *column;
    int8_t *value;
};

static struct coordinates coordinates_make(int64_t side, int64_t entries)
{
    struct random random = {11};
    const size_t count = (size_t)entries;
    struct coordinates c = {entries, malloc(count * sizeof *c.row), malloc(count * sizeof *c.column),
                            malloc(count)};
    for (int64_t i = 0; i < entries; i++) {
        c.row[i] = (int32_t)(i * 7919 % side);
        c.column[i] = (int32_t)(i * 104729 % side / 40 * 40);
        c.value[i] = random_non_zero(&random);
    }
    return c;
}

static void coordinates_free(struct coordinates *c)
{
    free(c->row);
    free(c->column);
    free(c->value);
}

static struct tulle_operator *create(struct tulle_device *device, const struct coordinates *c, int64_t side,
                                     struct tulle_operator_options options)
{
    const struct tulle_matrix matrix = {.size = sizeof matrix,
                                        .format = TULLE_COO,
                                        .type = TULLE_INT8,
                                        .rows = side,
                                        .columns = side,
                                        .entries = c->entries,
                                        .index_type = TULLE_INT32,
                                        .values = c->value,
                                        .indices = c->row,
                                        .more_indices = c->column};
    struct tulle_operator *op;
    options.size = sizeof options;
    options.matrix = &matrix;
    options.output_type = TULLE_INT32;
    done(tulle_operator_create(device, &options, &op));
    return op;
}

/* Runs with `dense` columns of x; results of empty rows are their bias. */
static void check(struct tulle_operator *op, const struct coordinates *c, int64_t side, int64_t dense,
                  int32_t bias)
{
    const size_t count = (size_t)(side * dense);
    int8_t *x = malloc(count);
    int32_t *y = malloc(count * sizeof *y), *wanted = malloc(count * sizeof *wanted);
    struct random random = {12};
    for (size_t i = 0; i < count; i++) {
        x[i] = random_non_zero(&random);
        wanted[i] = bias;
    }
    for (int64_t e = 0; e < c->entries; e++)
        for (int64_t d = 0; d < dense; d++)
            wanted[c->row[e] * dense + d] += c->value[e] * x[c->column[e] * dense + d];
    const struct tulle_matrix input = {
        .size = sizeof input, .type = TULLE_INT8, .rows = side, .columns = dense, .values = x};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = y};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    done(tulle_run(op, &operands, WAIT, NULL));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(y[i], wanted[i], "result %zu is %d, not %d", i, y[i], wanted[i]);
    free(x);
    free(y);
    free(wanted);
}

/* In bytes. */
static long peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

/* A thousand entries in a million rows and columns, and in a thousand: the same cycles. Twenty plans are
 * looked at, products among them. */
Test(host_lib_hypersparse, vector)
{
    struct tulle_device *device = open_device("model:base", "model:base", 0);
    struct coordinates many = coordinates_make(SIDE, ENTRIES), few = coordinates_make(ENTRIES, ENTRIES);
    struct tulle_operator_info info = {.size = sizeof info}, dense = {.size = sizeof dense};
    const struct tulle_plan_options plan = {.size = sizeof plan, .effort = EFFORT};
    const struct tulle_operator_options options = {.operation = TULLE_SPMV, .plan = &plan};
    const long before = peak_memory();
    struct tulle_operator *op = create(device, &many, SIDE, options);
    const long used = peak_memory() - before;
    cr_assert_lt(used, 2l * SIDE * VECTOR_BYTES + SLACK, "%ld bytes to plan", used);
    check(op, &many, SIDE, 1, 0);
    struct tulle_operator *small = create(device, &few, ENTRIES, options);
    check(small, &few, ENTRIES, 1, 0);
    done(tulle_operator_describe(op, &info));
    done(tulle_operator_describe(small, &dense));
    cr_assert_gt(info.predicted_cycles, 0u);
    cr_assert_leq(info.predicted_cycles, 2 * dense.predicted_cycles);
    cr_assert_leq(info.device_bytes, 2 * dense.device_bytes);
    tulle_operator_free(op);
    tulle_operator_free(small);
    tulle_device_close(device);
    coordinates_free(&many);
    coordinates_free(&few);
}

/* Also of several columns of x, with a bias, by products, and in several jobs on a device with little memory.
 */
Test(host_lib_hypersparse, columns_and_jobs)
{
    enum { WIDTH = 20000, SOME = 4000, COLUMNS = 5 };
    struct tulle_device *device = open_device("model:tiny;memory=262144", NULL, 150000);
    struct coordinates c = coordinates_make(WIDTH, SOME);
    static int32_t bias[WIDTH];
    for (unsigned i = 0; i < WIDTH; i++)
        bias[i] = 77;
    struct tulle_operator_info info = {.size = sizeof info};
    for (int64_t dense = 1; dense <= COLUMNS; dense += COLUMNS - 1) {
        const struct tulle_plan_options plan = {.size = sizeof plan, .mapping = "os"};
        struct tulle_operator *op = create(device, &c, WIDTH,
                                           (struct tulle_operator_options){.operation = TULLE_SPMM_LEFT,
                                                                           .dense = dense,
                                                                           .bias = bias,
                                                                           .plan = dense > 1 ? &plan : NULL});
        check(op, &c, WIDTH, dense, 77);
        done(tulle_operator_describe(op, &info));
        cr_assert_lt(info.device_bytes, 200000u);
        cr_assert(dense == 1 || info.jobs > 1, "%u jobs", info.jobs);
        tulle_operator_free(op);
    }
    tulle_device_close(device);
    coordinates_free(&c);
}
