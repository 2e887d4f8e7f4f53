/* SPDX-License-Identifier: Apache-2.0
 *
 * Single output files.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/base/output.h"
#include "tests/gen_base/scratch.h"

TestSuite(outfile, .init = scratch_enter, .fini = scratch_leave);

static bool put(const char *path, const char *text, const char *message)
{
    struct diag diag = {0};
    struct strbuf content = {0};
    sb_add(&content, text);
    bool ok = output_file(path, &content, &diag);
    cr_expect_str_eq(sb_text(&diag.text), message);
    sb_free(&content);
    diag_free(&diag);
    return ok;
}

Test(outfile, writes_and_replaces)
{
    struct stat info;
    cr_expect(put("a.txt", "one", "") && scratch_has("a.txt", "one"));
    cr_expect(put("a.txt", "two", "") && scratch_has("a.txt", "two"));
    cr_expect(stat("a.txt", &info) == 0 && (info.st_mode & 07777) == 0644);
    cr_expect_str_eq(scratch_list("."), "a.txt ");
}

Test(outfile, an_empty_text_makes_an_empty_file)
{
    cr_expect(put("a.txt", "", "") && scratch_has("a.txt", "") && scratch_exists("a.txt"));
}

Test(outfile, a_full_disk_leaves_the_old_file)
{
    char big[10000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    cr_assert(put("a.txt", "one", ""));
    scratch_limit_files(4096);
    cr_expect(!put("a.txt", big, "a.txt: error: cannot write: File too large\n"));
    cr_expect(scratch_has("a.txt", "one"));
    cr_expect_str_eq(scratch_list("."), "a.txt ");
}

Test(outfile, writes_to_a_device_and_reports_that_it_is_full)
{
    cr_expect(put("/dev/null", "text", ""));
    cr_expect(!put("/dev/full", "text", "/dev/full: error: cannot write: No space left on device\n"));
    struct stat info;
    cr_expect(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
}

Test(outfile, standard_output_is_flushed_and_checked)
{
    cr_assert(freopen("/dev/full", "w", stdout));
    cr_expect(!put("-", "text", "<stdout>: error: cannot write: No space left on device\n"));
    cr_assert(freopen("seen", "w", stdout));
    cr_expect(put("-", "text", "") && scratch_has("seen", "text"));
}

Test(outfile, follows_a_link_to_a_file)
{
    cr_assert(put("real", "one", "") && symlink("real", "link") == 0);
    cr_expect(put("link", "two", "") && scratch_has("real", "two"));
    cr_expect_str_eq(scratch_list("."), "link real ");
}

Test(outfile, refuses_what_is_no_file)
{
    scratch_folder("folder");
    cr_expect(!put("folder", "text", "folder: error: is a folder, not a file\n"));
    cr_expect(!put("no/a.txt", "text",
                   "no/a.txt: error: cannot write into the folder \"no\": No such file or directory\n"));
    cr_expect(!put("", "text", "error: the output has an empty name\n"));
}

Test(outfile, respects_a_write_protected_file)
{
    cr_assert(put("a.txt", "one", "") && chmod("a.txt", 0444) == 0 && chmod(".", 0777) == 0);
    if (geteuid() == 0)
        cr_assert(seteuid(65534) == 0); /* permissions do not bind root */
    cr_expect(!put("a.txt", "two", "a.txt: error: cannot write: Permission denied\n"));
    cr_assert(seteuid(getuid()) == 0);
    cr_expect(scratch_has("a.txt", "one"));
}
