/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of a memory that are in use during some of the steps of a job.
 */
#ifndef TULLE_HOST_REGION_H
#define TULLE_HOST_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGION_ALIGN 64

struct region {
    uint64_t base, bytes;
    size_t from, to; /* the first and the last step */
    uint64_t *place; /* NULL, or where `base` goes as well */
};

static inline uint64_t region_aligned(uint64_t at)
{
    return (at + REGION_ALIGN - 1) / REGION_ALIGN * REGION_ALIGN;
}

/* The lowest place that is free as long as it is needed, beside `count` regions. It is put behind them. */
void region_place(struct region *regions, size_t count, struct region *of);
/* The highest place up to `highest`. False: there is none, and it is not put anywhere. */
bool region_place_below(struct region *regions, size_t count, uint64_t highest, struct region *of);
/* All, the largest first: small ones then fill what is left between them. Changes their order. Returns the
 * end of the memory that they take. */
uint64_t region_place_all(struct region *regions, size_t count);

#endif
