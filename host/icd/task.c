/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs, in the worker thread of the device. A device that has a queue of jobs
 * gets the next one while one runs (sim/board/jobs.h), when it is there: the
 * worker then ends several commands before it looks for the next one.
 */
#include "host/icd/command.h"
#include "sim/board/jobs.h"
#include "sim/board/registers.h"

#define RESET_LOOKS 1000

/* Jobs that follow each other, with the device's lock held. The oldest one that has not ended comes first, in
 * a ring. */
struct chain {
    cl_device_id device;
    struct {
        cl_event command;
        struct board_job job;
    } link[BOARD_JOBS_MAX];
    unsigned first, count, given; /* given: how many of them the board has */
    cl_int lost;                  /* why there is no use in going on, or CL_COMPLETE */
};

/* CL_COMPLETE, or why the device is lost. */
static cl_int reset_device(cl_device_id d)
{
    const struct board_api *api = d->candidate->api;
    struct board *b = d->candidate->board;
    uint32_t control = 0;
    enum board_status status = api->write_register(b, register_offset("reset"), RESET_KEY);
    for (unsigned i = 0; i < RESET_LOOKS && status == BOARD_OK && !(control & CONTROL_IDLE); i++)
        status = api->read_register(b, register_offset("control"), &control);
    if (status == BOARD_OK && !(control & CONTROL_IDLE))
        return device_lose(d, "a job did not end in time, and a reset does not end it");
    if (status == BOARD_OK) /* the reset forgot the watchdog */
        status = device_watchdog(d);
    return device_status(d, status);
}

/* A job that did not end is taken off the device. */
static cl_int stop_job(cl_device_id d)
{
    const cl_int status = reset_device(d);
    return status == CL_COMPLETE ? CL_TULLE_JOB_TIMEOUT : status;
}

/* What a context leaves in the storage units is no other one's: it does not outlast a reset. */
static cl_int serve(cl_device_id d, cl_context x)
{
    const bool other = d->served != x->number;
    d->served = x->number;
    return other && d->candidate->variant.kept_weights ? reset_device(d) : CL_COMPLETE;
}

static void note_elapsed(cl_event c, uint64_t cycles)
{
    atomic_store(&c->elapsed, cycles);
    monitor_job_runs(&c->queue->device->monitor, cycles);
}

/* Shows others what became of the job. */
static void show_end(cl_event c, cl_int status)
{
    struct monitor *m = &c->queue->device->monitor;
    const bool failed = status == CL_TULLE_JOB_ENDED(c->result.code);
    monitor_job_ends(m, failed || status == CL_COMPLETE ? &c->result : NULL);
    if (failed || status == CL_TULLE_JOB_TIMEOUT)
        monitor_fails(m, failed ? c->result.code : MONITOR_TIMEOUT);
}

static cl_int status_of(const struct job_result *result)
{
    return result->code == JOB_OK ? CL_COMPLETE : CL_TULLE_JOB_ENDED(result->code);
}

static void fill_job(cl_event c, struct board_job *job)
{
    const struct task *t = &c->task;
    cl_device_id d = c->queue->device;
    *job =
        (struct board_job){.number = t->numbered ? t->number : d->jobs++, .nanoseconds = c->context->timeout};
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        if (!t->buffer[s])
            continue;
        job->slot[s].address = memory_address(t->buffer[s], d);
        job->slot[s].size = t->size[s];
    }
}

/* ---- one job ------------------------------------------------------------------------------------- */

static void look_at_one(void *context, uint64_t cycles)
{
    note_elapsed(context, cycles);
}

static cl_int run_job(cl_event c, struct board_job *job)
{
    cl_device_id d = c->queue->device;
    job->look = look_at_one;
    job->context = c;
    enum board_status status = board_job_run(d->candidate->api, d->candidate->board, job, &c->result);
    cl_int there = status == BOARD_TIMEOUT || status == BOARD_OK ? device_look(d) : device_status(d, status);
    if (there != CL_COMPLETE)
        return there;
    return status == BOARD_TIMEOUT ? stop_job(d) : status_of(&c->result);
}

/* The same, as other processes see it. */
static cl_int run_and_show(cl_event c, struct board_job *job)
{
    monitor_job_begins(&c->queue->device->monitor);
    const cl_int status = run_job(c, job);
    show_end(c, status);
    return status;
}

