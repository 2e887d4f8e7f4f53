/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "gen/base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/base/input.h"

#define MANIFEST_HEAD \
    "# The files of this folder that are replaced when it is written again.\n" OUTDIR_MANIFEST "\n"
#define MANIFEST_MAX (1 << 20)

struct outdir {
    struct diag *diag;
    struct strbuf path;     /* the target, links followed */
    struct strbuf aside;    /* the private folder: holds new/ and, while being replaced, old/ */
    struct strbuf manifest; /* of new/ */
    struct strbuf old;      /* the manifest of old/ */
    bool failed;
};

/* folder/name, or an empty path, which no system call takes, when out of memory. */
static struct strbuf path_in(const char *folder, const char *name)
{
    struct strbuf path = {0};
    sb_addf(&path, "%s/%s", folder, name);
    if (!sb_ok(&path))
        sb_free(&path);
    return path;
}

/* The path without slashes at its end, and with the link that it may be followed. */
static bool resolve(const char *path, struct strbuf *to, struct diag *diag)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    sb_addn(to, path, len);
    struct stat info;
    if (len == 0 || lstat(sb_text(to), &info) != 0 || !S_ISLNK(info.st_mode))
        return len > 0 || diag_fail(diag, NULL, "the output has an empty name");
    char *real = realpath(sb_text(to), NULL);
    if (!real)
        return diag_fail(diag, path, "cannot follow this link: %s", strerror(errno));
    sb_free(to);
    sb_add(to, real);
    free(real);
    return true;
}

/* Makes the private folder, in the folder that holds `path`. */
static bool make_aside(const char *path, struct strbuf *aside, struct diag *diag)
{
    const char *slash = strrchr(path, '/');
    struct strbuf parent = {0};
    sb_addn(&parent, slash ? path : ".", !slash || slash == path ? 1 : (size_t)(slash - path));
    *aside = path_in(sb_text(&parent), ".tulle-XXXXXX");
    bool ok = aside->text && mkdtemp(aside->text);
    if (!ok) {
        diag_fail(diag, path, "cannot write into the folder \"%s\": %s", sb_text(&parent), strerror(errno));
        sb_free(aside);
    }
    sb_free(&parent);
    return ok;
}

/* Closes `file` in any case; false when not everything got there, with the cause in errno. */
static bool write_and_close(FILE *file, const struct strbuf *text)
{
    bool written = fwrite(sb_text(text), 1, text->len, file) == text->len;
    int cause = errno;
    if (fclose(file) != 0)
        return false;
    errno = cause;
    return written;
}

/* `shown` is what the file is called in messages. */
static bool write_file(const char *path, const char *mode, const struct strbuf *text, const char *shown,
                       struct diag *diag)
{
    if (!sb_ok(text))
        return diag_fail(diag, shown, "cannot write: out of memory");
    FILE *file = fopen(path, mode);
    if (!file)
        return diag_fail(diag, shown, "cannot create: %s", strerror(errno));
    return write_and_close(file, text) || diag_fail(diag, shown, "cannot write: %s", strerror(errno));
}

/* The folders that `relpath` names, below `folder`. What fails here fails again, and is reported, when the
 * file is created. */
static void make_folders(const char *folder, const char *relpath)
{
    for (const char *slash = relpath; (slash = strchr(slash, '/')); slash++) {
        struct strbuf path = path_in(folder, relpath);
        if (path.text)
            path.text[path.len - strlen(slash)] = '\0';
        mkdir(sb_text(&path), 0777);
        sb_free(&path);
    }
}

static bool is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The next entry's name, or NULL after the last. */
static const char *next_entry(DIR *folder)
{
    struct dirent *entry;
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            return entry->d_name;
    return NULL;
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = folder && !next_entry(folder);
    if (folder)
        closedir(folder);
    return empty;
}

