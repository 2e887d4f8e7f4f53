/* SPDX-License-Identifier: Apache-2.0
 *
 * Events: who waits for whom, what an error does to those that wait, and
 * callbacks.
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "support.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

Test(events, a_queue_waits_for_a_user_event)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event gate = make_gate(rig.context);
    cl_event first = make_marker(rig.queue, 1, &gate), second = make_marker(rig.queue, 0, NULL);
    cr_assert_eq(event_status(gate), CL_SUBMITTED);
    cr_assert_eq(event_status(first), CL_QUEUED);
    cr_assert_eq(event_status(second), CL_QUEUED, "in order");
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(rig.queue));
    cr_assert_eq(event_status(first), CL_COMPLETE);
    cr_assert_eq(event_status(second), CL_COMPLETE);
    is(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(first));
    ok(clReleaseEvent(second));
    rig_close(&rig);
}

Test(events, an_error_goes_on_to_those_that_wait_for_it)
{
    struct rig rig;
    rig_open(&rig, "model:tiny,model:base");
    cl_command_queue other = make_queue(rig.context, rig.device[1], 0);
    cl_event gate = make_gate(rig.context);
    cl_event chain[4];
    chain[0] = make_marker(rig.queue, 1, &gate);
    chain[1] = make_marker(other, 1, &chain[0]);
    chain[2] = make_marker(rig.queue, 1, &chain[1]);
    chain[3] = make_marker(rig.queue, 0, NULL);
    ok(clSetUserEventStatus(gate, -42));
    is(clWaitForEvents(1, &chain[2]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(event_status(chain[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "%u", i);
    ok(clFinish(rig.queue));
    cr_assert_eq(event_status(chain[3]), CL_COMPLETE, "it did not wait for an event, only its turn");
    cr_assert_eq(event_status(gate), -42);
    cl_event late = make_marker(rig.queue, 1, &gate);
    is(clWaitForEvents(1, &late), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clReleaseEvent(late));
    for (unsigned i = 0; i < 4; i++)
        ok(clReleaseEvent(chain[i]));
    ok(clReleaseEvent(gate));
    ok(clReleaseCommandQueue(other));
    rig_close(&rig);
}

Test(events, a_doomed_transfer_touches_nothing)
{
    struct rig rig;
    char to[8] = "before", from[8] = "after";
    rig_open(&rig, "model:tiny");
    cl_mem m = make_buffer(rig.context, CL_MEM_COPY_HOST_PTR, 8, to);
    cl_event gate = make_gate(rig.context), event;
    ok(clEnqueueWriteBuffer(rig.queue, m, CL_FALSE, 0, 8, from, 1, &gate, &event));
    ok(clSetUserEventStatus(gate, -1));
    ok(clFinish(rig.queue));
    cr_assert(event_status(event) < 0);
    memset(to, 0, sizeof to);
    ok(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, 8, to, 0, NULL, NULL));
    cr_assert_str_eq(to, "before");
    is(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, 8, to, 1, &gate, NULL),
       CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

Test(events, a_user_event_that_is_let_go_holds_nobody)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event gate = make_gate(rig.context);
    cl_event waiting = make_marker(rig.queue, 1, &gate);
    ok(clReleaseEvent(gate));
    is(clWaitForEvents(1, &waiting), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clReleaseEvent(waiting));
    rig_close(&rig);
}

/* ---- callbacks ----------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int calls;
    cl_int at[16];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK hear(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    pthread_mutex_lock(&heard.lock);
    if (heard.calls < 16)
        heard.at[heard.calls++] = status;
    pthread_cond_broadcast(&heard.changed);
    pthread_mutex_unlock(&heard.lock);
}

static void wait_for_calls(int count)
{
    pthread_mutex_lock(&heard.lock);
    while (heard.calls < count)
        pthread_cond_wait(&heard.changed, &heard.lock);
    pthread_mutex_unlock(&heard.lock);
}

Test(events, callbacks_at_every_state, .timeout = 60)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event gate = make_gate(rig.context), event = make_marker(rig.queue, 1, &gate);
    ok(clSetEventCallback(event, CL_COMPLETE, hear, NULL));
    ok(clSetEventCallback(event, CL_RUNNING, hear, NULL));
    ok(clSetEventCallback(event, CL_SUBMITTED, hear, NULL));
    cr_assert_eq(heard.calls, 0);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_for_calls(3);
    cr_assert(heard.at[0] == CL_SUBMITTED && heard.at[1] == CL_RUNNING && heard.at[2] == CL_COMPLETE);
    ok(clSetEventCallback(event, CL_COMPLETE, hear, NULL));
    wait_for_calls(4);
    cl_event bad = make_gate(rig.context);
    ok(clSetEventCallback(bad, CL_COMPLETE, hear, NULL));
    ok(clSetUserEventStatus(bad, -7));
    wait_for_calls(5);
    cr_assert_eq(heard.at[4], -7);
    cl_event never = make_gate(rig.context);
    ok(clSetEventCallback(never, CL_COMPLETE, hear, NULL));
    ok(clReleaseEvent(never));
    ok(clReleaseEvent(bad));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(event));
    rig_close(&rig);
}

/* A callback may use the driver, and be the last to hold its event. */
static void CL_CALLBACK enqueue_more(cl_event event, cl_int status, void *data)
{
    struct rig *rig = data;
    cl_event more;
    if (clEnqueueMarkerWithWaitList(rig->queue, 0, NULL, &more) == CL_SUCCESS)
        (void)clSetEventCallback(more, CL_COMPLETE, hear, NULL);
    (void)clReleaseEvent(more);
    (void)clReleaseEvent(event);
    (void)status;
}

