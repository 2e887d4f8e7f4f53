/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that every template may name: the parameters of the variant (keys.c), what is derived from them
 * (derive.c), further numbers and texts (values.c).
 */
#ifndef TULLE_GEN_EMIT_VALUES_H
#define TULLE_GEN_EMIT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "gen/base/strbuf.h"

struct emit_context;

/* Appends the value; false when there is none of this name. */
bool values_add(struct strbuf *to, const struct emit_context *ctx, const char *name);

/* A number that values.c adds to keys and derived values. With a text it is in include/tulle_params.vh. */
struct values_number {
    const char *name;
    unsigned number;
    const char *text;
};

/* They are counted from 0; false behind the last. */
bool values_number(const struct emit_context *ctx, size_t index, struct values_number *number);

#endif
