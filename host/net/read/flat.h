/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads flatbuffers where they lie. Every access is checked against the file:
 * what lies outside is as if it were not there, and is remembered in `bad`,
 * which the caller looks at when it has taken a part.
 */
#ifndef TULLE_HOST_NET_FLAT_H
#define TULLE_HOST_NET_FLAT_H

#include "host/net/proto/proto.h"

struct flat {
    const struct source *source;
    const void *bad; /* the first wrong place; NULL: none */
};

/* A table; `at` 0: one that is not there. */
struct flat_table {
    struct flat *flat;
    size_t at, fields; /* of the table and of the offsets of its fields */
    unsigned field_bytes;
};

struct flat_vector {
    const uint8_t *at;
    size_t count;
};

struct flat_table flat_root(struct flat *flat);
/* A number of so many bytes, sign-extended; `fallback` when it is not there. */
int64_t flat_number(struct flat_table t, unsigned field, unsigned bytes, int64_t fallback);
float flat_real(struct flat_table t, unsigned field, float fallback);
struct flat_table flat_sub(struct flat_table t, unsigned field);
/* A vector of elements of so many bytes. */
struct flat_vector flat_vector(struct flat_table t, unsigned field, unsigned bytes);
struct proto_text flat_text(struct flat_table t, unsigned field);
/* An element of a vector of tables. */
struct flat_table flat_element(struct flat *flat, struct flat_vector v, size_t index);
int64_t flat_integer(struct flat_vector v, size_t index, unsigned bytes);

#endif
