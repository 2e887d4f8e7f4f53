/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs with fewer dense rows, or images, than their operator was made for: the results are those that the
 * same rows have in a run with all of them, and the cost is theirs.
 */
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "tests/gen_base/scratch.h"

enum { ROWS = 13, K = 40, N = 30 };

/* An operator and operands of all its rows. */
struct product {
    struct tulle_device *device;
    struct sample weights, input;
    struct tulle_matrix matrix;
    struct tulle_operator_options options;
    struct tulle_operator *op;
    bool by_rows; /* a dense row is a row of input and output, not a column */
    int64_t columns;
    int32_t initial[ROWS * N];
};

static struct product product_make(enum tulle_operation operation, const char *devices, bool initial)
{
    struct random random = {11};
    struct product p = {
        .device = open_device(devices, NULL, 0), .by_rows = operation != TULLE_SPMM_LEFT, .columns = N};
    p.weights = p.by_rows ? sample_make(K, N, 0.3, &random) : sample_make(N, K, 0.3, &random);
    p.input = p.by_rows ? sample_make(ROWS, K, 0.7, &random) : sample_make(K, ROWS, 0.7, &random);
    p.matrix = sample_view(&p.weights, TULLE_CSR);
    for (unsigned i = 0; i < ROWS * N; i++)
        p.initial[i] = (int32_t)random_below(&random, 2000) - 1000;
    p.options = (struct tulle_operator_options){.size = sizeof p.options,
                                                .operation = operation,
                                                .matrix = &p.matrix,
                                                .dense = ROWS,
                                                .output_type = TULLE_INT32,
                                                .initial = initial};
    done(tulle_operator_create(p.device, &p.options, &p.op));
    return p;
}

static void product_free(struct product *p)
{
    tulle_operator_free(p->op);
    tulle_device_close(p->device);
    sample_free(&p->weights);
    sample_free(&p->input);
}

/* The first `rows` of them; places of other results keep what they have. */
static enum tulle_status run_rows(const struct product *p, int64_t rows, int32_t *to,
                                  struct tulle_counters *counters)
{
    struct tulle_matrix input = sample_view(&p->input, TULLE_DENSE),
                        initial = {.size = sizeof initial, .type = TULLE_INT32, .values = p->initial};
    *(p->by_rows ? &input.rows : &input.columns) = rows;
    input.row_stride = p->by_rows ? K : ROWS;
    input.column_stride = 1;
    initial.rows = p->by_rows ? rows : N;
    initial.columns = p->by_rows ? N : rows;
    initial.row_stride = p->by_rows ? N : ROWS;
    initial.column_stride = 1;
    const struct tulle_output output = {.size = sizeof output,
                                        .type = TULLE_INT32,
                                        .row_stride = initial.row_stride,
                                        .column_stride = 1,
                                        .values = to};
    const struct tulle_operands operands = {.size = sizeof operands,
                                            .input = &input,
                                            .initial = p->options.initial ? &initial : NULL,
                                            .output = &output};
    return tulle_run(p->op, &operands, WAIT, counters);
}

static void rows_are_equal(const struct product *p, const int32_t *all)
{
    static const int64_t counts[] = {5, 1, 12, 5, ROWS, 8};
    int32_t some[ROWS * N];
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        memset(some, 0x5A, sizeof some);
        done(run_rows(p, counts[c], some, NULL));
        for (int64_t row = 0; row < ROWS; row++)
            for (int64_t n = 0; n < N; n++) {
                const int64_t at = p->by_rows ? row * N + n : n * ROWS + row;
                const int32_t right = row < counts[c] ? all[at] : 0x5A5A5A5A;
                cr_assert_eq(some[at], right, "%lld of %d rows: row %lld, result %lld: %d, not %d",
                             (long long)counts[c], ROWS, (long long)row, (long long)n, some[at], right);
            }
    }
}

static void products(const char *devices)
{
    for (unsigned i = 0; i < 4; i++) {
        struct product p = product_make(i & 1 ? TULLE_SPMM_LEFT : TULLE_SPMM_RIGHT, devices, i & 2);
        int32_t all[ROWS * N];
        done(run_rows(&p, ROWS, all, NULL));
        rows_are_equal(&p, all);
        product_free(&p);
    }
}

Test(host_lib_fewer, products)
{
    products(tiny_device());
    products("model:base");
}

/* As many multiplications as of an operator that was made for so many; less of everything than of all rows.
 */
Test(host_lib_fewer, cost)
{
    struct product p = product_make(TULLE_SPMM_RIGHT, tiny_device(), false);
    struct tulle_counters some = {.size = sizeof some}, own = some, all = some;
    int32_t results[ROWS * N];
    done(run_rows(&p, ROWS, results, &all));
    done(run_rows(&p, 5, results, &some));
    tulle_operator_free(p.op);
    p.options.dense = 5;
    p.options.matrix = &p.matrix;
    done(tulle_operator_create(p.device, &p.options, &p.op));
    done(run_rows(&p, 5, results, &own));
    cr_assert_lt(some.effective_macs, all.effective_macs / 2);
    cr_assert_eq(some.effective_macs, own.effective_macs);
    cr_assert_lt(some.bytes_read, all.bytes_read);
    cr_assert_leq(some.cycles, all.cycles); /* where a device counts them */
    product_free(&p);
}

