/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix Market files: what is accepted, what becomes of it, what is refused
 * and with which words.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/host_formats/support.h"

#define HEAD "%%MatrixMarket matrix coordinate "

Test(matrix_market, coordinate)
{
    expect_read("a.mtx", HEAD "real general\n3 4 3\n1 1 1.5\n3 4 -2e-3\n2 2 .25\n",
                "3x4 real: 0,0=1.5 1,1=0.25 2,3=-0.002");
    expect_read("a.mtx", HEAD "integer general\n2 2 2\n2 1 -7\n1 2 +9\n", "2x2 integer: 0,1=9 1,0=-7");
    expect_read("a.mtx", HEAD "pattern general\n2 2 2\n2 1\n1 2\n", "2x2 pattern: 0,1 1,0");
    expect_read("a.mtx", HEAD "real general\n2 2 0\n", "2x2 integer:");
    expect_read("a.mtx", HEAD "real general\n0 0 0\n", "0x0 integer:");
}

Test(matrix_market, layout_is_free)
{
    expect_read("a.mtx",
                " %%matrixmarket\tMATRIX  Coordinate INTEGER General \r\n"
                "\r\n% comment\r\n   % another\n\n  2\t2   2 \r\n\n1  1\t5\r\n% between\n \n2 2 6",
                "2x2 integer: 0,0=5 1,1=6");
    /* also without a name that says what it is */
    expect_read("<stdin>", "\t " HEAD "integer general\n1 1 1\n1 1 1\n\n\n", "1x1 integer: 0,0=1");
}

Test(matrix_market, whole_reals_become_integers)
{
    expect_read("a.mtx", HEAD "real general\n1 3 3\n1 1 1e3\n1 2 -2.0\n1 3 9007199254740992\n",
                "1x3 integer: 0,0=1000 0,1=-2 0,2=9007199254740992");
    expect_read("a.mtx", HEAD "real general\n1 1 1\n1 1 9007199254740994\n",
                "1x1 real: 0,0=9007199254740994");
}

Test(matrix_market, integers_of_64_bits)
{
    expect_read("a.mtx", HEAD "integer general\n1 2 2\n1 1 -9223372036854775808\n1 2 9223372036854775807\n",
                "1x2 integer: 0,0=-9223372036854775808 0,1=9223372036854775807");
    /* what only an unsigned integer holds makes the matrix real, entries before it included */
    expect_read("a.mtx", HEAD "integer general\n1 3 3\n1 1 -3\n1 2 18446744073709551615\n1 3 4\n",
                "1x3 real: 0,0=-3 0,1=1.8446744073709552e+19 0,2=4");
    expect_read("a.mtx", HEAD "integer general\n1 2 2\n1 1 18446744073709551615\n1 2 -3\n",
                "1x2 real: 0,0=1.8446744073709552e+19 0,1=-3");
    expect_refused("a.mtx", HEAD "integer general\n1 1 1\n1 1 18446744073709551616\n",
                   "a.mtx:3:5: error: \"18446744073709551616\" is too large for the value; it must fit 64 "
                   "bits\n");
    expect_refused(
        "a.mtx", HEAD "integer general\n1 1 1\n1 1 -9223372036854775809\n",
        "a.mtx:3:5: error: \"-9223372036854775809\" does not fit 64 bits; a real matrix takes it\n");
}

Test(matrix_market, large_reals)
{
    expect_read("a.mtx", HEAD "real general\n1 2 2\n1 1 4.8e38\n1 2 1.7976931348623157E+308\n",
                "1x2 real: 0,0=4.8000000000000003e+38 0,1=1.7976931348623157e+308");
    expect_refused("a.mtx", HEAD "real general\n1 1 1\n1 1 1e309\n",
                   "a.mtx:3:5: error: \"1e309\" is too large for the value; it must fit a double\n");
    expect_read("a.mtx", HEAD "real general\n1 2 2\n1 1 5e-324\n1 2 1e-999\n",
                "1x2 real: 0,0=4.9406564584124654e-324 0,1=0");
}

