/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of images in a part of a network: a Slice along rows and columns sees a rectangle of what a step
 * makes, and a Concat along them is an image that steps make piece by piece. Neither moves a byte where a
 * step alone writes what is put together: it writes to its place in the whole, and all others read it there.
 * What is put together and is a part of something else, such as rows that a slice keeps from the one before,
 * is copied on the device, by a join of the number with itself.
 */
#ifndef TULLE_HOST_NET_DEVICE_PIECES_H
#define TULLE_HOST_NET_DEVICE_PIECES_H

#include "host/net/device/layers.h"

#define PIECES_NONE SIZE_MAX

/* Which dimensions of images are rows and columns; 0: there are no images. */
struct pieces_axes {
    int rows, columns;
};

/* Of the first layer with a window. */
struct pieces_axes pieces_axes(const struct layer *list, size_t first, size_t end);

/* A rectangle of pixels. */
struct pieces_box {
    int64_t top, left, height, width;
};

/* Whether the node takes a rectangle out of images, and which. */
bool pieces_slice(struct pieces_axes axes, const struct node *node, struct pieces_box *box);
/* Whether it puts images together along rows or columns. */
bool pieces_join(struct pieces_axes axes, const struct node *node);
static inline bool pieces_any(struct pieces_axes axes, const struct node *node)
{
    struct pieces_box box;
    return pieces_slice(axes, node, &box) || pieces_join(axes, node);
}
/* The whole of a tensor; height 0: it is no image. */
struct pieces_box pieces_whole(struct pieces_axes axes, const struct tensor *tensor);

/* An image that a step makes, or that is put together. */
struct pieces_area {
    size_t parent; /* in which it lies; PIECES_NONE: it is one of its own */
    struct pieces_box box;
    size_t first; /* the first step that makes some of it; PIECES_NONE: none yet */
    bool joined;  /* it is put together */
    size_t layer; /* that makes it */
};

/* What a step reads of an area. */
struct pieces_read {
    size_t area; /* PIECES_NONE: none */
    bool whole;
    struct pieces_box box; /* unless it is whole */
};

struct pieces_step {
    size_t area;                 /* that it makes, or makes a piece of */
    struct pieces_box box;       /* where in it, of copies */
    struct pieces_read reads[2]; /* input and second operand */
    size_t layer;                /* whose step it is */
    bool copies;
};

/* A copy's operator. */
struct pieces_copy {
    struct tulle_operator_options options;
    struct tulle_second second;
    struct tulle_epilogue epilogue;
};

struct pieces {
    struct pieces_axes axes;
    struct pieces_area *areas;
    size_t area_count;
    struct pieces_step *steps;
    size_t step_count;
    struct pieces_copy *copies;
    size_t copy_count;
    bool any; /* something is read or made in pieces */
};

/* Room for so many of each. False: out of memory; the pieces are to be freed in any case. */
bool pieces_open(struct pieces *pieces, size_t areas, size_t steps, size_t copies);
void pieces_close(struct pieces *pieces);

/* The area in which an area lies at last, and where. */
size_t pieces_root(const struct pieces *pieces, size_t area, struct pieces_box *box);

/* A step that copies what is read to a place of an area; `channels` of a pixel. False: the library refuses
 * it. */
bool pieces_add_copy(struct pieces *pieces, const struct pieces_read *from, size_t to, int64_t top,
                     int64_t left, int64_t channels, enum tulle_type type, struct tulle_step *step);

/* Once all steps are there: fills what the library's steps say of pieces, and which step each reads. */
void pieces_finish(struct pieces *pieces, struct tulle_step *steps);

#endif
