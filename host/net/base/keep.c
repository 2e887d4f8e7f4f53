/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/base/keep.h"

#include <stdlib.h>
#include <string.h>

struct kept {
    struct kept *next;
    const void *numbers;
    int64_t *form;
    void *data;
    size_t form_count, bytes, all; /* all: what it counts for in `used` */
};

static void drop(struct keep *keep, struct kept **at)
{
    struct kept *piece = *at;
    *at = piece->next;
    keep->used -= piece->all;
    free(piece->form);
    free(piece->data);
    free(piece);
}

static bool is_same(const struct kept *piece, const int64_t *form, size_t form_count, size_t bytes)
{
    return piece->form_count == form_count && piece->bytes == bytes &&
           !memcmp(piece->form, form, form_count * sizeof *form);
}

static struct kept *new_piece(const int64_t *form, size_t form_count, size_t bytes)
{
    struct kept *piece = calloc(1, sizeof *piece);
    if (!piece)
        return NULL;
    piece->form = calloc(form_count + 1, sizeof *form);
    piece->data = calloc(bytes + 1, 1);
    if (piece->form && piece->data) {
        memcpy(piece->form, form, form_count * sizeof *form);
        return piece;
    }
    free(piece->form);
    free(piece->data);
    free(piece);
    return NULL;
}

void *keep_get(struct keep *keep, const void *numbers, const int64_t *form, size_t form_count, size_t bytes,
               bool *fresh)
{
    const size_t all = sizeof(struct kept) + form_count * sizeof *form + bytes;
    struct kept **at = &keep->first;
    *fresh = false;
    while (*at && (*at)->numbers != numbers)
        at = &(*at)->next;
    if (*at && is_same(*at, form, form_count, bytes))
        return (*at)->data;
    if (*at)
        drop(keep, at);
    if (keep->used > keep->most || all > keep->most - keep->used)
        return NULL;
    struct kept *piece = new_piece(form, form_count, bytes);
    if (!piece)
        return NULL;
    *piece = (struct kept){keep->first, numbers, piece->form, piece->data, form_count, bytes, all};
    keep->first = piece;
    keep->used += all;
    keep->made++;
    *fresh = true;
    return piece->data;
}

void keep_close(struct keep *keep)
{
    while (keep->first)
        drop(keep, &keep->first);
}
