/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/pattern.h"

#include <stdlib.h>
#include <string.h>

enum { BRANCHES_MOST = 64, ELEMENT_LAYERS_MOST = 64 };

static const char *const sums[] = {"Add", "Sub", "Concat", "Max", "Min", "QLinearAdd", "QLinearConcat", NULL};

const struct group_pattern group_patterns[] = {
    {"serial", "layers one behind the other", 1, 1, 1, 1, NULL, true},
    {"inverse-Y", "branches that begin at different values and join", 2, BRANCHES_MOST, 2, BRANCHES_MOST,
     sums, false},
    {"residual", "a branch around a chain of layers, or several that begin at one value and join", 2,
     BRANCHES_MOST, 1, 1, sums, false},
    {NULL, NULL, 0, 0, 0, 0, NULL, false},
};

/* ---- matching ------------------------------------------------------------------------------------------ */

/* Layers first .. last, of which the last one joins. */
struct match {
    const struct group_chart *chart;
    size_t first, last;
    size_t starts[BRANCHES_MOST];
    unsigned start_count, branches;
    bool whole; /* one needs all rows of what it reads */
};

static bool is_inside(const struct match *m, size_t layer)
{
    return layer != GROUP_NONE && layer >= m->first && layer <= m->last;
}

static bool add_start(struct match *m, size_t value)
{
    unsigned at = 0;
    while (at < m->start_count && m->starts[at] != value)
        at++;
    if (at == BRANCHES_MOST)
        return false;
    m->starts[at] = value;
    m->start_count += at == m->start_count;
    return true;
}

/* Different values that a layer reads. */
static unsigned reads(const struct group_layer *layer)
{
    unsigned count = 0;
    for (size_t i = 0; i < layer->operand_count; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || layer->operands[k].value == layer->operands[i].value;
        count += !again;
    }
    return count;
}

/* Follows a branch back to where it begins. False: it is no chain of layers for this join alone. */
static bool follow(struct match *m, size_t value, size_t *layers)
{
    const struct group_chart *chart = m->chart;
    while (is_inside(m, chart->values[value].made)) {
        const struct group_value *v = &chart->values[value];
        const struct group_layer *layer = &chart->layers[v->made];
        if (layer->alone || reads(layer) != 1 || v->first != v->last)
            return false;
        m->whole = m->whole || layer->whole;
        value = layer->operands[0].value;
        ++*layers;
    }
    return add_start(m, value);
}

/* Branches of the last layer take up all layers before it. */
static bool take(struct match *m)
{
    const struct group_layer *join = &m->chart->layers[m->last];
    size_t layers = 1;
    m->whole = join->whole;
    for (size_t i = 0; i < join->operand_count; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || join->operands[k].value == join->operands[i].value;
        if (again)
            continue;
        if (!follow(m, join->operands[i].value, &layers))
            return false;
        m->branches++;
    }
    return layers == m->last - m->first + 1;
}

static bool is_among(const char *const *types, const char *type)
{
    while (*types && strcmp(*types, type) != 0)
        types++;
    return *types != NULL;
}

/* Whether a node of the layer that reads several values, or one besides what the layer makes, may join them.
 */
static bool may_join(const struct group_pattern *p, const struct group_layer *layer)
{
    bool may = true;
    for (size_t i = 0; i < layer->node_count; i++) {
        size_t operands = i > 0;
        for (size_t o = 0; o < layer->operand_count; o++)
            operands += layer->operands[o].node == i;
        may = may && (operands < 2 || (p->joins && is_among(p->joins, layer->nodes[i]->type)));
    }
    return may;
}

static bool is_of(const struct match *m, const struct group_pattern *p)
{
    return m->branches >= p->branches_least && m->branches <= p->branches_most &&
           m->start_count >= p->starts_least && m->start_count <= p->starts_most && (p->whole || !m->whole) &&
           may_join(p, &m->chart->layers[m->last]);
}

static bool push(struct group_element **list, size_t *count, struct group_element element)
{
    struct group_element *more = realloc(*list, (*count + 1) * sizeof *more);
    if (!more)
        return false;
    *list = more;
    more[(*count)++] = element;
    return true;
}

static int by_first(const void *a, const void *b)
{
    const struct group_element *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->last > y->last) - (x->last < y->last);
}

struct group_element *group_find(const struct group_chart *chart, const struct group_pattern *patterns,
                                 size_t *count)
{
    struct group_element *list = calloc(1, sizeof *list);
    bool ok = list != NULL;
    *count = 0;
    for (size_t last = 0; ok && last < chart->layer_count; last++) {
        if (chart->layers[last].alone || !chart->layers[last].operand_count)
            continue;
        for (size_t back = 0; ok && back <= last && back < ELEMENT_LAYERS_MOST; back++) {
            struct match m = {.chart = chart, .first = last - back, .last = last};
            if (!take(&m) || (back && m.branches == 1)) /* a chain is several elements */
                continue;
            const struct group_pattern *p = patterns;
            while (p->name && !is_of(&m, p))
                p++;
            if (p->name)
                ok = push(&list, count, (struct group_element){p, m.first, m.last});
        }
    }
    if (!ok) {
        free(list);
        return NULL;
    }
    qsort(list, *count, sizeof *list, by_first);
    return list;
}

bool group_is_tiled(const struct group_element *elements, size_t count, size_t first, size_t last,
                    size_t *reached)
{
    for (size_t i = first; i <= last + 1; i++)
        reached[i] = 0;
    for (size_t e = 0; e < count; e++) {
        const struct group_element *of = &elements[e];
        if (of->first < first || of->last > last || (of->first > first && !reached[of->first]))
            continue;
        reached[of->last + 1] = e + 1; /* later ones are no longer than these, and begin later */
    }
    return reached[last + 1] != 0;
}
