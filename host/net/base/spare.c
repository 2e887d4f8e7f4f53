/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/base/spare.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/base/guard.h"

enum { ALIGNMENT = 64 };

/* Stands in front of the data. */
struct room {
    struct room *next;
    size_t bytes; /* of the data */
    bool taken;   /* since spare_trim() */
};

static char *data_of(struct room *room)
{
    return (char *)room + ALIGNMENT;
}

static struct room *room_new(size_t bytes)
{
    _Static_assert(sizeof(struct room) <= ALIGNMENT, "the data begin behind the header");
    if (bytes > SIZE_MAX / 2)
        return NULL;
    const size_t rounded = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    struct room *room = aligned_alloc(ALIGNMENT, ALIGNMENT + rounded);
    if (room)
        *room = (struct room){.bytes = rounded};
    return room;
}

/* The smallest that is large enough, and not more than twice as large. */
static struct room **fitting(struct spare *spare, size_t bytes)
{
    struct room **best = NULL;
    for (struct room **at = &spare->free; *at; at = &(*at)->next)
        if ((*at)->bytes > bytes && (*at)->bytes / 2 <= bytes + ALIGNMENT &&
            (!best || (*at)->bytes < (*best)->bytes))
            best = at;
    return best;
}

void *spare_take(struct spare *spare, size_t bytes)
{
    struct room **at = fitting(spare, bytes), *room = at ? *at : room_new(bytes);
    if (!room)
        return NULL;
    if (at)
        *at = room->next;
    room->taken = true;
    ASAN_UNPOISON_MEMORY_REGION(data_of(room), room->bytes);
    memset(data_of(room), 0, bytes);
    ASAN_POISON_MEMORY_REGION(data_of(room) + bytes, room->bytes - bytes);
    return data_of(room);
}

void spare_give(struct spare *spare, void *data)
{
    if (!data)
        return;
    struct room *room = (struct room *)((char *)data - ALIGNMENT);
    ASAN_POISON_MEMORY_REGION(data_of(room), room->bytes);
    room->next = spare->free;
    spare->free = room;
}

void spare_trim(struct spare *spare)
{
    for (struct room **at = &spare->free; *at;) {
        struct room *room = *at;
        const bool stays = room->taken;
        room->taken = false;
        if (stays) {
            at = &room->next;
            continue;
        }
        *at = room->next;
        ASAN_UNPOISON_MEMORY_REGION(data_of(room), room->bytes);
        free(room);
    }
}

void spare_close(struct spare *spare)
{
    spare_trim(spare); /* the second time none has been taken */
    spare_trim(spare);
}
