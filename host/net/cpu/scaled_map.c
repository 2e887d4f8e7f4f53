/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on scaled tensors that make each number of one or two: other scales, limits, curves by tables,
 * sums and products.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/scaled.h"

/* What each of 256 codes becomes, by its byte. */
static void map_bytes(const int64_t *table, const struct view *x, const struct view *y)
{
    for (size_t i = 0; i < y->count; i++)
        view_set_integer(y, i, table[((const uint8_t *)x->data)[i]]);
}

void scaled_map(const struct num_step *step, int32_t zero, const struct view *x, const struct view *y)
{
    int64_t table[256];
    if (type_bytes(x->type) == 1) {
        for (int64_t code = x->type == NET_INT8 ? INT8_MIN : 0, i = 0; i < 256; i++, code++)
            table[(uint8_t)code] = num_apply(step, code - zero);
        map_bytes(table, x, y);
        return;
    }
    for (size_t i = 0; i < y->count; i++)
        view_set_integer(y, i, num_apply(step, view_integer(x, i) - zero));
}

void scaled_join(const struct num_join *join, const struct view *a, const struct view *b,
                 const struct view *y)
{
    const struct spread p = spread_of(a, y), q = spread_of(b, y);
    for (size_t i = 0; i < y->count; i++)
        view_set_integer(y, i,
                         num_join_apply(join, (int32_t)view_integer(a, spread_at(&p, i)),
                                        (int32_t)view_integer(b, spread_at(&q, i))));
}

static bool is_scaled_type(enum net_type type)
{
    return type == NET_INT8 || type == NET_UINT8 || type == NET_INT16;
}

static bool check_type(const struct call *c, enum net_type type)
{
    return is_scaled_type(type) ||
           kernel_fails(c, "scaled values of %s are not supported", net_type_name(type));
}

/* ---- other scales -------------------------------------------------------------------------------- */

/* The step from the scale of input 0 to that of the output. */
static bool requantising(const struct call *c, struct num_step *step, struct scale *x, struct scale *y)
{
    if (!check_type(c, c->in[0]->type) || !check_type(c, c->out[0]->type) ||
        !scale_of(c, c->node->inputs[0], x) || !scale_of(c, c->node->outputs[0], y))
        return false;
    *step = step_of(c->out[0]->type, y->zero);
    return step_scale(c, step, (double)x->scale / (double)y->scale, false);
}

static bool requantise(const struct call *c)
{
    struct num_step step;
    struct scale x, y;
    if (!requantising(c, &step, &x, &y))
        return false;
    scaled_map(&step, x.zero, c->in[0], c->out[0]);
    return true;
}

static bool quantise(const struct call *c)
{
    struct scale y;
    if (!check_type(c, c->out[0]->type) || !scale_of(c, c->node->outputs[0], &y))
        return false;
    for (size_t i = 0; i < c->out[0]->count; i++)
        view_set_integer(c->out[0], i, code_of(c->out[0]->type, y, view_real(c->in[0], i)));
    return true;
}

static bool dequantise(const struct call *c)
{
    struct scale x;
    if (!check_type(c, c->in[0]->type) || !scale_of(c, c->node->inputs[0], &x))
        return false;
    for (size_t i = 0; i < c->out[0]->count; i++)
        view_set_real(c->out[0], i, (double)x.scale * (double)(view_integer(c->in[0], i) - x.zero));
    return true;
}

/* Inputs of other scales than the output's are brought to it in float, as TFLite does. */
static bool rescale_all(const struct call *c, struct view *views, const struct view **in)
{
    struct scale x, y;
    if (!scale_of(c, c->node->outputs[0], &y))
        return false;
    for (size_t k = 0; k < c->inputs; k++) {
        in[k] = c->more[k];
        if (same_scale(c->node->inputs[k], c->node->outputs[0]))
            continue;
        if (!check_type(c, c->more[k]->type) || c->more[k]->type != c->out[0]->type ||
            !scale_of(c, c->node->inputs[k], &x))
            return kernel_fails(c, "an input and the output have different types");
        views[k] = *c->more[k];
        views[k].data = calloc(views[k].count + 1, type_bytes(views[k].type));
        if (!views[k].data)
            return kernel_fails(c, "out of memory");
        const float factor = x.scale * (1 / y.scale), offset = (float)-x.zero * factor;
        for (size_t i = 0; i < views[k].count; i++)
            view_set_integer(
                &views[k], i,
                code_at(views[k].type, y.zero, (float)view_integer(c->more[k], i) * factor + offset));
        in[k] = &views[k];
    }
    return true;
}

static bool concat_views(const struct call *c, struct view *views, const struct view **in)
{
    struct call plain = *c;
    plain.more = in;
    const bool ok = rescale_all(c, views, in) && kernel_of("Concat")(&plain);
    for (size_t k = 0; k < c->inputs; k++)
        free(views[k].data);
    return ok;
}

static bool concat(const struct call *c)
{
    struct view *views = calloc(c->inputs + 1, sizeof *views);
    const struct view **in = calloc(c->inputs + 1, sizeof *in);
    const bool ok = views && in ? concat_views(c, views, in) : kernel_fails(c, "out of memory");
    free(views);
    free(in);
    return ok;
}

/* ---- limits -------------------------------------------------------------------------------------- */

static void limit(struct num_step *step, enum net_type type, struct scale y, bool high, double value)
{
    const int16_t code = (int16_t)code_of(type, y, value);
    if (high)
        step->high = code < step->high ? code : step->high;
    else
        step->low = code > step->low ? code : step->low;
}

