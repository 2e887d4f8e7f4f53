/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/npy_array.h"

#include <inttypes.h>
#include <string.h>

#include "gen/base/number.h"

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL_KEYS = DESCR | ORDER | SHAPE };

struct reader {
    const char *name;
    struct diag *diag;
    const char *file;
    const char *at, *end; /* of the header's text */
    unsigned keys;        /* those that were there */
    struct npy_array *array;
};

void npy_error(const char *name, size_t at, const char *cause, struct diag *diag)
{
    diag_error(diag, (struct place){.file = name}, "at byte %zu: %s", at, cause);
}

static bool fail(const struct reader *r, const char *at, const char *cause)
{
    npy_error(r->name, (size_t)(at - r->file), cause, r->diag);
    return false;
}

/* The header is a literal of the language Python, of which just this much is understood. The next place that
 * is no space. */
static const char *skip(struct reader *r)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    return r->at;
}

static bool ahead(struct reader *r, char c)
{
    return skip(r) < r->end && *r->at == c;
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
    char *descr = r->array->descr;
    const char *begin = skip(r);
    r->array->descr_at = (size_t)(begin - r->file);
    if (!take_string(r, descr, sizeof r->array->descr))
        return fail(r, begin, "the header's type is not that of a plain array; save one with numpy.save");
    if (descr[0] == '>' && descr[2] != '1')
        return fail(r, begin,
                    "the array is big-endian; convert it with array.astype(array.dtype.newbyteorder('<'))");
    return true;
}

static bool take_order(struct reader *r)
{
    const char *begin = skip(r);
    r->array->order_at = (size_t)(begin - r->file);
    r->array->column_major = take_keyword(r, "True");
    return r->array->column_major || take_keyword(r, "False") ||
           fail(r, begin, "the header's fortran_order is neither True nor False; save the array again");
}

/* One number of the shape; Python 2 puts an L behind it. */
static bool take_dimension(struct reader *r)
{
    const char *begin = skip(r);
    bool negative;
    uint64_t value;
    /* A number at the header's end may run on into the data. */
    if (number_integer(&r->at, &negative, &value) != NUMBER_OK || negative || r->at > r->end)
        return fail(r, begin,
                    "the header's shape is not one of whole numbers from 0 below 2^64; save the array again");
    take(r, 'L');
    if (r->array->rank >= NPY_RANK_MAX)
        return fail(r, begin, "the array has more than 16 dimensions; reshape it first");
    r->array->size[r->array->rank++] = value;
    return true;
}

static bool take_shape(struct reader *r)
{
    r->array->shape_at = (size_t)(skip(r) - r->file);
    if (!take(r, '('))
        return fail(r, r->at, "the header's shape is not in parentheses; save the array again");
    while (!take(r, ')')) {
        if (!take_dimension(r))
            return false;
        if (!take(r, ',') && !ahead(r, ')'))
            return fail(r, r->at, "the header's shape is not closed; save the array again");
    }
    return true;
}

static bool take_pair(struct reader *r)
{
    char key[16];
    const char *begin = skip(r);
    if (!take_string(r, key, sizeof key) || !take(r, ':'))
        return fail(r, begin, "the header is not understood; save the array with numpy.save");
    const unsigned bit = !strcmp(key, "descr")           ? DESCR
                         : !strcmp(key, "fortran_order") ? ORDER
                         : !strcmp(key, "shape")         ? SHAPE
                                                         : 0;
    if (!bit || r->keys & bit)
        return fail(r, begin,
                    "the header has an unknown or repeated key; it has descr, fortran_order and shape");
    r->keys |= bit;
    return bit == DESCR ? take_type(r) : bit == ORDER ? take_order(r) : take_shape(r);
}

