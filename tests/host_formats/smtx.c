/* SPDX-License-Identifier: Apache-2.0
 *
 * .smtx: rows of column indices as text.
 */
#include <criterion/criterion.h>

#include "tests/host_formats/support.h"

Test(smtx, accepted)
{
    expect_read("a.smtx", "3, 4, 3\n0 1 1 3\n3 0 2\n", "3x4 pattern: 0,3 2,0 2,2");
    expect_read("A.SMTX", "3,4,3\r\n0\t1 1  3 \r\n 3 0 2", "3x4 pattern: 0,3 2,0 2,2");
    expect_read("a.smtx", "1, 4, 4\n0 4\n3 0 3 1\n", "1x4 pattern: 0,0 0,1 0,3");
}

Test(smtx, empty)
{
    expect_read("a.smtx", "2, 4, 0\n0 0 0\n\n", "2x4 pattern:");
    expect_read("a.smtx", "2, 4, 0\n0 0 0\n\n \n", "2x4 pattern:");
    expect_read("a.smtx", "2, 4, 0\n0 0 0", "2x4 pattern:");
    expect_read("a.smtx", "0, 0, 0\n0\n", "0x0 pattern:");
}

Test(smtx, refused)
{
    static const char *const cases[][2] = {
        {"", "a.smtx:1:1: error: \"\" is not the number of rows; line 1 of an .smtx file is \"rows, columns, "
             "entries\"\n"},
        {"3 4 3\n", "a.smtx:1:3: error: a comma is missing; line 1 of an .smtx file is \"rows, columns, "
                    "entries\"\n"},
        {"-3, 4, 3\n", "a.smtx:1:1: error: \"-3,\" is not the number of rows; line 1 of an .smtx file is "
                       "\"rows, columns, entries\"\n"},
        {"3, 4\n", "a.smtx:1:5: error: a comma is missing; line 1 of an .smtx file is \"rows, columns, "
                   "entries\"\n"},
        {"1, 1, 1, 1\n", "a.smtx:1:7: error: \"1,\" is not a whole number; the number of entries must be "
                         "one\n"},
        {"5000000000, 1, 0\n",
         "a.smtx:1: error: 5000000000 x 1 is too large; rows and columns are at most 4294967295\n"},
        {"10000000, 1, 0\n0 0\n", "a.smtx:2:1: error: the file is too short for 10000001 row offsets; it is "
                                  "cut off, or line 1 is wrong\n"},
        {"1, 1, 1000000000000\n0 1000000000000\n0 0\n",
         "a.smtx:3:1: error: the file is too short for 1000000000000 column indices; it is cut off, or line "
         "1 is wrong\n"},
        {"2, 2, 2\n0 1\n0 1\n", "a.smtx:2:4: error: the line ends before the row offset; add it, or correct "
                                "the header\n"},
        {"2, 2, 2\n0 1 2 2\n0 1\n", "a.smtx:2:7: error: \"2\" is more than this line may have; remove it, "
                                    "or correct the header\n"},
        {"2, 2, 2\n1 1 2\n0 1\n",
         "a.smtx:2:1: error: \"1\" is a wrong row offset; they begin at 0 and never fall\n"},
        {"3, 2, 2\n0 2 1 2\n0 1\n",
         "a.smtx:2:5: error: \"1\" is a wrong row offset; they begin at 0 and never fall\n"},
        {"2, 2, 2\n0 1 1\n0 1\n",
         "a.smtx:2:5: error: \"1\" is a wrong row offset; the last is the number of entries, 2\n"},
        {"2, 2, 2\n0 3 3\n0 1\n",
         "a.smtx:2:3: error: \"3\" is a wrong row offset; the last is the number of entries, 2\n"},
        {"2, 2, 2\n0 1 2\n0 2\n",
         "a.smtx:3:3: error: \"2\" is a wrong column index; there are 2 columns, from 0\n"},
        {"2, 2, 2\n0 1 2\n0\n1\n",
         "a.smtx:3:2: error: the line ends before the column index; add it, or correct the header\n"},
        {"2, 2, 2\n0 1 2\n0 1 1\n",
         "a.smtx:3:5: error: \"1\" is more than this line may have; remove it, or correct the header\n"},
        {"2, 2, 2\n0 1 2\n0 1\n\n7\n",
         "a.smtx:5:1: error: \"7\" comes after the column indices; an .smtx file has three lines\n"},
        {"2, 2, 0\n0 0 0\n% c\n",
         "a.smtx:3:1: error: \"%\" is more than this line may have; remove it, or correct the header\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_refused("a.smtx", cases[i][0], cases[i][1]);
}
