/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions, and what normalises over dimensions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"

/* ---- reductions ---------------------------------------------------------------------------------- */

struct sum {
    double real;
    int64_t exact;
};

static bool is(const struct call *c, const char *type)
{
    return !strcmp(c->node->type, type);
}

static void begin(const struct call *c, struct sum *s)
{
    const bool product = is(c, "ReduceProd"), least = is(c, "ReduceMin"), most = is(c, "ReduceMax");
    const bool logs = is(c, "ReduceLogSumExp");
    *s = (struct sum){product        ? 1
                      : least        ? INFINITY
                      : most || logs ? -INFINITY
                                     : 0,
                      product ? 1
                      : least ? INT64_MAX
                      : most  ? INT64_MIN
                              : 0};
}

static void add(const struct call *c, struct sum *s, double x, int64_t n)
{
    if (is(c, "ReduceProd")) {
        s->real *= x;
        s->exact = (int64_t)((uint64_t)s->exact * (uint64_t)n);
    } else if (is(c, "ReduceMin")) {
        s->real = x < s->real ? x : s->real;
        s->exact = n < s->exact ? n : s->exact;
    } else if (is(c, "ReduceMax")) {
        s->real = x > s->real ? x : s->real;
        s->exact = n > s->exact ? n : s->exact;
    } else if (is(c, "ReduceLogSumExp")) {
        const double most = x > s->real ? x : s->real;
        s->real = isinf(most) ? most : most + log(exp(x - most) + exp(s->real - most));
    } else {
        const bool square = is(c, "ReduceSumSquare") || is(c, "ReduceL2"), size = is(c, "ReduceL1");
        s->real += square ? x * x : size ? fabs(x) : x;
        s->exact = (int64_t)((uint64_t)s->exact + (uint64_t)(square ? n * n : size && n < 0 ? -n : n));
    }
}

static void end(const struct call *c, const struct sum *s, size_t at, double count)
{
    const struct view *y = c->out[0];
    const bool exact = !is_real(y->type) && !is(c, "ReduceMean") && !is(c, "ReduceL2") &&
                       !is(c, "ReduceLogSum") && !is(c, "ReduceLogSumExp");
    if (exact)
        view_set_integer(y, at, s->exact);
    else
        view_set_real(y, at,
                      is(c, "ReduceMean")     ? s->real / count
                      : is(c, "ReduceL2")     ? sqrt(s->real)
                      : is(c, "ReduceLogSum") ? log(s->real)
                                              : s->real);
}

void reduce_kept(const struct call *c, struct view *kept)
{
    const struct view *x = c->in[0], *axes = c->inputs > 1 ? c->in[1] : NULL;
    size_t given;
    const int64_t *list = node_integers(c->node, "axes", &given);
    const size_t count = axes ? axes->count : given;
    *kept = *x;
    if (!count && node_integer(c->node, "noop_with_empty_axes"))
        return;
    for (int i = 0; !count && i < x->rank; i++)
        kept->dim[i] = 1;
    for (size_t i = 0; i < count; i++) {
        const int64_t axis = axes ? view_integer(axes, i) : list[i];
        kept->dim[axis < 0 ? axis + x->rank : axis] = 1;
    }
}

static bool reduce(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    struct view kept;
    struct sum *sums = calloc(y->count + 1, sizeof *sums);
    reduce_kept(c, &kept);
    const struct spread s = spread_of(&kept, x);
    if (!sums)
        return kernel_no_memory(c);
    for (size_t i = 0; i < y->count; i++)
        begin(c, &sums[i]);
    for (size_t i = 0; i < x->count; i++)
        add(c, &sums[spread_at(&s, i)], view_real(x, i), is_real(x->type) ? 0 : view_integer(x, i));
    for (size_t i = 0; i < y->count; i++)
        end(c, &sums[i], i, (double)x->count / (double)y->count);
    free(sums);
    return true;
}

/* ---- along one axis ------------------------------------------------------------------------------ */

/* Element k of line i along an axis: inner elements lie between two of them. */
struct lines {
    size_t count, length, inner;
};

