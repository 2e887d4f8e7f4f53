/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows other processes of the same user what the devices of this process do
 * (docs/architecture.md, "Monitoring"). The driver writes a record for each
 * device that it uses; `tulle devices --watch` reads the records of all
 * processes. Nothing here makes a job fail: without a record, updates do
 * nothing.
 */
#ifndef TULLE_HOST_MONITOR_H
#define TULLE_HOST_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/model/status.h"

#define MONITOR_VARIABLE "TULLE_MONITOR" /* "off": no records */
#define MONITOR_NAME_BYTES 128
#define MONITOR_PATH_BYTES 512
#define MONITOR_WHY_BYTES 128

/* Failures beside the status codes of jobs. */
enum monitor_failure { MONITOR_TIMEOUT = 0x10000, MONITOR_LOST, MONITOR_FAILURES };

/* What does not change while a device is in use. Times are nanoseconds of CLOCK_MONOTONIC. */
struct monitor_about {
    uint64_t pid, opened; /* monitor_open() sets these two */
    uint64_t hash, pes;
    char name[MONITOR_NAME_BYTES], variant[MONITOR_NAME_BYTES];
};

/* What changes with jobs: numbers of 64 bits alone. */
struct monitor_counts {
    uint64_t jobs;          /* that the device ended, with or without an error */
    uint64_t failures;      /* jobs that failed, and losses of the device */
    uint64_t last_failure;  /* a status code or an enum monitor_failure; 0: none */
    uint64_t running_since; /* 0: no job is running */
    uint64_t elapsed;       /* clock cycles of the running job, as far as they are known */
    uint64_t busy;          /* nanoseconds of all jobs that are over */
    uint64_t last_end;      /* of a job; 0: none */
#define X(name, timed) uint64_t name;
    JOB_COUNTERS(X)
#undef X
};

uint64_t monitor_now(void);

/* ---- writing (write.c): one thread at a time ------------------------------------------------------- */

struct monitor_record;

struct monitor {
    bool tried;                    /* to make a record; this is done once */
    struct monitor_record *record; /* mapped; NULL: none */
    int file;                      /* keeps the lock that says that the process lives */
    pid_t owner;                   /* a process that was forked off leaves the file alone */
    uint64_t sequence;
    struct monitor_counts counts;
    char path[MONITOR_PATH_BYTES];
};

/* The first call makes the record. */
void monitor_open(struct monitor *monitor, const struct monitor_about *about);
void monitor_close(struct monitor *monitor);

void monitor_job_begins(struct monitor *monitor);
void monitor_job_runs(struct monitor *monitor, uint64_t cycles);
/* `result` is NULL when the device has not ended the job. */
void monitor_job_ends(struct monitor *monitor, const struct job_result *result);
void monitor_fails(struct monitor *monitor, uint64_t failure);

/* ---- reading (read.c) ------------------------------------------------------------------------------ */

struct monitor_sample {
    char path[MONITOR_PATH_BYTES];
    char why[MONITOR_WHY_BYTES]; /* why it cannot be read, or "" */
    struct monitor_about about;
    struct monitor_counts counts;
};

struct monitor_samples {
    struct monitor_sample *item;
    size_t count;
};

/* The devices of all processes, ordered by process and time; files that cannot be read are the last. Files of
 * processes that have ended are removed. False when out of memory. Not for a process that others watch: it
 * would close its own files, which drops their locks. */
bool monitor_read(struct monitor_samples *to);
void monitor_free(struct monitor_samples *samples);

const char *monitor_failure_name(uint64_t failure);

#endif
