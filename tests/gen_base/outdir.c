/* SPDX-License-Identifier: Apache-2.0
 *
 * Output folders: complete or not there, never another's files lost.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/base/output.h"
#include "tests/gen_base/scratch.h"

TestSuite(outdir, .init = scratch_enter, .fini = scratch_leave);

static struct diag diag;

/* Stands before the C library's: bit i makes the i-th call of a test fail. */
static unsigned failing_renames;

int rename(const char *from, const char *to)
{
    bool fails = failing_renames & 1;
    failing_renames >>= 1;
    if (!fails)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    errno = EIO;
    return -1;
}

static bool add(struct outdir *out, const char *relpath, const char *text)
{
    struct strbuf content = {0};
    sb_add(&content, text);
    bool ok = outdir_file(out, relpath, &content);
    sb_free(&content);
    return ok;
}

static void expect_message(const char *text)
{
    cr_expect_str_eq(sb_text(&diag.text), text);
    diag_free(&diag);
}

/* An output of two files. */
static void write_output(const char *path, const char *text)
{
    struct outdir *out = outdir_begin(path, &diag);
    cr_assert(out, "%s", sb_text(&diag.text));
    cr_expect(add(out, "variant.json", text) && add(out, "rtl/deep/top.v", text));
    cr_expect(outdir_commit(out), "%s", sb_text(&diag.text));
}

static void expect_output(const char *text)
{
    cr_expect(scratch_has("out/variant.json", text));
    cr_expect(scratch_has("out/rtl/deep/top.v", text));
}

Test(outdir, writes_files_and_folders_with_the_usual_modes)
{
    struct stat info;
    write_output("out", "one");
    expect_output("one");
    cr_expect_str_eq(scratch_list("."), "out ");
    cr_expect_str_eq(scratch_list("out"), "MANIFEST rtl variant.json ");
    cr_expect(scratch_has("out/MANIFEST",
                          "# The files of this folder that are replaced when it is written again.\n"
                          "MANIFEST\nvariant.json\nrtl/deep/top.v\n"));
    cr_expect(stat("out", &info) == 0 && (info.st_mode & 07777) == 0755);
    cr_expect(stat("out/variant.json", &info) == 0 && (info.st_mode & 07777) == 0644);
}

Test(outdir, nothing_is_there_before_the_commit)
{
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "variant.json", "one"));
    cr_expect(!scratch_exists("out"));
    outdir_abort(out);
    cr_expect_str_eq(scratch_list("."), "");
}

Test(outdir, slashes_at_the_end_of_the_name_are_fine)
{
    write_output("out//", "one");
    expect_output("one");
}

Test(outdir, replaces_an_earlier_output_and_drops_its_stale_files)
{
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "old/stale.v", "stale") && add(out, "stale.v", "stale") && outdir_commit(out));
    write_output("out", "two");
    expect_output("two");
    cr_expect_str_eq(scratch_list("out"), "MANIFEST rtl variant.json ");
    cr_expect_str_eq(scratch_list("."), "out ");
}

Test(outdir, replaces_an_empty_folder)
{
    scratch_folder("out");
    write_output("out", "one");
    expect_output("one");
}

Test(outdir, keeps_what_others_put_into_an_earlier_output)
{
    write_output("out", "one");
    scratch_write("out/notes.txt", "mine");
    scratch_write("out/rtl/deep/patch.v", "mine");
    scratch_folder("out/obj_dir");
    scratch_write("out/obj_dir/a.o", "mine");
    write_output("out", "two");
    expect_output("two");
    cr_expect(scratch_has("out/notes.txt", "mine"));
    cr_expect(scratch_has("out/rtl/deep/patch.v", "mine"));
    cr_expect(scratch_has("out/obj_dir/a.o", "mine"));
    cr_expect_str_eq(scratch_list("."), "out ");
}

Test(outdir, keeps_a_foreign_file_of_a_folder_that_is_no_longer_written)
{
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "tb/tb.v", "one") && outdir_commit(out));
    scratch_write("out/tb/wave.vcd", "mine");
    write_output("out", "two");
    cr_expect_str_eq(scratch_list("out/tb"), "wave.vcd ");
}

Test(outdir, a_foreign_file_in_the_way_is_left_aside_and_named)
{
    write_output("out", "one");
    scratch_write("out/new.v", "mine");
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "new.v", "ours"));
    cr_expect(!outdir_commit(out));
    cr_expect(scratch_has("out/new.v", "ours"));
    char text[64] = "", *start = strstr(sb_text(&diag.text), ".tulle-");
    cr_assert(start && sscanf(start, "%63[^\"]", text) == 1, "%s", sb_text(&diag.text));
    cr_expect(scratch_has(text, "mine"), "%s", text);
}

Test(outdir, refuses_a_folder_of_another)
{
    scratch_folder("out");
    scratch_write("out/thesis.tex", "years of work");
    scratch_write("out/MANIFEST", "thesis.tex\n");
    cr_expect_null(outdir_begin("out", &diag));
    expect_message(
        "out: error: is neither empty nor an earlier output (no MANIFEST of ours in it): choose another "
        "folder, or remove it\n");
    cr_expect(scratch_has("out/thesis.tex", "years of work"));
    cr_expect_str_eq(scratch_list("."), "out ");
}

Test(outdir, refuses_a_folder_that_another_filled_meanwhile)
{
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "variant.json", "one"));
    scratch_folder("out");
    scratch_write("out/thesis.tex", "years of work");
    cr_expect(!outdir_commit(out));
    cr_expect(scratch_has("out/thesis.tex", "years of work"));
    cr_expect_str_eq(scratch_list("."), "out ");
}

