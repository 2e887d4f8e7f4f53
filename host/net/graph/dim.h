/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of tensors: numbers, or expressions over dimensions that have a name
 * and no value yet. Sizes are never negative, and arithmetic that leaves
 * 64 bits gives DIM_MOST, which no tensor may have.
 */
#ifndef TULLE_HOST_NET_DIM_H
#define TULLE_HOST_NET_DIM_H

#include <stdint.h>

#include "gen/base/strbuf.h"
#include "host/net/base/arena.h"

#define DIM_MOST INT64_MAX

struct dim {
    int64_t value;
    const struct dim_term *term; /* NULL: `value` is the size */
};

static inline struct dim dim_number(int64_t value)
{
    return (struct dim){value, NULL};
}

static inline bool dim_is(struct dim dim, int64_t value)
{
    return !dim.term && dim.value == value;
}

/* What does not fit the memory is 0, and the arena knows. An expression of too many names becomes a name of
 * its own. Quotients are rounded down. */
struct dim dim_named(struct arena *arena, const char *name);
struct dim dim_add(struct arena *arena, struct dim a, struct dim b);
struct dim dim_sub(struct arena *arena, struct dim a, struct dim b);
struct dim dim_mul(struct arena *arena, struct dim a, struct dim b);
struct dim dim_div(struct arena *arena, struct dim a, struct dim b);
struct dim dim_div_up(struct arena *arena, struct dim a, int64_t b);

/* Whether both are written the same: different expressions may still have one value. */
bool dim_equal(struct dim a, struct dim b);
void dim_print(struct strbuf *to, struct dim dim);
/* The outermost operation of an expression: '+', '*' or '/' (rounded down) of two, or a name (0). False: it
 * is a number. */
bool dim_parts(struct dim dim, char *operation, const char **name, struct dim *a, struct dim *b);
/* Calls back for each name in an expression. */
void dim_names(struct dim dim, void (*each)(void *context, const char *name), void *context);

#endif