Test(matrix_market, repeated_entries_add_up)
{
    expect_read("a.mtx", HEAD "integer general\n2 2 4\n2 2 1\n1 1 5\n2 2 10\n2 2 100\n",
                "2x2 integer: 0,0=5 1,1=111");
    expect_read("a.mtx", HEAD "real general\n1 1 2\n1 1 0.25\n1 1 0.5\n", "1x1 real: 0,0=0.75");
    expect_read("a.mtx", HEAD "pattern general\n2 1 3\n1 1\n2 1\n1 1\n", "2x1 pattern: 0,0 1,0");
    expect_refused(
        "a.mtx", HEAD "integer general\n2 1 3\n2 1 9223372036854775807\n1 1 1\n2 1 1\n",
        "a.mtx: error: repeated entries of row 2 add up to more than 64 bits hold; store their sum "
        "once\n");
    expect_refused("a.mtx", HEAD "real general\n1 1 2\n1 1 1e308\n1 1 1e308\n",
                   "a.mtx: error: repeated entries of row 1 add up to more than a double holds; store their "
                   "sum once\n");
}

Test(matrix_market, order_of_a_row)
{
    /* descending, with a repetition in the middle whose order decides the sum's rounding */
    expect_read("a.mtx", HEAD "real general\n1 3 5\n1 3 3.5\n1 2 1e16\n1 2 -1e16\n1 2 1\n1 1 1\n",
                "1x3 real: 0,0=1 0,1=1 0,2=3.5");
}

Test(matrix_market, zeros)
{
    const char *text = HEAD "integer general\n2 2 4\n1 1 0\n1 2 4\n2 2 3\n2 2 -3\n";
    const struct read_options drop = {.drop_zeros = true};
    expect_read("a.mtx", text, "2x2 integer: 0,0=0 0,1=4 1,1=0");
    expect_read_with(&drop, "a.mtx", text, "2x2 integer: 0,1=4");
    expect_read_with(&drop, "a.mtx", HEAD "pattern general\n1 1 1\n1 1\n", "1x1 pattern: 0,0");
}

Test(matrix_market, symmetry)
{
    const struct read_options keep = {.keep_symmetric = true};
    const char *symmetric = HEAD "integer symmetric\n3 3 3\n1 1 1\n3 1 2\n3 2 3\n";
    expect_read("a.mtx", symmetric, "3x3 integer: 0,0=1 0,2=2 1,2=3 2,0=2 2,1=3");
    expect_read_with(&keep, "a.mtx", symmetric, "3x3 integer symmetric: 0,0=1 2,0=2 2,1=3");
    expect_read("a.mtx", HEAD "real hermitian\n2 2 1\n2 1 0.5\n", "2x2 real: 0,1=0.5 1,0=0.5");
    expect_read("a.mtx", HEAD "pattern symmetric\n2 2 2\n2 1\n2 2\n", "2x2 pattern: 0,1 1,0 1,1");
    const char *skew = HEAD "integer skew-symmetric\n3 3 2\n2 1 5\n3 2 -6\n";
    expect_read("a.mtx", skew, "3x3 integer: 0,1=-5 1,0=5 1,2=6 2,1=-6");
    expect_read_with(&keep, "a.mtx", skew, "3x3 integer skew-symmetric: 1,0=5 2,1=-6");
}

Test(matrix_market, symmetry_from_the_upper_half)
{
    const struct read_options keep = {.keep_symmetric = true};
    expect_read_with(&keep, "a.mtx", HEAD "integer symmetric\n2 2 2\n1 1 1\n1 2 2\n",
                     "2x2 integer symmetric: 0,0=1 1,0=2");
    expect_read_with(&keep, "a.mtx", HEAD "real skew-symmetric\n2 2 1\n1 2 2.5\n",
                     "2x2 real skew-symmetric: 1,0=-2.5");
    expect_refused("a.mtx", HEAD "integer symmetric\n2 2 2\n2 1 1\n1 2 1\n",
                   "a.mtx:4:1: error: a symmetric matrix with entries on both sides of the diagonal is "
                   "ambiguous; store one side, or declare it general\n");
}

