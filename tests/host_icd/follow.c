/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs that follow each other on a device with a queue of jobs: it has the
 * next one before the first has ended, and the events tell what they tell
 * without a queue.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/board/job.h"
#include "support.h"

#define QUEUED "model:tiny;set=job_queue=on"
#define JOBS 4

TestSuite(follow, .timeout = 240);

/* The same work, each time with buffers of its own. */
struct line {
    struct rig rig;
    struct work work;
    struct buffers buffers[JOBS];
    cl_event gate, event[JOBS];
    uint8_t *output[JOBS];
};

static const char *devices(void)
{
    return strstr(job_devices(), "queue") ? job_devices() : QUEUED;
}

static void line_open(struct line *l, const char *list)
{
    memset(l, 0, sizeof *l);
    rig_open(&l->rig, list);
    l->work = work_make(3);
    l->gate = make_gate(l->rig.context);
    for (unsigned i = 0; i < JOBS; i++) {
        buffers_make(&l->buffers[i], l->rig.context, l->rig.program, &l->work);
        l->output[i] = malloc(l->work.output_bytes);
        for (unsigned s = 0; s < ISA_SLOTS; s++) /* now, so that the jobs have nothing in front of them */
            if (l->buffers[i].slot[s])
                ok(clEnqueueMigrateMemObjects(l->rig.queue, 1, &l->buffers[i].slot[s], 0, 0, NULL, NULL));
    }
    ok(clFinish(l->rig.queue));
}

static void enqueue(struct line *l)
{
    for (unsigned i = 0; i < JOBS; i++)
        ok(clEnqueueTask(l->rig.queue, l->buffers[i].kernel, !i, i ? NULL : &l->gate, &l->event[i]));
    ok(clSetUserEventStatus(l->gate, CL_COMPLETE));
    ok(clFinish(l->rig.queue));
}

static cl_ulong time_of(const struct line *l, unsigned job, cl_profiling_info what)
{
    cl_ulong time = 0;
    ok(clGetEventProfilingInfo(l->event[job], what, sizeof time, &time, NULL));
    return time;
}

static void is_right(struct line *l, unsigned job)
{
    cr_assert_eq(event_status(l->event[job]), CL_COMPLETE, "job %u: %d", job, event_status(l->event[job]));
    ok(clEnqueueReadBuffer(l->rig.queue, l->buffers[job].slot[SLOT_OUTPUT], CL_TRUE, 0, l->work.output_bytes,
                           l->output[job], 0, NULL, NULL));
    cr_assert(work_done(&l->work, l->output[job]), "job %u", job);
}

static void line_close(struct line *l)
{
    for (unsigned i = 0; i < JOBS; i++) {
        ok(clReleaseEvent(l->event[i]));
        buffers_free(&l->buffers[i]);
        free(l->output[i]);
    }
    ok(clReleaseEvent(l->gate));
    work_free(&l->work);
    rig_close(&l->rig);
}

Test(follow, the_device_has_the_next_one_early)
{
    struct line l;
    line_open(&l, devices());
    enqueue(&l);
    for (unsigned i = 0; i < JOBS; i++)
        is_right(&l, i);
    for (unsigned i = 1; i < JOBS; i++) {
        cr_assert(time_of(&l, i, CL_PROFILING_COMMAND_SUBMIT) < time_of(&l, i - 1, CL_PROFILING_COMMAND_END),
                  "job %u was submitted when the one before had ended", i);
        cr_assert(time_of(&l, i, CL_PROFILING_COMMAND_START) >= time_of(&l, i - 1, CL_PROFILING_COMMAND_END),
                  "job %u runs beside the one before", i);
        cr_assert_eq(time_of(&l, i, CL_PROFILING_TULLE_EFFECTIVE_MACS),
                     time_of(&l, 0, CL_PROFILING_TULLE_EFFECTIVE_MACS));
        cr_assert_eq(time_of(&l, i, CL_PROFILING_TULLE_BYTES_READ),
                     time_of(&l, 0, CL_PROFILING_TULLE_BYTES_READ));
    }
    line_close(&l);
}

