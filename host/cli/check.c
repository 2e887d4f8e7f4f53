/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/floats.h"
#include "host/cli/window.h"
#include "sim/numerics/join.h"
#include "sim/numerics/numerics.h"
#include "sim/numerics/softmax.h"

/* Sums are modulo 2^64, as unsigned numbers are; the accumulator has no more bits. */
struct sums {
    uint64_t *at;
    int64_t columns;
};

/* A number of column `row` of A times the sparse one's (row, column) goes to column `column` of C. */
static void add_right(const struct operands *o, struct sums *s, int64_t row, int64_t column, int64_t value)
{
    for (int64_t i = 0; i < o->input.rows; i++)
        s->at[i * s->columns + column] += (uint64_t)value * (uint64_t)o->input.at[i * o->input.columns + row];
}

/* The number times row `column` of B, or of x, goes to row `row`. */
static void add_left(const struct operands *o, struct sums *s, int64_t row, int64_t column, int64_t value)
{
    for (int64_t i = 0; i < s->columns; i++)
        s->at[row * s->columns + i] += (uint64_t)value * (uint64_t)o->input.at[column * s->columns + i];
}

static void add_entry(const struct operands *o, struct sums *s, int64_t row, int64_t column, int64_t value)
{
    if (o->operation == TULLE_SPMM_RIGHT)
        add_right(o, s, row, column, value);
    else
        add_left(o, s, row, column, value);
}

static void add_products(struct product *p, struct sums *s)
{
    const struct operands *o = &p->operands;
    const struct matrix *m = &o->sparse;
    for (uint32_t r = 0; r < m->rows; r++) {
        progress_tick(&p->progress, (double)r / m->rows);
        for (uint64_t i = m->start[r]; i < m->start[r + 1]; i++)
            add_entry(o, s, o->transposed ? m->column[i] : r, o->transposed ? r : m->column[i],
                      m->integer[i]);
    }
}

/* One for each output: a column of C with W on the right, a row of the result otherwise; of images a channel.
 */
static void add_bias(const struct operands *o, struct sums *s)
{
    for (int64_t r = 0; o->bias.at && r < operands_result_rows(o); r++)
        for (int64_t c = 0; c < s->columns; c++)
            s->at[r * s->columns + c] += (uint64_t)o->bias.at[given_output(o, r, c)];
}

static const enum num_element elements[] = {
    [TULLE_INT8] = NUM_INT8, [TULLE_INT16] = NUM_INT16, [TULLE_INT32] = NUM_INT32, [TULLE_INT64] = NUM_INT64};

/* The functions that options of the command give. */
static const enum num_function functions[TULLE_FUNCTIONS] = {
    [TULLE_RELU] = NUM_RELU, [TULLE_CLAMP] = NUM_CLAMP, [TULLE_REQUANTISE] = NUM_REQUANTISE};

/* What all channels have. Narrowed by the caller, since limits of channels take the place of the step's
 * element.
 */
static struct num_step common_step(const struct tulle_epilogue *e)
{
    return (struct num_step){.function = e->lookup ? NUM_LOOKUP : functions[e->function],
                             .element = NUM_INT64,
                             .shift = e->shift,
                             .multiplier = e->multiplier,
                             .low = (int16_t)e->low,
                             .high = (int16_t)e->high,
                             .zero = (int16_t)e->zero,
                             .rounding = (enum num_rounding)e->rounding,
                             .lookup = e->lookup};
}

static struct num_step step_of(const struct product *p, int64_t channel)
{
    const struct epilogue *e = &p->epilogue;
    struct num_step step = common_step(&e->all);
    if (e->multiplier) {
        step.multiplier = e->multiplier[channel];
        step.shift = e->shift[channel];
    }
    if (e->low) {
        step.low = e->low[channel];
        step.high = e->high[channel];
    }
    if (e->second.size) /* the zero point is that of the joined result */
        step.zero = 0;
    return step;
}

/* Of an average: the sum's scale has the division in it. */
static struct num_step average_step(const struct product *p, int64_t channel)
{
    const struct tulle_window *w = &p->operands.window;
    struct num_step step = step_of(p, channel);
    const double scale = step.function == NUM_REQUANTISE ? ldexp(step.multiplier, -(int)step.shift) : 1;
    unsigned shift = 0;
    /* Of a scale that the library has taken already. */
    (void)tulle_scale(scale / (double)(w->kernel_height * w->kernel_width), &step.multiplier, &shift);
    step.shift = shift;
    if (step.function == NUM_NONE || step.function == NUM_RELU) {
        step.low = step.function == NUM_RELU ? 0 : INT16_MIN;
        step.high = INT16_MAX;
    }
    step.function = NUM_REQUANTISE;
    return step;
}

/* The nearest number, limited. */
static int64_t mean_of(const struct product *p, int64_t channel, int64_t sum)
{
    const struct tulle_window *w = &p->operands.window;
    const struct num_step step = step_of(p, channel);
    return num_apply(&step, num_mean(sum, w->kernel_height * w->kernel_width));
}

