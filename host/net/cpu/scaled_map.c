/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on scaled tensors that make each number of one or two: other scales, limits, curves by tables,
 * sums and products.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/exact.h"

/* Limits, in the order of the codes, are faster than a table. False: the table does more. */
static bool limit_bytes(const uint8_t table[256], const struct view *x, const struct view *y)
{
    const uint8_t flip = x->type == NET_INT8 ? 128 : 0, low = table[flip] ^ flip,
                  high = table[255 ^ flip] ^ flip;
    for (int code = 0; code < 256; code++)
        if ((table[code ^ flip] ^ flip) != (code < low ? low : code > high ? high : code))
            return false;
    tile_form_best()->limit(x->data, flip, low, high, (int64_t)y->count, y->data);
    return true;
}

void scaled_bytes(const uint8_t bytes[256], const struct view *x, const struct view *y)
{
    const uint8_t *from = x->data;
    uint8_t *to = y->data;
    if (limit_bytes(bytes, x, y))
        return;
    for (size_t i = 0; i < y->count; i++)
        to[i] = bytes[from[i]];
}

/* What becomes of a code. */
typedef int64_t code_function(const void *how, int64_t code);

/* Of 256 codes, by their bytes. */
static void list_codes(code_function *function, const void *how, enum net_type type, int64_t table[256])
{
    for (int64_t code = type == NET_INT8 ? INT8_MIN : 0, i = 0; i < 256; i++, code++)
        table[(uint8_t)code] = function(how, code);
}

static bool are_bytes_to_bytes(const struct view *x, const struct view *y)
{
    return type_bytes(x->type) == 1 && type_bytes(y->type) == 1;
}

/* Each number by itself: those of 8 bits through a table. */
static bool map_codes(const struct call *c, code_function *function, const void *how)
{
    const struct view *x = c->in[0], *y = c->out[0];
    int64_t table[256];
    uint8_t bytes[256];
    if (are_bytes_to_bytes(x, y)) {
        list_codes(function, how, x->type, table);
        for (int i = 0; i < 256; i++)
            bytes[i] = (uint8_t)table[i];
        return exact_run(c, &(struct exact){.kind = EXACT_BYTES, .bytes = bytes, .x = x, .y = y});
    }
    if (c->taker)
        return kernel_fails(c, "a function of numbers of more than 8 bits");
    for (size_t i = 0; i < y->count; i++)
        view_set_integer(y, i, function(how, view_integer(x, i)));
    return true;
}

/* A step for numbers less a zero point. */
struct stepping {
    const struct num_step *step;
    int32_t zero;
};

static int64_t step_code(const void *how, int64_t code)
{
    const struct stepping *s = how;
    return num_apply(s->step, code - s->zero);
}

void scaled_map(const struct num_step *step, int32_t zero, const struct view *x, const struct view *y)
{
    struct view to = *y;
    const struct call c = {.in = {x}, .out = {&to}};
    map_codes(&c, step_code, &(struct stepping){step, zero});
}

/* What each byte of the operands is before they are joined: sums and products of such numbers fit 32 bits. */
struct join_tables {
    int32_t a[256], b[256];
};

static bool make_tables(const struct num_join *join, enum net_type type, struct join_tables *t)
{
    enum { MOST = 1 << 29 };
    const int32_t least = type == NET_INT8 ? INT8_MIN : 0;
    const bool product = join->joining == NUM_MULTIPLY;
    bool fit = true;
    for (int32_t code = least; code < least + 256; code++) {
        const int64_t a = product ? code - join->a.zero : num_join(join, code, join->b.zero),
                      b = product ? code - join->b.zero : num_join(join, join->a.zero, code);
        fit = fit && llabs(a) <= (product ? UINT8_MAX : MOST) && llabs(b) <= (product ? UINT8_MAX : MOST);
        t->a[(uint8_t)code] = (int32_t)a;
        t->b[(uint8_t)code] = (int32_t)b;
    }
    return fit;
}

/* Bytes of the same shape, in the width of a tile. */
static void join_bytes(const struct num_join *join, const struct join_tables *t, const uint8_t *a,
                       const uint8_t *b, uint8_t *y, size_t count)
{
    const struct tile_form *form = tile_form_best();
    const bool product = join->joining == NUM_MULTIPLY;
    int32_t lists[3][TILE_CHANNELS], sums[1][TILE_CHANNELS] = {{0}};
    uint8_t bytes[TILE_CHANNELS];
    for (int i = 0; i < TILE_CHANNELS; i++) {
        lists[0][i] = 0;
        lists[1][i] = join->step.multiplier;
        lists[2][i] = tile_shift(&join->step);
    }
    const struct tile_steps steps = {lists[0],       lists[1],        lists[2],
                                     join->step.low, join->step.high, join->step.zero};
    for (size_t at = 0; at < count; at += TILE_CHANNELS) {
        const size_t many = count - at < TILE_CHANNELS ? count - at : TILE_CHANNELS;
        for (size_t i = 0; i < many; i++)
            sums[0][i] = product ? t->a[a[at + i]] * t->b[b[at + i]] : t->a[a[at + i]] + t->b[b[at + i]];
        form->requantise(&steps, 0, 1, sums, bytes, 0);
        memcpy(y + at, bytes, many);
    }
}

static bool are_bytes(const struct view *a, const struct view *b, const struct view *y)
{
    return type_bytes(y->type) == 1 && a->type == y->type && b->type == y->type && a->count == y->count &&
           b->count == y->count;
}

