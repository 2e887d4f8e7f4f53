/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_plan/results.h"

#include <assert.h>

#include "sim/numerics/join.h"
#include "sim/numerics/softmax.h"
#include "tests/sim_numerics/reference.h"

/* ---- by chance --------------------------------------------------------------------------------- */

void results_join(struct plan_description *d, struct random *dice)
{
    struct plan_join join = {.join = random_range(dice, JOIN_ADD, JOIN_MULTIPLY),
                             .element = random_range(dice, 0, 1),
                             .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX),
                             .scale_first = random_chance(dice, 50),
                             .fraction_15 = random_chance(dice, 50)};
    join.zero = (int)random_signed(dice, 8u << join.element);
    join.shift = random_range(dice, 31, 35);
    join.has_no_sign = d->variant->zero_points && random_chance(dice, 30);
    d->channels.has_scale = d->channels.has_limits = true;
    d->join = join;
    d->function = (struct plan_function){.function = NUM_REQUANTISE,
                                         .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX),
                                         .shift = join.join == JOIN_MULTIPLY ? 35 : 45,
                                         .low = -30000,
                                         .high = 30000,
                                         .zero = (int)random_signed(dice, 8),
                                         .rounding = d->function.rounding};
}

void results_look_up(struct plan_description *d, int8_t table[256], struct random *dice)
{
    for (unsigned i = 0; i < 256; i++)
        table[i] = (int8_t)random_signed(dice, 8);
    d->function.function = NUM_LOOKUP;
    d->function.lookup = table;
    d->channels.has_limits = false;
}

struct plan_pair results_pair(const struct variant *v, struct random *dice)
{
    const unsigned fraction_15 = (unsigned)random_below(dice, 2);
    const unsigned element = (unsigned)random_below(dice, 2), first = (unsigned)random_below(dice, 2);
    return (struct plan_pair){
        .variant = v,
        .first_element = first,
        .first_has_no_sign = v->zero_points && random_chance(dice, 30),
        .first_zero = (int)random_signed(dice, 8u << first),
        .join = {.join = random_range(dice, JOIN_ADD, JOIN_MULTIPLY),
                 .element = element,
                 .has_no_sign = v->zero_points && random_chance(dice, 30),
                 .zero = (int)random_signed(dice, 8u << element),
                 .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX),
                 .shift = random_range(dice, 31, fraction_15 ? 41 : 46),
                 .scale_first = random_chance(dice, 50),
                 .fraction_15 = fraction_15},
        .function = {.function = NUM_REQUANTISE,
                     .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX),
                     .shift = random_range(dice, 40, 50),
                     .low = -30000,
                     .high = 30000,
                     .zero = (int)random_signed(dice, 8),
                     .rounding = v->roundings ? (unsigned)random_below(dice, NUM_ROUNDINGS) : 0},
        .element = (unsigned)random_below(dice, 2),
        .results_have_no_sign = v->zero_points && random_chance(dice, 30)};
}

struct plan_softmax results_softmax(const struct variant *v, struct random *dice)
{
    return (struct plan_softmax){.variant = v,
                                 .has_no_sign = v->zero_points && random_chance(dice, 30),
                                 .multiplier = (int32_t)random_range(dice, 1u << 30, INT32_MAX),
                                 .shift = random_range(dice, 3, 16),
                                 .least = random_chance(dice, 50) ? -255 : -(int32_t)random_below(dice, 256),
                                 .element = (unsigned)random_below(dice, 2),
                                 .results_have_no_sign = v->zero_points && random_chance(dice, 30)};
}

void results_crowd(uint8_t *inputs, uint64_t count, struct random *dice)
{
    for (uint64_t i = 0; i < count && random_chance(dice, 99); i++)
        inputs[i] &= random_chance(dice, 50) ? 15 : 127;
}

/* ---- plain computations ------------------------------------------------------------------------ */

/* a less its zero point. */
static int64_t joined(const struct plan_join *j, const struct num_step *step, unsigned acc_width, int64_t a,
                      int64_t b)
{
    const struct num_operand scaled = {.multiplier = j->multiplier,
                                       .left = j->fraction_15 ? 15 : 20,
                                       .shift = j->shift},
                             halved = {.multiplier = 1 << 30, .left = scaled.left, .shift = 31};
    struct num_join join = {.joining = (enum num_joining)(j->join - JOIN_ADD),
                            .a = j->scale_first ? scaled : halved,
                            .b = j->scale_first ? halved : scaled,
                            .step = *step};
    join.b.zero = j->zero;
    return reference_apply(step, reference_wrap(num_join(&join, (int32_t)a, (int32_t)b), acc_width));
}

int64_t results_read(const uint8_t *at, unsigned element, bool has_no_sign)
{
    const int64_t half = INT64_C(128) << (8 * element),
                  value = num_get_element(at, (enum num_element)element);
    return has_no_sign ? (value & (2 * half - 1)) - half : value;
}

void results_write(uint8_t *at, unsigned element, bool has_no_sign, int64_t value)
{
    num_put_elements(at, (enum num_element)element, has_no_sign, &value, 1);
}

static int64_t stored(unsigned element, bool has_no_sign, int64_t value)
{
    uint8_t bytes[8];
    results_write(bytes, element, has_no_sign, value);
    return num_get_element(bytes, (enum num_element)element);
}

int64_t results_expected(const struct plan_description *d, uint32_t n, int64_t sum, const int16_t *operand)
{
    const struct plan_channels *c = &d->channels;
    const unsigned acc_width = d->variant->acc_width;
    const struct num_step record = plan_function_step(&d->function, d->element);
    struct num_step step = record;
    if (operand) /* the zero point is that of the joined number */
        step.zero = 0;
    sum = reference_wrap((big)sum + (c->has_bias ? c->bias[n] : 0), acc_width);
    if (c->has_scale) {
        step.multiplier = c->multiplier[n];
        step.shift = c->shift[n];
    }
    if (c->has_limits) { /* then the function narrows to nothing else */
        step.low = c->low[n];
        step.high = c->high[n];
        step.element = NUM_INT64;
    }
    if (step.function)
        sum = reference_wrap(reference_apply(&step, sum), acc_width);
    if (operand)
        sum = joined(&d->join, &record, acc_width, sum, *operand);
    return stored(d->element, d->results_have_no_sign, sum);
}

int64_t results_of_pair(const struct plan_pair *p, int64_t a, int64_t b)
{
    const struct num_step step = plan_function_step(&p->function, p->element);
    return stored(p->element, p->results_have_no_sign,
                  joined(&p->join, &step, p->variant->acc_width, a - p->first_zero, b));
}

/* What is behind the row is the smallest result. */
void results_of_row(const struct plan_softmax *s, const uint8_t *row, uint32_t pitch, uint8_t *to)
{
    const struct num_softmax softmax = {.input = NUM_INT8,
                                        .result = (enum num_element)s->element,
                                        .multiplier = s->multiplier,
                                        .shift = s->shift,
                                        .least = s->least};
    int32_t number[NUM_SOFTMAX_MOST];
    assert(s->elements <= NUM_SOFTMAX_MOST);
    for (uint32_t i = 0; i < s->elements; i++)
        number[i] = (int32_t)results_read(row + i, NUM_INT8, s->has_no_sign);
    num_softmax(&softmax, number, number, s->elements);
    for (uint32_t i = 0; i < pitch; i++)
        results_write(to + ((uint64_t)i << s->element), s->element, s->results_have_no_sign,
                      i < s->elements ? number[i] : INT64_MIN);
}
