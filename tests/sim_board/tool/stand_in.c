/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated board around a device that copies (tests/sim_board/stand_in.v).
 * TULLE_BOARD is the folder it was built into.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "host/formats/random.h"
#include "sim/board/board.h"
#include "sim/board/job.h"
#include "sim/board/registers.h"

#define MISCHIEF 0x3F0
#define LONGEST 0x3F4
#define GUARD 256

enum {
    CROSSES_4K = 1,
    TAKES_BACK,
    FAILS_ASSERTION,
    NO_INTERRUPT,
    DEAF_REGISTERS,
    NO_WAIT_FOR_RESPONSES,
    FAILS_IN_BLOCK
};

static const struct board_api *const api = &board_sim;

static const char *folder(void)
{
    const char *name = getenv("TULLE_BOARD");
    cr_assert(name, "TULLE_BOARD is not set");
    return name;
}

static struct board *opened(const char *const *settings)
{
    char why[512] = "";
    struct board *b = api->open(folder(), settings, why, sizeof why);
    cr_assert(b, "%s", why);
    return b;
}

/* A copy of `beats` of 64 bytes with guards around the target. */
struct copy {
    uint64_t from, to, status;
    uint32_t beats;
    uint32_t number;
    struct job_result result;
    uint8_t *source, *target; /* target: with guards, as it was */
};

static void make_copy(struct copy *c, uint32_t beats, uint64_t seed)
{
    struct random random = {seed};
    uint64_t bytes = (uint64_t)beats * 64;
    *c = (struct copy){.beats = beats, .number = (uint32_t)random_next(&random)};
    c->from = 64 * (1 + random_below(&random, 1000));
    c->to = (UINT64_C(4) << 30) - 64 * random_below(&random, 1000);
    c->status = (UINT64_C(16) << 30) - 64 * (1 + random_below(&random, 10));
    c->source = malloc(bytes);
    c->target = malloc(bytes + 2 * GUARD);
    cr_assert(c->source && c->target);
    for (uint64_t i = 0; i < bytes; i++)
        c->source[i] = (uint8_t)random_next(&random);
    for (uint64_t i = 0; i < bytes + 2 * GUARD; i++)
        c->target[i] = (uint8_t)random_next(&random);
}

static void free_copy(struct copy *c)
{
    free(c->source);
    free(c->target);
}

static enum board_status run_copy(struct board *b, struct copy *c, uint64_t cycles)
{
    uint64_t bytes = (uint64_t)c->beats * 64;
    struct board_job job = {.number = c->number, .cycles = cycles};
    job.slot[SLOT_INPUT].address = c->from;
    job.slot[SLOT_INPUT].size = bytes;
    job.slot[SLOT_OUTPUT].address = c->to;
    job.slot[SLOT_STATUS].address = c->status;
    cr_assert_eq(api->write_memory(b, c->from, c->source, bytes), BOARD_OK);
    cr_assert_eq(api->write_memory(b, c->to - GUARD, c->target, bytes + 2 * GUARD), BOARD_OK);
    return board_job_run(api, b, &job, &c->result);
}

/* True when the target holds the source, and everything around it is untouched. */
static bool is_copied(struct board *b, const struct copy *c)
{
    uint64_t bytes = (uint64_t)c->beats * 64;
    uint8_t *back = malloc(bytes + 2 * GUARD);
    cr_assert(back);
    cr_assert_eq(api->read_memory(b, c->to - GUARD, back, bytes + 2 * GUARD), BOARD_OK);
    bool same = !memcmp(back + GUARD, c->source, bytes) && !memcmp(back, c->target, GUARD) &&
                !memcmp(back + GUARD + bytes, c->target + GUARD + bytes, GUARD);
    free(back);
    return same;
}

static void expect_copy(struct board *b, struct copy *c)
{
    uint32_t record[2];
    enum board_status status = run_copy(b, c, 1000000);
    cr_assert_eq(status, BOARD_OK, "%s", api->error(b));
    cr_assert_eq(c->result.code, JOB_OK);
    cr_assert_eq(api->wait(b, 1, 0), BOARD_TIMEOUT, "the interrupt was acknowledged");
    cr_assert(is_copied(b, c));
    cr_assert_eq(api->read_memory(b, c->status, record, sizeof record), BOARD_OK);
    cr_assert(record[0] == 0 && record[1] == c->number, "status %08x %08x", record[0], record[1]);
}

static void be(struct board *b, unsigned mischief)
{
    cr_assert_eq(api->write_register(b, MISCHIEF, mischief), BOARD_OK, "%s", api->error(b));
}

/* Beats of the longest burst the device makes. */
static void set_longest(struct board *b, unsigned beats)
{
    cr_assert_eq(api->write_register(b, LONGEST, beats - 1), BOARD_OK);
}

