/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory: a range of addresses from 0 on that costs what was touched of
 * it, 4 KiB at a time, because the system backs no other page of the mapping.
 * It is one piece for the host, so that the functional model can work in it
 * and buffers may overlap as they may on a device. Fresh memory is zero.
 */
#ifndef TULLE_SIM_BOARD_MEMORY_H
#define TULLE_SIM_BOARD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_BYTES_DEFAULT (UINT64_C(16) << 30)
#define MEMORY_BYTES_MIN 4096
#define MEMORY_BYTES_MAX (UINT64_C(1) << 40)
#define MEMORY_LINE 64 /* bytes that share the time of their last write */

struct memory {
    uint8_t *bytes;
    uint64_t size;
    uint64_t *when; /* for each line: the cycle in which the device last wrote there */
};

/* `size` is a multiple of MEMORY_LINE. False when the system gives no such range of addresses. */
bool memory_open(struct memory *memory, uint64_t size);
void memory_close(struct memory *memory);

/* Whether [address, address + bytes) is all in it. */
bool memory_holds(const struct memory *memory, uint64_t address, uint64_t bytes);

/* The device writes: bytes of a bus beat that `strobes` names, bit i for from[i]. The beat must be held. */
void memory_write_beat(struct memory *memory, uint64_t address, const uint8_t *from, unsigned bytes,
                       uint64_t strobes, uint64_t cycle);

/* The cycle of the last such write to a line; 0: none. */
uint64_t memory_written(const struct memory *memory, uint64_t address);

#endif
