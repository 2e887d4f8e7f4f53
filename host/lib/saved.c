/* SPDX-License-Identifier: Apache-2.0 */
#include "host/lib/saved.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX (1u << 20)

/* An array that may be missing. */
static void words(struct archive *a, uint32_t **array, uint64_t count)
{
    if (!archive_flag(a, *array))
        return;
    if (!a->to) {
        if (a->wrong || count > (a->size - a->at) / 4) {
            a->wrong = true;
            return;
        }
        *array = malloc(count * 4 + 1);
        if (!*array) {
            a->wrong = a->memory = true;
            return;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = a->to ? (*array)[i] : 0;
        char bytes[4];
        for (unsigned b = 0; b < 4; b++)
            if (a->to)
                bytes[b] = (char)(value >> (8 * b) & 0xFF);
            else
                value |= (uint32_t)a->from[a->at++] << (8 * b);
        if (a->to)
            sb_addn(a->to, bytes, 4);
        else
            (*array)[i] = value;
    }
}

static void do_choice(struct archive *a, struct plan_choice *c)
{
    c->gather = (enum plan_gather)archive_word(a, c->gather, PLAN_SOFTMAX);
    c->deals = archive_flag(a, c->deals);
    c->mapping = (enum plan_mapping)archive_word(a, c->mapping, PLAN_MAPPINGS - 1);
    c->split.rows = (enum plan_axis)archive_word(a, c->split.rows, PLAN_AXES - 1);
    c->split.columns = (enum plan_axis)archive_word(a, c->split.columns, PLAN_AXES - 1);
    c->rows_held = archive_word(a, c->rows_held, INT32_MAX);
    c->lines = archive_word(a, c->lines, INT32_MAX);
    c->block = archive_word(a, c->block, INT32_MAX);
    c->packet_bytes = archive_word(a, c->packet_bytes, INT32_MAX);
}

static void do_summary(struct archive *a, struct plan_summary *s)
{
    s->mapping = (enum plan_mapping)archive_word(a, s->mapping, PLAN_MAPPINGS - 1);
    s->split.rows = (enum plan_axis)archive_word(a, s->split.rows, PLAN_AXES - 1);
    s->split.columns = (enum plan_axis)archive_word(a, s->split.columns, PLAN_AXES - 1);
    s->rows_held = archive_word(a, s->rows_held, INT32_MAX);
    s->lines = archive_word(a, s->lines, INT32_MAX);
    s->passes = archive_word(a, s->passes, INT32_MAX);
    s->tiles = archive_word(a, s->tiles, INT32_MAX);
    s->k_steps = archive_word(a, s->k_steps, INT32_MAX);
    s->block = archive_word(a, s->block, INT32_MAX);
    s->largest_packet = archive_word(a, s->largest_packet, INT32_MAX);
    s->gather = (enum plan_gather)archive_word(a, s->gather, PLAN_SOFTMAX);
    s->deals = archive_flag(a, s->deals);
    s->parts = archive_word(a, s->parts, INT32_MAX);
    s->spills = archive_flag(a, s->spills);
    s->weights_stay = archive_flag(a, s->weights_stay);
}

void saved_image_sizes(struct plan_images *i, uint32_t *to[SAVED_IMAGE_SIZES])
{
    uint32_t *const sizes[SAVED_IMAGE_SIZES] = {&i->height,     &i->width,  &i->channels, &i->out_height,
                                                &i->out_width,  &i->rows,   &i->columns,  &i->tile_height,
                                                &i->tile_width, &i->blocks, &i->apart_y,  &i->apart_x};
    memcpy(to, sizes, sizeof sizes);
}

static void do_layout(struct archive *a, struct plan_layout *l, uint32_t rows, uint32_t columns)
{
    l->input_pitch = archive_word(a, l->input_pitch, INT32_MAX);
    l->data_bytes = archive_word(a, l->data_bytes, 2);
    l->element_bytes = archive_word(a, l->element_bytes, 8);
    l->partial_bytes = archive_word(a, l->partial_bytes, 8);
    l->operand_bytes = archive_word(a, l->operand_bytes, 2);
    l->pes = archive_word(a, l->pes, INT32_MAX);
    l->held = archive_word(a, l->held, INT32_MAX);
    l->m_parts = archive_word(a, l->m_parts, INT32_MAX);
    l->n_parts = archive_word(a, l->n_parts, INT32_MAX);
    l->segments = archive_word(a, l->segments, INT32_MAX);
    l->passes = archive_word(a, l->passes, INT32_MAX);
    l->n_first = archive_flag(a, l->n_first);
    l->tile_count = archive_word(a, l->tile_count, INT32_MAX);
    words(a, &l->tiles, (uint64_t)l->tile_count + 1);
    words(a, &l->compact, columns);
    if (l->compact) {
        l->repeated = archive_word(a, l->repeated, INT32_MAX);
        l->repeat_pitch = archive_word(a, l->repeat_pitch, INT32_MAX);
        l->repeats = archive_word(a, l->repeats, INT32_MAX);
    }
    words(a, &l->place, rows);
    l->more_count = archive_word(a, l->more_count, INT32_MAX);
    words(a, &l->more, 2 * (uint64_t)l->more_count);
    uint32_t *sizes[SAVED_IMAGE_SIZES];
    saved_image_sizes(&l->window, sizes);
    for (unsigned i = 0; i < SAVED_IMAGE_SIZES; i++)
        *sizes[i] = archive_word(a, *sizes[i], INT32_MAX);
    l->window.scattered = archive_flag(a, l->window.scattered);
    l->window.natural = archive_flag(a, l->window.natural);
}

static void do_part(struct archive *a, const struct planned *op, struct part *p)
{
    p->first = archive_word(a, p->first, op->n);
    p->rows = archive_word(a, p->rows, op->n - p->first);
    archive_text(a, &p->plan.program);
    archive_text(a, &p->plan.weights);
    p->plan.input_bytes = archive_size(a, p->plan.input_bytes);
    p->plan.output_bytes = archive_size(a, p->plan.output_bytes);
    p->plan.output_pitch = archive_word(a, p->plan.output_pitch, INT32_MAX);
    p->plan.padding = archive_size(a, p->plan.padding);
    p->plan.partial_bytes = archive_size(a, p->plan.partial_bytes);
    p->plan.scratch_bytes = archive_size(a, p->plan.scratch_bytes);
    p->plan.operand_bytes = archive_size(a, p->plan.operand_bytes);
    do_layout(a, &p->plan.layout, p->rows, op->k);
    do_summary(a, &p->plan.summary);
}

static void do_function(struct archive *a, struct plan_function *f)
{
    f->function = archive_word(a, f->function, NUM_FUNCTIONS - 1);
    a->wrong |= f->function >= TULLE_FUNCTIONS && f->function != NUM_LOOKUP;
    f->shift = archive_word(a, f->shift, 63);
    f->multiplier = (int32_t)archive_within(a, f->multiplier, INT32_MIN, INT32_MAX);
    f->low = (int)archive_within(a, f->low, INT16_MIN, INT16_MAX);
    f->high = (int)archive_within(a, f->high, INT16_MIN, INT16_MAX);
    f->zero = (int)archive_within(a, f->zero, INT16_MIN, INT16_MAX);
    f->slope = (int)archive_within(a, f->slope, INT16_MIN, INT16_MAX);
    f->rounding = archive_word(a, f->rounding, TULLE_ROUNDINGS - 1);
}

static enum tulle_layout layout(struct archive *a, enum tulle_layout value)
{
    return (enum tulle_layout)archive_word(a, value, TULLE_LAYOUTS - 1);
}

/* What the caller said of it; the rest follows from that, as when the operator was made. */
static void do_window(struct archive *a, struct planned *op)
{
    struct window *to = &op->window;
    struct tulle_window w = to->of;
    int64_t *const sizes[] = {&w.batch,        &w.height,     &w.width,    &w.channels,   &w.kernel_height,
                              &w.kernel_width, &w.stride_y,   &w.stride_x, &w.dilation_y, &w.dilation_x,
                              &w.pad_top,      &w.pad_bottom, &w.pad_left, &w.pad_right,  &w.groups};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = archive_within(a, *sizes[i], 0, INT32_MAX);
    w.input_layout = layout(a, w.input_layout);
    w.output_layout = layout(a, w.output_layout);
    w.weights_layout = layout(a, w.weights_layout);
    enum window_kind kind = (enum window_kind)archive_word(a, to->kind, WINDOW_KINDS - 1);
    if (a->to)
        return;
    a->wrong |= operation_has_window(op->info.operation) != (w.batch != 0) || (w.batch && !w.groups);
    if (a->wrong || !w.batch)
        return;
    a->wrong = window_take(&w, to) != TULLE_OK;
    to->plan.maximum = op->info.operation == TULLE_MAX_POOL;
    a->wrong |= op->info.rows % w.groups ||
                (kind == WINDOW_DEPTHWISE && window_first_kind(to, op->variant) != kind) ||
                op->m != (int64_t)to->out_height * to->out_width * w.batch;
    if (!a->wrong)
        window_set_kind(to, kind, (uint32_t)op->info.rows);
}

static void do_join(struct archive *a, struct planned *op)
{
    struct plan_join *j = &op->join;
    j->join = archive_word(a, j->join, TULLE_JOINS - 1);
    j->element = archive_word(a, j->element, TULLE_INT16);
    j->has_no_sign = archive_flag(a, j->has_no_sign);
    op->joins_row = archive_flag(a, op->joins_row);
    a->wrong |= planned_is_pair(op) ? !j->join : op->joins_row;
}

void saved_operator(struct archive *a, struct planned *op)
{
    struct tulle_operator_info *info = &op->info;
    int64_t scale;
    memcpy(&scale, &info->matrix_scale, sizeof scale);
    info->operation = (enum tulle_operation)archive_word(a, info->operation, TULLE_OPERATIONS - 1);
    info->rows = archive_within(a, info->rows, 1, INT32_MAX);
    info->columns = archive_within(a, info->columns, 1, INT32_MAX);
    info->entries = archive_within(a, info->entries, 0, INT32_MAX);
    op->m = (uint32_t)archive_within(a, op->m, 1, INT32_MAX);
    op->element = archive_word(a, op->element, TULLE_INT64);
    scale = archive_within(a, scale, INT64_MIN, INT64_MAX);
    memcpy(&info->matrix_scale, &scale, sizeof scale);
    info->predicted_cycles = archive_size(a, info->predicted_cycles);
    op->has_initial = archive_flag(a, op->has_initial);
    op->adds = archive_flag(a, op->adds);
    op->wraps = archive_flag(a, op->wraps);
    op->input_zero = (int)archive_within(a, op->input_zero, INT16_MIN, UINT16_MAX);
    op->input_unsigned = archive_flag(a, op->input_unsigned);
    op->output_unsigned = archive_flag(a, op->output_unsigned);
    do_function(a, &op->function);
    op->looks_up = archive_flag(a, op->looks_up);
    for (unsigned i = 0; op->looks_up && i < sizeof op->lookup; i++)
        op->lookup[i] = (int8_t)archive_within(a, op->lookup[i], INT8_MIN, INT8_MAX);
    a->wrong |= op->looks_up != (op->function.function == NUM_LOOKUP);
    do_join(a, op);
    do_choice(a, &op->choice);
    a->wrong |= planned_is_pair(op) != (op->choice.gather == PLAN_PAIR) ||
                planned_is_softmax(op) != (op->choice.gather == PLAN_SOFTMAX);
    do_window(a, op);
    bool right = info->operation == TULLE_SPMM_RIGHT;
    op->n = (uint32_t)(right ? info->columns : info->rows);
    op->k =
        op->window.of.batch ? window_columns(&op->window) : (uint32_t)(right ? info->rows : info->columns);
    info->out_height = op->window.out_height;
    info->out_width = op->window.out_width;
    info->dense = op->m;
    info->output_type = (enum tulle_type)op->element;
}

void saved_packed(struct archive *a, struct planned *op, struct packed *packed)
{
    assert(packed);
    packed->block = (uint32_t)archive_within(a, packed->block, 1, a->wrong ? 1 : op->m / operator_unit(op));
    packed->parts = (uint32_t)archive_within(a, packed->parts, 1, PARTS_MAX);
    const uint32_t sums = planned_rests(op) ? 0 : op->n; /* that have biases and bounds */
    if (!a->to && !a->wrong) {
        bool room = (a->size - a->at) / 8 >= sums && (a->size - a->at) / 8 >= packed->parts;
        packed->bias = room ? calloc((size_t)sums + 1, sizeof *packed->bias) : NULL;
        packed->bound = room ? calloc((size_t)sums + 1, sizeof *packed->bound) : NULL;
        packed->part = room ? calloc(packed->parts, sizeof *packed->part) : NULL;
        a->wrong = !packed->bias || !packed->bound || !packed->part;
        a->memory |= room && a->wrong;
    }
    if (a->wrong) {
        packed->parts = 0;
        return;
    }
    for (uint32_t n = 0; n < sums; n++) {
        packed->bias[n] = archive_within(a, packed->bias[n], INT64_MIN, INT64_MAX);
        packed->bound[n] = archive_within(a, packed->bound[n], 0, INT64_MAX);
    }
    for (uint32_t i = 0; i < packed->parts; i++)
        do_part(a, op, &packed->part[i]);
}
