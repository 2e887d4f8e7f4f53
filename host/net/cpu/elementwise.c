/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that compute each element by itself, with broadcasting.
 */
#include <math.h>
#include <string.h>

#include "host/net/cpu/exact.h"

static const char *type_of(const struct call *c)
{
    return c->node->type;
}

/* ---- one operand --------------------------------------------------------------------------------- */

typedef double function(const struct node *node, double x);

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

#define F(name, expression)                                   \
    static double f_##name(const struct node *node, double x) \
    {                                                         \
        (void)node;                                           \
        return expression;                                    \
    }
#define ALPHA node_real(node, "alpha")
F(acos, acos(x))
F(acosh, acosh(x))
F(asin, asin(x))
F(asinh, asinh(x))
F(atan, atan(x))
F(atanh, atanh(x))
F(ceil, ceil(x))
F(celu, fmax(0, x) + fmin(0, ALPHA *(exp(x / ALPHA) - 1)))
F(cos, cos(x))
F(cosh, cosh(x))
F(elu, x < 0 ? ALPHA * (exp(x) - 1) : x)
F(erf, erf(x))
F(exp, exp(x))
F(floor, floor(x))
F(gelu, proto_is(node_text(node, "approximate"), "tanh")
            ? x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
            : x / 2 * (1 + erf(x * 0.7071067811865476)))
F(hard_sigmoid, fmax(0, fmin(1, ALPHA *x + node_real(node, "beta"))))
F(hard_swish, x *fmax(0, fmin(1, x / 6 + 0.5)))
F(leaky_relu, x < 0 ? ALPHA * x : x)
F(log, log(x))
F(mish, x *tanh(x > 30 ? x : log1p(exp(x))))
F(reciprocal, 1 / x)
F(round, nearbyint(x))
F(selu, node_real(node, "gamma") * (x > 0 ? x : ALPHA * (exp(x) - 1)))
F(shrink, x<-node_real(node, "lambd") ? x + node_real(node, "bias") : x> node_real(node, "lambd")
              ? x - node_real(node, "bias")
              : 0)
F(sigmoid, sigmoid(x))
F(sin, sin(x))
F(sinh, sinh(x))
F(softplus, x > 30 ? x : log1p(exp(x)))
F(softsign, x / (1 + fabs(x)))
F(sqrt, sqrt(x))
F(tan, tan(x))
F(tanh, tanh(x))
F(thresholded_relu, x > ALPHA ? x : 0)
#undef F

static const struct {
    const char *name;
    function *of;
} functions[] = {
    {"Acos", f_acos},
    {"Acosh", f_acosh},
    {"Asin", f_asin},
    {"Asinh", f_asinh},
    {"Atan", f_atan},
    {"Atanh", f_atanh},
    {"Ceil", f_ceil},
    {"Celu", f_celu},
    {"Cos", f_cos},
    {"Cosh", f_cosh},
    {"Elu", f_elu},
    {"Erf", f_erf},
    {"Exp", f_exp},
    {"Floor", f_floor},
    {"Gelu", f_gelu},
    {"HardSigmoid", f_hard_sigmoid},
    {"HardSwish", f_hard_swish},
    {"LeakyRelu", f_leaky_relu},
    {"Log", f_log},
    {"Mish", f_mish},
    {"Reciprocal", f_reciprocal},
    {"Round", f_round},
    {"Selu", f_selu},
    {"Shrink", f_shrink},
    {"Sigmoid", f_sigmoid},
    {"Sin", f_sin},
    {"Sinh", f_sinh},
    {"Softplus", f_softplus},
    {"Softsign", f_softsign},
    {"Sqrt", f_sqrt},
    {"Tan", f_tan},
    {"Tanh", f_tanh},
    {"ThresholdedRelu", f_thresholded_relu},
};

static bool unary(const struct call *c)
{
    function *of = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, type_of(c)))
            of = functions[i].of;
    for (size_t i = 0; of && i < c->in[0]->count; i++)
        view_set_real(c->out[0], i, of(c->node, view_real(c->in[0], i)));
    return of != NULL;
}

/* Also of integers, exactly. */
static bool signs(const struct call *c)
{
    const char kind = type_of(c)[0]; /* Abs, Neg, Relu, Sign */
    const bool real = is_real(c->in[0]->type);
    for (size_t i = 0; i < c->in[0]->count; i++) {
        const double x = real ? view_real(c->in[0], i) : 0;
        const int64_t n = real ? 0 : view_integer(c->in[0], i);
        const bool negative = n < 0 && c->in[0]->type != NET_UINT64;
        if (real)
            view_set_real(c->out[0], i,
                          kind == 'A'   ? fabs(x)
                          : kind == 'N' ? -x
                          : kind == 'R' ? (x > 0    ? x
                                           : x != x ? x
                                                    : 0)
                                        : sign_of(x));
        else
            view_set_integer(c->out[0], i,
                             kind == 'A'   ? (negative ? -n : n)
                             : kind == 'N' ? (int64_t)(0 - (uint64_t)n)
                             : kind == 'R' ? (negative ? 0 : n)
                             : negative    ? -1
                                           : n != 0);
    }
    return true;
}

