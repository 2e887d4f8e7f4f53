/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists that grow.
 */
#ifndef TULLE_GEN_ROOM_H
#define TULLE_GEN_ROOM_H

#include <stddef.h>
#include <stdlib.h>

/* A list of `count` elements, with room for one more: as it is, or moved, twice as long and with `some` more.
 * NULL, with the list as it was: out of memory. */
static inline void *room_for_one(void *list, size_t count, size_t *room, size_t some, size_t bytes)
{
    if (count < *room)
        return list;
    const size_t more = 2 * *room + some;
    void *moved = realloc(list, more * bytes);
    *room = moved ? more : *room;
    return moved;
}

#endif
