/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gen/base/number.h"
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

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL_KEYS = DESCR | ORDER | SHAPE, DIMENSIONS_MAX = 2 };

struct reader {
    struct place place;
    struct diag *diag;
    const char *at, *end; /* the header's text, then the data */
    unsigned keys;        /* those that were there */
    enum npy_type type;
    bool column_major;
    bool flatten; /* dimensions from the second on are one */
    unsigned dimensions;
    uint64_t size[DIMENSIONS_MAX];
    struct entries *entries;
};

static bool fail(const struct reader *r, const char *cause)
{
    diag_error(r->diag, r->place, "%s", cause);
    return false;
}

static uint64_t little_endian(const char *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return value;
}

/* The header is a literal of the language Python, of which just this much is understood. Skips spaces. */
static bool ahead(struct reader *r, char c)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    return r->at < r->end && *r->at == c;
}

static bool take(struct reader *r, char c)
{
    const bool there = ahead(r, c);
    r->at += there;
    return there;
}

/* A quoted string without escapes, cut off after size - 1 characters. */
static bool take_string(struct reader *r, char *to, size_t size)
{
    const char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : '\0';
    size_t length = 0;
    for (; quote && r->at < r->end && *r->at != quote && *r->at != '\n'; r->at++)
        if (length < size - 1)
            to[length++] = *r->at;
    to[length] = '\0';
    return quote && take(r, quote);
}

static bool take_keyword(struct reader *r, const char *word)
{
    const size_t length = strlen(word);
    if (!take(r, word[0]))
        return false;
    if ((size_t)(r->end - r->at) < length - 1 || memcmp(r->at, word + 1, length - 1) != 0)
        return false;
    r->at += length - 1;
    return true;
}

static bool take_type(struct reader *r)
{
    char descr[16];
    if (!take_string(r, descr, sizeof descr))
        return fail(r, "the header's type is not that of a plain array; save one with numpy.save");
    if (descr[0] == '>' && descr[2] != '1')
        return fail(r,
                    "the array is big-endian; convert it with array.astype(array.dtype.newbyteorder('<'))");
    for (unsigned type = NPY_INT8; type < NPY_TYPES; type++) {
        const struct npy_type_info *info = &npy_types[type];
        const bool same_order = descr[0] == info->descr[0] || info->bytes == 1;
        if (descr[0] && same_order && strchr("<|>=", descr[0]) && !strcmp(descr + 1, info->descr + 1))
            r->type = (enum npy_type)type;
    }
    if (r->type != NPY_NARROWEST)
        return true;
    struct strbuf text = {0};
    sb_add_quoted(&text, descr);
    sb_add(&text, " is no type that is read; convert the array with astype to int8, int16, int32, int64, "
                  "uint8, float32 or float64");
    fail(r, sb_text(&text));
    sb_free(&text);
    return false;
}

static bool take_order(struct reader *r)
{
    r->column_major = take_keyword(r, "True");
    return r->column_major || take_keyword(r, "False") ||
           fail(r, "the header's fortran_order is neither True nor False; save the array again");
}

/* One number of the shape; Python 2 puts an L behind it. */
static bool take_dimension(struct reader *r)
{
    bool negative;
    uint64_t value;
    /* A number at the header's end may run on into the data. */
    if (number_integer(&r->at, &negative, &value) != NUMBER_OK || negative || r->at > r->end)
        return fail(r,
                    "the header's shape is not one of whole numbers from 0 below 2^64; save the array again");
    take(r, 'L');
    if (r->dimensions >= DIMENSIONS_MAX && !r->flatten)
        return fail(r, "the array has more than 2 dimensions; reshape it to a matrix first");
    if (r->dimensions < DIMENSIONS_MAX)
        r->size[r->dimensions] = value;
    else
        r->size[1] = value && r->size[1] > UINT64_MAX / value ? UINT64_MAX : r->size[1] * value;
    r->dimensions++;
    return true;
}

static bool take_shape(struct reader *r)
{
    if (!take(r, '('))
        return fail(r, "the header's shape is not in parentheses; save the array again");
    while (!take(r, ')')) {
        if (!take_dimension(r))
            return false;
        if (!take(r, ',') && !ahead(r, ')'))
            return fail(r, "the header's shape is not closed; save the array again");
    }
    return r->dimensions > 0 || fail(r, "the array has no dimension; reshape it to a matrix first");
}

