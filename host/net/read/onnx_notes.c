/* SPDX-License-Identifier: Apache-2.0
 *
 * What a graph that was written as it is says of tensors: scales, zero points,
 * and which keep their value from one run to the next.
 */
#include <string.h>

#include "host/net/read/readers.h"

enum { DIGITS = 8 };

static bool refuse(const struct reading *r, const struct tensor *t, const char *what)
{
    origin_error(r->net, t->origin, "tensor \"%.60s\": %s", t->name, what);
    return false;
}

static struct proto_text note(struct proto m, const char *key)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(m, "quant_parameter_tensor_names", &place, &item))
        if (proto_is(proto_text(proto_of(&item), "key"), key))
            return proto_text(proto_of(&item), "value");
    return (struct proto_text){"", 0};
}

static bool take_digits(const char *at, uint32_t *to)
{
    static const char digits[] = "0123456789abcdef";
    *to = 0;
    for (int i = 0; i < DIGITS; i++) {
        const char *digit = memchr(digits, at[i], sizeof digits - 1);
        if (!digit)
            return false;
        *to = *to << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

/* As many scales as the axis is long, or one. */
static bool is_axis(const struct tensor *t, const struct quantisation *q)
{
    return q->count == 1 || (t->shape && (int64_t)q->axis < t->shape->rank && !t->shape->dim[q->axis].term &&
                             t->shape->dim[q->axis].value == q->count);
}

static bool take_quantisation(struct reading *r, struct proto m, struct tensor *t)
{
    const struct proto_text axis = note(m, NET_NOTE_AXIS), scales = note(m, NET_NOTE_SCALES),
                            zeros = note(m, NET_NOTE_ZEROS);
    const size_t count = scales.length / DIGITS;
    struct arena *arena = &r->net->arena;
    struct quantisation *q = arena_take(arena, 1, sizeof *q);
    uint32_t number;
    int32_t *zero = arena_take(arena, count, sizeof *zero);
    float *real = arena_take(arena, count, sizeof *real);
    if (!q || !zero || !real)
        return false;
    if (!count || count > UINT32_MAX || scales.length % DIGITS || zeros.length != scales.length ||
        axis.length != DIGITS || !take_digits(axis.at, &number) || number >= NET_RANK_MAX)
        return refuse(r, t, "its scales are not as they are written");
    for (size_t i = 0; i < count; i++) {
        uint32_t bits, code;
        if (!take_digits(scales.at + i * DIGITS, &bits) || !take_digits(zeros.at + i * DIGITS, &code))
            return refuse(r, t, "a scale is no number");
        memcpy(&real[i], &bits, sizeof bits);
        zero[i] = (int32_t)code;
    }
    *q = (struct quantisation){(unsigned)count, number, real, zero};
    t->quantisation = q;
    return is_axis(t, q) || refuse(r, t, "it has not as many scales as indices");
}

bool onnx_take_notes(struct reading *r, struct proto graph)
{
    struct proto_item item;
    size_t place = 0;
    while (proto_next(graph, "quantization_annotation", &place, &item)) {
        const struct proto m = proto_of(&item);
        const struct proto_text name = proto_text(m, "tensor_name");
        struct tensor *t = net_find(r->net, name.at, name.length);
        if (!t)
            continue; /* nothing reads it */
        if (note(m, NET_NOTE_SCALES).length && !take_quantisation(r, m, t))
            return false;
        if (note(m, NET_NOTE_VARIABLE).length) {
            t->variable = true;
            t->constant = false;
            t->values = (struct values){.at = NULL};
        }
    }
    return true;
}