static struct lines lines_of(const struct view *x, int64_t axis)
{
    struct lines l = {.inner = 1};
    axis = axis < 0 ? axis + x->rank : axis;
    for (int i = (int)axis + 1; i < x->rank; i++)
        l.inner *= (size_t)x->dim[i];
    l.length = x->rank ? (size_t)x->dim[axis] : 1;
    l.count = l.length ? x->count / l.length : 0;
    return l;
}

static size_t line_at(const struct lines *l, size_t line, size_t k)
{
    return (line / l->inner * l->length + k) * l->inner + line % l->inner;
}

static bool arg(const struct call *c)
{
    const struct view *x = c->in[0];
    const struct lines l = lines_of(x, node_integer(c->node, "axis"));
    const bool most = is(c, "ArgMax"), last = node_integer(c->node, "select_last_index") != 0;
    for (size_t i = 0; i < l.count; i++) {
        size_t best = 0;
        for (size_t k = 1; k < l.length; k++) {
            const double a = view_real(x, line_at(&l, i, best)), b = view_real(x, line_at(&l, i, k));
            if ((most ? b > a : b < a) || (last && a == b))
                best = k;
        }
        view_set_integer(c->out[0], i, (int64_t)best);
    }
    return true;
}

/* Before operator set 13 all dimensions from the axis on are one. */
static struct lines softmax_lines(const struct call *c)
{
    const struct attribute *a = node_attribute(c->node, "axis");
    const bool joined = c->net->opset < 13;
    const int64_t given = a && a->integers ? a->integers[0] : joined ? 1 : -1;
    struct view x = *c->in[0];
    const int axis = (int)(given < 0 ? given + x.rank : given);
    for (int i = axis + 1; joined && i < x.rank; i++) {
        x.dim[axis] *= x.dim[i];
        x.dim[i] = 1;
    }
    return lines_of(&x, axis);
}

static bool softmax(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct lines l = softmax_lines(c);
    for (size_t i = 0; i < l.count; i++) {
        double most = -INFINITY, sum = 0;
        size_t best = 0;
        for (size_t k = 0; k < l.length; k++)
            if (view_real(x, line_at(&l, i, k)) > most)
                most = view_real(x, line_at(&l, i, best = k));
        for (size_t k = 0; k < l.length; k++)
            sum += exp(view_real(x, line_at(&l, i, k)) - most);
        for (size_t k = 0; k < l.length; k++) {
            const size_t at = line_at(&l, i, k);
            const double value = view_real(x, at) - most;
            view_set_real(y, at,
                          is(c, "Softmax")      ? exp(value) / sum
                          : is(c, "LogSoftmax") ? value - log(sum)
                                                : k == best);
        }
    }
    return true;
}

/* The first of the best elements of a line that are not taken. */
static size_t best_of(const struct view *x, const struct lines *l, size_t line, const bool *taken,
                      bool largest)
{
    size_t best = l->length;
    for (size_t m = 0; m < l->length; m++) {
        if (taken[m])
            continue;
        const double a = view_real(x, line_at(l, line, m));
        const double b = best < l->length ? view_real(x, line_at(l, line, best)) : 0;
        if (best == l->length || (largest ? a > b : a < b))
            best = m;
    }
    return best;
}

static bool top_k(const struct call *c)
{
    const struct view *x = c->in[0], *values = c->out[0], *indices = c->outputs > 1 ? c->out[1] : NULL;
    const int64_t axis = node_integer(c->node, "axis");
    const struct lines l = lines_of(x, axis), to = lines_of(values, axis);
    bool *taken = calloc(l.length + 1, sizeof *taken);
    if (!taken)
        return kernel_no_memory(c);
    for (size_t i = 0; i < l.count; i++) {
        memset(taken, 0, l.length);
        for (size_t k = 0; k < to.length && k < l.length; k++) {
            const size_t best = best_of(x, &l, i, taken, node_integer(c->node, "largest") != 0);
            taken[best] = true;
            view_set_real(values, line_at(&to, i, k), view_real(x, line_at(&l, i, best)));
            if (indices)
                view_set_integer(indices, line_at(&to, i, k), (int64_t)best);
        }
    }
    free(taken);
    return true;
}

