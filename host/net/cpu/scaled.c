/* SPDX-License-Identifier: Apache-2.0
 *
 * Scales become multipliers and shifts as TFLite computes them, in double.
 */
#include "host/net/cpu/scaled.h"

#include <math.h>

/* More than a shift of 63 to the right, and than one to the left. */
enum { SHIFT_MOST_WIDE = 15 };

bool scale_of(const struct call *c, const struct tensor *t, struct scale *to)
{
    const struct quantisation *q = t->quantisation;
    if (!q || q->count != 1)
        return kernel_fails(c, "its operand \"%.60s\" has %s, which is not supported", t->name,
                            q ? "a scale for each channel" : "no scale, where others have one");
    *to = (struct scale){q->scale[0], q->zero[0]};
    if (isfinite(to->scale) && to->scale > 0)
        return true;
    return kernel_fails(c, "the scale of its operand \"%.60s\" is %g; it must be above 0", t->name,
                        (double)to->scale);
}

bool same_scale(const struct tensor *a, const struct tensor *b)
{
    const struct quantisation *p = a->quantisation, *q = b->quantisation;
    bool same = p == q || (p && q && p->count == q->count && (p->count == 1 || p->axis == q->axis));
    for (unsigned i = 0; same && p && i < p->count; i++)
        same = p->scale[i] == q->scale[i] && p->zero[i] == q->zero[i];
    return same && a->type == b->type;
}

struct num_step step_of(enum net_type type, int32_t zero)
{
    const bool unsigned_ = type == NET_UINT8, wide = type == NET_INT16;
    return (struct num_step){.function = NUM_REQUANTISE,
                             .element = NUM_INT16, /* the limits narrow it */
                             .low = unsigned_ ? 0
                                    : wide    ? INT16_MIN
                                              : INT8_MIN,
                             .high = unsigned_ ? UINT8_MAX
                                     : wide    ? INT16_MAX
                                               : INT8_MAX,
                             .zero = (int16_t)zero};
}

bool step_scale(const struct call *c, struct num_step *step, double factor, bool wide)
{
    int32_t multiplier;
    int shift;
    num_multiplier_of(factor, &multiplier, &shift);
    if (wide && shift > SHIFT_MOST_WIDE)
        return kernel_fails(c, "its scales give a factor of %g, which is too large", factor);
    num_set_scale(step, multiplier, shift, wide);
    return true;
}

int64_t code_at(enum net_type type, int32_t zero, float units)
{
    const struct num_step limits = step_of(type, 0);
    const double code = (double)zero + round((double)units);
    /* Not a number becomes the least. */
    return !(code >= limits.low) ? limits.low : code > limits.high ? limits.high : (int64_t)code;
}

int64_t code_of(enum net_type type, struct scale scale, double value)
{
    return code_at(type, scale.zero, (float)value / scale.scale);
}
