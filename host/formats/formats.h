/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes matrix files: Matrix Market, .smtx and NumPy's .npy.
 * docs/formats.md says what is accepted. A file is read completely or refused
 * with a message that names the position. Memory stays proportional to the
 * file's size, whatever its header claims. The locale of the process has no
 * effect.
 */
#ifndef TULLE_HOST_FORMATS_FORMATS_H
#define TULLE_HOST_FORMATS_FORMATS_H

#include "gen/base/diag.h"
#include "gen/base/strbuf.h"
#include "host/formats/matrix.h"

enum format {
    FORMAT_AUTO, /* reading: by the first bytes of the file, then by its name; writing: by its name */
    FORMAT_MATRIX_MARKET,
    FORMAT_SMTX,
    FORMAT_NPY
};

/* All zero is the default. */
struct read_options {
    enum format format;
    bool keep_symmetric; /* leave a (skew-)symmetric matrix as its lower half instead of expanding it */
    bool drop_zeros;     /* leave out entries whose value is zero */
    bool flatten;        /* .npy with more than two dimensions: all but the first are columns */
    uint64_t file_limit; /* bytes; 0: 4 GiB */
};

/* "-" is standard input. `options` may be NULL. On failure reports one error and leaves `matrix` empty. What
 * `matrix` held before is not freed. */
bool matrix_read(const char *path, const struct read_options *options, struct matrix *matrix,
                 struct diag *diag);

/* Reads a file that is in memory; `name` is used as its path. */
bool matrix_parse(const char *name, const struct strbuf *bytes, const struct read_options *options,
                  struct matrix *matrix, struct diag *diag);

enum npy_type {
    NPY_NARROWEST, /* the first of int8, int16, int32, int64 that holds every value; float64 for reals */
    NPY_INT8,
    NPY_INT16,
    NPY_INT32,
    NPY_INT64,
    NPY_UINT8,
    NPY_FLOAT32, /* only values that it holds exactly */
    NPY_FLOAT64,
    NPY_TYPES
};

/* All zero is the default. */
struct write_options {
    enum format format;
    bool array; /* Matrix Market: every value, column by column, instead of the entries */
    enum npy_type npy_type;
};

/* Writes the file completely or not at all; "-" is standard output, which needs a format. `options` may be
 * NULL. A matrix that the format cannot hold is refused: .smtx takes patterns only, .npy and arrays no
 * symmetry. */
bool matrix_write(const char *path, const struct write_options *options, const struct matrix *matrix,
                  struct diag *diag);

/* Writes the file to memory. */
bool matrix_format(const char *name, const struct write_options *options, const struct matrix *matrix,
                   struct strbuf *to, struct diag *diag);

#endif
