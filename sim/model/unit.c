/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/unit.h"

#include <stdlib.h>
#include <string.h>

bool unit_open(struct storage_unit *u, uint32_t size)
{
    *u = (struct storage_unit){.bytes = calloc(size, 1), .size = size};
    return u->bytes;
}

void unit_close(struct storage_unit *u)
{
    free(u->bytes);
    *u = (struct storage_unit){0};
}

void unit_reset(struct storage_unit *u)
{
    if (u->written_end > u->written_begin)
        memset(u->bytes + u->written_begin, 0, u->written_end - u->written_begin);
    u->written_begin = u->written_end = 0;
    u->pieces = 0;
}

/* How many of the bytes come before the addresses wrap; *at: where they begin. */
static uint32_t before_wrap(const struct storage_unit *u, uint32_t address, size_t bytes, uint32_t *at)
{
    *at = address & (u->size - 1);
    return u->size - *at < bytes ? u->size - *at : (uint32_t)bytes;
}

static void mark_written(struct storage_unit *u, uint32_t begin, uint32_t end)
{
    const bool none = u->written_begin == u->written_end;
    u->written_begin = none || begin < u->written_begin ? begin : u->written_begin;
    u->written_end = none || end > u->written_end ? end : u->written_end;
}

static void remove_piece(struct storage_unit *u, unsigned which)
{
    u->piece[which] = u->piece[--u->pieces];
}

static void copy_piece(struct storage_unit *u, unsigned which)
{
    const struct unit_piece piece = u->piece[which];
    memcpy(u->bytes + piece.begin, piece.from, piece.end - piece.begin);
    mark_written(u, piece.begin, piece.end);
    remove_piece(u, which);
}

void unit_keep(struct storage_unit *u)
{
    while (u->pieces)
        copy_piece(u, u->pieces - 1);
}

/* What is left of a piece behind or before others is no packet any more, and in the way of those that are. */
#define PIECE_LEAST 1024

static void copy_rest(struct storage_unit *u, unsigned which)
{
    if (u->piece[which].end - u->piece[which].begin < PIECE_LEAST)
        copy_piece(u, which);
}

static unsigned smallest_piece(const struct storage_unit *u)
{
    unsigned least = 0;
    for (unsigned i = 1; i < u->pieces; i++)
        if (u->piece[i].end - u->piece[i].begin < u->piece[least].end - u->piece[least].begin)
            least = i;
    return least;
}

/* No piece covers [begin, end) any more. */
static void uncover(struct storage_unit *u, uint32_t begin, uint32_t end)
{
    for (unsigned i = u->pieces; i-- > 0;) {
        struct unit_piece *piece = &u->piece[i];
        if (piece->end <= begin || piece->begin >= end)
            continue;
        if (piece->begin < begin && piece->end > end)
            copy_piece(u, i);
        else if (piece->begin < begin) {
            piece->end = begin;
            copy_rest(u, i);
        } else if (piece->end > end) {
            piece->from += end - piece->begin;
            piece->begin = end;
            copy_rest(u, i);
        } else
            remove_piece(u, i);
    }
}

uint8_t *unit_room(struct storage_unit *u, uint32_t address, size_t bytes, size_t *part)
{
    uint32_t at;
    *part = before_wrap(u, address, bytes, &at);
    uncover(u, at, at + (uint32_t)*part);
    mark_written(u, at, at + (uint32_t)*part);
    return u->bytes + at;
}

void unit_lend(struct storage_unit *u, uint32_t address, const uint8_t *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        uint32_t at;
        const uint32_t part = before_wrap(u, address + (uint32_t)done, bytes - done, &at);
        uncover(u, at, at + part);
        if (u->pieces == UNIT_PIECES)
            copy_piece(u, smallest_piece(u));
        u->piece[u->pieces++] = (struct unit_piece){at, at + part, from + done};
        done += part;
    }
}

static void read_part(const struct storage_unit *u, uint32_t begin, uint32_t end, uint8_t *to)
{
    memcpy(to, u->bytes + begin, end - begin);
    for (unsigned i = 0; i < u->pieces; i++) {
        const struct unit_piece *piece = &u->piece[i];
        const uint32_t first = piece->begin > begin ? piece->begin : begin,
                       last = piece->end < end ? piece->end : end;
        if (first < last)
            memcpy(to + (first - begin), piece->from + (first - piece->begin), last - first);
    }
}

static const struct unit_piece *piece_at(const struct storage_unit *u, uint32_t at)
{
    for (unsigned i = u->pieces; i-- > 0;)
        if (u->piece[i].begin <= at && at < u->piece[i].end)
            return &u->piece[i];
    return NULL;
}

const uint8_t *unit_find(const struct storage_unit *u, uint32_t address, size_t bytes)
{
    const uint8_t *first = NULL;
    for (size_t done = 0; done < bytes;) {
        const uint32_t at = (address + (uint32_t)done) & (u->size - 1);
        const struct unit_piece *piece = piece_at(u, at);
        if (!piece || (first && piece->from + (at - piece->begin) != first + done))
            return NULL;
        first = done ? first : piece->from + (at - piece->begin);
        done += piece->end - at;
    }
    return first;
}

void unit_read(const struct storage_unit *u, uint32_t address, uint8_t *to, size_t bytes)
{
    const uint8_t *lent = unit_find(u, address, bytes);
    if (lent) {
        memcpy(to, lent, bytes);
        return;
    }
    for (size_t done = 0; done < bytes;) {
        uint32_t at;
        const uint32_t part = before_wrap(u, address + (uint32_t)done, bytes - done, &at);
        read_part(u, at, at + part, to + done);
        done += part;
    }
}
