/* SPDX-License-Identifier: Apache-2.0
 *
 * The four times of a command: of every kind, in their order, by the clock
 * that the documents name, and when there are none.
 */
#include <criterion/criterion.h>
#include <time.h>

#include "kinds.h"

#define TIMES 4

static const cl_profiling_info names[TIMES] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                               CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};

static cl_ulong now(void)
{
    struct timespec t;
    cr_assert_eq(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

static void read_times(cl_event event, cl_ulong *time)
{
    for (size_t i = 0; i < TIMES; i++) {
        size_t needed = 0;
        ok(clGetEventProfilingInfo(event, names[i], 0, NULL, &needed));
        cr_assert_eq(needed, sizeof *time);
        ok(clGetEventProfilingInfo(event, names[i], sizeof *time, &time[i], NULL));
        cr_assert(!i || time[i - 1] <= time[i], "time %zu is before the one before it", i);
    }
}

static void has_none(cl_event event)
{
    cl_ulong time = 99;
    for (size_t i = 0; i < TIMES; i++)
        is(clGetEventProfilingInfo(event, names[i], sizeof time, &time, NULL),
           CL_PROFILING_INFO_NOT_AVAILABLE);
    cr_assert_eq(time, 99);
}

/* Each command is submitted when the one before it has ended, in order; and none begins before the gate. */
Test(profiling, of_every_command_in_order)
{
    struct rig rig;
    struct kinds k;
    cl_event event[32];
    cl_ulong time[TIMES], ended = 0, begun = now();
    rig_open(&rig, "model:tiny");
    kinds_open(&k, &rig, rig.queue);
    cr_assert(kinds_count <= sizeof event / sizeof *event);
    cl_event gate = make_gate(rig.context);
    for (size_t i = 0; i < kinds_count; i++)
        ok(kinds[i].enqueue(&k, i ? 0 : 1, i ? NULL : &gate, &event[i]));
    cl_ulong opened = now();
    for (size_t i = 0; i < kinds_count; i++)
        has_none(event[i]);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents((cl_uint)kinds_count, event));
    cl_ulong seen = now();
    for (size_t i = 0; i < kinds_count; i++) {
        read_times(event[i], time);
        cr_assert(begun <= time[0] && time[0] <= opened && opened <= time[1] && time[3] <= seen, "%s",
                  kinds[i].name);
        cr_assert(ended <= time[1], "%s", kinds[i].name);
        ended = time[3];
        ok(clReleaseEvent(event[i]));
    }
    has_none(gate);
    ok(clReleaseEvent(gate));
    kinds_close(&k);
    rig_close(&rig);
}

/* Out of order: what does not wait is not held up by what does. */
Test(profiling, out_of_order)
{
    struct rig rig;
    struct kinds k;
    cl_event ahead;
    cl_ulong held_time[TIMES], time[TIMES];
    rig_open(&rig, "model:tiny");
    cl_command_queue loose = make_queue(rig.context, rig.device[0],
                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    kinds_open(&k, &rig, loose);
    cl_event gate = make_gate(rig.context), held = make_marker(loose, 1, &gate);
    ok(kinds[0].enqueue(&k, 0, NULL, &ahead));
    ok(clWaitForEvents(1, &ahead));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &held));
    read_times(held, held_time);
    read_times(ahead, time);
    cr_assert(held_time[0] <= time[0] && time[3] <= held_time[1]);
    ok(clReleaseEvent(ahead));
    ok(clReleaseEvent(held));
    ok(clReleaseEvent(gate));
    kinds_close(&k);
    ok(clReleaseCommandQueue(loose));
    rig_close(&rig);
}

Test(profiling, is_not_there)
{
    struct rig rig;
    struct kinds k;
    rig_open(&rig, "model:tiny");
    cl_command_queue plain = make_queue(rig.context, rig.device[0], 0);
    kinds_open(&k, &rig, plain);
    for (size_t i = 0; i < kinds_count; i++) {
        cl_event event;
        ok(kinds[i].enqueue(&k, 0, NULL, &event));
        ok(clWaitForEvents(1, &event));
        has_none(event); /* of a queue without */
        ok(clReleaseEvent(event));
    }
    cl_event user = make_gate(rig.context);
    has_none(user);
    ok(clSetUserEventStatus(user, -1));
    has_none(user);
    cl_event failed = make_marker(rig.queue, 1, &user);
    is(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    has_none(failed); /* of what is not complete */
    ok(clReleaseEvent(failed));
    ok(clReleaseEvent(user));
    kinds_close(&k);
    ok(clReleaseCommandQueue(plain));
    rig_close(&rig);
}

Test(profiling, bad_arguments)
{
    struct rig rig;
    cl_ulong time = 99;
    size_t resolution = 0;
    rig_open(&rig, "model:tiny");
    cl_event event = make_marker(rig.queue, 0, NULL);
    ok(clWaitForEvents(1, &event));
    is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time - 1, &time, NULL),
       CL_INVALID_VALUE);
    is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED - 1, sizeof time, &time, NULL),
       CL_INVALID_VALUE);
    is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END + 1, sizeof time, &time, NULL),
       CL_INVALID_VALUE); /* of 2.0 */
    is(clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_INVALID_EVENT);
    is(clGetEventProfilingInfo((cl_event)rig.queue, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_INVALID_EVENT);
    cr_assert_eq(time, 99);
    ok(clGetDeviceInfo(rig.device[0], CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof resolution, &resolution,
                       NULL));
    cr_assert_eq(resolution, 1, "nanoseconds");
    ok(clReleaseEvent(event));
    rig_close(&rig);
}
