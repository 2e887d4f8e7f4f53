/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles: every call that takes one object gets each sort of object, and
 * none; what is not its own it names as such. References are counted.
 */
#include <criterion/criterion.h>

#include "support.h"

enum sort { PLATFORM, DEVICE, CONTEXT, QUEUE, MEMORY, PROGRAM, KERNEL, EVENT, SORTS };

static const cl_int wrong_sort[SORTS] = {CL_INVALID_PLATFORM,      CL_INVALID_DEVICE,     CL_INVALID_CONTEXT,
                                         CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT, CL_INVALID_PROGRAM,
                                         CL_INVALID_KERNEL,        CL_INVALID_EVENT};

struct objects {
    struct rig rig;
    void *of[SORTS];
};

static void objects_open(struct objects *o)
{
    rig_open(&o->rig, "model:tiny");
    o->of[PLATFORM] = o->rig.platform;
    o->of[DEVICE] = o->rig.device[0];
    o->of[CONTEXT] = o->rig.context;
    o->of[QUEUE] = o->rig.queue;
    o->of[MEMORY] = make_buffer(o->rig.context, 0, 8, NULL);
    o->of[PROGRAM] = o->rig.program;
    o->of[KERNEL] = o->rig.kernel;
    o->of[EVENT] = make_gate(o->rig.context);
}

static void objects_close(struct objects *o)
{
    ok(clReleaseMemObject(o->of[MEMORY]));
    ok(clReleaseEvent(o->of[EVENT]));
    rig_close(&o->rig);
}

/* ---- calls with one object ---------------------------------------------------------------------------- */

typedef cl_int (*counting)(void *object);
typedef cl_int (*query)(void *object, cl_uint name, size_t room, void *to, size_t *needed);

static const struct {
    counting retain, release;
    query ask;
    cl_uint references; /* the name of their number */
} calls[SORTS] = {
    [PLATFORM] = {NULL, NULL, (query)clGetPlatformInfo, 0},
    [DEVICE] = {(counting)clRetainDevice, (counting)clReleaseDevice, (query)clGetDeviceInfo,
                CL_DEVICE_REFERENCE_COUNT},
    [CONTEXT] = {(counting)clRetainContext, (counting)clReleaseContext, (query)clGetContextInfo,
                 CL_CONTEXT_REFERENCE_COUNT},
    [QUEUE] = {(counting)clRetainCommandQueue, (counting)clReleaseCommandQueue, (query)clGetCommandQueueInfo,
               CL_QUEUE_REFERENCE_COUNT},
    [MEMORY] = {(counting)clRetainMemObject, (counting)clReleaseMemObject, (query)clGetMemObjectInfo,
                CL_MEM_REFERENCE_COUNT},
    [PROGRAM] = {(counting)clRetainProgram, (counting)clReleaseProgram, (query)clGetProgramInfo,
                 CL_PROGRAM_REFERENCE_COUNT},
    [KERNEL] = {(counting)clRetainKernel, (counting)clReleaseKernel, (query)clGetKernelInfo,
                CL_KERNEL_REFERENCE_COUNT},
    [EVENT] = {(counting)clRetainEvent, (counting)clReleaseEvent, (query)clGetEventInfo,
               CL_EVENT_REFERENCE_COUNT},
};

Test(handles, of_each_sort_in_each_call)
{
    struct objects o;
    objects_open(&o);
    for (unsigned sort = 0; sort < SORTS; sort++)
        for (unsigned given = 0; given <= SORTS; given++) {
            void *object = given < SORTS ? o.of[given] : NULL;
            unsigned char to[64];
            if (given == sort || (sort == PLATFORM && !object)) /* no platform is the loader's first */
                continue;
            cl_int status = calls[sort].ask(object, calls[sort].references, sizeof to, to, NULL);
            cr_assert_eq(status, wrong_sort[sort], "query %u of %u: %d", sort, given, status);
            for (unsigned releases = 0; releases < 2 && calls[sort].retain; releases++) {
                status = (releases ? calls[sort].release : calls[sort].retain)(object);
                cr_assert_eq(status, wrong_sort[sort], "%s %u of %u: %d", releases ? "release" : "retain",
                             sort, given, status);
            }
        }
    objects_close(&o);
}

