/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates addresses of a device's memory, first fit in blocks of 4 KiB, in a
 * time that grows with the logarithm of the number of allocations. The first
 * 64 KiB stay free, so that address 0 is no buffer. It is not safe for several
 * threads at a time.
 */
#ifndef TULLE_HOST_SPACE_H
#define TULLE_HOST_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#define SPACE_FIRST 65536
#define SPACE_BLOCK 4096

struct space_block;

struct space {
    uint64_t top, end;         /* of the last taken range; of the memory */
    struct space_block *block; /* the taken ranges */
};

void space_open(struct space *space, uint64_t bytes);
void space_close(struct space *space);

enum space_status { SPACE_OK, SPACE_FULL, SPACE_NO_MEMORY /* of the host */ };

/* Allocates at least one byte at the lowest address with enough space. */
enum space_status space_take(struct space *space, uint64_t bytes, uint64_t *address);
/* Frees an address that was allocated; others are ignored. */
void space_give(struct space *space, uint64_t address);

/* The largest allocation in an empty space of that size. */
uint64_t space_most(uint64_t bytes);

#endif
