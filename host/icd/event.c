/* SPDX-License-Identifier: Apache-2.0
 *
 * Events: their state, the commands that wait for them, and the queries of the
 * application.
 */
#include <stdlib.h>

#include "host/icd/command.h"
#include "host/icd/entries.h"

/* ---- the end --------------------------------------------------------------------------------- */

/* Who is first now may have waited for that. */
static void leave_queue(cl_event c)
{
    cl_command_queue q = c->queue;
    *(c->before ? &c->before->behind : &q->first) = c->behind;
    *(c->behind ? &c->behind->before : &q->last) = c->before;
    if (q->gate == c)
        q->gate = NULL;
    if (!q->first || !q->first->after_all)
        return;
    q->first->after_all = false;
    if (!--q->first->pending)
        command_ready(q->first);
}

/* With icd_lock held: the end of a command or user event. Callbacks are due then. */
static void end_event(cl_event event, cl_int status)
{
    event->status = status;
    event->time[3] = icd_now();
    if (event->queue)
        leave_queue(event);
    for (struct edge *e = event->dependents; e; e = e->next) {
        e->dependent->doomed = e->dependent->doomed || (e->explicit && status < 0);
        if (!--e->dependent->pending && !e->dependent->taken)
            command_ready(e->dependent);
    }
    event->dependents = NULL;
    pthread_cond_broadcast(&event->ended);
}

/* Takes those that are due off the event's list; the order is kept. */
static struct callback *take_due(cl_event event, cl_int *status)
{
    struct callback *due = NULL, **end = &due;
    pthread_mutex_lock(&icd_lock);
    *status = event->status;
    for (struct callback **at = &event->callbacks; *at;) {
        struct callback *c = *at;
        if (event->status > c->at) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        c->next = NULL;
        *end = c;
        end = &c->next;
    }
    pthread_mutex_unlock(&icd_lock);
    return due;
}

void event_call_back(cl_event event)
{
    cl_int status;
    struct callback *due = take_due(event, &status);
    while (due) {
        struct callback *next = due->next;
        due->call(event, status < 0 ? status : due->at, due->user_data);
        free(due);
        due = next;
    }
}

cl_int event_wait(cl_event event)
{
    const cl_ulong begun = icd_now();
    pthread_mutex_lock(&icd_lock);
    while (event->status > CL_COMPLETE)
        if (!icd_spin(begun))
            pthread_cond_wait(&event->ended, &icd_lock);
    cl_int status = event->status;
    pthread_mutex_unlock(&icd_lock);
    return status;
}

static void free_event(cl_event event)
{
    if (event->queue)
        queue_release(event->queue);
    context_release(event->context);
    pthread_cond_destroy(&event->ended);
    object_free(event);
}

/* One that nobody can set any more would hold what waits for it for ever: it fails. Whoever waits for it in
 * clWaitForEvents holds it, but cannot set it. */
static bool release_user_event(cl_event event)
{
    pthread_mutex_lock(&icd_lock);
    bool abandoned =
        event->status > CL_COMPLETE && atomic_load(&event->object.references) == event->waiters + 1;
    if (abandoned)
        end_event(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    bool last = !abandoned && object_release(event);
    pthread_mutex_unlock(&icd_lock);
    if (!abandoned)
        return last;
    event_call_back(event);
    return object_release(event);
}

void event_release(cl_event event)
{
    if (event->queue ? object_release(event) : release_user_event(event))
        free_event(event);
}

/* Who has seen the end finds the worker's reference gone, unless there are callbacks that it has to call. */
void command_end(cl_event c, cl_int status)
{
    pthread_mutex_lock(&icd_lock);
    end_event(c, status);
    bool called = c->callbacks;
    if (!called && object_release(c))
        free_event(c);
    pthread_mutex_unlock(&icd_lock);
    if (!called)
        return;
    event_call_back(c);
    event_release(c);
}

/* ---- the calls ----------------------------------------------------------------------------------- */

/* Another thread may release an event while this one waits for it. */
static void hold(cl_uint count, const cl_event *events)
{
    pthread_mutex_lock(&icd_lock);
    for (cl_uint i = 0; i < count; i++) {
        object_retain(events[i]);
        events[i]->waiters++;
    }
    pthread_mutex_unlock(&icd_lock);
}

static void let_go(cl_uint count, const cl_event *events)
{
    pthread_mutex_lock(&icd_lock);
    for (cl_uint i = 0; i < count; i++)
        events[i]->waiters--;
    pthread_mutex_unlock(&icd_lock);
    for (cl_uint i = 0; i < count; i++)
        event_release(events[i]);
}

cl_int icd_clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int status = CL_SUCCESS;
    if (!count || !events)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(events[i], OBJECT_EVENT))
            return CL_INVALID_EVENT;
        if (events[i]->context != events[0]->context)
            return CL_INVALID_CONTEXT;
    }
    hold(count, events);
    for (cl_uint i = 0; i < count; i++)
        if (event_wait(events[i]) < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    let_go(count, events);
    return status;
}

