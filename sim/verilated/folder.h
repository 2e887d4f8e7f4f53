/* SPDX-License-Identifier: Apache-2.0
 *
 * What sim/verilated/build leaves in a folder: a row and the variant it is of.
 */
#ifndef TULLE_SIM_VERILATED_FOLDER_H
#define TULLE_SIM_VERILATED_FOLDER_H

#include "gen/variant/variant.h"
#include "sim/verilated/row.h"

/* False with the reason in `why`. */
bool row_folder_load(const char *folder, struct variant *variant, const struct row_api **api,
                     struct strbuf *why);

#endif
