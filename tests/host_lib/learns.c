/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators whose caller does not say how many activations are not 0: the first input tells it, and which
 * channels have them. The plan is that of an operator that was made with that density, and the predicted
 * cycles are nearly those of the input.
 */
#include <math.h>
#include <string.h>

#include "shape.h"

enum { ROWS = 64, K = 256, N = 128 };

struct learner {
    struct tulle_device *device;
    struct sample weights, input;
    struct tulle_matrix matrix;
    struct tulle_operator_options options;
    struct tulle_operator *op;
};

static struct learner learner_make(double density)
{
    struct random random = {5};
    struct learner l = {.device = open_device("model:base", NULL, 0)};
    l.weights = sample_make(K, N, 0.2, &random);
    l.input = sample_make(ROWS, K, density, &random);
    l.matrix = sample_view(&l.weights, TULLE_CSR);
    l.options = (struct tulle_operator_options){
        .size = sizeof l.options, .operation = TULLE_SPMM_RIGHT, .dense = ROWS, .output_type = TULLE_INT32};
    return l;
}

static void learner_free(struct learner *l)
{
    tulle_operator_free(l->op);
    tulle_device_close(l->device);
    sample_free(&l->weights);
    sample_free(&l->input);
}

static struct tulle_operator_info create(struct learner *l, const struct tulle_plan_options *plan,
                                         double density)
{
    struct tulle_operator_info info = {.size = sizeof info};
    tulle_operator_free(l->op);
    l->options.matrix = &l->matrix;
    l->options.plan = plan;
    l->options.input_density = density;
    done(tulle_operator_create(l->device, &l->options, &l->op));
    done(tulle_operator_describe(l->op, &info));
    return info;
}

static struct tulle_operator_info run(struct learner *l, enum tulle_format format, int32_t *to)
{
    const struct tulle_matrix input = sample_view(&l->input, format);
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = to};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_run(l->op, &operands, WAIT, NULL));
    done(tulle_operator_describe(l->op, &info));
    return info;
}

static bool near(double predicted, double cycles)
{
    return fabs(predicted / cycles - 1) < 0.02;
}

static bool same_plan(const struct tulle_operator_info *a, const struct tulle_operator_info *b)
{
    return !strcmp(a->plan, b->plan) && a->device_bytes == b->device_bytes &&
           a->weights_bytes == b->weights_bytes;
}

static bool same(const struct tulle_operator_info *a, const struct tulle_operator_info *b)
{
    return a->predicted_cycles == b->predicted_cycles && same_plan(a, b);
}

/* As good as the same: places of zeros that were drawn differ. */
static bool alike(const struct tulle_operator_info *a, const struct tulle_operator_info *b)
{
    return near((double)a->predicted_cycles, (double)b->predicted_cycles) && same_plan(a, b);
}

static int32_t before[ROWS * N], after[ROWS * N];

Test(host_lib_learns, from_the_first_input)
{
    struct learner l = learner_make(0.3);
    const double density = (double)l.input.entries / (ROWS * K);
    const struct tulle_operator_info told = create(&l, NULL, density);
    run(&l, TULLE_DENSE, before);
    for (unsigned format = TULLE_DENSE; format <= TULLE_CSR; format++) {
        const struct tulle_operator_info guessed = create(&l, NULL, 0), learnt = run(&l, format, after),
                                         later = run(&l, format, after);
        cr_assert(!alike(&guessed, &told));
        cr_assert(alike(&learnt, &told), "%s, %llu cycles; with the density %s, %llu", learnt.plan,
                  (unsigned long long)learnt.predicted_cycles, told.plan,
                  (unsigned long long)told.predicted_cycles);
        cr_assert(same(&later, &learnt));
        cr_assert(!memcmp(before, after, sizeof before));
    }
    learner_free(&l);
}

/* What the caller has said stays. */
Test(host_lib_learns, nothing)
{
    static const struct tulle_plan_options wish = {.size = sizeof wish, .mapping = "ws"},
                                           effort = {.size = sizeof effort, .effort = 2};
    const struct tulle_plan_options *const plans[] = {NULL, &wish, &effort};
    for (unsigned i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct learner l = learner_make(0.3);
        const struct tulle_operator_info made = create(&l, plans[i], i ? 0 : 0.7),
                                         ran = run(&l, TULLE_DENSE, after);
        cr_assert(same(&made, &ran), "case %u", i);
        learner_free(&l);
    }
}

