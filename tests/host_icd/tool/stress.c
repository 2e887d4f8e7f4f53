/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight threads on two devices that fail at any time: each makes contexts,
 * queues and buffers, sends chains of commands through both devices, and
 * compares what comes back with a copy of its own. What may go wrong is that a
 * device is lost or a job does not end; then everything is let go and made
 * anew, which brings the device back. Nothing else may go wrong, and nothing
 * may hang. A program without a test framework, so that a thread sanitizer can
 * watch it:
 *
 *   make BUILD=build/tsan SAN=thread build/tsan/tests/tool/icd-stress
 *
 *   icd-stress [SEED [TURNS]]
 */
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/random.h"
#include "host/icd/tulle_cl.h"
#include "tests/host_icd/tool/image.h"

#define THREADS 8
#define DEVICES 2
#define BUFFERS 2
#define BYTES 12288
#define PART 4096 /* where the sub-buffer of the first one begins */
#define STEPS_MAX 12
#define SECONDS_MAX 280

struct worker {
    pthread_t thread;
    struct random chance;
    unsigned turns, good, lost;
    /* Of a turn. */
    cl_context context;
    cl_command_queue queue[DEVICES];
    cl_program program;
    cl_kernel kernel;
    cl_mem code, memory[BUFFERS], part;
    cl_event last; /* of the chain so far; NULL: nothing yet */
    unsigned char copy[BUFFERS][BYTES], scratch[STEPS_MAX][BYTES];
};

static cl_device_id device[DEVICES];
static struct strbuf image;
static atomic_uint expected_calls, calls;

static unsigned any(struct worker *w, unsigned below)
{
    return (unsigned)random_below(&w->chance, below);
}

static void fail(const char *what, long number)
{
    fprintf(stderr, "icd-stress: %s (%ld)\n", what, number);
    abort();
}

