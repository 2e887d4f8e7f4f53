/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators without weights: random tensors that are joined, against sim/numerics, and what is refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/numerics/join.h"
#include "support.h"
#include "tests/gen_base/scratch.h"

#define DEVICE "model:tiny;set=channel_groups=16;set=zero_points=on;set=roundings=on;set=joins=on"

/* Two tensors with scales and zero points. Strides leave gaps behind rows. */
struct trial {
    struct tulle_operator_options options;
    struct tulle_second second;
    struct tulle_epilogue epilogue;
    int64_t rows, columns, pitch;
    int16_t *first, *other; /* with a sign or without one */
    struct tulle_matrix input, joined;
};

static double scale_of(struct random *dice)
{
    return ldexp(1 + (double)random_below(dice, 1000) / 1000, -(int)random_below(dice, 8));
}

/* Numbers in an array of their type, with the rest of each pitch. */
static struct tulle_matrix view(const struct trial *t, int64_t rows, const int16_t *numbers, void *to)
{
    for (int64_t i = 0; i < rows * t->pitch; i++)
        if (t->second.type == TULLE_INT8)
            ((int8_t *)to)[i] = (int8_t)numbers[i];
        else
            ((int16_t *)to)[i] = numbers[i];
    return (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                 .type = t->second.type,
                                 .rows = rows,
                                 .columns = t->columns,
                                 .row_stride = t->pitch,
                                 .column_stride = 1,
                                 .values = to};
}

static struct trial trial_make(struct random *dice, unsigned rows)
{
    const unsigned bits = random_chance(dice, 30) ? 16 : 8;
    struct trial t = {.rows = random_range(dice, 1, rows), .columns = random_range(dice, 1, 60)};
    t.pitch = t.columns + random_range(dice, 0, 3);
    t.second = (struct tulle_second){
        .size = sizeof t.second,
        .join = (enum tulle_join)random_range(dice, TULLE_JOIN_ADD, TULLE_JOIN_MULTIPLY),
        .type = bits == 8 ? TULLE_INT8 : TULLE_INT16,
        .columns = t.columns,
        .is_row = random_chance(dice, 40),
        .has_no_sign = random_chance(dice, 40)};
    t.options =
        (struct tulle_operator_options){.size = sizeof t.options,
                                        .operation = TULLE_ELEMENTWISE,
                                        .dense = t.rows,
                                        .output_type = random_chance(dice, 70) ? TULLE_INT8 : TULLE_INT16,
                                        .input_unsigned = random_chance(dice, 40),
                                        .output_unsigned = random_chance(dice, 40)};
    const int values = 1 << bits, half = values / 2,
              results = t.options.output_type == TULLE_INT8 ? 256 : 65536;
    t.second.zero = (int)random_below(dice, (unsigned)values) - (t.second.has_no_sign ? 0 : half);
    t.options.input_zero = (int)random_below(dice, (unsigned)values) - (t.options.input_unsigned ? 0 : half);
    const int least = t.options.output_unsigned ? 0 : -results / 2;
    t.epilogue =
        (struct tulle_epilogue){.size = sizeof t.epilogue,
                                .function = TULLE_REQUANTISE,
                                .zero = least / 2 + (int)random_below(dice, (unsigned)results / 4),
                                .low = least + (int)random_below(dice, 20),
                                .high = least + results / 2 - 1 - (int)random_below(dice, 20),
                                .rounding = (enum tulle_rounding)random_below(dice, TULLE_ROUNDINGS)};
    done(tulle_join_scales(scale_of(dice), scale_of(dice), scale_of(dice) * (bits == 8 ? 1 : 256), &t.second,
                           &t.epilogue));
    t.first = calloc((size_t)(t.rows * t.pitch), sizeof *t.first);
    t.other = calloc((size_t)(t.rows * t.pitch), sizeof *t.other);
    void *first = calloc((size_t)(t.rows * t.pitch), sizeof(int16_t)),
         *other = calloc((size_t)(t.rows * t.pitch), sizeof(int16_t));
    cr_assert(t.first && t.other && first && other);
    for (int64_t i = 0; i < t.rows * t.pitch; i++) {
        t.first[i] = (int16_t)((int)random_below(dice, (unsigned)values) - half);
        t.other[i] = (int16_t)((int)random_below(dice, (unsigned)values) - half);
    }
    t.input = view(&t, t.rows, t.first, first);
    t.joined = view(&t, t.second.is_row ? 1 : t.rows, t.other, other);
    return t;
}

