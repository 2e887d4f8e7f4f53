/* SPDX-License-Identifier: Apache-2.0
 *
 * Means, sums and softmax of scaled tensors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/exact.h"

/* The mean at one spot, whose window has those places. */
static int64_t mean_of(const struct slide *slide, struct spot spot, const int64_t *places,
                       const struct view *x)
{
    int64_t sum = 0, count = 0;
    for (int64_t tap = 0; tap < slide->taps; tap++) {
        const int64_t place = places[tap];
        sum += place >= 0 ? view_integer(x, spot_source(slide, spot, place)) : 0;
        count += place >= 0;
    }
    return count ? num_mean(sum, count) : 0;
}

bool scaled_average(const struct slide *slide, const struct num_step *step, const struct view *x,
                    const struct view *y)
{
    int64_t *places = calloc((size_t)slide->taps + 1, sizeof *places);
    const bool ok = places != NULL;
    for (int64_t at = 0; ok && at < slide->results; at++) {
        slide_places(slide, at, at ? places : NULL, places);
        for (int64_t i = at; i < (int64_t)y->count; i += slide->results) {
            const struct spot spot = slide_spot(slide, i);
            view_set_integer(y, spot_result(slide, spot), num_apply(step, mean_of(slide, spot, places, x)));
        }
    }
    free(places);
    return ok;
}

/* Unsigned numbers are signed ones with another zero point. */
static int32_t moved(const struct view *v)
{
    return v->type == NET_UINT8 ? INT8_MIN : 0;
}

void scaled_softmax(const struct num_softmax *softmax, const struct view *x, const struct view *y)
{
    const size_t row = (size_t)x->dim[x->rank - 1];
    int32_t numbers[NUM_SOFTMAX_MOST] = {0};
    for (size_t begin = 0; begin < x->count; begin += row) {
        for (size_t i = 0; i < row; i++)
            numbers[i] = (int32_t)view_integer(x, begin + i) + moved(x);
        num_softmax(softmax, numbers, numbers, row);
        for (size_t i = 0; i < row; i++)
            view_set_integer(y, begin + i, numbers[i] - moved(y));
    }
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static bool average_pool(const struct call *c)
{
    const struct slide s = slide_of(c->node, c->in[0], NULL, c->out[0]);
    struct num_step step = step_of(c->out[0]->type, 0);
    step.function = NUM_CLAMP;
    if (!same_scale(c->node->inputs[0], c->node->outputs[0]))
        return kernel_fails(c, "its input and its output must have the same scale and type");
    if (node_integer(c->node, "count_include_pad"))
        return kernel_fails(c, "padding that counts is not supported for scaled values");
    return exact_run(
        c, &(struct exact){.kind = EXACT_AVERAGE, .slide = &s, .step = &step, .x = c->in[0], .y = c->out[0]});
}

static bool softmax(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const bool wide = x->type == NET_INT16;
    const int64_t axis = node_integer(c->node, "axis");
    struct num_softmax softmax = {.input = wide ? NUM_INT16 : NUM_INT8,
                                  .result = y->type == NET_INT16 ? NUM_INT16 : NUM_INT8};
    struct scale scale;
    if (!scale_of(c, c->node->inputs[0], &scale))
        return false;
    if ((axis != -1 && axis != x->rank - 1) || x->rank < 1 || x->dim[x->rank - 1] > NUM_SOFTMAX_MOST)
        return kernel_fails(c, "scaled values are taken along the last dimension, of at most %d",
                            NUM_SOFTMAX_MOST);
    if ((x->type != y->type && !(x->type == NET_INT8 && y->type == NET_INT16)) || type_bytes(x->type) > 2)
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(x->type));
    num_softmax_set_scale(&softmax, (double)scale.scale);
    return exact_run(c, &(struct exact){.kind = EXACT_SOFTMAX, .softmax = &softmax, .x = x, .y = y});
}

/* The factor of a mean has the count in it, as TFLite computes it. */
static void divide(struct num_step *step, int64_t count)
{
    const int left = 31 - (int)step->shift;
    int more = 63 - __builtin_clzll((unsigned long long)count);
    more = more > 32 ? 32 : more;
    more = more > 31 + left ? 31 + left : more;
    step->multiplier = (int32_t)(((int64_t)step->multiplier << more) / count);
    step->shift += (unsigned)more;
}

static bool reduce(const struct call *c)
{
    const struct view *x = c->in[0], *y = c->out[0];
    const int64_t count = y->count ? (int64_t)(x->count / y->count) : 1;
    struct num_step step = step_of(y->type, 0);
    struct scale from, to;
    if (!scale_of(c, c->node->inputs[0], &from) || !scale_of(c, c->node->outputs[0], &to))
        return false;
    step.zero = (int16_t)to.zero;
    if (x->type != y->type || type_bytes(x->type) > 2)
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(x->type));
    if (!step_scale(c, &step, (double)from.scale / (double)to.scale, false))
        return false;
    if (!strcmp(c->node->type, "ReduceMean") && count)
        divide(&step, count);
    struct view kept;
    reduce_kept(c, &kept);
    return exact_run(
        c, &(struct exact){
               .kind = EXACT_TOTAL, .kept = &kept, .step = &step, .zero = from.zero, .x = x, .y = y});
}

const struct kernel scaled_reduce_kernels[] = {
    {"AveragePool", average_pool}, {"ReduceMean", reduce}, {"ReduceSum", reduce},
    {"Softmax", softmax},          {NULL, NULL},
};
