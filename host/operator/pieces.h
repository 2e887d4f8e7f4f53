/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of a sequence that several steps make piece by piece, and steps that read a piece of a value: layers
 * that go over an image slice by slice hand their results on so, and nothing is cut or put together. A piece
 * is a rectangle of pixels: the frame's places from its first pixel on, with the frame's pitches. A window
 * may reach beyond a piece only where the piece ends with the image, because what is there is the border.
 *
 * A plan knows nothing of where a piece begins. That is the linker's, and so steps with equal options and
 * equal pitches have one plan.
 */
#ifndef TULLE_HOST_PIECES_H
#define TULLE_HOST_PIECES_H

#include "host/operator/sequence.h"

/* Height and width of what is read or made of a value. */
static inline int64_t piece_height(const struct sequence_value *v, const struct sequence_piece *at)
{
    return at->height ? at->height : v->height;
}

static inline int64_t piece_width(const struct sequence_value *v, const struct sequence_piece *at)
{
    return at->width ? at->width : v->width;
}

/* Bytes from the value's first pixel to the piece's. */
static inline uint64_t piece_offset(const struct sequence_value *v, const struct sequence_piece *at)
{
    return (uint64_t)at->top * v->places.line + (uint64_t)at->left * v->places.pixel;
}

/* The step's result, whose shape is `made`, as a value or a piece of one. */
enum tulle_status pieces_take_shape(struct sequence *s, struct sequence_step *step,
                                    const struct sequence_value *made);
/* Whether the piece lies within the value. */
enum tulle_status pieces_check(const struct sequence_value *v, const struct sequence_piece *at);

/* Takes the plan of a step before with equal options whose operands lie alike, if there is one. */
bool pieces_share(struct sequence *s, struct sequence_step *step);

/* After the plan of a step that has written places for a value: whether they are those that it has, or its
 * first. Otherwise s->narrow is set. */
void pieces_take_places(struct sequence *s, const struct sequence_step *step,
                        const struct plan_places *places);

/* The plan of a join of pieces, line by line. */
enum tulle_status pieces_plan_join(struct sequence *s, struct sequence_step *step);

#endif
