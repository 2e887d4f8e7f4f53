/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/notes.h"

#include <stdlib.h>
#include <string.h>

void notes_free(struct cluster *c)
{
    free(c->notes.zero);
    free(c->notes.unrolled);
    c->notes = (struct notes){0};
}

void notes_reset(struct cluster *c, bool zeros)
{
    c->notes.zeros = c->notes.wrap = 0;
    c->notes.begin = 0;
    c->notes.end = zeros ? 0 : c->variant->input_buffer_depth;
}

/* ---- twice ----------------------------------------------------------------------------------- */

static void copy_twice(struct notes *m, const int32_t *input, uint32_t begin, uint32_t end)
{
    end = end > m->wrap ? m->wrap : end;
    if (begin >= end)
        return;
    memcpy(m->unrolled + begin, input + begin, (end - begin) * sizeof *input);
    memcpy(m->unrolled + m->wrap + begin, input + begin, (end - begin) * sizeof *input);
}

const int32_t *notes_unrolled(struct cluster *c, uint32_t wrap)
{
    struct notes *m = &c->notes;
    if (!m->unrolled)
        m->unrolled = malloc((size_t)2 * c->variant->input_buffer_depth * sizeof *m->unrolled);
    if (!m->unrolled || m->wrap == wrap)
        return m->unrolled;
    m->wrap = wrap;
    copy_twice(m, c->input, 0, wrap);
    return m->unrolled;
}

void notes_written(struct cluster *c, uint32_t begin, uint32_t end)
{
    struct notes *m = &c->notes;
    const bool none = m->begin == m->end;
    m->begin = none || begin < m->begin ? begin : m->begin;
    m->end = none || end > m->end ? end : m->end;
    if (m->wrap)
        copy_twice(m, c->input, begin, end);
}

/* ---- zeros ----------------------------------------------------------------------------------- */

/* The first one that is not below the address. */
static uint32_t first_from(const struct notes *m, uint32_t address)
{
    uint32_t low = 0, high = m->zeros;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (m->zero[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Most activations are not 0. */
static inline bool none_of_eight(const int32_t *a)
{
    return !(!a[0] | !a[1] | !a[2] | !a[3] | !a[4] | !a[5] | !a[6] | !a[7]);
}

/* Returns how many there are. */
static uint32_t find_zeros(const int32_t *input, uint32_t begin, uint32_t end, uint16_t *to)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end;) {
        const uint32_t next = end - i < 8 ? end : i + 8;
        const bool none = end - i >= 8 && none_of_eight(input + i);
        for (; !none && i < next; i++) {
            to[count] = (uint16_t)i;
            count += !input[i];
        }
        i = next;
    }
    return count;
}

bool notes_look(struct cluster *c)
{
    struct notes *m = &c->notes;
    const uint32_t depth = c->variant->input_buffer_depth;
    if (m->begin == m->end)
        return true;
    if (!m->zero)
        m->zero = malloc(((size_t)depth + 1) * sizeof *m->zero);
    if (!m->zero)
        return false;
    const uint32_t before = first_from(m, m->begin), behind = first_from(m, m->end), rest = m->zeros - behind;
    uint16_t *away = m->zero + depth - rest; /* there are no more than that many */
    memmove(away, m->zero + behind, rest * sizeof *away);
    const uint32_t found = find_zeros(c->input, m->begin, m->end, m->zero + before);
    memmove(m->zero + before + found, away, rest * sizeof *away);
    m->zeros = before + found + rest;
    m->begin = m->end = 0;
    return true;
}

/* Of the addresses [begin, end), the first of which is used uses[0] times. What was not written is 0. */
static uint64_t uses_of_zeros(const struct cluster *c, const uint32_t *uses, uint32_t begin, uint32_t end)
{
    const struct notes *m = &c->notes;
    uint64_t count = 0;
    for (uint32_t i = first_from(m, begin); i < m->zeros && m->zero[i] < end; i++)
        count += uses[m->zero[i] - begin];
    for (uint32_t a = c->written > begin ? c->written : begin; a < end; a++)
        count += uses[a - begin];
    return count;
}

uint64_t notes_without_effect(const struct cluster *c, const uint32_t *uses, size_t positions,
                              uint32_t address, uint32_t wrap)
{
    const uint32_t end = address + (uint32_t)positions;
    if (end <= wrap)
        return uses_of_zeros(c, uses, address, end);
    return uses_of_zeros(c, uses, address, wrap) + uses_of_zeros(c, uses + (wrap - address), 0, end - wrap);
}
