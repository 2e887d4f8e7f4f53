/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/cover.h"

#include <stdlib.h>

enum {
    GROUP_LAYERS_MOST = 96, /* of a candidate */
    MISSES_MOST = 6 /* candidates with one more layer each that do not fit, until longer ones are given up */
};

struct covering {
    const struct group_chart *chart;
    const struct group_target *target;
    const struct group_element *elements;
    size_t element_count;
    struct group_cover *cover;
    size_t *reached;
    struct group_choice *to;            /* the last choice of the best way to the layers before each */
    uint64_t *price;                    /* of that way; UINT64_MAX: there is none */
    const struct group_forced **forced; /* of each layer; NULL: it is free */
};

static struct group_choice single(const struct group_chart *chart, const struct group_target *target,
                                  size_t layer)
{
    const struct group_choice choice = {
        .first = layer, .last = layer, .parts = {1, 1}, .cost = group_cost_single(chart, target, layer)};
    return choice;
}

static void offer(struct covering *c, const struct group_choice *choice)
{
    const uint64_t price = c->price[choice->first] + group_price(&choice->cost, c->target);
    if (price >= c->price[choice->last + 1])
        return;
    c->price[choice->last + 1] = price;
    c->to[choice->last + 1] = *choice;
}

/* Candidates that begin with a layer. */
static void offer_groups(struct covering *c, size_t first)
{
    unsigned misses = 0;
    for (size_t last = first + 1; last < c->chart->layer_count && last < first + GROUP_LAYERS_MOST &&
                                  !c->forced[last] && misses < MISSES_MOST;
         last++) {
        struct group_choice choice;
        uint64_t least;
        if (!group_is_tiled(c->elements, c->element_count, first, last, c->reached))
            continue;
        c->cover->candidates++;
        const bool fits =
            group_best_cut(c->chart, first, last, (struct group_wish){0}, c->target, &choice, &least);
        if (fits)
            offer(c, &choice);
        misses = fits ? 0 : misses + 1;
    }
}

static bool take_forced(struct covering *c, const struct group_forced *forced, struct diag *diag)
{
    const struct group_chart *chart = c->chart;
    const char *file = chart->net->source[0].path, *first = group_layer_name(&chart->layers[forced->first]),
               *last = group_layer_name(&chart->layers[forced->last]);
    struct group_choice choice;
    uint64_t least;
    if (!group_is_tiled(c->elements, c->element_count, forced->first, forced->last, c->reached))
        return diag_fail(diag, file, "group \"%.60s\" to \"%.60s\": no kind of group has these layers", first,
                         last);
    if (group_best_cut(chart, forced->first, forced->last, (struct group_wish){.parts = forced->parts},
                       c->target, &choice, &least)) {
        offer(c, &choice);
        return true;
    }
    if (!least)
        return diag_fail(diag, file, "group \"%.60s\" to \"%.60s\" cannot be cut into %zu slices", first,
                         last, forced->parts);
    if (least <= c->target->on_chip)
        return diag_fail(
            diag, file,
            "group \"%.60s\" to \"%.60s\": more than %u %% of its multiplications would be done again", first,
            last, c->target->again);
    return diag_fail(
        diag, file,
        "group \"%.60s\" to \"%.60s\": its smallest slice needs %llu bytes on chip, and there are %llu",
        first, last, (unsigned long long)least, (unsigned long long)c->target->on_chip);
}

static bool find(struct covering *c, struct diag *diag)
{
    const size_t layers = c->chart->layer_count;
    for (size_t i = 0; i <= layers; i++)
        c->price[i] = i ? UINT64_MAX : 0;
    for (size_t i = 0; i < layers; i++) {
        const struct group_choice alone = single(c->chart, c->target, i);
        group_cost_add(&c->cover->apart, &alone.cost);
        if (c->forced[i] && c->forced[i]->first == i && !take_forced(c, c->forced[i], diag))
            return false;
        if (c->forced[i])
            continue;
        offer(c, &alone);
        offer_groups(c, i);
    }
    return true;
}

static void collect(struct covering *c)
{
    size_t count = 0;
    for (size_t at = c->chart->layer_count; at; at = c->to[at].first)
        count++;
    c->cover->count = count;
    for (size_t at = c->chart->layer_count; at; at = c->to[at].first) {
        c->cover->choices[--count] = c->to[at];
        group_cost_add(&c->cover->cost, &c->to[at].cost);
    }
}

static bool take_all_forced(struct covering *c, const struct group_forced *forced, size_t count,
                            struct diag *diag)
{
    const char *file = c->chart->net->source[0].path;
    for (size_t f = 0; f < count; f++)
        for (size_t i = forced[f].first; i <= forced[f].last; i++) {
            if (c->forced[i])
                return diag_fail(diag, file, "layer \"%.60s\" is in two groups that are asked for",
                                 group_layer_name(&c->chart->layers[i]));
            c->forced[i] = &forced[f];
        }
    return true;
}

bool group_cover_find(const struct group_chart *chart, const struct group_pattern *patterns,
                      const struct group_target *target, const struct group_forced *forced,
                      size_t forced_count, struct group_cover *cover, struct diag *diag)
{
    const size_t room = chart->layer_count + 2;
    struct covering c = {.chart = chart, .target = target, .cover = cover};
    *cover = (struct group_cover){0};
    struct group_element *elements = group_find(chart, patterns, &c.element_count);
    c.elements = elements;
    c.reached = calloc(room, sizeof *c.reached);
    c.to = calloc(room, sizeof *c.to);
    c.price = calloc(room, sizeof *c.price);
    c.forced = calloc(room, sizeof(struct group_forced *));
    cover->choices = calloc(room, sizeof *cover->choices);
    bool ok = elements && c.reached && c.to && c.price && c.forced && cover->choices;
    if (!ok)
        diag_no_memory(diag, chart->net->source[0].path);
    ok = ok && take_all_forced(&c, forced, forced_count, diag) && find(&c, diag);
    if (ok)
        collect(&c);
    else
        group_cover_close(cover);
    free(elements);
    free(c.reached);
    free(c.to);
    free(c.price);
    free(c.forced);
    return ok;
}

static void append(struct group_cover *cover, const struct group_choice *choice)
{
    cover->choices[cover->count++] = *choice;
    group_cost_add(&cover->cost, &choice->cost);
}

bool group_cover_keep(const struct group_chart *chart, const struct group_target *target,
                      const struct group_cover *cover, const bool *keep, struct group_cover *to)
{
    *to = (struct group_cover){.choices = calloc(chart->layer_count + 2, sizeof *to->choices),
                               .apart = cover->apart,
                               .candidates = cover->candidates};
    for (size_t i = 0; to->choices && i < cover->count; i++) {
        const struct group_choice *choice = &cover->choices[i];
        if (keep[i])
            append(to, choice);
        for (size_t layer = choice->first; !keep[i] && layer <= choice->last; layer++) {
            const struct group_choice alone = single(chart, target, layer);
            append(to, &alone);
        }
    }
    return to->choices;
}

void group_cover_close(struct group_cover *cover)
{
    free(cover->choices);
    *cover = (struct group_cover){0};
}