static bool take_pair(struct reader *r)
{
    char key[16];
    if (!take_string(r, key, sizeof key) || !take(r, ':'))
        return fail(r, "the header is not understood; save the array with numpy.save");
    const unsigned bit = !strcmp(key, "descr")           ? DESCR
                         : !strcmp(key, "fortran_order") ? ORDER
                         : !strcmp(key, "shape")         ? SHAPE
                                                         : 0;
    if (!bit || r->keys & bit)
        return fail(r, "the header has an unknown or repeated key; it has descr, fortran_order and shape");
    r->keys |= bit;
    return bit == DESCR ? take_type(r) : bit == ORDER ? take_order(r) : take_shape(r);
}

static bool take_dictionary(struct reader *r)
{
    if (!take(r, '{'))
        return fail(r, "the header is not understood; save the array with numpy.save");
    while (!take(r, '}')) {
        if (!take_pair(r))
            return false;
        if (!take(r, ',') && !ahead(r, '}'))
            return fail(r, "the header is not understood; save the array with numpy.save");
    }
    while (take(r, '\n'))
        ;
    if (r->at != r->end)
        return fail(r, "the header has more than the array's description; save the array with numpy.save");
    return r->keys == ALL_KEYS || fail(r, "the header lacks a key of descr, fortran_order and shape");
}

/* Magic, version and length come before the header's text. */
static bool take_header(struct reader *r, const struct strbuf *bytes)
{
    enum { VERSION = 6, LENGTH = 8 };
    const char *text = sb_text(bytes);
    if (bytes->len < VERSION || memcmp(text, NPY_MAGIC, VERSION) != 0)
        return fail(r, "not a .npy file; it must begin with \\x93NUMPY");
    const unsigned major = bytes->len > VERSION ? (unsigned char)text[VERSION] : 0;
    const unsigned length_bytes = major == 1 ? 2 : 4;
    if (bytes->len < LENGTH + length_bytes)
        return fail(r, "the file ends in its header; it is cut off");
    if (major < 1 || major > 3 || text[VERSION + 1] != 0)
        return fail(r, "the version of the .npy format is not 1.0, 2.0 or 3.0; save the array again");
    const uint64_t length = little_endian(text + LENGTH, length_bytes);
    r->at = text + LENGTH + length_bytes;
    r->end = text + bytes->len;
    if (length > (uint64_t)(r->end - r->at))
        return fail(r, "the file ends in its header; it is cut off");
    r->end = r->at + length;
    if (!take_dictionary(r))
        return false;
    r->end = text + bytes->len;
    return true;
}

/* A vector is one column. */
static bool check_size(struct reader *r, size_t file_bytes)
{
    const uint64_t columns = r->dimensions >= 2 ? r->size[1] : 1;
    const uint64_t have = (uint64_t)(r->end - r->at);
    if (r->dimensions > DIMENSIONS_MAX && r->column_major)
        return fail(
            r, "the array has more than 2 dimensions in Fortran order; save numpy.ascontiguousarray of it");
    if (!entries_size(r->entries, r->size[0], columns, file_bytes, r->place, r->diag))
        return false;
    const uint64_t count = r->size[0] * columns;
    const unsigned bytes = npy_types[r->type].bytes;
    if (count <= UINT64_MAX / 8 && count * bytes == have)
        return true;
    diag_error(r->diag, r->place,
               "%" PRIu64 " bytes of data are not the %" PRIu64 " values of %u bytes that the header says; "
               "the file is %s",
               have, count, bytes, count > have / bytes ? "cut off" : "followed by something else");
    return false;
}

static union entry_value load(const struct npy_type_info *type, const char *at)
{
    const uint64_t bits = little_endian(at, type->bytes);
    const unsigned unused = 64 - 8 * type->bytes;
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
                   "element [%" PRIu32 ", %" PRIu32 "] is not finite; it must be a number to compute with",
                   row, column);
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
    for (const char *at = r->at; at < r->end; at += bytes)
        count += little_endian(at, bytes) != 0;
    return count;
}

static bool take_data(struct reader *r)
{
    const uint64_t rows = r->entries->rows, columns = r->entries->columns;
    const uint64_t row_step = r->column_major ? 1 : columns, column_step = r->column_major ? rows : 1;
    const unsigned bytes = npy_types[r->type].bytes;
    if (!entries_reserve(r->entries, count_non_zeros(r), r->place, r->diag))
        return false;
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < columns; column++)
            if (!take_element(r, (uint32_t)row, (uint32_t)column,
                              r->at + (row * row_step + column * column_step) * bytes))
                return false;
    return true;
}

bool npy_read(const char *name, const struct strbuf *bytes, bool flatten, struct entries *entries,
              struct diag *diag)
{
    struct reader r = {.place = {.file = name}, .diag = diag, .flatten = flatten, .entries = entries};
    if (!take_header(&r, bytes) || !check_size(&r, bytes->len))
        return false;
    entries->values = npy_types[r.type].is_float ? MATRIX_REAL : MATRIX_INTEGER;
    return take_data(&r);
}
