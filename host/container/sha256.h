/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4), for checksums of containers.
 */
#ifndef TULLE_HOST_SHA256_H
#define TULLE_HOST_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t count);
/* Eight bytes each, the lowest first. */
void sha256_add_numbers(struct sha256 *sha, const int64_t *numbers, size_t count);
#define SHA256_ADD(sha, ...)                                \
    sha256_add_numbers(sha, (const int64_t[]){__VA_ARGS__}, \
                       sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES]);

/* The digest of one piece. */
void sha256_of(const void *bytes, size_t count, uint8_t digest[SHA256_BYTES]);

/* 64 lower-case digits and a zero. */
void sha256_text(const uint8_t digest[SHA256_BYTES], char text[2 * SHA256_BYTES + 1]);

#endif