static bool clip(const struct call *c)
{
    struct num_step step;
    struct scale x, y;
    if (!requantising(c, &step, &x, &y))
        return false;
    if (!strcmp(c->node->type, "Relu"))
        limit(&step, c->out[0]->type, y, false, 0);
    for (size_t i = 1; i < 3 && i < c->inputs; i++)
        if (c->in[i])
            limit(&step, c->out[0]->type, y, i == 2, view_real(c->in[i], 0));
    scaled_map(&step, x.zero, c->in[0], c->out[0]);
    return true;
}

/* ---- curves -------------------------------------------------------------------------------------- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

static const struct curve {
    const char *type;
    double (*function)(double x);
} curves[] = {
    {"Sigmoid", sigmoid},
    {"Tanh", tanh},
    {"Elu", elu},
    {"Exp", exp},
};

static double (*curve_of(const struct call *c))(double x)
{
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (!strcmp(curves[i].type, c->node->type))
            return curves[i].function;
    return NULL;
}

/* The function of each of 256 codes, rounded once. */
static bool curve(const struct call *c)
{
    const enum net_type type = c->in[0]->type;
    struct scale x, y;
    int64_t table[256];
    if (!scale_of(c, c->node->inputs[0], &x) || !scale_of(c, c->node->outputs[0], &y))
        return false;
    if (type != c->out[0]->type || (type != NET_INT8 && type != NET_UINT8))
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(type));
    for (int64_t code = type == NET_INT8 ? INT8_MIN : 0, i = 0; i < 256; i++, code++)
        table[(uint8_t)code] = code_at(
            type, y.zero, (float)curve_of(c)((double)(x.scale * (float)(code - x.zero))) * (1 / y.scale));
    map_bytes(table, c->in[0], c->out[0]);
    return true;
}

/* TFLite has the factors in float, with 15 bits. */
static bool set_hard_swish(const struct call *c, struct scale x, struct scale y, struct num_hard_swish *how)
{
    const struct num_step limits = step_of(c->out[0]->type, 0);
    const float fine = x.scale * (1.0F / 128);
    int32_t multiplier;
    int shift;
    num_multiplier_of((double)(fine / y.scale), &multiplier, &shift);
    if (shift > 0)
        return kernel_fails(c, "its scales give a factor of %g, which is too large",
                            (double)(fine / y.scale));
    *how = (struct num_hard_swish){.zero = x.zero,
                                   .result = (int16_t)num_short_multiplier(multiplier),
                                   .result_shift = (unsigned)-shift,
                                   .result_zero = (int16_t)y.zero,
                                   .low = limits.low,
                                   .high = limits.high};
    num_multiplier_of((double)(fine / (3.0F / 32768)), &multiplier, &how->three_shift);
    how->three = (int16_t)num_short_multiplier(multiplier);
    return true;
}

static bool hard_swish(const struct call *c)
{
    struct num_hard_swish how;
    struct scale x, y;
    if (!scale_of(c, c->node->inputs[0], &x) || !scale_of(c, c->node->outputs[0], &y))
        return false;
    if (c->in[0]->type != c->out[0]->type || type_bytes(c->in[0]->type) != 1)
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(c->in[0]->type));
    if (!set_hard_swish(c, x, y, &how))
        return false;
    for (size_t i = 0; i < c->out[0]->count; i++)
        view_set_integer(c->out[0], i, num_hard_swish(&how, (int32_t)view_integer(c->in[0], i)));
    return true;
}

/* ---- two operands -------------------------------------------------------------------------------- */

/* Both operands come to twice the larger scale, with fractions. */
static bool operands(const struct call *c, struct num_join *join, struct scale a, struct scale b,
                     struct scale y)
{
    const double twice = 2 * (double)(a.scale > b.scale ? a.scale : b.scale);
    const unsigned left = c->out[0]->type == NET_INT16 ? 15 : 20;
    struct num_step step = {0};
    struct num_operand *const sides[] = {&join->a, &join->b};
    for (int i = 0; i < 2; i++) {
        if (!step_scale(c, &step, (double)(i ? b.scale : a.scale) / twice, false))
            return false;
        sides[i]->left = left;
        sides[i]->multiplier = step.multiplier;
        sides[i]->shift = step.shift;
    }
    return step_scale(c, &join->step, twice / ldexp((double)y.scale, (int)left), false);
}

static bool join(const struct call *c)
{
    struct num_join join = {.joining = !strcmp(c->node->type, "Add")   ? NUM_ADD
                                       : !strcmp(c->node->type, "Sub") ? NUM_SUBTRACT
                                                                       : NUM_MULTIPLY};
    struct scale a, b, y;
    if (!check_type(c, c->out[0]->type) || !scale_of(c, c->node->inputs[0], &a) ||
        !scale_of(c, c->node->inputs[1], &b) || !scale_of(c, c->node->outputs[0], &y))
        return false;
    if (c->in[0]->type != c->out[0]->type || c->in[1]->type != c->out[0]->type)
        return kernel_fails(c, "an input and the output have different types");
    join.a.zero = a.zero;
    join.b.zero = b.zero;
    join.step = step_of(c->out[0]->type, y.zero);
    const bool ok =
        join.joining == NUM_MULTIPLY
            ? step_scale(c, &join.step, (double)a.scale * (double)b.scale / (double)y.scale, false)
            : operands(c, &join, a, b, y);
    if (ok)
        scaled_join(&join, c->in[0], c->in[1], c->out[0]);
    return ok;
}

const struct kernel scaled_map_kernels[] = {
    {"Add", join},
    {"Clip", clip},
    {"Concat", concat},
    {"DequantizeLinear", dequantise},
    {"Elu", curve},
    {"Exp", curve},
    {"HardSwish", hard_swish},
    {"Identity", requantise},
    {"Mul", join},
    {"Relu", clip},
    {"Sigmoid", curve},
    {"QuantizeLinear", quantise},
    {"Sub", join},
    {"Tanh", curve},
    {NULL, NULL},
};
