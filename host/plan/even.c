/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/even.h"

#include <stdlib.h>

bool even_cut(struct product *p)
{
    uint32_t least = p->segments;
    for (uint32_t t = 0; t + 1 < p->tile_count; t++)
        least = p->tiles[t].segments < least ? p->tiles[t].segments : least;
    const uint32_t tiles = math_divide_up(p->segments, least), each = math_divide_up(p->segments, tiles);
    bool ok = true;
    p->tile_count = 0;
    for (uint32_t first = 0; ok && first < p->segments; first += each)
        ok = product_add_tile(p, first, p->segments - first < each ? p->segments - first : each);
    return ok;
}

static bool is_whole(const struct product *p, uint32_t set)
{
    return p->tiles[set / p->k_steps % p->tile_count].segments == p->tiles[0].segments;
}

/* Bytes of the longest packet of each k step and column of clusters; NULL when out of memory. */
static uint32_t *longest_packets(const struct product *p, unsigned columns)
{
    uint32_t *longest = calloc((size_t)p->k_steps * columns, sizeof *longest);
    for (uint32_t i = 0; longest && i < p->set_count; i++)
        for (unsigned c = 0; is_whole(p, i) && c < columns; c++) {
            uint32_t *most = &longest[i % p->k_steps * columns + c];
            *most = p->sets[i].bytes[c] > *most ? p->sets[i].bytes[c] : *most;
        }
    return longest;
}

/* The packets of a set from `from` on, each padded to the `longest` of its column. */
static bool pad_set(struct packer *packer, struct product_set *set, const char *from, unsigned rows,
                    const uint32_t *longest, unsigned columns)
{
    set->offset = packer->to->len;
    set->row_bytes = 0;
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; from += set->bytes[c++]) {
            sb_addn(packer->to, from, set->bytes[c]);
            if (!packer_pad(packer, longest[c] - set->bytes[c]))
                return false;
        }
    for (unsigned c = 0; c < columns; c++)
        set->row_bytes += set->bytes[c] = longest[c];
    return sb_ok(packer->to);
}

bool even_pad(struct product *p, struct packer *packer, unsigned rows, unsigned columns, struct strbuf *text)
{
    struct strbuf padded = {0};
    uint32_t *longest = longest_packets(p, columns);
    bool ok = longest && sb_ok(text);
    packer->to = &padded;
    for (uint32_t i = 0; ok && i < p->set_count; i++) {
        struct product_set *set = &p->sets[i];
        ok = pad_set(packer, set, text->text + set->offset, rows,
                     is_whole(p, i) ? &longest[i % p->k_steps * columns] : set->bytes, columns);
        p->largest_set = set->row_bytes > p->largest_set ? set->row_bytes : p->largest_set;
    }
    free(longest);
    sb_free(text);
    *text = padded;
    return ok;
}
