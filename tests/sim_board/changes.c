/* SPDX-License-Identifier: Apache-2.0
 *
 * The board's model keeps what it decoded of a job's weights and program. That
 * must not show: whatever wrote to memory between two jobs, a job does what it
 * does on a board that never saw another one.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/plan/planner.h"
#include "sim/board/board.h"
#include "sim/board/job.h"

#define MEMORY (1u << 20)
#define SIDE 96
#define JOBS 3

static const struct board_api *const api = &board_model;

/* A product with a vector, and one with other numbers at the same places of the matrix. */
struct product {
    struct plan plan, other;
    struct board_job job;
};

struct history {
    const char *timed;
    struct board *board;
    struct random dice;
    struct product product[JOBS];
    uint8_t *memory;
    unsigned ok, wrong;
};

static struct board *opened(const char *timed)
{
    const char *const settings[] = {"memory=1M", timed, NULL};
    char why[256] = "";
    struct board *b = api->open("base", settings, why, sizeof why);
    cr_assert(b, "%s", why);
    return b;
}

static void put(struct board *b, uint64_t address, const void *from, size_t bytes)
{
    cr_assert_eq(api->write_memory(b, address, from, bytes), BOARD_OK);
}

static void make_plan(struct random *dice, int32_t sign, struct plan *plan)
{
    struct variant v;
    struct diag diag = {0};
    struct sparse w = {.rows = SIDE, .columns = SIDE};
    cr_assert(variant_load("base", NULL, 0, &v, &diag));
    w.start = calloc(SIDE + 1, sizeof *w.start);
    w.column = calloc(SIDE * SIDE, sizeof *w.column);
    w.value = calloc(SIDE * SIDE, sizeof *w.value);
    for (uint32_t r = 0; r < SIDE; r++) {
        w.start[r + 1] = w.start[r];
        for (uint32_t c = 0; c < SIDE; c++)
            if (random_chance(dice, 30)) {
                w.column[w.start[r + 1]] = c;
                w.value[w.start[r + 1]++] = sign * (int32_t)random_range(dice, 1, 100);
            }
    }
    const char *why = plan_why(plan_make(
        &(struct plan_description){.variant = &v, .operator= PLAN_SPMV, .weights = &w, .m = 1, .element = 2},
        &(struct plan_choice){.split = {PLAN_M, PLAN_M}, .gather = PLAN_GATHER_STAY, .packet_bytes = 256},
        plan));
    cr_assert_null(why, "%s", why);
    sparse_free(&w);
}

static void make_product(struct history *h, unsigned which)
{
    struct product *p = &h->product[which];
    struct random again = h->dice;
    make_plan(&h->dice, 1, &p->plan);
    make_plan(&again, -1, &p->other);
    cr_assert_eq(p->plan.weights.len, p->other.weights.len);
    cr_assert_lt(p->plan.weights.len, 0x10000);
    const uint64_t base = which * UINT64_C(0x40000),
                   sizes[ISA_SLOTS] = {p->plan.program.len, ISA_STATUS_BYTES, p->plan.weights.len,
                                       p->plan.input_bytes, p->plan.output_bytes};
    for (unsigned s = 0; s < 5; s++) {
        p->job.slot[s].address = base + s * UINT64_C(0x8000) + (s > SLOT_WEIGHTS) * UINT64_C(0x8000);
        p->job.slot[s].size = sizes[s];
    }
    p->job.cycles = 1000000;
    put(h->board, p->job.slot[SLOT_PROGRAM].address, p->plan.program.text, p->plan.program.len);
    put(h->board, p->job.slot[SLOT_WEIGHTS].address, p->plan.weights.text, p->plan.weights.len);
}

static void begin(struct history *h, const char *timed, uint64_t seed)
{
    *h = (struct history){.timed = timed, .dice = {seed}, .board = opened(timed), .memory = malloc(MEMORY)};
    cr_assert(h->memory);
    for (unsigned i = 0; i < JOBS; i++)
        make_product(h, i);
}

static void finish(struct history *h)
{
    for (unsigned i = 0; i < JOBS; i++) {
        plan_free(&h->product[i].plan);
        plan_free(&h->product[i].other);
    }
    api->close(h->board);
    free(h->memory);
}

