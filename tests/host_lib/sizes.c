/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of structures that cannot be. tests/host_lib/sizes.sh has those of
 * other versions.
 */
#include <stddef.h>
#include <string.h>

#include <stddef.h>

#include "support.h"
#include "tests/gen_base/scratch.h"

static const int8_t values[4] = {1, 2, 3, 4};
static int32_t results[4];
static struct tulle_device *device;
static struct tulle_operator *op;
static struct tulle_float *floats;

/* One of each, as it should be; bytes behind the matrix stand for fields of a later version. */
static struct {
    struct tulle_device_options device_options;
    struct tulle_device_info device_info;
    struct {
        struct tulle_matrix it;
        unsigned char later[16];
    } matrix;
    struct tulle_matrix input;
    struct tulle_output output;
    struct tulle_window window;
    struct tulle_epilogue epilogue;
    struct tulle_plan_options plan;
    struct tulle_operator_options options;
    struct tulle_operator_info info;
    struct tulle_operands operands;
    struct tulle_counters counters;
    struct tulle_float_options float_options;
    struct tulle_float_info float_info;
    struct tulle_float_operands float_operands;
    struct tulle_net_options net_options;
    struct tulle_net_info net_info;
    struct tulle_tensor tensor;
} all;

static void make_all(void)
{
    const struct tulle_matrix matrix = {
        .size = sizeof matrix, .type = TULLE_INT8, .rows = 2, .columns = 2, .values = values};
    device = open_device("model:tiny", NULL, 0);
    memset(&all, 0, sizeof all);
    all.device_options.size = sizeof all.device_options;
    all.device_info.size = sizeof all.device_info;
    all.matrix.it = all.input = matrix;
    all.output = (struct tulle_output){.size = sizeof all.output, .type = TULLE_INT32, .values = results};
    all.window.size = sizeof all.window;
    all.epilogue.size = sizeof all.epilogue;
    all.plan.size = sizeof all.plan;
    all.options = (struct tulle_operator_options){.size = sizeof all.options,
                                                  .operation = TULLE_SPMM_LEFT,
                                                  .matrix = &all.matrix.it,
                                                  .dense = 2,
                                                  .output_type = TULLE_INT32,
                                                  .epilogue = &all.epilogue,
                                                  .plan = &all.plan};
    all.info.size = sizeof all.info;
    all.operands =
        (struct tulle_operands){.size = sizeof all.operands, .input = &all.input, .output = &all.output};
    all.counters.size = sizeof all.counters;
    all.float_options = (struct tulle_float_options){.size = sizeof all.float_options,
                                                     .operation = TULLE_SPMM_LEFT,
                                                     .matrix = &all.matrix.it,
                                                     .dense = 2,
                                                     .range = 4};
    all.float_info.size = sizeof all.float_info;
    all.net_options.size = sizeof all.net_options;
    all.net_info.size = sizeof all.net_info;
    all.tensor.size = sizeof all.tensor;
    all.float_operands = (struct tulle_float_operands){
        .size = sizeof all.float_operands, .input = &all.input, .values = (float *)results};
    done(tulle_operator_create(device, &all.options, &op));
    done(tulle_float_create(device, &all.float_options, &floats));
}

static void free_all(void)
{
    tulle_operator_free(op);
    tulle_float_free(floats);
    tulle_device_close(device);
}

TestSuite(host_lib_sizes, .init = make_all, .fini = free_all);

