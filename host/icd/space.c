/* SPDX-License-Identifier: Apache-2.0 */
#include "host/icd/space.h"

#include <stdlib.h>

struct space_block {
    struct space_block *next;
    uint64_t first, end;
};

uint64_t space_most(uint64_t bytes)
{
    bytes -= bytes % SPACE_BLOCK;
    return bytes > SPACE_FIRST ? bytes - SPACE_FIRST : 0;
}

void space_open(struct space *s, uint64_t bytes)
{
    *s = (struct space){.end = SPACE_FIRST + space_most(bytes)};
}

void space_close(struct space *s)
{
    while (s->block) {
        struct space_block *next = s->block->next;
        free(s->block);
        s->block = next;
    }
}

enum space_status space_take(struct space *s, uint64_t bytes, uint64_t *address)
{
    struct space_block **at = &s->block, *made;
    uint64_t first = SPACE_FIRST;
    if (!bytes || bytes > s->end)
        return SPACE_FULL;
    bytes = (bytes + SPACE_BLOCK - 1) / SPACE_BLOCK * SPACE_BLOCK;
    for (; *at && (*at)->first - first < bytes; at = &(*at)->next)
        first = (*at)->end;
    if (!*at && s->end - first < bytes)
        return SPACE_FULL;
    made = malloc(sizeof *made);
    if (!made)
        return SPACE_NO_MEMORY;
    *made = (struct space_block){.next = *at, .first = first, .end = first + bytes};
    *at = made;
    *address = first;
    return SPACE_OK;
}

void space_give(struct space *s, uint64_t address)
{
    for (struct space_block **at = &s->block; *at; at = &(*at)->next)
        if ((*at)->first == address) {
            struct space_block *gone = *at;
            *at = gone->next;
            free(gone);
            return;
        }
}
