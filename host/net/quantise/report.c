/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of the quantiser as text and as JSON.
 */
#include <math.h>

#include "host/net/graph/graph.h"
#include "host/net/quantise/quantise.h"

static double relative(const struct quantise_error *e)
{
    return e->signal > 0 ? sqrt(e->noise / e->signal) : e->noise > 0 ? INFINITY : 0;
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void put_decibels(struct strbuf *to, const struct quantise_error *e)
{
    const double decibels = quantise_decibels(e);
    if (isfinite(decibels))
        sb_addf(to, " %8.1f", decibels);
    else
        sb_add(to, decibels > 0 ? "    exact" : "     none");
}

static void put_tensor(struct strbuf *to, const struct quantise_tensor *t)
{
    sb_addf(to, "%-28.60s %-18s %-6s %-12.6g %6d", t->name, *t->made_by ? t->made_by : "input",
            net_type_name(t->type), (double)t->scale, (int)t->zero);
    put_decibels(to, &t->own);
    put_decibels(to, &t->all);
    sb_addf(to, " %10.4g\n", t->all.largest);
}

static void put_outputs(struct strbuf *to, const struct quantise_report *r, bool pruned)
{
    for (size_t i = 0; i < r->output_count; i++) {
        const struct quantise_output *o = &r->outputs[i];
        const struct quantise_error *e = pruned ? &o->pruned : &o->all;
        sb_addf(to, "%-16s %.60s: relative error %.4g, largest %.4g", pruned ? "pruning alone" : "output",
                o->name, relative(e), e->largest);
        if (o->rows)
            sb_addf(to, ", top-1 the same in %zu of %zu", pruned ? o->pruned_same : o->same, o->rows);
        sb_add(to, "\n");
    }
}

void quantise_report_text(const struct quantise_report *r, struct strbuf *to)
{
    sb_addf(to,
            "layers           %zu\nsamples          %zu\nweights          %zu, %zu of them 0, %zu before\n\n",
            r->layers, r->samples, r->weights, r->zeros, r->zeros_before);
    sb_addf(to, "%-28s %-18s %-6s %-12s %6s %8s %8s %10s\n", "tensor", "made by", "type", "scale", "zero",
            "own dB", "all dB", "largest");
    for (size_t i = 0; i < r->tensor_count; i++)
        if (r->tensors[i].is_result)
            put_tensor(to, &r->tensors[i]);
    sb_add(to, "\n");
    if (r->pruned)
        put_outputs(to, r, true);
    put_outputs(to, r, false);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

/* null: there is no noise, or no signal. */
static void put_number(struct strbuf *to, const char *name, double value)
{
    if (isfinite(value))
        sb_addf(to, ", \"%s\": %.9g", name, value);
    else
        sb_addf(to, ", \"%s\": null", name);
}

static void json_tensor(struct strbuf *to, const struct quantise_tensor *t)
{
    sb_add(to, "{\"name\": ");
    sb_add_json(to, t->name);
    sb_add(to, ", \"made_by\": ");
    sb_add_json(to, t->made_by);
    sb_addf(to, ", \"type\": \"%s\", \"scale\": %.9g, \"zero\": %d, \"moved\": %s", net_type_name(t->type),
            (double)t->scale, (int)t->zero, t->is_result ? "false" : "true");
    put_number(to, "own_db", quantise_decibels(&t->own));
    put_number(to, "all_db", quantise_decibels(&t->all));
    put_number(to, "largest", t->all.largest);
    sb_add(to, "}");
}

static void json_output(struct strbuf *to, const struct quantise_output *o)
{
    sb_add(to, "{\"name\": ");
    sb_add_json(to, o->name);
    put_number(to, "relative_error", relative(&o->all));
    put_number(to, "largest", o->all.largest);
    put_number(to, "pruned_relative_error", relative(&o->pruned));
    sb_addf(to, ", \"rows\": %zu, \"same_top1\": %zu, \"pruned_same_top1\": %zu}", o->rows, o->same,
            o->pruned_same);
}

void quantise_report_json(const struct quantise_report *r, struct strbuf *to)
{
    sb_addf(to,
            "{\n  \"layers\": %zu,\n  \"samples\": %zu,\n  \"weights\": %zu,\n  \"zeros\": %zu,\n"
            "  \"zeros_before\": %zu,\n  \"tensors\": [",
            r->layers, r->samples, r->weights, r->zeros, r->zeros_before);
    for (size_t i = 0; i < r->tensor_count; i++) {
        sb_add(to, i ? ",\n    " : "\n    ");
        json_tensor(to, &r->tensors[i]);
    }
    sb_add(to, "\n  ],\n  \"outputs\": [");
    for (size_t i = 0; i < r->output_count; i++) {
        sb_add(to, i ? ",\n    " : "\n    ");
        json_output(to, &r->outputs[i]);
    }
    sb_add(to, "\n  ]\n}\n");
}