/* Size 0, one byte less than the first version has, and a size that was never set. */
#define REFUSES_SIZES_BELOW(first_version, tag, field, call)                                       \
    do {                                                                                           \
        const size_t size_ = (field).size;                                                         \
        (field).size = 0;                                                                          \
        refuses(TULLE_INVALID_ARGUMENT, "struct " #tag ": size is 0; set it to the sizeof", call); \
        (field).size = (first_version)-1;                                                          \
        refuses(TULLE_INVALID_ARGUMENT, "struct " #tag ": size is ", call);                        \
        (field).size = SIZE_MAX / 3;                                                               \
        refuses(TULLE_INVALID_ARGUMENT, "struct " #tag ": size is ", call);                        \
        (field).size = size_;                                                                      \
    } while (0)
/* Of a structure that has not grown. */
#define REFUSES_SIZES(tag, field, call) REFUSES_SIZES_BELOW((field).size, tag, field, call)

Test(host_lib_sizes, too_small)
{
    struct tulle_device *other = NULL;
    struct tulle_operator *made = NULL;
    struct tulle_float *float_made = NULL;
    struct tulle_run *run = NULL;
    struct tulle_net *net = NULL;
    size_t count;
    REFUSES_SIZES(tulle_device_info, all.device_info, tulle_devices(&all.device_info, 1, &count));
    REFUSES_SIZES(tulle_device_info, all.device_info, tulle_device_describe(device, &all.device_info));
    REFUSES_SIZES(tulle_device_options, all.device_options,
                  tulle_device_open(NULL, &all.device_options, &other));
    REFUSES_SIZES_BELOW(offsetof(struct tulle_operator_options, input_unsigned), tulle_operator_options,
                        all.options, tulle_operator_create(device, &all.options, &made));
    REFUSES_SIZES(tulle_matrix, all.matrix.it, tulle_operator_create(device, &all.options, &made));
    REFUSES_SIZES(tulle_matrix, all.matrix.it, tulle_operator_update(op, &all.matrix.it));
    REFUSES_SIZES_BELOW(offsetof(struct tulle_epilogue, rounding), tulle_epilogue, all.epilogue,
                        tulle_operator_create(device, &all.options, &made));
    REFUSES_SIZES(tulle_plan_options, all.plan, tulle_operator_create(device, &all.options, &made));
    all.options.window = &all.window;
    REFUSES_SIZES_BELOW(offsetof(struct tulle_window, round_away), tulle_window, all.window,
                        tulle_operator_create(device, &all.options, &made));
    REFUSES_SIZES(tulle_operator_info, all.info, tulle_operator_describe(op, &all.info));
    REFUSES_SIZES_BELOW(offsetof(struct tulle_operands, second), tulle_operands, all.operands,
                        tulle_run(op, &all.operands, WAIT, NULL));
    REFUSES_SIZES(tulle_matrix, all.input, tulle_run(op, &all.operands, WAIT, NULL));
    REFUSES_SIZES(tulle_output, all.output, tulle_start(op, &all.operands, &run));
    REFUSES_SIZES(tulle_counters, all.counters, tulle_run(op, &all.operands, WAIT, &all.counters));
    REFUSES_SIZES(tulle_float_options, all.float_options,
                  tulle_float_create(device, &all.float_options, &float_made));
    REFUSES_SIZES(tulle_float_info, all.float_info, tulle_float_describe(floats, &all.float_info));
    REFUSES_SIZES(tulle_float_operands, all.float_operands,
                  tulle_float_run(floats, &all.float_operands, WAIT, NULL, NULL));
    scratch_enter();
    scratch_write("a.prototxt",
                  "input: 'x' input_dim: 1 layer { name: 'y' type: 'ReLU' bottom: 'x' top: 'y' }");
    done(tulle_net_load("a.prototxt", NULL, &net));
    REFUSES_SIZES(tulle_tensor, all.tensor, tulle_net_input(net, 0, &all.tensor));
    REFUSES_SIZES(tulle_tensor, all.tensor, tulle_net_output(net, 0, &all.tensor));
    REFUSES_SIZES(tulle_tensor, all.tensor,
                  tulle_net_run(net, (const struct tulle_tensor *const[]){&all.tensor}, 1, NULL, 0));
    tulle_net_free(net);
    net = NULL;
    scratch_leave();
    REFUSES_SIZES_BELOW(offsetof(struct tulle_net_options, threads), tulle_net_options, all.net_options,
                        tulle_net_load("none", &all.net_options, &net));
    cr_assert(!other && !made && !float_made && !run && !net);
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(results[i], 0);
    /* A run that has ended keeps its answer. */
    done(tulle_start(op, &all.operands, &run));
    REFUSES_SIZES(tulle_counters, all.counters, tulle_wait(run, WAIT, &all.counters));
    done(tulle_wait(run, WAIT, &all.counters));
    cr_assert_eq(all.counters.jobs, 1u);
    tulle_run_free(run);
}

Test(host_lib_sizes, too_large)
{
    all.matrix.it.size = sizeof all.matrix;
    done(tulle_operator_update(op, &all.matrix.it));
    all.matrix.later[15] = 1;
    refuses(TULLE_INVALID_ARGUMENT, "byte 15 behind them is not 0: the program needs a newer library",
            tulle_operator_update(op, &all.matrix.it));
    all.matrix.it.size--;
    done(tulle_operator_update(op, &all.matrix.it));
}

Test(host_lib_sizes, reserved)
{
    struct tulle_operator *made = NULL;
    all.epilogue.reserved = 1;
    refuses(TULLE_INVALID_ARGUMENT, "the epilogue: reserved is 1",
            tulle_operator_create(device, &all.options, &made));
    all.epilogue.reserved = 0;
    all.epilogue.reserved2 = 2;
    refuses(TULLE_INVALID_ARGUMENT, "the epilogue: reserved is 2",
            tulle_operator_create(device, &all.options, &made));
    all.epilogue.reserved2 = 0;
    all.plan.reserved = 1;
    refuses(TULLE_INVALID_ARGUMENT, "the plan: reserved is 1",
            tulle_operator_create(device, &all.options, &made));
    cr_assert_null(made);
}