static void trial_free(struct trial *t)
{
    free(t->first);
    free(t->other);
    free((void *)t->input.values);
    free((void *)t->joined.values);
}

static int32_t number(const struct trial *t, int16_t stored, int has_no_sign)
{
    return !has_no_sign ? stored : t->second.type == TULLE_INT8 ? (uint8_t)stored : (uint16_t)stored;
}

static int64_t expected(const struct trial *t, int16_t first, int16_t other, unsigned accumulator)
{
    const struct tulle_epilogue *e = &t->epilogue;
    const int lift = !t->options.output_unsigned ? 0 : t->options.output_type == TULLE_INT8 ? 128 : 32768;
    const unsigned left = t->second.type == TULLE_INT8 ? 20 : 15;
    const struct num_operand half = {.multiplier = 1 << 30, .left = left, .shift = 31},
                             scaled = {
                                 .multiplier = t->second.multiplier, .left = left, .shift = t->second.shift};
    struct num_join join = {.joining = (enum num_joining)(t->second.join - TULLE_JOIN_ADD),
                            .a = t->second.scale_first ? scaled : half,
                            .b = t->second.scale_first ? half : scaled,
                            .step = {.function = NUM_REQUANTISE,
                                     .element = (enum num_element)t->options.output_type,
                                     .shift = e->shift,
                                     .multiplier = e->multiplier,
                                     .low = (int16_t)(e->low - lift),
                                     .high = (int16_t)(e->high - lift),
                                     .zero = (int16_t)(e->zero - lift),
                                     .rounding = (enum num_rounding)e->rounding}};
    join.a.zero = t->options.input_zero;
    join.b.zero = t->second.zero;
    const int64_t acc =
        num_join(&join, number(t, first, t->options.input_unsigned), number(t, other, t->second.has_no_sign));
    return num_apply(&join.step, num_wrap(acc, accumulator)) + lift;
}

static void run(struct tulle_operator *op, const struct trial *t, unsigned accumulator)
{
    const bool narrow = t->options.output_type == TULLE_INT8;
    void *values = calloc((size_t)(t->rows * t->columns), 2);
    const struct tulle_output output = {
        .size = sizeof output, .type = t->options.output_type, .values = values};
    const struct tulle_operands operands = {
        .size = sizeof operands, .input = &t->input, .second = &t->joined, .output = &output};
    done(tulle_run(op, &operands, WAIT, NULL));
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        const int64_t row = i / t->columns, column = i % t->columns;
        const int64_t stored = narrow ? ((int8_t *)values)[i] : ((int16_t *)values)[i],
                      got = !t->options.output_unsigned ? stored
                            : narrow                    ? (uint8_t)stored
                                                        : (uint16_t)stored,
                      wanted =
                          expected(t, t->first[row * t->pitch + column],
                                   t->other[(t->second.is_row ? 0 : row) * t->pitch + column], accumulator);
        cr_assert_eq(got, wanted, "row %lld, column %lld: %lld, not %lld", (long long)row, (long long)column,
                     (long long)got, (long long)wanted);
    }
    free(values);
}

static struct tulle_operator *create(struct tulle_device *device, struct trial *t)
{
    struct tulle_operator *op = NULL;
    t->options.second = &t->second;
    t->options.epilogue = &t->epilogue;
    done(tulle_operator_create(device, &t->options, &op));
    return op;
}

