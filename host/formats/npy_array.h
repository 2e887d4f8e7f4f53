/* SPDX-License-Identifier: Apache-2.0
 *
 * NumPy's .npy files as arrays of any number of dimensions: what a header says,
 * and headers to write. The readers of matrices and of tensors share it.
 */
#ifndef TULLE_HOST_FORMATS_NPY_ARRAY_H
#define TULLE_HOST_FORMATS_NPY_ARRAY_H

#include <stdint.h>

#include "gen/base/diag.h"

#define NPY_MAGIC "\x93NUMPY"

/* The data begins at a multiple of this. */
enum { NPY_ALIGNMENT = 64, NPY_RANK_MAX = 16 };

struct npy_array {
    char descr[16]; /* the type, as numpy writes it */
    bool column_major;
    unsigned rank;
    uint64_t size[NPY_RANK_MAX];
    const char *data; /* in the file's bytes */
    size_t data_bytes;
    size_t descr_at, order_at, shape_at, data_at; /* bytes of the file */
};

/* Reports an error with the byte of the file. */
void npy_error(const char *name, size_t at, const char *cause, struct diag *diag);
/* Takes the header. False after an error. */
bool npy_open(const char *name, const struct strbuf *bytes, struct npy_array *array, struct diag *diag);
/* Whether the array is of the little-endian type, as "<f4". */
bool npy_same_type(const struct npy_array *array, const char *descr);
/* Whether the data has as many bytes as the sizes say, for elements of so many. False after an error. */
bool npy_check_data(const char *name, const struct npy_array *array, unsigned bytes, struct diag *diag);

void npy_add_header(struct strbuf *to, const char *descr, const uint64_t *size, unsigned rank);

static inline uint64_t npy_little_endian(const char *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return value;
}

#endif
