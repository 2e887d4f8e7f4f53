/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues that are not in order: who waits for whom, and who does not. A gate,
 * an event of the user, keeps commands from ending.
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "host/formats/random.h"
#include "support.h"

#define BYTES 256

struct stage {
    struct rig rig;
    cl_command_queue queue; /* out of order */
    cl_mem memory;
    cl_event gate, held; /* a command that waits for the gate */
};

static cl_event write_after(struct stage *s, cl_uint count, const cl_event *events)
{
    static const char bytes[BYTES] = "written";
    cl_event event;
    ok(clEnqueueWriteBuffer(s->queue, s->memory, CL_FALSE, 0, BYTES, bytes, count, events, &event));
    return event;
}

static void stage_open(struct stage *s)
{
    rig_open(&s->rig, "model:tiny");
    s->queue = make_queue(s->rig.context, s->rig.device[0],
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    s->memory = make_buffer(s->rig.context, 0, BYTES, NULL);
    s->gate = make_gate(s->rig.context);
    s->held = write_after(s, 1, &s->gate);
}

static void stage_close(struct stage *s)
{
    ok(clFinish(s->queue));
    ok(clReleaseEvent(s->held));
    ok(clReleaseEvent(s->gate));
    ok(clReleaseMemObject(s->memory));
    ok(clReleaseCommandQueue(s->queue));
    rig_close(&s->rig);
}

static void ends(cl_event event)
{
    ok(clWaitForEvents(1, &event));
    cr_assert_eq(event_status(event), CL_COMPLETE);
    ok(clReleaseEvent(event));
}

/* Asked after something later has ended in the same worker: what could begin would have. */
static void waits(struct stage *s, cl_event event)
{
    ends(write_after(s, 0, NULL));
    cr_assert_eq(event_status(event), CL_QUEUED);
}

static void open_gate(struct stage *s)
{
    ok(clSetUserEventStatus(s->gate, CL_COMPLETE));
}

Test(order, a_device_tells_that_it_can)
{
    struct stage s;
    cl_command_queue_properties able = 0, told = 0;
    stage_open(&s);
    open_gate(&s);
    ok(clGetDeviceInfo(s.rig.device[0], CL_DEVICE_QUEUE_PROPERTIES, sizeof able, &able, NULL));
    ok(clGetCommandQueueInfo(s.queue, CL_QUEUE_PROPERTIES, sizeof told, &told, NULL));
    cr_assert(able == told && (able & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    stage_close(&s);
}

Test(order, who_does_not_wait_goes_ahead)
{
    struct stage s;
    char got[BYTES];
    stage_open(&s);
    ends(write_after(&s, 0, NULL));
    ok(clEnqueueReadBuffer(s.queue, s.memory, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    cr_assert_str_eq(got, "written");
    waits(&s, s.held);
    open_gate(&s);
    stage_close(&s);
}

Test(order, a_marker_waits_for_all_before_it)
{
    struct stage s;
    cl_event all, again;
    stage_open(&s);
    ok(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &all));
    ok(clEnqueueMarker(s.queue, &again));
    waits(&s, all);
    waits(&s, again);
    open_gate(&s);
    ends(again);
    cr_assert_eq(event_status(s.held), CL_COMPLETE);
    ends(all);
    ok(clEnqueueMarker(s.queue, &again));
    ends(again);
    stage_close(&s);
}

Test(order, a_marker_with_a_list_waits_for_that)
{
    struct stage s;
    cl_event free, bound;
    stage_open(&s);
    cl_event before = write_after(&s, 0, NULL);
    ok(clEnqueueMarkerWithWaitList(s.queue, 1, &before, &free));
    ok(clEnqueueMarkerWithWaitList(s.queue, 1, &s.held, &bound));
    ends(free);
    waits(&s, bound);
    open_gate(&s);
    ends(bound);
    ends(before);
    stage_close(&s);
}

/* Behind a barrier nothing begins: a command in another queue on the same worker shows that it had its time.
 */
static void is_shut(struct stage *s, cl_event event)
{
    char got[1];
    ok(clEnqueueReadBuffer(s->rig.queue, s->memory, CL_TRUE, 0, 1, got, 0, NULL, NULL));
    cr_assert_eq(event_status(event), CL_QUEUED);
}

Test(order, a_barrier_is_between_what_is_before_and_behind)
{
    struct stage s;
    cl_event barrier;
    stage_open(&s);
    ok(clEnqueueBarrierWithWaitList(s.queue, 0, NULL, &barrier));
    cl_event behind = write_after(&s, 0, NULL);
    is_shut(&s, behind);
    is_shut(&s, barrier);
    open_gate(&s);
    ends(behind);
    cr_assert_eq(event_status(s.held), CL_COMPLETE);
    ends(barrier);
    stage_close(&s);
}

Test(order, a_barrier_with_a_list_holds_what_is_behind)
{
    struct stage s;
    stage_open(&s);
    cl_event other = make_gate(s.rig.context), barrier;
    ok(clEnqueueBarrierWithWaitList(s.queue, 1, &other, &barrier));
    cl_event behind = write_after(&s, 0, NULL);
    is_shut(&s, behind);
    ok(clSetUserEventStatus(other, CL_COMPLETE));
    ends(behind);
    ends(barrier);
    waits(&s, s.held);
    ok(clReleaseEvent(other));
    open_gate(&s);
    stage_close(&s);
}

Test(order, calls_of_before_1_2)
{
    struct stage s;
    stage_open(&s);
    ok(clEnqueueBarrier(s.queue));
    cl_event behind = write_after(&s, 0, NULL);
    is_shut(&s, behind);
    ok(clEnqueueWaitForEvents(s.queue, 1, &behind));
    cl_event last = write_after(&s, 0, NULL);
    is_shut(&s, last);
    open_gate(&s);
    ends(last);
    ends(behind);
    cl_event wrong = (cl_event)s.queue;
    is(clEnqueueWaitForEvents(s.queue, 1, &wrong), CL_INVALID_EVENT);
    is(clEnqueueWaitForEvents(s.queue, 1, NULL), CL_INVALID_VALUE);
    is(clEnqueueWaitForEvents(NULL, 1, &wrong), CL_INVALID_COMMAND_QUEUE);
    is(clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
    is(clEnqueueMarker(NULL, &wrong), CL_INVALID_COMMAND_QUEUE);
    stage_close(&s);
}

Test(order, errors_go_along_wait_lists_alone)
{
    struct stage s;
    cl_event marker, listed;
    stage_open(&s);
    ok(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &marker));
    ok(clEnqueueMarkerWithWaitList(s.queue, 1, &s.held, &listed));
    ok(clSetUserEventStatus(s.gate, -5));
    is(clWaitForEvents(1, &listed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ends(marker);
    cr_assert_eq(event_status(s.held), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clReleaseEvent(listed));
    stage_close(&s);
}

static void *open_it(void *stage)
{
    struct stage *s = stage;
    return clSetUserEventStatus(s->gate, CL_COMPLETE) == CL_SUCCESS ? s : NULL;
}

Test(order, finish_waits_for_all)
{
    struct stage s;
    pthread_t thread;
    void *opened;
    stage_open(&s);
    cl_event free = write_after(&s, 0, NULL);
    cr_assert_eq(pthread_create(&thread, NULL, open_it, &s), 0);
    ok(clFinish(s.queue));
    cr_assert_eq(event_status(s.held), CL_COMPLETE);
    ends(free);
    cr_assert_eq(pthread_join(thread, &opened), 0);
    cr_assert(opened);
    stage_close(&s);
}

/* Commands that wait for some of those before them, by chance: each begins when those have ended. */
Test(order, any_wait_lists)
{
    enum { COMMANDS = 120 };
    struct stage s;
    struct random random = {5};
    cl_event event[COMMANDS];
    cl_ulong time[COMMANDS][4];
    bool after[COMMANDS][COMMANDS] = {{false}};
    stage_open(&s);
    for (unsigned i = 0; i < COMMANDS; i++) {
        cl_event list[4];
        unsigned count = i ? (unsigned)random_below(&random, 4) : 0;
        for (unsigned k = 0; k < count; k++) {
            unsigned before = (unsigned)random_below(&random, i);
            after[i][before] = true;
            list[k] = event[before];
        }
        if (i % 17 == 16)
            ok(clEnqueueBarrierWithWaitList(s.queue, 0, NULL, &event[i]));
        else
            event[i] = write_after(&s, count, count ? list : NULL);
        for (unsigned before = 0; before < i; before++)
            after[i][before] = (after[i][before] && i % 17 != 16) || i % 17 == 16 || before % 17 == 16;
    }
    open_gate(&s);
    ok(clFinish(s.queue));
    for (unsigned i = 0; i < COMMANDS; i++)
        for (cl_uint k = 0; k < 4; k++)
            ok(clGetEventProfilingInfo(event[i], CL_PROFILING_COMMAND_QUEUED + k, sizeof(cl_ulong),
                                       &time[i][k], NULL));
    for (unsigned i = 0; i < COMMANDS; i++) {
        cr_assert(time[i][0] <= time[i][1] && time[i][1] <= time[i][2] && time[i][2] <= time[i][3]);
        for (unsigned before = 0; before < i; before++)
            cr_assert(!after[i][before] || time[before][3] <= time[i][1], "%u before %u", before, i);
        ok(clReleaseEvent(event[i]));
    }
    stage_close(&s);
}