Test(follow, without_a_queue_it_comes_when_the_first_has_ended)
{
    struct line l;
    line_open(&l, "model:tiny");
    enqueue(&l);
    for (unsigned i = 1; i < JOBS; i++) {
        is_right(&l, i);
        cr_assert(time_of(&l, i, CL_PROFILING_COMMAND_SUBMIT) >=
                  time_of(&l, i - 1, CL_PROFILING_COMMAND_END));
    }
    line_close(&l);
}

Test(follow, a_job_that_fails_is_alone)
{
    struct line l;
    const cl_ulong small = 64;
    line_open(&l, devices());
    ok(clSetKernelArg(l.buffers[1].kernel, CL_TULLE_FIRST_SIZE + SLOT_INPUT, sizeof small, &small));
    enqueue(&l);
    is_right(&l, 0);
    cr_assert_eq(event_status(l.event[1]), CL_TULLE_JOB_ENDED(JOB_OUT_OF_SLOT), "%d",
                 event_status(l.event[1]));
    is_right(&l, 2);
    is_right(&l, 3);
    line_close(&l);
}

/* One that waits for the event of another must not run when that fails, so the device does not have it
 * before. */
Test(follow, a_wait_list_is_kept)
{
    struct line l;
    const cl_ulong small = 64;
    cl_uint untouched = 0xA5A5A5A5, got = 0;
    line_open(&l, devices());
    ok(clEnqueueWriteBuffer(l.rig.queue, l.buffers[1].slot[SLOT_OUTPUT], CL_TRUE, 0, sizeof untouched,
                            &untouched, 0, NULL, NULL));
    ok(clSetKernelArg(l.buffers[0].kernel, CL_TULLE_FIRST_SIZE + SLOT_INPUT, sizeof small, &small));
    for (unsigned i = 0; i < JOBS; i++)
        ok(clEnqueueTask(l.rig.queue, l.buffers[i].kernel, i < 2,
                         !i       ? &l.gate
                         : i == 1 ? l.event
                                  : NULL,
                         &l.event[i]));
    ok(clSetUserEventStatus(l.gate, CL_COMPLETE));
    ok(clFinish(l.rig.queue));
    cr_assert_eq(event_status(l.event[0]), CL_TULLE_JOB_ENDED(JOB_OUT_OF_SLOT));
    cr_assert_eq(event_status(l.event[1]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clEnqueueReadBuffer(l.rig.queue, l.buffers[1].slot[SLOT_OUTPUT], CL_TRUE, 0, sizeof got, &got, 0, NULL,
                           NULL));
    cr_assert_eq(got, untouched);
    is_right(&l, 2);
    is_right(&l, 3);
    line_close(&l);
}

/* A record is read before another job writes it. */
Test(follow, one_record_for_all)
{
    struct line l;
    line_open(&l, devices());
    for (unsigned i = 0; i < JOBS; i++) {
        const cl_uint number = 500 + i;
        ok(clSetKernelArg(l.buffers[i].kernel, SLOT_STATUS, sizeof(cl_mem), &l.buffers[0].slot[SLOT_STATUS]));
        ok(clSetKernelArg(l.buffers[i].kernel, CL_TULLE_JOB_NUMBER, sizeof number, &number));
    }
    enqueue(&l);
    for (unsigned i = 0; i < JOBS; i++)
        is_right(&l, i);
    line_close(&l);
}

/* Jobs of two contexts in turn: each is right, and the numbers of one are not the other's. */
Test(follow, two_contexts)
{
    struct line l;
    line_open(&l, devices());
    cl_context other = make_context(l.rig.device[0]);
    cl_int status;
    cl_command_queue queue = make_queue(other, l.rig.device[0], CL_QUEUE_PROFILING_ENABLE);
    cl_program program = clCreateProgramWithBuiltInKernels(other, 1, &l.rig.device[0], "tulle_run", &status);
    ok(status);
    struct work work = work_make(4);
    struct buffers buffers;
    buffers_make(&buffers, other, program, &work);
    cl_event gate = make_gate(other), event[JOBS];
    for (unsigned i = 0; i < JOBS; i++) {
        ok(clEnqueueTask(l.rig.queue, l.buffers[i].kernel, !i, i ? NULL : &l.gate, &l.event[i]));
        ok(clEnqueueTask(queue, buffers.kernel, !i, i ? NULL : &gate, &event[i]));
    }
    ok(clSetUserEventStatus(l.gate, CL_COMPLETE));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(l.rig.queue));
    ok(clFinish(queue));
    uint8_t *output = malloc(work.output_bytes);
    ok(clEnqueueReadBuffer(queue, buffers.slot[SLOT_OUTPUT], CL_TRUE, 0, work.output_bytes, output, 0, NULL,
                           NULL));
    cr_assert(work_done(&work, output));
    for (unsigned i = JOBS; i-- > 0;) {
        cl_ulong macs = 0, first = 0;
        is_right(&l, i);
        cr_assert_eq(event_status(event[i]), CL_COMPLETE);
        ok(clGetEventProfilingInfo(event[i], CL_PROFILING_TULLE_EFFECTIVE_MACS, sizeof macs, &macs, NULL));
        ok(clGetEventProfilingInfo(event[0], CL_PROFILING_TULLE_EFFECTIVE_MACS, sizeof first, &first, NULL));
        cr_assert(macs && macs == first);
        cr_assert_eq(time_of(&l, i, CL_PROFILING_TULLE_EFFECTIVE_MACS),
                     time_of(&l, 0, CL_PROFILING_TULLE_EFFECTIVE_MACS));
        ok(clReleaseEvent(event[i]));
    }
    free(output);
    ok(clReleaseEvent(gate));
    buffers_free(&buffers);
    work_free(&work);
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(other));
    line_close(&l);
}

