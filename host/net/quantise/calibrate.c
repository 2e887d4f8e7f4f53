/* SPDX-License-Identifier: Apache-2.0
 *
 * Calibration: the network of floats runs on the samples once for the ranges of all
 * tensors, once for their distributions where a method needs them, and once for what
 * rounding loses in each, where that decides which of them get 16 bits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "host/net/quantise/quantiser.h"

typedef bool visit_function(struct quantiser *q, struct site *s, const struct view *values);

/* Runs the network on all samples and visits each tensor that is no other's elements, with the site that
 * stands for it. */
static bool visit_all(struct quantiser *q, visit_function *visit)
{
    bool ok = true;
    for (size_t i = 0; ok && i < q->samples->count; i++) {
        struct run *run = sample_run(q->net, q->samples, i, q->diag);
        ok = run && run_nodes(run);
        for (size_t k = 0; ok && k < q->site_count; k++) {
            struct view v;
            if (!q->sites[k].moved && run_get(run, q->sites[k].tensor, &v))
                ok = visit(q, &q->sites[k], &v);
        }
        run_free(run);
    }
    return ok;
}

static bool widen(struct quantiser *q, struct site *s, const struct view *values)
{
    struct histogram *h = &q->sites[s->group].values;
    for (size_t i = 0; i < values->count; i++) {
        const double value = view_real_of(values, i);
        if (!isfinite(value)) {
            diag_error(q->diag, (struct place){.file = q->net->source[0].path},
                       "element %zu of \"%.60s\" is not finite for one of the inputs to calibrate with", i,
                       s->tensor->name);
            return false;
        }
        histogram_widen(h, value);
    }
    return true;
}

static bool count(struct quantiser *q, struct site *s, const struct view *values)
{
    struct histogram *h = &q->sites[s->group].values;
    for (size_t i = 0; i < values->count; i++)
        histogram_count(h, view_real_of(values, i));
    return true;
}

static bool make_bins(struct quantiser *q)
{
    for (size_t i = 0; i < q->site_count; i++)
        if (q->sites[i].group == i)
            q->sites[i].values.bins = calloc(HISTOGRAM_BINS, sizeof(double));
    for (size_t i = 0; i < q->site_count; i++)
        if (q->sites[i].group == i && !q->sites[i].values.bins)
            return quantiser_no_memory(q);
    return true;
}

static void choose_codes(struct quantiser *q)
{
    const enum net_type narrow = q->options->unsigned_codes ? NET_UINT8 : NET_INT8;
    for (size_t i = 0; i < q->site_count; i++) {
        struct site *s = &q->sites[i], *first = &q->sites[s->group];
        if (s == first)
            s->code = histogram_code(&s->values, q->options, s->wide ? NET_INT16 : narrow);
        s->code = first->code;
    }
}

/* ---- 16 bits ------------------------------------------------------------------------------------- */

static bool is_named(const struct site *s, const char *name)
{
    const struct node *node = s->tensor->producer;
    while (node && strcmp(node->name, name) != 0 && (is_op(node, "Relu") || is_op(node, "Clip")))
        node = node->inputs[0]->producer;
    return !strcmp(s->tensor->name, name) || (node && *node->name && !strcmp(node->name, name));
}

static bool widen_named(struct quantiser *q, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < q->site_count; i++) {
        if (!is_named(&q->sites[i], name))
            continue;
        q->sites[q->sites[i].group].wide = true;
        found = true;
    }
    if (!found)
        diag_error(q->diag, (struct place){.file = q->net->source[0].path},
                   "no quantised tensor and no node with one has the name \"%.60s\"", name);
    return found;
}

static bool widen_all_named(struct quantiser *q)
{
    bool ok = true;
    for (unsigned i = 0; i < q->options->wide_count; i++)
        ok = widen_named(q, q->options->wide[i]) && ok;
    return ok;
}

/* Sums what rounding loses, in the counts of the site's group. */
static bool add_loss(struct quantiser *q, struct site *s, const struct view *values)
{
    struct site *first = &q->sites[s->group];
    for (size_t i = 0; i < values->count; i++) {
        const double value = view_real_of(values, i);
        const double error = value - code_value(&first->code, code_nearest(&first->code, value));
        first->signal += value * value;
        first->noise += error * error;
    }
    return true;
}

static bool widen_lossy(struct quantiser *q)
{
    if (q->options->wide_below <= 0)
        return true;
    if (!visit_all(q, add_loss))
        return false;
    for (size_t i = 0; i < q->site_count; i++) {
        const struct quantise_error e = {.signal = q->sites[i].signal, .noise = q->sites[i].noise};
        q->sites[i].wide |= e.noise > 0 && quantise_decibels(&e) < q->options->wide_below;
    }
    choose_codes(q);
    return true;
}

static void choose_scales(struct quantiser *q)
{
    for (size_t i = 0; i < q->layer_count; i++)
        weights_scale(&q->layers[i], q->sites[q->layers[i].in].code.scale, q->options->per_tensor);
}

bool quantiser_calibrate(struct quantiser *q)
{
    bool ok = widen_all_named(q) && visit_all(q, widen);
    if (ok && q->options->ranges != QUANTISE_MIN_MAX)
        ok = make_bins(q) && visit_all(q, count);
    if (!ok)
        return false;
    choose_codes(q);
    if (!widen_lossy(q))
        return false;
    choose_scales(q);
    ok = quantiser_correct(q);
    choose_scales(q); /* for the biases as they are now */
    return ok;
}
