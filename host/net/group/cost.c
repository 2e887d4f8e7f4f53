/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/cost.h"

#include "gen/base/math.h"

struct group_cost group_cost_apart(const struct group_chart *chart, size_t first, size_t last)
{
    struct group_cost cost = {0};
    for (size_t i = first; i <= last; i++) {
        const struct group_layer *layer = &chart->layers[i];
        uint64_t room = 0;
        for (size_t o = 0; o < layer->operand_count; o++) {
            bool again = false; /* two operands may be one value */
            for (size_t before = 0; before < o; before++)
                again = again || layer->operands[before].value == layer->operands[o].value;
            room += again ? 0 : chart->values[layer->operands[o].value].bytes;
        }
        cost.read += room;
        cost.weights += layer->weights;
        cost.multiplications += layer->multiplications;
    }
    for (size_t v = 0; v < chart->value_count; v++)
        if (chart->values[v].made != GROUP_NONE && chart->values[v].made >= first &&
            chart->values[v].made <= last)
            cost.written += chart->values[v].bytes;
    return cost;
}

/* What the plan of a layer by itself says; NULL: nothing. */
static const struct group_planned *planned_of(const struct group_target *target, size_t layer)
{
    const bool known = target->streams && target->planned && target->planned[layer].bytes;
    return known ? &target->planned[layer] : NULL;
}

/* Bytes of a layer's weights as memory has them: in programs with the index of each, unless a plan says
 * less. */
static uint64_t weights_of(const struct group_chart *chart, const struct group_target *target, size_t layer)
{
    enum { WEIGHT_BYTES = 2 };
    const struct group_planned *planned = planned_of(target, layer);
    const uint64_t weights = chart->layers[layer].weights, most = weights * WEIGHT_BYTES;
    if (!target->streams)
        return weights;
    return planned && planned->weights && planned->weights < most ? planned->weights : most;
}

/* Operations for each layer of each slice are read, too. */
static void add_steps(struct group_cost *cost, uint64_t layers, uint64_t slices)
{
    /* 24 operations or so. Packed ones take less, but at their price more slices are chosen, which move more.
     */
    enum { OPERATION_BYTES = 1500 };
    cost->weights += layers * slices * OPERATION_BYTES;
    cost->steps = layers * slices;
}

/* Whether all of a value may be in the bank, beside what takes the room already. */
static bool take_room(const struct group_chart *chart, const struct group_value *v, uint64_t *left)
{
    const uint64_t places = (uint64_t)v->size[GROUP_ROWS] * (uint64_t)v->size[GROUP_COLUMNS],
                   room = math_round_up(v->bytes / places, chart->unit) * places;
    const bool fits = v->made != GROUP_NONE && !v->wanted && v->first != GROUP_NONE && room <= *left;
    *left -= fits ? room : 0;
    return fits;
}

/* Bytes that the plan of a layer moves beyond its weights, its program and each activation once: those that
 * it reads again for each tile, and sums that it keeps in memory. */
static uint64_t reads_again(const struct group_chart *chart, const struct group_target *target, size_t at)
{
    const struct group_planned *planned = planned_of(target, at);
    if (!planned)
        return 0;
    const struct group_cost once = group_cost_apart(chart, at, at);
    const uint64_t other = weights_of(chart, target, at) + planned->program + once.read + once.written;
    return planned->bytes > other ? planned->bytes - other : 0;
}

