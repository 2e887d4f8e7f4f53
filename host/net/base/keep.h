/* SPDX-License-Identifier: Apache-2.0
 *
 * What is made of a network's constants and stays with it, so that the next run finds it: pieces of memory
 * with a bound on all of them together.
 */
#ifndef TULLE_HOST_NET_KEEP_H
#define TULLE_HOST_NET_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept;
struct keep {
    struct kept *first;
    size_t used, most; /* bytes; most 0: nothing is kept */
    uint64_t made;     /* pieces, since the beginning */
};

/* The piece that belongs to those numbers and has that form, or a new one in place of what they had; then it
 * is `fresh`, and to be filled. NULL: there is no room. */
void *keep_get(struct keep *keep, const void *numbers, const int64_t *form, size_t form_count, size_t bytes,
               bool *fresh);
void keep_close(struct keep *keep);

#endif
