/* SPDX-License-Identifier: Apache-2.0
 *
 * The array's Verilog: what tulle-gen writes for a variant (decoders, PE,
 * cluster, row, array, top), and which modules of rtl/ it stands on.
 */
#ifndef TULLE_GEN_EMIT_ARRAY_H
#define TULLE_GEN_EMIT_ARRAY_H

#include <stdbool.h>

#include "gen/variant/variant.h"

struct emit_context;

/* Names of the leaf modules that the variant uses, in compilation order; NULL after the last. */
const char *const *array_leaf_modules(const struct variant *variant);

/* The parts of emit_array(), each a file or a few, bottom up. */
bool emit_array_decode(const struct emit_context *ctx);  /* rtl/tulle_decode_*.v */
bool emit_array_pe(const struct emit_context *ctx);      /* rtl/tulle_pe.v */
bool emit_array_cluster(const struct emit_context *ctx); /* rtl/tulle_cluster.v */
bool emit_array_row(const struct emit_context *ctx);     /* rtl/tulle_row.v */
bool emit_array_rows(const struct emit_context *ctx);    /* rtl/tulle_array.v */
bool emit_array_top(const struct emit_context *ctx);     /* rtl/tulle_top.v */

#endif
