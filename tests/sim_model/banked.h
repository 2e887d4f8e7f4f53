/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs that write a slot and read it in all ways that the variant has: as activations, partial
 * sums, operands of joins and biases. The slot is the activation bank, or memory of the same size.
 */
#ifndef TULLE_TESTS_SIM_MODEL_BANKED_H
#define TULLE_TESTS_SIM_MODEL_BANKED_H

#include "tests/sim_model/support.h"

enum { BANK_BYTES = 1024 };

/* Overrides of tiny that such programs need: with a bank of that size, and without one. */
#define BANKED_WITH                                               \
    (const char *const[])                                         \
    {                                                             \
        "local_bytes=1024", "joins=on", "channel_groups=16", NULL \
    }
#define BANKED_WITHOUT                        \
    (const char *const[])                     \
    {                                         \
        "joins=on", "channel_groups=16", NULL \
    }

struct banked {
    struct builder b;
    struct slots slots;
    struct random dice;
    unsigned slot, rows, clusters; /* one of each */
    unsigned packed, stored;       /* bytes of K words in a packet, and of K results */
    unsigned outside;              /* one piece of so many may reach outside of the slot; 0: none */
    bool fenced;                   /* every step ends before the next one begins */
    bool waits;                    /* the next load is for the token of the last store */
    uint64_t read, written;        /* bytes of the slot, when all goes well */
    int64_t out;                   /* bytes of the output so far */
};

struct banked_piece {
    int64_t offset, length, runs, planes, run_pitch, plane_pitch;
};

/* Whether the variant has what such programs need, a bank aside. */
bool banked_possible(const struct variant *v);

/* The whole program, in slots; a slot that is not the bank begins with zeros. One piece of `outside` may
 * reach outside of it; 0: none. */
void banked_make(struct banked *s, const struct variant *v, unsigned slot, uint64_t seed, unsigned outside);
void banked_free(struct banked *s);

/* Its parts: buffer 0 passes words through, `packed` bytes become `stored` ones. */
void banked_begin(struct banked *s, const struct variant *v, unsigned slot, uint64_t seed);
void banked_load(struct banked *s, unsigned slot, const struct banked_piece *piece);
void banked_send(struct banked *s, int64_t groups);
void banked_store(struct banked *s, unsigned slot, const struct banked_piece *piece);

#endif
