/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/partition.h"

#include <stdlib.h>
#include <string.h>

#include "host/net/group/copy.h"
#include "host/net/group/window.h"

enum { SLICE_SINCE = 10 /* operator set in which what to cut became operands */ };

/* A group on its way: slice (row, column). */
struct slicing {
    struct copying *c;
    const struct group *group;
    const struct group_cut *cut;
    size_t row, column;
    char behind[48];        /* names of this slice */
    struct tensor **now;    /* frames of members in this slice */
    struct tensor **before; /* and in the one before */
    struct tensor **parts;  /* [member][row]: what slices of a strip write */
    struct tensor **strips; /* [member][column] */
};

/* ---- parts of frames -------------------------------------------------------------------------------------
 */

static const struct group_range *range(const struct slicing *s, int axis, size_t member)
{
    return group_range(s->group, &s->cut->slices[axis], axis == GROUP_ROWS ? s->row : s->column, member);
}

/* Rows begin .. end - 1 and columns from .. to - 1 of the value, which lie in a frame that begins with that
 * row. */
static struct tensor *part_of(const struct slicing *s, struct tensor *frame, size_t member, int64_t first_row,
                              const struct group_span at[GROUP_AXES])
{
    const int64_t first_column = range(s, GROUP_COLUMNS, member)->begin,
                  begin[] = {at[GROUP_ROWS].begin - first_row, at[GROUP_COLUMNS].begin - first_column},
                  end[] = {at[GROUP_ROWS].end - first_row, at[GROUP_COLUMNS].end - first_column};
    return copy_slice(s->c, frame, begin, end);
}

/* The frame of a value whose fresh rows are there, if any, with what was kept before them. */
static void finish_frame(struct slicing *s, size_t member, struct tensor *fresh)
{
    const struct group_range *rows = range(s, GROUP_ROWS, member), *columns = range(s, GROUP_COLUMNS, member);
    const struct tensor *like = s->group->chart->values[s->group->members[member].value].tensor;
    struct tensor *parts[2];
    size_t count = 0;
    if (rows->fresh > rows->begin) {
        const struct group_range *old =
            group_range(s->group, &s->cut->slices[GROUP_ROWS], s->row - 1, member);
        const struct group_span at[] = {{.begin = rows->begin, .end = rows->fresh},
                                        {.begin = columns->begin, .end = columns->end}};
        parts[count++] = part_of(s, s->before[member], member, old->begin, at);
    }
    if (fresh)
        parts[count++] = fresh;
    s->now[member] = count ? copy_join(s->c, parts, count, GROUP_ROWS, like, NULL) : NULL;
}

static void read_member(struct slicing *s, size_t member)
{
    const struct group_range *rows = range(s, GROUP_ROWS, member), *columns = range(s, GROUP_COLUMNS, member);
    struct tensor *from =
        copy_tensor(s->c, s->group->chart->values[s->group->members[member].value].tensor, "");
    const int64_t begin[] = {rows->fresh, columns->begin}, end[] = {rows->end, columns->end};
    finish_frame(s, member, rows->end > rows->fresh ? copy_slice(s->c, from, begin, end) : NULL);
}

/* ---- layers ------------------------------------------------------------------------------------------ */

/* The padding of this slice in place of the layer's. */
static void set_padding(struct slicing *s, struct node *node, const struct group_span at[GROUP_AXES])
{
    const int64_t pads[] = {at[GROUP_ROWS].before, at[GROUP_COLUMNS].before, at[GROUP_ROWS].after,
                            at[GROUP_COLUMNS].after};
    struct net *net = s->c->net;
    s->c->failed |= !node_set_integers(net, node, "pads", pads, sizeof pads / sizeof *pads) ||
                    !node_set_text(net, node, "auto_pad", "NOTSET");
    if (node_attribute(node, "ceil_mode"))
        s->c->failed |= !node_set_integer(net, node, "ceil_mode", 0);
}

static struct tensor *operand(struct slicing *s, struct node *node, const struct group_operand *o,
                              const struct group_range *const made[GROUP_AXES])
{
    const struct group *g = s->group;
    const size_t member = g->member_of[o->value];
    struct group_span at[GROUP_AXES];
    for (int axis = 0; axis < GROUP_AXES; axis++)
        at[axis] =
            group_window_span(&o->window[axis], g->chart->values[o->value].size[axis],
                              axis == GROUP_ROWS ? made[axis]->fresh : made[axis]->begin, made[axis]->end);
    if (o->window[GROUP_ROWS].reach == REACH_WINDOW)
        set_padding(s, node, at);
    return part_of(s, s->now[member], member, range(s, GROUP_ROWS, member)->begin, at);
}

/* The operand of a node of the layer that is a value; NULL: it is none. */
static const struct group_operand *operand_at(const struct group_layer *layer, size_t node, size_t input)
{
    for (size_t i = 0; i < layer->operand_count; i++)
        if (layer->operands[i].node == node && layer->operands[i].input == input)
            return &layer->operands[i];
    return NULL;
}

