/* SPDX-License-Identifier: Apache-2.0
 *
 * NumPy's .npy: types, orders, versions and shapes, and what is refused.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/host_formats/support.h"

static void expect_file(unsigned version, const char *header, const char *data, size_t bytes,
                        const char *description)
{
    struct strbuf file = npy_file(version, header, data, bytes);
    struct diag diag = {0};
    struct matrix matrix;
    cr_assert(matrix_parse("a.npy", &file, NULL, &matrix, &diag), "%s%s", sb_text(&diag.text), header);
    expect_valid(&matrix);
    struct strbuf got = describe(&matrix);
    cr_assert_str_eq(sb_text(&got), description, "%s\nis read from %s", sb_text(&got), header);
    sb_free(&got);
    matrix_free(&matrix);
    sb_free(&file);
}

#define HEADER(descr, order, shape) \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }  \n"

Test(npy, types)
{
    static const struct {
        const char *header, *data;
        size_t bytes;
        const char *description;
    } cases[] = {
        {HEADER("|i1", "False", "(1, 2)"), "\x80\x7f", 2, "1x2 integer: 0,0=-128 0,1=127"},
        {HEADER("<i1", "False", "(1, 2)"), "\xff\x01", 2, "1x2 integer: 0,0=-1 0,1=1"},
        {HEADER(">i1", "False", "(1, 2)"), "\xff\x01", 2, "1x2 integer: 0,0=-1 0,1=1"},
        {HEADER("|u1", "False", "(1, 2)"), "\x80\xff", 2, "1x2 integer: 0,0=128 0,1=255"},
        {HEADER("<i2", "False", "(1, 2)"), "\x00\x80\x34\x12", 4, "1x2 integer: 0,0=-32768 0,1=4660"},
        {HEADER("<i4", "False", "(1, 2)"), "\x00\x00\x00\x80\x78\x56\x34\x12", 8,
         "1x2 integer: 0,0=-2147483648 0,1=305419896"},
        {HEADER("<i8", "False", "(1, 1)"), "\x00\x00\x00\x00\x00\x00\x00\x80", 8,
         "1x1 integer: 0,0=-9223372036854775808"},
        {HEADER("<f4", "False", "(1, 2)"), "\x00\x00\x00\x3f\x00\x00\x80\xbf", 8, "1x2 real: 0,0=0.5 0,1=-1"},
        {HEADER("<f8", "False", "(1, 2)"), "\x00\x00\x00\x00\x00\x00\x08\x40\x00\x00\x00\x00\x00\x00\x00\x80",
         16, "1x2 integer: 0,0=3"},
        {HEADER("<f8", "False", "(1, 1)"), "\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8,
         "1x1 real: 0,0=0.10000000000000001"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_file(1, cases[i].header, cases[i].data, cases[i].bytes, cases[i].description);
}

Test(npy, orders_and_shapes)
{
    const char *data = "\1\2\3\0\5\6";
    expect_file(1, HEADER("|i1", "False", "(2, 3)"), data, 6, "2x3 integer: 0,0=1 0,1=2 0,2=3 1,1=5 1,2=6");
    expect_file(1, HEADER("|i1", "True", "(2, 3)"), data, 6, "2x3 integer: 0,0=1 0,1=3 0,2=5 1,0=2 1,2=6");
    expect_file(1, HEADER("|i1", "False", "(6,)"), data, 6, "6x1 integer: 0,0=1 1,0=2 2,0=3 4,0=5 5,0=6");
    expect_file(1, HEADER("|i1", "False", "(6L, 1L)"), data, 6, "6x1 integer: 0,0=1 1,0=2 2,0=3 4,0=5 5,0=6");
    expect_file(1, HEADER("<f8", "False", "(0, 5)"), data, 0, "0x5 integer:");
    expect_file(1, HEADER("<f8", "True", "(0,)"), data, 0, "0x1 integer:");
}

/* More than two dimensions, on request: "" when it is refused. */
static void expect_flattened(const char *header, const char *description, const char *message)
{
    const struct read_options options = {.flatten = true};
    struct strbuf file = npy_file(1, header, "\1\2\3\4\5\6\7\10", 8);
    struct diag diag = {0};
    struct matrix matrix;
    cr_assert_eq(matrix_parse("a.npy", &file, &options, &matrix, &diag), *description != 0, "%s", header);
    struct strbuf got = {0};
    if (*description)
        got = describe(&matrix);
    cr_assert_str_eq(sb_text(&got), description);
    cr_assert(strstr(sb_text(&diag.text), message), "%s", sb_text(&diag.text));
    sb_free(&got);
    diag_free(&diag);
    matrix_free(&matrix);
    sb_free(&file);
}