static bool tests(const struct call *c)
{
    const bool nan_wanted = !strcmp(type_of(c), "IsNaN");
    const bool low = node_integer(c->node, "detect_negative") != 0,
               high = node_integer(c->node, "detect_positive") != 0;
    for (size_t i = 0; i < c->in[0]->count; i++) {
        const double x = view_real(c->in[0], i);
        view_set_integer(c->out[0], i, nan_wanted ? isnan(x) != 0 : isinf(x) && (x < 0 ? low : high));
    }
    return true;
}

static bool not(const struct call *c)
{
    for (size_t i = 0; i < c->in[0]->count; i++)
        view_set_integer(c->out[0], i, !view_integer(c->in[0], i));
    return true;
}

static bool clip(const struct call *c)
{
    const struct attribute *a = node_attribute(c->node, "min"), *b = node_attribute(c->node, "max");
    const struct view *x = c->in[0], *low = c->inputs > 1 ? c->in[1] : NULL,
                      *high = c->inputs > 2 ? c->in[2] : NULL;
    for (size_t i = 0; i < x->count; i++) {
        if (is_real(x->type)) {
            double value = view_real(x, i);
            const double least = low ? view_real(low, 0)
                                 : a ? (double)a->reals[0]
                                     : -INFINITY,
                         most = high ? view_real(high, 0)
                                : b  ? (double)b->reals[0]
                                     : INFINITY;
            value = value < least ? least : value;
            view_set_real(c->out[0], i, value > most ? most : value);
        } else {
            int64_t value = view_integer(x, i);
            value = low && value < view_integer(low, 0) ? view_integer(low, 0) : value;
            view_set_integer(c->out[0], i,
                             high && value > view_integer(high, 0) ? view_integer(high, 0) : value);
        }
    }
    return true;
}

/* ---- several operands ---------------------------------------------------------------------------- */

static int64_t power(int64_t base, int64_t exponent)
{
    uint64_t value = 1;
    for (; exponent > 0; exponent--)
        value *= (uint64_t)base;
    return (int64_t)value;
}

