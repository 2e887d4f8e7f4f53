/* SPDX-License-Identifier: Apache-2.0
 *
 * Events: who waits for whom, what an error does to those that wait, and how
 * long an event is there.
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "kinds.h"

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

/* Of several events that are over when the command comes, one that failed is enough, wherever in the list it
 * stands. */
Test(events, one_error_of_a_list_is_enough)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    for (unsigned failed = 0; failed < 3; failed++) {
        cl_event gate[3];
        for (unsigned i = 0; i < 3; i++) {
            gate[i] = make_gate(rig.context);
            ok(clSetUserEventStatus(gate[i], i == failed ? -42 : CL_COMPLETE));
        }
        cl_event last = make_marker(rig.queue, 3, gate);
        is(clWaitForEvents(1, &last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        ok(clReleaseEvent(last));
        for (unsigned i = 0; i < 3; i++)
            ok(clReleaseEvent(gate[i]));
    }
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

/* Wait lists that no call takes, and that leave nothing behind in the queue. */
Test(events, wait_lists_that_are_none)
{
    struct rig rig;
    struct kinds k;
    rig_open(&rig, "model:tiny");
    kinds_open(&k, &rig, rig.queue);
    cl_context other = make_context(rig.device[0]);
    cl_event own = make_gate(rig.context), foreign = make_gate(other), event = NULL;
    const cl_event holed[] = {own, NULL}, wrong[] = {own, (cl_event)rig.queue}, mixed[] = {own, foreign};
    for (size_t i = 0; i < kinds_count; i++) {
        const struct {
            cl_uint count;
            const cl_event *events;
            cl_int wanted;
        } lists[] = {{1, NULL, CL_INVALID_EVENT_WAIT_LIST},
                     {0, &own, CL_INVALID_EVENT_WAIT_LIST},
                     {2, holed, CL_INVALID_EVENT_WAIT_LIST},
                     {2, wrong, CL_INVALID_EVENT_WAIT_LIST},
                     {2, mixed, CL_INVALID_CONTEXT}};
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            cl_int status = kinds[i].enqueue(&k, lists[l].count, lists[l].events, &event);
            cr_assert(status == lists[l].wanted && !event, "%s, list %zu: %d", kinds[i].name, l, status);
        }
    }
    is(clWaitForEvents(2, holed), CL_INVALID_EVENT);
    is(clWaitForEvents(2, wrong), CL_INVALID_EVENT);
    is(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
    is(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    is(clWaitForEvents(0, &own), CL_INVALID_VALUE);
    is(clEnqueueWaitForEvents(rig.queue, 2, mixed), CL_INVALID_CONTEXT);
    is(clEnqueueWaitForEvents(rig.queue, 2, holed), CL_INVALID_EVENT);
    ok(clReleaseEvent(own));
    ok(clReleaseEvent(foreign));
    ok(clReleaseContext(other));
    kinds_close(&k);
    rig_close(&rig);
}

/* ---- every kind of command ------------------------------------------------------------------------- */

Test(events, every_command_has_one)
{
    struct rig rig;
    struct kinds k;
    rig_open(&rig, "model:tiny");
    kinds_open(&k, &rig, rig.queue);
    for (size_t i = 0; i < kinds_count; i++) {
        cl_event gate = make_gate(rig.context), event;
        cl_command_type type = 0;
        cl_command_queue queue = NULL;
        ok(kinds[i].enqueue(&k, 1, &gate, &event));
        cr_assert_eq(event_status(event), CL_QUEUED, "%s", kinds[i].name);
        ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        ok(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
        cr_assert(type == kinds[i].type && queue == rig.queue, "%s: 0x%x", kinds[i].name, type);
        ok(clSetUserEventStatus(gate, CL_COMPLETE));
        ok(clWaitForEvents(1, &event));
        cr_assert_eq(event_status(event), CL_COMPLETE, "%s", kinds[i].name);
        ok(clReleaseEvent(event));
        ok(clReleaseEvent(gate));
        ok(kinds[i].enqueue(&k, 0, NULL, NULL));
    }
    kinds_close(&k);
    rig_close(&rig);
}

/* In order: the one that is doomed ends, and the next one has its turn. */
Test(events, every_command_ends_with_its_wait_list)
{
    struct rig rig;
    struct kinds k;
    unsigned char got[KINDS_BYTES];
    rig_open(&rig, "model:tiny");
    kinds_open(&k, &rig, rig.queue);
    ok(clEnqueueFillBuffer(rig.queue, k.memory, "m", 1, 0, KINDS_BYTES, 0, NULL, NULL));
    for (size_t i = 0; i < kinds_count; i++) {
        cl_event gate = make_gate(rig.context), event;
        memset(k.host, 'h', KINDS_BYTES);
        ok(kinds[i].enqueue(&k, 1, &gate, &event));
        cl_event behind = make_marker(rig.queue, 0, NULL), on_it = make_marker(rig.queue, 1, &event);
        ok(clSetUserEventStatus(gate, -77));
        is(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        is(clWaitForEvents(1, &on_it), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        ok(clWaitForEvents(1, &behind));
        cr_assert_eq(event_status(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        ok(clEnqueueReadBuffer(rig.queue, k.memory, CL_TRUE, 0, KINDS_BYTES, got, 0, NULL, NULL));
        cr_assert(got[0] == 'm' && got[KINDS_BYTES - 1] == 'm' && k.host[0] == 'h', "%s", kinds[i].name);
        ok(clReleaseEvent(event));
        ok(clReleaseEvent(on_it));
        ok(clReleaseEvent(behind));
        ok(clReleaseEvent(gate));
    }
    kinds_close(&k);
    rig_close(&rig);
}

/* Programs go on with one variable; the call reads its wait list before it writes the event. */
Test(events, the_event_may_be_an_element_of_the_wait_list, .timeout = 60)
{
    struct rig rig;
    struct kinds k;
    rig_open(&rig, "model:tiny");
    cl_command_queue loose = make_queue(rig.context, rig.device[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    kinds_open(&k, &rig, loose);
    cl_event gate = make_gate(rig.context), event = gate;
    for (size_t i = 0; i < kinds_count; i++) {
        cl_event before = event;
        ok(kinds[i].enqueue(&k, 1, &event, &event));
        cr_assert_neq(event, before);
        if (before != gate)
            ok(clReleaseEvent(before));
    }
    cr_assert_eq(event_status(event), CL_QUEUED);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &event));
    ok(clReleaseEvent(event));
    ok(clReleaseEvent(gate));
    kinds_close(&k);
    ok(clReleaseCommandQueue(loose));
    rig_close(&rig);
}

/* ---- user events ------------------------------------------------------------------------------------ */

Test(events, a_user_event_is_set_once)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    static const cl_int ends[] = {CL_COMPLETE, -1, CL_INVALID_VALUE, -2000000000};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        cl_event event = make_gate(rig.context), waiting = make_marker(rig.queue, 1, &event);
        for (cl_int state = CL_RUNNING; state <= CL_QUEUED + 1; state++)
            is(clSetUserEventStatus(event, state), CL_INVALID_VALUE);
        cr_assert_eq(event_status(event), CL_SUBMITTED, "a wrong state changes nothing");
        ok(clSetUserEventStatus(event, ends[i]));
        cr_assert_eq(event_status(event), ends[i]);
        is(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
        is(clSetUserEventStatus(event, -5), CL_INVALID_OPERATION);
        cr_assert_eq(event_status(event), ends[i]);
        is(clWaitForEvents(1, &event), ends[i] ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        ok(clFinish(rig.queue));
        cr_assert_eq(event_status(waiting),
                     ends[i] ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
        is(clSetUserEventStatus(waiting, CL_COMPLETE), CL_INVALID_EVENT);
        ok(clReleaseEvent(waiting));
        ok(clReleaseEvent(event));
    }
    is(clSetUserEventStatus(NULL, CL_COMPLETE), CL_INVALID_EVENT);
    rig_close(&rig);
}

/* A command ends when all of its wait list has, also when one of it has failed. */
Test(events, a_failure_does_not_go_ahead_of_the_others)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_command_queue loose = make_queue(rig.context, rig.device[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event both[] = {make_gate(rig.context), make_gate(rig.context)}, all = make_marker(loose, 2, both);
    ok(clSetUserEventStatus(both[0], -3));
    cl_event other = make_marker(loose, 1, &both[0]);
    is(clWaitForEvents(1, &other), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cr_assert_eq(event_status(all), CL_QUEUED);
    ok(clSetUserEventStatus(both[1], CL_COMPLETE));
    is(clWaitForEvents(1, &all), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ok(clReleaseEvent(other));
    ok(clReleaseEvent(all));
    ok(clReleaseEvent(both[0]));
    ok(clReleaseEvent(both[1]));
    ok(clReleaseCommandQueue(loose));
    rig_close(&rig);
}

/* ---- how long they are there ------------------------------------------------------------------------ */

static cl_uint references(cl_event event)
{
    cl_uint count = 0;
    ok(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

Test(events, are_counted)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event event = make_gate(rig.context);
    cr_assert_eq(references(event), 1);
    for (cl_uint i = 2; i <= 10; i++) {
        ok(clRetainEvent(event));
        cr_assert_eq(references(event), i);
    }
    cl_event waiting = make_marker(rig.queue, 1, &event);
    for (cl_uint i = 9; i >= 1; i--) {
        ok(clReleaseEvent(event));
        cr_assert_eq(references(event), i);
        cr_assert_eq(event_status(waiting), CL_QUEUED);
    }
    ok(clSetUserEventStatus(event, CL_COMPLETE));
    ok(clReleaseEvent(waiting)); /* the command goes on without it */
    ok(clReleaseEvent(event));
    is(clRetainEvent(NULL), CL_INVALID_EVENT);
    is(clReleaseEvent(NULL), CL_INVALID_EVENT);
    rig_close(&rig);
}

struct waiting {
    cl_event event;
    cl_int status;
};

static void *wait_for_it(void *argument)
{
    struct waiting *w = argument;
    w->status = clWaitForEvents(1, &w->event);
    return NULL;
}

/* A thread that waits for the event, and has begun to. */
static pthread_t waiting_thread(struct waiting *w)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    pthread_t thread;
    cl_uint before = references(w->event);
    cr_assert_eq(pthread_create(&thread, NULL, wait_for_it, w), 0);
    while (references(w->event) == before)
        nanosleep(&pause, NULL);
    return thread;
}

Test(events, may_go_while_another_thread_waits, .timeout = 60)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event gate = make_gate(rig.context);
    struct waiting command = {make_marker(rig.queue, 1, &gate), 1}, user = {make_gate(rig.context), 1};
    pthread_t of_command = waiting_thread(&command), of_user = waiting_thread(&user);
    ok(clReleaseEvent(command.event));
    ok(clReleaseEvent(user.event));
    cr_assert_eq(pthread_join(of_user, NULL), 0);
    cr_assert_eq(user.status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "nobody can set it any more");
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cr_assert_eq(pthread_join(of_command, NULL), 0);
    ok(command.status);
    ok(clReleaseEvent(gate));
    rig_close(&rig);
}

/* ---- without waiting ---------------------------------------------------------------------------------- */

Test(events, what_is_flushed_ends_without_being_waited_for, .timeout = 60)
{
    struct rig rig;
    struct kinds k;
    const struct timespec pause = {.tv_nsec = 1000000};
    rig_open(&rig, "model:tiny");
    kinds_open(&k, &rig, rig.queue);
    for (size_t i = 0; i < kinds_count; i++) {
        cl_event event;
        ok(kinds[i].enqueue(&k, 0, NULL, &event));
        ok(clFlush(rig.queue));
        while (event_status(event) > CL_COMPLETE)
            nanosleep(&pause, NULL);
        cr_assert_eq(event_status(event), CL_COMPLETE, "%s", kinds[i].name);
        ok(clReleaseEvent(event));
    }
    kinds_close(&k);
    rig_close(&rig);
}
