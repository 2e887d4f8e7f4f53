/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that do whatever comes to their minds, by seed, with the driver:
 * queues and buffers of their own and of all, on several devices, user events
 * that succeed, fail or are let go, callbacks. Every transfer's result is
 * checked; nothing may hang. A program without a test framework, so that a
 * thread sanitizer can watch it:
 *
 *   make BUILD=build/tsan SAN=thread build/tsan/tests/tool/icd-threads
 *
 *   icd-threads [SEED [TURNS]]
 */
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/random.h"

#define THREADS 5
#define DEVICES 3
#define BYTES 8192
#define SECONDS_MAX 200
#define UNORDERED CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cl_int check_status_ = (call);                                                          \
        if (check_status_ != CL_SUCCESS) {                                                      \
            fprintf(stderr, "icd-threads: %s: %d (line %d)\n", #call, check_status_, __LINE__); \
            abort();                                                                            \
        }                                                                                       \
    } while (0)

struct mind {
    pthread_t thread;
    struct random chance;
    unsigned number, turns;
    cl_context context;
    cl_command_queue queue[DEVICES];
    cl_mem own, other;
};

static cl_device_id device[DEVICES];
static cl_context shared;
static cl_command_queue shared_queue[DEVICES];
static atomic_uint expected_calls, calls;

static unsigned any(struct mind *m, unsigned below)
{
    return (unsigned)random_below(&m->chance, below);
}

static void CL_CALLBACK count(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
    atomic_fetch_add(&calls, 1);
}

static void want(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "icd-threads: %s\n", what);
    abort();
}

/* ---- what a thread may do ------------------------------------------------------------------------- */

/* Through one device in, through another out. */
static void carry(struct mind *m)
{
    unsigned char pattern = (unsigned char)any(m, 256), got[BYTES];
    CHECK(clEnqueueFillBuffer(m->queue[any(m, DEVICES)], m->own, &pattern, 1, 0, BYTES, 0, NULL, NULL));
    for (unsigned i = 0; i < DEVICES; i++)
        CHECK(clFinish(m->queue[i]));
    cl_command_queue queue = m->queue[any(m, DEVICES)];
    CHECK(clEnqueueCopyBuffer(queue, m->own, m->other, 0, 0, BYTES, 0, NULL, NULL));
    CHECK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, m->other, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (unsigned i = 0; i < BYTES; i++)
        want(got[i] == pattern, "wrong contents");
}

/* A chain over devices behind a user event. */
static void chain(struct mind *m)
{
    cl_int status;
    unsigned links = 1 + any(m, 8), way = any(m, 3);
    cl_event gate = clCreateUserEvent(m->context, &status), last = gate;
    CHECK(status);
    CHECK(clRetainEvent(last));
    for (unsigned i = 0; i < links; i++) {
        cl_event next;
        CHECK(clEnqueueMarkerWithWaitList(m->queue[any(m, DEVICES)], 1, &last, &next));
        CHECK(clReleaseEvent(last));
        last = next;
    }
    atomic_fetch_add(&expected_calls, 1);
    CHECK(clSetEventCallback(last, CL_COMPLETE, count, NULL));
    if (way < 2)
        CHECK(clSetUserEventStatus(gate, way ? CL_COMPLETE : -3));
    CHECK(clReleaseEvent(gate));
    want(clWaitForEvents(1, &last) == (way == 1 ? CL_SUCCESS : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
         "the end of a chain");
    CHECK(clReleaseEvent(last));
}

/* A queue that all use, and a buffer that nobody else does. */
static void together(struct mind *m)
{
    cl_int status;
    unsigned wanted = m->number << 24 | any(m, 1 << 20), got = 0;
    cl_command_queue queue = shared_queue[any(m, DEVICES)];
    cl_mem memory = clCreateBuffer(shared, CL_MEM_COPY_HOST_PTR, sizeof wanted, &wanted, &status);
    CHECK(status);
    CHECK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    want(got == wanted, "wrong contents in a shared queue");
    void *at =
        clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_WRITE, 0, sizeof got, 0, NULL, NULL, &status);
    CHECK(status);
    memset(at, 0x5A, sizeof got);
    CHECK(clEnqueueUnmapMemObject(queue, memory, at, 0, NULL, NULL));
    CHECK(clReleaseMemObject(memory)); /* the command holds it */
}

static void *live(void *mind)
{
    struct mind *m = mind;
    cl_int status;
    m->context = clCreateContext(NULL, DEVICES, device, NULL, NULL, &status);
    CHECK(status);
    for (unsigned i = 0; i < DEVICES; i++) {
        m->queue[i] = clCreateCommandQueue(m->context, device[i], any(m, 2) ? UNORDERED : 0, &status);
        CHECK(status);
    }
    m->own = clCreateBuffer(m->context, 0, BYTES, NULL, &status);
    CHECK(status);
    m->other = clCreateBuffer(m->context, 0, BYTES, NULL, &status);
    CHECK(status);
    for (unsigned turn = 0; turn < m->turns; turn++) {
        static void (*const ideas[])(struct mind *) = {carry, chain, together};
        ideas[any(m, 3)](m);
    }
    CHECK(clReleaseMemObject(m->own));
    CHECK(clReleaseMemObject(m->other));
    for (unsigned i = 0; i < DEVICES; i++)
        CHECK(clReleaseCommandQueue(m->queue[i]));
    CHECK(clReleaseContext(m->context));
    return NULL;
}

int main(int argc, char **argv)
{
    struct mind mind[THREADS];
    cl_platform_id platform;
    cl_uint found;
    cl_int status;
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1,
                  turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 300;
    alarm(SECONDS_MAX); /* a hang is a failure */
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, DEVICES, device, &found));
    want(found >= DEVICES, "three devices, please");
    shared = clCreateContext(NULL, DEVICES, device, NULL, NULL, &status);
    CHECK(status);
    for (unsigned i = 0; i < DEVICES; i++) {
        shared_queue[i] = clCreateCommandQueue(shared, device[i], 0, &status);
        CHECK(status);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        mind[i] = (struct mind){.chance = {seed * 1000 + i}, .number = i, .turns = (unsigned)turns};
        want(pthread_create(&mind[i].thread, NULL, live, &mind[i]) == 0, "no thread");
    }
    for (unsigned i = 0; i < THREADS; i++)
        want(pthread_join(mind[i].thread, NULL) == 0, "join");
    for (unsigned i = 0; i < DEVICES; i++) {
        CHECK(clFinish(shared_queue[i]));
        CHECK(clReleaseCommandQueue(shared_queue[i]));
    }
    CHECK(clReleaseContext(shared));
    while (atomic_load(&calls) != atomic_load(&expected_calls)) /* or the alarm */
        usleep(1000);
    printf("icd-threads: seed %lu: %d threads, %lu turns each, %u callbacks\n", seed, THREADS, turns,
           atomic_load(&calls));
    return 0;
}