Test(matrix_market, skew_symmetry_negates)
{
    expect_read("a.mtx", HEAD "integer skew-symmetric\n2 2 2\n1 1 0\n2 1 9223372036854775807\n",
                "2x2 integer: 0,0=0 0,1=-9223372036854775807 1,0=9223372036854775807");
    expect_refused("a.mtx", HEAD "integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n",
                   "a.mtx:3:5: error: \"-9223372036854775808\" does not fit 64 bits with either sign; a real "
                   "matrix takes it\n");
    expect_refused("a.mtx", HEAD "integer skew-symmetric\n2 2 1\n2 2 1\n",
                   "a.mtx:3:1: error: the diagonal of a skew-symmetric matrix is zero; remove the entry\n");
}

Test(matrix_market, array)
{
#define ARRAY "%%MatrixMarket matrix array "
    expect_read("a.mtx", ARRAY "integer general\n2 3\n1\n2\n0\n4\n5\n6\n",
                "2x3 integer: 0,0=1 0,2=5 1,0=2 1,1=4 1,2=6");
    expect_read("a.mtx", ARRAY "real symmetric\n2 2\n0.5\n2\n3\n", "2x2 real: 0,0=0.5 0,1=2 1,0=2 1,1=3");
    expect_read("a.mtx", ARRAY "integer skew-symmetric\n3 3\n1\n2\n3\n",
                "3x3 integer: 0,1=-1 0,2=-2 1,0=1 1,2=-3 2,0=2 2,1=3");
    expect_read("a.mtx", ARRAY "integer skew-symmetric\n1 1\n", "1x1 integer:");
    expect_read("a.mtx", ARRAY "integer general\n0 5\n", "0x5 integer:");
    expect_refused(
        "a.mtx", ARRAY "integer general\n2 2\n1\n2\n3\n",
        "a.mtx:6:1: error: the file ends after 3 of 4 entries; it is cut off, or its size is wrong\n");
    expect_refused("a.mtx", ARRAY "integer general\n1 1\n1\n2\n",
                   "a.mtx:4:1: error: \"2\" comes after the last entry; remove it, or correct the size\n");
    expect_refused("a.mtx", ARRAY "real general\n2 1\n1 2\n",
                   "a.mtx:3:3: error: \"2\" is more than this line may have; remove it, or correct the "
                   "header\n");
}

