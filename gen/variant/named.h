/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of the built-in variants, in alphabetical order. The build turns gen/variants/<name>.yaml into
 * this C array (gen/gen.mk).
 */
#ifndef TULLE_GEN_VARIANT_NAMED_H
#define TULLE_GEN_VARIANT_NAMED_H

#include <stddef.h>

struct variant_source {
    const char *name;
    const char *label; /* stands for the file in messages */
    const char *text;
};

extern const struct variant_source variant_sources[];
extern const size_t variant_source_count;

#endif
