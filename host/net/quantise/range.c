/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/quantise/range.h"

#include <math.h>

/* Values below it are taken for 0: the scale of a range, and its product with that of weights, stay normal
 * floats. */
#define SCALE_LEAST 0x1p-60

struct code code_for(enum net_type type, bool symmetric, double low, double high)
{
    const bool wide = type == NET_INT16;
    struct code c = {.type = type,
                     .low = wide                ? INT16_MIN
                            : type == NET_UINT8 ? 0
                                                : INT8_MIN,
                     .high = wide                ? INT16_MAX
                             : type == NET_UINT8 ? UINT8_MAX
                                                 : INT8_MAX};
    low = fmin(low, 0);
    high = fmax(high, 0);
    symmetric = symmetric || wide;
    const double scale = symmetric ? fmax(-low, high) / c.high : (high - low) / (c.high - c.low);
    c.scale = scale >= SCALE_LEAST ? (float)scale : 1.0F;
    if (!symmetric)
        c.zero = (int32_t)fmin(c.high, nearbyint(c.low - (scale >= SCALE_LEAST ? low / (double)c.scale : 0)));
    return c;
}

int32_t code_nearest(const struct code *code, double value)
{
    const double integer = nearbyint((double)((float)value / code->scale)) + code->zero;
    return (int32_t)fmin(code->high, fmax(code->low, integer));
}

double code_value(const struct code *code, int32_t integer)
{
    return (double)code->scale * (integer - code->zero);
}

/* ---- what is counted ----------------------------------------------------------------------------- */

void histogram_widen(struct histogram *h, double value)
{
    h->low = fmin(h->low, value);
    h->high = fmax(h->high, value);
}

static double bin_width(const struct histogram *h)
{
    return (h->high - h->low) / HISTOGRAM_BINS;
}

static double bin_middle(const struct histogram *h, size_t bin)
{
    return h->low + ((double)bin + 0.5) * bin_width(h);
}

void histogram_count(struct histogram *h, double value)
{
    if (value == 0 || h->low == h->high) {
        h->zeros++;
        return;
    }
    const double bin = floor((value - h->low) / bin_width(h));
    h->bins[(size_t)fmin(HISTOGRAM_BINS - 1, fmax(0, bin))]++;
}

static double count_all(const struct histogram *h)
{
    double all = h->zeros;
    for (size_t i = 0; i < HISTOGRAM_BINS; i++)
        all += h->bins[i];
    return all;
}

/* ---- how a range is chosen ----------------------------------------------------------------------- */

struct range {
    double low, high;
};

/* As many values as that lie beyond each end, at most. */
static struct range by_share(const struct histogram *h, double beyond)
{
    struct range r = {h->low, h->high};
    double sum = 0;
    size_t i = 0;
    for (; i < HISTOGRAM_BINS && sum + h->bins[i] <= beyond && bin_middle(h, i) < 0; i++)
        sum += h->bins[i];
    r.low = h->low + (double)i * bin_width(h);
    sum = 0;
    for (i = HISTOGRAM_BINS; i > 0 && sum + h->bins[i - 1] <= beyond && bin_middle(h, i - 1) > 0; i--)
        sum += h->bins[i - 1];
    r.high = h->low + (double)i * bin_width(h);
    return r;
}

typedef double cost_function(const struct histogram *h, const struct code *code);

/* The sum of squared errors of values in the middles of the bins. 0 has no error. */
static double squared_error(const struct histogram *h, const struct code *code)
{
    double sum = 0;
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        const double value = bin_middle(h, i);
        const double error = h->bins[i] > 0 ? value - code_value(code, code_nearest(code, value)) : 0;
        sum += h->bins[i] * error * error;
    }
    return sum;
}

/* The bins from *first to before *end, which have codes of their own; the others get the codes at the ends.
 */
static void covered(const struct histogram *h, const struct code *code, size_t *first, size_t *end)
{
    const double low = code_value(code, code->low) - (double)code->scale / 2,
                 high = code_value(code, code->high) + (double)code->scale / 2;
    for (*first = 0; *first + 1 < HISTOGRAM_BINS && bin_middle(h, *first) < low;)
        ++*first;
    for (*end = HISTOGRAM_BINS; *end > *first + 1 && bin_middle(h, *end - 1) > high;)
        --*end;
}

/* The divergence of the distribution, with what is cut off added to its ends, from one that is even within
 * each code, among the bins that have values. */
static double divergence(const struct histogram *h, const struct code *code)
{
    static const double nothing = 1e-10;
    double values[HISTOGRAM_BINS] = {0}, all = 0, inside = 0, cost = 0;
    size_t first, end;
    covered(h, code, &first, &end);
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        values[i < first ? first : i < end ? i : end - 1] += h->bins[i];
        all += h->bins[i];
    }
    for (size_t from = first, to; from < end; from = to) {
        const int32_t integer = code_nearest(code, bin_middle(h, from));
        double sum = 0, used = 0;
        for (to = from; to < end && code_nearest(code, bin_middle(h, to)) == integer; to++) {
            sum += h->bins[to];
            used += values[to] > 0;
        }
        inside += sum;
        for (size_t i = from; i < to; i++)
            cost += values[i] > 0 ? values[i] * log(values[i] * used / fmax(sum, nothing)) : 0;
    }
    return all > 0 ? cost / all + log(fmax(inside, nothing) / all) : 0;
}

/* The part of the range, first of its upper end and then of its lower end, with the least cost. */
static struct range by_cost(const struct histogram *h, const struct quantise_options *o, enum net_type type,
                            cost_function *cost)
{
    enum { PARTS = 128, LEAST = 16 };
    struct range best = {h->low, h->high};
    struct code code = code_for(type, o->symmetric, best.low, best.high);
    double least = cost(h, &code);
    for (int end = 0; end < 2; end++)
        for (int part = PARTS - 1; part >= LEAST; part--) {
            struct range r = best;
            *(end ? &r.low : &r.high) = (end ? h->low : h->high) * part / PARTS;
            code = code_for(type, o->symmetric, r.low, r.high);
            const double now = cost(h, &code);
            if (now < least) {
                least = now;
                best = r;
            }
        }
    return best;
}

struct code histogram_code(const struct histogram *h, const struct quantise_options *o, enum net_type type)
{
    struct range r = {h->low, h->high};
    if (h->bins && type != NET_INT16 && o->ranges == QUANTISE_PERCENTILE)
        r = by_share(h, count_all(h) * (1 - o->percentile / 100));
    else if (h->bins && type != NET_INT16 && o->ranges != QUANTISE_MIN_MAX)
        r = by_cost(h, o, type, o->ranges == QUANTISE_ERROR ? squared_error : divergence);
    return code_for(type, o->symmetric, r.low, r.high);
}
