/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that enqueue transfers of rectangles: rows and slices of rows, in
 * buffers and in the host's memory.
 */
#include <stdint.h>
#include <string.h>

#include "host/icd/entries.h"
#include "host/icd/transfer.h"

/* A rectangle as the calls describe it; a pitch of 0: no gap. */
struct side {
    const size_t *origin;
    size_t row, slice;
};

/* ---- where rectangles are --------------------------------------------------------------------------- */

/* Sums and products that stay where they would overflow: no buffer is as large. */
static size_t plus(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static size_t times(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* Copies are stricter with slices: one that is too short is refused, and so is one that is not of whole rows;
 * elsewhere it must be both. */
static bool lay_out(const struct side *side, const size_t *region, bool strict, struct layout *l)
{
    l->row = side->row ? side->row : region[0];
    l->slice = side->slice ? side->slice : times(region[1], l->row);
    bool too_short = l->slice < times(region[1], l->row), uneven = l->slice % l->row;
    if (l->row < region[0] || (strict ? too_short || uneven : too_short && uneven))
        return false;
    l->start = plus(plus(times(side->origin[2], l->slice), times(side->origin[1], l->row)), side->origin[0]);
    return true;
}

static size_t end_of(const struct layout *l, const size_t *region)
{
    size_t last = plus(times(region[2] - 1, l->slice), times(region[1] - 1, l->row));
    return plus(plus(l->start, last), region[0]);
}

static cl_int set_layouts(struct transfer *t, const size_t *region, const struct side *here,
                          const struct side *there, bool strict)
{
    if (!region || !here->origin || !there->origin || !region[0] || !region[1] || !region[2])
        return CL_INVALID_VALUE;
    memcpy(t->region, region, sizeof t->region);
    if (!lay_out(here, region, strict, &t->here) || !lay_out(there, region, strict, &t->there))
        return CL_INVALID_VALUE;
    return end_of(&t->here, region) > t->buffer->size || end_of(&t->there, region) == SIZE_MAX
               ? CL_INVALID_VALUE
               : CL_SUCCESS;
}

/* Rows without gaps on both sides are one. */
static void join_rows(struct transfer *t)
{
    size_t *r = t->region;
    if (t->here.row == r[0] && t->there.row == r[0]) {
        r[0] *= r[1];
        r[1] = 1;
    }
    if (r[1] == 1 && t->here.slice == r[0] && t->there.slice == r[0]) {
        r[0] *= r[2];
        r[2] = 1;
    }
}

/* ---- between host and device -------------------------------------------------------------------------- */

/* `t` has buffer and host. */
static cl_int enqueue(cl_command_queue queue, cl_command_type type, struct transfer *t, const size_t *region,
                      const struct side *here, const struct side *there, cl_bool blocking,
                      struct wait_list wait, cl_event *event)
{
    bool reads = type == CL_COMMAND_READ_BUFFER_RECT;
    cl_int status = transfer_check(queue, wait, t->buffer);
    if (status == CL_SUCCESS)
        status = t->host ? set_layouts(t, region, here, there, false) : CL_INVALID_VALUE;
    if (status == CL_SUCCESS)
        status = transfer_rights(t->buffer, reads, !reads);
    if (status != CL_SUCCESS)
        return status;
    join_rows(t);
    return transfer_enqueue(queue, type, reads ? run_read_rect : run_write_rect, wait, t, blocking, event);
}

cl_int icd_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem m, cl_bool blocking, const size_t *origin,
                                   const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                   size_t host_row, size_t host_slice, void *to, cl_uint count,
                                   const cl_event *events, cl_event *event)
{
    struct side here = {origin, row, slice}, there = {host_origin, host_row, host_slice};
    struct transfer t = {.buffer = m, .host = to};
    return enqueue(queue, CL_COMMAND_READ_BUFFER_RECT, &t, region, &here, &there, blocking,
                   (struct wait_list){count, events}, event);
}

cl_int icd_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem m, cl_bool blocking, const size_t *origin,
                                    const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                    size_t host_row, size_t host_slice, const void *from, cl_uint count,
                                    const cl_event *events, cl_event *event)
{
    struct side here = {origin, row, slice}, there = {host_origin, host_row, host_slice};
    struct transfer t = {.buffer = m, .host = (void *)from};
    return enqueue(queue, CL_COMMAND_WRITE_BUFFER_RECT, &t, region, &here, &there, blocking,
                   (struct wait_list){count, events}, event);
}

/* ---- on the device ---------------------------------------------------------------------------------------
 */

static size_t row_at(const struct layout *l, const size_t *region, size_t i)
{
    return l->start + i / region[1] * l->slice + i % region[1] * l->row;
}

/* Both rectangles are rows in ascending order, so that one look at each is enough. */
static bool overlap(struct layout a, struct layout b, const size_t *region)
{
    size_t rows = region[1] * region[2];
    for (size_t i = 0, j = 0; i < rows && j < rows;) {
        size_t x = row_at(&a, region, i), y = row_at(&b, region, j);
        if (x < y ? y - x < region[0] : x - y < region[0])
            return true;
        if (x < y)
            i++;
        else
            j++;
    }
    return false;
}

static cl_int check_copy(const struct transfer *t)
{
    struct layout to = t->here, from = t->there;
    if (end_of(&t->there, t->region) > t->source->size)
        return CL_INVALID_VALUE;
    if (t->source == t->buffer && to.row != from.row && to.slice != from.slice)
        return CL_INVALID_VALUE;
    if (memory_whole(t->source) != memory_whole(t->buffer))
        return CL_SUCCESS;
    to.start += t->buffer->origin;
    from.start += t->source->origin;
    return overlap(to, from, t->region) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

cl_int icd_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem m,
                                   const size_t *source_origin, const size_t *origin, const size_t *region,
                                   size_t source_row, size_t source_slice, size_t row, size_t slice,
                                   cl_uint count, const cl_event *events, cl_event *event)
{
    struct wait_list wait = {count, events};
    struct side here = {origin, row, slice}, there = {source_origin, source_row, source_slice};
    struct transfer t = {.buffer = m, .source = source};
    cl_int status = transfer_check(queue, wait, source);
    if (status == CL_SUCCESS)
        status = transfer_check(queue, wait, m);
    if (status == CL_SUCCESS)
        status = set_layouts(&t, region, &here, &there, true);
    if (status == CL_SUCCESS)
        status = check_copy(&t);
    if (status != CL_SUCCESS)
        return status;
    join_rows(&t);
    return transfer_enqueue(queue, CL_COMMAND_COPY_BUFFER_RECT, run_copy_rect, wait, &t, CL_FALSE, event);
}
