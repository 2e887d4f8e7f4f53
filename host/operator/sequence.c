/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/sequence.h"

#include <stdlib.h>

#include "host/operator/bank.h"
#include "host/operator/pieces.h"
#include "host/operator/region.h"
#include "host/plan/link.h"
#include "host/plan/memory.h"

static enum tulle_status refuse(const char *why)
{
    return message_set(TULLE_UNSUPPORTED, "a sequence of operators: %s", why);
}

/* ---- what is asked --------------------------------------------------------------------------------- */

static const struct tulle_plan_options no_plan = {.size = sizeof no_plan};

/* The options of a step, with its own epilogue. */
static struct tulle_operator_options options_of(const struct sequence_step *step)
{
    struct tulle_operator_options o = *step->options;
    o.epilogue = &step->epilogue;
    o.plan = o.plan ? o.plan : &no_plan;
    return o;
}

static bool has_window(const struct sequence_step *step)
{
    return operation_has_window(step->options->operation);
}

static bool is_pair(const struct sequence_step *step)
{
    return step->options->operation == TULLE_ELEMENTWISE;
}

/* A convolution whose results are joined with a value: that lies as they do. */
static bool is_joined(const struct sequence_step *step)
{
    return has_window(step) && step->options->second;
}

static enum tulle_status begin_step(const struct sequence *s, struct sequence_step *step)
{
    const struct tulle_operator_options o = options_of(step);
    step->of = (struct planned){.variant = s->variant,
                                .data_bytes = s->data_bytes,
                                .beat_cycles = s->beat_cycles,
                                .slice = s->pieces,
                                .memory = UINT32_MAX,
                                .sample = step->sample,
                                .store = s->store};
    step->epilogue = step->options->epilogue ? *step->options->epilogue
                                             : (struct tulle_epilogue){.size = sizeof step->epilogue};
    enum tulle_status status = planned_begin(&step->of, &o, &step->epilogue);
    struct window *w = &step->of.window;
    if (!status && o.initial)
        return refuse("initial sums");
    if (!status && o.second && (!(is_pair(step) || is_joined(step)) || o.second->is_row))
        return refuse("a second operand that joins with sums of a product, or is a row");
    if (!status && has_window(step) && w->kind == WINDOW_UNROLLED &&
        (step->x != SEQUENCE_HOST || s->value[step->y].framed))
        w->kind = WINDOW_SLIDING;
    return status;
}

/* ---- frames ---------------------------------------------------------------------------------------- */

/* Lines or columns of a border: before, and behind. */
struct border {
    int64_t before, behind;
};

/* What a window reads beyond an image. `length`: of the device, every `step`-th pixel. */
static struct border border_of(int64_t size, int64_t pad, uint32_t length, uint32_t step)
{
    const int64_t behind = ((int64_t)length - 1) * step - pad - (size - 1);
    return (struct border){pad, behind > 0 ? behind : 0};
}

static void widen(struct plan_frame *f, const struct sequence_value *v, struct border y, struct border x)
{
    const int64_t bottom = f->height - v->height - f->top, right = f->width - v->width - f->left;
    f->top = y.before > f->top ? (uint32_t)y.before : f->top;
    f->left = x.before > f->left ? (uint32_t)x.before : f->left;
    f->height = (uint32_t)(f->top + v->height + (y.behind > bottom ? y.behind : bottom));
    f->width = (uint32_t)(f->left + v->width + (x.behind > right ? x.behind : right));
}

/* Whether what a window reads beyond a piece lies beyond the image as well. */
static bool is_beyond(int64_t size, int64_t begin, int64_t piece, const struct border *of)
{
    return !(of->before && begin) && !(of->behind && begin + piece < size);
}

static enum tulle_status frame_for_window(struct sequence *s, const struct sequence_step *step)
{
    struct sequence_value *v = &s->value[step->x];
    const struct window *w = &step->of.window;
    const struct sequence_piece *at = &step->at_x;
    const struct border y = border_of(w->of.height, w->of.pad_top, w->plan.height, w->step_y),
                        x = border_of(w->of.width, w->of.pad_left, w->plan.width, w->step_x);
    const enum tulle_status status = pieces_check(v, at);
    const int least = step->options->input_unsigned ? 0 : -(1 << (8 * step->of.data_bytes - 1)),
              border = w->plan.maximum ? least : step->options->input_zero;
    if (status)
        return status;
    if (w->of.batch != v->images || w->of.height != piece_height(v, at) ||
        w->of.width != piece_width(v, at) || w->of.channels != v->channels ||
        (v->height * v->width > 1 && (w->of.input_layout == TULLE_NCHW) != v->by_channel))
        return refuse("images that are read in another form");
    if (!is_beyond(v->height, at->top, w->of.height, &y) || !is_beyond(v->width, at->left, w->of.width, &x))
        return refuse("a border inside of an image");
    if (y.before || y.behind || x.before || x.behind) {
        if (v->bordered && v->border != border)
            return refuse("images whose readers want different borders");
        v->bordered = true;
        v->border = border;
    }
    widen(&v->frame, v, y, x);
    return TULLE_OK;
}