static cl_uint count_of(void *object, unsigned sort)
{
    cl_uint count = 0;
    ok(calls[sort].ask(object, calls[sort].references, sizeof count, &count, NULL));
    return count;
}

/* Devices of the platform are there as long as the process, and nobody counts them. */
Test(handles, are_counted)
{
    struct objects o;
    objects_open(&o);
    for (unsigned sort = DEVICE; sort < SORTS; sort++) {
        cl_uint at_first = count_of(o.of[sort], sort);
        for (unsigned i = 1; i <= 9; i++)
            ok(calls[sort].retain(o.of[sort]));
        cr_assert_eq(count_of(o.of[sort], sort), sort == DEVICE ? 1 : at_first + 9, "sort %u", sort);
        for (unsigned i = 1; i <= 9; i++)
            ok(calls[sort].release(o.of[sort]));
        cr_assert_eq(count_of(o.of[sort], sort), at_first, "sort %u", sort);
        cr_assert(at_first == 1 || sort == CONTEXT || sort == PROGRAM, "sort %u: %u", sort, at_first);
    }
    objects_close(&o);
}

/* Once a command has ended, nothing of it holds what it used. */
Test(handles, are_not_held_by_what_has_ended)
{
    struct objects o;
    unsigned char byte;
    objects_open(&o);
    cl_mem m = o.of[MEMORY];
    for (unsigned i = 0; i < 200; i++) {
        ok(clEnqueueFillBuffer(o.rig.queue, m, "f", 1, 0, 8, 0, NULL, NULL));
        if (i % 2)
            ok(clFinish(o.rig.queue));
        else
            ok(clEnqueueReadBuffer(o.rig.queue, m, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
        cr_assert_eq(count_of(m, MEMORY), 1, "turn %u", i);
        cr_assert_eq(count_of(o.rig.queue, QUEUE), 1, "turn %u", i);
    }
    objects_close(&o);
}

/* ---- makers -------------------------------------------------------------------------------------------- */

Test(handles, of_the_wrong_sort_make_nothing)
{
    struct objects o;
    const char *text = "kernel void k() {}";
    const unsigned char *binary = (const unsigned char *)text;
    const size_t length = 1;
    const cl_buffer_region region = {0, 1};
    objects_open(&o);
    for (unsigned sort = 0; sort < SORTS; sort++) {
        cl_context c = sort == CONTEXT ? NULL : o.of[sort];
        cl_device_id d = sort == DEVICE ? NULL : o.of[sort];
        cl_mem m = sort == MEMORY ? NULL : o.of[sort];
        cl_program p = sort == PROGRAM ? NULL : o.of[sort];
        none(clCreateContext(NULL, 1, &d, NULL, NULL, &refusal), CL_INVALID_DEVICE);
        none(clCreateCommandQueue(c, o.rig.device[0], 0, &refusal), CL_INVALID_CONTEXT);
        none(clCreateCommandQueue(o.rig.context, d, 0, &refusal), CL_INVALID_DEVICE);
        none(clCreateBuffer(c, 0, 8, NULL, &refusal), CL_INVALID_CONTEXT);
        none(clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &refusal), CL_INVALID_MEM_OBJECT);
        none(clCreateProgramWithSource(c, 1, &text, NULL, &refusal), CL_INVALID_CONTEXT);
        none(clCreateProgramWithBinary(c, 1, o.rig.device, &length, &binary, NULL, &refusal),
             CL_INVALID_CONTEXT);
        none(clCreateProgramWithBinary(o.rig.context, 1, &d, &length, &binary, NULL, &refusal),
             CL_INVALID_DEVICE);
        none(clCreateProgramWithBuiltInKernels(c, 1, o.rig.device, CL_TULLE_KERNEL, &refusal),
             CL_INVALID_CONTEXT);
        none(clCreateKernel(p, CL_TULLE_KERNEL, &refusal), CL_INVALID_PROGRAM);
        none(clCreateUserEvent(c, &refusal), CL_INVALID_CONTEXT);
        is(clCreateKernelsInProgram(p, 0, NULL, NULL), CL_INVALID_PROGRAM);
    }
    objects_close(&o);
}
