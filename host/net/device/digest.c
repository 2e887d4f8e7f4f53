/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells jobs apart: what tulle_operator_create() gets of a job, as a checksum.
 * It has to grow with the options that jobs use.
 */
#include <string.h>

#include "host/container/sha256.h"
#include "host/net/device/job.h"

_Static_assert(JOB_DIGEST_BYTES == SHA256_BYTES, "the checksum of a job");

/* With the number of bytes before them; none when there are no such numbers. */
static void add_array(struct sha256 *sha, const void *at, size_t count, size_t bytes_each)
{
    const size_t bytes = at ? count * bytes_each : 0;
    SHA256_ADD(sha, (int64_t)bytes);
    if (bytes)
        sha256_add(sha, at, bytes);
}

static void add_matrix(struct sha256 *sha, const struct tulle_matrix *m)
{
    SHA256_ADD(sha, m->type, m->rows, m->columns, m->row_stride, m->column_stride);
    add_array(sha, m->values, (size_t)(m->rows * m->columns),
              m->type == TULLE_INT8 ? sizeof(int8_t) : sizeof(int16_t));
}

static void add_window(struct sha256 *sha, const struct tulle_window *w)
{
    SHA256_ADD(sha, w->batch, w->height, w->width, w->channels, w->kernel_height, w->kernel_width,
               w->stride_y, w->stride_x, w->dilation_y, w->dilation_x, w->pad_top, w->pad_bottom, w->pad_left,
               w->pad_right, w->groups, w->input_layout, w->output_layout, w->weights_layout,
               w->exclude_padding, w->round_away);
}

static void add_epilogue(struct sha256 *sha, const struct tulle_epilogue *e)
{
    SHA256_ADD(sha, e->function, e->multiplier, e->shift, e->low, e->high, e->zero, e->slope, e->rounding);
    add_array(sha, e->lookup, 256, sizeof *e->lookup);
}

static void add_second(struct sha256 *sha, const struct tulle_second *s)
{
    SHA256_ADD(sha, s->join, s->type, s->columns, s->is_row, s->has_no_sign, s->zero, s->multiplier, s->shift,
               s->scale_first, s->fraction_15);
}

/* Output channels, which biases and tables have a number for. */
static size_t channels_of(const struct tulle_operator_options *o)
{
    return !o->matrix ? 0 : (size_t)(o->operation == TULLE_SPMM_RIGHT ? o->matrix->columns : o->matrix->rows);
}

void job_digest(const struct job *job, uint8_t digest[JOB_DIGEST_BYTES])
{
    const struct tulle_operator_options *o = &job->options;
    const struct tulle_softmax *s = o->softmax;
    const struct tulle_channels none = {.size = sizeof none}, *c = o->channels ? o->channels : &none;
    const size_t channels = channels_of(o);
    struct sha256 sha;
    sha256_begin(&sha);
    SHA256_ADD(&sha, o->operation, o->dense, o->output_type, o->matrix_zero, o->input_zero, o->wraps,
               o->input_unsigned, o->output_unsigned, o->matrix != NULL, o->window != NULL,
               o->epilogue != NULL, o->second != NULL, s != NULL);
    if (o->matrix)
        add_matrix(&sha, o->matrix);
    if (o->window)
        add_window(&sha, o->window);
    if (o->epilogue)
        add_epilogue(&sha, o->epilogue);
    if (o->second)
        add_second(&sha, o->second);
    if (s)
        SHA256_ADD(&sha, s->columns, s->multiplier, s->shift, s->least);
    add_array(&sha, o->bias, channels, sizeof *o->bias);
    add_array(&sha, c->multiplier, channels, sizeof *c->multiplier);
    add_array(&sha, c->shift, channels, sizeof *c->shift);
    add_array(&sha, c->low, channels, sizeof *c->low);
    add_array(&sha, c->high, channels, sizeof *c->high);
    sha256_end(&sha, digest);
}
