/* SPDX-License-Identifier: Apache-2.0
 *
 * Files on disk, how the format is found, limits, and that the locale of the
 * process does not matter.
 */
#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/gen_base/scratch.h"
#include "tests/host_formats/support.h"

TestSuite(files, .init = scratch_enter, .fini = scratch_leave);

static void expect_read_error(const char *path, const struct read_options *options, const char *message)
{
    struct diag diag = {0};
    struct matrix matrix;
    cr_assert_not(matrix_read(path, options, &matrix, &diag));
    cr_assert_str_eq(sb_text(&diag.text), message, "%s", sb_text(&diag.text));
    cr_assert(!matrix.start);
    diag_free(&diag);
}

Test(files, written_and_read)
{
    static const char *const names[] = {"a.mtx", "a.smtx", "a.npy"};
    struct matrix matrix = read_text("a.smtx", "2, 3, 2\n0 1 2\n2 0\n"), again;
    struct diag diag = {0};
    for (size_t i = 0; i < 3; i++) {
        cr_assert(matrix_write(names[i], NULL, &matrix, &diag), "%s", sb_text(&diag.text));
        cr_assert(matrix_read(names[i], NULL, &again, &diag), "%s", sb_text(&diag.text));
        cr_assert_eq(matrix_entries(&again), 2);
        matrix_free(&again);
    }
    cr_assert(scratch_has("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n"));
    matrix_free(&matrix);
}

Test(files, nothing_is_left_of_a_refused_write)
{
    struct matrix matrix =
        read_text("a.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n");
    struct diag diag = {0};
    cr_assert_not(matrix_write("a.smtx", NULL, &matrix, &diag));
    cr_assert_not(matrix_write("none/a.mtx", NULL, &matrix, &diag));
    cr_assert_str_eq(scratch_list("."), "");
    diag_free(&diag);
    matrix_free(&matrix);
}

Test(files, format_by_content_then_by_name)
{
    const struct read_options smtx = {.format = FORMAT_SMTX};
    expect_read("matrix.txt", "%%MatrixMarket matrix array integer general\n1 1\n3\n", "1x1 integer: 0,0=3");
    expect_read("matrix.npy", "%%MatrixMarket matrix array integer general\n1 1\n3\n", "1x1 integer: 0,0=3");
    expect_read_with(&smtx, "matrix.txt", "1, 1, 1\n0 1\n0\n", "1x1 pattern: 0,0");
    expect_refused("matrix.txt", "1, 1, 1\n0 1\n0\n",
                   "matrix.txt: error: cannot tell the format, neither from the beginning nor from the name; "
                   "let the name end in .mtx, .smtx or .npy\n");
}

Test(files, cannot_be_read)
{
    const struct read_options small = {.file_limit = 10};
    scratch_write("large.mtx", "%%MatrixMarket matrix\n");
    expect_read_error("none.mtx", NULL, "none.mtx: error: cannot open: No such file or directory\n");
    expect_read_error(".", NULL, ".: error: cannot read: Is a directory\n");
    expect_read_error("large.mtx", &small,
                      "large.mtx: error: larger than 10 bytes: this is not a file of the expected kind\n");
}

/* A locale with a decimal comma, made here because a machine may have none. */
static void enter_comma_locale(void)
{
    scratch_write("source", "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                            "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n");
    /* It warns, with exit status 1, of the categories that are not there. */
    cr_assert_geq(system("localedef -c -i source ./comma >log 2>&1"), 0); /* NOLINT(cert-env33-c) */
    setenv("LOCPATH", ".", 1);
    cr_assert(setlocale(LC_NUMERIC, "comma"), "localedef made no locale");
}

Test(files, locale_does_not_matter)
{
    char text[16];
    enter_comma_locale();
    snprintf(text, sizeof text, "%.1f", 0.5);
    cr_assert_str_eq(text, "0,5");
    struct matrix matrix = read_text("a.mtx", "%%MatrixMarket matrix array real general\n2 1\n"
                                              "0.5\n0.12345678901234567890123\n");
    cr_assert(matrix.real[0] == 0.5 && matrix.real[1] > 0.123 && matrix.real[1] < 0.124);
    struct strbuf bytes = {0};
    struct diag diag = {0};
    const struct write_options array = {.array = true};
    cr_assert(matrix_format("a.mtx", &array, &matrix, &bytes, &diag));
    cr_assert_str_eq(sb_text(&bytes),
                     "%%MatrixMarket matrix array real general\n2 1\n0.5\n0.12345678901234568\n");
    snprintf(text, sizeof text, "%.1f", 0.5);
    cr_assert_str_eq(text, "0,5", "the caller's locale is not what it was");
    sb_free(&bytes);
    matrix_free(&matrix);
}
