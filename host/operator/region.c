/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/region.h"

#include <stdbool.h>

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