/* ---- memory and time --------------------------------------------------------------------------- */

Test(stand_in, copies_whatever_the_memory_does)
{
    static const char *const settings[][5] = {{NULL},
                                              {"latency=0", NULL},
                                              {"latency=300", "bandwidth=1/3", NULL},
                                              {"stalls=1", "latency=7", "reorder=1", NULL},
                                              {"stalls=2", "latency=1", NULL},
                                              {"stalls=3", "bursts=1", "bandwidth=4/5", NULL},
                                              {"stalls=0x123456789", "seed=77", NULL},
                                              {"stalls=12", "seed=3", NULL}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct board *b = opened(settings[i]);
        for (unsigned n = 0; n < 12; n++) {
            struct copy c;
            make_copy(&c, 1 + n * n * 4, 100 * i + n);
            set_longest(b, 1 + n * 23 % 64);
            expect_copy(b, &c);
            cr_assert_neq(api->written(b, c.to), 0);
            cr_assert_eq(api->written(b, c.from), 0, "the device only read there");
            cr_assert_leq(api->written(b, c.to), api->cycles(b));
            free_copy(&c);
        }
        api->close(b);
    }
}

static uint64_t cycles_for(const char *latency, const char *bandwidth, uint32_t beats)
{
    const char *const settings[] = {latency, bandwidth, NULL};
    struct board *b = opened(settings);
    struct copy c;
    make_copy(&c, beats, 1);
    c.from = c.to = 8192;
    c.to += 1 << 20;
    set_longest(b, 64);
    expect_copy(b, &c);
    uint64_t cycles = c.result.cycles & 0xFFFFFFFF;
    free_copy(&c);
    api->close(b);
    return cycles;
}

Test(stand_in, latency_and_bandwidth_cost_what_they_say)
{
    /* Read, write and the record are one after another: three latencies. */
    uint64_t none = cycles_for("latency=1", NULL, 16), some = cycles_for("latency=101", NULL, 16);
    cr_assert_eq(some - none, 300);
    uint64_t full = cycles_for("latency=10", NULL, 1024),
             half = cycles_for("latency=10", "bandwidth=1/2", 1024);
    cr_assert(full > 1024 && full < 1400, "%llu", (unsigned long long)full);
    cr_assert(half > 2048 && half < 2300, "%llu", (unsigned long long)half);
}

Test(stand_in, the_same_seeds_are_the_same_run)
{
    uint64_t cycles[3];
    char *events[3];
    for (unsigned i = 0; i < 3; i++) {
        const char *const settings[] = {i == 2 ? "stalls=8" : "stalls=4", "latency=9", NULL};
        struct board *b = opened(settings);
        struct copy c;
        make_copy(&c, 100, 1);
        set_longest(b, 64);
        expect_copy(b, &c);
        cycles[i] = api->cycles(b);
        events[i] = strdup(api->events(b));
        free_copy(&c);
        api->close(b);
    }
    cr_assert_eq(cycles[0], cycles[1]);
    cr_assert_str_eq(events[0], events[1]);
    cr_assert_neq(cycles[0], cycles[2]);
    for (unsigned i = 0; i < 3; i++)
        free(events[i]);
}

Test(stand_in, who_does_not_wait_for_responses_is_found_out)
{
    static const char *const settings[] = {"fault=late2000:write:0xfff00000-0x100100000", NULL};
    struct board *b = opened(settings);
    struct copy c;
    make_copy(&c, 16, 1);
    set_longest(b, 64);
    expect_copy(b, &c);
    free_copy(&c);
    make_copy(&c, 16, 1);
    be(b, NO_WAIT_FOR_RESPONSES);
    cr_assert_eq(run_copy(b, &c, 1000000), BOARD_OK);
    cr_assert_not(is_copied(b, &c), "memory has not got it yet");
    free_copy(&c);
    api->close(b);
}

/* ---- bounds ------------------------------------------------------------------------------------ */

Test(stand_in, a_wait_ends_after_its_cycles)
{
    struct board *b = opened(NULL);
    struct copy c;
    make_copy(&c, 4, 1);
    set_longest(b, 64);
    be(b, NO_INTERRUPT);
    cr_assert_eq(api->wait(b, 0, 0), BOARD_BAD_ARGUMENT);
    for (uint64_t bound = 1; bound < 5000; bound *= 7) {
        uint64_t before = api->cycles(b);
        cr_assert_eq(api->wait(b, bound, 0), BOARD_TIMEOUT);
        cr_assert_eq(api->cycles(b) - before, bound);
    }
    cr_assert_eq(run_copy(b, &c, 3000), BOARD_TIMEOUT);
    cr_assert(strstr(api->error(b), "3000 cycles"), "%s", api->error(b));
    be(b, 0);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_OK, "the board is as good as before");
    cr_assert_eq(api->wait(b, 1, 0), BOARD_OK, "up at once");
    cr_assert_eq(api->write_register(b, register_offset("interrupt_status"), INTERRUPT_DONE), BOARD_OK);
    cr_assert_eq(api->wait(b, 1, 0), BOARD_TIMEOUT, "down at once");
    free_copy(&c);
    api->close(b);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