/* Contents that are on another device are fetched first. */
Test(follow, buffers_come_from_another_device)
{
    struct line l;
    char list[8192];
    snprintf(list, sizeof list, "%s,%s", devices(), devices());
    line_open(&l, list);
    cl_command_queue other = make_queue(l.rig.context, l.rig.device[1], 0);
    ok(clEnqueueMigrateMemObjects(other, 1, &l.buffers[2].slot[SLOT_INPUT], 0, 0, NULL, NULL));
    ok(clFinish(other));
    enqueue(&l);
    for (unsigned i = 0; i < JOBS; i++)
        is_right(&l, i);
    ok(clReleaseCommandQueue(other));
    line_close(&l);
}

#define WRONG 100

/* In a process of its own, because devices are found once. How many jobs ended well before the first that did
 * not; WRONG unless all from there on ended with `wanted`. */
static int good_before(const char *fault, unsigned calls, cl_int wanted)
{
    struct line l;
    char list[128];
    snprintf(list, sizeof list, QUEUED ";fault=%s:%u", fault, calls);
    line_open(&l, list);
    enqueue(&l);
    int good = 0;
    while (good < JOBS && event_status(l.event[good]) == CL_COMPLETE)
        good++;
    bool right = true;
    for (int i = good; i < JOBS; i++)
        right = right && event_status(l.event[i]) == wanted;
    line_close(&l);
    return right ? good : WRONG;
}

/* A board that fails at any call from the first job on. */
static void all_from_there_on(const char *fault, cl_int wanted)
{
    bool some[JOBS] = {false};
    for (unsigned calls = 40; calls < 320; calls += 4) {
        pid_t child = fork();
        cr_assert(child >= 0);
        if (!child) {
            alarm(60); /* an assertion that fails in here would wait for ever for Criterion's answer */
            _exit(good_before(fault, calls, wanted));
        }
        int end;
        cr_assert_eq(waitpid(child, &end, 0), child);
        cr_assert(WIFEXITED(end) && WEXITSTATUS(end) <= JOBS, "%s after %u calls: 0x%x", fault, calls,
                  (unsigned)end);
        if (WEXITSTATUS(end) < JOBS)
            some[WEXITSTATUS(end)] = true;
    }
    cr_assert(some[1] && some[2] && some[3], "%s: nothing failed between two jobs", fault);
}

Test(follow, a_board_that_is_gone)
{
    all_from_there_on("gone", CL_DEVICE_NOT_AVAILABLE);
}

Test(follow, a_board_that_reads_ones)
{
    all_from_there_on("ones", CL_DEVICE_NOT_AVAILABLE);
}

/* Each is taken off the device, and the next one is tried. */
Test(follow, jobs_that_do_not_end)
{
    all_from_there_on("hang", CL_TULLE_JOB_TIMEOUT);
}

Test(follow, a_reset_that_does_not_help)
{
    all_from_there_on("stuck", CL_DEVICE_NOT_AVAILABLE);
}
