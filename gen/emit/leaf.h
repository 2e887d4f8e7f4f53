/* SPDX-License-Identifier: Apache-2.0
 *
 * The modules of rtl/, turned into a C array by the build (gen/gen.mk), in
 * alphabetical order.
 */
#ifndef TULLE_GEN_EMIT_LEAF_H
#define TULLE_GEN_EMIT_LEAF_H

#include <stddef.h>

struct leaf_source {
    const char *name;  /* the module's: the file's without .v */
    const char *label; /* path in an output folder: rtl/<name>.v */
    const char *text;
};

extern const struct leaf_source leaf_sources[];
extern const size_t leaf_source_count;

#endif