/* Removes a folder that only we wrote to. */
static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    const char *name;
    while (folder && (name = next_entry(folder))) {
        struct strbuf entry = path_in(path, name);
        if (is_folder(sb_text(&entry)))
            remove_tree(sb_text(&entry));
        else
            unlink(sb_text(&entry));
        sb_free(&entry);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* Whether the folder is an earlier output, whose manifest is taken along. */
static bool read_manifest(const char *path, struct strbuf *manifest)
{
    struct diag ignored = {0}; /* no manifest is no error: the folder is another's */
    struct strbuf file = path_in(path, OUTDIR_MANIFEST);
    sb_free(manifest);
    bool ours = input_read(sb_text(&file), MANIFEST_MAX, manifest, &ignored) &&
                !strncmp(sb_text(manifest), MANIFEST_HEAD, strlen(MANIFEST_HEAD));
    sb_free(&file);
    diag_free(&ignored);
    return ours;
}

/* Whether the target may be replaced; called again right before it is. */
static bool check_target(struct outdir *out, bool *exists)
{
    const char *path = sb_text(&out->path);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct stat info;
    *exists = lstat(path, &info) == 0;
    if (!*exists && errno != ENOENT)
        return diag_fail(out->diag, path, "cannot write a folder of this name: %s", strerror(errno));
    if (!*exists)
        return true;
    if (!S_ISDIR(info.st_mode))
        return diag_fail(out->diag, path, "is not a folder: choose another name, or remove it");
    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        return diag_fail(out->diag, path, "cannot be replaced: give a folder by its own name");
    return is_empty(path) || read_manifest(path, &out->old) ||
           diag_fail(out->diag, path,
                     "is neither empty nor an earlier output (no " OUTDIR_MANIFEST " of ours in it): "
                     "choose another folder, or remove it");
}

static void outdir_free(struct outdir *out)
{
    sb_free(&out->path);
    sb_free(&out->aside);
    sb_free(&out->manifest);
    sb_free(&out->old);
    free(out);
}

static bool make_new(struct outdir *out)
{
    if (!make_aside(sb_text(&out->path), &out->aside, out->diag))
        return false;
    struct strbuf new = path_in(sb_text(&out->aside), "new");
    bool ok = mkdir(sb_text(&new), 0777) == 0;
    if (!ok)
        diag_fail(out->diag, sb_text(&new), "cannot create: %s", strerror(errno));
    sb_free(&new);
    return ok;
}

struct outdir *outdir_begin(const char *path, struct diag *diag)
{
    struct outdir *out = calloc(1, sizeof *out);
    bool exists;
    if (!out) {
        diag_fail(diag, path, "out of memory");
        return NULL;
    }
    out->diag = diag;
    sb_add(&out->manifest, MANIFEST_HEAD);
    if (resolve(path, &out->path, diag) && check_target(out, &exists) && make_new(out))
        return out;
    outdir_abort(out);
    return NULL;
}

bool outdir_file(struct outdir *out, const char *relpath, const struct strbuf *text)
{
    if (out->failed)
        return false;
    struct strbuf new = path_in(sb_text(&out->aside), "new");
    struct strbuf file = path_in(sb_text(&new), relpath);
    struct strbuf shown = path_in(sb_text(&out->path), relpath);
    make_folders(sb_text(&new), relpath);
    out->failed = !write_file(sb_text(&file), "wbx", text, sb_text(&shown), out->diag);
    sb_addf(&out->manifest, "%s\n", relpath);
    sb_free(&new);
    sb_free(&file);
    sb_free(&shown);
    return !out->failed;
}

/* Whether the old manifest has a line of `prefix` followed by `end`. */
static bool old_has(const struct outdir *out, const char *prefix, const char *end)
{
    struct strbuf line = {0};
    sb_addf(&line, "\n%s%s", prefix, end);
    bool has = sb_ok(&line) && strstr(sb_text(&out->old), sb_text(&line));
    sb_free(&line);
    return has;
}

/* Moves what we did not write from the old folder to the same place in the new one. */
static bool keep_foreign(struct outdir *out, const char *from, const char *relpath)
{
    const char *path = sb_text(&out->path);
    struct strbuf to = path_in(path, relpath);
    struct stat info;
    make_folders(path, relpath);
    bool taken = lstat(sb_text(&to), &info) == 0;
    bool ok = !taken && rename(from, sb_text(&to)) == 0;
    if (!ok)
        diag_fail(out->diag, sb_text(&to), "the new output is complete, but your file is left in \"%s\": %s",
                  from, strerror(taken ? EEXIST : errno));
    sb_free(&to);
    return ok;
}

static bool retire_entry(struct outdir *out, const char *from, const char *relpath);

/* Removes our files from a folder of the old output and keeps the others; `relpath` ends in '/' or is empty.
 */
static bool retire_folder(struct outdir *out, const char *path, const char *relpath)
{
    DIR *folder = opendir(path);
    const char *name;
    bool ok = folder != NULL;
    while (folder && (name = next_entry(folder))) {
        struct strbuf from = path_in(path, name), entry = {0};
        sb_addf(&entry, "%s%s", relpath, name);
        ok &= sb_ok(&entry) && retire_entry(out, sb_text(&from), sb_text(&entry));
        sb_free(&from);
        sb_free(&entry);
    }
    if (folder)
        closedir(folder);
    return rmdir(path) == 0 && ok;
}

static bool retire_entry(struct outdir *out, const char *from, const char *relpath)
{
    bool folder = is_folder(from);
    if (!folder && old_has(out, relpath, "\n"))
        return unlink(from) == 0;
    if (!folder || !old_has(out, relpath, "/"))
        return keep_foreign(out, from, relpath);
    struct strbuf below = {0};
    sb_addf(&below, "%s/", relpath);
    bool ok = sb_ok(&below) && retire_folder(out, from, sb_text(&below));
    sb_free(&below);
    return ok;
}

/* The two renames; when the second fails, the first is undone. */
static bool swap(struct outdir *out, const char *new, const char *old, bool exists)
{
    const char *path = sb_text(&out->path);
    if (exists && rename(path, old) != 0)
        return diag_fail(out->diag, path, "cannot replace: %s", strerror(errno));
    if (rename(new, path) == 0)
        return true;
    diag_fail(out->diag, path, "cannot put the new output into place: %s", strerror(errno));
    if (exists && rename(old, path) != 0)
        diag_fail(out->diag, path, "the old output is left in \"%s\": %s", old, strerror(errno));
    return false;
}

/* An interruption must not fall between the two renames, when there is no output at all. */
static bool swap_uninterrupted(struct outdir *out, const char *new, const char *old, bool exists)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    bool ok = swap(out, new, old, exists);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static bool put_into_place(struct outdir *out)
{
    bool exists;
    if (!check_target(out, &exists))
        return false;
    struct strbuf new = path_in(sb_text(&out->aside), "new"), old = path_in(sb_text(&out->aside), "old");
    bool ok = swap_uninterrupted(out, sb_text(&new), sb_text(&old), exists);
    if (ok && exists && !retire_folder(out, sb_text(&old), ""))
        ok = diag_fail(out->diag, sb_text(&old),
                       "the new output is complete, but the old one could not be removed");
    sb_free(&new);
    sb_free(&old);
    return ok;
}

static bool write_manifest(struct outdir *out)
{
    struct strbuf new = path_in(sb_text(&out->aside), "new");
    struct strbuf file = path_in(sb_text(&new), OUTDIR_MANIFEST);
    struct strbuf shown = path_in(sb_text(&out->path), OUTDIR_MANIFEST);
    bool ok = write_file(sb_text(&file), "wbx", &out->manifest, sb_text(&shown), out->diag);
    sb_free(&new);
    sb_free(&file);
    sb_free(&shown);
    return ok;
}

bool outdir_commit(struct outdir *out)
{
    bool ok = !out->failed && write_manifest(out) && put_into_place(out);
    outdir_abort(out);
    return ok;
}

/* old/ is there only when something of it could neither be put back nor kept: then it must stay. */
void outdir_abort(struct outdir *out)
{
    if (out->aside.text) {
        struct strbuf new = path_in(sb_text(&out->aside), "new");
        remove_tree(sb_text(&new));
        rmdir(sb_text(&out->aside));
        sb_free(&new);
    }
    outdir_free(out);
}

static bool write_stdout(const struct strbuf *text, struct diag *diag)
{
    if (!sb_ok(text))
        return diag_fail(diag, "<stdout>", "cannot write: out of memory");
    bool ok = fwrite(sb_text(text), 1, text->len, stdout) == text->len && fflush(stdout) == 0;
    return ok || diag_fail(diag, "<stdout>", "cannot write: %s", strerror(errno));
}

static bool replace_file(const char *path, const struct strbuf *text, struct diag *diag)
{
    struct strbuf aside = {0};
    if (!make_aside(path, &aside, diag))
        return false;
    struct strbuf new = path_in(sb_text(&aside), "new");
    bool ok = write_file(sb_text(&new), "wbx", text, path, diag);
    if (ok && rename(sb_text(&new), path) != 0)
        ok = diag_fail(diag, path, "cannot replace: %s", strerror(errno));
    unlink(sb_text(&new));
    rmdir(sb_text(&aside));
    sb_free(&new);
    sb_free(&aside);
    return ok;
}

bool output_file(const char *path, const struct strbuf *text, struct diag *diag)
{
    struct stat info;
    if (!strcmp(path, "-"))
        return write_stdout(text, diag);
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return diag_fail(diag, path, "is a folder, not a file");
    if (exists && !S_ISREG(info.st_mode))
        return write_file(path, "wb", text, path, diag);
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return diag_fail(diag, path, "cannot write: %s", strerror(errno));
    struct strbuf target = {0};
    bool ok = resolve(path, &target, diag) && replace_file(sb_text(&target), text, diag);
    sb_free(&target);
    return ok;
}