/* On the board and on a fresh one with the same memory. */
static void run(struct history *h, const struct board_job *job)
{
    uint8_t *fresh_memory = malloc(MEMORY);
    struct board *fresh = opened(h->timed);
    struct job_result got, wanted;
    cr_assert(fresh_memory);
    cr_assert_eq(api->read_memory(h->board, 0, h->memory, MEMORY), BOARD_OK);
    put(fresh, 0, h->memory, MEMORY);
    cr_assert_eq(board_job_run(api, h->board, job, &got), BOARD_OK);
    cr_assert_eq(board_job_run(api, fresh, job, &wanted), BOARD_OK);
    for (const struct result_field *f = job_result_fields; f->name; f++)
        cr_assert_eq(f->get(&got), f->get(&wanted), "%s", f->name);
    cr_assert(got.code == wanted.code && got.queue == wanted.queue && got.offset == wanted.offset &&
              got.row == wanted.row && got.cluster == wanted.cluster && got.pe == wanted.pe);
    cr_assert_eq(api->read_memory(h->board, 0, h->memory, MEMORY), BOARD_OK);
    cr_assert_eq(api->read_memory(fresh, 0, fresh_memory, MEMORY), BOARD_OK);
    cr_assert_eq(memcmp(h->memory, fresh_memory, MEMORY), 0);
    h->ok += !got.code;
    h->wrong += got.code != JOB_OK;
    api->close(fresh);
    free(fresh_memory);
}

/* Numbers in the weights, from any byte on. */
static void write_weights(struct history *h, struct product *p)
{
    const struct strbuf *from = random_chance(&h->dice, 50) ? &p->plan.weights : &p->other.weights;
    const uint32_t begin = random_chance(&h->dice, 50) ? 0 : random_below(&h->dice, (uint32_t)from->len),
                   bytes = random_range(&h->dice, 1, (uint32_t)from->len - begin);
    put(h->board, p->job.slot[SLOT_WEIGHTS].address + begin, from->text + begin, bytes);
}

/* A job writes into the weights or the program of another: results, scratch or status. Then they are put
 * back, mostly. */
static void write_by_job(struct history *h, const struct product *p, const struct product *victim)
{
    const unsigned slot = random_chance(&h->dice, 80) ? SLOT_WEIGHTS : SLOT_PROGRAM,
                   writes = random_chance(&h->dice, 50) ? SLOT_OUTPUT : SLOT_STATUS;
    struct board_job job = p->job;
    job.slot[writes].address = victim->job.slot[slot].address + 64 * (uint64_t)random_below(&h->dice, 8);
    run(h, &job);
    run(h, &victim->job);
    const struct strbuf *back = slot == SLOT_WEIGHTS ? &victim->plan.weights : &victim->plan.program;
    put(h->board, victim->job.slot[slot].address, back->text, back->len);
}

/* Results go to the job's own weights. */
static void write_own(struct history *h, const struct product *p)
{
    struct board_job job = p->job;
    job.slot[SLOT_OUTPUT].address = job.slot[SLOT_WEIGHTS].address + 64 * (uint64_t)random_below(&h->dice, 8);
    run(h, &job);
    run(h, &p->job);
    put(h->board, p->job.slot[SLOT_WEIGHTS].address, p->plan.weights.text, p->plan.weights.len);
}

static void write_input(struct history *h, const struct product *p)
{
    int8_t x[SIDE];
    for (unsigned i = 0; i < SIDE; i++)
        x[i] = (int8_t)(random_chance(&h->dice, 80) ? random_next(&h->dice) >> 40 : 0);
    put(h->board, p->job.slot[SLOT_INPUT].address, x, sizeof x);
}

static void live(const char *timed, uint64_t seed, unsigned steps)
{
    struct history h;
    begin(&h, timed, seed);
    for (unsigned step = 0; step < steps; step++) {
        struct product *p = &h.product[random_below(&h.dice, JOBS)],
                       *other = &h.product[random_below(&h.dice, JOBS)];
        const unsigned what = random_below(&h.dice, 10);
        if (what < 3)
            write_weights(&h, p);
        else if (what == 3 && other != p)
            write_by_job(&h, other, p);
        else if (what == 4)
            write_own(&h, p);
        else
            write_input(&h, p);
        for (unsigned again = random_range(&h.dice, 1, 3); again--;)
            run(&h, &p->job);
    }
    cr_assert(h.ok > steps, "%u jobs were done, %u refused", h.ok, h.wrong);
    cr_assert_gt(h.wrong, 0, "what jobs wrote never was wrong for another");
    finish(&h);
}

Test(changes, a_board_with_a_past_does_what_a_fresh_one_does)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        live(NULL, seed, 40);
}

Test(changes, nor_does_a_past_show_on_the_cycle_model)
{
    live("timed=1", 4, 8);
}

/* The host changes one weight in place. */
Test(changes, a_byte_that_the_host_writes_counts_at_once)
{
    struct history h;
    begin(&h, NULL, 5);
    const struct product *p = &h.product[0];
    write_input(&h, p);
    for (unsigned at = 0; at < 40; at++) {
        run(&h, &p->job);
        run(&h, &p->job);
        const char *const from = at % 2 ? p->other.weights.text : p->plan.weights.text;
        put(h.board, p->job.slot[SLOT_WEIGHTS].address + 2 * at, from + 2 * at, 1);
    }
    finish(&h);
}
