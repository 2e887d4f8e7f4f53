/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights of layers for passes that change their channels: where the operands of a layer
 * are, in ONNX's order of dimensions and in TFLite's, and what they are.
 */
#ifndef TULLE_HOST_NET_PASS_WEIGHTS_H
#define TULLE_HOST_NET_PASS_WEIGHTS_H

#include "host/net/pass/edit.h"

/* Where a layer has its operands. */
struct places {
    size_t x_zero, w, w_scale, w_zero, bias; /* 0: it has none */
    int outputs, inputs;                     /* dimensions of the weights; inputs -1: one for each output */
};
struct places weights_places(const struct node *node);

/* The zero point of a layer's input. */
double weights_input_zero(const struct node *node);

/* Weights less their zero points, [outputs][inputs][taps]. */
struct weights {
    double *numbers; /* to be freed */
    size_t outputs, inputs, taps;
};
/* False: the memory is full. */
bool weights_read(struct edit *e, const struct node *node, struct weights *to);

/* Whether a window meets padding, or may. */
bool weights_meet_padding(const struct node *node);

/* All numbers of a constant, to be freed. */
double *weights_numbers(struct edit *e, const struct tensor *t, size_t *count);
/* A constant of a type from such numbers, with the scales of another; NULL: the memory is full. */
struct tensor *weights_constant(struct edit *e, const struct tensor *like, const struct shape *shape,
                                const double *numbers, size_t count);

#endif
