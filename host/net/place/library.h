/* SPDX-License-Identifier: Apache-2.0
 *
 * The function library: how long the host takes for an operator of a type and a
 * size. Measured times are lines of a file; what lies between them is
 * interpolated, with an error that is stated. The command has a file with it,
 * and `tulle net calibrate` writes another one for the machine that it runs on.
 */
#ifndef TULLE_HOST_NET_PLACE_LIBRARY_H
#define TULLE_HOST_NET_PLACE_LIBRARY_H

#include "gen/base/diag.h"
#include "host/net/place/features.h"

struct place_entry {
    struct place_features what;
    double seconds;
    double spread; /* relative: half of the distance between its quartiles */
};

struct place_library {
    struct place_entry *entries;
    size_t count, room;
};

struct place_time {
    double seconds;
    double error; /* relative; of an interpolation, what leaving out an entry of the operator gives */
    bool measured;
};

/* Adds the lines of a file: OPERATOR WORK BYTES SECONDS SPREAD, with tabs between them; lines that begin with
 * # are left out. False after an error, which names the line. */
bool place_library_read(struct place_library *library, const char *text, size_t length, const char *path,
                        struct diag *diag);
/* Adds an entry, or replaces the one of the same operator and size. False: out of memory. */
bool place_library_add(struct place_library *library, const struct place_entry *entry);
void place_library_write(const struct place_library *library, struct strbuf *to);
void place_library_free(struct place_library *library);

/* The time of an entry of the same size, or else of those of the operator that are nearest. Of an operator
 * that the library does not have, all entries that move as many bytes give the time, and the error is 1. */
struct place_time place_library_time(const struct place_library *library, const struct place_features *what);

/* The library that comes with Tulle. False after an error. */
bool place_library_shipped(struct place_library *library, struct diag *diag);

#endif