static cl_int status_now(cl_event event)
{
    pthread_mutex_lock(&icd_lock);
    cl_int status = event->status;
    pthread_mutex_unlock(&icd_lock);
    return status;
}

cl_int icd_clGetEventInfo(cl_event event, cl_event_info name, size_t room, void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return info_pointer(info, event->queue);
    case CL_EVENT_CONTEXT:
        return info_pointer(info, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return info_uint(info, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return info_uint(info, (cl_uint)status_now(event));
    case CL_EVENT_REFERENCE_COUNT:
        return info_uint(info, atomic_load(&event->object.references));
    default:
        return CL_INVALID_VALUE;
    }
}

/* The device's counters, in the order of their names in tulle_cl.h. */
static cl_int counter(const struct job_result *r, cl_profiling_info name, struct info info)
{
    const uint64_t counters[] = {r->cycles,        r->effective_macs, r->scanned,     r->pe_busy,
                                 r->bytes_read,    r->bytes_written,  r->bus_beats,   r->stall_load,
                                 r->stall_weights, r->stall_output,   r->stall_store, r->moved};
    return info_ulong(info, counters[name - CL_PROFILING_TULLE_CYCLES]);
}

cl_int icd_clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t room, void *to,
                                   size_t *needed)
{
    struct info info = {room, to, needed};
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (name == CL_PROFILING_TULLE_ELAPSED)
        return info_ulong(info, atomic_load(&event->elapsed));
    if (status_now(event) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (name >= CL_PROFILING_COMMAND_QUEUED && name <= CL_PROFILING_COMMAND_END)
        return info_ulong(info, event->time[name - CL_PROFILING_COMMAND_QUEUED]);
    if (name >= CL_PROFILING_TULLE_CYCLES && name <= CL_PROFILING_TULLE_MOVED)
        return counter(&event->result, name, info);
    return CL_INVALID_VALUE;
}

cl_int icd_clRetainEvent(cl_event event)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    object_retain(event);
    return CL_SUCCESS;
}

cl_int icd_clReleaseEvent(cl_event event)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    event_release(event);
    return CL_SUCCESS;
}

cl_int icd_clSetEventCallback(cl_event event, cl_int at, void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                              void *user_data)
{
    if (!object_is(event, OBJECT_EVENT))
        return CL_INVALID_EVENT;
    if (!call || (at != CL_COMPLETE && at != CL_RUNNING && at != CL_SUBMITTED))
        return CL_INVALID_VALUE;
    struct callback *c = calloc(1, sizeof *c);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    *c = (struct callback){.at = at, .call = call, .user_data = user_data};
    object_retain(event); /* a callback may release it, in any thread, as soon as it is known */
    pthread_mutex_lock(&icd_lock);
    struct callback **end = &event->callbacks;
    while (*end)
        end = &(*end)->next;
    *end = c;
    pthread_mutex_unlock(&icd_lock);
    event_call_back(event);
    event_release(event);
    return CL_SUCCESS;
}

/* ---- user events --------------------------------------------------------------------------------- */

cl_event icd_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    cl_event event = object_new(OBJECT_EVENT, sizeof *event);
    if (!event)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    object_retain(context);
    event->context = context;
    event->type = CL_COMMAND_USER;
    event->status = CL_SUBMITTED;
    pthread_cond_init(&event->ended, NULL);
    return object_created(event, CL_SUCCESS, errcode_ret);
}

cl_int icd_clSetUserEventStatus(cl_event event, cl_int status)
{
    if (!object_is(event, OBJECT_EVENT) || event->type != CL_COMMAND_USER)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    object_retain(event); /* a callback may release it */
    pthread_mutex_lock(&icd_lock);
    bool open = event->status > CL_COMPLETE;
    if (open)
        end_event(event, status);
    pthread_mutex_unlock(&icd_lock);
    event_call_back(event);
    event_release(event);
    return open ? CL_SUCCESS : CL_INVALID_OPERATION;
}
