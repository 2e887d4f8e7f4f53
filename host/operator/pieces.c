/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/pieces.h"

#include <stdlib.h>

static enum tulle_status refuse(const char *why)
{
    return message_set(TULLE_UNSUPPORTED, "a sequence of operators: %s", why);
}

/* ---- shapes ---------------------------------------------------------------------------------------- */

enum tulle_status pieces_check(const struct sequence_value *v, const struct sequence_piece *at)
{
    if (!at->height)
        return TULLE_OK;
    if (v->images > 1)
        return refuse("pieces of several images");
    return at->top < 0 || at->left < 0 || at->height < 1 || at->width < 1 ||
                   at->top > v->height - at->height || at->left > v->width - at->width
               ? refuse("a piece that is not within its image")
               : TULLE_OK;
}

static void take_all(struct sequence_value *v, const struct sequence_value *made)
{
    v->images = made->images;
    v->channels = made->channels;
    v->by_channel = made->by_channel;
    if (!v->in_pieces) {
        v->height = made->height;
        v->width = made->width;
    }
    v->frame = (struct plan_frame){.height = (uint32_t)v->height, .width = (uint32_t)v->width};
}

enum tulle_status pieces_take_shape(struct sequence *s, struct sequence_step *step,
                                    const struct sequence_value *made)
{
    struct sequence_value *v = &s->value[step->y];
    if (v->made == (size_t)(step - s->step))
        take_all(v, made);
    if (!v->in_pieces)
        return TULLE_OK;
    step->at_y.height = made->height;
    step->at_y.width = made->width;
    if (v->images != made->images || v->channels != made->channels || v->by_channel != made->by_channel)
        return refuse("pieces of another form than their image");
    return pieces_check(v, &step->at_y);
}

/* ---- plans that serve several steps ---------------------------------------------------------------- */

static bool same_pitches(const struct plan_places *a, const struct plan_places *b)
{
    return a->line == b->line && a->pixel == b->pixel && a->group == b->group;
}

/* One image; planes are as far apart as the frame is large. */
static bool lie_alike(const struct sequence_value *a, const struct sequence_value *b)
{
    return a->images == 1 && b->images == 1 && a->frame.planes == b->frame.planes &&
           a->frame.left == b->frame.left && a->frame.top == b->frame.top &&
           same_pitches(&a->places, &b->places) && (!a->frame.planes || a->frame.height == b->frame.height);
}

/* The same of frames that have no places yet. */
static bool framed_alike(const struct sequence_value *a, const struct sequence_value *b)
{
    return a->framed && b->framed && a->images == 1 && b->images == 1 && a->frame.planes == b->frame.planes &&
           a->frame.left == b->frame.left && a->frame.top == b->frame.top &&
           a->frame.width == b->frame.width && a->frame.channels == b->frame.channels &&
           a->channels == b->channels && (!a->frame.planes || a->frame.height == b->frame.height);
}

static bool reads_alike(const struct sequence *s, const struct sequence_step *a,
                        const struct sequence_step *b)
{
    if (a->x == SEQUENCE_HOST || b->x == SEQUENCE_HOST)
        return a->x == b->x;
    return lie_alike(&s->value[a->x], &s->value[b->x]);
}

static bool may_serve(const struct sequence *s, const struct sequence_step *of,
                      const struct sequence_step *step)
{
    return !of->shares && of->packed.part && reads_alike(s, of, step) &&
           framed_alike(&s->value[of->y], &s->value[step->y]);
}

/* The first step that may serve; its own number: none may. */
static size_t find_owner(const struct sequence *s, const struct sequence_step *step)
{
    const size_t number = (size_t)(step - s->step);
    size_t at = step->same;
    while (at < number &&
           ((at != step->same && s->step[at].same != step->same) || !may_serve(s, &s->step[at], step)))
        at++;
    return at;
}

bool pieces_share(struct sequence *s, struct sequence_step *step)
{
    if (step->same == SEQUENCE_HOST || !window_slides(&step->of.window) ||
        step->options->operation == TULLE_ELEMENTWISE)
        return false;
    const size_t owner = find_owner(s, step);
    const struct sequence_step *of = &s->step[owner];
    if (of == step)
        return false;
    const struct sequence_value *y = &s->value[step->y], *like = &s->value[of->y];
    planned_free(&step->of);
    step->of = of->of;
    step->packed = of->packed;
    step->shares = true;
    step->owner = owner;
    struct plan_places places = like->places;
    if (!y->frame.planes) /* otherwise their heights are equal */
        places.image = (uint64_t)y->frame.height * places.line;
    pieces_take_places(s, step, &places);
    return true;
}

/* ---- places ---------------------------------------------------------------------------------------- */

void pieces_take_places(struct sequence *s, const struct sequence_step *step,
                        const struct plan_places *places)
{
    struct sequence_value *y = &s->value[step->y];
    const bool same =
        same_pitches(&y->places, places) && (!y->frame.planes || y->places.plane == places->plane);
    if (y->places.group && !same && s->narrow == SEQUENCE_HOST)
        s->narrow = y->alike;
    y->places = *places;
    y->places.first = 0; /* the border is added where numbers are looked for */
    y->bytes = (uint64_t)y->images * places->image;
}

/* ---- joins ----------------------------------------------------------------------------------------- */

static uint64_t all_pitch(const struct plan_pair *p)
{
    return p->elements << p->element;
}

enum tulle_status pieces_plan_join(struct sequence *s, struct sequence_step *step)
{
    const struct sequence_value *x = &s->value[step->x], *w = &s->value[step->w];
    struct sequence_value *y = &s->value[step->y];
    struct plan *plan = &step->packed.part->plan;
    struct plan_pair pair = operator_pair(&step->of, step->of.m);
    if (x->images != 1 || x->frame.planes || w->frame.planes || pair.vector ||
        pair.element != pair.first_element)
        return refuse("a join of values that lie in different ways");
    if (x->places.pixel != w->places.pixel) {
        if (x->wide && w->wide)
            return refuse("a join of values that lie in different ways");
        s->narrow = s->narrow == SEQUENCE_HOST ? y->alike : s->narrow;
        return TULLE_OK;
    }
    struct plan_places places = x->places;
    places.line = y->frame.width * places.pixel;
    places.image = places.plane = y->frame.height * places.line;
    pieces_take_places(s, step, &places);
    const uint64_t wanted = pair.elements;
    pair.lines = (uint32_t)piece_height(x, &step->at_x);
    pair.elements = (uint64_t)piece_width(x, &step->at_x) * x->places.pixel >> pair.element;
    pair.first_pitch = x->places.line;
    pair.second_pitch = w->places.line;
    pair.result_pitch = places.line;
    if (pair.first_pitch == all_pitch(&pair) && pair.second_pitch == all_pitch(&pair) &&
        pair.result_pitch == all_pitch(&pair)) {
        pair.elements *= pair.lines;
        pair.lines = 1;
    }
    if (wanted)
        step->of.info.predicted_cycles = step->of.info.predicted_cycles * pair.elements * pair.lines / wanted;
    plan_free(plan);
    const enum plan_status why = plan_make_pair(&pair, plan);
    return why ? refuse(plan_message()) : TULLE_OK;
}
