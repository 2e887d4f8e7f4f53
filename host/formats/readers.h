/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers of the formats. Each checks a file and collects its entries, and
 * returns false with an error reported when it refuses the file.
 */
#ifndef TULLE_HOST_FORMATS_READERS_H
#define TULLE_HOST_FORMATS_READERS_H

#include "host/formats/entries.h"

/* The first bytes of files of the format. */
#define MATRIX_MARKET_BANNER "%%MatrixMarket"

bool matrix_market_read(const char *name, const struct strbuf *bytes, struct entries *entries,
                        struct diag *diag);
bool smtx_read(const char *name, const struct strbuf *bytes, struct entries *entries, struct diag *diag);
bool npy_read(const char *name, const struct strbuf *bytes, bool flatten, struct entries *entries,
              struct diag *diag);

#endif
