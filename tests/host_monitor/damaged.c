/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are no records, or no whole ones, each beside a right one: they
 * are told of, or taken with values that can be.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/formats/random.h"
#include "support.h"

TestSuite(damaged, .init = monitor_enter, .fini = scratch_leave, .timeout = 120);

#define BAD "run/tulle/bad"

static struct monitor live;

/* The bytes of a record; they belong to this process, which lives. */
static struct monitor_record right_record(void)
{
    struct monitor_record r;
    live = monitor_make();
    monitor_job_begins(&live);
    monitor_job_ends(&live, &(struct job_result){.cycles = 10, .effective_macs = 20});
    memcpy((void *)&r, (const void *)live.record, sizeof r);
    return r;
}

static void write_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(BAD, "wb");
    cr_assert(file && fwrite(bytes, 1, count, file) == count && !fclose(file));
}

/* What is read of the bad file beside the right one; to be freed. `s` is NULL when it does not count. */
static struct monitor_samples read_both(const struct monitor_sample **s)
{
    struct monitor_samples all;
    unsigned right = 0;
    *s = NULL;
    cr_assert(monitor_read(&all));
    for (size_t i = 0; i < all.count; i++) {
        right += !strcmp(all.item[i].path, live.path) && !*all.item[i].why;
        if (strstr(all.item[i].path, "/run/tulle/bad"))
            *s = &all.item[i];
    }
    cr_assert_eq(right, 1, "the right record is not read");
    return all;
}

static void is_told(const char *why)
{
    const struct monitor_sample *s;
    struct monitor_samples all = read_both(&s);
    cr_assert(s && strstr(s->why, why), "\"%s\", not \"%s\"", s ? s->why : "nothing", why);
    monitor_free(&all);
}

static void is_told_of(const struct monitor_record *r, const char *why)
{
    write_bytes((const void *)r, sizeof *r);
    is_told(why);
}

static void is_nothing(void)
{
    const struct monitor_sample *s;
    struct monitor_samples all = read_both(&s);
    cr_assert_null(s, "%s", s->why);
    monitor_free(&all);
}

static bool printable(const char name[MONITOR_NAME_BYTES])
{
    const char *end = memchr(name, '\0', MONITOR_NAME_BYTES);
    for (; end && *name; name++)
        if (*name < 0x20 || *name > 0x7E)
            return false;
    return end;
}

/* Whatever the file has, what is taken of it can be. */
static void is_harmless(void)
{
    const struct monitor_sample *s;
    struct monitor_samples all = read_both(&s);
    if (s && !*s->why) {
        cr_assert(printable(s->about.name) && printable(s->about.variant) && *s->about.name);
        cr_assert(s->about.pes && s->about.pid && s->about.opened <= monitor_now());
        cr_assert(s->counts.last_failure < MONITOR_FAILURES && s->counts.running_since <= monitor_now());
        cr_assert_not_null(monitor_failure_name(s->counts.last_failure));
    }
    monitor_free(&all);
}

Test(damaged, each_mistake_has_its_reason)
{
    const struct monitor_record right = right_record();
    struct monitor_record r = right;
#define WITH(change, why)    \
    do {                     \
        r = right;           \
        change;              \
        is_told_of(&r, why); \
    } while (0)
    WITH(r.magic ^= 1, "no record");
    WITH(r.version++, "another version");
    WITH(r.bytes++, "size");
    WITH(r.about.pes = 0, "values");
    WITH(r.about.pes = UINT64_C(1) << 32, "values");
    WITH(r.about.opened = UINT64_MAX, "values");
    WITH(memset(r.about.name, 'x', sizeof r.about.name), "values");
    WITH(memset(r.about.variant, 'x', sizeof r.about.variant), "values");
    WITH(r.about.name[0] = '\0', "values");
    WITH(r.sequence |= 1, "never complete");
    struct monitor_counts counts;
    memcpy(&counts, (const void *)right.counts, sizeof counts);
#define COUNTS(change, why)                     \
    do {                                        \
        struct monitor_counts c = counts;       \
        change;                                 \
        r = right;                              \
        memcpy((void *)r.counts, &c, sizeof c); \
        is_told_of(&r, why);                    \
    } while (0)
    COUNTS(c.failures = 1, "values");
    COUNTS(c.last_failure = 1, "values");
    COUNTS((c.failures = 1, c.last_failure = MONITOR_FAILURES), "values");
    COUNTS(c.running_since = UINT64_MAX, "values");
    COUNTS(c.last_end = UINT64_MAX, "values");
    monitor_close(&live);
}

