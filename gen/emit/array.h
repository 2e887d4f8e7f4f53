/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits the Verilog that depends on the variant (decoders, PE, cluster, row, array, top), and lists the
 * modules of rtl/ that it instantiates.
 */
#ifndef TULLE_GEN_EMIT_ARRAY_H
#define TULLE_GEN_EMIT_ARRAY_H

#include <stdbool.h>

#include "gen/emit/template.h"
#include "gen/variant/variant.h"

struct emit_context;

/* Names of the leaf modules that the variant uses, in compilation order; NULL after the last. */
const char *const *array_leaf_modules(const struct variant *variant);

/* The values of the template tulle_decode.v. */
extern const struct template_value decode_values[];

bool emit_array_decode(const struct emit_context *ctx); /* rtl/tulle_decode_*.v */

#endif
