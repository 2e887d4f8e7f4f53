/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers of the formats: each checks what is in a file and adds its
 * entries. False with an error reported when the file is to be refused.
 */
#ifndef TULLE_HOST_FORMATS_READERS_H
#define TULLE_HOST_FORMATS_READERS_H

#include "host/formats/entries.h"

/* What files of the format begin with. */
#define MATRIX_MARKET_BANNER "%%MatrixMarket"
#define NPY_MAGIC "\x93NUMPY"

bool matrix_market_read(const char *name, const struct strbuf *bytes, struct entries *entries,
                        struct diag *diag);
bool smtx_read(const char *name, const struct strbuf *bytes, struct entries *entries, struct diag *diag);
bool npy_read(const char *name, const struct strbuf *bytes, bool flatten, struct entries *entries,
              struct diag *diag);

#endif
