/* SPDX-License-Identifier: Apache-2.0
 *
 * One list of fields that serves both ways: it writes a file, or reads it. Files
 * have little-endian numbers of 64 bits, and end with the SHA-256 of all before.
 *
 * A file may come from anywhere: what is read is within the limits that the
 * list of fields gives, or the archive is wrong.
 */
#ifndef TULLE_HOST_ARCHIVE_H
#define TULLE_HOST_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

struct archive {
    struct strbuf *to; /* writing; NULL when reading */
    const uint8_t *from;
    size_t size, at;
    bool wrong; /* reading: the file ends too early, or has what cannot be */
    bool memory;
};

/* Writes the value and gives it back, or reads one, which is 0 when it is not within low .. high. */
int64_t archive_within(struct archive *a, int64_t value, int64_t low, int64_t high);
/* Likewise; it has all 64 bits. */
uint64_t archive_bits(struct archive *a, uint64_t word);
uint64_t archive_size(struct archive *a, uint64_t value);
uint32_t archive_word(struct archive *a, uint32_t value, uint32_t most);
bool archive_flag(struct archive *a, bool value);
/* Bytes, with their number before them. */
void archive_text(struct archive *a, struct strbuf *text);
/* The same where they lie: in the file, when reading. */
void archive_bytes(struct archive *a, const uint8_t **bytes, size_t *count);

/* Writes the digest of all that is there. */
void archive_seal(struct strbuf *file);
/* Whether the file ends with the digest of all before; `size` becomes the bytes before it. */
bool archive_is_whole(const void *bytes, size_t *size);

#endif
