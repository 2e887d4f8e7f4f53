/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/device/pieces.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGE_RANK = 4, SLICE_STARTS = 1, SLICE_ENDS, SLICE_AXES, SLICE_STEPS };

/* ---- nodes ----------------------------------------------------------------------------------------- */

struct pieces_axes pieces_axes(const struct layer *list, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (list[i].job && list[i].job->options.window)
            return list[i].job->window.input_layout == TULLE_NHWC ? (struct pieces_axes){1, 2}
                                                                  : (struct pieces_axes){2, 3};
    return (struct pieces_axes){0, 0};
}

static bool is_image(struct pieces_axes axes, const struct tensor *t)
{
    return axes.rows && t && t->shape && t->shape->rank == IMAGE_RANK && t->shape->dim[axes.rows].value > 0 &&
           t->shape->dim[axes.columns].value > 0;
}

struct pieces_box pieces_whole(struct pieces_axes axes, const struct tensor *t)
{
    if (!is_image(axes, t))
        return (struct pieces_box){0};
    return (struct pieces_box){.height = t->shape->dim[axes.rows].value,
                               .width = t->shape->dim[axes.columns].value};
}

/* Not what a run has computed and holds. */
static bool is_given(const struct tensor *t)
{
    return t->constant && !t->held;
}

/* Element `at` of a list of constants; false: there is none. */
static bool element(const struct node *node, size_t input, size_t at, int64_t *to)
{
    const struct tensor *t = input < node->input_count ? node->inputs[input] : NULL;
    if (!t || !is_given(t))
        return false;
    struct value_reader reader = value_reader(t);
    uint64_t bits;
    for (size_t i = 0; value_next(&reader, &bits); i++)
        if (i == at) {
            *to = value_integer(t->type, bits);
            return true;
        }
    return false;
}

/* From the front, within the size. */
static int64_t place_in(int64_t at, int64_t size)
{
    at += at < 0 ? size : 0;
    return at < 0 ? 0 : at > size ? size : at;
}

/* One axis of a Slice; what it leaves whole may be any. */
static bool take_axis(struct pieces_axes axes, const struct node *node, size_t at, struct pieces_box *box)
{
    int64_t axis = (int64_t)at, step = 1, begin, end;
    if (node->input_count > SLICE_AXES && node->inputs[SLICE_AXES] && !element(node, SLICE_AXES, at, &axis))
        return false;
    if (node->input_count > SLICE_STEPS && node->inputs[SLICE_STEPS] &&
        !element(node, SLICE_STEPS, at, &step))
        return false;
    if (!element(node, SLICE_STARTS, at, &begin) || !element(node, SLICE_ENDS, at, &end) || step != 1)
        return false;
    axis += axis < 0 ? IMAGE_RANK : 0;
    if (axis < 0 || axis >= IMAGE_RANK)
        return false;
    const int64_t size = node->inputs[0]->shape->dim[axis].value;
    begin = place_in(begin, size);
    end = place_in(end, size);
    if (axis == axes.rows) {
        box->top = begin;
        box->height = end - begin;
    } else if (axis == axes.columns) {
        box->left = begin;
        box->width = end - begin;
    } else
        return begin == 0 && end == size;
    return end > begin;
}

bool pieces_slice(struct pieces_axes axes, const struct node *node, struct pieces_box *box)
{
    int64_t ignored;
    if (strcmp(node->type, "Slice") != 0 || node->input_count <= SLICE_ENDS ||
        !is_image(axes, node->inputs[0]) || is_given(node->inputs[0]))
        return false;
    *box = pieces_whole(axes, node->inputs[0]);
    bool ok = true;
    for (size_t at = 0; ok && element(node, SLICE_STARTS, at, &ignored); at++)
        ok = take_axis(axes, node, at, box);
    return ok;
}

bool pieces_join(struct pieces_axes axes, const struct node *node)
{
    if (strcmp(node->type, "Concat") != 0 || !is_image(axes, node->outputs[0]))
        return false;
    int64_t axis = node_integer(node, "axis");
    axis += axis < 0 ? IMAGE_RANK : 0;
    bool ok = axis == axes.rows || axis == axes.columns;
    for (size_t i = 0; ok && i < node->input_count; i++)
        ok = is_image(axes, node->inputs[i]) && !is_given(node->inputs[i]);
    return ok;
}

/* ---- lists ----------------------------------------------------------------------------------------- */

bool pieces_open(struct pieces *p, size_t areas, size_t steps, size_t copies)
{
    p->areas = calloc(areas + 1, sizeof *p->areas);
    p->steps = calloc(steps + 1, sizeof *p->steps);
    p->copies = calloc(copies + 1, sizeof *p->copies);
    return p->areas && p->steps && p->copies;
}

