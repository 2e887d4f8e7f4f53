/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators whose results are as large as the numbers of their inputs say. Each has two functions: one finds
 * the sizes, the other fills in what was found.
 */
#include <string.h>

#include "host/net/cpu/kernel.h"

static bool is_set(const struct view *v, size_t at)
{
    return is_real(v->type) ? view_real(v, at) != 0 : view_integer(v, at) != 0;
}

static int64_t count_set(const struct view *v, size_t most)
{
    int64_t count = 0;
    for (size_t i = 0; i < v->count && i < most; i++)
        count += is_set(v, i);
    return count;
}

/* ---- NonZero ------------------------------------------------------------------------------------- */

static bool size_non_zero(const struct call *c)
{
    struct view *y = c->out[0];
    y->rank = 2;
    y->dim[0] = c->in[0]->rank;
    y->dim[1] = count_set(c->in[0], c->in[0]->count);
    return true;
}

/* A column of places for each number. */
static bool non_zero(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    size_t column = 0;
    for (size_t i = 0; i < x->count; i++) {
        size_t rest = i;
        if (!is_set(x, i))
            continue;
        for (int k = x->rank; k--;) {
            view_set_integer(y, (size_t)k * (size_t)y->dim[1] + column, (int64_t)(rest % (size_t)x->dim[k]));
            rest /= (size_t)x->dim[k];
        }
        column++;
    }
    return true;
}

/* ---- Compress ------------------------------------------------------------------------------------ */

/* Elements lie in lines along the axis; without one, all are one line. */
struct along {
    int axis; /* -1: none */
    size_t length, inner;
};

static bool along_of(const struct call *c, struct along *to)
{
    const struct view *x = c->in[0];
    const struct attribute *a = node_attribute(c->node, "axis");
    *to = (struct along){-1, x->count, 1};
    if (!a || !a->integers)
        return true;
    const int64_t axis = a->integers[0] < 0 ? a->integers[0] + x->rank : a->integers[0];
    if (axis < 0 || axis >= x->rank)
        return kernel_fails(c, "axis %lld is not one of the %d dimensions", (long long)a->integers[0],
                            x->rank);
    to->axis = (int)axis;
    to->length = (size_t)x->dim[axis];
    for (int i = to->axis + 1; i < x->rank; i++)
        to->inner *= (size_t)x->dim[i];
    return true;
}

static bool size_compress(const struct call *c)
{
    const struct view *x = c->in[0];
    struct view *y = c->out[0];
    struct along a;
    if (!along_of(c, &a))
        return false;
    y->rank = a.axis < 0 ? 1 : x->rank;
    for (int i = 0; i < y->rank; i++)
        y->dim[i] = x->dim[i];
    y->dim[a.axis < 0 ? 0 : a.axis] = count_set(c->in[1], a.length);
    return true;
}

static bool compress(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const size_t bytes = type_bytes(x->type);
    struct along a;
    size_t to = 0;
    if (!along_of(c, &a))
        return false;
    for (size_t i = 0; i < x->count; i++) {
        const size_t at = i / a.inner % a.length;
        if (at < c->in[1]->count && is_set(c->in[1], at))
            memcpy((char *)y->data + bytes * to++, (const char *)x->data + bytes * i, bytes);
    }
    return true;
}

const struct kernel found_sizes[] = {{"Compress", size_compress}, {"NonZero", size_non_zero}, {NULL, NULL}};
const struct kernel found_kernels[] = {{"Compress", compress}, {"NonZero", non_zero}, {NULL, NULL}};
