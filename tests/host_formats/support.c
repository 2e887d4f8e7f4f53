/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_formats/support.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

struct strbuf describe(const struct matrix *m)
{
    static const char *const values[] = {"pattern", "integer", "real"};
    static const char *const symmetries[] = {"", " symmetric", " skew-symmetric"};
    struct strbuf text = {0};
    sb_addf(&text, "%" PRIu32 "x%" PRIu32 " %s%s:", m->rows, m->columns, values[m->values],
            symmetries[m->symmetry]);
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint64_t i = m->start[r]; i < m->start[r + 1]; i++) {
            sb_addf(&text, " %" PRIu32 ",%" PRIu32, r, m->column[i]);
            if (m->integer)
                sb_addf(&text, "=%" PRId64, m->integer[i]);
            if (m->real)
                sb_addf(&text, "=%.17g", m->real[i]);
        }
    return text;
}

void expect_valid(const struct matrix *m)
{
    cr_assert(m->start && m->column && m->start[0] == 0);
    cr_assert_eq(m->values == MATRIX_INTEGER, m->integer != NULL);
    cr_assert_eq(m->values == MATRIX_REAL, m->real != NULL);
    for (uint32_t r = 0; r < m->rows; r++) {
        cr_assert_leq(m->start[r], m->start[r + 1]);
        for (uint64_t i = m->start[r]; i < m->start[r + 1]; i++) {
            cr_assert_lt(m->column[i], m->columns);
            cr_assert(i == m->start[r] || m->column[i - 1] < m->column[i], "row %" PRIu32, r);
        }
    }
}

bool same_matrix(const struct matrix *a, const struct matrix *b)
{
    const size_t n = (size_t)matrix_entries(a);
    return a->rows == b->rows && a->columns == b->columns && a->values == b->values &&
           a->symmetry == b->symmetry &&
           !memcmp(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start) &&
           !memcmp(a->column, b->column, n * sizeof *a->column) &&
           (!a->integer || !memcmp(a->integer, b->integer, n * sizeof *a->integer)) &&
           (!a->real || !memcmp(a->real, b->real, n * sizeof *a->real));
}

void expect_read_with(const struct read_options *options, const char *name, const char *text,
                      const char *description)
{
    struct strbuf bytes = {0};
    struct diag diag = {0};
    struct matrix matrix;
    sb_add(&bytes, text);
    cr_assert(matrix_parse(name, &bytes, options, &matrix, &diag), "%s\n%s", sb_text(&diag.text), text);
    expect_valid(&matrix);
    struct strbuf got = describe(&matrix);
    cr_assert_str_eq(sb_text(&got), description, "%s\nis read from\n%s", sb_text(&got), text);
    cr_assert_eq(diag.errors, 0);
    sb_free(&got);
    sb_free(&bytes);
    matrix_free(&matrix);
}

void expect_read(const char *name, const char *text, const char *description)
{
    expect_read_with(NULL, name, text, description);
}

struct matrix read_text(const char *name, const char *text)
{
    struct strbuf bytes = {0};
    struct diag diag = {0};
    struct matrix matrix;
    sb_add(&bytes, text);
    cr_assert(matrix_parse(name, &bytes, NULL, &matrix, &diag), "%s", sb_text(&diag.text));
    sb_free(&bytes);
    return matrix;
}

void expect_refused_bytes(const char *name, const struct strbuf *bytes, const char *message)
{
    struct diag diag = {0};
    struct matrix matrix;
    cr_assert_not(matrix_parse(name, bytes, NULL, &matrix, &diag), "%s is read", sb_text(bytes));
    cr_assert_eq(diag.errors, 1);
    cr_assert_str_eq(sb_text(&diag.text), message, "%sinstead of\n%s", sb_text(&diag.text), message);
    cr_assert(!matrix.start && !matrix.column && !matrix.rows);
    diag_free(&diag);
}

void expect_refused(const char *name, const char *text, const char *message)
{
    struct strbuf bytes = {0};
    sb_add(&bytes, text);
    expect_refused_bytes(name, &bytes, message);
    sb_free(&bytes);
}

void expect_not_written(const char *name, const struct write_options *options, const struct matrix *matrix,
                        const char *message)
{
    struct strbuf bytes = {0};
    struct diag diag = {0};
    cr_assert_not(matrix_format(name, options, matrix, &bytes, &diag));
    cr_assert_str_eq(sb_text(&diag.text), message, "%sinstead of\n%s", sb_text(&diag.text), message);
    sb_free(&bytes);
    diag_free(&diag);
}

struct strbuf npy_file(unsigned version, const char *header, const void *data, size_t data_bytes)
{
    struct strbuf file = {0};
    const size_t length = strlen(header);
    const char before[] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', (char)version, 0, (char)length, (char)(length >> 8), 0, 0};
    sb_addn(&file, before, version == 1 ? 10 : 12);
    sb_add(&file, header);
    sb_addn(&file, data, data_bytes);
    return file;
}
