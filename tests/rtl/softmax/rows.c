/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what the bench of tulle_softmax plays: tables, and rows with the multiplier, the shift and the
 * exponentials that must come of them (sim/numerics/softmax.h). A line is a kind (of enum line) and
 * hexadecimal numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/base/random.h"
#include "sim/numerics/softmax.h"

#define ROW_MOST 4096

enum line {
    LINE_END,
    LINE_ENTRY, /* of the table, from 0 on */
    LINE_ROW,   /* elements, shift, chunks that come, chunks that leave before the next row, multiplier, shift
                 */
    LINE_CHUNK, /* elements that come, the last one first */
    LINE_GIVEN  /* exponentials that must leave, likewise */
};

static struct random dice;
static int32_t table[NUM_SOFTMAX_ENTRIES];

static unsigned below(unsigned limit)
{
    return (unsigned)random_below(&dice, limit);
}

/* Exponentials, the same of all distances, small ones, or anything. */
static void put_table(unsigned kind)
{
    const struct num_softmax softmax = {
        .multiplier = (int32_t)(1u << 30 | below(1u << 30)), .shift = 5 + below(8), .least = -255};
    num_softmax_table(&softmax, table);
    for (unsigned i = 0; i < NUM_SOFTMAX_ENTRIES; i++) {
        const uint32_t any = (uint32_t)random_next(&dice) & INT32_MAX;
        table[i] = kind == 1   ? INT32_MAX
                   : kind == 2 ? (int32_t)(any >> 14)
                   : kind == 3 ? (int32_t)any
                               : table[i];
        printf("%d %" PRIx32 "\n", LINE_ENTRY, (uint32_t)table[i]);
    }
}

/* From the last lane on, in as many bits each. */
static void put_lanes(enum line kind, const uint32_t *value, unsigned lanes, unsigned bits)
{
    char digits[16 * 32 / 4 + 2] = {0};
    const unsigned all = (lanes * bits + 3) / 4;
    for (unsigned d = 0; d < all; d++) {
        unsigned digit = 0;
        for (unsigned b = 0; b < 4; b++) {
            const unsigned at = 4 * d + b;
            digit |= at < lanes * bits ? (value[at / bits] >> at % bits & 1) << b : 0;
        }
        digits[all - 1 - d] = "0123456789abcdef"[digit];
    }
    printf("%d %s\n", kind, digits);
}

static void put_row(unsigned elements, unsigned base, unsigned lanes, unsigned pes)
{
    static int8_t row[ROW_MOST];
    const unsigned places = (elements + pes - 1) / pes * pes, chunks = places / lanes, span = 1 + below(256),
                   given = below(4)   ? chunks
                           : below(2) ? 0
                                      : 1 + below(chunks);
    uint32_t sum = 0, value[16];
    int8_t largest = INT8_MIN;
    for (unsigned i = 0; i < places; i++) {
        row[i] = (int8_t)(i < elements ? (int)below(span) - (int)(span / 2) : (int)below(256) - 128);
        largest = i < elements && row[i] > largest ? row[i] : largest;
    }
    for (unsigned i = 0; i < elements; i++)
        sum += num_softmax_summand(table[(uint8_t)(largest - row[i])]);
    const struct num_softmax_share share = num_softmax_share(sum);
    const unsigned shift = base + share.shift;
    printf("%d %x %x %x %x %" PRIx32 " %x\n", LINE_ROW, elements, base, chunks, given,
           (uint32_t)share.multiplier, shift < 63 ? shift : 63);
    for (unsigned c = 0; c < chunks; c++) {
        for (unsigned l = 0; l < lanes; l++)
            value[l] = (uint8_t)row[c * lanes + l];
        put_lanes(LINE_CHUNK, value, lanes, 8);
    }
    for (unsigned c = 0; c < chunks; c++) {
        for (unsigned l = 0; l < lanes; l++)
            value[l] =
                c * lanes + l < elements ? (uint32_t)table[(uint8_t)(largest - row[c * lanes + l])] : 0;
        put_lanes(LINE_GIVEN, value, lanes, 31);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fputs("usage: rows LANES PES ROW SEED ROWS\n", stderr);
        return 2;
    }
    const unsigned lanes = (unsigned)atoi(argv[1]), pes = (unsigned)atoi(argv[2]),
                   most = (unsigned)atoi(argv[3]), rows = (unsigned)atoi(argv[5]);
    dice.state = strtoull(argv[4], NULL, 0);
    for (unsigned n = 0, elements = 1, base = 54; n < rows; n++) {
        if (n % 8 == 0)
            put_table(n / 8 % 4);
        if (below(2)) { /* otherwise as the last one */
            elements = 1 + below(below(4) && 8 * pes < most ? 8 * pes : n % 8 == 7 ? most : most / 4);
            base = 62 - (8u << below(2));
        }
        put_row(elements, base, lanes, pes);
    }
    put_table(1);
    put_row(most, 54, lanes, pes); /* the largest sum */
    printf("%d 0\n", LINE_END);
    return 0;
}
