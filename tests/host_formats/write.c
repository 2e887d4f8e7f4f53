/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing: the bytes, that reading them gives the matrix back, and what is
 * not written because it would lose something.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/host_formats/support.h"

#define HEAD "%%MatrixMarket matrix coordinate "

static struct strbuf write_as(const char *name, const struct write_options *options,
                              const struct matrix *matrix)
{
    struct strbuf bytes = {0};
    struct diag diag = {0};
    cr_assert(matrix_format(name, options, matrix, &bytes, &diag), "%s", sb_text(&diag.text));
    return bytes;
}

static void expect_written(const char *name, const struct write_options *options, const char *text,
                           const char *expected)
{
    struct matrix matrix = read_text("a.mtx", text);
    struct strbuf bytes = write_as(name, options, &matrix);
    cr_assert_str_eq(sb_text(&bytes), expected, "%s", sb_text(&bytes));
    sb_free(&bytes);
    matrix_free(&matrix);
}

Test(write, matrix_market)
{
    expect_written("b.mtx", NULL, HEAD "real general\n2 3 3\n2 3 0.1\n1 1 -3\n2 1 1e300\n",
                   HEAD "real general\n2 3 3\n1 1 -3\n2 1 1e+300\n2 3 0.1\n");
    expect_written("b.mm", NULL, HEAD "integer symmetric\n2 2 2\n1 1 4\n2 1 -3\n",
                   HEAD "integer general\n2 2 3\n1 1 4\n1 2 -3\n2 1 -3\n");
    expect_written("b.MTX", NULL, HEAD "pattern general\n2 2 1\n2 1\n", HEAD "pattern general\n2 2 1\n2 1\n");
}

Test(write, matrix_market_array)
{
    const struct write_options array = {.array = true};
    expect_written("b.mtx", &array, HEAD "integer general\n2 3 3\n1 1 1\n2 3 -2\n1 2 3\n",
                   "%%MatrixMarket matrix array integer general\n2 3\n1\n0\n3\n0\n0\n-2\n");
}

Test(write, smtx)
{
    expect_written("b.smtx", NULL, HEAD "pattern general\n3 4 3\n3 4\n1 2\n3 1\n",
                   "3, 4, 3\n0 1 1 3\n1 0 3\n");
    expect_written("b.smtx", NULL, HEAD "pattern general\n1 4 0\n", "1, 4, 0\n0 0\n\n");
}

Test(write, npy_bytes)
{
    struct matrix matrix = read_text("a.mtx", HEAD "integer general\n2 3 2\n1 1 -128\n2 3 5\n");
    struct strbuf bytes = write_as("b.npy", NULL, &matrix);
    static const char header[] =
        "\x93NUMPY\1\0\x76\0{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }";
    cr_assert_eq(bytes.len, 128 + 6);
    cr_assert_arr_eq(bytes.text, header, sizeof header - 1);
    for (size_t i = sizeof header - 1; i < 127; i++)
        cr_assert_eq(bytes.text[i], ' ');
    cr_assert_eq(bytes.text[127], '\n');
    cr_assert_arr_eq(bytes.text + 128, "\x80\0\0\0\0\5", 6);
    sb_free(&bytes);
    matrix_free(&matrix);
}

/* What is written as `name` is read back as the same matrix. */
static void expect_round_trip(const char *name, const struct write_options *options, const char *text,
                              const struct read_options *reading)
{
    struct strbuf source = {0};
    struct diag diag = {0};
    struct matrix matrix, again;
    sb_add(&source, text);
    cr_assert(matrix_parse("a.mtx", &source, reading, &matrix, &diag), "%s", sb_text(&diag.text));
    struct strbuf bytes = write_as(name, options, &matrix);
    cr_assert(matrix_parse(name, &bytes, reading, &again, &diag), "%s", sb_text(&diag.text));
    cr_assert(same_matrix(&matrix, &again), "%s as %s", text, name);
    matrix_free(&matrix);
    matrix_free(&again);
    sb_free(&bytes);
    sb_free(&source);
}

