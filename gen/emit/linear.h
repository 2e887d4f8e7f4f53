/* SPDX-License-Identifier: Apache-2.0
 *
 * Widths and positions as linear functions of a variant's data_width and index_width, for texts that are the
 * same for every variant.
 */
#ifndef TULLE_GEN_EMIT_LINEAR_H
#define TULLE_GEN_EMIT_LINEAR_H

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"

/* data * data_width + index * index_width + constant */
struct linear {
    int data, index, constant;
};

struct linear linear_add(struct linear a, struct linear b);
struct linear linear_bits(const struct isa_field *field);
/* Position of the field's least significant bit; for families that are not numbered from the left. */
struct linear linear_lsb(const struct isa_format *format, const struct isa_field *field);

/* "D + I - 1", with the names given for data_width and index_width. */
void linear_print(struct strbuf *to, struct linear value, const char *data, const char *index);

#endif
