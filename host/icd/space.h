/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of a device's memory, given out first fit in blocks of 4 KiB, in
 * time that grows with the logarithm of how many are taken. The first 64 KiB
 * are nobody's, so that address 0 is no buffer. Not for several threads at a
 * time.
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

/* `bytes` from 1. The lowest address where they fit. */
enum space_status space_take(struct space *space, uint64_t bytes, uint64_t *address);
/* An address that was taken; any other is ignored. */
void space_give(struct space *space, uint64_t address);

/* The most bytes that a space of that size can give at once. */
uint64_t space_most(uint64_t bytes);

#endif