Test(events, a_callback_goes_on, .timeout = 60)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event gate = make_gate(rig.context), event = make_marker(rig.queue, 1, &gate);
    ok(clSetEventCallback(event, CL_COMPLETE, enqueue_more, &rig));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_for_calls(1);
    ok(clReleaseEvent(gate));
    rig_close(&rig);
}

/* ---- what is told and refused --------------------------------------------------------------------- */

Test(events, information_and_bad_arguments)
{
    struct rig rig;
    cl_command_type type = 0;
    cl_command_queue queue;
    rig_open(&rig, "model:tiny");
    cl_context context = make_context(rig.device[0]), told;
    cl_event foreign = make_gate(context), event = make_marker(rig.queue, 0, NULL),
             mixed[2] = {event, foreign};
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    ok(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof told, &told, NULL));
    cr_assert(type == CL_COMMAND_MARKER && queue == rig.queue && told == rig.context);
    ok(clGetEventInfo(foreign, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    cr_assert_null(queue);
    is(clGetEventInfo(event, 0x7777, sizeof type, &type, NULL), CL_INVALID_VALUE);
    is(clGetEventInfo((cl_event)rig.queue, CL_EVENT_CONTEXT, sizeof type, &type, NULL), CL_INVALID_EVENT);
    is(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
    is(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    is(clEnqueueMarkerWithWaitList(rig.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueBarrierWithWaitList(rig.queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    is(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
    is(clSetUserEventStatus(foreign, CL_RUNNING), CL_INVALID_VALUE);
    is(clSetEventCallback(event, CL_QUEUED, hear, NULL), CL_INVALID_VALUE);
    is(clSetEventCallback(event, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    none(clCreateUserEvent(NULL, &refusal), CL_INVALID_CONTEXT);
    cl_ulong time;
    is(clGetEventProfilingInfo(foreign, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    ok(clEnqueueBarrier(rig.queue));
    ok(clEnqueueWaitForEvents(rig.queue, 1, &event));
    is(clEnqueueWaitForEvents(rig.queue, 0, NULL), CL_INVALID_VALUE);
    ok(clEnqueueBarrierWithWaitList(rig.queue, 1, &event, NULL));
    is(clEnqueueMarker(rig.queue, NULL), CL_INVALID_VALUE);
    ok(clReleaseEvent(foreign));
    ok(clReleaseEvent(event));
    ok(clReleaseContext(context));
    rig_close(&rig);
}