Test(npy, flattened)
{
    expect_flattened(HEADER("|i1", "False", "(2, 2, 2)"),
                     "2x4 integer: 0,0=1 0,1=2 0,2=3 0,3=4 1,0=5 1,1=6 1,2=7 1,3=8", "");
    expect_flattened(HEADER("|i1", "False", "(1, 4, 1, 2)"),
                     "1x8 integer: 0,0=1 0,1=2 0,2=3 0,3=4 0,4=5 0,5=6 0,6=7 0,7=8", "");
    expect_flattened(HEADER("|i1", "False", "(8,)"),
                     "8x1 integer: 0,0=1 1,0=2 2,0=3 3,0=4 4,0=5 5,0=6 6,0=7 7,0=8", "");
    expect_flattened(HEADER("|i1", "True", "(2, 2, 2)"), "", "in Fortran order");
    expect_flattened(HEADER("|i1", "False", "(2, 2, 3)"), "", "are not the 12 values");
    expect_flattened(HEADER("|i1", "False", "(1, 9999999999, 9999999999)"), "", "is too large");
}

Test(npy, versions_and_layout)
{
    static const char *const headers[] = {
        HEADER("<i2", "False", "(1,1)"), "{\"shape\":(1,1),\"descr\":\"<i2\",\"fortran_order\":False}",
        "{ 'fortran_order' : True , 'shape' : ( 1 , 1 , ) , 'descr' : '<i2' } \n"};
    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
            expect_file(version, headers[i], "\x02\x01", 2, "1x1 integer: 0,0=258");
}