/* All of the class get the frame that is large enough for each. */
static void frame_alike(struct sequence *s)
{
    for (size_t i = 0; i < s->values; i++) {
        struct sequence_value *v = &s->value[i], *first = &s->value[v->alike];
        const struct plan_frame *f = &v->frame;
        if (v == first || !v->framed)
            continue;
        widen(&first->frame, first, (struct border){f->top, f->height - v->height - f->top},
              (struct border){f->left, f->width - v->width - f->left});
    }
    for (size_t i = 0; i < s->values; i++)
        if (s->value[i].framed)
            s->value[i].frame = s->value[s->value[i].alike].frame;
}

/* Values are one of a class as soon as a join meets them. */
static void make_alike(struct sequence *s, size_t a, size_t b)
{
    size_t from = s->value[a].alike, to = s->value[b].alike;
    if (from < to) {
        const size_t other = from;
        from = to;
        to = other;
    }
    for (size_t i = 0; i < s->values; i++)
        if (s->value[i].alike == from)
            s->value[i].alike = to;
}

/* Steps with one plan get another one together. */
static void keep_together(struct sequence *s, const struct sequence_step *a, const struct sequence_step *b)
{
    make_alike(s, a->y, b->y);
    if (a->x != SEQUENCE_HOST && b->x != SEQUENCE_HOST)
        make_alike(s, a->x, b->x);
}

static bool have_one_shape(const struct sequence_value *x, const struct sequence_value *w)
{
    return x->images == w->images && x->height == w->height && x->width == w->width &&
           x->channels == w->channels && x->by_channel == w->by_channel;
}

static enum tulle_status frame_joined(struct sequence *s, const struct sequence_step *step)
{
    if (step->w == SEQUENCE_HOST)
        return refuse("a join with what the host gives");
    if (!have_one_shape(&s->value[step->y], &s->value[step->w]))
        return refuse("a join of other shapes");
    make_alike(s, step->y, step->w);
    return TULLE_OK;
}

static enum tulle_status frame_step(struct sequence *s, const struct sequence_step *step)
{
    const enum tulle_status joined = is_joined(step) ? frame_joined(s, step) : TULLE_OK;
    if (joined)
        return joined;
    if (is_pair(step)) {
        const struct sequence_value *x = step->x == SEQUENCE_HOST ? NULL : &s->value[step->x],
                                    *w = step->w == SEQUENCE_HOST ? NULL : &s->value[step->w];
        if (!x || !w)
            return refuse("a join with what the host gives");
        if (pieces_check(x, &step->at_x) || pieces_check(w, &step->at_w))
            return TULLE_UNSUPPORTED;
        if (x->images != w->images || piece_height(x, &step->at_x) != piece_height(w, &step->at_w) ||
            piece_width(x, &step->at_x) != piece_width(w, &step->at_w) || x->channels != w->channels ||
            x->by_channel != w->by_channel)
            return refuse("a join of other shapes");
        make_alike(s, step->x, step->w);
        make_alike(s, step->x, step->y);
        return TULLE_OK;
    }
    if (step->x == SEQUENCE_HOST)
        return TULLE_OK;
    if (has_window(step))
        return frame_for_window(s, step);
    const struct sequence_value *v = &s->value[step->x];
    if (step->at_x.height)
        return refuse("a product with a piece of an image");
    const bool is_softmax = step->options->operation == TULLE_SOFTMAX;
    if (is_softmax && (v->height * v->width != 1 || step->options->softmax->columns != v->channels))
        return refuse("a softmax of images");
    if (step->options->dense != v->images)
        return refuse("rows that are read in another form");
    return TULLE_OK;
}

/* Whether the reader's weights can be plain where what it reads is not in planes, and the bytes that this
 * saves take a slow memory longer than results take that are written in runs of K channels: a cycle each
 * where they have room in the bank, and else a beat of memory, of which they fill a part. */
static bool prefers_plain(const struct sequence *s, const struct sequence_step *reader)
{
    const struct variant *variant = s->variant;
    const struct tulle_window *w = reader->options->window;
    const struct tulle_matrix *m = reader->options->matrix;
    if (!variant->plain_weights || s->beat_cycles <= 1 || !m || w->kernel_height != 1 ||
        w->kernel_width != 1 || w->groups > 1)
        return false;
    const struct sequence_value *x = &s->value[reader->x];
    const uint64_t beat = variant->memory_width / 8,
                   bytes = (uint64_t)(x->images * x->height * x->width * x->channels),
                   saved = (uint64_t)(m->rows * m->columns) / beat * s->beat_cycles;
    const bool has_room = bytes * 8 <= (uint64_t)variant->local_bytes * 7;
    return (has_room ? bytes / variant->k : (bytes / variant->k - bytes / beat) * s->beat_cycles) < saved;
}

/* Results of depthwise convolutions lie in planes, where no join reads them and every reader takes them so.
 */
