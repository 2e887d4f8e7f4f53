/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and pools of random shapes, beside what they must give: the
 * definition, written out as loops over images, results, taps and channels.
 */
#ifndef TULLE_TESTS_SHAPE_H
#define TULLE_TESTS_SHAPE_H

#include "support.h"

/* A window, its operands, and what the definition says of its sizes. */
struct shape {
    struct tulle_operator_options options;
    struct tulle_epilogue epilogue;
    struct tulle_plan_options plan;
    struct tulle_window window;
    struct sample weights, images; /* images: a row for each pixel, or for each channel of an image */
    int64_t step;                  /* an activation is that many times the images' number */
    int16_t *activations;
    int64_t lowest; /* number that the device takes */
    struct tulle_matrix matrix, input, initial;
    int64_t results; /* channels of them */
    int64_t out_height, out_width;
    int32_t *bias, *sums;
    struct tulle_channels channels;
    struct shape_channel {
        int32_t *multiplier;
        uint8_t *shift;
        int16_t *low, *high;
    } own;                      /* of each result's channel */
    struct tulle_second second; /* its size 0: none */
    struct tulle_matrix joined; /* dense, of int8, in the order of the results */
    int64_t row_stride, column_stride;
    bool begins, biased;
};

/* Activations of 16 bits are made for devices that have them. */
struct shape shape_make(enum tulle_operation operation, unsigned data_bytes, struct random *random);
/* Operands for a window and results, options and `begins` and `biased` that the caller has set. */
void shape_fill(struct shape *shape, unsigned data_bytes, struct random *random);
/* Any zero point, of activations with or without a sign. */
void shape_zero_point(struct shape *shape, struct random *random);
/* Numbers of each channel's own where its function has some. */
void shape_channels(struct shape *shape, struct random *random);
/* A second operand for results that are requantised with scales and limits of their channels; false: they are
 * not. */
bool shape_second(struct shape *shape, struct random *random);
void shape_free(struct shape *shape);

/* Every operator is made of the shape as it is then; `number` is for messages. */
struct tulle_operator *shape_operator(struct tulle_device *device, struct shape *shape, uint64_t number);
/* The same of a maximum, which NULL stands for where no tile of the window fits the device: there is no other
 * way to one. */
struct tulle_operator *shape_maximum(struct tulle_device *device, struct shape *shape, uint64_t number);
/* `output` lasts as long as the operands. */
struct tulle_operands shape_operands(const struct shape *shape, void *values, struct tulle_output *output);
/* Room for the results, with something in it. */
uint8_t *shape_room(const struct shape *shape);
/* Every result is the definition's. */
void shape_compare(struct tulle_device *device, const struct shape *shape, const uint8_t *values,
                   uint64_t number);
/* Runs and compares. */
void shape_run(struct tulle_device *device, struct tulle_operator *op, const struct shape *shape,
               uint64_t number);

#endif
