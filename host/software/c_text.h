/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that generated files consist of, one in each file of host/software/text.
 */
#ifndef TULLE_HOST_SOFTWARE_C_TEXT_H
#define TULLE_HOST_SOFTWARE_C_TEXT_H

#include <stddef.h>

struct c_text_source {
    const char *name, *path, *text;
};
extern const struct c_text_source c_text_sources[];
extern const size_t c_text_source_count;

#endif
