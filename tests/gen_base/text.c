/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings, messages, reading a file, and guessing what was meant.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/input.h"
#include "gen/base/near.h"
#include "tests/gen_base/scratch.h"

TestSuite(text, .init = scratch_enter, .fini = scratch_leave);

static struct strbuf sb;
static struct diag diag;

static void expect_text(const char *text)
{
    cr_expect_str_eq(sb_text(&sb), text);
    cr_expect_eq(sb.len, strlen(text));
    sb_free(&sb);
}

Test(text, a_strbuf_grows_and_formats)
{
    expect_text("");
    for (int i = 0; i < 1000; i++)
        sb_addf(&sb, "%d,", i % 10);
    cr_expect_eq(sb.len, 2000);
    cr_expect(sb_ok(&sb) && !strncmp(sb_text(&sb) + 1990, "5,6,7,8,9,", 10));
    sb_free(&sb);
    sb_add(&sb, "again");
    expect_text("again");
}

Test(text, json_escapes_and_replaces_what_is_not_utf8)
{
    sb_add_json(&sb, "a\"b\\c\n\x01\x7f");
    expect_text("\"a\\\"b\\\\c\\u000a\\u0001\\u007f\"");
    sb_add_json(&sb, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    expect_text("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    sb_add_json(&sb, "\xff \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
    expect_text(
        "\"\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\"");
}

Test(text, a_quotation_is_cut_but_never_inside_a_character)
{
    char text[64];
    memset(text, 'a', sizeof text);
    memcpy(text + 59, "\xc3\xa9z", 4);
    sb_add_quoted(&sb, "short");
    expect_text("\"short\"");
    sb_add_quoted(&sb, text);
    text[59] = '\0';
    char expected[80];
    snprintf(expected, sizeof expected, "\"%s\"...", text);
    expect_text(expected);
}

Test(text, messages_name_their_place)
{
    diag_error(&diag, (struct place){"a.yaml", 3, 7}, "bad %d", 1);
    diag_error(&diag, (struct place){"a.yaml", 0, 0}, "worse");
    diag_error(&diag, (struct place){0}, "worst");
    cr_expect_str_eq(sb_text(&diag.text), "a.yaml:3:7: error: bad 1\na.yaml: error: worse\nerror: worst\n");
    cr_expect_eq(diag.errors, 3);
}

Test(text, messages_are_counted_beyond_the_limit)
{
    for (int i = 0; i < DIAG_MAX + 5; i++)
        diag_error(&diag, (struct place){0}, "x");
    FILE *to = fopen("seen", "w");
    cr_assert(to && diag_report(&diag, to) && fclose(to) == 0);
    cr_expect(input_read("seen", 1 << 20, &sb, &diag));
    cr_expect(strstr(sb_text(&sb), "error: x\nand 5 more errors\n"));
    diag_free(&diag);
    cr_expect(!diag_report(&diag, stderr), "nothing was wrong");
}

static void expect_unreadable(const char *path, const char *message)
{
    cr_expect(!input_read(path, 100, &sb, &diag));
    cr_expect_str_eq(sb_text(&diag.text), message);
    diag_free(&diag);
    sb_free(&sb);
}

Test(text, a_file_is_read_whole_or_refused)
{
    char hundred[101];
    memset(hundred, 'x', 100);
    hundred[100] = '\0';
    scratch_write("a", hundred);
    cr_expect(input_read("a", 100, &sb, &diag));
    expect_text(hundred);
    expect_unreadable("none", "none: error: cannot open: No such file or directory\n");
    expect_unreadable(".", ".: error: cannot read: Is a directory\n");
    expect_unreadable("/dev/zero",
                      "/dev/zero: error: larger than 100 bytes: this is not a file of the expected kind\n");
}

Test(text, the_nearest_word_is_suggested_only_when_near)
{
    static const char *const words[] = {"n", "scan", "segment_max", "tokens"};
    static const char *const cases[][2] = {{"scna", "scan"},
                                           {"san", "scan"},
                                           {"scans", "scan"},
                                           {"token", "tokens"},
                                           {"segmentmax", "segment_max"},
                                           {"x", NULL},
                                           {"", NULL},
                                           {"colour", NULL},
                                           {"segmen", "segment_max"},
                                           {"seg", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = near_word(cases[i][0], words, 4);
        cr_expect(near == cases[i][1] || (near && cases[i][1] && !strcmp(near, cases[i][1])), "%s: %s",
                  cases[i][0], near ? near : "none");
    }
    char long_word[200];
    memset(long_word, 's', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    cr_expect_null(near_word(long_word, words, 4));
}