Test(npy, refused_headers)
{
#define SAVE "save the array with numpy.save\n"
#define AGAIN "save the array again\n"
    static const char *const cases[][2] = {
        {"", "at byte 10: the header is not understood; " SAVE},
        {"{}", "at byte 12: the header lacks a key of descr, fortran_order and shape\n"},
        {"{'descr': '|i1', 'fortran_order': False}",
         "at byte 50: the header lacks a key of descr, fortran_order and shape\n"},
        {"{'descr': '|i1', 'descr': '|i1'}",
         "at byte 27: the header has an unknown or repeated key; it has descr, fortran_order and shape\n"},
        {"{'order': 1}",
         "at byte 11: the header has an unknown or repeated key; it has descr, fortran_order and shape\n"},
        {"{'descr", "at byte 11: the header is not understood; " SAVE},
        {"{'descr': '|i1'", "at byte 25: the header is not understood; " SAVE},
        {"{'descr': [('a', '<i4')]}",
         "at byte 20: the header's type is not that of a plain array; save one with numpy.save\n"},
        {"{'descr': '>i4'}", "at byte 20: the array is big-endian; convert it with "
                             "array.astype(array.dtype.newbyteorder('<'))\n"},
        {HEADER("<c8", "False", "(1,)"),
         "at byte 20: \"<c8\" is no type that is read; convert the array with astype to int8, int16, "
         "int32, int64, uint8, float32 or float64\n"},
        {HEADER("|O", "False", "(1,)"),
         "at byte 20: \"|O\" is no type that is read; convert the array with astype to int8, int16, "
         "int32, int64, uint8, float32 or float64\n"},
        {HEADER("", "False", "(1,)"),
         "at byte 20: \"\" is no type that is read; convert the array with astype to int8, int16, int32, "
         "int64, uint8, float32 or float64\n"},
        {"{'fortran_order': 0}", "at byte 28: the header's fortran_order is neither True nor False; " AGAIN},
        {"{'shape': 3}", "at byte 20: the header's shape is not in parentheses; " AGAIN},
        {HEADER("|i1", "False", "()"),
         "at byte 60: the array has no dimension; reshape it to a matrix first\n"},
        {HEADER("|i1", "False", "(1, 2, 3)"),
         "at byte 60: the array has more than 2 dimensions; reshape it to a matrix first\n"},
        {"{'shape': (1 2)}", "at byte 23: the header's shape is not closed; " AGAIN},
        {"{'shape': (-1, 2)}",
         "at byte 21: the header's shape is not one of whole numbers from 0 below 2^64; " AGAIN},
        {"{'shape': (99999999999999999999,)}",
         "at byte 21: the header's shape is not one of whole numbers from 0 below 2^64; " AGAIN},
        {"{'shape': (1", "at byte 22: the header's shape is not closed; " AGAIN},
        {HEADER("|i1", "False", "(1,)") "x",
         "at byte 70: the header has more than the array's description; " SAVE},
        {HEADER("|i1", "False", "(9999999999,)"),
         "9999999999 x 1 is too large; rows and columns are at most 4294967295\n"},
        {HEADER("|i1", "False", "(20000000, 0)"),
         "20000000 rows are too many for a file of 84 bytes; more than 16777216 are only taken when there is "
         "a byte for each: leave out empty rows\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf file = npy_file(1, cases[i][0], "\1\2\3\4\5", 5), message = {0};
        sb_addf(&message, "a.npy: error: %s", cases[i][1]);
        expect_refused_bytes("a.npy", &file, sb_text(&message));
        sb_free(&file);
        sb_free(&message);
    }
}

static void expect_refused_data(const char *header, const char *data, size_t bytes, const char *message)
{
    struct strbuf file = npy_file(1, header, data, bytes);
    expect_refused_bytes("a.npy", &file, message);
    sb_free(&file);
}

Test(npy, refused_data)
{
    expect_refused_data(
        HEADER("<i2", "False", "(2, 2)"), "1234567", 7,
        "a.npy: error: at byte 72: 7 bytes of data are not the 4 values of 2 bytes that the header says; "
        "the file is cut off\n");
    expect_refused_data(
        HEADER("<i2", "False", "(2,)"), "12345", 5,
        "a.npy: error: at byte 70: 5 bytes of data are not the 2 values of 2 bytes that the header says; "
        "the file is followed by something else\n");
    /* a header asks for nothing that the file does not back */
    expect_refused_data(
        HEADER("<i8", "False", "(16777216, 4294967295)"), "", 0,
        "a.npy: error: at byte 88: 0 bytes of data are not the 72057594021150720 values of 8 bytes that "
        "the header says; the file is cut off\n");
    expect_refused_data(
        HEADER("<f4", "False", "(1, 2)"), "\0\0\0\0\0\0\xc0\x7f", 8,
        "a.npy: error: at byte 76: element [0, 1] is not finite; it must be a number to compute with\n");
    expect_refused_data(
        HEADER("<f8", "True", "(2, 1)"), "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\xff", 16,
        "a.npy: error: at byte 79: element [1, 0] is not finite; it must be a number to compute with\n");
    /* the shape's digits end with the header, though digits follow */
    expect_refused_data(
        "{'descr': '|i1', 'fortran_order': False, 'shape': (1", "2)}", 3,
        "a.npy: error: at byte 61: the header's shape is not one of whole numbers from 0 below 2^64; save "
        "the array again\n");
}

Test(npy, refused_beginnings)
{
    struct strbuf file = npy_file(1, HEADER("|i1", "False", "(1,)"), "1", 1);
    file.text[6] = 4;
    expect_refused_bytes(
        "a.npy", &file,
        "a.npy: error: at byte 6: the version of the .npy format is not 1.0, 2.0 or 3.0; save the array "
        "again\n");
    file.text[6] = 1;
    file.text[9] = 1;
    expect_refused_bytes("a.npy", &file,
                         "a.npy: error: at byte 71: the file ends in its header; it is cut off\n");
    file.text[0] = 'x';
    expect_refused_bytes("a.npy", &file,
                         "a.npy: error: at byte 0: not a .npy file; it must begin with \\x93NUMPY\n");
    sb_free(&file);
    expect_refused("a.npy", "", "a.npy: error: at byte 0: not a .npy file; it must begin with \\x93NUMPY\n");
    expect_refused("a.npy", "\x93NUMPY\1",
                   "a.npy: error: at byte 7: the file ends in its header; it is cut off\n");
}
