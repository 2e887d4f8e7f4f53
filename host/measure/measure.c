/* SPDX-License-Identifier: Apache-2.0 */
#include "host/measure/measure.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/model/model.h"

#define SLOT_ALIGNMENT 64
#define SLOW 20 /* a board that takes so many times the model's cycles is given up */
#define START_CYCLES 100000
#define WAIT_NANOSECONDS UINT64_C(3600000000000)

/* ---- timeline -------------------------------------------------------------------------------- */

/* Beats of a burst may lie in several buckets. */
static void add_read(struct measure_timeline *t, uint64_t from, uint64_t beats)
{
    while (beats) {
        const uint64_t bucket = from / t->cycles, left = (bucket + 1) * t->cycles - from,
                       part = beats < left ? beats : left;
        if (bucket < t->buckets)
            t->read[bucket] += part;
        from += part;
        beats -= part;
    }
}

static void on_event(void *context, const struct cycle_event *e)
{
    struct measure_timeline *t = context;
    const uint64_t bucket = e->cycle / t->cycles;
    if (e->kind == CYCLE_READ)
        add_read(t, e->cycle, e->count);
    else if (e->kind == CYCLE_WRITE && bucket < t->buckets)
        t->written[bucket]++;
    else if (e->kind == CYCLE_BUSY && bucket && bucket <= t->buckets)
        t->busy[bucket - 1] = e->count; /* all until then */
}

static void begin_timeline(struct measure_timeline *t, uint64_t cycles)
{
    t->cycles = math_divide_up(cycles, MEASURE_BUCKETS);
    t->cycles += !t->cycles;
    t->buckets = (unsigned)math_divide_up(cycles, t->cycles);
}

/* Sums become what each bucket brought. The model stops counting when the last result is out. */
static void end_timeline(struct measure_timeline *t, uint64_t total)
{
    unsigned last = t->buckets;
    while (last && !t->busy[last - 1])
        last--;
    if (last < t->buckets)
        t->busy[last] = total;
    for (unsigned b = last < t->buckets ? last : t->buckets - 1; b > 0; b--)
        t->busy[b] -= t->busy[b - 1];
}

/* ---- on the cycle model ------------------------------------------------------------------------- */

static void run_model(struct measure *m, uint64_t cycles)
{
    begin_timeline(&m->timeline, cycles);
    const struct cycle_probe probe = {
        .context = &m->timeline, .event = on_event, .every = m->timeline.cycles};
    plan_run_report(&m->run, &m->plan, &probe, &m->model);
    uint64_t busy = 0;
    for (unsigned i = 0; i < m->model.pes; i++)
        busy += m->model.pe_busy[i];
    end_timeline(&m->timeline, busy);
}

bool measure_prepare(const struct plan_case *c, struct measure *m)
{
    *m = (struct measure){.setup = setup_load(c->column[VARIANT], NULL), .source = c->column[VARIANT]};
    if (!plan_case_weights(c, &m->weights) || !m->weights.rows ||
        !plan_case_description(c, &m->setup.variant, &m->weights, &m->window, &m->description))
        return false;
    plan_run_begin(&m->run, &m->setup, &m->description, strtod(c->column[ACTIVATIONS], NULL));
    m->limits = m->run.limits;
    return true;
}

void measure_model(struct measure *m)
{
    m->refused =
        plan_why(plan_choose(&m->description, NULL, plan_run_cost, &m->run, 0, &m->alternatives, &m->plan));
    if (!m->refused)
        run_model(m, m->alternatives.of[m->alternatives.best].price.cycles);
}

void measure_free(struct measure *m)
{
    plan_run_end(&m->run);
    plan_free(&m->plan);
    cycle_report_free(&m->model);
    sparse_free(&m->weights);
}

/* ---- on a board ---------------------------------------------------------------------------------- */

struct on_board {
    const struct board_api *api;
    struct board *board;
    struct strbuf *why;
};

static bool done(const struct on_board *b, enum board_status status, const char *what)
{
    if (status != BOARD_OK)
        sb_addf(b->why, "%s: %s", what, b->api->error(b->board));
    return status == BOARD_OK;
}

/* Buffers one behind the other from address 0 on. */
static bool write_slots(const struct on_board *b, const struct job *job, struct board_job *to)
{
    uint64_t at = 0;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        const uint64_t size = job->slots[s].size;
        if (!size)
            continue;
        to->slot[s].address = at;
        to->slot[s].size = size;
        at = math_round_up(at + size, SLOT_ALIGNMENT);
        if (!done(b, b->api->write_memory(b->board, to->slot[s].address, job->slots[s].bytes, size),
                  "writing device memory"))
            return false;
    }
    return true;
}

static bool run_job(const struct on_board *b, struct measure *m, struct job *job)
{
    struct board_job there = {.number = job->number,
                              .cycles = SLOW * m->model.result.cycles + START_CYCLES,
                              .nanoseconds = WAIT_NANOSECONDS};
    if (!write_slots(b, job, &there) ||
        !done(b, board_job_start(b->api, b->board, &there), "starting the job") ||
        !done(b, b->api->wait(b->board, there.cycles, there.nanoseconds), "waiting for the job"))
        return false;
    m->start = b->api->cycles(b->board);
    if (!done(b, board_job_end(b->api, b->board, &m->board), "the job"))
        return false;
    m->start -= m->start < m->board.cycles ? m->start : m->board.cycles;
    if (m->board.code != JOB_OK) {
        sb_addf(b->why, "the job ended with %s at 0x%llx of the program", job_code_name(m->board.code),
                (unsigned long long)m->board.offset);
        return false;
    }
    return done(b,
                b->api->read_memory(b->board, there.slot[SLOT_OUTPUT].address, job->slots[SLOT_OUTPUT].bytes,
                                    job->slots[SLOT_OUTPUT].size),
                "reading device memory");
}

bool measure_on_board(struct measure *m, const struct board_api *api, const char *place,
                      const char *const *settings, struct strbuf *why)
{
    char reason[1024];
    struct job job;
    struct on_board b = {.api = api, .board = api->open(place, settings, reason, sizeof reason), .why = why};
    if (!b.board) {
        sb_add(why, reason);
        return false;
    }
    plan_run_job(&m->run, &m->plan, &job);
    m->on_board = run_job(&b, m, &job);
    if (m->on_board) {
        plan_run_compare(&m->run, &m->plan, &job);
        api->traffic(b.board, &m->read, &m->written);
    }
    plan_run_job_free(&job);
    api->close(b.board);
    return m->on_board;
}
