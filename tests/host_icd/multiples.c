/* SPDX-License-Identifier: Apache-2.0
 *
 * Several contexts, devices and queues at the same time: what belongs together
 * works together, and nothing goes from one context into another.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define DEVICES "model:tiny,model:tiny;memory=64M"
#define SETS 4
#define BYTES 4096

/* All that a program makes to run a job. */
struct set {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
    struct work work;
    struct buffers buffers;
    cl_event done;
};

static void set_open(struct set *s, cl_context context, cl_device_id device, uint64_t seed)
{
    cl_int status;
    s->context = context;
    s->device = device;
    s->queue = make_queue(context, device, 0);
    s->program = clCreateProgramWithBuiltInKernels(context, 1, &device, CL_TULLE_KERNEL, &status);
    ok(status);
    s->work = work_make(seed);
    buffers_make(&s->buffers, context, s->program, &s->work);
}

static void set_close(struct set *s)
{
    buffers_free(&s->buffers);
    work_free(&s->work);
    ok(clReleaseProgram(s->program));
    ok(clReleaseCommandQueue(s->queue));
}

static void is_right(struct set *s)
{
    uint8_t *got = malloc(s->work.output_bytes);
    cr_assert(got);
    ok(clEnqueueReadBuffer(s->queue, s->buffers.slot[SLOT_OUTPUT], CL_TRUE, 0, s->work.output_bytes, got, 0,
                           NULL, NULL));
    cr_assert(work_done(&s->work, got));
    free(got);
}

/* Contexts of their own, two on each device; all have begun before the first is asked. */
Test(multiples, contexts_at_the_same_time)
{
    struct rig rig;
    struct set set[SETS];
    rig_open(&rig, DEVICES);
    for (unsigned i = 0; i < SETS; i++)
        set_open(&set[i], make_context(rig.device[i % 2]), rig.device[i % 2], i);
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned i = 0; i < SETS; i++)
            ok(clEnqueueTask(set[i].queue, set[i].buffers.kernel, 0, NULL, NULL));
        for (unsigned i = SETS; i-- > 0;)
            is_right(&set[i]);
    }
    for (unsigned i = 0; i < SETS; i++) {
        set_close(&set[i]);
        ok(clReleaseContext(set[i].context));
    }
    rig_close(&rig);
}

/* One context with both devices, a chain of jobs through queues on both, held by one gate. */
Test(multiples, queues_of_one_context_wait_for_each_other)
{
    struct rig rig;
    struct set set[SETS];
    cl_event done[SETS];
    rig_open(&rig, DEVICES);
    cl_event gate = make_gate(rig.context);
    for (unsigned i = 0; i < SETS; i++) {
        set_open(&set[i], rig.context, rig.device[i % 2], i);
        ok(clEnqueueTask(set[i].queue, set[i].buffers.kernel, 1, i ? &done[i - 1] : &gate, &done[i]));
    }
    for (unsigned i = 0; i < SETS; i++)
        cr_assert_eq(event_status(done[i]), CL_QUEUED);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &done[SETS - 1]));
    for (unsigned i = 0; i < SETS; i++) {
        cr_assert_eq(event_status(done[i]), CL_COMPLETE);
        is_right(&set[i]);
        ok(clReleaseEvent(done[i]));
        set_close(&set[i]);
    }
    ok(clReleaseEvent(gate));
    rig_close(&rig);
}

