/* SPDX-License-Identifier: Apache-2.0 */
#include "host/container/archive.h"

#include <string.h>

#include "host/container/sha256.h"

uint64_t archive_bits(struct archive *a, uint64_t word)
{
    char bytes[8];
    if (a->to) {
        for (unsigned i = 0; i < 8; i++)
            bytes[i] = (char)(word >> (8 * i) & 0xFF);
        sb_addn(a->to, bytes, sizeof bytes);
        return word;
    }
    if (a->wrong || a->size - a->at < 8) {
        a->wrong = true;
        return 0;
    }
    word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)a->from[a->at++] << (8 * i);
    return word;
}

int64_t archive_within(struct archive *a, int64_t value, int64_t low, int64_t high)
{
    const int64_t word = (int64_t)archive_bits(a, (uint64_t)value);
    if (a->to)
        return value;
    a->wrong |= word < low || word > high;
    return a->wrong ? 0 : word;
}

uint64_t archive_size(struct archive *a, uint64_t value)
{
    return (uint64_t)archive_within(a, (int64_t)value, 0, INT64_MAX);
}

uint32_t archive_word(struct archive *a, uint32_t value, uint32_t most)
{
    return (uint32_t)archive_within(a, value, 0, most);
}

bool archive_flag(struct archive *a, bool value)
{
    return archive_within(a, value, 0, 1);
}

void archive_bytes(struct archive *a, const uint8_t **bytes, size_t *count)
{
    const uint64_t length = archive_size(a, *count);
    if (a->to) {
        sb_addn(a->to, (const char *)*bytes, *count);
        return;
    }
    a->wrong |= length > a->size - a->at;
    *bytes = a->from + a->at;
    *count = a->wrong ? 0 : (size_t)length;
    a->at += *count;
}

void archive_text(struct archive *a, struct strbuf *text)
{
    const uint8_t *bytes = (const uint8_t *)sb_text(text);
    size_t count = text->len;
    archive_bytes(a, &bytes, &count);
    if (a->to)
        return;
    sb_addn(text, (const char *)bytes, count);
    a->memory |= !sb_ok(text);
}

void archive_seal(struct strbuf *file)
{
    uint8_t digest[SHA256_BYTES];
    if (!sb_ok(file))
        return;
    sha256_of(sb_text(file), file->len, digest);
    sb_addn(file, (const char *)digest, sizeof digest);
}

bool archive_is_whole(const void *bytes, size_t *size)
{
    uint8_t digest[SHA256_BYTES];
    if (*size < sizeof digest)
        return false;
    *size -= sizeof digest;
    sha256_of(bytes, *size, digest);
    return !memcmp(digest, (const uint8_t *)bytes + *size, sizeof digest);
}