/* The number with the second operand; both are less their zero points. */
static int64_t join(const struct product *p, int64_t first, int64_t second)
{
    const struct tulle_second *s = &p->epilogue.second;
    const unsigned left = s->fraction_15 ? 15 : 20;
    const struct num_operand scaled = {.multiplier = s->multiplier, .left = left, .shift = s->shift},
                             half = {.multiplier = 1 << 30, .left = left, .shift = 31};
    const struct num_join join = {.joining = (enum num_joining)(s->join - TULLE_JOIN_ADD),
                                  .a = s->scale_first ? scaled : half,
                                  .b = s->scale_first ? half : scaled,
                                  .step = common_step(&p->epilogue.all)};
    return num_apply(&join.step,
                     num_wrap(num_join(&join, (int32_t)first, (int32_t)second), p->info.accumulator_bits));
}

/* Of a row and column of the result's matrix. */
static int64_t function_of(const struct product *p, int64_t row, int64_t column, int64_t sum)
{
    const struct operands *o = &p->operands;
    const struct dense *second = &o->second;
    const int64_t channel = given_output(o, row, column);
    if (o->operation != TULLE_ELEMENTWISE) {
        const struct num_step step =
            o->operation == TULLE_AVERAGE_POOL ? average_step(p, channel) : step_of(p, channel);
        if (o->window.round_away)
            return mean_of(p, channel, sum);
        sum = num_apply(&step, num_wrap(sum, p->info.accumulator_bits));
    }
    return second->at ? join(p, sum, second->at[(second->rows == 1 ? 0 : row) * second->columns + column])
                      : sum;
}

static int64_t result_of(const struct product *p, int64_t row, int64_t column, int64_t sum)
{
    const enum num_element element = elements[p->output_type];
    const int64_t value = function_of(p, row, column, sum);
    if (p->output_unsigned) /* of the function's 16 bits */
        return value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value;
    uint8_t bytes[sizeof value];
    num_put_elements(bytes, element, false, &value, 1);
    return num_get_element(bytes, element);
}

static bool wrong(int64_t row, int64_t column, int64_t got, int64_t wanted, struct diag *diag)
{
    diag_error(diag, (struct place){0},
               "wrong: row %lld, column %lld of the result is %lld on the device and %lld by a plain "
               "computation",
               (long long)row, (long long)column, (long long)got, (long long)wanted);
    return false;
}

static bool check_row(const struct product *p, int64_t row, struct diag *diag)
{
    const struct operands *o = &p->operands;
    const int64_t count = o->input.columns;
    const struct num_softmax softmax = {.input = NUM_INT8,
                                        .result = elements[p->output_type],
                                        .multiplier = p->softmax.multiplier,
                                        .shift = p->softmax.shift,
                                        .least = p->softmax.least};
    int32_t number[NUM_SOFTMAX_MOST] = {0};
    for (int64_t i = 0; i < count; i++)
        number[i] = (int32_t)o->input.at[row * count + i] - (o->input_unsigned ? -INT8_MIN : 0);
    num_softmax(&softmax, number, number, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t wanted = number[i] + (p->output_unsigned ? -INT8_MIN : 0),
                      got = p->results[row * count + i];
        if (got != wanted)
            return wrong(row, i, got, wanted, diag);
    }
    return true;
}

static bool check_softmax(struct product *p, struct diag *diag)
{
    bool ok = true;
    progress_step(&p->progress, "checking");
    for (int64_t row = 0; ok && row < p->operands.input.rows; row++)
        ok = check_row(p, row, diag);
    return ok;
}

static bool compare(const struct product *p, const struct sums *s, struct diag *diag)
{
    for (int64_t i = 0; i < product_result_count(p); i++) {
        const int64_t row = i / s->columns, column = i % s->columns,
                      wanted = result_of(p, row, column, (int64_t)s->at[i]);
        if (p->results[i] != wanted)
            return wrong(row, column, p->results[i], wanted, diag);
    }
    return true;
}

bool check_results(struct product *p, struct diag *diag)
{
    const struct operands *o = &p->operands;
    if (o->operation == TULLE_SOFTMAX)
        return check_softmax(p, diag);
    const size_t count = (size_t)product_result_count(p);
    struct sums s = {.at = calloc(count + 1, sizeof *s.at), .columns = operands_result_columns(o)};
    if (!s.at) {
        diag_error(diag, (struct place){0}, "out of memory");
        return false;
    }
    progress_step(&p->progress, "checking");
    if (o->initial.at)
        memcpy(s.at, o->initial.at, count * sizeof *s.at);
    if (o->operation == TULLE_ELEMENTWISE)
        memcpy(s.at, o->input.at, count * sizeof *s.at);
    else if (o->window.batch)
        (void)window_sums(o, s.at);
    else
        add_products(p, &s);
    add_bias(o, &s);
    bool ok = p->floats ? floats_check(p, s.at, diag) : compare(p, &s, diag);
    free(s.at);
    return ok;
}
