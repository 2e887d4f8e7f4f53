/* SPDX-License-Identifier: Apache-2.0
 *
 * What a job needs at least, however it is planned.
 */
#include "host/net/device/job.h"

/* One dimension of a window over images. */
struct axis {
    int64_t size, kernel, stride, dilation, before, behind;
};

static int64_t or_one(int64_t value)
{
    return value ? value : 1;
}

/* How many results have element `tap` of their window in the image. */
static int64_t places_of(const struct axis *a, int64_t tap)
{
    const int64_t results =
        (a->size + a->before + a->behind - (a->kernel - 1) * a->dilation - 1) / a->stride + 1;
    int64_t places = 0;
    for (int64_t r = 0; r < results; r++) {
        const int64_t at = r * a->stride + tap * a->dilation - a->before;
        places += at >= 0 && at < a->size;
    }
    return places;
}

/* Weights that are not their zero point: those at `tap` of `taps` places of the window; a pool has one for
 * each channel. */
static uint64_t weights_at(const struct job *job, int64_t tap, int64_t taps)
{
    const struct tulle_matrix *m = job->options.matrix;
    const bool turned = job->options.operation == TULLE_SPMM_RIGHT;
    if (!m)
        return (uint64_t)job->window.channels;
    const int64_t rows = turned ? m->columns : m->rows, columns = turned ? m->rows : m->columns,
                  each = columns / taps;
    uint64_t count = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = tap * each; c < (tap + 1) * each; c++) {
            const int64_t at = r * columns + c;
            count += (m->type == TULLE_INT8 ? ((const int8_t *)m->values)[at]
                                            : ((const int16_t *)m->values)[at]) != job->options.matrix_zero;
        }
    return count;
}

static void count_window(const struct job *job, struct job_needs *needs)
{
    const struct tulle_window *w = &job->window;
    const struct axis y = {w->height,  w->kernel_height, or_one(w->stride_y), or_one(w->dilation_y),
                           w->pad_top, w->pad_bottom},
                      x = {w->width,    w->kernel_width, or_one(w->stride_x), or_one(w->dilation_x),
                           w->pad_left, w->pad_right};
    const int64_t taps = y.kernel * x.kernel;
    for (int64_t tap = 0; tap < taps; tap++) {
        const uint64_t weights = weights_at(job, tap, taps);
        needs->weights += job->options.matrix ? weights : 0;
        needs->multiplications += weights * (uint64_t)(places_of(&y, tap / x.kernel) *
                                                       places_of(&x, tap % x.kernel) * or_one(w->batch));
    }
}

struct job_needs job_needs(const struct job *job, unsigned data_bytes)
{
    struct job_needs needs = {0};
    const struct tulle_matrix *m = job->options.matrix;
    if (job->options.window)
        count_window(job, &needs);
    else if (m)
        needs.weights = weights_at(job, 0, 1);
    if (!job->options.window)
        needs.multiplications = needs.weights * (uint64_t)job->options.dense;
    needs.read = needs.weights * (data_bytes + 1) + job_shape_bytes(&job->x) + job_shape_bytes(&job->w);
    if (m && job->options.bias)
        needs.read += sizeof *job->options.bias * (uint64_t)(job->options.window ? m->rows : m->columns);
    needs.written = job_shape_bytes(&job->y);
    return needs;
}
