/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "gen/base/input.h"
#include "gen/base/number.h"
#include "host/formats/name.h"
#include "host/formats/npy_array.h"
#include "host/formats/readers.h"

#define FILE_LIMIT (UINT64_C(4) << 30)

/* What the file begins with says more than its name. */
static enum format format_of(const char *name, const struct strbuf *bytes)
{
    const char *text = sb_text(bytes);
    if (bytes->len >= strlen(NPY_MAGIC) && !memcmp(text, NPY_MAGIC, strlen(NPY_MAGIC)))
        return FORMAT_NPY;
    text += strspn(text, " \t");
    if (!strncasecmp(text, MATRIX_MARKET_BANNER, strlen(MATRIX_MARKET_BANNER)))
        return FORMAT_MATRIX_MARKET;
    return format_of_name(name);
}

static bool read_entries(enum format format, const char *name, const struct strbuf *bytes, bool flatten,
                         struct entries *entries, struct diag *diag)
{
    switch (format) {
    case FORMAT_MATRIX_MARKET:
        return matrix_market_read(name, bytes, entries, diag);
    case FORMAT_SMTX:
        return smtx_read(name, bytes, entries, diag);
    case FORMAT_NPY:
        return npy_read(name, bytes, flatten, entries, diag);
    case FORMAT_AUTO:
        break;
    }
    diag_error(diag, (struct place){.file = name},
               "cannot tell the format, neither from the beginning nor from the name; "
               "let the name end in .mtx, .smtx or .npy");
    return false;
}

bool matrix_parse(const char *name, const struct strbuf *bytes, const struct read_options *options,
                  struct matrix *matrix, struct diag *diag)
{
    static const struct read_options defaults;
    const struct place place = {.file = name};
    struct number_locale locale;
    struct entries entries = {0};
    *matrix = (struct matrix){0};
    options = options ? options : &defaults;
    if (!number_locale_enter(&locale)) {
        diag_error(diag, place, "out of memory");
        return false;
    }
    const enum format format = options->format ? options->format : format_of(name, bytes);
    const bool ok = read_entries(format, name, bytes, options->flatten, &entries, diag) &&
                    entries_build(&entries, options, place, matrix, diag);
    entries_free(&entries);
    number_locale_leave(&locale);
    return ok;
}

bool matrix_read(const char *path, const struct read_options *options, struct matrix *matrix,
                 struct diag *diag)
{
    struct strbuf bytes = {0};
    const uint64_t limit = options && options->file_limit ? options->file_limit : FILE_LIMIT;
    *matrix = (struct matrix){0};
    const bool ok = input_read(path, limit < SIZE_MAX ? (size_t)limit : SIZE_MAX, &bytes, diag) &&
                    matrix_parse(strcmp(path, "-") != 0 ? path : "<stdin>", &bytes, options, matrix, diag);
    sb_free(&bytes);
    return ok;
}