struct group_cost group_cost_single(const struct group_chart *chart, const struct group_target *target,
                                    size_t at)
{
    const struct group_layer *layer = &chart->layers[at];
    struct group_cost cost = group_cost_apart(chart, at, at);
    if (!target->streams)
        return cost;
    uint64_t left = target->on_chip > target->stream ? target->on_chip - target->stream : 0;
    bool near = true;
    cost.weights = weights_of(chart, target, at);
    add_steps(&cost, 1, 1);
    for (size_t o = 0; o < layer->operand_count; o++) {
        bool again = false;
        for (size_t before = 0; before < o; before++)
            again = again || layer->operands[before].value == layer->operands[o].value;
        const struct group_value *v = &chart->values[layer->operands[o].value];
        if (again)
            continue;
        const bool has_room = take_room(chart, v, &left);
        cost.read -= has_room ? v->bytes : 0;
        near = near && has_room;
    }
    cost.read += near ? 0 : reads_again(chart, target, at);
    for (size_t v = 0; v < chart->value_count; v++)
        if (chart->values[v].made == at && take_room(chart, &chart->values[v], &left))
            cost.written -= chart->values[v].bytes;
    return cost;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

/* Rows, or columns, that all slices together make or read, and those that they keep. */
struct lines {
    uint64_t made, kept;
};

static struct lines lines_of(const struct group *group, const struct group_slices *s, size_t member)
{
    struct lines sum = {0, 0};
    for (size_t p = 0; p < s->parts; p++) {
        const struct group_range *r = group_range(group, s, p, member);
        sum.made += (uint64_t)(r->end - r->fresh);
        sum.kept += (uint64_t)(r->fresh - r->begin);
    }
    return sum;
}

/* Bytes of an input that all slices read. */
static uint64_t reads_of(const struct group *group, const struct group_cut *cut, size_t member)
{
    return lines_of(group, &cut->slices[GROUP_ROWS], member).made *
           lines_of(group, &cut->slices[GROUP_COLUMNS], member).made * group_place_bytes(group, member);
}

/* Layers' weights that are loaded once fill the room that is left, the larger ones first. */
static void cost_weights(const struct group *group, const struct group_target *target, uint64_t left,
                         uint64_t slices, struct group_cost *cost)
{
    uint64_t all = 0, below = UINT64_MAX;
    for (size_t i = group->first; i <= group->last; i++)
        all += weights_of(group->chart, target, i);
    while (slices > 1 && below) { /* all layers of the next smaller size */
        uint64_t size = 0;
        for (size_t i = group->first; i <= group->last; i++) {
            const uint64_t own = weights_of(group->chart, target, i);
            size = own < below && own > size ? own : size;
        }
        for (size_t i = group->first; size && i <= group->last; i++)
            if (weights_of(group->chart, target, i) == size && size <= left) {
                left -= size;
                cost->weights_loaded += size;
            }
        below = size;
    }
    cost->weights += cost->weights_loaded + (all - cost->weights_loaded) * slices;
}

/* Multiplications of a layer in all slices: those of `size` rows become those of `rows`. */
static uint64_t scaled(uint64_t multiplications, const struct group_value *v, uint64_t rows, uint64_t columns)
{
    const uint64_t places = (uint64_t)v->size[GROUP_ROWS] * (uint64_t)v->size[GROUP_COLUMNS];
    return multiplications / places * rows * columns;
}

struct group_cost group_cost(const struct group *group, const struct group_cut *cut,
                             const struct group_target *target, uint64_t room)
{
    const struct group_chart *chart = group->chart;
    const struct group_slices *rows = &cut->slices[GROUP_ROWS], *columns = &cut->slices[GROUP_COLUMNS];
    struct group_cost cost = {.room = room};
    const uint64_t taken = room + target->stream;
    for (size_t m = 0; m < group->count; m++) {
        const struct group_member *member = &group->members[m];
        const struct group_value *v = &chart->values[member->value];
        const struct lines high = lines_of(group, rows, m), wide = lines_of(group, columns, m);
        const uint64_t each = group_place_bytes(group, m);
        cost.read += member->input ? reads_of(group, cut, m) : 0;
        cost.written += member->output ? v->bytes : 0;
        cost.moved += high.kept * wide.made * each;
        if (member->input)
            continue;
        const uint64_t once = chart->layers[member->made].multiplications,
                       all = scaled(once, v, high.made, wide.made);
        cost.multiplications += once;
        cost.again += all > once ? all - once : 0;
    }
    const uint64_t slices = rows->parts * columns->parts;
    uint64_t left = target->on_chip > taken ? target->on_chip - taken : 0;
    cost_weights(group, target, target->streams ? left / 2 : left, slices, &cost);
    if (!target->streams)
        return cost;
    add_steps(&cost, group->last - group->first + 1, slices);
    left -= cost.weights_loaded < left ? cost.weights_loaded : left;
    for (size_t m = 0; m < group->count; m++) {
        const struct group_member *member = &group->members[m];
        const struct group_value *v = &chart->values[member->value];
        const bool ends = member->input || member->output;
        if (!ends)
            continue;
        if (!(slices == 1 && member->input ? v->made != GROUP_NONE : take_room(chart, v, &left))) {
            cost.read += member->input ? reads_again(chart, target, member->first) : 0;
            continue;
        }
        cost.read -= member->input ? reads_of(group, cut, m) : 0;
        cost.written -= member->output ? v->bytes : 0;
    }
    return cost;
}

void group_cost_add(struct group_cost *sum, const struct group_cost *cost)
{
    sum->read += cost->read;
    sum->written += cost->written;
    sum->weights += cost->weights;
    sum->weights_loaded += cost->weights_loaded;
    sum->multiplications += cost->multiplications;
    sum->again += cost->again;
    sum->room = cost->room > sum->room ? cost->room : sum->room;
    sum->moved += cost->moved;
    sum->steps += cost->steps;
}
