/* SPDX-License-Identifier: Apache-2.0
 *
 * Callbacks of events: when, how often and with what status they are called,
 * and what they may do.
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "kinds.h"

#define CALLS_MAX 512

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int calls;
    cl_int at[CALLS_MAX];
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void CL_CALLBACK hear(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    pthread_mutex_lock(&heard.lock);
    if (heard.calls < CALLS_MAX)
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

Test(callbacks, at_every_state, .timeout = 60)
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
    wait_for_calls(6);
    cr_assert(heard.at[5] < 0, "all that was registered is called before the event goes: %d", heard.at[5]);
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

Test(callbacks, may_go_on_with_the_driver, .timeout = 60)
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

/* ---- every kind of command ------------------------------------------------------------------------------
 */

static const cl_int states[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};

/* Three callbacks of each command, all of which wait for a gate that is set so; what they get. */
static void hear_all(cl_int set, const cl_int *wanted)
{
    struct rig rig;
    struct kinds k;
    rig_open(&rig, "model:tiny");
    kinds_open(&k, &rig, rig.queue);
    cl_event gate = make_gate(rig.context), event;
    for (size_t i = 0; i < kinds_count; i++) {
        ok(kinds[i].enqueue(&k, 1, &gate, &event));
        for (size_t s = 0; s < 3; s++)
            ok(clSetEventCallback(event, states[s], hear, NULL));
        ok(clReleaseEvent(event));
    }
    cr_assert_eq(heard.calls, 0);
    ok(clSetUserEventStatus(gate, set));
    wait_for_calls(3 * (int)kinds_count);
    for (size_t i = 0; i < 3 * kinds_count; i++)
        cr_assert_eq(heard.at[i], wanted[i % 3], "%s: %d", kinds[i / 3].name, heard.at[i]);
    ok(clReleaseEvent(gate));
    kinds_close(&k);
    cr_assert_eq(heard.calls, 3 * (int)kinds_count, "once each");
    rig_close(&rig);
}

Test(callbacks, of_every_command_in_order, .timeout = 60)
{
    hear_all(CL_COMPLETE, states);
}

/* What never began was neither submitted nor running. */
Test(callbacks, of_a_command_that_did_not_begin_get_its_error, .timeout = 60)
{
    static const cl_int error[] = {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
    hear_all(-9, error);
}

Test(callbacks, of_user_events, .timeout = 60)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event event = make_gate(rig.context);
    ok(clSetEventCallback(event, CL_COMPLETE, hear, NULL));
    ok(clSetEventCallback(event, CL_RUNNING, hear, NULL));
    cr_assert_eq(heard.calls, 0);
    ok(clSetEventCallback(event, CL_SUBMITTED, hear, NULL));
    wait_for_calls(1);
    cr_assert_eq(heard.at[0], CL_SUBMITTED, "which it was already");
    ok(clSetUserEventStatus(event, CL_COMPLETE));
    wait_for_calls(3);
    cr_assert_eq(heard.at[1] + heard.at[2], CL_COMPLETE + CL_RUNNING);
    for (size_t s = 0; s < 3; s++)
        ok(clSetEventCallback(event, states[s], hear, NULL));
    wait_for_calls(6);
    ok(clReleaseEvent(event));
    rig_close(&rig);
}

/* ---- many ------------------------------------------------------------------------------------------------
 */

static void CL_CALLBACK let_go(cl_event event, cl_int status, void *data)
{
    (void)clReleaseEvent(event);
    hear(event, status, data);
}

/* Commands end while their callbacks are being set, and the callback is the last to hold the event. */
Test(callbacks, may_release_their_event_at_once, .timeout = 60)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    for (unsigned i = 0; i < CALLS_MAX; i++)
        ok(clSetEventCallback(make_marker(rig.queue, 0, NULL), CL_COMPLETE, let_go, NULL));
    wait_for_calls(CALLS_MAX);
    for (unsigned i = 0; i < CALLS_MAX; i++)
        cr_assert_eq(heard.at[i], CL_COMPLETE);
    rig_close(&rig);
}

Test(callbacks, bad_arguments)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_event event = make_marker(rig.queue, 0, NULL);
    is(clSetEventCallback(event, CL_QUEUED, hear, NULL), CL_INVALID_VALUE);
    is(clSetEventCallback(event, CL_QUEUED + 1, hear, NULL), CL_INVALID_VALUE);
    is(clSetEventCallback(event, -1, hear, NULL), CL_INVALID_VALUE);
    is(clSetEventCallback(event, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    is(clSetEventCallback(NULL, CL_COMPLETE, hear, NULL), CL_INVALID_EVENT);
    is(clSetEventCallback((cl_event)rig.queue, CL_COMPLETE, hear, NULL), CL_INVALID_EVENT);
    ok(clReleaseEvent(event));
    rig_close(&rig);
    cr_assert_eq(heard.calls, 0);
}