static void choose_planes(struct sequence *s)
{
    const struct variant *v = s->variant;
    for (size_t i = 0; i < s->values; i++) {
        struct sequence_value *value = &s->value[i];
        value->frame.planes = value->framed && v->k * s->step[value->made].of.data_bytes % 8 == 0;
    }
    for (size_t i = 0; i < s->steps; i++) {
        const struct sequence_step *step = &s->step[i];
        s->value[step->y].frame.planes &= has_window(step) && step->of.window.kind == WINDOW_DEPTHWISE;
        if (has_window(step) && step->x != SEQUENCE_HOST && prefers_plain(s, step))
            s->value[step->x].frame.planes = false;
        if (step->options->operation != TULLE_SOFTMAX && !is_pair(step) && !is_joined(step))
            continue;
        const size_t members[] = {is_joined(step) ? step->y : step->x, step->w, step->y};
        for (unsigned j = 0; j < 3; j++)
            if (members[j] != SEQUENCE_HOST)
                s->value[members[j]].frame.planes = false;
    }
}

static bool has_border(const struct sequence_value *v)
{
    return v->frame.height * (uint64_t)v->frame.width > (uint64_t)(v->height * v->width);
}

static bool set_border(struct sequence_value *v, int border)
{
    const bool ok = !v->bordered || v->border == border;
    v->bordered = true;
    v->border = border;
    return ok;
}

/* Joins go through borders, too: those of operands are their zero points, so that those of results are what a
 * join of zeros gives. */
static enum tulle_status border_joins(struct sequence *s)
{
    for (size_t i = 0; i < s->steps; i++) {
        const struct sequence_step *step = &s->step[i];
        const struct tulle_epilogue *e = step->options->epilogue;
        if (!is_pair(step) || !has_border(&s->value[step->y]))
            continue;
        const int zero = e->zero < e->low ? e->low : e->zero > e->high ? e->high : e->zero;
        s->value[step->y].written = true;
        if (e->lookup || e->function != TULLE_REQUANTISE ||
            !set_border(&s->value[step->x], step->options->input_zero) ||
            !set_border(&s->value[step->w], step->options->second->zero) ||
            !set_border(&s->value[step->y], zero)) {
            s->failed = i;
            return refuse("a border that a join does not keep");
        }
    }
    return TULLE_OK;
}

/* The activation bank begins as zeros. A border of the least number, as behind a ReLU, is one of zeros where
 * the value has its sign inverted on the device. */
static void invert_borders(struct sequence *s)
{
    const struct variant *variant = s->variant;
    for (size_t i = 0; i < s->values && variant->local_bytes && variant->zero_points; i++) {
        struct sequence_value *v = &s->value[i];
        const int half = 1 << (8 * s->step[v->made].of.data_bytes - 1);
        v->inverted = !v->wanted && sequence_keeps_border(v) && (v->border == half || v->border == -half);
        v->border = v->inverted ? 0 : v->border;
    }
}

/* What a step makes, in the caller's order. */
static enum tulle_status find_shape(struct sequence *s, struct sequence_step *step)
{
    const struct tulle_operator_options *o = step->options;
    const struct window *w = &step->of.window;
    struct sequence_value made = {.height = 1, .width = 1}, *y = &made;
    if (has_window(step)) {
        y->images = w->of.batch;
        y->height = w->out_height;
        y->width = w->out_width;
        y->channels = o->matrix ? o->matrix->rows : w->of.channels;
        y->by_channel = w->of.output_layout == TULLE_NCHW;
    } else if (is_pair(step) && step->x != SEQUENCE_HOST) {
        const struct sequence_value *x = &s->value[step->x];
        y->images = x->images;
        y->height = piece_height(x, &step->at_x);
        y->width = piece_width(x, &step->at_x);
        y->channels = x->channels;
        y->by_channel = x->by_channel;
    } else {
        y->images = o->dense;
        y->channels = o->softmax ? o->softmax->columns : o->matrix ? o->matrix->columns : 0;
    }
    return pieces_take_shape(s, step, y);
}

static enum tulle_status find_frames(struct sequence *s)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; i < s->values; i++) {
        struct sequence_value *v = &s->value[i];
        v->alike = i;
        v->last = v->made;
        v->framed = v->in_pieces;
    }
    for (size_t i = 0; i < s->steps; i++) {
        const size_t reads[] = {s->step[i].x, s->step[i].w};
        for (unsigned j = 0; j < 2; j++)
            if (reads[j] != SEQUENCE_HOST) {
                s->value[reads[j]].framed = true;
                s->value[reads[j]].last = i;
            }
    }
    for (size_t i = 0; i < s->steps; i++) {
        struct sequence_value *y = &s->value[s->step[i].y];
        y->framed |= is_pair(&s->step[i]) || is_joined(&s->step[i]);
        y->last = i > y->last ? i : y->last;
    }
    for (size_t i = 0; !status && i < s->steps; i++) {
        s->failed = i;
        status = begin_step(s, &s->step[i]);
        if (status)
            break;
        status = find_shape(s, &s->step[i]);
        if (!status)
            status = frame_step(s, &s->step[i]);
        if (!status && s->step[i].same != SEQUENCE_HOST)
            keep_together(s, &s->step[i], &s->step[s->step[i].same]);
    }
    if (status)
        return status;
    choose_planes(s);
    if (s->pieces)
        return TULLE_OK; /* joins go through lines, and not through borders */
    frame_alike(s);
    status = border_joins(s);
    if (!status)
        invert_borders(s);
    return status;
}

