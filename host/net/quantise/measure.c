/* SPDX-License-Identifier: Apache-2.0
 *
 * What quantising has cost: each tensor's integers against the floats of the network
 * before, and the outputs against those of the network as it was read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "host/net/quantise/quantiser.h"

static void add_error(struct quantise_error *e, double wanted, double value)
{
    const double error = fabs(wanted - value);
    e->signal += wanted * wanted;
    e->noise += error * error;
    e->largest = fmax(e->largest, error);
}

double quantise_decibels(const struct quantise_error *error)
{
    return error->noise > 0 ? 10 * log10(error->signal / error->noise) : INFINITY;
}

/* ---- tensors ------------------------------------------------------------------------------------- */

static void compare_tensor(const struct site *s, const struct view *real, const struct view *integers,
                           struct quantise_tensor *to)
{
    for (size_t i = 0; i < real->count && i < integers->count; i++) {
        const double wanted = view_real_of(real, i);
        add_error(&to->own, wanted, code_value(&s->code, code_nearest(&s->code, wanted)));
        add_error(&to->all, wanted, code_value(&s->code, (int32_t)view_integer(integers, i)));
    }
}

static void compare_tensors(const struct quantiser *q, struct run *run, struct net *reference,
                            struct run *floats, struct quantise_report *report)
{
    for (size_t i = 0; i < q->site_count; i++) {
        const struct site *s = &q->sites[i];
        struct tensor *t = net_find(reference, s->tensor->name, strlen(s->tensor->name));
        struct view real, integers;
        if (t && run_get(floats, t, &real) && run_get(run, s->integers, &integers))
            compare_tensor(s, &real, &integers, &report->tensors[i]);
    }
}

/* ---- outputs ------------------------------------------------------------------------------------- */

static size_t best(const struct view *v, size_t from, size_t count)
{
    size_t place = from;
    for (size_t i = from + 1; i < from + count; i++)
        if (view_real_of(v, i) > view_real_of(v, place))
            place = i;
    return place;
}

static size_t same_best(const struct view *a, const struct view *b, size_t rows)
{
    const size_t each = rows ? a->count / rows : 0;
    size_t same = 0;
    for (size_t i = 0; each && i < rows; i++)
        same += best(a, i * each, each) == best(b, i * each, each);
    return same;
}

/* Rows of classes, which have a largest element; 0: it is something else, as an image. */
static size_t rows_of(const struct view *v)
{
    const bool is_list = v->rank > 1 && v->dim[0] > 0 && v->dim[0] * v->dim[1] == (int64_t)v->count;
    return is_list ? (size_t)v->dim[0] : 0;
}

static void compare_output(const struct view *first, const struct view *pruned, const struct view *last,
                           struct quantise_output *to)
{
    const size_t rows = rows_of(first);
    for (size_t i = 0; i < first->count && i < last->count && i < pruned->count; i++) {
        add_error(&to->pruned, view_real_of(first, i), view_real_of(pruned, i));
        add_error(&to->all, view_real_of(first, i), view_real_of(last, i));
    }
    to->rows += rows;
    to->pruned_same += same_best(first, pruned, rows);
    to->same += same_best(first, last, rows);
}

static bool measure_sample(const struct quantiser *q, struct net *reference, size_t sample,
                           const struct view *first, struct quantise_report *report)
{
    struct run *floats = sample_run(reference, q->samples, sample, q->diag);
    struct run *run = floats && run_nodes(floats) ? sample_run(q->net, q->samples, sample, q->diag) : NULL;
    bool ok = run && run_nodes(run);
    if (ok)
        compare_tensors(q, run, reference, floats, report);
    for (size_t i = 0; ok && i < q->net->output_count; i++) {
        struct view pruned, last;
        ok = run_get(floats, reference->outputs[i], &pruned) && run_get(run, q->net->outputs[i], &last);
        if (ok)
            compare_output(&first[sample * q->net->output_count + i], &pruned, &last, &report->outputs[i]);
    }
    run_free(run);
    run_free(floats);
    return ok;
}

/* ---- the report ---------------------------------------------------------------------------------- */

static void count_weights(const struct quantiser *q, struct quantise_report *report)
{
    for (size_t i = 0; i < q->layer_count; i++) {
        const struct layer *l = &q->layers[i];
        report->weights += l->count;
        for (size_t k = 0; k < l->count; k++) {
            report->zeros_before += (l->full ? l->full : l->w)[k] == 0;
            report->zeros += weight_code(l, k) == 0;
        }
    }
}

static const char *maker_of(const struct net *reference, const struct site *s)
{
    const struct tensor *t = net_find(reference, s->tensor->name, strlen(s->tensor->name));
    return t && t->producer ? t->producer->type : "";
}

static bool make_report(const struct quantiser *q, const struct net *reference,
                        struct quantise_report *report)
{
    *report = (struct quantise_report){.tensor_count = q->site_count,
                                       .output_count = q->net->output_count,
                                       .layers = q->layer_count,
                                       .pruned = q->layers[0].full != NULL,
                                       .samples = q->samples->count};
    report->tensors = calloc(q->site_count + 1, sizeof *report->tensors);
    report->outputs = calloc(q->net->output_count + 1, sizeof *report->outputs);
    if (!report->tensors || !report->outputs)
        return quantiser_no_memory(q);
    for (size_t i = 0; i < q->site_count; i++) {
        const struct site *s = &q->sites[i];
        report->tensors[i] = (struct quantise_tensor){.name = s->tensor->name,
                                                      .made_by = maker_of(reference, s),
                                                      .type = s->code.type,
                                                      .scale = s->code.scale,
                                                      .zero = s->code.zero,
                                                      .is_result = !s->moved};
    }
    for (size_t i = 0; i < q->net->output_count; i++)
        report->outputs[i].name = q->net->outputs[i]->name;
    count_weights(q, report);
    return true;
}

bool quantiser_measure(const struct quantiser *q, struct net *reference, const struct view *first,
                       struct quantise_report *report)
{
    bool ok = make_report(q, reference, report);
    for (size_t i = 0; ok && i < q->samples->count; i++)
        ok = measure_sample(q, reference, i, first, report);
    return ok;
}
