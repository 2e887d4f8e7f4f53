/* SPDX-License-Identifier: Apache-2.0
 *
 * Interpolation is in logarithms, between the entries that are nearest in work
 * and bytes: each says a time in proportion to the work, and counts by the
 * inverse square of its distance. Times of operators span five decades, so it is
 * ratios that have to be right.
 */
#include "host/net/place/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/number.h"
#include "gen/base/room.h"
#include "host/net/place/times.h"

enum { NEAREST = 4 };

/* ---- files --------------------------------------------------------------------------------------- */

bool place_library_add(struct place_library *l, const struct place_entry *entry)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct place_features *what = &l->entries[i].what;
        if (!strcmp(what->key, entry->what.key) && what->work == entry->what.work &&
            what->bytes == entry->what.bytes) {
            l->entries[i] = *entry;
            return true;
        }
    }
    struct place_entry *list = room_for_one(l->entries, l->count, &l->room, 64, sizeof *list);
    if (!list)
        return false;
    l->entries = list;
    l->entries[l->count++] = *entry;
    return true;
}

/* A number behind a tab, which is not negative. */
static bool number(const char **at, double *to)
{
    if (**at != '\t')
        return false;
    ++*at;
    return number_real(at, to) == NUMBER_OK && *to >= 0;
}

static bool read_line(const char *line, struct place_entry *entry)
{
    const size_t key = strcspn(line, "\t");
    const char *at = line + key;
    if (!key || key >= sizeof entry->what.key)
        return false;
    *entry = (struct place_entry){.seconds = 0};
    memcpy(entry->what.key, line, key);
    return number(&at, &entry->what.work) && number(&at, &entry->what.bytes) &&
           number(&at, &entry->seconds) && number(&at, &entry->spread) && !*at && entry->seconds > 0;
}

bool place_library_read(struct place_library *l, const char *text, size_t length, const char *path,
                        struct diag *diag)
{
    enum { LINE_MOST = 256 };
    unsigned line = 0;
    for (size_t at = 0, end; at < length; at = end + 1) {
        char one[LINE_MOST] = "";
        struct place_entry entry;
        for (end = at; end < length && text[end] != '\n'; end++)
            continue;
        line++;
        if (end - at < sizeof one)
            memcpy(one, text + at, end - at);
        if (end == at || text[at] == '#')
            continue;
        if (!read_line(one, &entry)) {
            diag_error(diag, (struct place){.file = path, .line = line},
                       "a line of measured times is OPERATOR, work, bytes, seconds and spread, with tabs "
                       "between them");
            return false;
        }
        if (!place_library_add(l, &entry)) {
            diag_no_memory(diag, path);
            return false;
        }
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct place_entry *x = a, *y = b;
    const int order = strcmp(x->what.key, y->what.key);
    return order                          ? order
           : x->what.work != y->what.work ? (x->what.work > y->what.work) - (x->what.work < y->what.work)
                                          : (x->what.bytes > y->what.bytes) - (x->what.bytes < y->what.bytes);
}

void place_library_write(const struct place_library *l, struct strbuf *to)
{
    sb_add(to, "# Seconds of processor time that operators take on the host (docs/placement.md).\n"
               "# operator\twork\tbytes\tseconds\tspread\n");
    if (l->count)
        qsort(l->entries, l->count, sizeof *l->entries, by_key);
    for (size_t i = 0; i < l->count; i++) {
        const struct place_entry *e = &l->entries[i];
        sb_addf(to, "%s\t%.0f\t%.0f\t%.4g\t%.2g\n", e->what.key, e->what.work, e->what.bytes, e->seconds,
                e->spread);
    }
}

void place_library_free(struct place_library *l)
{
    free(l->entries);
    *l = (struct place_library){0};
}

bool place_library_shipped(struct place_library *l, struct diag *diag)
{
    return place_library_read(l, place_times_sources[0].text, strlen(place_times_sources[0].text),
                              place_times_sources[0].label, diag);
}

/* ---- times --------------------------------------------------------------------------------------- */

/* Entries that are near, the nearest one first. */
struct near {
    double distance[NEAREST], log_seconds[NEAREST];
    size_t count;
};

static double log_of(double value)
{
    return log(value + 1);
}

static void take(struct near *near, double distance, double log_seconds)
{
    size_t at = near->count;
    while (at && near->distance[at - 1] > distance)
        at--;
    if (at == NEAREST)
        return;
    near->count += near->count < NEAREST;
    for (size_t i = near->count - 1; i > at; i--) {
        near->distance[i] = near->distance[i - 1];
        near->log_seconds[i] = near->log_seconds[i - 1];
    }
    near->distance[at] = distance;
    near->log_seconds[at] = log_seconds;
}

/* Without entry `leave`. `key` is NULL: of all operators, by bytes. False: there is no entry. */
static bool interpolate(const struct place_library *l, const char *key, const struct place_features *what,
                        size_t leave, double *seconds)
{
    struct near near = {.count = 0};
    double sum = 0, weights = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct place_entry *e = &l->entries[i];
        if (i == leave || (key && strcmp(key, e->what.key) != 0))
            continue;
        const double work = log_of(what->work) - log_of(e->what.work),
                     bytes = log_of(what->bytes) - log_of(e->what.bytes);
        take(&near, key ? work * work + bytes * bytes : bytes * bytes,
             log(e->seconds) + (key ? work : bytes));
    }
    for (size_t i = 0; i < near.count; i++) {
        const double weight = 1 / (near.distance[i] + 1e-6);
        sum += weight * near.log_seconds[i];
        weights += weight;
    }
    *seconds = near.count ? exp(sum / weights) : 0;
    return near.count > 0;
}

/* The root of the mean square of what leaving out each entry of the operator gives, as a ratio less 1. */
static double stated_error(const struct place_library *l, const char *key)
{
    double sum = 0, seconds;
    size_t count = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct place_entry *e = &l->entries[i];
        if (strcmp(key, e->what.key) != 0 || !interpolate(l, key, &e->what, i, &seconds))
            continue;
        const double off = log(seconds / e->seconds);
        sum += off * off;
        count++;
    }
    return count ? exp(sqrt(sum / (double)count)) - 1 : 1;
}

struct place_time place_library_time(const struct place_library *l, const struct place_features *what)
{
    struct place_time time = {.error = 1};
    for (size_t i = 0; i < l->count; i++) {
        const struct place_entry *e = &l->entries[i];
        if (!strcmp(e->what.key, what->key) && e->what.work == what->work && e->what.bytes == what->bytes)
            return (struct place_time){e->seconds, e->spread, true};
    }
    if (interpolate(l, what->key, what, SIZE_MAX, &time.seconds))
        time.error = stated_error(l, what->key);
    else if (!interpolate(l, NULL, what, SIZE_MAX, &time.seconds))
        time.seconds = what->bytes * 1e-9; /* a library without any entry */
    return time;
}
