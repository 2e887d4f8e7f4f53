/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/jobs.h"

#include "sim/board/registers.h"

/* Between two looks at a job. Shorter while the device could take another one. */
#define SLICE_NANOSECONDS 50000000
#define SHORT_SLICE_NANOSECONDS 1000000

struct line {
    const struct board_api *api;
    struct board *board;
    const struct board_jobs *jobs;
    const struct board_job *job[BOARD_JOBS_MAX]; /* oldest first */
    unsigned count;
    const struct board_job *later; /* the next one, which has to wait here */
    struct board_job there;        /* its arguments are in the registers; with `any` */
    bool any;
    bool room;       /* the arguments of another job can be written */
    uint64_t begun;  /* cycles of the board when the wait for the oldest one began */
    uint64_t waited; /* nanoseconds since */
};

static uint64_t cycles_waited(const struct line *l)
{
    return l->api->cycles(l->board) - l->begun;
}

/* Without a record nothing would be known of a job that has another one behind it. */
static bool may_follow(const struct line *l)
{
    return l->room && l->count < BOARD_JOBS_MAX && (!l->count || board_job_has_record(l->job[0]));
}

static void wait_afresh(struct line *l)
{
    l->begun = l->api->cycles(l->board);
    l->waited = 0;
}

/* A record of an earlier job is not this one's. */
static enum board_status forget_record(const struct line *l, const struct board_job *job)
{
    const uint8_t nothing[4] = {0};
    return board_job_has_record(job)
               ? l->api->write_memory(l->board, job->slot[SLOT_STATUS].address, nothing, sizeof nothing)
               : BOARD_OK;
}

/* It would write its record before that of the job in front of it is read. */
static bool spoils_record(const struct line *l, const struct board_job *job)
{
    const uint64_t next = job->slot[SLOT_STATUS].address;
    return l->count && board_job_has_record(job) && next == l->job[0]->slot[SLOT_STATUS].address;
}

static const struct board_job *take_next(struct line *l)
{
    const struct board_job *job = l->later ? l->later : l->jobs->next(l->jobs->context);
    l->later = job && spoils_record(l, job) ? job : NULL;
    return l->later ? NULL : job;
}

static enum board_status start_next(struct line *l)
{
    const struct board_job *job = may_follow(l) ? take_next(l) : NULL;
    if (!job)
        return BOARD_OK;
    BOARD_TRY(forget_record(l, job));
    BOARD_TRY(board_job_write(l->api, l->board, job, l->any ? &l->there : NULL));
    l->there = *job;
    l->any = true;
    BOARD_TRY(l->api->write_register(l->board, register_offset("control"), CONTROL_START));
    if (!l->count)
        wait_afresh(l);
    l->job[l->count++] = job;
    l->room = false;
    return BOARD_OK;
}

static enum board_status read_record(const struct line *l, struct job_result *result)
{
    uint8_t record[ISA_STATUS_BYTES];
    uint32_t number = 0;
    struct strbuf why = {0};
    BOARD_TRY(l->api->read_memory(l->board, l->job[0]->slot[SLOT_STATUS].address, record, sizeof record));
    const bool ok = job_read_status(record, result, &number, &why) && number == l->job[0]->number;
    sb_free(&why);
    if (!ok) /* memory refused it */
        *result = (struct job_result){.code = JOB_WRITE_SLAVE_ERROR};
    return BOARD_OK;
}

/* What the oldest job came to, before the device may forget it. */
static enum board_status take_end(struct line *l)
{
    struct job_result result;
    BOARD_TRY(l->count > 1 ? read_record(l, &result) : board_job_result(l->api, l->board, &result));
    BOARD_TRY(l->api->write_register(l->board, register_offset("interrupt_status"), INTERRUPT_DONE));
    BOARD_TRY(l->api->write_register(l->board, register_offset("control"), CONTROL_CONTINUE));
    for (unsigned i = 1; i < l->count; i++)
        l->job[i - 1] = l->job[i];
    l->count--;
    wait_afresh(l);
    return l->jobs->ended(l->jobs->context, &result) ? BOARD_OK : BOARD_FAILED;
}

/* Room first, so that the next job is there when the end of the oldest one is looked at. */
static enum board_status take_event(struct line *l)
{
    uint32_t pending;
    BOARD_TRY(l->api->read_register(l->board, register_offset("interrupt_status"), &pending));
    if (!(pending & INTERRUPT_READY))
        return pending & INTERRUPT_DONE ? take_end(l) : BOARD_OK;
    l->room = true;
    return l->api->write_register(l->board, register_offset("interrupt_status"), INTERRUPT_READY);
}

/* Until something happens, or it is time to look whether there is another job. */
static enum board_status wait_a_slice(struct line *l)
{
    const struct board_job *job = l->job[0];
    const uint64_t longest = may_follow(l) ? SHORT_SLICE_NANOSECONDS : SLICE_NANOSECONDS,
                   left = job->nanoseconds - l->waited,
                   slice = !job->nanoseconds || left > longest ? longest : left, now = cycles_waited(l);
    const uint64_t cycles = !job->cycles ? 0 : now < job->cycles ? job->cycles - now : 1;
    const enum board_status status = l->api->wait(l->board, cycles, slice);
    l->waited += slice;
    if (l->jobs->look)
        l->jobs->look(l->jobs->context, cycles_waited(l));
    const bool over = (job->nanoseconds && l->waited >= job->nanoseconds) ||
                      (job->cycles && cycles_waited(l) >= job->cycles);
    if (status != BOARD_TIMEOUT)
        return status == BOARD_OK ? take_event(l) : status;
    return over ? BOARD_TIMEOUT : BOARD_OK;
}

enum board_status board_jobs_run(const struct board_api *api, struct board *b, const struct board_jobs *jobs)
{
    struct line l = {.api = api, .board = b, .jobs = jobs, .room = true};
    BOARD_TRY(api->write_register(b, register_offset("interrupt_mask"), INTERRUPT_DONE | INTERRUPT_READY));
    BOARD_TRY(api->write_register(b, register_offset("interrupt_enable"), 1));
    for (;;) {
        BOARD_TRY(start_next(&l));
        if (!l.count)
            return BOARD_OK;
        BOARD_TRY(wait_a_slice(&l));
    }
}
