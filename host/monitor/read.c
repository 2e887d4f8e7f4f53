/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the records of all processes. A file may be anything: nothing is used
 * that was not checked. Files are read and not mapped, so one that becomes
 * shorter meanwhile is no danger.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/monitor/record.h"

#define FILES_MAX 4096
/* To find the counts of a moment: at once, and then with a pause before each, for a process that was
 * interrupted in the middle of an update goes on when the system lets it. */
#define ATTEMPTS 100
#define PATIENT_ATTEMPTS 250
#define PAUSE_NANOSECONDS 200000

/* What a file turns out to be. */
enum found { FOUND_NOTHING, FOUND_RECORD, FOUND_WRONG };

static enum found wrong(struct monitor_sample *s, const char *why)
{
    snprintf(s->why, sizeof s->why, "%s", why);
    return FOUND_WRONG;
}

/* ---- a record -------------------------------------------------------------------------------------- */

static bool read_at(int file, void *to, size_t bytes, size_t offset)
{
    return pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* The whole record, with counts of one moment. */
static bool read_record(int file, struct monitor_record *r)
{
    const size_t at = offsetof(struct monitor_record, sequence);
    uint64_t before = 1, after = 0;
    for (unsigned i = 0; i < ATTEMPTS + PATIENT_ATTEMPTS && (before != after || before & 1); i++) {
        if (i >= ATTEMPTS)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
        if (!read_at(file, &before, sizeof before, at) || !read_at(file, r, sizeof *r, 0) ||
            !read_at(file, &after, sizeof after, at))
            return false;
    }
    return before == after && !(before & 1);
}

/* The text becomes one that a terminal can show. */
static void make_printable(char *text)
{
    for (; *text; text++)
        *text = (char)(*text < 0x20 || *text > 0x7E ? '?' : *text);
}

/* False when the name is empty or has no end. */
static bool take_name(char name[MONITOR_NAME_BYTES])
{
    if (!memchr(name, '\0', MONITOR_NAME_BYTES))
        return false;
    make_printable(name);
    return *name != '\0';
}

static bool about_is_right(struct monitor_about *a)
{
    return take_name(a->name) && take_name(a->variant) && a->pid && a->pid <= INT32_MAX && a->pes &&
           a->pes <= UINT32_MAX && a->opened <= monitor_now();
}

static bool counts_are_right(const struct monitor_counts *c)
{
    const uint64_t now = monitor_now();
    return c->running_since <= now && c->last_end <= now && !c->failures == !c->last_failure &&
           c->last_failure < MONITOR_FAILURES;
}

/* A process whose record is complete holds the lock as long as it lives. It does not see its own. */
static bool owner_lives(int file, uint64_t pid)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return pid == (uint64_t)getpid() || fcntl(file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

static enum found take_record(int file, struct monitor_sample *s)
{
    struct monitor_record r;
    if (!read_record(file, &r))
        return wrong(s, "its counts are never complete");
    memcpy(&s->counts, (const void *)r.counts, sizeof s->counts);
    s->about = r.about;
    return about_is_right(&s->about) && counts_are_right(&s->counts)
               ? FOUND_RECORD
               : wrong(s, "it has values that cannot be");
}

/* The first words, which all versions have. */
struct head {
    uint64_t magic;
    uint32_t version, bytes;
    uint64_t pid;
};

/* A file that a process has just made is empty or has no magic number yet. */
static enum found take_file(int folder, const char *name, int file, struct monitor_sample *s)
{
    struct stat is;
    struct head head;
    if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode))
        return wrong(s, "it is no file");
    if (!is.st_size)
        return FOUND_NOTHING;
    if (!read_at(file, &head, sizeof head, 0))
        return wrong(s, "it is too short for a record");
    if (!head.magic)
        return FOUND_NOTHING;
    if (head.magic != MONITOR_MAGIC)
        return wrong(s, "it is no record of a device");
    if (!owner_lives(file, head.pid)) {
        unlinkat(folder, name, 0);
        return FOUND_NOTHING;
    }
    if (head.version != MONITOR_VERSION)
        return wrong(s, "another version of Tulle has written it");
    if (head.bytes != sizeof(struct monitor_record) || is.st_size != (off_t)head.bytes)
        return wrong(s, "its size is wrong");
    return take_record(file, s);
}

/* ---- folders --------------------------------------------------------------------------------------- */

static enum found open_file(int folder, const char *name, struct monitor_sample *s)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? FOUND_NOTHING : wrong(s, strerror(errno));
    enum found found = take_file(folder, name, file, s);
    close(file);
    return found;
}

/* Room for one more, whose path is set; NULL when out of memory. It counts when the caller counts it. */
static struct monitor_sample *grow(struct monitor_samples *to, const char *folder, const char *name)
{
    struct monitor_sample *item = realloc(to->item, (to->count + 1) * sizeof *item);
    if (!item)
        return NULL;
    to->item = item;
    item += to->count;
    *item = (struct monitor_sample){.why = ""};
    snprintf(item->path, sizeof item->path, "%.*s%s%.*s", MONITOR_PATH_BYTES / 2 - 1, folder,
             *name ? "/" : "", MONITOR_PATH_BYTES / 2 - 1, name);
    make_printable(item->path);
    return item;
}

static bool read_files(DIR *entries, const char *path, struct monitor_samples *to)
{
    const struct dirent *entry;
    while ((entry = readdir(entries)) && to->count < FILES_MAX) {
        if (*entry->d_name == '.')
            continue;
        struct monitor_sample *s = grow(to, path, entry->d_name);
        if (!s)
            return false;
        to->count += open_file(dirfd(entries), entry->d_name, s) != FOUND_NOTHING;
    }
    return true;
}

/* A folder that is not there is none to speak of; one that cannot be trusted is told like a file. */
static bool read_folder(unsigned which, struct monitor_samples *to)
{
    char path[MONITOR_PATH_BYTES], why[MONITOR_WHY_BYTES];
    int folder = monitor_folder(which, false, path, why);
    if (folder >= 0) {
        DIR *entries = fdopendir(folder);
        bool ok = entries && read_files(entries, path, to);
        if (!entries)
            close(folder);
        else
            closedir(entries);
        return ok;
    }
    struct monitor_sample *s = *why ? grow(to, path, "") : NULL;
    if (s)
        to->count += wrong(s, why) == FOUND_WRONG;
    return s || !*why;
}

static int by_process_and_time(const void *left, const void *right)
{
    const struct monitor_sample *a = left, *b = right;
    if (!*a->why != !*b->why)
        return *a->why ? 1 : -1;
    if (a->about.pid != b->about.pid)
        return a->about.pid < b->about.pid ? -1 : 1;
    if (a->about.opened != b->about.opened)
        return a->about.opened < b->about.opened ? -1 : 1;
    return strcmp(a->path, b->path);
}

bool monitor_read(struct monitor_samples *to)
{
    bool ok = true;
    *to = (struct monitor_samples){0};
    for (unsigned which = 0; ok && which < MONITOR_FOLDERS; which++)
        ok = read_folder(which, to);
    if (ok && to->count)
        qsort(to->item, to->count, sizeof *to->item, by_process_and_time);
    if (!ok)
        monitor_free(to);
    return ok;
}

void monitor_free(struct monitor_samples *samples)
{
    free(samples->item);
    *samples = (struct monitor_samples){0};
}

const char *monitor_failure_name(uint64_t failure)
{
    return failure == MONITOR_TIMEOUT ? "timeout"
           : failure == MONITOR_LOST  ? "device lost"
                                      : job_code_name((enum job_code)failure);
}