Test(matrix_market, refused_headers)
{
    static const char *const cases[][2] = {
        {"",
         "a.mtx:1:1: error: not a Matrix Market file; line 1 must begin with \"%%MatrixMarket matrix\"\n"},
        {"3 3 1\n1 1 1\n",
         "a.mtx:1:1: error: not a Matrix Market file; line 1 must begin with \"%%MatrixMarket matrix\"\n"},
        {"\n" HEAD "real general\n",
         "a.mtx:1:1: error: not a Matrix Market file; line 1 must begin with \"%%MatrixMarket matrix\"\n"},
        {"%%MatrixMarketX matrix coordinate real general\n",
         "a.mtx:1:1: error: not a Matrix Market file; line 1 must begin with \"%%MatrixMarket matrix\"\n"},
        {"%%MatrixMarket vector array real general\n", "a.mtx:1:16: error: \"vector\" is no object; it is "
                                                       "\"matrix\"\n"},
        {"%%MatrixMarket matrix cordinate real general\n",
         "a.mtx:1:23: error: \"cordinate\" is no format; did you mean \"coordinate\"?\n"},
        {HEAD "double general\n",
         "a.mtx:1:34: error: \"double\" is no field; it is \"integer\", \"real\" or \"pattern\"\n"},
        {HEAD "complex general\n",
         "a.mtx:1:1: error: complex values are not supported: the device computes with whole numbers; store "
         "the real and the imaginary part as two matrices\n"},
        {HEAD "real\n", "a.mtx:1:38: error: the header ends before the symmetry; it is \"%%MatrixMarket "
                        "matrix <format> <field> <symmetry>\"\n"},
        {HEAD "real general row\n",
         "a.mtx:1:47: error: \"row\" is more than this line may have; remove it, or correct the header\n"},
        {HEAD "pattern skew-symmetric\n",
         "a.mtx:1:1: error: a pattern has no signs; its symmetry is \"general\" or \"symmetric\"\n"},
        {HEAD "pattern hermitian\n",
         "a.mtx:1:1: error: a pattern has no signs; its symmetry is \"general\" or \"symmetric\"\n"},
        {"%%MatrixMarket matrix array pattern general\n",
         "a.mtx:1:1: error: an array has values, so it cannot be a pattern; use \"coordinate pattern\"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refused("a.mtx", cases[i][0], cases[i][1]);
}

Test(matrix_market, refused_sizes)
{
    static const char *const cases[][2] = {
        {"", "a.mtx:2:1: error: the file ends before the size; it is cut off\n"},
        {"2 2\n", "a.mtx:2:4: error: the line ends before the number of entries; add it, or correct the "
                  "header\n"},
        {"-2 2 1\n", "a.mtx:2:1: error: \"-2\" is negative; the number of rows cannot be\n"},
        {"2 2.0 1\n", "a.mtx:2:3: error: \"2.0\" is not a whole number; the number of columns must be one\n"},
        {"2 2 99999999999999999999\n", "a.mtx:2:5: error: \"99999999999999999999\" is too large for the "
                                       "number of entries; it must fit 64 bits\n"},
        {"4294967296 1 0\n",
         "a.mtx:2: error: 4294967296 x 1 is too large; rows and columns are at most 4294967295\n"},
        {"2 2 1 1\n", "a.mtx:2:7: error: \"1\" is more than this line may have; remove it, or correct the "
                      "header\n"},
        /* a header asks for nothing that the file does not back */
        {"4000000000 1 0\n",
         "a.mtx:2: error: 4000000000 rows are too many for a file of 61 bytes; more than 16777216 are only "
         "taken when there is a byte for each: leave out empty rows\n"},
        {"1000000 1000000 1000000000000\n1 1 1\n",
         "a.mtx:4:1: error: the file ends after 1 of 1000000000000 entries; it is cut off, or its size is "
         "wrong\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf text = {0};
        sb_addf(&text, "%s%s", HEAD "real general\n", cases[i][0]);
        expect_refused("a.mtx", sb_text(&text), cases[i][1]);
        sb_free(&text);
    }
    expect_refused("a.mtx", HEAD "real symmetric\n2 3 0\n",
                   "a.mtx:2:1: error: 2 x 3 is not square; a symmetric matrix must be\n");
}

Test(matrix_market, refused_entries)
{
    static const char *const cases[][2] = {
        {"1 1 x\n", "a.mtx:3:5: error: \"x\" is not a number; the value must be one\n"},
        {"1 1 1.5x\n", "a.mtx:3:5: error: \"1.5x\" is not a number; the value must be one\n"},
        {"1 1 0x10\n", "a.mtx:3:5: error: \"0x10\" is not a number; the value must be one\n"},
        {"1 1 1,5\n", "a.mtx:3:5: error: \"1,5\" is not a number; the value must be one\n"},
        {"1 1 1e\n", "a.mtx:3:5: error: \"1e\" is not a number; the value must be one\n"},
        {"1 1 1d2\n", "a.mtx:3:5: error: \"1d2\" is not a number; the value must be one\n"},
        {"1 1 .\n", "a.mtx:3:5: error: \".\" is not a number; the value must be one\n"},
        {"1 1 NaN\n",
         "a.mtx:3:5: error: \"NaN\" is not finite; the value must be a number to compute with\n"},
        {"1 1 -Infinity\n",
         "a.mtx:3:5: error: \"-Infinity\" is not finite; the value must be a number to compute with\n"},
        {"1 1\n", "a.mtx:3:4: error: the line ends before the value; add it, or correct the header\n"},
        {"1\n", "a.mtx:3:2: error: the line ends before the column index; add it, or correct the header\n"},
        {"1 1 1 1\n", "a.mtx:3:7: error: \"1\" is more than this line may have; remove it, or correct the "
                      "header\n"},
        {"1 1 1 % note\n", "a.mtx:3:7: error: \"%\" is more than this line may have; remove it, or correct "
                           "the header\n"},
        {"0 1 1\n", "a.mtx:3:1: error: \"0\" is outside of 1..2; correct the row index or the size\n"},
        {"1 4 1\n", "a.mtx:3:3: error: \"4\" is outside of 1..3; correct the column index or the size\n"},
        {"4294967297 1 1\n",
         "a.mtx:3:1: error: \"4294967297\" is outside of 1..2; correct the row index or the size\n"},
        {"-1 1 1\n", "a.mtx:3:1: error: \"-1\" is negative; the row index cannot be\n"},
        {"\n% c\n", "a.mtx:5:1: error: the file ends after 0 of 1 entries; it is cut off, or its size is "
                    "wrong\n"},
        {"1 1 1\n% c\n1 2 1\n",
         "a.mtx:5:1: error: \"1\" comes after the last entry; remove it, or correct the size\n"},
        {"1 1 1\rx\n", "a.mtx:3:5: error: \"1\\u000dx\" is not a number; the value must be one\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf text = {0};
        sb_addf(&text, "%s%s", HEAD "real general\n2 3 1\n", cases[i][0]);
        expect_refused("a.mtx", sb_text(&text), cases[i][1]);
        sb_free(&text);
    }
    expect_refused("a.mtx", HEAD "integer general\n1 1 1\n1 1 1.5\n",
                   "a.mtx:3:5: error: \"1.5\" is not a whole number; the value must be one\n");
    expect_refused("a.mtx", HEAD "integer general\n1 1 1\n1 1 inf\n",
                   "a.mtx:3:5: error: \"inf\" is not finite; the value must be a number to compute with\n");
    expect_refused("a.mtx", HEAD "pattern general\n1 1 1\n1 1 1\n",
                   "a.mtx:3:5: error: \"1\" is more than this line may have; remove it, or correct the "
                   "header\n");
}

Test(matrix_market, zero_bytes)
{
    struct strbuf bytes = {0};
    static const char text[] = HEAD "integer general\n1 1 1\n1 1 \0001\n";
    sb_addn(&bytes, text, sizeof text - 1);
    expect_refused_bytes("a.mtx", &bytes,
                         "a.mtx:3:5: error: a zero byte is not a whole number; the value must be one\n");
    sb_free(&bytes);
}

/* `count` times the character, between two texts. */
static struct strbuf padded(const char *before, char c, size_t count, const char *behind)
{
    struct strbuf text = {0};
    sb_add(&text, before);
    for (size_t i = 0; i < count; i++)
        sb_addn(&text, &c, 1);
    sb_add(&text, behind);
    return text;
}

Test(matrix_market, long_lines)
{
    struct strbuf number = padded(HEAD "real general\n1 1 1\n1 1 ", '1', 2000, "\n");
    struct strbuf blanks = padded(HEAD "real general\n1 1 1\n1 1", ' ', 2000, "1\n");
    struct strbuf zeros = padded(HEAD "real general\n1 1 1\n1 1 0.", '0', 900, "1e901\n");
    struct strbuf comment = padded(HEAD "real general\n% ", 'c', 100000, "\n1 1 0\n");
    struct strbuf message =
        padded("a.mtx:3:5: error: \"", '1', 60, "\"... is longer than 1024 characters; shorten the number\n");
    expect_refused("a.mtx", sb_text(&number), sb_text(&message));
    expect_refused("a.mtx", sb_text(&blanks),
                   "a.mtx:3:1: error: the line is longer than 1024 characters; put one entry on a line\n");
    expect_read("a.mtx", sb_text(&zeros), "1x1 integer: 0,0=1");
    expect_read("a.mtx", sb_text(&comment), "1x1 integer:");
    sb_free(&number);
    sb_free(&blanks);
    sb_free(&zeros);
    sb_free(&comment);
    sb_free(&message);
}