Test(stand_in, a_wait_ends_after_its_time)
{
    struct board *b = opened(NULL);
    double before = seconds_now();
    cr_assert_eq(api->wait(b, 0, 30000000), BOARD_TIMEOUT);
    double took = seconds_now() - before;
    cr_assert(took >= 0.03 && took < 20, "%f s", took);
    cr_assert_gt(api->cycles(b), 100, "the clock ran");
    api->close(b);
}

Test(stand_in, a_memory_that_never_answers_is_a_timeout)
{
    static const char *const faults[][2] = {{"fault=dead:read:*:0-1000000", NULL},
                                            {"fault=dead:write:0x100000000-0x1ffffffff", NULL},
                                            {"fault=deaf:read", NULL},
                                            {"fault=deaf:write", NULL}};
    for (unsigned i = 0; i < 4; i++) {
        struct board *b = opened(faults[i]);
        struct copy c;
        make_copy(&c, 64, 1);
        c.to = UINT64_C(4) << 30;
        set_longest(b, 16);
        cr_assert_eq(run_copy(b, &c, 20000), BOARD_TIMEOUT, "%s", faults[i][0]);
        cr_assert_eq(api->write_register(b, MISCHIEF, 0), BOARD_OK, "registers do answer");
        free_copy(&c);
        api->close(b);
    }
}

Test(stand_in, registers_that_do_not_answer_fail_the_board)
{
    struct board *b = opened(NULL);
    uint32_t value;
    be(b, DEAF_REGISTERS);
    cr_assert_eq(api->read_register(b, 0x100, &value), BOARD_FAILED);
    cr_assert(strstr(api->error(b), "no answer to a register read at 0x100"), "%s", api->error(b));
    uint64_t cycles = api->cycles(b);
    cr_assert_eq(api->write_register(b, 0x10, 1), BOARD_FAILED);
    cr_assert_eq(api->wait(b, 1000, 0), BOARD_FAILED);
    cr_assert_eq(api->cycles(b), cycles, "no more time passes");
    cr_assert(strstr(api->error(b), "0x100"), "the first reason stays: %s", api->error(b));
    api->close(b);
}

/* ---- errors ------------------------------------------------------------------------------------ */