static struct tensor *make_node(struct slicing *s, const struct group_layer *layer, size_t at,
                                struct tensor *inner, const struct group_range *const made[GROUP_AXES])
{
    const struct node *of = layer->nodes[at];
    struct node *node = copy_node(s->c, of, s->behind);
    for (size_t i = 0; !s->c->failed && i < of->input_count; i++) {
        const struct group_operand *o = operand_at(layer, at, i);
        if (!of->inputs[i])
            continue;
        if (at && of->inputs[i] == layer->nodes[at - 1]->outputs[0])
            node->inputs[i] = inner;
        else
            node->inputs[i] = o ? operand(s, node, o, made) : copy_tensor(s->c, of->inputs[i], "");
    }
    if (s->c->failed)
        return NULL;
    node->outputs[0] = copy_tensor(s->c, of->outputs[0], s->behind);
    if (!s->c->failed)
        copy_add(s->c, node);
    return s->c->failed ? NULL : node->outputs[0];
}

static void make_layer(struct slicing *s, size_t at)
{
    const struct group_layer *layer = &s->group->chart->layers[at];
    const size_t member = s->group->member_of[layer->value];
    const struct group_range *const made[] = {range(s, GROUP_ROWS, member), range(s, GROUP_COLUMNS, member)};
    struct tensor *result = NULL;
    if (made[GROUP_ROWS]->end > made[GROUP_ROWS]->fresh)
        for (size_t i = 0; !s->c->failed && i < layer->node_count; i++)
            result = make_node(s, layer, i, result, made);
    if (!s->c->failed)
        finish_frame(s, member, result);
}

/* ---- results ----------------------------------------------------------------------------------------- */

/* What this slice writes, once: it stands behind what those before have written. */
static void write_member(struct slicing *s, size_t member)
{
    const struct group_range *rows = range(s, GROUP_ROWS, member), *columns = range(s, GROUP_COLUMNS, member);
    const struct group_span at[] = {{.begin = rows->owned, .end = rows->end},
                                    {.begin = columns->owned, .end = columns->end}};
    s->parts[member * s->cut->slices[GROUP_ROWS].parts + s->row] =
        rows->end > rows->owned ? part_of(s, s->now[member], member, rows->begin, at) : NULL;
}

/* `to` NULL: a new tensor. */
static struct tensor *join(struct slicing *s, struct tensor **list, size_t count, int axis, size_t member,
                           struct tensor *to)
{
    const struct tensor *like = s->group->chart->values[s->group->members[member].value].tensor;
    size_t there = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i])
            list[there++] = list[i];
    return copy_join(s->c, list, there, axis, like, to);
}

static void join_rows(struct slicing *s, size_t member)
{
    const struct group_slices *rows = &s->cut->slices[GROUP_ROWS], *columns = &s->cut->slices[GROUP_COLUMNS];
    const struct tensor *t = s->group->chart->values[s->group->members[member].value].tensor;
    struct tensor *whole = columns->parts > 1 ? NULL : copy_tensor(s->c, t, "");
    s->strips[member * columns->parts + s->column] =
        join(s, &s->parts[member * rows->parts], rows->parts, GROUP_ROWS, member, whole);
}