/* ---- plans ----------------------------------------------------------------------------------------- */

/* As a window sees the value: its border may be smaller than the frame's, and it may skip pixels. */
static struct plan_places seen_by(const struct sequence_value *v, const struct window *w)
{
    struct plan_places p = v->places;
    p.first += (uint64_t)(v->frame.top - (uint32_t)w->of.pad_top) * p.line +
               (uint64_t)(v->frame.left - (uint32_t)w->of.pad_left) * p.pixel;
    p.line *= w->step_y;
    p.pixel *= w->step_x;
    return p;
}

/* Number i of an image, in the caller's order. */
static uint64_t place_of(const struct sequence_value *v, uint64_t image, int64_t i, unsigned bytes)
{
    const int64_t pixels = v->height * v->width, pixel = v->by_channel ? i % pixels : i / v->channels,
                  channel = v->by_channel ? i / pixels : i % v->channels;
    return plan_place(&v->places, image, v->frame.top + (uint32_t)(pixel / v->width),
                      v->frame.left + (uint32_t)(pixel % v->width), (uint32_t)channel, bytes);
}

/* A product reads a row of all that an image's memory has; weights meet what belongs to the value. */
static enum tulle_status spread_rows(struct sequence_step *step, const struct sequence_value *v)
{
    const int64_t numbers = v->height * v->width * v->channels;
    const unsigned bytes = step->of.data_bytes;
    step->spread = malloc((size_t)numbers * sizeof *step->spread + 1);
    if (!step->spread)
        return message_no_memory();
    for (int64_t i = 0; i < numbers; i++)
        step->spread[i] = (uint32_t)(place_of(v, 0, i, bytes) / bytes);
    step->of.spread = step->spread;
    step->of.spread_columns = (uint32_t)(v->places.image / bytes);
    step->of.from = (struct plan_places){.image = v->places.image,
                                         .line = v->places.image,
                                         .pixel = v->places.image,
                                         .plane = v->places.image,
                                         .group = step->of.spread_columns};
    return TULLE_OK;
}

static enum tulle_status expect_weights(const struct sequence_step *step, const struct sequence_value *v)
{
    const struct tulle_matrix *m = step->options->matrix;
    if (m && m->rows != v->height * v->width * v->channels)
        return refuse("rows that are read in another form");
    return TULLE_OK;
}

static enum tulle_status take_places(struct sequence *s, struct sequence_step *step)
{
    const struct sequence_value *x = step->x == SEQUENCE_HOST ? NULL : &s->value[step->x];
    if (s->value[step->y].framed)
        step->of.to = s->value[step->y].frame;
    step->of.inverted =
        (struct planned_inverted){.input = x && x->inverted,
                                  .second = step->w != SEQUENCE_HOST && s->value[step->w].inverted,
                                  .output = s->value[step->y].inverted};
    if (!x || is_pair(step) || planned_is_softmax(&step->of))
        return TULLE_OK;
    if (has_window(step)) {
        step->of.from = seen_by(x, &step->of.window);
        return TULLE_OK;
    }
    const enum tulle_status status = expect_weights(step, x);
    return status ? status : spread_rows(step, x);
}

static bool lie_alike(const struct sequence *s, const struct sequence_step *step)
{
    return s->value[step->x].places.image == s->value[step->w].places.image;
}

/* Over all that the memory of its operands has, borders and all. */
static enum tulle_status pair_in_order(struct sequence *s, struct sequence_step *step)
{
    const struct sequence_value *x = &s->value[step->x];
    struct sequence_value *y = &s->value[step->y];
    struct plan *plan = &step->packed.part->plan;
    struct plan_pair pair = operator_pair(&step->of, step->of.m);
    if (!lie_alike(s, step) || pair.vector || pair.element != pair.first_element)
        return refuse("a join of values that lie in different ways");
    const uint64_t wanted = pair.elements;
    pair.elements = (uint64_t)x->images * x->places.image >> pair.element;
    if (wanted)
        step->of.info.predicted_cycles = step->of.info.predicted_cycles * pair.elements / wanted;
    plan_free(plan);
    const enum plan_status why = plan_make_pair(&pair, plan);
    y->places = x->places;
    y->frame = x->frame;
    y->bytes = plan->output_bytes;
    return why ? refuse(plan_message()) : TULLE_OK;
}

static enum tulle_status plan_step(struct sequence *s, struct sequence_step *step)
{
    struct sequence_value *y = &s->value[step->y];
    const struct tulle_operator_options o = options_of(step);
    if (pieces_share(s, step))
        return TULLE_OK;
    enum tulle_status status = take_places(s, step);
    if (!status)
        status = planned_make(&step->of, &o, &step->packed);
    if (status)
        return status;
    const struct plan *plan = &step->packed.part->plan;
    if (step->packed.parts != 1 || step->packed.block * operator_unit(&step->of) != step->of.m ||
        layout_gathers(&plan->layout) || plan->layout.more_count)
        return refuse("an operator that takes several jobs, or the host's help");
    if (y->framed && 1u << step->of.element != step->of.data_bytes)
        return refuse("results of another width than activations");
    if (is_pair(step))
        return s->pieces ? pieces_plan_join(s, step) : pair_in_order(s, step);
    if (planned_is_softmax(&step->of)) {
        const uint64_t pitch = (uint64_t)planned_pitch(&step->of) * step->of.data_bytes;
        if (step->x != SEQUENCE_HOST && s->value[step->x].places.image != pitch)
            return refuse("a softmax of rows that lie in another way");
        if (y->framed)
            return refuse("a reader of softmax");
    }
    if (y->framed)
        pieces_take_places(s, step, &plan->layout.to);
    if (!y->in_pieces)
        y->bytes = plan->output_bytes;
    return status;
}