static bool take_dictionary(struct reader *r)
{
    if (!take(r, '{'))
        return fail(r, r->at, "the header is not understood; save the array with numpy.save");
    while (!take(r, '}')) {
        if (!take_pair(r))
            return false;
        if (!take(r, ',') && !ahead(r, '}'))
            return fail(r, r->at, "the header is not understood; save the array with numpy.save");
    }
    while (take(r, '\n'))
        ;
    if (r->at != r->end)
        return fail(r, r->at,
                    "the header has more than the array's description; save the array with numpy.save");
    return r->keys == ALL_KEYS || fail(r, r->at, "the header lacks a key of descr, fortran_order and shape");
}

/* Magic, version and length come before the header's text. */
static bool take_header(struct reader *r, const char *text, size_t size)
{
    enum { VERSION = 6, LENGTH = 8 };
    if (size < VERSION || memcmp(text, NPY_MAGIC, VERSION) != 0)
        return fail(r, text, "not a .npy file; it must begin with \\x93NUMPY");
    const unsigned major = size > VERSION ? (unsigned char)text[VERSION] : 0;
    const unsigned length_bytes = major == 1 ? 2 : 4;
    if (size < LENGTH + length_bytes)
        return fail(r, text + size, "the file ends in its header; it is cut off");
    if (major < 1 || major > 3 || text[VERSION + 1] != 0)
        return fail(r, text + VERSION,
                    "the version of the .npy format is not 1.0, 2.0 or 3.0; save the array again");
    const uint64_t length = npy_little_endian(text + LENGTH, length_bytes);
    r->at = text + LENGTH + length_bytes;
    r->end = text + size;
    if (length > (uint64_t)(r->end - r->at))
        return fail(r, text + size, "the file ends in its header; it is cut off");
    r->array->data = r->end = r->at + length;
    r->array->data_at = (size_t)(r->end - text);
    r->array->data_bytes = (size_t)(text + size - r->end);
    return take_dictionary(r);
}

bool npy_open(const char *name, const struct strbuf *bytes, struct npy_array *array, struct diag *diag)
{
    struct reader r = {.name = name, .diag = diag, .file = sb_text(bytes), .array = array};
    *array = (struct npy_array){.rank = 0};
    return take_header(&r, sb_text(bytes), bytes->len);
}

bool npy_same_type(const struct npy_array *array, const char *descr)
{
    const char *own = array->descr;
    const bool same_order = own[0] == descr[0] || descr[2] == '1';
    return own[0] && same_order && strchr("<|>=", own[0]) && !strcmp(own + 1, descr + 1);
}

bool npy_check_data(const char *name, const struct npy_array *array, unsigned bytes, struct diag *diag)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < array->rank; i++)
        count = array->size[i] && count > UINT64_MAX / array->size[i] ? UINT64_MAX : count * array->size[i];
    if (count <= UINT64_MAX / 8 && count * bytes == array->data_bytes)
        return true;
    diag_error(diag, (struct place){.file = name},
               "at byte %zu: %zu bytes of data are not the %" PRIu64
               " values of %u bytes that the header says; "
               "the file is %s",
               array->data_at, array->data_bytes, count, bytes,
               count > array->data_bytes / bytes ? "cut off" : "followed by something else");
    return false;
}

void npy_add_header(struct strbuf *to, const char *descr, const uint64_t *size, unsigned rank)
{
    enum { BEFORE_TEXT = 10 };
    struct strbuf header = {0};
    sb_addf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (unsigned i = 0; i < rank; i++)
        sb_addf(&header, "%s%" PRIu64, i ? ", " : "", size[i]);
    sb_add(&header, rank == 1 ? ",), }" : "), }");
    while ((BEFORE_TEXT + header.len + 1) % NPY_ALIGNMENT && sb_ok(&header))
        sb_add(&header, " ");
    sb_add(&header, "\n");
    const char before[BEFORE_TEXT + 1] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(header.len & 0xff), (char)(header.len >> 8)};
    sb_addn(to, before, BEFORE_TEXT);
    sb_addn(to, sb_text(&header), header.len);
    to->failed |= !sb_ok(&header);
    sb_free(&header);
}
