/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a device's record. The file is mapped, so that an update costs some
 * stores and no call of the system. Its blocks are allocated before it is
 * mapped: a full disk means that there is no record, and never a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/monitor/record.h"

#define NAMES_TRIED 256 /* of files that earlier processes of the same number have left */

/* ---- the file -------------------------------------------------------------------------------------- */

static int make_file(int folder, char path[MONITOR_PATH_BYTES])
{
    const size_t length = strlen(path);
    int file = -1;
    for (unsigned i = 0; i < NAMES_TRIED && file < 0; i++) {
        snprintf(path + length, MONITOR_PATH_BYTES - length, "/%ld.%u", (long)getpid(), i);
        file = openat(folder, path + length + 1, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

/* The lock comes first: a record without a lock is one of a process that has ended. A file above the limit
 * of the process would end it with a signal. */
static struct monitor_record *map_file(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < sizeof(struct monitor_record))
        return NULL;
    if (fcntl(file, F_SETLK, &whole) != 0 || posix_fallocate(file, 0, sizeof(struct monitor_record)) != 0)
        return NULL;
    void *at = mmap(NULL, sizeof(struct monitor_record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void make_record(struct monitor *m, int folder)
{
    m->file = make_file(folder, m->path);
    if (m->file < 0)
        return;
    m->record = map_file(m->file);
    if (m->record)
        return;
    unlink(m->path);
    close(m->file);
}

static void fill_record(struct monitor_record *r, const struct monitor_about *about)
{
    r->version = MONITOR_VERSION;
    r->bytes = sizeof *r;
    r->about = *about;
    r->about.pid = (uint64_t)getpid();
    r->about.opened = monitor_now();
    atomic_store(&r->magic, MONITOR_MAGIC);
}

void monitor_open(struct monitor *m, const struct monitor_about *about)
{
    const char *wish = getenv(MONITOR_VARIABLE);
    if (m->tried)
        return;
    m->tried = true;
    m->owner = getpid();
    for (unsigned which = 0; which < MONITOR_FOLDERS && !m->record && !(wish && !strcmp(wish, "off"));
         which++) {
        char why[MONITOR_WHY_BYTES];
        int folder = monitor_folder(which, true, m->path, why);
        if (folder < 0)
            continue;
        make_record(m, folder);
        close(folder);
    }
    if (m->record)
        fill_record(m->record, about);
}

void monitor_close(struct monitor *m)
{
    if (!m->record || m->owner != getpid())
        return;
    unlink(m->path);
    *strrchr(m->path, '/') = '\0';
    rmdir(m->path); /* the last record takes the folder with it */
    munmap(m->record, sizeof *m->record);
    close(m->file);
    m->record = NULL;
}

/* ---- updates --------------------------------------------------------------------------------------- */

/* Each store comes after those before it, so nobody sees a new count with an even sequence of the old ones.
 */
static void publish(struct monitor *m)
{
    uint64_t word[MONITOR_WORDS];
    memcpy(word, &m->counts, sizeof word);
    atomic_store_explicit(&m->record->sequence, ++m->sequence, memory_order_relaxed);
    for (size_t i = 0; i < MONITOR_WORDS; i++)
        atomic_store_explicit(&m->record->counts[i], word[i], memory_order_release);
    atomic_store_explicit(&m->record->sequence, ++m->sequence, memory_order_release);
}

void monitor_job_begins(struct monitor *m)
{
    if (!m->record)
        return;
    m->counts.running_since = monitor_now();
    m->counts.elapsed = 0;
    publish(m);
}

void monitor_job_runs(struct monitor *m, uint64_t cycles)
{
    if (!m->record)
        return;
    m->counts.elapsed = cycles;
    publish(m);
}

void monitor_job_ends(struct monitor *m, const struct job_result *result)
{
    struct monitor_counts *c = &m->counts;
    if (!m->record)
        return;
    c->last_end = monitor_now();
    c->busy += c->last_end - c->running_since;
    c->running_since = c->elapsed = 0;
    c->jobs += result != NULL;
#define X(name, timed) c->name += result ? result->name : 0;
    JOB_COUNTERS(X)
#undef X
    publish(m);
}

void monitor_fails(struct monitor *m, uint64_t failure)
{
    if (!m->record)
        return;
    m->counts.failures++;
    m->counts.last_failure = failure;
    publish(m);
}