/* Plans choose how many channels a pixel of their results has room for: as few as groups of K, or as many as
 * all PEs have. Operands of a join must have as many. If they do not, all of their class get the most, and
 * what was planned for it before is planned again. */
static bool must_widen(const struct sequence *s, const struct sequence_step *step)
{
    return is_pair(step) && !s->pieces && !s->value[step->x].wide && !lie_alike(s, step);
}

/* The same of what joins with sums, after its plan was made. */
static bool lies_otherwise(const struct sequence *s, const struct sequence_step *step)
{
    return is_joined(step) && s->value[step->y].places.image != s->value[step->w].places.image;
}

static bool is_of_class(const struct sequence *s, size_t value, size_t alike)
{
    return value != SEQUENCE_HOST && s->value[value].alike == alike;
}

static void drop_plan(struct sequence_step *step)
{
    if (!step->shares) {
        planned_free(&step->of);
        packed_free(&step->packed);
    }
    step->shares = false;
    step->packed = (struct packed){0};
    step->of = (struct planned){0};
    free(step->spread);
    step->spread = NULL;
}

static enum tulle_status widen_class(struct sequence *s, size_t alike)
{
    const uint32_t all = s->variant->n * s->variant->m * s->variant->k;
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; i < s->values; i++) {
        struct sequence_value *v = &s->value[i];
        if (v->alike != alike)
            continue;
        v->frame.channels = math_round_up((uint32_t)v->channels, all);
        v->wide = true;
        v->places = (struct plan_places){0};
    }
    for (size_t i = 0; !status && i < s->steps; i++) {
        struct sequence_step *step = &s->step[i];
        if (!is_of_class(s, step->x, alike) && !is_of_class(s, step->w, alike) &&
            !is_of_class(s, step->y, alike))
            continue;
        drop_plan(step);
        status = begin_step(s, step);
    }
    return status;
}

/* Steps before `end` that have no plan, or none any more. */
static enum tulle_status plan_before(struct sequence *s, size_t end)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < end; i++) {
        s->failed = i;
        if (!s->step[i].packed.part)
            status = plan_step(s, &s->step[i]);
    }
    return status;
}

/* The same with room for all channels in the class whose pieces differ. */
static enum tulle_status plan_wider(struct sequence *s, size_t end)
{
    enum tulle_status status = TULLE_OK;
    while (!status && s->narrow != SEQUENCE_HOST) {
        const size_t alike = s->narrow;
        s->narrow = SEQUENCE_HOST;
        if (s->value[alike].wide)
            return refuse("pieces that lie in different ways");
        status = widen_class(s, alike);
        if (!status)
            status = plan_before(s, end);
    }
    return status;
}

static enum tulle_status plan_all(struct sequence *s)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < s->steps; i++) {
        const struct sequence_step *step = &s->step[i];
        s->failed = i;
        if (must_widen(s, step))
            status = widen_class(s, s->value[step->x].alike);
        if (!status)
            status = plan_before(s, i + 1);
        if (!status && s->narrow != SEQUENCE_HOST)
            status = plan_wider(s, i + 1);
        if (status || !lies_otherwise(s, step))
            continue;
        status = widen_class(s, s->value[step->y].alike);
        if (!status)
            status = plan_before(s, i + 1);
        s->failed = i;
        if (!status && lies_otherwise(s, step))
            status = refuse("a join of values that lie in different ways");
    }
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static enum tulle_status place_values(struct sequence *s, uint64_t size[ISA_SLOTS])
{
    struct region *regions = calloc(s->values + s->steps + 1, sizeof *regions);
    size_t count = 0;
    if (!regions)
        return message_no_memory();
    for (size_t i = 0; i < s->values; i++) {
        struct sequence_value *v = &s->value[i];
        if (v->slot == SLOT_BANK)
            continue;
        if (v->wanted) {
            v->base = size[SLOT_OUTPUT];
            size[SLOT_OUTPUT] += region_aligned(v->bytes);
            continue;
        }
        const bool kept = sequence_keeps_border(v);
        regions[count++] = (struct region){.bytes = region_aligned(v->bytes),
                                           .from = kept ? 0 : v->made,
                                           .to = kept ? s->steps : v->last,
                                           .place = &v->base};
    }
    for (size_t i = 0; i < s->steps; i++) { /* sums of k steps */
        struct sequence_step *step = &s->step[i];
        const uint64_t bytes = region_aligned(step->packed.part->plan.scratch_bytes);
        if (bytes && step->sums_slot != SLOT_BANK)
            regions[count++] = (struct region){.bytes = bytes, .from = i, .to = i, .place = &step->sums_base};
    }
    size[SLOT_SCRATCH] = region_place_all(regions, count);
    free(regions);
    return TULLE_OK;
}