void scaled_join(const struct num_join *join, const struct view *a, const struct view *b,
                 const struct view *y)
{
    const struct spread p = spread_of(a, y), q = spread_of(b, y);
    struct join_tables tables;
    if (are_bytes(a, b, y) && tile_step_fits(&join->step) && make_tables(join, y->type, &tables)) {
        join_bytes(join, &tables, a->data, b->data, y->data, y->count);
        return;
    }
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
    return map_codes(c, step_code, &(struct stepping){&step, x.zero});
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
            return kernel_no_memory(c);
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
    const bool ok = views && in ? concat_views(c, views, in) : kernel_no_memory(c);
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
    return map_codes(c, step_code, &(struct stepping){&step, x.zero});
}

/* Numbers below zero have a factor of their own. */
struct leaking {
    struct num_step above, below;
    int32_t zero;
};

static int64_t leak_code(const void *how, int64_t code)
{
    const struct leaking *l = how;
    return num_apply(code < l->zero ? &l->below : &l->above, code - l->zero);
}

/* TFLite computes both factors in float. */
static bool leaky_relu(const struct call *c)
{
    const float alpha = (float)node_real(c->node, "alpha");
    struct leaking how;
    struct scale x, y;
    if (!requantising(c, &how.above, &x, &y))
        return false;
    if (!(alpha >= 0) || c->in[0]->type != c->out[0]->type)
        return kernel_fails(c, "scaled values take an alpha of 0 or more, and have one type");
    how.below = how.above;
    how.zero = x.zero;
    return step_scale(c, &how.above, (double)(x.scale / y.scale), false) &&
           step_scale(c, &how.below, (double)(x.scale * alpha / y.scale), false) &&
           map_codes(c, leak_code, &how);
}

/* A number below zero times a slope. */
struct sloping {
    const struct num_step *above, *below;
    int64_t factor;
    int32_t zero;
};

static int64_t slope_code(const void *how, int64_t code)
{
    const struct sloping *s = how;
    const int64_t value = code - s->zero;
    return value < 0 ? num_apply(s->below, value * s->factor) : num_apply(s->above, value);
}

static bool is_one_number(const struct view *v)
{
    bool one = v->count > 0;
    for (size_t i = 1; one && i < v->count; i++)
        one = view_integer(v, i) == view_integer(v, 0);
    return one;
}

/* Numbers below zero times slopes, which are broadcast to them; TFLite computes both factors in float. */
static bool prelu(const struct call *c)
{
    const struct view *slopes = c->in[1], *to = c->out[0];
    const struct spread s = spread_of(slopes, to);
    struct num_step above, below;
    struct scale x, slope, y;
    if (!requantising(c, &above, &x, &y) || !scale_of(c, c->node->inputs[1], &slope))
        return false;
    if (c->in[0]->type != to->type || slopes->type != to->type || type_bytes(to->type) != 1)
        return kernel_fails(c, "scaled values and their slopes have one type, int8 or uint8");
    below = above;
    if (!step_scale(c, &above, (double)(x.scale / y.scale), false) ||
        !step_scale(c, &below, (double)(x.scale * slope.scale / y.scale), false))
        return false;
    struct sloping how = {.above = &above, .below = &below, .zero = x.zero};
    if (is_one_number(slopes)) {
        how.factor = view_integer(slopes, 0) - slope.zero;
        return map_codes(c, slope_code, &how);
    }
    if (c->taker)
        return kernel_fails(c, "devices have functions of one slope for all numbers");
    for (size_t i = 0; i < to->count; i++) {
        how.factor = view_integer(slopes, spread_at(&s, i)) - slope.zero;
        view_set_integer(to, i, slope_code(&how, view_integer(c->in[0], i)));
    }
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

struct curving {
    double (*function)(double x);
    enum net_type type;
    struct scale x, y;
};

/* The function of a code, rounded once. */
static int64_t curve_code(const void *how, int64_t code)
{
    const struct curving *v = how;
    return code_at(v->type, v->y.zero,
                   (float)v->function((double)(v->x.scale * (float)(code - v->x.zero))) * (1 / v->y.scale));
}

static bool curve(const struct call *c)
{
    struct curving how = {.function = curve_of(c), .type = c->in[0]->type};
    if (!scale_of(c, c->node->inputs[0], &how.x) || !scale_of(c, c->node->outputs[0], &how.y))
        return false;
    if (how.type != c->out[0]->type || (how.type != NET_INT8 && how.type != NET_UINT8))
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(how.type));
    return map_codes(c, curve_code, &how);
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

static int64_t swish_code(const void *how, int64_t code)
{
    return num_hard_swish(how, (int32_t)code);
}

static bool hard_swish(const struct call *c)
{
    struct num_hard_swish how;
    struct scale x, y;
    if (!scale_of(c, c->node->inputs[0], &x) || !scale_of(c, c->node->outputs[0], &y))
        return false;
    if (c->in[0]->type != c->out[0]->type || type_bytes(c->in[0]->type) != 1)
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(c->in[0]->type));
    return set_hard_swish(c, x, y, &how) && map_codes(c, swish_code, &how);
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
    return ok &&
           exact_run(c, &(struct exact){
                            .kind = EXACT_JOIN, .join = &join, .x = c->in[0], .w = c->in[1], .y = c->out[0]});
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
    {"LeakyRelu", leaky_relu},
    {"Mul", join},
    {"PRelu", prelu},
    {"Relu", clip},
    {"Sigmoid", curve},
    {"QuantizeLinear", quantise},
    {"Sub", join},
    {"Tanh", curve},
    {NULL, NULL},
};
