/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx.h"

#include <stdlib.h>

#include "host/software/onnx_writing.h"

enum { EDGES_MOST = 256 };

/* Where the group's results go, in their order. */
static void put_places(const struct onnx_writing *w, int64_t *from, int64_t first)
{
    const struct form_group *g = w->group;
    const uint64_t width = g->op == FLOW_SOFTMAX ? g->tap_count : g->column_count;
    onnx_list_places(w, FORM_TO);
    for (uint64_t p = 0; p < g->places; p++)
        for (uint64_t c = 0; c < width; c++) {
            const int64_t column = g->op == FLOW_SOFTMAX ? g->columns[0].first[FORM_TO] + (int64_t)c
                                                         : g->columns[c].first[FORM_TO];
            from[w->scratch[p] + column] = first + (int64_t)(p * width + c);
        }
}

static onnx_value group(const struct onnx_writing *w)
{
    const struct form_group *g = w->group;
    if (g->op == FLOW_SOFTMAX)
        return onnx_softmax(w);
    onnx_value v = onnx_sums(w);
    if (v && g->add.there)
        v = onnx_two(w, "Add", onnx_cast(w->to, v, ONNX_INT64), onnx_elements(w, &g->add, FORM_ADD));
    return v ? onnx_finished(w, v, g->second.there ? onnx_elements(w, &g->second, FORM_SECOND) : 0) : 0;
}

/* The place of a border's number in the list of such numbers, which gets it. */
static int64_t edge_at(int64_t *edges, int64_t *count, int64_t number)
{
    int64_t at = 0;
    while (at < *count && edges[at] != number)
        at++;
    if (at == *count && at < EDGES_MOST)
        edges[(*count)++] = number;
    return at;
}

/* The same numbers for each input of the batch. */
static onnx_value for_each(const struct onnx_writing *w, onnx_value numbers, int64_t count)
{
    const int64_t at[] = {0}, one[] = {1};
    const onnx_value shape = onnx_node(w->to, "Shape", w->in, 0, 0, NULL, 0),
                     batch = onnx_two(w, "Gather", shape, onnx_constant(w->to, ONNX_INT64, at, one, 1)),
                     dims = onnx_node(w->to, "Concat", batch,
                                      onnx_constant(w->to, ONNX_INT64, &count, one, 1), 0, "axis", 0);
    return onnx_two(w, "Expand", numbers, dims);
}

/* The tensor with its border, whose numbers are put behind it. */
static onnx_value image(const struct onnx_writing *w, onnx_value in, bool no_sign)
{
    const struct plain_operand *o = &w->plain->input;
    int64_t *list = malloc((o->image_elements + 1) * sizeof *list), edges[EDGES_MOST], count = 0, most = 0;
    if (!list)
        return onnx_fail(w, "out of memory");
    for (uint64_t i = 0; i < o->image_elements; i++) {
        const int64_t number = (int64_t)(o->image[i] & ~PLAIN_CONSTANT),
                      place = o->image[i] & PLAIN_CONSTANT
                                  ? edge_at(edges, &count, no_sign ? number : num_wrap(number, 8 * o->bytes))
                                  : 0;
        list[i] = o->image[i] & PLAIN_CONSTANT ? (int64_t)o->elements + place : number;
        most = place > most ? place : most;
    }
    onnx_value v = 0;
    if (most == EDGES_MOST)
        onnx_fail(w, "borders with too many numbers");
    else if (count)
        in = onnx_behind(
            w->to, in,
            for_each(w, onnx_constant(w->to, onnx_type_of(o->bytes, no_sign), edges, &count, 1), count));
    if (most < EDGES_MOST)
        v = onnx_picked(w->to, in, list, o->image_elements);
    free(list);
    return v;
}

static bool reads_no_sign(const struct form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        if (form->groups[i].from.there && form->groups[i].from.space == SLOT_INPUT)
            return form->groups[i].from.kind.no_sign;
        if (form->groups[i].add.there && form->groups[i].add.space == SLOT_INPUT)
            return form->groups[i].add.kind.no_sign;
    }
    return false;
}

/* Results of groups one behind the other, and which of them an element is. */
struct gathered {
    onnx_value all;
    int64_t first, *from;
};

