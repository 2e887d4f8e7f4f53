/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: lib-fault NETWORK[:WEIGHTS]...
 *
 * Allocation failure: an operator's life again and again, each time with the
 * next allocation failing, wherever it is made, until none is left to fail.
 * Every call answers with a status; a result that was not promised is not
 * written; a round leaves no block behind.
 * The same for networks that are read from files, described and run.
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

/* ---- networks ------------------------------------------------------------------------------------ */

enum { TENSORS = 4, TENSOR_BYTES = 1 << 13, OPEN_SIZE = 4 };

static const char *net_path, *net_weights;
static unsigned char taken[TENSORS][TENSOR_BYTES], given[TENSORS][TENSOR_BYTES],
    expected[TENSORS][TENSOR_BYTES];
static bool have_expected;

/* Sizes and numbers for a tensor: those that the network leaves open are OPEN_SIZE. */
static void settle(struct tulle_tensor *t, unsigned char *room)
{
    for (unsigned i = 0; i < t->rank; i++)
        t->dimensions[i] = t->dimensions[i] < 0 ? OPEN_SIZE : t->dimensions[i];
    t->bytes = TENSOR_BYTES;
    t->values = room;
}

static void check_results(enum tulle_status status, size_t outputs)
{
    for (size_t i = 0; i < outputs; i++)
        for (size_t k = 0; k < TENSOR_BYTES; k++)
            if (status ? given[i][k] != (UNTOUCHED & 255) : have_expected && given[i][k] != expected[i][k])
                die(status ? "a result of a run that failed" : "a wrong result", (long)k);
    if (!status && !have_expected)
        memcpy(expected, given, sizeof given);
    have_expected = have_expected || !status;
}

/* False: the description of a tensor was refused. */
static bool take_tensors(struct tulle_net *net, size_t inputs, size_t outputs, struct tulle_tensor *from,
                         struct tulle_tensor *to)
{
    bool ok = true;
    for (size_t i = 0; ok && i < inputs; i++) {
        from[i] = (struct tulle_tensor){.size = sizeof from[i]};
        ok = !tulle_net_input(net, i, &from[i]);
        settle(&from[i], taken[i]);
    }
    for (size_t i = 0; ok && i < outputs; i++) {
        to[i] = (struct tulle_tensor){.size = sizeof to[i]};
        ok = !tulle_net_output(net, i, &to[i]);
        to[i].bytes = TENSOR_BYTES;
        to[i].values = given[i];
    }
    return ok;
}

static bool run_net(struct tulle_net *net)
{
    struct tulle_net_info info = {.size = sizeof info};
    struct tulle_tensor from[TENSORS], to[TENSORS];
    const struct tulle_tensor *inputs[TENSORS];
    struct tulle_tensor *outputs[TENSORS];
    if (tulle_net_describe(net, &info) || info.inputs > TENSORS || info.outputs > TENSORS ||
        !take_tensors(net, info.inputs, info.outputs, from, to))
        return false;
    for (size_t i = 0; i < TENSORS; i++) {
        inputs[i] = &from[i];
        outputs[i] = &to[i];
    }
    memset(given, UNTOUCHED & 255, sizeof given);
    const enum tulle_status status = tulle_net_run(net, inputs, info.inputs, outputs, info.outputs);
    check_results(status, info.outputs);
    return !status;
}

static bool net_round(long fail_at, bool *reached)
{
    const struct tulle_net_options options = {.size = sizeof options, .weights = net_weights};
    struct tulle_net *net = NULL;
    allocation_fails_at(fail_at);
    const bool ok = !tulle_net_load(net_path, &options, &net) && run_net(net);
    *reached = allocation_has_failed();
    if (!ok && !*tulle_message())
        die("no message", fail_at);
    tulle_net_free(net);
    return ok;
}

/* ---- rounds -------------------------------------------------------------------------------------- */

/* True when everything went well; `reached`: an allocation was made to fail. */
static bool operator_round(long fail_at, bool *reached)
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

/* A round that fails may run by another plan, of which the board's model then keeps decoded weights. The same
 * round once more finds them there; what leaks leaks again. */
static long check_blocks(bool (*round_of)(long fail_at, bool *reached), long n, long before)
{
    const long after = allocation_settled(before);
    if (after == before)
        return before;
    bool reached;
    (void)round_of(n, &reached);
    const long again = allocation_settled(after);
    if (again != after)
        die("blocks are left", again - after);
    return after;
}

/* How many rounds failed. */
static long rounds(bool (*round_of)(long fail_at, bool *reached))
{
    long failed = 0, n = 0;
    bool reached = true;
    for (n = 0; n < 3; n++) /* loader, board and worker are there afterwards */
        if (!round_of(-1, &reached))
            die("a round without failures", n);
    long before = allocation_settled(0);
    for (n = 0, reached = true; n < ROUNDS_MAX && reached; n++) {
        alarm(SECONDS_MAX); /* a hang is a failure */
        failed += !round_of(n, &reached);
        before = check_blocks(round_of, n, before);
    }
    return failed;
}

/* "NETWORK:WEIGHTS" is cut in two. */
static void fail_net(char *argument)
{
    char *colon = strchr(argument, ':');
    if (colon)
        *colon = 0;
    net_path = argument;
    net_weights = colon ? colon + 1 : NULL;
    have_expected = false;
    const long failed = rounds(net_round);
    printf("lib-fault: %s: %ld rounds failed\n", argument, failed);
    if (failed < 10)
        die("few allocations", failed);
}

int main(int argc, char **argv)
{
    prepare();
    for (int i = 0; i < TENSORS * TENSOR_BYTES; i++)
        taken[i / TENSOR_BYTES][i % TENSOR_BYTES] = (unsigned char)(i % 60);
    for (int i = 1; i < argc; i++)
        fail_net(argv[i]);
    width = 1;
    long spmv = rounds(operator_round);
    width = DENSE;
    long spmm = rounds(operator_round);
    convolves = true;
    long convolution = rounds(operator_round);
    printf("lib-fault: %ld, %ld and %ld rounds failed, each with a status, and nothing is left of them\n",
           spmv, spmm, convolution);
    return spmv > 10 && spmm > 10 && convolution > 10 ? 0 : 1;
}
