/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of the scripts in bitstreams/vendor/, in alphabetical order. The build turns them into this C
 * array (gen/gen.mk). The scripts are the same for every variant. They read vendor/variant.tcl, which is
 * generated.
 */
#ifndef TULLE_GEN_EMIT_VENDOR_H
#define TULLE_GEN_EMIT_VENDOR_H

#include <stddef.h>

#include "gen/emit/template.h"

struct vendor_source {
    const char *name;
    const char *label; /* path in an output folder: vendor/<name> */
    const char *text;
};

extern const struct vendor_source vendor_sources[];
extern const size_t vendor_source_count;

extern const struct template_value kernel_values[]; /* kernel.xml */

#endif
