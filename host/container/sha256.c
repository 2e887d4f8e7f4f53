/* SPDX-License-Identifier: Apache-2.0 */
#include "host/container/sha256.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 64
#define ROUNDS 64

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static void schedule(const uint8_t *block, uint32_t w[ROUNDS])
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void compress(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[ROUNDS], s[8];
    schedule(block, w);
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t one = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & s[5]) ^ (~e & s[6])) +
                       constants[i] + w[i];
        uint32_t two =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_begin(struct sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *sha = (struct sha256){.bytes = 0};
    memcpy(sha->state, start, sizeof start);
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    while (count) {
        size_t held = sha->bytes % BLOCK, take = count < BLOCK - held ? count : BLOCK - held;
        if (take == BLOCK) {
            compress(sha->state, at);
        } else {
            memcpy(sha->block + held, at, take);
            if (held + take == BLOCK)
                compress(sha->state, sha->block);
        }
        sha->bytes += take;
        at += take;
        count -= take;
    }
}

void sha256_add_numbers(struct sha256 *sha, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)((uint64_t)numbers[i] >> 8 * k);
        sha256_add(sha, bytes, sizeof bytes);
    }
}

void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES])
{
    static const uint8_t padding[BLOCK] = {0x80};
    uint64_t bits = 8 * sha->bytes;
    uint8_t length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(sha, padding, 1 + (BLOCK + 55 - sha->bytes % BLOCK) % BLOCK);
    sha256_add(sha, length, sizeof length);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_of(const void *bytes, size_t count, uint8_t digest[SHA256_BYTES])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, count);
    sha256_end(&sha, digest);
}

void sha256_text(const uint8_t digest[SHA256_BYTES], char text[2 * SHA256_BYTES + 1])
{
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