Test(host_lib_fewer, sizes)
{
    struct product p = product_make(TULLE_SPMM_RIGHT, tiny_device(), false);
    int32_t some[ROWS * N];
    struct tulle_matrix input = sample_view(&p.input, TULLE_DENSE);
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = some};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    input.rows = ROWS + 1;
    refuses(TULLE_INVALID_ARGUMENT, "and the operator takes 13 x 40", tulle_run(p.op, &operands, WAIT, NULL));
    input.rows = 5;
    input.columns = K - 1;
    refuses(TULLE_INVALID_ARGUMENT, "takes 5 x 40", tulle_run(p.op, &operands, WAIT, NULL));
    input.rows = 0;
    refuses(TULLE_INVALID_ARGUMENT, "the input", tulle_run(p.op, &operands, WAIT, NULL));
    product_free(&p);
}

/* Runs that were started keep what they use, and new values reach later ones. */
Test(host_lib_fewer, new_values)
{
    struct product p = product_make(TULLE_SPMM_RIGHT, tiny_device(), false);
    int32_t before[ROWS * N] = {0}, after[ROWS * N] = {0};
    done(run_rows(&p, 5, before, NULL));
    for (int64_t e = 0; e < p.weights.entries; e++)
        p.weights.value[e] = (int8_t)(p.weights.value[e] == 1 ? 2 : 1);
    done(tulle_operator_update(p.op, &p.matrix));
    int32_t all[ROWS * N];
    done(run_rows(&p, ROWS, all, NULL));
    done(run_rows(&p, 5, after, NULL));
    cr_assert(!memcmp(after, all, sizeof(int32_t) * 5 * N));
    cr_assert(memcmp(after, before, sizeof after));
    product_free(&p);
}

Test(host_lib_fewer, loaded, .init = scratch_enter, .fini = scratch_leave)
{
    struct product p = product_make(TULLE_SPMM_RIGHT, tiny_device(), false);
    int32_t some[ROWS * N];
    done(tulle_operator_save(p.op, "saved"));
    tulle_operator_free(p.op);
    done(tulle_operator_load(p.device, "saved", &p.op));
    done(run_rows(&p, ROWS, some, NULL));
    refuses(TULLE_UNSUPPORTED, "a loaded operator takes as many dense rows", run_rows(&p, 5, some, NULL));
    product_free(&p);
}

Test(host_lib_fewer, floats)
{
    struct random random = {3};
    struct tulle_device *device = open_device(tiny_device(), NULL, 0);
    struct sample weights = sample_make(K, N, 0.3, &random), input = sample_make(ROWS, K, 0.7, &random);
    const struct tulle_matrix matrix = sample_view(&weights, TULLE_CSR);
    struct tulle_matrix rows = sample_view(&input, TULLE_DENSE);
    const struct tulle_float_options options = {.size = sizeof options,
                                                .operation = TULLE_SPMM_RIGHT,
                                                .matrix = &matrix,
                                                .dense = ROWS,
                                                .range = 128};
    struct tulle_float *op;
    float all[ROWS * N], some[ROWS * N] = {0};
    done(tulle_float_create(device, &options, &op));
    struct tulle_float_operands operands = {.size = sizeof operands, .input = &rows, .values = all};
    done(tulle_float_run(op, &operands, WAIT, NULL, NULL));
    rows.rows = 5;
    operands.values = some;
    done(tulle_float_run(op, &operands, WAIT, NULL, NULL));
    cr_assert(!memcmp(all, some, sizeof(float) * 5 * N));
    cr_assert(some[5 * N] == 0);
    tulle_float_free(op);
    tulle_device_close(device);
    sample_free(&weights);
    sample_free(&input);
}

/* Images of a batch. The operands lie image by image in both layouts, so those of fewer begin alike. */
static unsigned windows(const char *devices, enum tulle_operation operation, unsigned data_bytes,
                        uint64_t seed)
{
    struct random random = {seed};
    struct shape s = shape_make(operation, data_bytes, &random);
    const int64_t batch = s.window.batch;
    struct tulle_device *device = open_device(devices, NULL, 0);
    struct tulle_operator *op =
        operation == TULLE_MAX_POOL ? shape_maximum(device, &s, seed) : shape_operator(device, &s, seed);
    if (op && batch > 1) {
        uint8_t *values = shape_room(&s);
        s.window.batch = batch - 1;
        s.input.rows -= s.input.rows / batch;
        s.initial.rows -= s.initial.rows / batch;
        struct tulle_output output;
        const struct tulle_operands operands = shape_operands(&s, values, &output);
        done(tulle_run(op, &operands, WAIT, NULL));
        shape_compare(device, &s, values, seed);
        free(values);
        s.window.batch = batch;
    }
    tulle_operator_free(op);
    tulle_device_close(device);
    shape_free(&s);
    return op && batch > 1;
}

Test(host_lib_fewer, images)
{
    unsigned run = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        run += windows(tiny_device(), TULLE_CONVOLUTION, 1, seed);
        run += windows(tiny_device(), TULLE_AVERAGE_POOL, 1, seed);
    }
    cr_assert_gt(run, 20, "only %u", run);
}
