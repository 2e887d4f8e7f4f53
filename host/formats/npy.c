/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/formats/npy_array.h"
#include "host/formats/npy_type.h"
#include "host/formats/readers.h"

const struct npy_type_info npy_types[NPY_TYPES] = {
    [NPY_INT8] = {.descr = "|i1", .name = "int8", .bytes = 1},
    [NPY_INT16] = {.descr = "<i2", .name = "int16", .bytes = 2},
    [NPY_INT32] = {.descr = "<i4", .name = "int32", .bytes = 4},
    [NPY_INT64] = {.descr = "<i8", .name = "int64", .bytes = 8},
    [NPY_UINT8] = {.descr = "|u1", .name = "uint8", .bytes = 1, .is_unsigned = true},
    [NPY_FLOAT32] = {.descr = "<f4", .name = "float32", .bytes = 4, .is_float = true},
    [NPY_FLOAT64] = {.descr = "<f8", .name = "float64", .bytes = 8, .is_float = true},
};

struct reader {
    struct place place;
    struct diag *diag;
    struct npy_array array;
    enum npy_type type;
    struct entries *entries;
};

static bool fail(const struct reader *r, size_t at, const char *cause)
{
    npy_error(r->place.file, at, cause, r->diag);
    return false;
}

static bool take_type(struct reader *r)
{
    struct strbuf text = {0};
    for (unsigned type = NPY_INT8; type < NPY_TYPES; type++)
        if (npy_same_type(&r->array, npy_types[type].descr))
            r->type = (enum npy_type)type;
    if (r->type != NPY_NARROWEST)
        return true;
    sb_add_quoted(&text, r->array.descr);
    sb_add(&text, " is no type that is read; convert the array with astype to int8, int16, int32, int64, "
                  "uint8, float32 or float64");
    fail(r, r->array.descr_at, sb_text(&text));
    sb_free(&text);
    return false;
}

/* A vector is one column; with `flatten`, all dimensions from the second on are columns. */
static bool check_size(struct reader *r, bool flatten, size_t file_bytes)
{
    const struct npy_array *a = &r->array;
    uint64_t columns = 1;
    if (!a->rank)
        return fail(r, a->shape_at, "the array has no dimension; reshape it to a matrix first");
    if (a->rank > 2 && !flatten)
        return fail(r, a->shape_at, "the array has more than 2 dimensions; reshape it to a matrix first");
    if (a->rank > 2 && a->column_major)
        return fail(
            r, a->order_at,
            "the array has more than 2 dimensions in Fortran order; save numpy.ascontiguousarray of it");
    for (unsigned i = 1; i < a->rank; i++)
        columns = a->size[i] && columns > UINT64_MAX / a->size[i] ? UINT64_MAX : columns * a->size[i];
    return entries_size(r->entries, a->size[0], columns, file_bytes, r->place, r->diag) &&
           npy_check_data(r->place.file, a, npy_types[r->type].bytes, r->diag);
}

static union entry_value load(const struct npy_type_info *type, const char *at)
{
    const uint64_t bits = npy_little_endian(at, type->bytes);
    const unsigned unused = (64 - 8 * type->bytes) % 64;
    const uint32_t single_bits = (uint32_t)bits;
    union entry_value value;
    float single;
    if (!type->is_float) {
        value.integer = type->is_unsigned ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
    } else if (type->bytes == sizeof single) {
        memcpy(&single, &single_bits, sizeof single);
        value.real = single;
    } else {
        memcpy(&value.real, &bits, sizeof value.real);
    }
    return value;
}

static bool take_element(struct reader *r, uint32_t row, uint32_t column, const char *at)
{
    const struct npy_type_info *type = &npy_types[r->type];
    const union entry_value value = load(type, at);
    if (type->is_float && !isfinite(value.real)) {
        diag_error(r->diag, r->place,
                   "at byte %zu: element [%" PRIu32 ", %" PRIu32
                   "] is not finite; it must be a number to compute with",
                   r->array.data_at + (size_t)(at - r->array.data), row, column);
        return false;
    }
    if (type->is_float ? value.real != 0 : value.integer != 0)
        entries_add(r->entries, row, column, value);
    return true;
}

/* At most, which is enough to reserve: a negative zero counts. */
static size_t count_non_zeros(const struct reader *r)
{
    const unsigned bytes = npy_types[r->type].bytes;
    size_t count = 0;
    for (const char *at = r->array.data; at < r->array.data + r->array.data_bytes; at += bytes)
        count += npy_little_endian(at, bytes) != 0;
    return count;
}

static bool take_data(struct reader *r)
{
    const uint64_t rows = r->entries->rows, columns = r->entries->columns;
    const uint64_t row_step = r->array.column_major ? 1 : columns,
                   column_step = r->array.column_major ? rows : 1;
    const unsigned bytes = npy_types[r->type].bytes;
    if (!entries_reserve(r->entries, count_non_zeros(r), r->place, r->diag))
        return false;
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < columns; column++)
            if (!take_element(r, (uint32_t)row, (uint32_t)column,
                              r->array.data + (row * row_step + column * column_step) * bytes))
                return false;
    return true;
}

bool npy_read(const char *name, const struct strbuf *bytes, bool flatten, struct entries *entries,
              struct diag *diag)
{
    struct reader r = {.place = {.file = name}, .diag = diag, .entries = entries};
    if (!npy_open(name, bytes, &r.array, diag) || !take_type(&r) || !check_size(&r, flatten, bytes->len))
        return false;
    entries->values = npy_types[r.type].is_float ? MATRIX_REAL : MATRIX_INTEGER;
    entries->bytes = r.type == NPY_UINT8;
    return take_data(&r);
}
