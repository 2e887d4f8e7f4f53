/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/report.h"

#include <string.h>

#include "host/cli/floats.h"
#include "host/cli/window.h"

static const char *join_name(const struct product *p)
{
    return request_joins[p->request->join - TULLE_JOIN_ADD];
}

static const char *operation_name(const struct product *p)
{
    return p->request->depthwise                        ? "dwconv"
           : p->operands.operation == TULLE_ELEMENTWISE ? join_name(p)
                                                        : request_operation_name(p->operands.operation);
}

static double efficiency(const struct product *p, const struct figures *f)
{
    return f->roofline / (double)p->counters.cycles;
}

static double utilization(const struct product *p, const struct figures *f)
{
    return (double)f->effective_macs / ((double)f->pes * (double)p->counters.cycles);
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static void add_number(struct strbuf *to, const char *name, uint64_t value)
{
    sb_addf(to, ", \"%s\": %llu", name, (unsigned long long)value);
}

static void add_text(struct strbuf *to, const char *name, const char *value)
{
    sb_addf(to, ", \"%s\": ", name);
    sb_add_json(to, value);
}

static void add_flag(struct strbuf *to, const char *name, bool value)
{
    sb_addf(to, ", \"%s\": %s", name, value ? "true" : "false");
}

/* null where there is nothing to know: a device without a clock. */
static void add_ratio(struct strbuf *to, const char *name, double value, bool known)
{
    if (known)
        sb_addf(to, ", \"%s\": %.4f", name, value);
    else
        sb_addf(to, ", \"%s\": null", name);
}

static void add_window(const struct tulle_window *w, struct strbuf *to)
{
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {
        {"batch", w->batch},
        {"height", w->height},
        {"width", w->width},
        {"channels", w->channels},
        {"out_height", window_out_height(w)},
        {"out_width", window_out_width(w)},
        {"kernel_height", w->kernel_height},
        {"kernel_width", w->kernel_width},
        {"stride_y", w->stride_y},
        {"stride_x", w->stride_x},
        {"dilation_y", w->dilation_y},
        {"dilation_x", w->dilation_x},
        {"pad_top", w->pad_top},
        {"pad_bottom", w->pad_bottom},
        {"pad_left", w->pad_left},
        {"pad_right", w->pad_right},
        {"groups", w->groups},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        add_number(to, fields[i].name, (uint64_t)fields[i].value);
    add_text(to, "layout", request_layouts[w->input_layout]);
}

static void add_product(const struct product *p, const struct figures *f, struct strbuf *to)
{
    const struct sizes *s = &p->operands.size;
    sb_addf(to, "{\"op\": \"%s\"", operation_name(p));
    add_number(to, "m", (uint64_t)s->m.value);
    add_number(to, "k", (uint64_t)s->k.value);
    add_number(to, "n", (uint64_t)s->n.value);
    if (p->operands.window.batch)
        add_window(&p->operands.window, to);
    add_number(to, "nnz", f->nonzeros);
    add_number(to, "effective_macs", f->effective_macs);
    add_number(to, "pes", f->pes);
}

static void add_measured(const struct product *p, const struct figures *f, struct strbuf *to)
{
    const bool timed = p->counters.cycles;
    add_number(to, "cycles", p->counters.cycles);
    sb_addf(to, ", \"roofline_cycles\": %.2f", f->roofline);
    add_ratio(to, "efficiency", efficiency(p, f), timed);
    add_ratio(to, "utilization", utilization(p, f), timed);
    add_number(to, "bytes_read", p->counters.bytes_read);
    add_number(to, "bytes_written", p->counters.bytes_written);
}

static void add_plan(const struct product *p, struct strbuf *to)
{
    const struct tulle_operator_info *i = &p->plan;
    add_text(to, "mapping", i->mapping);
    add_text(to, "split", i->split);
    add_text(to, "plan", i->plan);
    add_number(to, "predicted_cycles", i->predicted_cycles);
    add_number(to, "jobs", i->jobs);
    add_flag(to, "streamed", i->streamed);
    add_number(to, "weights_bytes", i->weights_bytes);
    add_number(to, "device_bytes", i->device_bytes);
}

static void add_device(const struct product *p, struct strbuf *to)
{
    if (!p->operands.window.batch && request_has_weights(p->operands.operation))
        add_text(to, "sparse", p->operands.operation == TULLE_SPMM_RIGHT ? "right" : "left");
    add_text(to, "device", p->info.name);
    add_text(to, "variant", p->info.variant);
    add_text(to, "output_type",
             p->floats            ? "float32"
             : p->output_unsigned ? request_types[REQUEST_UINT8]
                                  : request_types[p->output_type]);
    if (p->request->join)
        add_text(to, "join", join_name(p));
    sb_addf(to, ", \"weights_scale\": %.9g, \"input_scale\": %.9g", p->operands.weights_scale,
            p->operands.input_scale);
}

static void add_real(struct strbuf *to, const char *name, double value, bool known)
{
    if (known)
        sb_addf(to, ", \"%s\": %.6g", name, value);
    else
        sb_addf(to, ", \"%s\": null", name);
}

static void add_errors(const struct product *p, bool checked, struct strbuf *to)
{
    const double unit = floats_scale(p);
    add_real(to, "worst_error", p->float_info.worst_error * unit, true);
    add_real(to, "expected_error", p->float_info.expected_error * unit, true);
    add_real(to, "largest_error", p->largest_error * unit, checked);
    add_real(to, "mean_error", p->mean_error * unit, checked);
}

void report_run_json(const struct product *p, bool checked, struct strbuf *to)
{
    const struct figures f = figures_of(p);
    add_product(p, &f, to);
    add_measured(p, &f, to);
    add_plan(p, to);
    add_flag(to, "checked", checked);
    if (p->floats)
        add_errors(p, checked, to);
    add_device(p, to);
    add_number(to, "repeat", (uint64_t)p->request->repeat.value);
    sb_addf(to, ", \"seconds\": %.6f}\n", p->seconds);
}

static void add_lines(const char *text, struct strbuf *to)
{
    const char *between = "";
    sb_add(to, ", \"explanation\": [");
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        struct strbuf line = {0};
        sb_addn(&line, text, strcspn(text, "\n"));
        sb_add(to, between);
        sb_add_json(to, sb_text(&line));
        sb_free(&line);
        between = ", ";
    }
    sb_add(to, "]}\n");
}

void report_plan_json(const struct product *p, const char *explanation, struct strbuf *to)
{
    const struct figures f = figures_of(p);
    add_product(p, &f, to);
    if (p->ran)
        add_measured(p, &f, to);
    else
        sb_addf(to, ", \"cycles\": null, \"roofline_cycles\": %.2f", f.roofline);
    add_plan(p, to);
    add_device(p, to);
    add_lines(explanation, to);
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void add_pair(const char *name, int64_t a, int64_t b, int64_t usual, struct strbuf *to)
{
    if (a == b && a != usual)
        sb_addf(to, ", %s %lld", name, (long long)a);
    else if (a != b)
        sb_addf(to, ", %s %lld x %lld", name, (long long)a, (long long)b);
}

static void add_images(const struct product *p, const struct figures *f, struct strbuf *to)
{
    const struct tulle_window *w = &p->operands.window;
    const int64_t n = p->operands.size.n.value;
    sb_addf(to, "%-15s %lld x %lld x %lld -> %lld x %lld x %lld, %lld x %lld", operation_name(p),
            (long long)w->height, (long long)w->width, (long long)w->channels,
            (long long)window_out_height(w), (long long)window_out_width(w), (long long)n,
            (long long)w->kernel_height, (long long)w->kernel_width);
    add_pair("stride", w->stride_y, w->stride_x, 1, to);
    add_pair("dilation", w->dilation_y, w->dilation_x, 1, to);
    if (w->batch > 1)
        sb_addf(to, ", %lld images", (long long)w->batch);
    if (w->groups > 1 && !p->request->depthwise)
        sb_addf(to, ", %lld groups", (long long)w->groups);
    if (!window_is_pool(p->operands.operation))
        sb_addf(to, ", W has %llu non-zeros (%.3g %%)", (unsigned long long)f->nonzeros,
                100 * (double)f->nonzeros / ((double)n * (double)given_weights(w)));
    sb_add(to, "\n");
}

static void add_equation(const struct product *p, const struct figures *f, struct strbuf *to)
{
    const struct sizes *s = &p->operands.size;
    const enum tulle_operation operation = p->operands.operation;
    const double places = operation == TULLE_SPMM_RIGHT ? (double)s->k.value * (double)s->n.value
                                                        : (double)s->m.value * (double)s->k.value;
    const long long m = s->m.value, k = s->k.value, n = s->n.value;
    if (operation == TULLE_SOFTMAX) {
        sb_addf(to, "softmax         %lld rows of %lld\n", m, n);
        return;
    }
    if (operation == TULLE_SPMV)
        sb_addf(to, "spmv            y[%lld] = W[%lld][%lld] x", m, m, k);
    else
        sb_addf(to, "spmm            C[%lld][%lld] = A[%lld][%lld] x W[%lld][%lld]", m, n, m, k, k, n);
    sb_addf(to, ", %s has %llu non-zeros (%.3g %%)\n", operation == TULLE_SPMM_LEFT ? "A" : "W",
            (unsigned long long)f->nonzeros, places > 0 ? 100 * (double)f->nonzeros / places : 0);
}

/* Two tensors. */
static void add_tensors(const struct product *p, struct strbuf *to)
{
    const struct sizes *s = &p->operands.size;
    const long long m = s->m.value, n = s->n.value;
    static const char signs[] = {'+', '-', '*'};
    sb_addf(to, "%-15s C[%lld][%lld] = A[%lld][%lld] %c B", operation_name(p), m, n, m, n,
            signs[p->request->join - TULLE_JOIN_ADD]);
    if (p->request->second_row)
        sb_addf(to, "[%lld]\n", n);
    else
        sb_addf(to, "[%lld][%lld]\n", m, n);
}

static void add_residual(const struct product *p, struct strbuf *to)
{
    static const char *const texts[] = {"is added to the", "is subtracted from the",
                                        "is multiplied with the"};
    const struct dense *second = &p->operands.second;
    sb_addf(to, "second          %lld x %lld of %s, which %s results\n", (long long)second->rows,
            (long long)second->columns, request_types[p->epilogue.second.type],
            texts[p->request->join - TULLE_JOIN_ADD]);
}

static void add_scale(const char *name, double scale, struct strbuf *to)
{
    if (scale != 1)
        sb_addf(to, "quantised       1 of the %s stands for %.6g\n", name, scale);
}

/* In the user's numbers. */
static void add_estimate(const struct product *p, struct strbuf *to)
{
    const double unit = floats_scale(p);
    sb_addf(to, "floats          results are off by %.3g at most, %.3g in the mean of squares\n",
            p->float_info.worst_error * unit, p->float_info.expected_error * unit);
    if (p->request->check)
        sb_addf(to, "measured        %.3g at most, %.3g in the mean of squares\n", p->largest_error * unit,
                p->mean_error * unit);
}

void report_plan(const struct product *p, struct strbuf *to)
{
    const struct figures f = figures_of(p);
    const struct tulle_device_info *d = &p->info;
    const struct tulle_operator_info *i = &p->plan;
    if (p->operands.window.batch)
        add_images(p, &f, to);
    else if (p->operands.operation == TULLE_ELEMENTWISE)
        add_tensors(p, to);
    else
        add_equation(p, &f, to);
    if (p->request->residual.given)
        add_residual(p, to);
    if (p->floats) {
        add_estimate(p, to);
    } else {
        add_scale("weights", p->operands.weights_scale, to);
        add_scale("input", p->operands.input_scale, to);
    }
    sb_addf(to, "device          %s: variant %s, %u x %u x %u = %u PEs\n", d->name, d->variant, d->rows,
            d->clusters, d->pes, f.pes);
    sb_addf(to, "plan            %s", i->plan);
    if (i->predicted_cycles)
        sb_addf(to, ", predicted %llu cycles", (unsigned long long)i->predicted_cycles);
    if (i->jobs > 1)
        sb_addf(to, ", %u jobs", i->jobs);
    sb_addf(to, "\nmemory          %llu bytes on the device, %llu of them packed weights%s\n",
            (unsigned long long)i->device_bytes, (unsigned long long)i->weights_bytes,
            i->streamed ? ", which go there with every run" : "");
    sb_addf(to, "roofline        %.0f cycles\n", f.roofline);
}

void report_run(const struct product *p, struct strbuf *to)
{
    const struct figures f = figures_of(p);
    const struct tulle_counters *c = &p->counters;
    if (c->cycles)
        sb_addf(to, "cycles          %llu\nefficiency      %.3f\nutilization     %.3f\n",
                (unsigned long long)c->cycles, efficiency(p, &f), utilization(p, &f));
    else
        sb_add(to, "cycles          -: this device has no clock; --device sim:NAME counts cycles, and "
                   "sim/board/build makes one\nefficiency      -\nutilization     -\n");
    sb_addf(to, "effective MACs  %llu\nbytes           %llu read, %llu written\n",
            (unsigned long long)f.effective_macs, (unsigned long long)c->bytes_read,
            (unsigned long long)c->bytes_written);
}

bool report_print(const struct strbuf *text, struct diag *diag)
{
    if (sb_ok(text) && fputs(sb_text(text), stdout) != EOF && fflush(stdout) == 0)
        return true;
    diag_error(diag, (struct place){0}, "standard output cannot be written");
    return false;
}
