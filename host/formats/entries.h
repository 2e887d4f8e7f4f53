/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the entries of a matrix in any order, as a file has them, and makes
 * the matrix. It has what all readers share: limits, duplicates, symmetry, and
 * whether the values are integers.
 */
#ifndef TULLE_HOST_FORMATS_ENTRIES_H
#define TULLE_HOST_FORMATS_ENTRIES_H

#include "host/formats/formats.h"

union entry_value {
    int64_t integer;
    double real;
};

struct entry {
    uint32_t row, column;
    union entry_value value; /* which one: struct entries.values */
};

struct entries {
    struct entry *at;
    size_t count, capacity;
    uint32_t rows, columns;
    enum matrix_values values;
    bool bytes;                    /* the type of the file's numbers is uint8 */
    enum matrix_symmetry symmetry; /* other than general: every entry has column <= row */
};

/* A matrix may have this many rows in any case, and as many as its file has bytes. A row costs 8 bytes of
 * memory; so a short file cannot ask for much. */
#define ENTRIES_ROWS_FREE (UINT64_C(1) << 24)

/* Checks and sets the size; an error is at `at`. */
bool entries_size(struct entries *entries, uint64_t rows, uint64_t columns, size_t file_bytes,
                  struct place at, struct diag *diag);

/* Allocates memory for that many entries; the caller adds no more. */
bool entries_reserve(struct entries *entries, size_t capacity, struct place at, struct diag *diag);

/* An integer that fits only an unsigned type makes all values real. False for one that fits neither. */
bool entries_add_integer(struct entries *entries, uint32_t row, uint32_t column, bool negative,
                         uint64_t magnitude);
void entries_add(struct entries *entries, uint32_t row, uint32_t column, union entry_value value);

/* Sorts the entries, adds up duplicates in their order, expands symmetry, and makes real values integers when
 * all of them are. */
bool entries_build(struct entries *entries, const struct read_options *options, struct place at,
                   struct matrix *matrix, struct diag *diag);
void entries_free(struct entries *entries);

#endif
