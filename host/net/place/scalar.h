/* SPDX-License-Identifier: Apache-2.0
 *
 * The scalar operations below a network's operators: sizes of results from sizes
 * of inputs, and from these the elements, bytes and addresses of values and the
 * loops and strides of tensor operations. They are a program without branches.
 * Each value is an operation of earlier ones, and a list says which are asked
 * for; it is made plainly, one value after another, and then simplified.
 */
#ifndef TULLE_HOST_NET_PLACE_SCALAR_H
#define TULLE_HOST_NET_PLACE_SCALAR_H

#include "host/net/graph/graph.h"

enum scalar_kind {
    SCALAR_NUMBER,
    SCALAR_NAME,
    SCALAR_COUNTER, /* of a loop: from 0 to before its operand */
    SCALAR_ADD,
    SCALAR_SUBTRACT,
    SCALAR_MULTIPLY,
    SCALAR_DIVIDE,
    SCALAR_KINDS
};

struct scalar {
    enum scalar_kind kind;
    int64_t value;    /* of a number; of a counter, which loop it is of */
    const char *name; /* of a dimension without a size, borrowed from the network */
    size_t a,
        b; /* of an operation, or a counter (a): earlier scalars. Quotients are rounded down; b is above 0 */
};

/* What a tensor operation is told: its tiles are TILE_ROWS rows of TILE_COLUMNS results. */
enum { SCALAR_TILE_ROWS = 8, SCALAR_TILE_COLUMNS = 16, SCALAR_ALIGNMENT = 64 };
enum scalar_use {
    SCALAR_ADDRESS,
    SCALAR_BYTES,
    SCALAR_ROW_STRIDE,
    SCALAR_LOOPS,
    SCALAR_TILE,   /* in the loops: the address of a tile */
    SCALAR_SOURCE, /* likewise: of what it is computed from, padding included; not every operator has it */
    SCALAR_USES
};

struct scalar_result {
    size_t node; /* of the network */
    enum scalar_use use;
    size_t at; /* the scalar */
};

struct scalar_program {
    struct scalar *scalars;
    size_t count, room;
    struct scalar_result *results;
    size_t result_count, result_room;
    bool failed; /* out of memory */
};

/* Of the nodes' first results, in order. `within`: for each node an earlier one whose loops it is computed
 * in, or its own number; NULL: each has loops of its own. False: out of memory. To be freed in any case.
 * (lower.c) */
bool scalar_lower(const struct net *net, const size_t *within, struct scalar_program *to);
void scalar_free(struct scalar_program *program);

/* What each rewrite has taken away, in scalars. */
struct scalar_savings {
    size_t constants;  /* operations of numbers became numbers, and counters of loops that run once 0 */
    size_t identities; /* x + 0, x - 0, x * 1, x / 1 */
    size_t common;     /* the same operation of the same operands */
    size_t dead;       /* nothing asks for them */
};
/* Results stay what they are for any sizes. False: out of memory. */
bool scalar_simplify(struct scalar_program *program, struct scalar_savings *savings);

/* Computes all scalars, in room for as many. `size_of` gives a named dimension. Counters have the number
 * `tile`, or their last one. */
void scalar_run(const struct scalar_program *program, int64_t (*size_of)(void *context, const char *name),
                void *context, int64_t tile, int64_t *values);
/* Which scalars depend on a counter, so that each tile has them: its processor steps them. Returns how many.
 */
size_t scalar_in_loops(const struct scalar_program *program, bool *in);

#endif