/* Bytes of a slot that a step's reads may reach. */
static void reach(uint64_t size[ISA_SLOTS], enum isa_slot slot, uint64_t end)
{
    if (slot != SLOT_BANK)
        size[slot] = end > size[slot] ? end : size[slot];
}

/* ---- the program ----------------------------------------------------------------------------------- */

static uint64_t add_constant(struct strbuf *weights, const void *bytes, uint64_t count)
{
    static const char zeros[REGION_ALIGN] = {0};
    sb_addn(weights, zeros, region_aligned(weights->len) - weights->len);
    const uint64_t at = weights->len;
    if (count)
        sb_addn(weights, bytes, count);
    return at;
}

/* Weights and initial sums, once for all steps that have the plan. */
static void place_constants(struct sequence *s, struct sequence_step *step, struct strbuf *weights)
{
    const struct part *part = step->packed.part;
    const struct plan *plan = &part->plan;
    if (step->shares) {
        step->weights_base = s->step[step->owner].weights_base;
        step->partial_base = s->step[step->owner].partial_base;
        return;
    }
    step->weights_base = add_constant(weights, plan->weights.text, plan->weights.len);
    if (plan->partial_bytes)
        step->partial_base = add_constant(weights, part->partial, plan->partial_bytes);
}

/* Where a step's plan begins in a value: joins of pieces know nothing of borders. */
static uint64_t piece_begin(const struct sequence *s, const struct sequence_step *step,
                            const struct sequence_value *v, const struct sequence_piece *at)
{
    const uint64_t border = v->frame.top * v->places.line + v->frame.left * v->places.pixel;
    return piece_offset(v, at) + (s->pieces && is_pair(step) ? border : 0);
}

/* Plans are chosen for what they hope to find in the bank. */
static void find_memory_cycles(const struct sequence *s, struct sequence_step *step,
                               const struct link_part *link)
{
    bool near[ISA_SLOTS];
    for (unsigned slot = 0; slot < ISA_SLOTS; slot++)
        near[slot] = link->slot[slot].slot == SLOT_BANK;
    const struct memory_beats beats = memory_beats(s->variant, link->plan, near);
    step->memory_cycles = s->beat_cycles > 1 ? memory_cycles(s->variant, s->beat_cycles, &beats) : 0;
}

static struct link_part link_of(struct sequence *s, struct sequence_step *step, struct strbuf *weights,
                                uint64_t size[ISA_SLOTS])
{
    const struct part *part = step->packed.part;
    const struct plan *plan = &part->plan;
    struct sequence_value *x = step->x == SEQUENCE_HOST ? NULL : &s->value[step->x],
                          *w = step->w == SEQUENCE_HOST ? NULL : &s->value[step->w], *y = &s->value[step->y];
    struct link_part link = {.plan = plan};
    place_constants(s, step, weights);
    const struct sequence_step *owner = step->shares ? &s->step[step->owner] : step;
    link.slot[SLOT_WEIGHTS] = owner->weights_stay ? (struct link_slot){SLOT_BANK, owner->weights_bank}
                                                  : (struct link_slot){SLOT_WEIGHTS, step->weights_base};
    if (plan->partial_bytes)
        link.slot[SLOT_PARTIAL] = (struct link_slot){SLOT_WEIGHTS, step->partial_base};
    link.slot[SLOT_SCRATCH] = (struct link_slot){step->sums_slot, step->sums_base};
    link.slot[SLOT_OUTPUT] = (struct link_slot){y->slot, y->base + piece_begin(s, step, y, &step->at_y)};
    step->input_base = size[SLOT_INPUT];
    link.slot[SLOT_INPUT] = x ? (struct link_slot){x->slot, x->base + piece_begin(s, step, x, &step->at_x)}
                              : (struct link_slot){SLOT_INPUT, step->input_base};
    if (x)
        reach(size, x->slot, link.slot[SLOT_INPUT].base + plan->input_bytes);
    else
        size[SLOT_INPUT] += region_aligned(plan->input_bytes);
    if (w)
        link.slot[SLOT_EXTRA] = (struct link_slot){w->slot, w->base + piece_begin(s, step, w, &step->at_w)};
    find_memory_cycles(s, step, &link);
    return link;
}

/* The steps that run before one whose result they begin. */
static struct link_part *link_before(struct sequence *s, size_t at, struct strbuf *weights,
                                     uint64_t size[ISA_SLOTS], struct link_part *end)
{
    for (size_t i = at + 1; i < s->steps; i++)
        if (s->step[i].before == at)
            *end++ = link_of(s, &s->step[i], weights, size);
    return end;
}

static enum tulle_status list_borders(struct sequence *s)
{
    s->border = calloc(s->values + 1, sizeof *s->border);
    if (!s->border)
        return message_no_memory();
    for (size_t i = 0; i < s->values; i++) {
        const struct sequence_value *v = &s->value[i];
        if (sequence_keeps_border(v) && v->slot != SLOT_BANK)
            s->border[s->borders++] = (struct sequence_border){v->slot, v->base, v->bytes, v->border};
    }
    return TULLE_OK;
}

