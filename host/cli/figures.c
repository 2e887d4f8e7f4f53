/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/report.h"
#include "host/cli/window.h"
#include "host/plan/plan.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static unsigned type_bytes(enum tulle_type type)
{
    return type == TULLE_INT8 ? 1 : type == TULLE_INT16 ? 2 : type == TULLE_INT64 ? 8 : 4;
}

/* Shares of the activations that a weight meets, and of the results that a weight contributes to. */
struct needed {
    double inputs, results;
};

/* Of images, operators without weights and loaded ones everything counts. */
static struct needed needed_of(const struct operands *o)
{
    const struct matrix *w = &o->sparse;
    if (!w->start || o->window.batch || !w->rows || !w->columns)
        return (struct needed){1, 1};
    uint32_t rows = 0;
    for (uint32_t r = 0; r < w->rows; r++)
        rows += w->start[r + 1] > w->start[r];
    const double by_row = (double)rows / w->rows,
                 by_column =
                     (double)sparse_needed_columns(w->column, matrix_entries(w), w->columns) / w->columns;
    return operands_k_is_row(o) ? (struct needed){by_row, by_column} : (struct needed){by_column, by_row};
}

/* The limits of docs/performance.md, in cycles: what the multipliers and each direction of the memory port
 * need at least. Of a bias each number is read once, of sums to begin with and of a second operand every one;
 * but for activations that no weight meets, and results that no weight contributes to.
 */
static double roofline(const struct product *p, const struct figures *f)
{
    const struct tulle_device_info *d = &p->info;
    const struct operands *o = &p->operands;
    const struct needed needed = needed_of(o);
    const double port = d->memory_bytes_per_cycle, sum_bytes = d->accumulator_bits > 32 ? 8 : 4;
    const double inputs = needed.inputs * (double)o->input.rows * (double)o->input.columns,
                 results = needed.results * (double)product_result_count(p);
    const double sums = (o->initial.at ? results : 0) +
                        (o->bias.at ? needed.results * (double)o->bias.rows * (double)o->bias.columns : 0);
    const double weights =
        request_has_weights(o->operation) ? (double)f->nonzeros : 0; /* ones need not be read */
    const double second =
        (double)o->second.rows * (double)o->second.columns * type_bytes(p->epilogue.second.type);
    const unsigned input_bytes = o->operation == TULLE_ELEMENTWISE ? type_bytes(p->epilogue.second.type)
                                 : o->operation == TULLE_SOFTMAX   ? 1
                                                                   : d->data_bytes;
    const double read = weights * (d->data_bytes + 1) + inputs * input_bytes + sums * sum_bytes + second;
    const double write = results * type_bytes(p->output_type);
    return larger((double)f->effective_macs / f->pes, larger(read, write) / port);
}

struct figures figures_of(const struct product *p)
{
    const struct operands *o = &p->operands;
    struct figures f = {.nonzeros = (uint64_t)p->plan.entries, .effective_macs = p->counters.effective_macs};
    if (o->sparse.start)
        f.nonzeros = matrix_entries(&o->sparse);
    if (o->sparse.start || window_is_pool(o->operation))
        f.effective_macs = operands_effective_macs(o);
    f.pes = p->info.rows * p->info.clusters * p->info.pes;
    f.roofline = roofline(p, &f);
    return f;
}
