/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed programs (docs/isa.md, "Packed programs"): operations behind the
 * first ones as differences to operations before them.
 */
#ifndef TULLE_ISA_PACKED_H
#define TULLE_ISA_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

#define ISA_PACKED_FIRST 16       /* number of the first operation that is packed; the header is record 0 */
#define ISA_PACKED_MOST 0x3FFFFFF /* operations */
#define ISA_PACKED_FAR 63         /* operations between one and the one that it differs from */

/* Operations are needed again in loops, so as many are kept as the largest program buffer has. */
#define ISA_PACKED_KEPT 256

struct isa_unpacker {
    const uint8_t *bytes; /* of packed operations: whole lines */
    size_t size, used;
    uint32_t next; /* number of the next operation */
    uint8_t kept[ISA_PACKED_KEPT][ISA_OPERATION_BYTES];
};

/* Appends records of operations from number ISA_PACKED_FIRST on, which have their check words, as packed
 * ones, padded with zeros to whole records. */
void isa_pack(const uint8_t *records, size_t count, struct strbuf *to);

void isa_unpack_begin(struct isa_unpacker *u, const uint8_t *bytes, size_t size);

/* The record of an operation that is among the ISA_PACKED_KEPT newest, or of the next one: its check word is
 * wrong if it is not as it was packed. NULL: the bytes end before. */
const uint8_t *isa_unpack(struct isa_unpacker *u, uint32_t number);

/* Whether the operations that were unpacked reach into the last line. */
static inline bool isa_unpacked_all(const struct isa_unpacker *u)
{
    return u->size - u->used < ISA_OPERATION_BYTES;
}

/* Appends a program with packed operations in place of a full one, or the full program in place of one with
 * packed operations: operations that name what the program carries have its new places. `isa_program_pack` is
 * false when that takes no less room, or out of memory, and `isa_program_unpack` when the operations are not
 * as they were packed. */
bool isa_program_pack(const uint8_t *program, size_t size, struct strbuf *to);
bool isa_program_unpack(const uint8_t *program, size_t size, struct strbuf *to);

/* Bytes of header and operations. */
uint64_t isa_program_bytes(const uint8_t *header);

#endif