/* The whole slot: what is around a value is zero. */
static bool fill_slot(struct sequence *s, unsigned slot, uint64_t size)
{
    const struct planned of = {.data_bytes = s->data_bytes};
    uint8_t *bytes = NULL;
    for (size_t i = 0; i < s->borders; i++) {
        const struct sequence_border *b = &s->border[i];
        if (b->slot != (enum isa_slot)slot)
            continue;
        bytes = bytes ? bytes : calloc(size + 1, 1);
        if (bytes)
            operands_fill(&of, b->activation, b->bytes, bytes + b->base);
    }
    if (bytes)
        sb_addn(&s->initial[slot], (const char *)bytes, size);
    free(bytes);
    return sb_ok(&s->initial[slot]);
}

enum tulle_status sequence_begin(struct sequence *s, const struct packed *packed)
{
    return fill_slot(s, SLOT_OUTPUT, packed->output_bytes) &&
                   fill_slot(s, SLOT_SCRATCH, packed->scratch_bytes)
               ? TULLE_OK
               : message_no_memory();
}

/* What the linked program has, too. */
static void drop_programs(struct sequence *s)
{
    for (size_t i = 0; i < s->steps; i++) {
        sb_free(&s->step[i].packed.part->plan.program);
        sb_free(&s->step[i].packed.part->plan.weights);
    }
}

static enum tulle_status link_all(struct sequence *s, struct packed *packed)
{
    uint64_t size[ISA_SLOTS] = {0};
    struct link_part *links = calloc(s->values + 2 * s->steps + 1, sizeof *links), *end = links;
    *packed = (struct packed){.block = 1, .parts = 1, .part = calloc(1, sizeof *packed->part)};
    if (!links || !packed->part) {
        free(links);
        return message_no_memory();
    }
    struct plan *plan = &packed->part->plan;
    enum tulle_status status = bank_place(s);
    if (!status)
        status = place_values(s, size);
    enum plan_status why = status ? PLAN_OK : bank_make(s);
    for (size_t i = 0; !status && i < s->steps; i++) {
        const bool is_here = s->step[i].before == i;
        const struct link_part link =
            is_here ? link_of(s, &s->step[i], &plan->weights, size) : (struct link_part){0};
        end = bank_before(s, i, end);
        end = link_before(s, i, &plan->weights, size, end);
        if (is_here)
            *end++ = link;
    }
    if (!status && !why)
        why = plan_link(s->variant, links, (size_t)(end - links), &plan->program, &s->saved);
    free(links);
    if (status || why)
        return status ? status : why == PLAN_NO_MEMORY ? message_no_memory() : refuse(plan_message());
    plan->input_bytes = size[SLOT_INPUT];
    plan->output_bytes = size[SLOT_OUTPUT];
    plan->scratch_bytes = size[SLOT_SCRATCH];
    packed_sizes(packed);
    drop_programs(s);
    status = list_borders(s);
    if (!status)
        status = sequence_begin(s, packed);
    return status || sb_ok(&plan->weights) ? status : message_no_memory();
}

/* ---- prediction ------------------------------------------------------------------------------------ */

/* The sum of the steps, which are predicted for the same activations as operators by themselves, so that the
 * two can be compared; less what jobs of their own take and fences do not, and configurations that are kept.
 */
static enum tulle_status predict(struct sequence *s)
{
    uint64_t joint;
    if (!cost_of_joint(s->variant, &joint))
        return message_no_memory();
    for (size_t i = 0; i < s->steps; i++) {
        const uint64_t planned = s->step[i].of.info.predicted_cycles, memory = s->step[i].memory_cycles,
                       cycles = memory > planned ? memory : planned;
        s->predicted += i && cycles > joint ? cycles - joint : cycles;
    }
    s->predicted -= s->predicted > s->saved ? s->saved : 0;
    return TULLE_OK;
}

bool sequence_fits(const struct packed *packed, uint64_t memory)
{
    const uint64_t sizes[] = {packed->all_program_bytes, packed->all_weights_bytes, packed->input_bytes,
                              packed->output_bytes, packed->scratch_bytes};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > memory)
            return false;
        memory -= sizes[i];
    }
    return true;
}

enum tulle_status sequence_make(struct sequence *s, unsigned data_bytes, uint64_t memory,
                                struct packed *packed)
{
    for (size_t i = s->steps; i--;)
        s->value[s->step[i].y].made = i;
    for (size_t i = 0; i < s->steps && !s->pieces; i++)
        s->step[i].same = SEQUENCE_HOST; /* plans serve several steps only where there are slices */
    s->data_bytes = data_bytes;
    s->narrow = SEQUENCE_HOST;
    enum tulle_status status = find_frames(s);
    if (!status)
        status = plan_all(s);
    if (!status)
        status = link_all(s, packed);
    if (!status)
        status = predict(s);
    if (!status && !sequence_fits(packed, memory))
        status = refuse("they take more than the device's memory");
    return status;
}

void sequence_free(struct sequence *s)
{
    for (size_t i = 0; i < s->steps; i++)
        drop_plan(&s->step[i]);
    for (unsigned slot = 0; slot < ISA_SLOTS; slot++)
        sb_free(&s->initial[slot]);
    bank_free(s);
    free(s->border);
    free(s->step);
    free(s->value);
    *s = (struct sequence){0};
}

