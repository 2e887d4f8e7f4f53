/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a network: one reservation of address space, which allocations
 * fill from its beginning and which is freed as a whole. The size of the
 * reservation is the bound on the memory that reading a file takes, whatever
 * the file says; only the pages that are used become real.
 */
#ifndef TULLE_HOST_NET_ARENA_H
#define TULLE_HOST_NET_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "gen/base/strbuf.h"

struct arena {
    char *base;
    size_t used, limit, reserved;
    bool full;      /* an allocation failed */
    bool no_memory; /* a text for it could not be made */
};

bool arena_open(struct arena *arena, size_t limit);
void arena_close(struct arena *arena);

/* Zeroed, aligned for any type. NULL when the bound is reached, which the arena remembers. */
void *arena_take(struct arena *arena, size_t count, size_t bytes_each);
/* Gives back everything that was taken since `used` was that. */
void arena_rewind(struct arena *arena, size_t used);
/* A copy of the bytes with a zero byte behind it. */
char *arena_text(struct arena *arena, const char *text, size_t length);
/* A copy of a string that was made for it, which is freed. NULL, and the arena is full, when it could not be.
 */
char *arena_string(struct arena *arena, struct strbuf *text);
/* Makes room for one more pointer in a list, which is doubled when it is full. */
bool arena_list(struct arena *arena, void *list, size_t count);

#endif
