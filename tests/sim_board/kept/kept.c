/* SPDX-License-Identifier: Apache-2.0
 *
 * What storage units hold over jobs, on a board of a variant with kept_weights:
 * jobs by chance, one to three behind each other, that leave a number, expect
 * the right or a wrong one, fail, or come behind a soft reset. A job that
 * expects what is there has no weights in its memory and gives the same
 * results. One that expects something else writes nothing.
 *
 * Usage: kept-test BOARD VARIANT SEED [KEY=VALUE]...
 *   BOARD: sim:FOLDER, or the functional model (model), or the cycle model (timed)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/devices/kinds.h"
#include "host/plan/stay.h"
#include "sim/board/jobs.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "tests/sim_board/tulle_sim/problem.h"

#define APART 4096
#define PATIENCE 1000000 /* cycles of a job */
#define WATCHDOG 2000
#define ROUNDS 60
#define PLACES 3 /* jobs behind each other */
#define SMALL 64 /* bytes of an output slot that is too small */

enum kind { WHOLE, AGAIN, FAILS, NO_PROGRAM, KINDS };

/* A job as it is drawn, and what must come of it. */
struct drawn {
    enum kind kind;
    uint32_t expects, leaves;
    enum job_code code;
};

struct stage {
    const struct board_api *api;
    struct board *board;
    struct problem problem;
    struct strbuf again;
    struct random random;
    uint32_t held; /* what the device must have */
    struct drawn drawn[PLACES];
    struct board_job job[PLACES];
    struct job_result result[PLACES];
    unsigned count, given, ended, round;
    unsigned seen[2]; /* jobs that found what they expected, and that did not */
};

static void stop(const struct stage *s, const char *why)
{
    fprintf(stderr, "kept-test: round %u: %s\n", s->round, why);
    exit(EXIT_FAILURE);
}

static void must(const struct stage *s, bool holds, const char *what)
{
    if (!holds)
        stop(s, what);
}

static void go(const struct stage *s, enum board_status status)
{
    if (status != BOARD_OK)
        stop(s, s->api->error(s->board));
}

/* ---- jobs that are drawn ------------------------------------------------------------------------- */

/* A number that is not 0. */
static uint32_t number(struct stage *s)
{
    return 1 + (uint32_t)random_below(&s->random, UINT32_MAX);
}

static void draw_expected(struct stage *s, struct drawn *d)
{
    const uint32_t near = s->held ^ UINT32_C(1) << random_below(&s->random, 32);
    const bool right = s->held && random_below(&s->random, 4);
    d->expects = right ? s->held : near ? near : number(s);
    d->leaves = random_below(&s->random, 4) ? d->expects : 0;
    d->code = right ? JOB_OK : JOB_STALE_WEIGHTS;
    s->seen[!right]++;
}

static void draw(struct stage *s, struct drawn *d)
{
    static const enum job_code codes[KINDS] = {[FAILS] = JOB_OUT_OF_SLOT, [NO_PROGRAM] = JOB_BAD_MAGIC};
    static const enum kind kinds[] = {WHOLE, WHOLE, WHOLE, AGAIN, AGAIN, AGAIN, AGAIN, FAILS, NO_PROGRAM};
    *d = (struct drawn){.kind = kinds[random_below(&s->random, sizeof kinds / sizeof *kinds)]};
    d->leaves = random_below(&s->random, 8) ? number(s) : 0;
    d->code = codes[d->kind];
    if (d->kind == AGAIN)
        draw_expected(s, d);
    s->held = d->code ? 0 : d->leaves;
}

/* ---- in the device's memory -------------------------------------------------------------------------- */

static uint64_t place_of(const struct stage *s, unsigned at)
{
    const struct problem *p = &s->problem;
    return APART + at * (p->bytes + APART - p->bytes % APART);
}

/* The problem's image with noise for weights, since the device has them. */
static void write_noise(struct stage *s, unsigned at)
{
    const uint64_t bytes = s->problem.job.slot[SLOT_WEIGHTS].size;
    uint8_t *noise = malloc(bytes);
    must(s, noise, "out of memory");
    for (uint64_t i = 0; i < bytes; i++)
        noise[i] = (uint8_t)random_next(&s->random);
    go(s, s->api->write_memory(s->board, s->job[at].slot[SLOT_WEIGHTS].address, noise, bytes));
    free(noise);
}

static void write_program(struct stage *s, unsigned at)
{
    const struct drawn *d = &s->drawn[at];
    const struct strbuf *from = d->kind == AGAIN ? &s->again : &s->problem.plan.program;
    struct strbuf program = {0};
    sb_addn(&program, from->text, from->len);
    must(s, sb_ok(&program), "out of memory");
    stay_number(&program, d->expects, d->leaves);
    if (d->kind == NO_PROGRAM)
        program.text[0] = 0;
    s->job[at].slot[SLOT_PROGRAM].size = program.len;
    go(s, s->api->write_memory(s->board, s->job[at].slot[SLOT_PROGRAM].address, program.text, program.len));
    sb_free(&program);
}

