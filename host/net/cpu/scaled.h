/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on scaled tensors, whose integers stand for real numbers (struct quantisation), as TFLite defines
 * them bit by bit: docs/networks.md, "Scaled tensors". A kernel of a node makes integers of the scales and
 * calls one of these functions, which know integers only; tests call them with parameters of others.
 */
#ifndef TULLE_HOST_NET_CPU_SCALED_H
#define TULLE_HOST_NET_CPU_SCALED_H

#include "host/net/cpu/tile.h"
#include "host/net/cpu/window.h"
#include "sim/numerics/gate.h"
#include "sim/numerics/hard_swish.h"
#include "sim/numerics/join.h"
#include "sim/numerics/scale.h"

/* A convolution, or a fully connected layer, which is one of one place. */
struct scaled_layer {
    struct slide slide;
    int32_t x_zero;
    const int32_t *w_zero;        /* for each output channel; NULL: 0 */
    const struct num_step *steps; /* likewise: what becomes of the sum */
    const struct tile_form *form; /* NULL: the best */
    const struct call *call;      /* of the kernel; NULL: it has none */
};
/* `bias` may be NULL. False: out of memory. */
bool scaled_layer(const struct scaled_layer *layer, const struct view *x, const struct view *w,
                  const struct view *bias, const struct view *y);

/* The step of each number less `zero`. */
void scaled_map(const struct num_step *step, int32_t zero, const struct view *x, const struct view *y);
/* Each code of 8 bits becomes what the table has for its byte. */
void scaled_bytes(const uint8_t bytes[256], const struct view *x, const struct view *y);
/* Both operands may be broadcast to the result. */
void scaled_join(const struct num_join *join, const struct view *a, const struct view *b,
                 const struct view *y);
/* The mean of the elements of each window that are in the image, through the step.
 * False: out of memory. */
bool scaled_average(const struct slide *slide, const struct num_step *step, const struct view *x,
                    const struct view *y);
/* Rows along the last dimension, of at most NUM_SOFTMAX_MOST numbers. */
void scaled_softmax(const struct num_softmax *softmax, const struct view *x, const struct view *y);

/* A gate of a recurrent layer: sums of the input, with a bias, and of the state come to 16 bits each. */
struct scaled_gate {
    const struct view *w, *recurrent, *bias;
    struct num_step input, state;
};
enum { GATE_INPUT, GATE_FORGET, GATE_CELL, GATE_OUTPUT, GATES };
/* TFLite's unidirectional LSTM over sequences, whose cells have 16 bits. */
struct scaled_lstm {
    int64_t steps, batch, inputs, hidden;
    bool time_major;
    int32_t x_zero, state_zero;
    struct scaled_gate gates[GATES];
    struct num_join forget, add, result; /* forget gate x cell, input gate x cell gate, output gate x tanh */
    int cell_power;                      /* a cell is in units of 2^cell_power */
    int32_t cell_clip;                   /* 0: none */
};
/* States begin with the real zero. False: out of memory. */
bool scaled_lstm(const struct scaled_lstm *lstm, const struct view *x, const struct view *y);

/* ---- scales (scaled.c) --------------------------------------------------------------------------- */

/* The scale and zero point of a whole tensor. False after an error: it has none, or several. */
struct scale {
    float scale;
    int32_t zero;
};
bool scale_of(const struct call *c, const struct tensor *t, struct scale *to);
bool same_scale(const struct tensor *a, const struct tensor *b);
/* Limits, element and zero point of results of the type. */
struct num_step step_of(enum net_type type, int32_t zero);
/* Gives a step a factor. `wide`: sums have 64 bits. False after an error. */
bool step_scale(const struct call *c, struct num_step *step, double factor, bool wide);
/* The code that is so many units of the scale from the zero point, halves away from it, within the type. */
int64_t code_at(enum net_type type, int32_t zero, float units);
/* The code of a real number. */
int64_t code_of(enum net_type type, struct scale scale, double value);

extern const struct kernel scaled_layer_kernels[], scaled_map_kernels[], scaled_reduce_kernels[],
    scaled_lstm_kernels[], scaled_resize_kernels[];

#endif
