/* SPDX-License-Identifier: Apache-2.0
 *
 * Chance by seed, for stalls: the same on every machine. (host/ has a richer
 * one, but stands above the boards.)
 */
#ifndef TULLE_SIM_BOARD_CHANCE_H
#define TULLE_SIM_BOARD_CHANCE_H

#include <stdint.h>

struct chance {
    uint64_t state;
};

/* 0 .. below - 1, below from 1 */
static inline uint64_t chance_below(struct chance *chance, uint64_t below)
{
    uint64_t z = chance->state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}

#endif