void pieces_close(struct pieces *p)
{
    free(p->areas);
    free(p->steps);
    free(p->copies);
    *p = (struct pieces){0};
}

size_t pieces_root(const struct pieces *p, size_t area, struct pieces_box *box)
{
    *box = p->areas[area].box;
    box->top = box->left = 0;
    while (p->areas[area].parent != PIECES_NONE) {
        box->top += p->areas[area].box.top;
        box->left += p->areas[area].box.left;
        area = p->areas[area].parent;
    }
    return area;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

bool pieces_add_copy(struct pieces *p, const struct pieces_read *from, size_t to, int64_t top, int64_t left,
                     int64_t channels, enum tulle_type type, struct tulle_step *step)
{
    struct pieces_copy *copy = &p->copies[p->copy_count];
    const struct pieces_box *whole = &p->areas[from->area].box;
    const int64_t height = from->whole ? whole->height : from->box.height,
                  width = from->whole ? whole->width : from->box.width;
    copy->second = (struct tulle_second){
        .size = sizeof copy->second, .join = TULLE_JOIN_ADD, .type = type, .columns = channels};
    copy->epilogue = (struct tulle_epilogue){.size = sizeof copy->epilogue,
                                             .function = TULLE_REQUANTISE,
                                             .low = type == TULLE_INT8 ? INT8_MIN : INT16_MIN,
                                             .high = type == TULLE_INT8 ? INT8_MAX : INT16_MAX};
    /* A half of the number twice: no bit is lost. */
    if (tulle_join_scales(1, 1, 2, &copy->second, &copy->epilogue))
        return false;
    copy->options = (struct tulle_operator_options){.size = sizeof copy->options,
                                                    .operation = TULLE_ELEMENTWISE,
                                                    .dense = height * width,
                                                    .epilogue = &copy->epilogue,
                                                    .output_type = type,
                                                    .second = &copy->second};
    *step = (struct tulle_step){.size = sizeof *step, .options = &copy->options};
    p->steps[p->step_count] = (struct pieces_step){.area = to,
                                                   .box = {top, left, height, width},
                                                   .reads = {*from, *from},
                                                   .layer = p->areas[to].layer,
                                                   .copies = true};
    p->copy_count++;
    p->any = true;
    return true;
}

/* ---- what steps say -------------------------------------------------------------------------------- */

/* Each area's first step, that of the areas within it included. */
static void find_first(struct pieces *p)
{
    struct pieces_box box;
    for (size_t a = 0; a < p->area_count; a++)
        p->areas[a].first = PIECES_NONE;
    for (size_t i = 0; i < p->step_count; i++) {
        struct pieces_area *root = &p->areas[pieces_root(p, p->steps[i].area, &box)];
        if (root->first == PIECES_NONE)
            root->first = i;
    }
}

static void say_results(const struct pieces *p, const struct pieces_step *from, struct tulle_step *to)
{
    struct pieces_box box;
    const struct pieces_area *root = &p->areas[pieces_root(p, from->area, &box)];
    if (!root->joined)
        return;
    to->image = root->first;
    to->image_height = root->box.height;
    to->image_width = root->box.width;
    to->top = box.top + from->box.top;
    to->left = box.left + from->box.left;
}

/* The step that a reader of the area names, and the rectangle; whether it is all of the image. */
static bool find_read(const struct pieces *p, const struct pieces_read *read, size_t *step,
                      struct pieces_box *box)
{
    const size_t root = pieces_root(p, read->area, box);
    *step = p->areas[root].first;
    if (!read->whole) {
        box->top += read->box.top;
        box->left += read->box.left;
        box->height = read->box.height;
        box->width = read->box.width;
    }
    return read->whole && root == read->area;
}

static void say_reads(const struct pieces *p, const struct pieces_step *from, struct tulle_step *to)
{
    struct pieces_box box[2] = {{0}, {0}};
    size_t *const step[] = {&to->input, &to->second};
    bool whole = true;
    for (unsigned i = 0; i < 2; i++)
        if (from->reads[i].area != PIECES_NONE)
            whole = find_read(p, &from->reads[i], step[i], &box[i]) && whole;
        else
            *step[i] = TULLE_FROM_HOST;
    if (whole)
        return;
    to->read_height = box[0].height;
    to->read_width = box[0].width;
    to->input_top = box[0].top;
    to->input_left = box[0].left;
    to->second_top = box[1].top;
    to->second_left = box[1].left;
}

void pieces_finish(struct pieces *p, struct tulle_step *steps)
{
    find_first(p);
    for (size_t i = 0; i < p->step_count; i++) {
        say_results(p, &p->steps[i], &steps[i]);
        say_reads(p, &p->steps[i], &steps[i]);
        p->any = p->any || steps[i].image_height || steps[i].read_height;
    }
}