/* Every other operator is saved and loaded. */
static unsigned trials(const char *list, uint64_t memory, unsigned rows, unsigned count, uint64_t seed)
{
    struct tulle_device *device = open_device(list, NULL, memory);
    struct tulle_device_info info = {.size = sizeof info};
    unsigned jobs = 0;
    const char *const path = "operator";
    done(tulle_device_describe(device, &info));
    for (unsigned i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct trial t = trial_make(&dice, rows);
        struct tulle_operator *op = create(device, &t);
        struct tulle_operator_info about = {.size = sizeof about};
        if (i % 2) {
            done(tulle_operator_save(op, path));
            tulle_operator_free(op);
            done(tulle_operator_load(device, path, &op));
        }
        done(tulle_operator_describe(op, &about));
        cr_assert_str_eq(about.plan, "elementwise");
        cr_assert_gt(about.predicted_cycles, 0u);
        jobs += about.jobs;
        run(op, &t, info.accumulator_bits);
        if (i % 2 == 0) { /* and then fewer rows */
            t.rows = t.input.rows = random_range(&dice, 1, (unsigned)t.rows);
            t.joined.rows = t.second.is_row ? 1 : t.rows;
            run(op, &t, info.accumulator_bits);
        }
        tulle_operator_free(op);
        trial_free(&t);
    }
    tulle_device_close(device);
    return jobs;
}

Test(host_lib_joins, elementwise_on_tiny, .init = scratch_enter, .fini = scratch_leave)
{
    cr_assert_eq(trials(DEVICE, 0, 40, 300, 100), 300u);
}

Test(host_lib_joins, elementwise_on_base, .init = scratch_enter, .fini = scratch_leave)
{
    trials("model:base;set=channel_groups=16;set=zero_points=on;set=roundings=on;set=joins=on", 0, 40, 100,
           1000);
}

/* Tensors that do not fit at once are joined in several jobs. */
Test(host_lib_joins, elementwise_in_parts, .init = scratch_enter, .fini = scratch_leave)
{
    cr_assert_gt(trials(DEVICE ";memory=262144", 150000, 3000, 20, 2000), 24u);
}

#define IS(status, text, change)                                                     \
    do {                                                                             \
        struct random dice = {7};                                                    \
        struct trial t = trial_make(&dice, 3);                                       \
        struct tulle_operator *op = NULL;                                            \
        t.options.second = &t.second;                                                \
        t.options.epilogue = &t.epilogue;                                            \
        t.second.join = TULLE_JOIN_ADD;                                              \
        t.second.multiplier = 1 << 30;                                               \
        t.second.shift = 31;                                                         \
        t.second.fraction_15 = 0;                                                    \
        change;                                                                      \
        refuses((status), (text), tulle_operator_create(refusing, &t.options, &op)); \
        trial_free(&t);                                                              \
    } while (0)

Test(host_lib_joins, refusals)
{
    static const int32_t bias[1] = {0};
    static const struct tulle_channels channels = {.size = sizeof channels};
    static const struct tulle_plan_options plan = {.size = sizeof plan, .mapping = "os"};
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    struct tulle_device *refusing = open_device(DEVICE, NULL, 0);
    IS(wrong, "joins two operands", t.options.second = NULL);
    IS(wrong, "no join 4", t.second.join = TULLE_JOINS);
    IS(wrong, "no join 0", t.second.join = TULLE_JOIN_NONE);
    IS(wrong, "int8 or int16", t.second.type = TULLE_INT32);
    IS(wrong, "a multiplier of 1073741823", t.second.multiplier--);
    IS(wrong, "a shift of 30; 31 to 46", t.second.shift--);
    IS(wrong, "a shift of 42; 31 to 41", t.second.shift = 42; t.second.fraction_15 = 1);
    IS(wrong, "0 columns", t.second.columns = 0);
    IS(wrong, "struct tulle_second: size is 3", t.second.size = 3);
    IS(wrong, "reserved is 3", t.second.reserved = 3);
    IS(wrong, "is TULLE_REQUANTISE", t.epilogue.function = TULLE_NONE);
    IS(wrong, "joined results are int8 or int16", t.options.output_type = TULLE_INT32;
       t.options.output_unsigned = 0);
    IS(wrong, "has no matrix, bias", t.options.bias = bias);
    IS(wrong, "has no matrix, bias", t.options.channels = &channels);
    IS(wrong, "no mapping", t.options.plan = &plan);
    IS(wrong, "second: zero: 70000", t.second.zero = 70000);
    IS(wrong, "input_zero: 70000", t.options.input_zero = 70000);
    IS(wrong, "are those of TULLE_ELEMENTWISE", t.options.operation = TULLE_SPMM_RIGHT);
    IS(wrong, "only results of SpMM", t.options.operation = TULLE_SPMV; t.options.dense = 0;
       t.second.columns = 0; t.second.is_row = 0);
    IS(wrong, "channels must have", t.options.operation = TULLE_SPMM_RIGHT; t.second.columns = 0;
       t.second.is_row = 0);
    tulle_device_close(refusing);
}