static void join_columns(struct slicing *s, size_t member)
{
    const size_t strips = s->cut->slices[GROUP_COLUMNS].parts;
    const struct tensor *t = s->group->chart->values[s->group->members[member].value].tensor;
    if (strips > 1)
        join(s, &s->strips[member * strips], strips, GROUP_COLUMNS, member, copy_tensor(s->c, t, ""));
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void make_slice(struct slicing *s)
{
    const struct group *g = s->group;
    if (s->cut->slices[GROUP_COLUMNS].parts > 1)
        snprintf(s->behind, sizeof s->behind, "%zu.%zu", s->row, s->column);
    else
        snprintf(s->behind, sizeof s->behind, "%zu", s->row);
    for (size_t m = 0; !s->c->failed && m < g->count; m++)
        if (g->members[m].input)
            read_member(s, m);
    for (size_t i = g->first; !s->c->failed && i <= g->last; i++)
        make_layer(s, i);
    for (size_t m = 0; !s->c->failed && m < g->count; m++)
        if (g->members[m].output)
            write_member(s, m);
    memcpy(s->before, s->now, g->count * sizeof(struct tensor *));
}

static void make_strip(struct slicing *s)
{
    const struct group *g = s->group;
    for (s->row = 0; !s->c->failed && s->row < s->cut->slices[GROUP_ROWS].parts; s->row++)
        make_slice(s);
    for (size_t m = 0; !s->c->failed && m < g->count; m++)
        if (g->members[m].output)
            join_rows(s, m);
}

static void make_group(struct copying *c, const struct group *g, const struct group_cut *cut)
{
    const size_t rows = cut->slices[GROUP_ROWS].parts, strips = cut->slices[GROUP_COLUMNS].parts;
    struct slicing s = {.c = c, .group = g, .cut = cut};
    s.now = calloc(g->count * (2 + rows + strips) + 1, sizeof(struct tensor *));
    c->failed |= !s.now;
    if (!s.now)
        return;
    s.before = s.now + g->count;
    s.parts = s.before + g->count;
    s.strips = s.parts + g->count * rows;
    for (s.column = 0; !c->failed && s.column < strips; s.column++)
        make_strip(&s);
    for (size_t m = 0; !c->failed && m < g->count; m++)
        if (g->members[m].output)
            join_columns(&s, m);
    free(s.now);
}

static void copy_as_it_is(struct copying *c, const struct node *of)
{
    struct node *node = c->failed ? NULL : copy_node(c, of, "");
    for (size_t i = 0; node && !c->failed && i < of->input_count; i++)
        node->inputs[i] = of->inputs[i] ? copy_tensor(c, of->inputs[i], "") : NULL;
    for (size_t i = 0; node && !c->failed && i < of->output_count; i++)
        node->outputs[i] = of->outputs[i] ? copy_tensor(c, of->outputs[i], "") : NULL;
    if (node && !c->failed)
        copy_add(c, node);
}

static void copy_choice(struct copying *c, const struct group_choice *choice)
{
    const struct group_chart *chart = c->chart;
    struct group group;
    struct group_cut cut;
    if (choice->parts[GROUP_ROWS] * choice->parts[GROUP_COLUMNS] > 1) {
        const bool opened = group_open(chart, choice->first, choice->last, &group),
                   ok = opened && group_cut_open(&group, choice, &cut);
        c->failed |= !ok;
        if (ok) {
            make_group(c, &group, &cut);
            group_cut_close(&cut);
        }
        if (opened)
            group_close(&group);
        return;
    }
    for (size_t i = choice->first; i <= choice->last; i++)
        for (size_t k = 0; k < chart->layers[i].node_count; k++)
            copy_as_it_is(c, chart->layers[i].nodes[k]);
}

/* ---- networks ------------------------------------------------------------------------------------------ */

/* Nodes and tensors take some hundred bytes each, with names and shapes. */
static size_t memory_of(const struct group_chart *chart, const struct group_cover *cover)
{
    enum { NODE_BYTES = 1 << 13, LEAST = 1 << 20 };
    size_t nodes = 2 * chart->net->node_count;
    for (size_t i = 0; i < cover->count; i++) {
        const struct group_choice *choice = &cover->choices[i];
        size_t each = choice->last - choice->first + 1;
        for (size_t l = choice->first; l <= choice->last; l++)
            each += chart->layers[l].node_count + chart->layers[l].operand_count;
        nodes += each * choice->parts[GROUP_ROWS] * choice->parts[GROUP_COLUMNS];
    }
    return LEAST + nodes * NODE_BYTES + 2 * chart->net->arena.used;
}

static void copy_ends(struct copying *c)
{
    const struct net *from = c->chart->net;
    for (size_t i = 0; !c->failed && i < from->input_count; i++)
        c->failed |= !net_add_input(c->net, copy_tensor(c, from->inputs[i], ""));
    for (size_t i = 0; !c->failed && i < from->output_count; i++)
        c->failed |= !net_add_output(c->net, copy_tensor(c, from->outputs[i], ""));
    for (size_t i = 0; !c->failed && i < from->mark_count; i++)
        c->failed |= !net_add_mark(c->net, from->marks[i]);
}

static bool can_slice(const struct group_chart *chart, const struct group_cover *cover, struct diag *diag)
{
    bool cut = false;
    for (size_t i = 0; i < cover->count; i++)
        cut = cut || cover->choices[i].parts[GROUP_ROWS] * cover->choices[i].parts[GROUP_COLUMNS] > 1;
    return !cut || chart->net->opset >= SLICE_SINCE ||
           diag_fail(diag, chart->net->source[0].path,
                     "a network of operator set %u cannot be written in slices; %d is needed",
                     chart->net->opset, SLICE_SINCE);
}

struct net *group_partition(const struct group_chart *chart, const struct group_cover *cover,
                            struct diag *diag)
{
    struct copying c = {.chart = chart};
    const size_t errors = diag->errors;
    if (!can_slice(chart, cover, diag))
        return NULL;
    c.net = net_new(memory_of(chart, cover));
    c.failed = !c.net;
    if (c.net) {
        c.net->source[0].path = chart->net->source[0].path;
        c.net->name = chart->net->name;
        c.net->format = chart->net->format;
        c.net->opset = chart->net->opset;
        c.net->diag = diag;
        copy_begin(&c);
        copy_ends(&c);
    }
    for (size_t i = 0; !c.failed && i < chart->fixed_count; i++)
        copy_as_it_is(&c, chart->fixed[i]);
    for (size_t i = 0; !c.failed && i < cover->count; i++)
        copy_choice(&c, &cover->choices[i]);
    if (c.net)
        c.net->diag = NULL;
    if (!c.failed)
        return c.net;
    if (diag->errors == errors)
        diag_no_memory(diag, chart->net->source[0].path);
    net_free(c.net);
    return NULL;
}