static int64_t modulo(const struct call *c, int64_t a, int64_t b)
{
    if (!b || b == -1)
        return 0;
    const int64_t rest = a % b;
    return rest && !node_integer(c->node, "fmod") && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t integers(const struct call *c, int64_t a, int64_t b)
{
    const char *t = type_of(c);
    const bool no_sign = c->in[0]->type == NET_UINT64;
    if (!strcmp(t, "Add") || !strcmp(t, "Sum"))
        return (int64_t)((uint64_t)a + (uint64_t)b);
    if (!strcmp(t, "Sub"))
        return (int64_t)((uint64_t)a - (uint64_t)b);
    if (!strcmp(t, "Mul"))
        return (int64_t)((uint64_t)a * (uint64_t)b);
    if (!strcmp(t, "Div"))
        return !b        ? 0
               : no_sign ? (int64_t)((uint64_t)a / (uint64_t)b)
               : b == -1 ? (int64_t)(0 - (uint64_t)a)
                         : a / b;
    if (!strcmp(t, "Max"))
        return (no_sign ? (uint64_t)a > (uint64_t)b : a > b) ? a : b;
    if (!strcmp(t, "Min"))
        return (no_sign ? (uint64_t)a < (uint64_t)b : a < b) ? a : b;
    if (!strcmp(t, "Mod"))
        return no_sign ? (b ? (int64_t)((uint64_t)a % (uint64_t)b) : 0) : modulo(c, a, b);
    return power(a, b);
}

static double reals(const struct call *c, double a, double b)
{
    const char *t = type_of(c);
    if (!strcmp(t, "Add") || !strcmp(t, "Sum") || !strcmp(t, "Mean"))
        return a + b;
    if (!strcmp(t, "Sub"))
        return a - b;
    if (!strcmp(t, "Mul"))
        return a * b;
    if (!strcmp(t, "Div"))
        return a / b;
    if (!strcmp(t, "Max"))
        return a > b || a != a ? a : b;
    if (!strcmp(t, "Min"))
        return a < b || a != a ? a : b;
    if (!strcmp(t, "Mod"))
        return fmod(a, b);
    return pow(a, b);
}

/* Before operator set 7 B may lie at an axis of A. */
static struct spread second(const struct call *c, const struct view *b)
{
    struct view moved = *b;
    const struct attribute *axis = node_attribute(c->node, "axis");
    const int64_t at = axis && axis->integers && node_integer(c->node, "broadcast")
                           ? axis->integers[0]
                           : c->out[0]->rank - b->rank;
    for (; axis && at >= 0 && at + moved.rank < c->out[0]->rank; moved.rank++)
        moved.dim[moved.rank] = 1;
    return spread_of(&moved, c->out[0]);
}

/* The larger or smaller of numbers of 8 bits and a constant: limits. */
static bool describe_limit(const struct call *c)
{
    const struct view *x = c->in[0];
    uint8_t bytes[256];
    if (c->inputs != 2 || c->in[1]->count != 1 || c->out[0]->count != x->count)
        return kernel_fails(c, "devices have no such operator on more than one number");
    const int64_t limit = view_integer(c->in[1], 0);
    for (int64_t code = x->type == NET_INT8 ? INT8_MIN : 0, i = 0; i < 256; i++, code++)
        bytes[(uint8_t)code] = (uint8_t)integers(c, code, limit);
    return exact_run(c, &(struct exact){.kind = EXACT_BYTES, .bytes = bytes, .x = x, .y = c->out[0]});
}

static bool fold(const struct call *c)
{
    const struct view *to = c->out[0];
    if (c->taker)
        return describe_limit(c);
    for (size_t k = 0; k < c->inputs; k++) {
        const struct view *x = c->more[k];
        const struct spread s = k == 1 ? second(c, x) : spread_of(x, to);
        const bool real = is_real(to->type);
        for (size_t i = 0; i < to->count; i++) {
            const size_t at = spread_at(&s, i);
            if (real)
                view_set_real(to, i, k ? reals(c, view_real(to, i), view_real(x, at)) : view_real(x, at));
            else if (k && !strcmp(type_of(c), "Pow") && is_real(x->type))
                view_set_real(to, i, pow(view_real(to, i), view_real(x, at)));
            else
                view_set_integer(
                    to, i, k ? integers(c, view_integer(to, i), view_integer(x, at)) : view_integer(x, at));
        }
    }
    for (size_t i = 0; !strcmp(type_of(c), "Mean") && i < to->count; i++)
        view_set_real(to, i, view_real(to, i) / (double)c->inputs);
    return true;
}

static bool compare(const struct call *c)
{
    const struct view *a = c->in[0], *b = c->in[1], *to = c->out[0];
    const struct spread p = spread_of(a, to), q = second(c, b);
    const char *t = type_of(c);
    const bool real = is_real(a->type), no_sign = a->type == NET_UINT64;
    for (size_t i = 0; i < to->count; i++) {
        const size_t m = spread_at(&p, i), n = spread_at(&q, i);
        const double x = real || no_sign ? view_real(a, m) : 0, y = real || no_sign ? view_real(b, n) : 0;
        const int64_t u = view_integer(a, m), v = view_integer(b, n);
        const bool less = real || no_sign ? x < y : u < v, equal = real ? x == y : u == v,
                   more = real || no_sign ? x > y : u > v;
        view_set_integer(to, i,
                         !strcmp(t, "Equal")            ? equal
                         : !strcmp(t, "Less")           ? less
                         : !strcmp(t, "LessOrEqual")    ? less || equal
                         : !strcmp(t, "Greater")        ? more
                         : !strcmp(t, "GreaterOrEqual") ? more || equal
                         : !strcmp(t, "And")            ? u && v
                         : !strcmp(t, "Or")             ? u || v
                                                        : !u != !v);
    }
    return true;
}

static bool shift(const struct call *c)
{
    const struct view *to = c->out[0];
    const struct spread p = spread_of(c->in[0], to), q = spread_of(c->in[1], to);
    const bool left = proto_is(node_text(c->node, "direction"), "LEFT");
    for (size_t i = 0; i < to->count; i++) {
        const uint64_t x = (uint64_t)view_integer(c->in[0], spread_at(&p, i)),
                       by = (uint64_t)view_integer(c->in[1], spread_at(&q, i));
        view_set_integer(to, i, by > 63 ? 0 : (int64_t)(left ? x << by : x >> by));
    }
    return true;
}

/* BitwiseAnd, BitwiseOr, BitwiseXor; BitwiseNot has one operand. */
static bool bits(const struct call *c)
{
    const struct view *to = c->out[0], *second = c->inputs > 1 ? c->in[1] : c->in[0];
    const struct spread p = spread_of(c->in[0], to), q = spread_of(second, to);
    const char kind = type_of(c)[strlen("Bitwise")];
    for (size_t i = 0; i < to->count; i++) {
        const int64_t x = view_integer(c->in[0], spread_at(&p, i)),
                      y = view_integer(second, spread_at(&q, i));
        view_set_integer(to, i, kind == 'A' ? x & y : kind == 'O' ? x | y : kind == 'X' ? x ^ y : ~x);
    }
    return true;
}

static bool where(const struct call *c)
{
    const struct view *to = c->out[0];
    const struct spread at = spread_of(c->in[0], to), p = spread_of(c->in[1], to),
                        q = spread_of(c->in[2], to);
    const size_t bytes = type_bytes(to->type);
    for (size_t i = 0; i < to->count; i++) {
        const bool first = view_integer(c->in[0], spread_at(&at, i)) != 0;
        const struct view *from = c->in[first ? 1 : 2];
        memcpy((char *)to->data + i * bytes, (const char *)from->data + spread_at(first ? &p : &q, i) * bytes,
               bytes);
    }
    return true;
}

static bool prelu(const struct call *c)
{
    const struct view *x = c->in[0];
    struct view slope = *c->in[1];
    /* Before operator set 7 a list of slopes is for the channels. */
    for (; c->net->opset < 7 && slope.count > 1 && slope.rank < x->rank - 1; slope.rank++)
        slope.dim[slope.rank] = 1;
    const struct spread s = spread_of(&slope, x);
    for (size_t i = 0; i < x->count; i++) {
        const double value = view_real(x, i);
        view_set_real(c->out[0], i, value < 0 ? value * view_real(c->in[1], spread_at(&s, i)) : value);
    }
    return true;
}

static bool cast(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    for (size_t i = 0; i < x->count; i++) {
        if (is_real(x->type) && !is_real(y->type) && y->type != NET_BOOL)
            view_set_integer(y, i, view_integer(x, i));
        else if (is_real(x->type) || is_real(y->type))
            view_set_real(y, i, view_real(x, i));
        else
            view_set_integer(y, i, view_integer(x, i));
    }
    return x->type != NET_STRING && y->type != NET_STRING ? true
                                                          : kernel_fails(c, "strings are not supported");
}

static bool image_scaler(const struct call *c)
{
    const struct view *x = c->in[0];
    const struct attribute *bias = node_attribute(c->node, "bias");
    const size_t area = x->rank > 2 ? x->count / (size_t)(x->dim[0] * x->dim[1]) : 1;
    if (x->rank < 2 || !bias || bias->count != (size_t)x->dim[1])
        return kernel_fails(c, "bias must have a number for each channel");
    for (size_t i = 0; i < x->count; i++)
        view_set_real(c->out[0], i,
                      view_real(x, i) * node_real(c->node, "scale") +
                          (double)bias->reals[i / area % bias->count]);
    return true;
}

const struct kernel elementwise_kernels[] = {
    {"Abs", signs},
    {"Neg", signs},
    {"Relu", signs},
    {"Sign", signs},
    {"Acos", unary},
    {"Acosh", unary},
    {"Asin", unary},
    {"Asinh", unary},
    {"Atan", unary},
    {"Atanh", unary},
    {"Ceil", unary},
    {"Celu", unary},
    {"Cos", unary},
    {"Cosh", unary},
    {"Elu", unary},
    {"Erf", unary},
    {"Exp", unary},
    {"Floor", unary},
    {"Gelu", unary},
    {"HardSigmoid", unary},
    {"HardSwish", unary},
    {"LeakyRelu", unary},
    {"Log", unary},
    {"Mish", unary},
    {"Reciprocal", unary},
    {"Round", unary},
    {"Selu", unary},
    {"Shrink", unary},
    {"Sigmoid", unary},
    {"Sin", unary},
    {"Sinh", unary},
    {"Softplus", unary},
    {"Softsign", unary},
    {"Sqrt", unary},
    {"Tan", unary},
    {"Tanh", unary},
    {"ThresholdedRelu", unary},
    {"IsInf", tests},
    {"IsNaN", tests},
    {"Not", not },
    {"Clip", clip},
    {"Add", fold},
    {"Sub", fold},
    {"Mul", fold},
    {"Div", fold},
    {"Max", fold},
    {"Min", fold},
    {"Sum", fold},
    {"Mean", fold},
    {"Mod", fold},
    {"Pow", fold},
    {"Equal", compare},
    {"Less", compare},
    {"LessOrEqual", compare},
    {"Greater", compare},
    {"GreaterOrEqual", compare},
    {"And", compare},
    {"Or", compare},
    {"Xor", compare},
    {"BitShift", shift},
    {"BitwiseAnd", bits},
    {"BitwiseNot", bits},
    {"BitwiseOr", bits},
    {"BitwiseXor", bits},
    {"Where", where},
    {"PRelu", prelu},
    {"Cast", cast},
    {"CastLike", cast},
    {"ImageScaler", image_scaler},
    {NULL, NULL},
};