Test(host_lib_joins, not_without_the_key)
{
    struct tulle_device *refusing = open_device("model:tiny", NULL, 0);
    IS(TULLE_UNSUPPORTED, "made without joins", t.options.input_unsigned = 0; t.options.output_unsigned = 0);
    tulle_device_close(refusing);
}

Test(host_lib_joins, scales)
{
    struct tulle_second second = {.size = sizeof second, .join = TULLE_JOIN_ADD};
    struct tulle_epilogue epilogue = {.size = sizeof epilogue};
    done(tulle_join_scales(0.5, 0.25, 0.75, &second, &epilogue));
    cr_assert(!second.scale_first && second.multiplier == 1 << 30 && second.shift == 32);
    cr_assert_float_eq(ldexp(epilogue.multiplier, 20 - (int)epilogue.shift), 1 / 0.75, 1e-8);
    done(tulle_join_scales(0.25, 0.5, 0.75, &second, &epilogue));
    cr_assert(second.scale_first && !second.fraction_15);
    second.type = TULLE_INT16;
    done(tulle_join_scales(0.25, 0.5, 0.75, &second, &epilogue));
    cr_assert(second.fraction_15);
    refuses(TULLE_INVALID_ARGUMENT, "too far apart", tulle_join_scales(1, 1.0 / 1025, 1, &second, &epilogue));
    refuses(TULLE_INVALID_ARGUMENT, "above 0", tulle_join_scales(1, 0, 1, &second, &epilogue));
    second.join = TULLE_JOIN_MULTIPLY;
    done(tulle_join_scales(0.25, 0.5, 0.75, &second, &epilogue));
    cr_assert_float_eq(ldexp(epilogue.multiplier, -(int)epilogue.shift), 0.125 / 0.75, 1e-9);
    refuses(TULLE_INVALID_ARGUMENT, "second or epilogue", tulle_join_scales(1, 1, 1, NULL, &epilogue));
}

/* What a run may bring. */
Test(host_lib_joins, operands)
{
    struct random dice = {9};
    struct trial t = trial_make(&dice, 5);
    struct tulle_device *device = open_device(DEVICE, NULL, 0);
    struct tulle_operator *op = create(device, &t);
    int16_t values[300];
    const struct tulle_output output = {
        .size = sizeof output, .type = t.options.output_type, .values = values};
    struct tulle_operands operands = {.size = sizeof operands, .input = &t.input, .output = &output};
    refuses(TULLE_INVALID_ARGUMENT, "the second operand: it is NULL", tulle_run(op, &operands, WAIT, NULL));
    struct tulle_matrix other = t.joined;
    operands.second = &other;
    other.columns++;
    refuses(TULLE_INVALID_ARGUMENT, "the second operand: ", tulle_run(op, &operands, WAIT, NULL));
    other = t.joined;
    other.type = TULLE_FLOAT32;
    refuses(TULLE_INVALID_ARGUMENT, "it has floats", tulle_run(op, &operands, WAIT, NULL));
    tulle_operator_free(op);
    tulle_device_close(device);
    trial_free(&t);
}