Test(stand_in, error_responses_reach_the_status_register)
{
    static const struct {
        const char *fault;
        enum job_code code;
    } cases[] = {{"fault=slverr:read:0x4000-0x4003", JOB_READ_SLAVE_ERROR},
                 {"fault=decerr:read:0x4000-0x4003", JOB_READ_DECODE_ERROR},
                 {"fault=slverr:write:0x100000400-0x100000400", JOB_WRITE_SLAVE_ERROR},
                 {"fault=decerr:write:0x100000400-0x100000400", JOB_WRITE_DECODE_ERROR},
                 {"fault=decerr:write:0x100000400-0x100000400:1000000-", JOB_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[] = {cases[i].fault, "stalls=5", NULL};
        struct board *b = opened(settings);
        struct copy c;
        make_copy(&c, 64, 1);
        c.from = 0x3800;
        c.to = UINT64_C(4) << 30;
        c.status = 64;
        set_longest(b, 4);
        cr_assert_eq(run_copy(b, &c, 100000), BOARD_OK);
        cr_assert_eq(c.result.code, cases[i].code, "%s", cases[i].fault);
        free_copy(&c);
        api->close(b);
    }
}

static void expect_failure(unsigned mischief, const char *word)
{
    static const char *const settings[] = {"stalls=3", NULL};
    struct board *b = opened(settings);
    struct copy c;
    make_copy(&c, 1024, 1);
    set_longest(b, 64);
    /* An assertion fails in the very write that asks for it. */
    enum board_status status = api->write_register(b, MISCHIEF, mischief);
    if (status == BOARD_OK)
        status = run_copy(b, &c, 100000);
    cr_assert_eq(status, BOARD_FAILED, "mischief %u", mischief);
    cr_assert(strstr(api->error(b), word), "%s", api->error(b));
    free_copy(&c);
    api->close(b);
}

Test(stand_in, a_broken_protocol_or_assertion_fails_the_board)
{
    expect_failure(CROSSES_4K, "4 KiB");
    expect_failure(TAKES_BACK, "takes back");
    expect_failure(FAILS_ASSERTION, "stop");
}

/* With TULLE_BOARD_BLOCKS the device has clusters. */
Test(stand_in, an_assertion_in_a_block_of_its_own_fails_the_board)
{
    if (getenv("TULLE_BOARD_BLOCKS"))
        expect_failure(FAILS_IN_BLOCK, "cluster");
    else
        cr_skip_test("the device has no such block");
}

/* ---- several boards ---------------------------------------------------------------------------- */

static void *work(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    char text[32];
    snprintf(text, sizeof text, "stalls=%u", seed);
    const char *const settings[] = {text, seed % 2 ? "latency=3" : "latency=90", NULL};
    struct board *b = opened(settings);
    for (unsigned i = 0; i < 10; i++) {
        struct copy c;
        make_copy(&c, 20 + seed, 1000 * seed + i);
        set_longest(b, 1 + seed);
        expect_copy(b, &c);
        free_copy(&c);
    }
    uint64_t *cycles = malloc(sizeof *cycles);
    *cycles = api->cycles(b);
    api->close(b);
    return cycles;
}

Test(stand_in, boards_in_threads_do_what_they_do_alone)
{
    pthread_t thread[8];
    unsigned seed[8];
    for (unsigned i = 0; i < 8; i++) {
        seed[i] = i;
        cr_assert_eq(pthread_create(&thread[i], NULL, work, &seed[i]), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        void *together;
        pthread_join(thread[i], &together);
        uint64_t *alone = work(&seed[i]);
        cr_assert_eq(*(uint64_t *)together, *alone, "board %u", i);
        free(together);
        free(alone);
    }
}

Test(stand_in, boards_share_nothing)
{
    static const char *const slow[] = {"latency=500", NULL};
    struct board *a = opened(NULL), *b = opened(slow);
    struct copy c, d;
    make_copy(&c, 30, 1);
    make_copy(&d, 30, 2);
    d.to = c.to;
    d.from = c.from;
    set_longest(a, 64);
    set_longest(b, 8);
    expect_copy(a, &c);
    uint64_t cycles = api->cycles(a);
    expect_copy(b, &d);
    cr_assert(is_copied(a, &c) && !is_copied(a, &d));
    cr_assert_eq(api->cycles(a), cycles);
    free_copy(&c);
    free_copy(&d);
    api->close(a);
    api->close(b);
}

/* ---- looking inside ---------------------------------------------------------------------------- */

Test(stand_in, events_are_the_newest_before_a_cycle)
{
    static const char *const settings[] = {"events=5", NULL};
    struct board *b = opened(settings);
    uint32_t value;
    for (uint32_t i = 0; i < 9; i++)
        cr_assert_eq(api->read_register(b, 0x100, &value), BOARD_OK);
    cr_assert_eq(api->write_register(b, 0x10, 0xABCD), BOARD_OK);
    const char *text = api->events(b);
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    cr_assert_eq(lines, 5);
    cr_assert(strstr(text, "register    0x010 := 0x0000abcd"), "%s", text);
    cr_assert(strstr(text, "register    0x100 is 0x4c4c5554"), "%s", text);
    api->close(b);
    static const char *const until[] = {"until=15", NULL};
    b = opened(until);
    for (uint32_t i = 0; i < 9; i++)
        cr_assert_eq(api->read_register(b, 0x100, &value), BOARD_OK);
    cr_assert(strlen(api->events(b)) > 0 && strlen(api->events(b)) < 120, "%s", api->events(b));
    api->close(b);
}

static long traced(const char *from, const char *to)
{
    char path[] = "board-test-XXXXXX", setting[64];
    struct stat status;
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    snprintf(setting, sizeof setting, "trace=%s", path);
    const char *const settings[] = {setting, from, to, NULL};
    struct board *b = opened(settings);
    struct copy c;
    make_copy(&c, 500, 1);
    set_longest(b, 64);
    expect_copy(b, &c);
    cr_assert_gt(api->cycles(b), 900, "the job is longer than the windows");
    free_copy(&c);
    api->close(b);
    cr_assert_eq(stat(path, &status), 0);
    remove(path);
    return (long)status.st_size;
}

Test(stand_in, a_waveform_has_the_cycles_it_was_asked_for)
{
    long nothing = traced("from=1000000", NULL), little = traced("from=300", "to=310");
    long more = traced("from=300", "to=500"), all = traced(NULL, NULL);
    cr_assert_eq(nothing, 0);
    cr_assert(little > 200 && more > little && all > more, "%ld, %ld, %ld bytes", little, more, all);
}

Test(stand_in, a_waveform_that_cannot_be_written_fails)
{
    static const char *const settings[] = {"trace=/nowhere/wave.fst", NULL};
    char why[256];
    cr_assert_null(api->open(folder(), settings, why, sizeof why));
    cr_assert(strstr(why, "/nowhere/wave.fst"), "%s", why);
}