/* Nearly full inputs keep the plan, and are predicted. */
Test(host_lib_learns, what_nearly_full_inputs_take)
{
    struct learner l = learner_make(0.93);
    const struct tulle_operator_info made = create(&l, NULL, 0), ran = run(&l, TULLE_DENSE, after);
    cr_assert(same_plan(&made, &ran) && ran.predicted_cycles < made.predicted_cycles, "%llu and %llu cycles",
              (unsigned long long)made.predicted_cycles, (unsigned long long)ran.predicted_cycles);
    learner_free(&l);
}

/* All activations of a quarter of the channels: as many as of a density of 0.25, and PEs wait for those
 * channels. The device here is the cycle model. */
Test(host_lib_learns, which_channels_have_activations)
{
    enum { SIDE = 14, CHANNELS = 32, TAPS = 9, OUT = SIDE - 2 };
    static int8_t images[SIDE * SIDE * CHANNELS], kernels[CHANNELS * TAPS], to[OUT * OUT * CHANNELS];
    struct tulle_device *device = open_device("model:networks;timed=1", NULL, 0);
    struct tulle_operator *op = NULL;
    struct tulle_counters counters = {.size = sizeof counters};
    struct tulle_operator_info flat = {.size = sizeof flat}, info = {.size = sizeof info};
    for (size_t i = 0; i < sizeof images; i++)
        images[i] = i % CHANNELS % 4 == 0;
    memset(kernels, 3, sizeof kernels);
    const struct tulle_matrix matrix = {.size = sizeof matrix,
                                        .type = TULLE_INT8,
                                        .rows = CHANNELS,
                                        .columns = TAPS,
                                        .values = kernels},
                              input = {.size = sizeof input,
                                       .type = TULLE_INT8,
                                       .rows = SIDE * SIDE,
                                       .columns = CHANNELS,
                                       .values = images};
    const struct tulle_window window = {.size = sizeof window,
                                        .batch = 1,
                                        .height = SIDE,
                                        .width = SIDE,
                                        .channels = CHANNELS,
                                        .groups = CHANNELS,
                                        .kernel_height = 3,
                                        .kernel_width = 3,
                                        .input_layout = TULLE_NHWC,
                                        .output_layout = TULLE_NHWC};
    const struct tulle_epilogue epilogue = {
        .size = sizeof epilogue, .function = TULLE_CLAMP, .low = -128, .high = 127};
    struct tulle_operator_options options = {.size = sizeof options,
                                             .operation = TULLE_CONVOLUTION,
                                             .matrix = &matrix,
                                             .window = &window,
                                             .epilogue = &epilogue,
                                             .output_type = TULLE_INT8,
                                             .input_density = 0.25};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT8, .values = to};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    done(tulle_operator_create(device, &options, &op));
    done(tulle_operator_describe(op, &flat));
    tulle_operator_free(op);
    options.input_density = 0;
    done(tulle_operator_create(device, &options, &op));
    done(tulle_run(op, &operands, WAIT, &counters));
    done(tulle_operator_describe(op, &info));
    cr_expect(near((double)info.predicted_cycles, (double)counters.cycles),
              "%llu cycles predicted, %llu taken", (unsigned long long)info.predicted_cycles,
              (unsigned long long)counters.cycles);
    cr_expect(!near((double)flat.predicted_cycles, (double)counters.cycles),
              "%llu cycles for a density alone", (unsigned long long)flat.predicted_cycles);
    tulle_operator_free(op);
    tulle_device_close(device);
}

/* The first input may have fewer rows than the operator; the next ones have them all. */
Test(host_lib_learns, from_fewer_rows)
{
    struct learner l = learner_make(0.3);
    create(&l, NULL, 0);
    l.input.rows = 7;
    run(&l, TULLE_DENSE, after);
    l.input.rows = ROWS;
    run(&l, TULLE_DENSE, after);
    create(&l, NULL, 1);
    run(&l, TULLE_DENSE, before);
    cr_assert(!memcmp(before, after, sizeof before));
    learner_free(&l);
}
