/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of devices: what a process writes, what others read, and whose files
 * are which.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

TestSuite(records, .init = monitor_enter, .fini = scratch_leave, .timeout = 120);

static const struct job_result result = {
    .cycles = 1000, .effective_macs = 3000, .bytes_read = 7, .bytes_written = 5, .moved = 3};

Test(records, has_what_the_jobs_came_to)
{
    struct monitor m = monitor_make();
    monitor_job_begins(&m);
    monitor_job_ends(&m, &result);
    monitor_job_begins(&m);
    monitor_job_ends(&m, &result);
    struct monitor_samples all = samples_of(getpid());
    cr_assert_eq(all.count, 1);
    const struct monitor_sample *s = all.item;
    cr_assert_str_eq(s->about.name, "model:some");
    cr_assert_str_eq(s->about.variant, "some");
    cr_assert(s->about.pid == (uint64_t)getpid() && s->about.pes == 32 && s->about.hash == 77);
    cr_assert(s->about.opened && s->about.opened <= monitor_now());
    cr_assert(s->counts.jobs == 2 && s->counts.cycles == 2000 && s->counts.effective_macs == 6000);
    cr_assert(s->counts.bytes_read == 14 && s->counts.bytes_written == 10 && s->counts.moved == 6);
    cr_assert(!s->counts.failures && !s->counts.last_failure && !s->counts.running_since);
    cr_assert(s->counts.last_end >= s->about.opened && s->counts.busy <= monitor_now() - s->about.opened);
    monitor_free(&all);
    monitor_close(&m);
    all = samples_of(getpid());
    cr_assert_eq(all.count, 0, "it is there after the end");
    cr_assert_eq(access("run/tulle", F_OK), -1, "an empty folder is left");
}

Test(records, shows_the_job_that_runs_and_its_cycles)
{
    struct monitor m = monitor_make();
    monitor_job_begins(&m);
    monitor_job_runs(&m, 44);
    struct monitor_samples all = samples_of(getpid());
    cr_assert(all.item->counts.running_since && all.item->counts.elapsed == 44 && !all.item->counts.jobs);
    monitor_free(&all);
    monitor_job_ends(&m, NULL);
    monitor_fails(&m, MONITOR_TIMEOUT);
    all = samples_of(getpid());
    const struct monitor_counts *c = &all.item->counts;
    cr_assert(!c->running_since && !c->elapsed && !c->jobs && !c->cycles && c->last_end);
    cr_assert(c->failures == 1 && c->last_failure == MONITOR_TIMEOUT);
    monitor_free(&all);
    monitor_close(&m);
}

Test(records, failures_have_names)
{
    cr_assert_str_eq(monitor_failure_name(MONITOR_TIMEOUT), "timeout");
    cr_assert_str_eq(monitor_failure_name(MONITOR_LOST), "device lost");
    cr_assert_str_eq(monitor_failure_name(JOB_BAD_MAGIC), "bad_magic");
    cr_assert_str_eq(monitor_failure_name(65535), "unknown");
}

Test(records, are_not_made_when_switched_off)
{
    cr_assert_eq(setenv(MONITOR_VARIABLE, "off", 1), 0);
    struct monitor m = monitor_try();
    cr_assert_null(m.record);
    cr_assert(!scratch_exists("run/tulle"), "not even the folder");
    monitor_job_begins(&m);
    monitor_job_runs(&m, 3);
    monitor_job_ends(&m, &result);
    monitor_fails(&m, MONITOR_LOST);
    monitor_close(&m);
}

Test(records, two_devices_of_a_process_have_two_files)
{
    struct monitor a = monitor_make(), b = monitor_make();
    struct monitor_samples all = samples_of(getpid());
    cr_assert_eq(all.count, 2);
    monitor_free(&all);
    monitor_close(&a);
    all = samples_of(getpid());
    cr_assert_eq(all.count, 1);
    monitor_free(&all);
    monitor_close(&b);
}

/* ---- processes ------------------------------------------------------------------------------------- */