Test(outdir, refuses_names_that_cannot_be_a_folder)
{
    char too_long[300];
    memset(too_long, 'a', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    scratch_write("file", "text");
    static const char *const cases[][2] = {
        {"", "error: the output has an empty name\n"},
        {"file", "file: error: is not a folder: choose another name, or remove it\n"},
        {"file/out", "file/out: error: cannot write a folder of this name: Not a directory\n"},
        {".", ".: error: cannot be replaced: give a folder by its own name\n"},
        {"..", "..: error: cannot be replaced: give a folder by its own name\n"},
        {"/", "/: error: cannot be replaced: give a folder by its own name\n"},
        {"no/where/out",
         "no/where/out: error: cannot write into the folder \"no/where\": No such file or directory\n"},
        {"/proc/out",
         "/proc/out: error: cannot write into the folder \"/proc\": No such file or directory\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_null(outdir_begin(cases[i][0], &diag));
        expect_message(cases[i][1]);
    }
    cr_expect_null(outdir_begin(too_long, &diag));
    cr_expect(strstr(sb_text(&diag.text), "File name too long"));
    cr_expect_str_eq(scratch_list("."), "file ");
}

Test(outdir, an_unwritable_folder_is_named)
{
    scratch_folder("closed");
    cr_assert(chmod("closed", 0555) == 0 && chmod(".", 0755) == 0);
    if (geteuid() == 0)
        cr_assert(seteuid(65534) == 0); /* permissions do not bind root */
    cr_expect_null(outdir_begin("closed/out", &diag));
    expect_message("closed/out: error: cannot write into the folder \"closed\": Permission denied\n");
    cr_assert(seteuid(getuid()) == 0);
}

Test(outdir, follows_a_link_to_a_folder)
{
    scratch_folder("elsewhere");
    cr_assert(symlink("elsewhere", "out") == 0);
    write_output("out", "one");
    expect_output("one");
    cr_expect(scratch_has("elsewhere/variant.json", "one"));
    cr_assert(symlink("nowhere", "dangling") == 0);
    cr_expect_null(outdir_begin("dangling", &diag));
    expect_message("dangling: error: cannot follow this link: No such file or directory\n");
}

Test(outdir, a_full_disk_leaves_the_earlier_output)
{
    write_output("out", "one");
    char big[10000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    scratch_limit_files(4096);
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "variant.json", "two"));
    cr_expect(!add(out, "rtl/big.v", big));
    cr_expect(!add(out, "rtl/small.v", "small"), "nothing is written after a failure");
    cr_expect(!outdir_commit(out));
    expect_message("out/rtl/big.v: error: cannot write: File too large\n");
    expect_output("one");
    cr_expect_str_eq(scratch_list("."), "out ");
}

Test(outdir, the_same_file_twice_is_an_error)
{
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "a.v", "one"));
    cr_expect(!add(out, "a.v", "two"));
    cr_expect(!outdir_commit(out));
    expect_message("out/a.v: error: cannot create: File exists\n");
    cr_expect_str_eq(scratch_list("."), "");
}

Test(outdir, the_earlier_output_comes_back_when_the_new_one_cannot_be_put_into_place)
{
    write_output("out", "one");
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "variant.json", "two"));
    failing_renames = 1u << 1;
    cr_expect(!outdir_commit(out));
    expect_message("out: error: cannot put the new output into place: Input/output error\n");
    expect_output("one");
    cr_expect_str_eq(scratch_list("."), "out ");
}

Test(outdir, an_earlier_output_that_cannot_come_back_is_kept_and_named)
{
    write_output("out", "one");
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "variant.json", "two"));
    failing_renames = 1u << 1 | 1u << 2;
    cr_expect(!outdir_commit(out));
    char kept[64] = "", *start = strstr(sb_text(&diag.text), ".tulle-");
    cr_assert(start && sscanf(start, "%63[^\"]", kept) == 1, "%s", sb_text(&diag.text));
    cr_assert(chdir(kept) == 0);
    cr_expect(scratch_has("variant.json", "one") && scratch_has("rtl/deep/top.v", "one"));
}

Test(outdir, the_earlier_output_stays_when_it_cannot_be_moved)
{
    write_output("out", "one");
    struct outdir *out = outdir_begin("out", &diag);
    cr_assert(out && add(out, "variant.json", "two"));
    failing_renames = 1u << 0;
    cr_expect(!outdir_commit(out));
    expect_message("out: error: cannot replace: Input/output error\n");
    expect_output("one");
    cr_expect_str_eq(scratch_list("."), "out ");
}

/* Writes a file, says so, and waits for the signal. */
static void write_and_wait(int told)
{
    struct outdir *out = outdir_begin("out", &diag);
    if (out && add(out, "variant.json", "two") && write(told, "x", 1) == 1)
        pause();
    _exit(1);
}

Test(outdir, an_interruption_leaves_the_earlier_output_whole)
{
    int ready[2], status;
    char byte;
    write_output("out", "one");
    cr_assert(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        write_and_wait(ready[1]);
    }
    cr_assert(child > 0 && read(ready[0], &byte, 1) == 1 && kill(child, SIGINT) == 0);
    cr_assert(waitpid(child, &status, 0) == child);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    expect_output("one");
    char names[2][64] = {"", ""};
    cr_expect_eq(sscanf(scratch_list("."), "%63s %63s", names[0], names[1]), 2);
    cr_expect(!strncmp(names[0], ".tulle-", 7));
    cr_expect_str_eq(names[1], "out");
}
