/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/copies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names have no spaces, and keys are shorter than names may be: their ends do not count. */
struct place_features place_copy_features(const char *device, bool to_device, double bytes)
{
    struct place_features what = {.work = bytes, .bytes = bytes};
    snprintf(what.key, sizeof what.key, "copy-%s-%.40s", to_device ? "to" : "from", device);
    for (char *at = what.key; *at; at++)
        if (*at == ' ' || *at == '\t')
            *at = '-';
    return what;
}

/* Entries of the key with the nearest sizes, at most and at least so many bytes. */
struct between {
    const struct place_entry *below, *above;
};

static struct between find(const struct place_library *l, const struct place_features *what,
                           const struct place_entry *leave)
{
    struct between b = {NULL, NULL};
    for (size_t i = 0; i < l->count; i++) {
        const struct place_entry *e = &l->entries[i];
        if (e == leave || strcmp(e->what.key, what->key) != 0)
            continue;
        if (e->what.bytes <= what->bytes && (!b.below || e->what.bytes > b.below->what.bytes))
            b.below = e;
        if (e->what.bytes >= what->bytes && (!b.above || e->what.bytes < b.above->what.bytes))
            b.above = e;
    }
    return b;
}

/* A straight line between two entries. Smaller copies take what the smallest takes, larger ones are in
 * proportion to the largest. */
static double line(const struct between *b, double bytes)
{
    if (!b->below)
        return b->above->seconds;
    if (!b->above)
        return b->below->seconds * bytes / b->below->what.bytes;
    const double width = b->above->what.bytes - b->below->what.bytes,
                 share = width > 0 ? (bytes - b->below->what.bytes) / width : 0;
    return b->below->seconds + share * (b->above->seconds - b->below->seconds);
}

/* The root of the mean square of what leaving out each entry between two others gives, as a ratio less 1. */
static double stated_error(const struct place_library *l, const char *key)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct place_entry *e = &l->entries[i];
        const struct between b = find(l, &e->what, e);
        if (strcmp(e->what.key, key) != 0 || !b.below || !b.above)
            continue;
        const double off = log(line(&b, e->what.bytes) / e->seconds);
        sum += off * off;
        count++;
    }
    return count ? exp(sqrt(sum / (double)count)) - 1 : 1;
}

bool place_copy_time(const struct place_library *library, const char *device, bool to_device, double bytes,
                     struct place_time *to)
{
    const struct place_features what = place_copy_features(device, to_device, bytes);
    const struct between b = find(library, &what, NULL);
    if (!b.below && !b.above)
        return false;
    *to = (struct place_time){.seconds = line(&b, bytes)};
    to->measured = b.below && b.above && b.below == b.above;
    to->error = to->measured ? b.below->spread : stated_error(library, what.key);
    return true;
}