static bool cum_sum(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const struct lines l = lines_of(x, view_integer(c->in[1], 0));
    const bool exclusive = node_integer(c->node, "exclusive") != 0,
               back = node_integer(c->node, "reverse") != 0;
    for (size_t i = 0; i < l.count; i++) {
        double sum = 0;
        for (size_t k = 0; k < l.length; k++) {
            const size_t at = line_at(&l, i, back ? l.length - 1 - k : k);
            const double before = sum;
            sum += view_real(x, at);
            view_set_real(y, at, exclusive ? before : sum);
        }
    }
    return true;
}

/* ---- norms --------------------------------------------------------------------------------------- */

/* Mean and variance of so many elements. */
static void moments(const struct view *x, size_t from, size_t count, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += view_real(x, from + i);
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += pow(view_real(x, from + i) - *mean, 2);
    *variance = squares / (double)count;
}

static bool batch_norm(const struct call *c)
{
    const struct view *x = c->in[0];
    const size_t channels = x->rank > 1 ? (size_t)x->dim[1] : 1,
                 area = x->rank > 1 ? x->count / (size_t)x->dim[0] / channels : 1;
    if (node_integer(c->node, "training_mode") || c->outputs > 1)
        return kernel_fails(c, "training is not supported");
    for (size_t i = 0; i < x->count; i++) {
        const size_t k = i / area % channels;
        const double norm = (view_real(x, i) - view_real(c->in[3], k)) /
                            sqrt(view_real(c->in[4], k) + node_real(c->node, "epsilon"));
        view_set_real(c->out[0], i, norm * view_real(c->in[1], k) + view_real(c->in[2], k));
    }
    return true;
}

static bool instance_norm(const struct call *c)
{
    const struct view *x = c->in[0];
    const size_t channels = (size_t)x->dim[1], images = (size_t)x->dim[0] * channels,
                 area = images ? x->count / images : 0;
    for (size_t i = 0; i < images; i++) {
        double mean, variance;
        moments(x, i * area, area, &mean, &variance);
        for (size_t k = 0; k < area; k++)
            view_set_real(c->out[0], i * area + k,
                          (view_real(x, i * area + k) - mean) /
                                  sqrt(variance + node_real(c->node, "epsilon")) *
                                  view_real(c->in[1], i % channels) +
                              view_real(c->in[2], i % channels));
    }
    return true;
}

static bool layer_norm(const struct call *c)
{
    const struct view *x = c->in[0], *bias = c->inputs > 2 ? c->in[2] : NULL;
    const int64_t axis = node_integer(c->node, "axis");
    size_t length = 1;
    for (int i = (int)(axis < 0 ? axis + x->rank : axis); i < x->rank; i++)
        length *= (size_t)x->dim[i];
    const struct spread s = spread_of(c->in[1], x),
                        t = bias ? spread_of(bias, x) : (struct spread){.rank = 0};
    for (size_t i = 0; length && i < x->count / length; i++) {
        double mean, variance;
        moments(x, i * length, length, &mean, &variance);
        const double inverse = 1 / sqrt(variance + node_real(c->node, "epsilon"));
        for (size_t k = i * length; k < (i + 1) * length; k++)
            view_set_real(c->out[0], k,
                          (view_real(x, k) - mean) * inverse * view_real(c->in[1], spread_at(&s, k)) +
                              (bias ? view_real(bias, spread_at(&t, k)) : 0));
        if (c->outputs > 1 && c->out[1])
            view_set_real(c->out[1], i, mean);
        if (c->outputs > 2 && c->out[2])
            view_set_real(c->out[2], i, inverse);
    }
    return true;
}

/* Groups of channels are normalised; before operator set 21 each group has its scale and bias, then each
 * channel. */
static bool group_norm(const struct call *c)
{
    const struct view *x = c->in[0], *scale = c->in[1], *bias = c->in[2];
    const int64_t groups = node_integer(c->node, "num_groups"), channels = x->rank > 1 ? x->dim[1] : 0;
    const size_t factors = (size_t)(c->net->opset < 21 ? groups : channels);
    if (groups < 1 || channels < 1 || channels % groups || scale->count != factors || bias->count != factors)
        return kernel_fails(c, "%lld channels in %lld groups do not fit its scale and bias",
                            (long long)channels, (long long)groups);
    const size_t area = x->count / (size_t)(x->dim[0] ? x->dim[0] : 1) / (size_t)channels,
                 each = (size_t)(channels / groups) * area;
    for (size_t begin = 0; begin < x->count; begin += each) {
        double mean, variance;
        moments(x, begin, each, &mean, &variance);
        const double inverse = 1 / sqrt(variance + node_real(c->node, "epsilon"));
        for (size_t i = begin; i < begin + each; i++) {
            const size_t k = i / (c->net->opset < 21 ? each : area) % factors;
            view_set_real(c->out[0], i,
                          (view_real(x, i) - mean) * inverse * view_real(scale, k) + view_real(bias, k));
        }
    }
    return true;
}