Test(write, round_trips)
{
    static const char reals[] =
        HEAD "real general\n3 4 6\n1 1 0.1\n2 2 -1e-300\n3 4 4.9406564584124654e-324\n"
             "1 2 1.7976931348623157e308\n2 1 0.30000000000000004\n3 3 123456789.125\n";
    static const char integers[] = HEAD "integer general\n2 2 2\n1 2 9223372036854775807\n2 1 "
                                        "-9223372036854775808\n";
    const struct read_options keep = {.keep_symmetric = true};
    const struct write_options array = {.array = true};
    expect_round_trip("b.mtx", NULL, reals, NULL);
    expect_round_trip("b.mtx", &array, reals, NULL);
    expect_round_trip("b.npy", NULL, reals, NULL);
    expect_round_trip("b.mtx", NULL, integers, NULL);
    expect_round_trip("b.mtx", &array, integers, NULL);
    expect_round_trip("b.npy", NULL, integers, NULL);
    expect_round_trip("b.mtx", NULL, HEAD "integer skew-symmetric\n2 2 1\n2 1 4\n", &keep);
    expect_round_trip("b.mtx", NULL, HEAD "real symmetric\n2 2 1\n2 1 4.5\n", &keep);
    expect_round_trip("b.smtx", NULL, HEAD "pattern general\n3 3 2\n3 1\n1 3\n", NULL);
    expect_round_trip("b.npy", NULL, HEAD "integer general\n0 5 0\n", NULL);
}

Test(write, npy_types)
{
    static const struct {
        const char *value;
        unsigned narrowest_bytes;
        const char *fits; /* a character for each type from int8: '1' when it can be written */
    } cases[] = {
        {"127", 1, "1111111"},        {"-128", 1, "1111011"},     {"128", 2, "0111111"},
        {"255", 2, "0111111"},        {"256", 2, "0111011"},      {"-32769", 4, "0011011"},
        {"2147483648", 8, "0001011"}, {"16777217", 4, "0011001"}, {"9007199254740993", 8, "0001000"},
        {"0.5", 8, "0000011"},        {"0.1", 8, "0000001"},      {"4.8e38", 8, "0000001"},
        {"1e-46", 8, "0000001"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf text = {0};
        sb_addf(&text, "%s%s general\n1 1 1\n1 1 %s\n", HEAD,
                strpbrk(cases[i].value, ".e") ? "real" : "integer", cases[i].value);
        struct matrix matrix = read_text("a.mtx", sb_text(&text));
        struct strbuf bytes = write_as("b.npy", NULL, &matrix);
        cr_assert_eq(bytes.len, 128 + cases[i].narrowest_bytes, "%s", cases[i].value);
        sb_free(&bytes);
        for (unsigned type = NPY_INT8; type < NPY_TYPES; type++) {
            const struct write_options options = {.npy_type = (enum npy_type)type};
            struct diag diag = {0};
            const bool fits = matrix_format("b.npy", &options, &matrix, &bytes, &diag);
            cr_assert_eq(fits, cases[i].fits[type - NPY_INT8] == '1', "%s as type %u", cases[i].value, type);
            diag_free(&diag);
            sb_free(&bytes);
            if (fits)
                expect_round_trip("b.npy", &options, sb_text(&text), NULL);
        }
        matrix_free(&matrix);
        sb_free(&text);
    }
}

Test(write, refused)
{
    struct matrix values = read_text("a.mtx", HEAD "integer general\n1 1 1\n1 1 300\n");
    struct matrix pattern = read_text("a.mtx", HEAD "pattern general\n1 1 1\n1 1\n");
    struct matrix wide = read_text("a.mtx", HEAD "pattern general\n100000 100000 0\n");
    struct matrix half = values;
    half.symmetry = MATRIX_SYMMETRIC;
    const struct write_options array = {.array = true}, int8 = {.npy_type = NPY_INT8};
    expect_not_written("b.smtx", NULL, &values,
                       "b.smtx: error: an .smtx file has no values; drop them first, or write a .mtx file\n");
    expect_not_written("b.mtx", &array, &pattern,
                       "b.mtx: error: an array has values, so it cannot be a pattern; write the matrix as "
                       "entries\n");
    expect_not_written("b.npy", &int8, &values,
                       "b.npy: error: not every value is exactly one of int8; choose a wider type\n");
    expect_not_written("b.npy", NULL, &wide,
                       "b.npy: error: more than 4 GiB with its zeros; write the matrix as entries, to a .mtx "
                       "file\n");
    expect_not_written("b.npy", NULL, &half,
                       "b.npy: error: only half of a symmetric matrix is here; read it with its symmetry "
                       "expanded\n");
    expect_not_written(
        "b.txt", NULL, &values,
        "b.txt: error: cannot tell the format from the name; let it end in .mtx, .smtx or .npy\n");
    matrix_drop_values(&values);
    struct strbuf bytes = write_as("b.smtx", NULL, &values);
    cr_assert_str_eq(sb_text(&bytes), "1, 1, 1\n0 1\n0\n");
    sb_free(&bytes);
    matrix_free(&values);
    matrix_free(&pattern);
    matrix_free(&wide);
}