/* ---- operands -------------------------------------------------------------------------------------- */

static struct slice slice_of(const struct sequence_step *step)
{
    return (struct slice){
        .op = &step->of, .packed = &step->packed, .part = step->packed.part, .count = step->of.m};
}

/* Of a value in pieces a step has made only one. */
static enum tulle_status check_output(const struct sequence_value *v, const struct planned *op,
                                      const struct tulle_output *output)
{
    const int64_t pixels = v->images * v->height * v->width,
                  lines = v->by_channel ? v->images * v->channels : pixels,
                  numbers = v->by_channel ? v->height * v->width : v->channels;
    return v->framed && pixels * v->channels != (int64_t)op->m * op->n
               ? operands_check_place(op, lines, numbers, output)
               : operands_check_output(op, output);
}

enum tulle_status sequence_check(const struct sequence *s, const struct tulle_matrix *const *inputs,
                                 const struct tulle_output *const *outputs)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < s->steps; i++)
        if (s->step[i].x == SEQUENCE_HOST)
            status = operands_check_dense(&s->step[i].of, *inputs++);
    for (size_t i = 0; !status && i < s->values; i++) {
        if (!s->value[i].wanted)
            continue;
        const struct tulle_output *output = *outputs++;
        status = check_output(&s->value[i], &s->step[s->value[i].made].of, output);
        if (!status && s->value[i].framed && output->column_stride > 1)
            status = message_set(TULLE_INVALID_ARGUMENT, "the output: a sequence gives results without gaps");
    }
    return status;
}

void sequence_input(const struct sequence *s, const struct tulle_matrix *const *inputs, uint8_t *to)
{
    for (size_t i = 0; i < s->steps; i++) {
        const struct sequence_step *step = &s->step[i];
        if (step->x != SEQUENCE_HOST)
            continue;
        const struct slice slice = slice_of(step);
        const struct run_input input = {.dense = *inputs++};
        operands_input(&slice, &input, to + step->input_base);
    }
}

/* Whether `count` steps of so many bytes, and what is in *at already, end within the room. */
static bool steps_fit(uint64_t count, uint64_t bytes, uint64_t room, uint64_t *at)
{
    if (count && bytes > (room - *at) / count)
        return false;
    *at += count * bytes;
    return true;
}

/* The last number of each kind lies furthest. */
bool sequence_value_fits(const struct sequence_value *v, unsigned element_bytes, uint64_t room)
{
    const struct plan_places *p = &v->places;
    uint64_t at = element_bytes;
    if (v->base > room || v->images < 1 || v->height < 1 || v->width < 1 || v->channels < 1 || !p->group)
        return false;
    room -= v->base;
    const uint64_t last = (uint64_t)v->channels - 1, beside = last < p->group ? last : p->group - 1;
    return at <= room && steps_fit((uint64_t)v->images - 1, p->image, room, &at) &&
           steps_fit((uint64_t)v->frame.top + (uint64_t)v->height - 1, p->line, room, &at) &&
           steps_fit((uint64_t)v->frame.left + (uint64_t)v->width - 1, p->pixel, room, &at) &&
           steps_fit(last / p->group, p->plane, room, &at) && steps_fit(beside, element_bytes, room, &at) &&
           p->first <= room - at;
}

/* A value in a frame, in the caller's order. */
static void take_framed(const struct sequence *s, const struct sequence_value *v, const uint8_t *from,
                        const struct tulle_output *to)
{
    const struct planned *op = &s->step[v->made].of;
    const unsigned bytes = 1u << op->element;
    const int64_t numbers = v->height * v->width * v->channels;
    for (int64_t image = 0; image < v->images; image++)
        for (int64_t i = 0; i < numbers; i++)
            memcpy((uint8_t *)to->values + (size_t)(image * numbers + i) * bytes,
                   from + v->base + place_of(v, (uint64_t)image, i, bytes), bytes);
}

uint64_t sequence_elements(const struct sequence *s, const struct sequence_value *v)
{
    const struct planned *op = &s->step[v->made].of;
    return v->framed ? (uint64_t)(v->images * v->height * v->width * v->channels) : (uint64_t)op->m * op->n;
}

enum tulle_status sequence_take(const struct sequence *s, const struct sequence_value *v, const uint8_t *from,
                                const struct tulle_output *to)
{
    const struct sequence_step *step = &s->step[v->made];
    if (v->framed) {
        take_framed(s, v, from, to);
        return TULLE_OK;
    }
    const struct slice slice = slice_of(step);
    int64_t *values = malloc(((size_t)step->of.n + 1) * sizeof *values);
    if (!values)
        return message_no_memory();
    operands_output(&slice, from + v->base, NULL, to, values);
    free(values);
    return TULLE_OK;
}

enum tulle_status sequence_output(const struct sequence *s, const uint8_t *from,
                                  const struct tulle_output *const *outputs)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < s->values; i++)
        if (s->value[i].wanted)
            status = sequence_take(s, &s->value[i], from, *outputs++);
    return status;
}