static void put_group(const struct onnx_writing *w, onnx_value v, struct gathered *to)
{
    const struct form_group *g = w->group;
    put_places(w, to->from, to->first);
    v = onnx_flat(w->to, v);
    to->all = to->all ? onnx_behind(w->to, to->all, v) : v;
    to->first += (int64_t)(g->places * (g->op == FLOW_SOFTMAX ? g->tap_count : g->column_count));
}

static bool is_in_order(const int64_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (from[i] != (int64_t)i)
            return false;
    return true;
}

static onnx_value in_order(const struct onnx_writing *w, const struct gathered *of, uint64_t count)
{
    return is_in_order(of->from, count) && (uint64_t)of->first == count
               ? of->all
               : onnx_picked(w->to, of->all, of->from, count);
}

static bool reads_temps(const struct form_group *g)
{
    const struct form_source *all[] = {&g->from, &g->add, &g->second};
    bool reads = false;
    for (unsigned i = 0; i < 3; i++)
        reads = reads || (all[i]->there && all[i]->space == FLOW_TEMPS);
    return reads;
}

static onnx_value all_groups(struct onnx_writing *w, const struct form *form, struct gathered *results,
                             struct gathered *temps)
{
    for (size_t i = 0; i < form->count; i++) {
        const struct form_group *g = w->group = &form->groups[i];
        if (reads_temps(g))
            w->temps = in_order(w, temps, w->plain->flow.temps);
        const onnx_value v = group(w);
        if (!v)
            return 0;
        put_group(w, v, g->to.space == FLOW_TEMPS ? temps : results);
    }
    return in_order(w, results, w->plain->out_elements);
}

onnx_value onnx_operator(struct onnx *to, const struct plain *plain, const struct form *form, onnx_value in,
                         onnx_value second, struct strbuf *why)
{
    struct onnx_writing w = {.to = to, .plain = plain, .in = in, .second = second, .why = why};
    uint64_t room = plain->out_elements + 512;
    for (size_t i = 0; i < form->count; i++) {
        const struct form_group *g = &form->groups[i];
        room += g->places + 2 * g->column_count;
    }
    w.scratch = malloc(room * sizeof *w.scratch);
    struct gathered results = {.from = calloc(plain->out_elements + 1, sizeof *results.from)},
                    temps = {.from = calloc(plain->flow.temps + 1, sizeof *temps.from)};
    const bool room_for_all = w.scratch && results.from && temps.from;
    if (room_for_all && plain->input.image)
        w.in = image(&w, in, reads_no_sign(form));
    onnx_value v = 0;
    if (!room_for_all)
        v = onnx_fail(&w, "out of memory");
    else if (w.in || !plain->input.image)
        v = all_groups(&w, form, &results, &temps);
    free(w.scratch);
    free(results.from);
    free(temps.from);
    return v;
}

onnx_value onnx_picked(struct onnx *to, onnx_value v, const int64_t *list, uint64_t count)
{
    const int64_t dims[] = {(int64_t)count};
    return onnx_node(to, "Gather", v, onnx_constant(to, ONNX_INT64, list, dims, 1), 0, "axis", 1);
}

onnx_value onnx_behind(struct onnx *to, onnx_value first, onnx_value second)
{
    return onnx_node(to, "Concat", first, second, 0, "axis", 1);
}

onnx_value onnx_flat(struct onnx *to, onnx_value v)
{
    const int64_t flat[] = {0, -1}; /* 0: as it is */
    return onnx_listed(to, "Reshape", v, flat, 2);
}

onnx_value onnx_bytes(struct onnx *to, const uint8_t table[256], bool no_sign, onnx_value in)
{
    const int64_t dims[] = {256};
    int64_t list[256];
    for (unsigned i = 0; i < 256; i++)
        list[i] = no_sign ? table[i] : (int8_t)table[i];
    const onnx_value place =
        onnx_node(to, "Mod", onnx_cast(to, in, ONNX_INT64), onnx_number(to, ONNX_INT64, 256), 0, NULL, 0);
    return onnx_node(to, "Gather", onnx_constant(to, onnx_type_of(1, no_sign), list, dims, 1), place, 0, NULL,
                     0);
}