static bool of_a_lost_device(cl_int status)
{
    return status == CL_DEVICE_NOT_AVAILABLE || status == CL_TULLE_JOB_TIMEOUT ||
           status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

/* What can only go well. */
static void must(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        fail(what, status);
}

/* What may end as on a lost device. */
static bool may(cl_int status, const char *what)
{
    if (status != CL_SUCCESS && !of_a_lost_device(status))
        fail(what, status);
    return status == CL_SUCCESS;
}

/* ---- what a turn has -------------------------------------------------------------------------------- */

static void CL_CALLBACK hear(const char *text, const void *data, size_t bytes, void *context)
{
    (void)data;
    (void)bytes;
    (void)context;
    if (!*text)
        fail("a loss without a reason", 0);
}

/* False when a device does not come back now. */
static bool begin_turn(struct worker *w)
{
    cl_int status;
    const cl_buffer_region region = {PART, BYTES - PART};
    w->context = clCreateContext(NULL, DEVICES, device, hear, NULL, &status);
    if (!may(status, "clCreateContext"))
        return false;
    for (unsigned i = 0; i < DEVICES; i++) {
        w->queue[i] = clCreateCommandQueue(w->context, device[i],
                                           any(w, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &status);
        must(status, "clCreateCommandQueue");
    }
    w->program = clCreateProgramWithBuiltInKernels(w->context, DEVICES, device, CL_TULLE_KERNEL, &status);
    must(status, "clCreateProgramWithBuiltInKernels");
    w->kernel = clCreateKernel(w->program, CL_TULLE_KERNEL, &status);
    must(status, "clCreateKernel");
    w->code = clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, image.len, image.text, &status);
    must(status, "the program's buffer");
    for (cl_uint s = 0; s < CL_TULLE_FIRST_SIZE; s++)
        must(clSetKernelArg(w->kernel, s, sizeof(cl_mem), s ? NULL : &w->code), "clSetKernelArg");
    for (unsigned i = 0; i < BUFFERS; i++) {
        memset(w->copy[i], (int)any(w, 256), BYTES);
        w->memory[i] = clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, BYTES, w->copy[i], &status);
        must(status, "clCreateBuffer");
    }
    w->part = clCreateSubBuffer(w->memory[0], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    must(status, "clCreateSubBuffer");
    return true;
}

static void end_turn(struct worker *w)
{
    if (!w->context)
        return;
    if (w->last)
        must(clReleaseEvent(w->last), "clReleaseEvent");
    w->last = NULL;
    for (unsigned i = 0; i < DEVICES; i++) {
        must(clFinish(w->queue[i]), "clFinish");
        must(clReleaseCommandQueue(w->queue[i]), "clReleaseCommandQueue");
    }
    must(clReleaseMemObject(w->part), "the part");
    for (unsigned i = 0; i < BUFFERS; i++)
        must(clReleaseMemObject(w->memory[i]), "clReleaseMemObject");
    must(clReleaseMemObject(w->code), "the program's buffer");
    must(clReleaseKernel(w->kernel), "clReleaseKernel");
    must(clReleaseProgram(w->program), "clReleaseProgram");
    must(clReleaseContext(w->context), "clReleaseContext");
    w->context = NULL;
}

/* ---- commands, each after the one before and with the same done to the copies ------------------------- */

static void CL_CALLBACK count(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    if (status != CL_COMPLETE && !of_a_lost_device(status))
        fail("a callback's status", status);
    atomic_fetch_add(&calls, 1);
}

static cl_uint waits(const struct worker *w)
{
    return w->last ? 1 : 0;
}

static const cl_event *list(const struct worker *w)
{
    return w->last ? &w->last : NULL;
}

static void link_next(struct worker *w, cl_int status, const cl_event *next, const char *what)
{
    must(status, what);
    if (w->last)
        must(clReleaseEvent(w->last), "clReleaseEvent");
    w->last = *next;
    if (any(w, 4))
        return;
    atomic_fetch_add(&expected_calls, 1);
    must(clSetEventCallback(*next, CL_COMPLETE, count, NULL), "clSetEventCallback");
}

struct range {
    size_t at, bytes;
};

static struct range any_range(struct worker *w, size_t room)
{
    size_t at = any(w, (unsigned)room);
    return (struct range){at, 1 + any(w, (unsigned)(room - at))};
}

static void write_some(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    struct range r = any_range(w, BYTES);
    unsigned i = any(w, BUFFERS);
    memset(w->scratch[step], (int)any(w, 256), r.bytes);
    memcpy(w->copy[i] + r.at, w->scratch[step], r.bytes);
    link_next(w,
              clEnqueueWriteBuffer(queue, w->memory[i], CL_FALSE, r.at, r.bytes, w->scratch[step], waits(w),
                                   list(w), &next),
              &next, "clEnqueueWriteBuffer");
}

static void fill_part(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    struct range r = any_range(w, BYTES - PART);
    unsigned char byte = (unsigned char)any(w, 256);
    (void)step;
    memset(w->copy[0] + PART + r.at, byte, r.bytes);
    link_next(w, clEnqueueFillBuffer(queue, w->part, &byte, 1, r.at, r.bytes, waits(w), list(w), &next),
              &next, "clEnqueueFillBuffer");
}

static void copy_some(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    struct range r = any_range(w, BYTES);
    unsigned from = any(w, BUFFERS);
    (void)step;
    memcpy(w->copy[1 - from] + r.at, w->copy[from] + r.at, r.bytes);
    link_next(w,
              clEnqueueCopyBuffer(queue, w->memory[from], w->memory[1 - from], r.at, r.at, r.bytes, waits(w),
                                  list(w), &next),
              &next, "clEnqueueCopyBuffer");
}

static void write_rows(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    const size_t origin[3] = {any(w, 32), any(w, 8), 0}, none[3] = {0},
                 region[3] = {1 + any(w, 32), 1 + any(w, 8), 1};
    memset(w->scratch[step], (int)any(w, 256), BYTES);
    for (size_t y = 0; y < region[1]; y++)
        memcpy(w->copy[1] + (origin[1] + y) * 64 + origin[0], w->scratch[step], region[0]);
    link_next(w,
              clEnqueueWriteBufferRect(queue, w->memory[1], CL_FALSE, origin, none, region, 64, 0, 0, 0,
                                       w->scratch[step], waits(w), list(w), &next),
              &next, "clEnqueueWriteBufferRect");
}

static void run_job(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    (void)step;
    link_next(w, clEnqueueTask(queue, w->kernel, waits(w), list(w), &next), &next, "clEnqueueTask");
}

static void migrate(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    (void)step;
    link_next(w, clEnqueueMigrateMemObjects(queue, BUFFERS, w->memory, 0, waits(w), list(w), &next), &next,
              "clEnqueueMigrateMemObjects");
}

static void stand_between(struct worker *w, cl_command_queue queue, unsigned step)
{
    cl_event next;
    link_next(w,
              step % 2 ? clEnqueueBarrierWithWaitList(queue, waits(w), list(w), &next)
                       : clEnqueueMarkerWithWaitList(queue, waits(w), list(w), &next),
              &next, "a marker or barrier");
}

/* ---- turns ------------------------------------------------------------------------------------------------
 */

/* A gate before the chain, so that all of it is there before anything begins. */
static cl_event shut_gate(struct worker *w)
{
    cl_int status;
    cl_event gate = clCreateUserEvent(w->context, &status);
    must(status, "clCreateUserEvent");
    must(clRetainEvent(gate), "clRetainEvent");
    w->last = gate;
    return gate;
}

/* Everything comes back as it should, or with the status of a lost device. */
static bool compare(struct worker *w)
{
    static _Thread_local unsigned char got[BYTES];
    for (unsigned i = 0; i < BUFFERS; i++) {
        cl_command_queue queue = w->queue[any(w, DEVICES)];
        memset(got, 0, sizeof got);
        if (!may(clEnqueueReadBuffer(queue, w->memory[i], CL_TRUE, 0, BYTES, got, waits(w), list(w), NULL),
                 "clEnqueueReadBuffer"))
            return false;
        if (memcmp(got, w->copy[i], BYTES) != 0)
            fail("wrong contents", (long)i);
    }
    return true;
}

static bool take_turn(struct worker *w)
{
    static void (*const steps[])(struct worker *, cl_command_queue, unsigned) = {
        write_some, fill_part, copy_some, write_rows, run_job, migrate, stand_between};
    if (!begin_turn(w))
        return false;
    cl_event gate = any(w, 2) ? shut_gate(w) : NULL;
    unsigned count = 1 + any(w, STEPS_MAX);
    for (unsigned step = 0; step < count; step++)
        steps[any(w, sizeof steps / sizeof *steps)](w, w->queue[any(w, DEVICES)], step);
    if (gate) {
        must(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
        must(clReleaseEvent(gate), "the gate");
    }
    return compare(w);
}

static void *live(void *worker)
{
    struct worker *w = worker;
    for (unsigned turn = 0; turn < w->turns; turn++) {
        bool good = take_turn(w);
        end_turn(w);
        w->good += good;
        w->lost += !good;
    }
    return NULL;
}

static void find_devices(void)
{
    cl_platform_id platform;
    cl_uint found = 0;
    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, DEVICES, device, &found), "clGetDeviceIDs");
    if (found < DEVICES)
        fail("two devices, please", (long)found);
}

int main(int argc, char **argv)
{
    static struct worker worker[THREADS];
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1,
                  turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 60, good = 0, lost = 0;
    alarm(SECONDS_MAX); /* a hang is a failure */
    image_of_nothing(&image);
    find_devices();
    for (unsigned i = 0; i < THREADS; i++) {
        worker[i].chance = (struct random){seed * 1000 + i};
        worker[i].turns = (unsigned)turns;
        if (pthread_create(&worker[i].thread, NULL, live, &worker[i]) != 0)
            fail("no thread", (long)i);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        if (pthread_join(worker[i].thread, NULL) != 0)
            fail("join", (long)i);
        good += worker[i].good;
        lost += worker[i].lost;
    }
    while (atomic_load(&calls) != atomic_load(&expected_calls)) /* or the alarm */
        usleep(1000);
    sb_free(&image);
    printf(
        "icd-stress: seed %lu: %d threads, %lu turns that went well, %lu with a lost device, %u callbacks\n",
        seed, THREADS, good, lost, atomic_load(&calls));
    return good && lost ? 0 : 1;
}
