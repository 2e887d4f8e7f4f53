/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/room.h"

#include <stdlib.h>

/* ---- bytes ------------------------------------------------------------------------------------------- */

uint64_t group_place_bytes(const struct group *group, size_t member)
{
    const struct group_value *v = &group->chart->values[group->members[member].value];
    return v->bytes / (uint64_t)(v->size[GROUP_ROWS] * v->size[GROUP_COLUMNS]);
}

uint64_t group_place_room(const struct group *group, size_t member)
{
    const uint64_t unit = group->chart->unit;
    return (group_place_bytes(group, member) + unit - 1) / unit * unit;
}

/* Rows, or columns, of a frame; none of a value that a slice has nothing to do with. */
static uint64_t length(const struct group_range *r)
{
    return r->end > r->begin ? (uint64_t)(r->end - r->begin + r->before + r->after) : 0;
}

static bool has_frame(const struct group *group, const struct group_member *m)
{
    return m->first != GROUP_NONE && !(m->input && group->chart->reads_through);
}

uint64_t group_frame_bytes(const struct group *group, const struct group_cut *cut, size_t row, size_t column,
                           size_t member)
{
    return has_frame(group, &group->members[member])
               ? length(group_range(group, &cut->slices[GROUP_ROWS], row, member)) *
                     length(group_range(group, &cut->slices[GROUP_COLUMNS], column, member)) *
                     group_place_room(group, member)
               : 0;
}

uint64_t group_kept_bytes(const struct group *group, const struct group_cut *cut, size_t member)
{
    uint64_t rows = 0, columns = 0;
    for (size_t p = 1; p < cut->slices[GROUP_ROWS].parts; p++) {
        const struct group_range *r = group_range(group, &cut->slices[GROUP_ROWS], p, member);
        const uint64_t kept = (uint64_t)(r->fresh - r->begin);
        rows = kept > rows ? kept : rows;
    }
    for (size_t q = 0; rows && q < cut->slices[GROUP_COLUMNS].parts; q++) {
        const struct group_range *r = group_range(group, &cut->slices[GROUP_COLUMNS], q, member);
        const uint64_t wide = (uint64_t)(r->end - r->begin);
        columns = wide > columns ? wide : columns;
    }
    return rows * columns * group_place_room(group, member);
}

static uint64_t all_kept(const struct group *group, const struct group_cut *cut)
{
    uint64_t bytes = 0;
    for (size_t m = 0; cut->keeping != KEEP_NOTHING && m < group->count; m++)
        bytes += group_kept_bytes(group, cut, m);
    return bytes;
}

/* ---- lifetimes --------------------------------------------------------------------------------------- */

static size_t life_begins(const struct group_member *m)
{
    return m->input ? m->first : m->made;
}

/* Bytes appear with a value's frame and go behind its last reader. */
static uint64_t peak_of_slice(const struct group *group, const struct group_cut *cut, size_t row,
                              size_t column)
{
    const size_t layers = group->last - group->first + 1;
    uint64_t now = 0, peak = 0, *come = group->work, *go = group->work + layers + 1;
    for (size_t i = 0; i < 2 * (layers + 1); i++)
        group->work[i] = 0;
    for (size_t m = 0; m < group->count; m++) {
        const struct group_member *member = &group->members[m];
        const uint64_t bytes = group_frame_bytes(group, cut, row, column, m);
        if (!bytes)
            continue;
        come[life_begins(member) - group->first] += bytes;
        go[member->last - group->first + 1] += bytes;
    }
    for (size_t i = 0; i < layers; i++) {
        now += come[i] - go[i];
        peak = now > peak ? now : peak;
    }
    return peak;
}

uint64_t group_peak(const struct group *group, const struct group_cut *cut)
{
    uint64_t peak = 0;
    for (size_t p = 0; p < cut->slices[GROUP_ROWS].parts; p++)
        for (size_t q = 0; q < cut->slices[GROUP_COLUMNS].parts; q++) {
            const uint64_t slice = peak_of_slice(group, cut, p, q);
            peak = slice > peak ? slice : peak;
        }
    return peak + all_kept(group, cut);
}

/* ---- addresses --------------------------------------------------------------------------------------- */

static bool live_together(const struct group_member *a, const struct group_member *b)
{
    return life_begins(a) <= b->last && life_begins(b) <= a->last;
}

/* The frames of a slice, and where those lie that have a place. */
struct placing {
    const struct group *group;
    const struct group_cut *cut;
    size_t row, column;
    uint64_t *addresses;
};

static uint64_t bytes_of(const struct placing *p, size_t member)
{
    return group_frame_bytes(p->group, p->cut, p->row, p->column, member);
}

/* Whether a frame at that address meets another one that lives with it; `end`: where that ends. */
static bool meets(const struct placing *p, size_t member, uint64_t at, size_t other, uint64_t *end)
{
    const struct group_member *members = p->group->members;
    if (other == member || p->addresses[other] == UINT64_MAX ||
        !live_together(&members[member], &members[other]))
        return false;
    *end = p->addresses[other] + bytes_of(p, other);
    return at < *end && p->addresses[other] < at + bytes_of(p, member);
}

/* The lowest address at or above `base` where a frame meets none that lives with it. */
static uint64_t lowest(const struct placing *p, size_t member, uint64_t base)
{
    uint64_t at = base, end;
    bool moved = true;
    while (moved) {
        moved = false;
        for (size_t o = 0; o < p->group->count; o++)
            if (meets(p, member, at, o, &end)) {
                at = end;
                moved = true;
            }
    }
    return at;
}

/* The largest frame without a place; the number of members: all have one. */
static size_t largest_left(const struct placing *p)
{
    size_t largest = p->group->count;
    uint64_t most = 0;
    for (size_t m = 0; m < p->group->count; m++) {
        const uint64_t bytes = p->addresses[m] == UINT64_MAX ? bytes_of(p, m) : 0;
        largest = bytes > most ? m : largest;
        most = bytes > most ? bytes : most;
    }
    return largest;
}

uint64_t group_place(const struct group *group, const struct group_cut *cut, size_t row, size_t column,
                     uint64_t *addresses)
{
    const struct placing p = {group, cut, row, column, addresses};
    const uint64_t base = all_kept(group, cut);
    uint64_t top = base;
    for (size_t m = 0; m < group->count; m++)
        addresses[m] = UINT64_MAX;
    for (size_t m = largest_left(&p); m < group->count; m = largest_left(&p)) {
        addresses[m] = lowest(&p, m, base);
        top = addresses[m] + bytes_of(&p, m) > top ? addresses[m] + bytes_of(&p, m) : top;
    }
    return top;
}

bool group_room(const struct group *group, const struct group_cut *cut, uint64_t *bytes)
{
    uint64_t *addresses = calloc(group->count + 1, sizeof *addresses);
    *bytes = 0;
    for (size_t p = 0; addresses && p < cut->slices[GROUP_ROWS].parts; p++)
        for (size_t q = 0; q < cut->slices[GROUP_COLUMNS].parts; q++) {
            const uint64_t top = group_place(group, cut, p, q, addresses);
            *bytes = top > *bytes ? top : *bytes;
        }
    free(addresses);
    return addresses != NULL;
}