/* Lines along the axis get the norm 1; those that are 0 stay so. */
static bool lp_norm(const struct call *c)
{
    const struct view *x = c->in[0];
    const struct lines l = lines_of(x, node_integer(c->node, "axis"));
    const int64_t p = node_integer(c->node, "p");
    if (p != 1 && p != 2)
        return kernel_fails(c, "p is %lld; it must be 1 or 2", (long long)p);
    for (size_t i = 0; i < l.count; i++) {
        double norm = 0;
        for (size_t k = 0; k < l.length; k++)
            norm += pow(fabs(view_real(x, line_at(&l, i, k))), (double)p);
        norm = p == 2 ? sqrt(norm) : norm;
        for (size_t k = 0; k < l.length; k++)
            view_set_real(c->out[0], line_at(&l, i, k),
                          norm > 0 ? view_real(x, line_at(&l, i, k)) / norm : 0);
    }
    return true;
}

/* Mean 0 and variance 1 over dimensions, without the attribute all but the channels. */
static bool mean_variance(const struct call *c)
{
    static const int64_t usual[] = {0, 2, 3};
    const struct view *x = c->in[0];
    size_t given;
    const int64_t *axes = node_integers(c->node, "axes", &given);
    struct view kept = *x;
    given = axes ? given : 3;
    for (size_t i = 0; i < given; i++) {
        const int64_t axis = axes ? axes[i] < 0 ? axes[i] + x->rank : axes[i] : usual[i];
        if (axis < 0 || axis >= x->rank)
            return kernel_fails(c, "axis %lld is not one of the %d dimensions", (long long)axis, x->rank);
        kept.dim[axis] = 1;
    }
    const struct spread s = spread_of(&kept, x);
    double *sums = calloc(2 * (x->count + 1), sizeof *sums), *squares = sums ? sums + x->count + 1 : NULL;
    int64_t *counts = calloc(x->count + 1, sizeof *counts);
    for (size_t i = 0; sums && counts && i < x->count; i++) {
        sums[spread_at(&s, i)] += view_real(x, i);
        counts[spread_at(&s, i)]++;
    }
    for (size_t i = 0; sums && counts && i < x->count; i++) {
        const size_t at = spread_at(&s, i);
        squares[at] += pow(view_real(x, i) - sums[at] / (double)counts[at], 2);
    }
    for (size_t i = 0; sums && counts && i < x->count; i++) {
        const size_t at = spread_at(&s, i);
        const double n = (double)counts[at];
        view_set_real(c->out[0], i, (view_real(x, i) - sums[at] / n) / (sqrt(squares[at] / n) + 1e-9));
    }
    const bool ok = sums && counts;
    free(sums);
    free(counts);
    return ok || kernel_no_memory(c);
}

#define R(name)                \
    {                          \
        "Reduce" #name, reduce \
    }
const struct kernel reduce_kernels[] = {
    R(L1),
    R(L2),
    R(LogSum),
    R(LogSumExp),
    R(Max),
    R(Mean),
    R(Min),
    R(Prod),
    R(Sum),
    R(SumSquare),
    {"ArgMax", arg},
    {"ArgMin", arg},
    {"Softmax", softmax},
    {"LogSoftmax", softmax},
    {"Hardmax", softmax},
    {"CumSum", cum_sum},
    {"TopK", top_k},
    {"BatchNormalization", batch_norm},
    {"InstanceNormalization", instance_norm},
    {"LayerNormalization", layer_norm},
    {"GroupNormalization", group_norm},
    {"LpNormalization", lp_norm},
    {"MeanVarianceNormalization", mean_variance},
    {NULL, NULL},
};
