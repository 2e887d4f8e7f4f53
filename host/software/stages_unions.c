/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/stages_unions.h"

#include <stdlib.h>

#include "gen/base/room.h"

void unions_free(struct stages_unions *u)
{
    for (size_t i = 0; i < u->sets; i++) {
        free(u->set[i].at);
        free(u->set[i].number);
    }
    free(u->set);
    free(u->tensor);
    *u = (struct stages_unions){.sets = 0};
}

struct stage_set *unions_add(struct stages_unions *u, unsigned bytes, uint64_t elements)
{
    struct stage_set *list = room_for_one(u->set, u->sets, &u->room, 16, sizeof *list);
    if (!list)
        return NULL;
    u->set = list;
    struct stage_set *s = &u->set[u->sets];
    *s = (struct stage_set){
        .bytes = bytes, .elements = elements, .at = malloc((elements + 1) * sizeof *s->at), .above = u->sets};
    if (!s->at)
        return NULL;
    u->sets++;
    return s;
}

static size_t first_of(struct stages_unions *u, size_t set)
{
    while (u->set[set].above != set) {
        u->set[set].above = u->set[u->set[set].above].above;
        set = u->set[set].above;
    }
    return set;
}

bool unions_join(struct stages_unions *u, size_t a, size_t b)
{
    a = first_of(u, a);
    b = first_of(u, b);
    if (a < b)
        u->set[b].above = a;
    else
        u->set[a].above = b;
    return u->set[a].bytes == u->set[b].bytes;
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

/* An element of a tensor while those of all its makers are sorted. */
struct element {
    uint32_t generation;
    flow_ref at;
    uint64_t *number;
};

static int by_place(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool share_a_place(const struct stage_set *a, const struct stage_set *b)
{
    uint64_t i = 0, j = 0;
    while (i < a->elements && j < b->elements && a->at[i] != b->at[j]) {
        if (a->at[i] < b->at[j])
            i++;
        else
            j++;
    }
    return i < a->elements && j < b->elements;
}

/* Sets of the tensor from `first` to `end`: places that are used again begin a generation. */
static void put_elements(struct stages_unions *u, size_t tensor, struct element *list)
{
    uint32_t generation = 0;
    size_t begin = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < u->sets; i++) {
        const struct stage_set *s = &u->set[i];
        if (s->tensor != tensor)
            continue;
        for (size_t other = begin; other < i; other++)
            if (u->set[other].tensor == tensor && share_a_place(&u->set[other], s)) {
                generation++;
                begin = i;
                break;
            }
        for (uint64_t e = 0; e < s->elements; e++)
            list[count++] = (struct element){generation, s->at[e], &s->number[e]};
    }
    qsort(list, count, sizeof *list, by_place);
    for (uint64_t e = 0; e < count; e++)
        *list[e].number = e;
}

bool unions_number(struct stages_unions *u)
{
    bool ok = (u->tensor = calloc(u->sets + 1, sizeof *u->tensor));
    for (size_t i = 0; ok && i < u->sets; i++) {
        struct stage_set *s = &u->set[i];
        const size_t first = first_of(u, i);
        s->tensor = first == i ? u->tensors++ : u->set[first].tensor;
        struct stage_union *to = &u->tensor[s->tensor];
        to->bytes = s->bytes;
        to->elements += s->elements;
        to->makers++;
        ok = (s->number = malloc((s->elements + 1) * sizeof *s->number));
    }
    for (size_t t = 0; ok && t < u->tensors; t++) {
        struct element *list = malloc((u->tensor[t].elements + 1) * sizeof *list);
        ok = list;
        if (ok)
            put_elements(u, t, list);
        free(list);
    }
    return ok;
}