static void write_job(struct stage *s, unsigned at)
{
    const struct problem *p = &s->problem;
    s->job[at] = p->job;
    s->job[at].cycles = PATIENCE;
    s->job[at].number = 100 + at;
    for (unsigned i = 0; i < ISA_SLOTS; i++)
        s->job[at].slot[i].address += p->job.slot[i].size ? place_of(s, at) - p->base : 0;
    go(s, s->api->write_memory(s->board, place_of(s, at), p->image, p->bytes));
    write_program(s, at);
    if (s->drawn[at].kind == AGAIN)
        write_noise(s, at);
    if (s->drawn[at].kind == FAILS)
        s->job[at].slot[SLOT_OUTPUT].size = SMALL;
}

/* ---- what comes of them ------------------------------------------------------------------------------ */

static const struct board_job *next_job(void *context)
{
    struct stage *s = context;
    return s->given < s->count ? &s->job[s->given++] : NULL;
}

static bool note_end(void *context, const struct job_result *result)
{
    struct stage *s = context;
    s->result[s->ended++] = *result;
    return true;
}

/* Results of a job that ended well; the noise that was there of one that did not begin. */
static void check(const struct stage *s, unsigned at)
{
    const struct problem *p = &s->problem;
    const struct drawn *d = &s->drawn[at];
    const uint64_t bytes = p->job.slot[SLOT_OUTPUT].size, from = p->job.slot[SLOT_OUTPUT].address - p->base;
    uint8_t *output = malloc(bytes);
    char why[128];
    snprintf(why, sizeof why, "job %u ended with %s, not with %s", at, job_code_name(s->result[at].code),
             job_code_name(d->code));
    must(s, s->result[at].code == d->code, why);
    must(s, output, "out of memory");
    go(s, s->api->read_memory(s->board, s->job[at].slot[SLOT_OUTPUT].address, output, bytes));
    if (d->kind != FAILS)
        must(s, !memcmp(output, (d->code ? p->image : p->expected) + from, bytes), "results");
    must(s, d->code || s->result[at].effective_macs == p->model.effective_macs, "multiplications");
    if (d->kind == AGAIN && !d->code)
        must(s, s->result[at].bytes_read + p->job.slot[SLOT_WEIGHTS].size <= p->model.bytes_read,
             "the weights were read");
    free(output);
}

static void play_round(struct stage *s)
{
    const struct board_jobs jobs = {.next = next_job, .ended = note_end, .context = s};
    s->count = 1 + (unsigned)random_below(&s->random, PLACES);
    s->given = s->ended = 0;
    if (!random_below(&s->random, 12)) {
        go(s, s->api->write_register(s->board, register_offset("reset"), RESET_KEY));
        s->held = 0;
    }
    /* A store outside its slot holds others up: the device reports it when nothing moves. */
    go(s, s->api->write_register(s->board, register_offset("watchdog"), WATCHDOG));
    for (unsigned i = 0; i < s->count; i++) {
        draw(s, &s->drawn[i]);
        write_job(s, i);
    }
    go(s, board_jobs_run(s->api, s->board, &jobs));
    must(s, s->ended == s->count, "not all jobs have ended");
    for (unsigned i = 0; i < s->count; i++)
        check(s, i);
}

/* ---- all ------------------------------------------------------------------------------------------------
 */

static void make_problem(struct stage *s, const struct variant *variant, char *seed)
{
    char *words[] = {"kept-test", "spmm", "--board", "model",  "--rows", "9",         "--k",
                     "40",        "--n",  "24",      "--seed", seed,     "--density", "0.5"};
    struct sim_options options;
    struct diag diag = {0};
    options_parse((int)(sizeof words / sizeof *words), words, &options, &diag);
    must(s, !diag_report(&diag, stderr), "options");
    const char *why = problem_make(&options, variant, NULL, &s->problem);
    if (why)
        stop(s, why);
    must(s, stay_program(variant, &s->problem.plan.program, &s->again), "nothing stays");
}

static void open_board(struct stage *s, const char *name, const char *variant, char *const *sets, int count)
{
    struct setting_list settings = {0};
    const char *place = variant;
    char why[512];
    const bool timed = !strcmp(name, "timed"), model = timed || !strcmp(name, "model");
    s->api = model ? &board_model : board_find(board_kinds, name, &place);
    must(s, s->api, "no such board");
    for (int i = 0; i < count && model; i++)
        settings_add(&settings, "set", sets[i]);
    if (timed)
        settings_add(&settings, "timed", "1");
    s->board = s->api->open(place, settings.list, why, sizeof why);
    settings_free(&settings);
    if (!s->board)
        stop(s, why);
}

int main(int argc, char **argv)
{
    struct stage s = {0};
    struct variant variant;
    struct diag diag = {0};
    must(&s, argc >= 4, "usage: kept-test BOARD VARIANT SEED [KEY=VALUE]...");
    const bool loaded =
        variant_load(argv[2], (const char *const *)argv + 4, (size_t)argc - 4, &variant, &diag);
    must(&s, !diag_report(&diag, stderr) && loaded, "no legal variant");
    s.random.state = strtoull(argv[3], NULL, 0);
    make_problem(&s, &variant, argv[3]);
    open_board(&s, argv[1], argv[2], argv + 4, argc - 4);
    for (s.round = 0; s.round < ROUNDS; s.round++)
        play_round(&s);
    must(&s, s.seen[0] > ROUNDS / 8 && s.seen[1] > ROUNDS / 8, "too few jobs expect something");
    s.api->close(s.board);
    problem_free(&s.problem);
    sb_free(&s.again);
    printf("kept-test: PASS, %u jobs found what they expected, %u did not\n", s.seen[0], s.seen[1]);
    return EXIT_SUCCESS;
}
