/* SPDX-License-Identifier: Apache-2.0
 *
 * The scripts of bitstreams/vendor/, turned into a C array by the build (gen/gen.mk), in alphabetical order.
 * They are the same for every variant and read vendor/variant.tcl, which is generated.
 */
#ifndef TULLE_GEN_EMIT_VENDOR_H
#define TULLE_GEN_EMIT_VENDOR_H

#include <stddef.h>

struct vendor_source {
    const char *name;
    const char *label; /* path in an output folder: vendor/<name> */
    const char *text;
};

extern const struct vendor_source vendor_sources[];
extern const size_t vendor_source_count;

#endif
