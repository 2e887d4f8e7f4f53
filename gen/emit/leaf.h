/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of the modules in rtl/, in alphabetical order. The build turns them into this C array
 * (gen/gen.mk).
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