/* What one queue writes another one on the other device changes, back and forth. */
Test(multiples, a_buffer_goes_round_the_queues)
{
    struct rig rig;
    cl_command_queue queue[SETS];
    cl_event before = NULL, event;
    unsigned char got[BYTES];
    rig_open(&rig, DEVICES);
    cl_mem m = make_buffer(rig.context, 0, BYTES, NULL);
    for (unsigned i = 0; i < SETS; i++)
        queue[i] = make_queue(rig.context, rig.device[i % 2], 0);
    for (unsigned turn = 0; turn < 32; turn++) {
        unsigned char byte = (unsigned char)turn;
        size_t at = (size_t)turn * 128;
        ok(clEnqueueFillBuffer(queue[turn % SETS], m, &byte, 1, at, BYTES - at, before ? 1 : 0,
                               before ? &before : NULL, &event));
        if (before)
            ok(clReleaseEvent(before));
        before = event;
    }
    ok(clEnqueueReadBuffer(queue[1], m, CL_TRUE, 0, BYTES, got, 1, &before, NULL));
    for (size_t i = 0; i < BYTES; i++)
        cr_assert_eq(got[i], i / 128, "byte %zu: %u", i, got[i]);
    ok(clReleaseEvent(before));
    for (unsigned i = 0; i < SETS; i++)
        ok(clReleaseCommandQueue(queue[i]));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

/* Of two contexts with the same device, neither takes anything of the other's. */
Test(multiples, nothing_of_another_context)
{
    struct rig rig;
    struct set own, foreign;
    cl_int status;
    unsigned char bytes[8] = {0};
    rig_open(&rig, DEVICES);
    set_open(&own, make_context(rig.device[0]), rig.device[0], 1);
    set_open(&foreign, make_context(rig.device[0]), rig.device[0], 2);
    cl_event gate = make_gate(foreign.context), both[] = {make_gate(own.context), gate};
    cl_mem m = own.buffers.slot[SLOT_INPUT], n = foreign.buffers.slot[SLOT_INPUT];
    cl_command_queue q = own.queue;
    is(clEnqueueTask(q, foreign.buffers.kernel, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueTask(q, own.buffers.kernel, 1, &gate, NULL), CL_INVALID_CONTEXT);
    is(clSetKernelArg(own.buffers.kernel, SLOT_INPUT, sizeof n, &n), CL_INVALID_MEM_OBJECT);
    is(clEnqueueReadBuffer(q, n, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 8, bytes, 1, &gate, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueWriteBuffer(q, n, CL_TRUE, 0, 8, bytes, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueFillBuffer(q, n, bytes, 1, 0, 8, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueCopyBuffer(q, m, n, 0, 0, 8, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueCopyBuffer(q, n, m, 0, 0, 8, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueMigrateMemObjects(q, 1, &n, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    none(clEnqueueMapBuffer(q, n, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &refusal), CL_INVALID_CONTEXT);
    is(clWaitForEvents(2, both), CL_INVALID_CONTEXT);
    void *at = clEnqueueMapBuffer(foreign.queue, n, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &status);
    ok(status);
    is(clEnqueueUnmapMemObject(q, n, at, 0, NULL, NULL), CL_INVALID_CONTEXT);
    ok(clEnqueueUnmapMemObject(foreign.queue, n, at, 0, NULL, NULL));
    none(clCreateCommandQueue(own.context, rig.device[1], 0, &refusal), CL_INVALID_DEVICE);
    none(clCreateProgramWithBuiltInKernels(own.context, 2, rig.device, CL_TULLE_KERNEL, &refusal),
         CL_INVALID_DEVICE);
    is(clGetKernelWorkGroupInfo(own.buffers.kernel, rig.device[1], CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL),
       CL_INVALID_DEVICE);
    is(clBuildProgram(own.program, 1, &rig.device[1], NULL, NULL, NULL), CL_INVALID_DEVICE);
    ok(clReleaseEvent(both[0]));
    ok(clReleaseEvent(gate));
    set_close(&own);
    set_close(&foreign);
    ok(clReleaseContext(own.context));
    ok(clReleaseContext(foreign.context));
    rig_close(&rig);
}

/* A program of both devices needs to be told which one is meant. */
Test(multiples, a_kernel_on_each_device_of_its_program)
{
    struct rig rig;
    size_t group = 0;
    rig_open(&rig, DEVICES);
    is(clGetKernelWorkGroupInfo(rig.kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL),
       CL_INVALID_DEVICE);
    for (unsigned i = 0; i < 2; i++) {
        struct work work = work_make(i);
        struct buffers buffers;
        cl_command_queue queue = make_queue(rig.context, rig.device[i], 0);
        ok(clGetKernelWorkGroupInfo(rig.kernel, rig.device[i], CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                    &group, NULL));
        buffers_make(&buffers, rig.context, rig.program, &work);
        cr_assert(work_run(&work, &buffers, queue, NULL));
        buffers_free(&buffers);
        work_free(&work);
        ok(clReleaseCommandQueue(queue));
    }
    rig_close(&rig);
}
