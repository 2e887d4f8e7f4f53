/* SPDX-License-Identifier: Apache-2.0
 *
 * A storage unit: memory whose addresses wrap. Bytes that stay as they are for
 * the rest of the job need not be copied: they are lent, as pieces that say
 * where they lie, and who reads a whole packet of them gets that place. So a
 * packet of weights is found where the host wrote it, job after job.
 */
#ifndef TULLE_SIM_UNIT_H
#define TULLE_SIM_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIT_PIECES 48 /* that are lent at once; what is beyond is copied */

/* Addresses [begin, end) have the bytes from `from` on. */
struct unit_piece {
    uint32_t begin, end;
    const uint8_t *from;
};

struct storage_unit {
    uint8_t *bytes;                      /* of what no piece covers */
    uint32_t size;                       /* a power of two */
    uint32_t written_begin, written_end; /* no other byte was written since the last reset */
    unsigned pieces;
    struct unit_piece piece[UNIT_PIECES]; /* in no order; they do not overlap */
};

/* All zeros. False: out of memory. */
bool unit_open(struct storage_unit *unit, uint32_t size);
void unit_close(struct storage_unit *unit);
void unit_reset(struct storage_unit *unit);

/* What was lent is copied: the unit keeps its bytes, whatever becomes of the memory that they are from. */
void unit_keep(struct storage_unit *unit);

/* Where `bytes` bytes from `address` on are to be written, and how many of them before the addresses wrap. */
uint8_t *unit_room(struct storage_unit *unit, uint32_t address, size_t bytes, size_t *part);

/* The bytes are those at `from`, which nothing changes until the next reset. */
void unit_lend(struct storage_unit *unit, uint32_t address, const uint8_t *from, size_t bytes);

void unit_read(const struct storage_unit *unit, uint32_t address, uint8_t *to, size_t bytes);

/* Where the bytes lie, one after the other, if they were lent so; else NULL. */
const uint8_t *unit_find(const struct storage_unit *unit, uint32_t address, size_t bytes);

#endif
