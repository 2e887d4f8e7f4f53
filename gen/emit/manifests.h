/* SPDX-License-Identifier: Apache-2.0
 *
 * The values of the templates that describe the emitted folder.
 */
#ifndef TULLE_GEN_EMIT_MANIFESTS_H
#define TULLE_GEN_EMIT_MANIFESTS_H

#include "gen/emit/template.h"

extern const struct template_value file_list_values[];      /* tulle.f */
extern const struct template_value core_values[];           /* tulle.core */
extern const struct template_value readme_values[];         /* README.md */
extern const struct template_value variant_script_values[]; /* variant.tcl */

#endif