/* ---- jobs that follow each other --------------------------------------------------------------------- */

static unsigned place(const struct chain *n, unsigned behind)
{
    return (n->first + behind) % BOARD_JOBS_MAX;
}

static void append(struct chain *n, cl_event c)
{
    const unsigned at = place(n, n->count++);
    n->link[at].command = c;
    fill_job(c, &n->link[at].job);
}

static const struct board_job *next_job(void *context)
{
    struct chain *n = context;
    if (n->given == n->count) {
        cl_event c = n->count ? command_take_follower(n->link[place(n, n->count - 1)].command) : NULL;
        if (!c)
            return NULL;
        append(n, c);
    }
    return &n->link[place(n, n->given++)].job;
}

static void look_at_oldest(void *context, uint64_t cycles)
{
    const struct chain *n = context;
    note_elapsed(n->link[n->first].command, cycles);
}

static cl_event leave(struct chain *n, cl_int status)
{
    cl_event c = n->link[n->first].command;
    show_end(c, status);
    n->first = place(n, 1);
    n->count--;
    if (n->given)
        n->given--;
    return c;
}

/* The oldest command ends, and the next one runs from now on. */
static void end_oldest(struct chain *n, cl_int status)
{
    command_finish(leave(n, status), status);
    if (!n->count)
        return;
    monitor_job_begins(&n->device->monitor);
    command_begin(n->link[n->first].command);
}

static bool job_ended(void *context, const struct job_result *result)
{
    struct chain *n = context;
    n->lost = device_look(n->device);
    if (n->lost != CL_COMPLETE)
        return false;
    n->link[n->first].command->result = *result;
    end_oldest(n, status_of(result));
    return true;
}

/* Until all have ended or the device is lost. A job that waited behind one that did not end is written again.
 */
static void run_chain(struct chain *n)
{
    const struct board_jobs jobs = {
        .next = next_job, .ended = job_ended, .look = look_at_oldest, .context = n};
    cl_device_id d = n->device;
    monitor_job_begins(&d->monitor);
    while (n->count && n->lost == CL_COMPLETE) {
        n->given = 0;
        const enum board_status status = board_jobs_run(d->candidate->api, d->candidate->board, &jobs);
        if (status == BOARD_OK || n->lost != CL_COMPLETE)
            continue;
        n->lost = status == BOARD_TIMEOUT ? device_look(d) : device_status(d, status);
        if (n->lost != CL_COMPLETE)
            continue;
        const cl_int stopped = stop_job(d);
        n->lost = stopped == CL_TULLE_JOB_TIMEOUT ? CL_COMPLETE : stopped;
        if (n->lost == CL_COMPLETE)
            end_oldest(n, stopped);
    }
}

/* ---- a command ----------------------------------------------------------------------------------------- */

static cl_int bring_buffers(cl_event c)
{
    cl_int status = CL_COMPLETE;
    for (unsigned s = 0; s < ISA_SLOTS && status == CL_COMPLETE; s++)
        if (c->task.buffer[s])
            status = memory_bring(c->task.buffer[s], c->queue->device);
    return status;
}

cl_int run_task(cl_event c)
{
    cl_device_id d = c->queue->device;
    struct chain n = {.device = d, .lost = CL_COMPLETE};
    cl_int status = bring_buffers(c);
    if (status != CL_COMPLETE)
        return status;
    append(&n, c);
    pthread_mutex_lock(&d->board_lock);
    const bool queue = d->candidate->variant.job_queue && board_job_has_record(&n.link[0].job);
    if (!device_open(d, c->context))
        status = CL_DEVICE_NOT_AVAILABLE;
    else
        status = serve(d, c->context);
    if (status == CL_COMPLETE && !queue)
        status = run_and_show(c, &n.link[0].job);
    else if (status == CL_COMPLETE)
        run_chain(&n);
    cl_event left[BOARD_JOBS_MAX];
    unsigned count = 0;
    while (status == CL_COMPLETE && queue && n.count) /* the device is lost */
        left[count++] = leave(&n, n.lost);
    pthread_mutex_unlock(&d->board_lock);
    for (unsigned i = 0; i < count; i++) /* says why, which takes the lock */
        command_finish(left[i], n.lost);
    return status == CL_COMPLETE && queue ? COMMAND_ENDED : status;
}
