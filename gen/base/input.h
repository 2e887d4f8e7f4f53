/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a whole input file into memory. A size limit refuses a huge or endless file before it is read.
 */
#ifndef TULLE_GEN_INPUT_H
#define TULLE_GEN_INPUT_H

#include "gen/base/diag.h"

/* Appends the file's bytes to `to` ("-" is standard input). On failure reports an error that names the
 * file, the cause and, for a file over the limit, the limit; returns false. */
bool input_read(const char *path, size_t limit, struct strbuf *to, struct diag *diag);

#endif
