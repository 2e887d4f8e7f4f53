/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* nftw */

#include "tests/gen_base/scratch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/base/input.h"

static char before[4096], folder[4096];

void scratch_enter(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tulle-test-XXXXXX", parent ? parent : "/tmp");
    cr_assert(getcwd(before, sizeof before) && mkdtemp(folder) && chdir(folder) == 0, "no scratch folder");
    umask(022);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void scratch_leave(void)
{
    cr_assert(chdir(before) == 0 && nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0,
              "the scratch folder cannot be removed");
}

void scratch_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

void scratch_folder(const char *path)
{
    cr_assert(mkdir(path, 0777) == 0, "cannot make %s", path);
}

bool scratch_has(const char *path, const char *text)
{
    struct strbuf found = {0};
    struct diag diag = {0};
    bool same = input_read(path, 1 << 20, &found, &diag) && !strcmp(sb_text(&found), text);
    sb_free(&found);
    diag_free(&diag);
    return same;
}

bool scratch_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

const char *scratch_list(const char *path)
{
    static char list[4096];
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    cr_assert(count >= 0, "cannot list %s", path);
    list[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i]->d_name, ".") && strcmp(entries[i]->d_name, ".."))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s ", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return list;
}

void scratch_limit_files(unsigned long bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes}) == 0);
}