Test(damaged, names_are_printable)
{
    struct monitor_record r = right_record();
    const struct monitor_sample *s;
    strcpy(r.about.name, "a\033[2Jb\n\xC3");
    write_bytes(&r, sizeof r);
    struct monitor_samples all = read_both(&s);
    cr_assert_not_null(s);
    cr_assert_str_eq(s->about.name, "a?[2Jb??");
    monitor_free(&all);
    monitor_close(&live);
}

Test(damaged, every_length)
{
    const struct monitor_record r = right_record();
    write_bytes("", 0);
    is_nothing();
    for (size_t length = 1; length < sizeof r; length++) {
        write_bytes((const void *)&r, length);
        is_told(length < 24 ? "too short" : "size");
    }
    char more[sizeof r + 1];
    memcpy(more, (const void *)&r, sizeof r);
    more[sizeof r] = 0;
    write_bytes(more, sizeof more);
    is_told("size");
    monitor_close(&live);
}

Test(damaged, every_byte)
{
    const struct monitor_record right = right_record();
    for (size_t at = 0; at < sizeof right; at++)
        for (unsigned bit = 0; bit < 8; bit += 7) {
            unsigned char bytes[sizeof right];
            memcpy(bytes, (const void *)&right, sizeof bytes);
            bytes[at] ^= (unsigned char)(1u << bit);
            write_bytes(bytes, sizeof bytes);
            is_harmless();
        }
    monitor_close(&live);
}

/* From some byte on all is random; from the first, or behind what is looked at first. Few are in the middle
 * of an update, whose end takes time to wait for. */
Test(damaged, random_bytes)
{
    const struct monitor_record right = right_record();
    struct random random = {.state = 1};
    for (unsigned i = 0; i < 1000; i++) {
        unsigned char bytes[sizeof right];
        memcpy(bytes, (const void *)&right, sizeof bytes);
        for (size_t at = i % 3 ? 24 * (i % 3) : 0; at < sizeof bytes; at++)
            bytes[at] = (unsigned char)random_below(&random, 256);
        if (i % 64)
            bytes[offsetof(struct monitor_record, sequence)] &= 0xFE;
        write_bytes(bytes, sizeof bytes);
        is_harmless();
    }
    monitor_close(&live);
}

/* A process that has not come as far as the magic number yet. */
Test(damaged, one_that_is_being_made_is_left_alone)
{
    struct monitor_record r = right_record();
    r.magic = 0;
    write_bytes(&r, sizeof r);
    is_nothing();
    cr_assert(scratch_exists(BAD));
    monitor_close(&live);
}

Test(damaged, what_is_no_file)
{
    right_record();
    scratch_folder(BAD);
    is_told("no file");
    cr_assert_eq(rmdir(BAD), 0);
    cr_assert_eq(mkfifo(BAD, 0600), 0);
    is_told("no file");
    cr_assert_eq(unlink(BAD), 0);
    cr_assert_eq(symlink(live.path, BAD), 0);
    is_told("");
    const struct monitor_sample *s;
    struct monitor_samples all = read_both(&s);
    cr_assert(s && *s->why, "a link was followed");
    monitor_free(&all);
    monitor_close(&live);
}

/* Its owner is a process that is not there; this says the lock, and not the number. */
Test(damaged, files_of_nobody_are_removed)
{
    struct monitor_record r = right_record();
    r.about.pid = 1;
    r.version++;
    write_bytes(&r, sizeof r);
    is_nothing();
    cr_assert(!scratch_exists(BAD), "of another version, too");
    monitor_close(&live);
}