/* A process with a device, which says when it is open and then waits to be stopped. */
static pid_t begin_process(void)
{
    int ready[2];
    char byte = 0;
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    cr_assert_geq(pid, 0);
    if (!pid) {
        struct monitor m = monitor_try();
        byte = m.record ? 'y' : 'n';
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    cr_assert_eq(byte, 'y');
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void stop_process(pid_t pid)
{
    int status;
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
}

Test(records, of_other_processes_are_seen_until_they_end)
{
    char name[64];
    pid_t pid = begin_process();
    snprintf(name, sizeof name, "run/tulle/%ld.0", (long)pid);
    struct monitor_samples all = samples_of(pid);
    cr_assert_eq(all.count, 1);
    monitor_free(&all);
    cr_assert(scratch_exists(name));
    stop_process(pid);
    cr_assert(scratch_exists(name), "it was killed");
    all = samples_of(pid);
    cr_assert_eq(all.count, 0, "a process that was killed is shown");
    cr_assert(!scratch_exists(name), "its file stays");
}

/* A process may have the number that one before it had. */
Test(records, of_an_earlier_process_of_the_same_number_is_left_alone)
{
    char name[64];
    scratch_folder("run/tulle");
    cr_assert_eq(chmod("run/tulle", 0700), 0);
    snprintf(name, sizeof name, "run/tulle/%ld.0", (long)getpid());
    scratch_write(name, "");
    struct monitor m = monitor_make();
    struct monitor_samples all = samples_of(getpid());
    cr_assert_eq(all.count, 1);
    snprintf(name, sizeof name, "%ld.1", (long)getpid());
    cr_assert(strstr(all.item->path, name), "%s", all.item->path);
    monitor_free(&all);
    monitor_close(&m);
}

Test(records, stays_when_a_process_that_was_forked_off_ends)
{
    struct monitor m = monitor_make();
    int status;
    pid_t pid = fork();
    if (!pid) {
        monitor_close(&m);
        _exit(0);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    struct monitor_samples all = samples_of(getpid());
    cr_assert_eq(all.count, 1);
    monitor_free(&all);
    monitor_close(&m);
}

/* Updates come in bursts as fast as they can, and a reader often comes between two of them. */
static void update_for_good(int ready)
{
    const struct job_result each = {.cycles = 1, .effective_macs = 2, .bytes_written = 3, .moved = 5};
    struct monitor m = monitor_try();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where the test fails */
    if (write(ready, "y", 1) != 1)
        _exit(1);
    for (;;) {
        for (unsigned i = 0; i < 100; i++)
            monitor_job_ends(&m, &each);
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    }
}

Test(records, have_the_counts_of_one_moment)
{
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (!pid)
        update_for_good(ready[1]);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    uint64_t last = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct monitor_samples all = samples_of(pid);
        cr_assert_eq(all.count, 1, "reading %u: there is no moment", i);
        const struct monitor_counts *c = &all.item->counts;
        cr_assert(c->jobs >= last && c->cycles == c->jobs && c->effective_macs == 2 * c->jobs &&
                      c->bytes_written == 3 * c->jobs && c->moved == 5 * c->jobs,
                  "the counts of two moments");
        last = c->jobs;
        monitor_free(&all);
    }
    stop_process(pid);
    cr_assert(last > 0);
}

/* The system may interrupt a process in the middle of an update, for as long as others have work. */
Test(records, are_waited_for_when_an_update_is_interrupted)
{
    struct monitor m = monitor_make();
    const uint64_t whole = atomic_load(&m.record->sequence);
    atomic_store(&m.record->sequence, whole + 1);
    pid_t pid = fork();
    if (!pid) {
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        atomic_store(&m.record->sequence, whole + 2);
        _exit(0);
    }
    struct monitor_samples all = samples_of(getpid());
    cr_assert_eq(all.count, 1, "nobody has waited for the update");
    monitor_free(&all);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    monitor_close(&m);
}

/* ---- folders --------------------------------------------------------------------------------------- */

/* What is said of the folder, which no record was put into. */
static void is_distrusted(const char *why)
{
    struct monitor m = monitor_try();
    cr_assert(!m.record || !strstr(m.path, "/run/tulle/"), "a record in %s", m.path);
    struct monitor_samples all;
    bool told = false;
    cr_assert(monitor_read(&all));
    for (size_t i = 0; i < all.count; i++)
        told = told || (strstr(all.item[i].path, "/run/tulle") && strstr(all.item[i].why, why));
    cr_assert(told, "nothing is said of \"%s\"", why);
    monitor_free(&all);
    monitor_close(&m);
}

Test(records, are_not_in_a_folder_that_others_may_use)
{
    scratch_folder("run/tulle");
    cr_assert_eq(chmod("run/tulle", 0755), 0);
    is_distrusted("0700");
    cr_assert_str_eq(scratch_list("run/tulle"), "");
}

Test(records, are_not_in_a_folder_of_somebody_else)
{
    if (geteuid() != 0)
        cr_skip_test("only root can give a folder away");
    scratch_folder("run/tulle");
    cr_assert_eq(chmod("run/tulle", 0700), 0);
    cr_assert_eq(chown("run/tulle", 12345, 12345), 0);
    is_distrusted("another user");
    cr_assert_str_eq(scratch_list("run/tulle"), "");
}

Test(records, are_not_behind_a_link)
{
    scratch_folder("elsewhere");
    cr_assert_eq(chmod("elsewhere", 0700), 0);
    cr_assert_eq(symlink("../elsewhere", "run/tulle"), 0);
    is_distrusted("no folder");
    cr_assert_str_eq(scratch_list("elsewhere"), "");
}

Test(records, are_not_in_a_file)
{
    scratch_write("run/tulle", "a file");
    is_distrusted("no folder");
    cr_assert(scratch_has("run/tulle", "a file"));
}

Test(records, are_in_the_temporary_folder_without_another_one)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "/tmp/tulle-%lu/", (unsigned long)geteuid());
    const char *nowhere[] = {NULL, "", "relative", "/nowhere/at/all"};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        cr_assert_eq(nowhere[i] ? setenv("XDG_RUNTIME_DIR", nowhere[i], 1) : unsetenv("XDG_RUNTIME_DIR"), 0);
        struct monitor m = monitor_make();
        cr_assert_eq(strncmp(m.path, wanted, strlen(wanted)), 0, "%s", m.path);
        monitor_close(&m);
    }
}

Test(records, are_not_made_on_a_full_disk)
{
    scratch_limit_files(0);
    cr_assert_neq(signal(SIGXFSZ, SIG_DFL), SIG_ERR, "a file that is too large is fatal");
    struct monitor m = monitor_try();
    cr_assert_null(m.record);
    cr_assert_str_eq(scratch_list("run/tulle"), "", "the empty file stays");
    monitor_job_begins(&m);
    monitor_job_ends(&m, &result);
}
