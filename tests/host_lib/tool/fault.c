/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocation failure: an operator's life again and again, each time with the
 * next allocation failing, wherever it is made, until none is left to fail.
 * Every call answers with a status; a result that was not promised is not
 * written; at the end of a round as many blocks are there as at its beginning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/tulle.h"
#include "tests/host_icd/tool/allocation.h"

#define ROUNDS_MAX 100000
#define SECONDS_MAX 120
#define UNTOUCHED 0x5A5A5A5A

enum { ROWS = 8, COLUMNS = 16, DENSE = 2 };

static int width; /* of the dense operand: DENSE, or 1 for SpMV */
static bool
    convolves; /* kernels of 2 x 2 with 4 channels go over an image of 2 x 3: 2 results side by side */

static int8_t values[ROWS * COLUMNS], input[COLUMNS * DENSE];
static int32_t bias[ROWS], initial[ROWS * DENSE], out[ROWS * DENSE];
static const struct tulle_plan_options quick = {.size = sizeof quick, .effort = 1};
static const struct tulle_matrix matrix = {
    .size = sizeof matrix, .type = TULLE_INT8, .rows = ROWS, .columns = COLUMNS, .values = values};

static void die(const char *what, long number)
{
    allocation_fails_at(-1);
    fprintf(stderr, "lib-fault: %s (%ld): %s\n", what, number, tulle_message());
    _exit(1);
}

static void prepare(void)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i] = (int8_t)(i % 3 ? 0 : i % 100 - 50);
    for (int i = 0; i < COLUMNS * DENSE; i++)
        input[i] = (int8_t)(i * 7 % 90 - 45);
    for (int i = 0; i < ROWS * DENSE; i++)
        initial[i] = i;
}

/* What weight k of a result meets, in column c of the results. */
static int input_at(int k, int c)
{
    const int pixel = k / 8 * 3 + k / 4 % 2 + c;
    return convolves ? input[pixel * 4 + k % 4] : input[k * width + c];
}

static bool as_expected(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < width; c++) {
            int32_t sum = bias[r] + initial[r * width + c];
            for (int k = 0; k < COLUMNS; k++)
                sum += values[r * COLUMNS + k] * input_at(k, c);
            if (out[r * width + c] != sum)
                return false;
        }
    return true;
}

static bool untouched(void)
{
    for (int i = 0; i < ROWS * DENSE; i++)
        if (out[i] != UNTOUCHED)
            return false;
    return true;
}

static bool run(struct tulle_operator *op)
{
    const struct tulle_matrix dense = {.size = sizeof dense,
                                       .type = TULLE_INT8,
                                       .rows = convolves ? 6 : COLUMNS,
                                       .columns = convolves ? 4 : width,
                                       .values = input};
    const struct tulle_matrix sums = {
        .size = sizeof sums, .type = TULLE_INT32, .rows = ROWS, .columns = width, .values = initial};
    struct tulle_counters counters = {.size = sizeof counters};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = out};
    const struct tulle_operands operands = {
        .size = sizeof operands, .input = &dense, .initial = &sums, .output = &output};
    for (int i = 0; i < ROWS * DENSE; i++)
        out[i] = UNTOUCHED;
    enum tulle_status status = tulle_run(op, &operands, SECONDS_MAX * 1000, &counters);
    if (status ? !untouched() : !as_expected())
        die(status ? "a result of a run that failed" : "a wrong result", status);
    return !status;
}

static bool use(struct tulle_device *device, struct tulle_operator **op, struct tulle_operator **loaded)
{
    const struct tulle_window window = {.size = sizeof window,
                                        .height = 2,
                                        .width = 3,
                                        .channels = 4,
                                        .kernel_height = 2,
                                        .kernel_width = 2,
                                        .output_layout = TULLE_NCHW};
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = convolves    ? TULLE_CONVOLUTION
                                                                : width == 1 ? TULLE_SPMV
                                                                             : TULLE_SPMM_LEFT,
                                                   .matrix = &matrix,
                                                   .window = convolves ? &window : NULL,
                                                   .dense = convolves ? 0 : width,
                                                   .output_type = TULLE_INT32,
                                                   .bias = bias,
                                                   .initial = 1,
                                                   .plan = &quick};
    char text[100];
    return !tulle_operator_create(device, &options, op) && run(*op) && !tulle_operator_update(*op, &matrix) &&
           !tulle_operator_explain(*op, 1, text, sizeof text, NULL) &&
           !tulle_operator_save(*op, "fault.operator") &&
           !tulle_operator_load(device, "fault.operator", loaded) && run(*loaded);
}

/* The same matrix as one of floats. */
static bool use_floats(struct tulle_device *device)
{
    const struct tulle_matrix dense = {
        .size = sizeof dense, .type = TULLE_INT8, .rows = COLUMNS, .columns = DENSE, .values = input};
    const float bias_of_floats[ROWS] = {0};
    const struct tulle_float_options options = {.size = sizeof options,
                                                .operation = TULLE_SPMM_LEFT,
                                                .matrix = &matrix,
                                                .dense = DENSE,
                                                .bias = bias_of_floats,
                                                .range = 128,
                                                .plan = &quick};
    float results[ROWS * DENSE];
    struct tulle_float *op = NULL;
    const struct tulle_float_operands operands = {
        .size = sizeof operands, .input = &dense, .values = results};
    results[0] = (float)UNTOUCHED;
    bool ok = !tulle_float_create(device, &options, &op);
    if (ok && tulle_float_run(op, &operands, SECONDS_MAX * 1000, NULL, NULL)) {
        ok = false;
        if (results[0] != (float)UNTOUCHED)
            die("a result of a run that failed", 0);
    }
    tulle_float_free(op);
    return ok;
}

/* True when everything went well; `reached`: an allocation was made to fail. */
static bool round_of(long fail_at, bool *reached)
{
    struct tulle_device *device = NULL;
    struct tulle_operator *op = NULL, *loaded = NULL;
    allocation_fails_at(fail_at);
    bool ok = !tulle_device_open(NULL, NULL, &device) && use(device, &op, &loaded) &&
              (width != DENSE || convolves || use_floats(device));
    *reached = allocation_has_failed();
    if (!ok && !*tulle_message())
        die("no message", fail_at);
    tulle_operator_free(op);
    tulle_operator_free(loaded);
    tulle_device_close(device);
    return ok;
}

/* How many rounds failed. */
static long rounds(void)
{
    long failed = 0, n = 0;
    bool reached = true;
    for (n = 0; n < 3; n++) /* loader, board and worker are there afterwards */
        if (!round_of(-1, &reached))
            die("a round without failures", n);
    long before = allocation_settled(0);
    for (n = 0, reached = true; n < ROUNDS_MAX && reached; n++) {
        failed += !round_of(n, &reached);
        long after = allocation_settled(before);
        if (after != before)
            die("blocks are left", after - before);
    }
    return failed;
}

int main(void)
{
    alarm(SECONDS_MAX); /* a hang is a failure */
    prepare();
    width = 1;
    long spmv = rounds();
    width = DENSE;
    long spmm = rounds();
    convolves = true;
    long convolution = rounds();
    printf("lib-fault: %ld, %ld and %ld rounds failed, each with a status, and nothing is left of them\n",
           spmv, spmm, convolution);
    return spmv > 10 && spmm > 10 && convolution > 10 ? 0 : 1;
}
