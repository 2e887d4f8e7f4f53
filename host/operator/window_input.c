/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies the images of convolutions and pools into the device's order:
 * complete images with their borders, or for each result the pixels under its
 * window.
 */
#include <string.h>

#include "host/operator/operator.h"

/* Pixels that a job of a slice takes. */
struct pixels {
    const struct slice *slice;
    uint64_t count;
    uint32_t size;              /* of an image; or under a window */
    uint32_t channel, channels; /* of the device: from which on, and how many */
};

/* One of the device's images; one image is as large as all pixels that its windows meet. */
struct pixel {
    uint32_t image, y, x;
};

static struct pixels pixels_of(const struct slice *s)
{
    const struct window *w = &s->op->window;
    const bool depthwise = w->plan.depthwise;
    const uint32_t size = window_slides(w) ? w->plan.height * w->plan.width : w->plan.side_y * w->plan.side_x;
    return (struct pixels){.slice = s,
                           .count = (uint64_t)(s->count / operator_unit(s->op)) * size,
                           .size = size,
                           .channel = depthwise ? s->part->first : 0,
                           .channels = depthwise ? s->part->rows : w->plan.channels};
}

static struct pixel pixel_of(const struct pixels *p, uint64_t i)
{
    const struct window *w = &p->slice->op->window;
    const uint32_t unit = p->slice->first / operator_unit(p->slice->op) + (uint32_t)(i / p->size),
                   in = (uint32_t)(i % p->size), results = w->out_height * w->out_width;
    if (window_slides(w))
        return (struct pixel){unit, in / w->plan.width, in % w->plan.width};
    return (struct pixel){unit / results,
                          unit % results / w->out_width * w->plan.stride_y +
                              in / w->plan.side_x * w->plan.dilation_y,
                          unit % w->out_width * w->plan.stride_x + in % w->plan.side_x * w->plan.dilation_x};
}

/* Of pixel i in the slot. */
static uint64_t offset_of(const struct pixels *p, uint64_t i)
{
    const struct window *w = &p->slice->op->window;
    const struct plan *plan = &p->slice->part->plan;
    const uint32_t unit = (uint32_t)(i / p->size), in = (uint32_t)(i % p->size);
    return window_slides(w) ? plan_pixel_offset(plan, unit, in / w->plan.width, in % w->plan.width)
                            : plan_input_offset(plan, unit, in * w->plan.channels);
}

/* The caller's pixel of the device's, counted over all images; false: there is none, it is a border. */
static bool find_source(const struct window *w, struct pixel p, int64_t *source)
{
    const int64_t y = (int64_t)p.y * w->step_y - w->of.pad_top, x = (int64_t)p.x * w->step_x - w->of.pad_left;
    *source = (p.image * w->of.height + y) * w->of.width + x;
    return y >= 0 && y < w->of.height && x >= 0 && x < w->of.width;
}

static void put_pixel(const struct pixels *p, const struct tulle_matrix *images, const struct walk *walk,
                      int64_t source, uint8_t *to)
{
    const struct planned *op = p->slice->op;
    const unsigned bytes = op->data_bytes;
    const uint32_t copies = op->window.copies;
    const int64_t first = walk_row(walk, source);
    if (images->type == TULLE_INT8 && bytes == 1 && walk->by_number == 1 && copies == 1) {
        memcpy(to, (const int8_t *)images->values + first + p->channel, p->channels);
        return;
    }
    for (uint32_t c = 0; c < p->channels; c++)
        put_integer(
            to + (size_t)c * bytes, bytes,
            activation_at(images, first + (p->channel + c) / copies * walk->by_number, op->input_unsigned));
}

/* Plans may have no place for numbers that no weight meets, and any for the others. */
static bool is_scattered(const struct slice *s)
{
    return s->part->plan.layout.compact || s->part->plan.layout.from.group;
}

static uint64_t offset_of_number(const struct pixels *p, uint64_t i, uint32_t channel)
{
    const struct window *w = &p->slice->op->window;
    if (window_slides(w))
        return plan_channel_offset(&p->slice->part->plan, (uint32_t)(i / p->size),
                                   (uint32_t)(i % p->size) / w->plan.width,
                                   (uint32_t)(i % p->size) % w->plan.width, channel);
    return plan_input_offset(&p->slice->part->plan, (uint32_t)(i / p->size),
                             (uint32_t)(i % p->size) * p->slice->op->window.plan.channels + channel);
}

static void scatter_pixel(const struct pixels *p, const struct tulle_matrix *images, const struct walk *walk,
                          int64_t source, uint64_t i, uint8_t *to)
{
    const struct planned *op = p->slice->op;
    const int64_t first = walk_row(walk, source);
    for (uint32_t c = 0; c < p->channels; c++) {
        const uint64_t at = offset_of_number(p, i, c);
        if (at != PLAN_NOWHERE)
            put_integer(to + at, op->data_bytes,
                        activation_at(images, first + (p->channel + c) / op->window.copies * walk->by_number,
                                      op->input_unsigned));
    }
}

/* As it is stored: in no sum, and below any maximum. */
static int border_of(const struct planned *op)
{
    return op->window.plan.maximum ? planned_least_input(op) : op->input_zero;
}

void window_input(const struct slice *s, const struct tulle_matrix *images, const struct walk *walk,
                  uint8_t *to)
{
    const struct pixels pixels = pixels_of(s);
    operands_fill(s->op, border_of(s->op), s->part->plan.input_bytes, to);
    for (uint64_t i = 0; i < pixels.count; i++) {
        int64_t source;
        if (!find_source(&s->op->window, pixel_of(&pixels, i), &source))
            continue;
        if (is_scattered(s))
            scatter_pixel(&pixels, images, walk, source, i, to);
        else
            put_pixel(&pixels, images, walk, source, to + offset_of(&pixels, i));
    }
}

bool window_places_fit(const struct slice *s)
{
    const struct pixels pixels = pixels_of(s);
    const uint64_t room = s->part->plan.input_bytes, bytes = (uint64_t)pixels.channels * s->op->data_bytes;
    for (uint64_t i = 0; i < pixels.count; i++) {
        const uint32_t each = is_scattered(s) ? pixels.channels : 1;
        for (uint32_t c = 0; c < each; c++) {
            const uint64_t at = is_scattered(s) ? offset_of_number(&pixels, i, c) : offset_of(&pixels, i);
            if (at != PLAN_NOWHERE && (at > room || bytes / each > room - at))
                return false;
        }
    }
    return true;
}
