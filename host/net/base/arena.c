/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "host/net/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "host/net/base/guard.h"

bool arena_open(struct arena *arena, size_t limit)
{
    void *at = mmap(NULL, limit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *arena = (struct arena){.base = at == MAP_FAILED ? NULL : at, .limit = limit, .reserved = limit};
    if (arena->base)
        ASAN_POISON_MEMORY_REGION(arena->base, limit);
    return arena->base != NULL;
}

void arena_close(struct arena *arena)
{
    if (arena->base) {
        ASAN_UNPOISON_MEMORY_REGION(arena->base, arena->reserved);
        munmap(arena->base, arena->reserved);
    }
    *arena = (struct arena){.base = NULL};
}

void *arena_take(struct arena *arena, size_t count, size_t bytes_each)
{
    const size_t mask = alignof(max_align_t) - 1, room = arena->limit - arena->used;
    if (arena->full ||
        (bytes_each && count > (room - (room < mask + GAP ? room : mask + GAP)) / bytes_each)) {
        arena->full = true;
        return NULL;
    }
    const size_t bytes = count * bytes_each;
    void *at = arena->base + arena->used;
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    arena->used += (bytes + GAP + mask) & ~mask;
    return at;
}

void arena_rewind(struct arena *arena, size_t used)
{
    ASAN_UNPOISON_MEMORY_REGION(arena->base + used, arena->used - used);
    memset(arena->base + used, 0, arena->used - used);
    ASAN_POISON_MEMORY_REGION(arena->base + used, arena->used - used);
    arena->used = used;
    arena->full = arena->no_memory = false;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *at = arena_take(arena, length + 1, 1);
    if (at && length)
        memcpy(at, text, length);
    return at;
}

char *arena_string(struct arena *arena, struct strbuf *text)
{
    arena->no_memory = arena->no_memory || !sb_ok(text);
    arena->full = arena->full || arena->no_memory;
    char *at = arena_text(arena, sb_text(text), text->len);
    sb_free(text);
    return at;
}

bool arena_list(struct arena *arena, void *list, size_t count)
{
    void *old, **to;
    memcpy(&old, list, sizeof old);
    if (count & (count - 1) || count == 1)
        return old != NULL;
    to = arena_take(arena, count ? 2 * count : 2, sizeof *to);
    if (!to)
        return false;
    if (count)
        memcpy(to, old, count * sizeof *to);
    memcpy(list, &to, sizeof to);
    return true;
}
