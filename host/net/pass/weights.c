/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/pass/weights.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct places weights_places(const struct node *node)
{
    const struct proto_text layout = node_text(node, "weights_layout");
    struct places p = {.w = 1, .bias = 2, .outputs = 0, .inputs = 1};
    if (is_op(node, "Gemm")) {
        p.outputs = node_integer(node, "transB") ? 0 : 1;
        p.inputs = !p.outputs;
    } else if (!is_op(node, "Conv")) {
        p = (struct places){.x_zero = 2, .w = 3, .w_scale = 4, .w_zero = 5, .bias = 8, .inputs = 1};
    } else if (!node->inputs[1] || !node->inputs[1]->shape) {
        return p;
    } else if (proto_is(layout, "1HWO")) {
        p.outputs = node->inputs[1]->shape->rank - 1;
        p.inputs = -1;
    } else if (proto_is(layout, "OHWI")) {
        p.inputs = node->inputs[1]->shape->rank - 1;
    }
    return p;
}

double weights_input_zero(const struct node *node)
{
    const struct places p = weights_places(node);
    const struct quantisation *q = node->inputs[0]->quantisation;
    double zero = q ? q->zero[0] : 0;
    if (p.x_zero && input_of(node, p.x_zero))
        edit_number(node->inputs[p.x_zero], &zero);
    return zero;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

double *weights_numbers(struct edit *e, const struct tensor *t, size_t *count)
{
    *count = (size_t)shape_elements(e->net, t->shape).value;
    double *numbers = calloc(*count + 1, sizeof *numbers);
    struct value_reader reader = value_reader(t);
    uint64_t bits;
    e->failed |= !numbers;
    for (size_t i = 0; numbers && i < *count && value_next(&reader, &bits); i++)
        numbers[i] =
            t->type == NET_FLOAT ? (double)value_real(t->type, bits) : (double)value_integer(t->type, bits);
    return numbers;
}

static void put_number(uint8_t *at, enum net_type type, double number)
{
    const float real = (float)number;
    const int64_t integer = (int64_t)number;
    const int32_t word = (int32_t)integer;
    const uint8_t byte = (uint8_t)integer;
    const size_t bytes = (size_t)net_type_bytes(type, 1);
    memcpy(at,
           type == NET_FLOAT ? (const void *)&real
           : bytes == 1      ? (const void *)&byte
           : bytes == 4      ? (const void *)&word
                             : &integer,
           bytes);
}

struct tensor *weights_constant(struct edit *e, const struct tensor *like, const struct shape *shape,
                                const double *numbers, size_t count)
{
    const size_t bytes = (size_t)net_type_bytes(like->type, 1);
    uint8_t *packed = calloc(count + 1, bytes);
    e->failed |= !packed;
    for (size_t i = 0; packed && i < count; i++)
        put_number(packed + bytes * i, like->type, numbers[i]);
    struct tensor *t = packed ? edit_constant(e, like->name, like->type, shape, packed) : NULL;
    if (t)
        t->quantisation = like->quantisation;
    free(packed);
    return t;
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* Zero points of the weights: in an operand, or with their scales. */
static double zero_at(const struct tensor *w, const double *zeros, size_t count, size_t output)
{
    const struct quantisation *q = w->quantisation;
    if (zeros)
        return zeros[count > 1 ? output : 0];
    return q ? q->zero[q->count > 1 ? output : 0] : 0;
}

/* The place of each index of a dimension, and its count. */
static size_t step_of(const struct shape *shape, int axis)
{
    size_t step = 1;
    for (int i = axis + 1; i < shape->rank; i++)
        step *= (size_t)shape->dim[i].value;
    return step;
}

bool weights_read(struct edit *e, const struct node *node, struct weights *to)
{
    const struct places p = weights_places(node);
    const struct tensor *w = node->inputs[p.w];
    const struct shape *shape = w->shape;
    size_t count, zeros = 0;
    double *numbers = weights_numbers(e, w, &count),
           *zero = p.w_zero ? weights_numbers(e, node->inputs[p.w_zero], &zeros) : NULL;
    *to = (struct weights){.numbers = calloc(count + 1, sizeof *to->numbers),
                           .outputs = (size_t)shape->dim[p.outputs].value,
                           .inputs = p.inputs < 0 ? 1 : (size_t)shape->dim[p.inputs].value};
    to->taps = to->outputs && to->inputs ? count / to->outputs / to->inputs : 0;
    e->failed |= !to->numbers;
    const size_t o_step = step_of(shape, p.outputs), i_step = p.inputs < 0 ? 1 : step_of(shape, p.inputs);
    size_t *tap = calloc(to->outputs * to->inputs + 1, sizeof *tap);
    e->failed |= !tap;
    /* Numbers of an output and an input come in the order of their taps. */
    for (size_t i = 0; !e->failed && i < count; i++) {
        assert(o_step && i_step && to->outputs && to->inputs); /* there are numbers, so no size is 0 */
        const size_t o = i / o_step % to->outputs, in = p.inputs < 0 ? 0 : i / i_step % to->inputs,
                     row = o * to->inputs + in;
        to->numbers[row * to->taps + tap[row]++] = numbers[i] - zero_at(w, zero, zeros, o);
    }
    free(tap);
    free(numbers);
    free(zero);
    return !e->failed;
}

/* ---- padding ------------------------------------------------------------------------------------- */

/* With SAME, padding is what windows reach beyond the image. */
static bool same_reaches_out(const struct node *node)
{
    const bool last = proto_is(node_text(node, "layout"), "NHWC");
    const struct shape *x = node->inputs[0]->shape, *y = node->outputs[0]->shape,
                       *w = is_op(node, "Conv") ? node->inputs[1]->shape : NULL;
    size_t given, kernels, strides, dilations;
    const int64_t *kernel = node_integers(node, "kernel_shape", &kernels),
                  *stride = node_integers(node, "strides", &strides),
                  *dilation = node_integers(node, "dilations", &dilations);
    bool out = !x || !y || x->rank != y->rank || (!w && !kernel) || (w && w->rank != x->rank);
    for (int i = 0; !out && i < x->rank - 2; i++) {
        given = (size_t)i;
        const int at = (last ? 1 : 2) + i;
        const int64_t size = w                 ? w->dim[at].value
                             : given < kernels ? kernel[i]
                                               : 1,
                      step = stride && given < strides ? stride[i] : 1,
                      apart = dilation && given < dilations ? dilation[i] : 1;
        out = (x->dim[at].term || y->dim[at].term) ||
              (y->dim[at].value - 1) * step + (size - 1) * apart + 1 > x->dim[at].value;
    }
    return out;
}

bool weights_meet_padding(const struct node *node)
{
    size_t count;
    const int64_t *pads = node_integers(node, "pads", &count);
    const struct proto_text automatic = node_text(node, "auto_pad");
    const bool given = proto_is(automatic, "NOTSET"),
               none = is_op(node, "Gemm") || proto_is(automatic, "VALID");
    bool padded = !given && !none && same_reaches_out(node);
    for (size_t i = 0; given && pads && i < count; i++)
        padded = padded || pads[i];
    return padded;
}
