/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/region.h"

#include <stdlib.h>

static bool meet(const struct region *a, const struct region *b)
{
    return a->from <= b->to && b->from <= a->to && a->base < b->base + b->bytes &&
           b->base < a->base + a->bytes;
}

void region_place(struct region *regions, size_t count, struct region *of)
{
    bool moved = true;
    for (of->base = 0; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++)
            if (meet(of, &regions[i])) {
                of->base = regions[i].base + regions[i].bytes;
                moved = true;
            }
    }
    regions[count] = *of;
}

bool region_place_below(struct region *regions, size_t count, uint64_t highest, struct region *of)
{
    bool moved = true;
    for (of->base = highest; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            if (!meet(of, &regions[i]))
                continue;
            if (regions[i].base < of->bytes)
                return false;
            of->base = regions[i].base - of->bytes;
            moved = true;
        }
    }
    regions[count] = *of;
    return true;
}

typedef int region_order(const void *, const void *);

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static uint64_t steps_of(const struct region *r)
{
    return r->to - r->from + 1;
}

static int by_begin(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    const int begin = compare(x->from, y->from);
    return begin ? begin : compare(x->to, y->to);
}

static int by_size(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    const int size = compare(y->bytes, x->bytes);
    return size ? size : by_begin(a, b);
}

static int by_steps(const void *a, const void *b)
{
    const int steps = compare(steps_of(b), steps_of(a));
    return steps ? steps : by_size(a, b);
}

static int by_area(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    const int area = compare(steps_of(y) * y->bytes, steps_of(x) * x->bytes);
    return area ? area : by_size(a, b);
}

static uint64_t place_in_order(struct region *regions, size_t count, region_order *order)
{
    uint64_t end = 0;
    qsort(regions, count, sizeof *regions, order);
    for (size_t i = 0; i < count; i++) {
        struct region of = regions[i];
        region_place(regions, i, &of);
        end = of.base + of.bytes > end ? of.base + of.bytes : end;
    }
    return end;
}

uint64_t region_place_all(struct region *regions, size_t count)
{
    static region_order *const orders[] = {by_size, by_steps, by_area, by_begin};
    region_order *best = by_size;
    uint64_t least = place_in_order(regions, count, best);
    for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) {
        const uint64_t end = place_in_order(regions, count, orders[i]);
        best = end < least ? orders[i] : best;
        least = end < least ? end : least;
    }
    place_in_order(regions, count, best);
    for (size_t i = 0; i < count; i++)
        if (regions[i].place)
            *regions[i].place = regions[i].base;
    return least;
}
