/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_timedjoin_np */
#include "host/icd/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

cl_int command_check(cl_command_queue queue, struct wait_list wait)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!wait.count != !wait.events)
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < wait.count; i++) {
        if (!object_is(wait.events[i], OBJECT_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (wait.events[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* ---- making ----------------------------------------------------------------------------------- */

cl_event command_new(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                     struct wait_list wait)
{
    /* An edge for each event of the wait list and one for the gate of the queue. */
    cl_event c = object_new(OBJECT_EVENT, sizeof *c + ((size_t)wait.count + 1) * sizeof *c->edge);
    if (!c)
        return NULL;
    object_retain(queue->context);
    object_retain(queue);
    c->context = queue->context;
    c->queue = queue;
    c->type = type;
    c->run = run;
    c->status = CL_QUEUED;
    pthread_cond_init(&c->ended, NULL);
    return c;
}

void command_use(cl_mem buffer)
{
    if (buffer)
        object_retain(buffer);
}

static void let_go(cl_mem *buffer)
{
    if (*buffer)
        memory_release(*buffer);
    *buffer = NULL;
}

static void free_mapping(struct transfer *t)
{
    if (t->mapping && t->mapping->owned)
        free(t->mapping->at);
    free(t->mapping);
    t->mapping = NULL;
}

/* What only a command that is not complete holds. */
static void let_all_go(cl_event c)
{
    if (c->run == run_task) {
        for (unsigned s = 0; s < ISA_SLOTS; s++)
            let_go(&c->task.buffer[s]);
        return;
    }
    if (c->run == run_migrate) {
        for (cl_uint i = 0; i < c->migration.count; i++)
            let_go(&c->migration.memory[i]);
        free(c->migration.memory);
        return;
    }
    if (c->run == run_unmap)
        free_mapping(&c->transfer);
    let_go(&c->transfer.buffer);
    let_go(&c->transfer.source);
}

void command_drop(cl_event c)
{
    let_all_go(c);
    event_release(c);
}

/* ---- submitting --------------------------------------------------------------------------------- */

/* With icd_lock held. */
static void wait_for(cl_event c, struct edge *edge, cl_event before, bool explicit)
{
    if (before->status <= CL_COMPLETE) {
        c->doomed = c->doomed || (explicit && before->status < 0);
        return;
    }
    *edge = (struct edge){.next = before->dependents, .dependent = c, .explicit = explicit};
    before->dependents = edge;
    c->pending++;
}

void command_ready(cl_event c)
{
    cl_device_id d = c->queue->device;
    c->status = c->doomed ? CL_QUEUED : CL_SUBMITTED;
    c->time[1] = icd_now();
    if (d->first_ready)
        d->last_ready->next_ready = c;
    else
        d->first_ready = c;
    d->last_ready = c;
    pthread_cond_signal(&d->wake);
}

/* With icd_lock held. */
static void join_queue(cl_event c)
{
    cl_command_queue q = c->queue;
    if (q->gate)
        wait_for(c, &c->edge[0], q->gate, false);
    c->number = ++q->commands;
    c->before = q->last;
    *(q->last ? &q->last->behind : &q->first) = c;
    q->last = c;
    if (c->barrier || !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        q->gate = c;
    c->after_all = c->after_all && q->first != c;
    c->pending += c->after_all;
}

cl_int command_submit(cl_event c, struct wait_list wait, bool blocking, cl_event *event)
{
    cl_int status = CL_SUCCESS;
    if (blocking || event)
        object_retain(c);
    pthread_mutex_lock(&icd_lock);
    c->time[0] = icd_now();
    join_queue(c);
    for (cl_uint i = 0; i < wait.count; i++)
        wait_for(c, &c->edge[i + 1], wait.events[i], true);
    if (!c->pending)
        command_ready(c);
    pthread_mutex_unlock(&icd_lock);
    if (event) /* now: it may be an element of the wait list */
        *event = c;
    if (blocking)
        status = event_wait(c);
    if (blocking && !event)
        event_release(c);
    return status;
}

/* ---- the worker ---------------------------------------------------------------------------------- */

/* The next command, or NULL at the end; icd_lock is held. */
static cl_event next_command(cl_device_id d)
{
    const cl_ulong begun = icd_now();
    while (!d->first_ready && !d->stopping)
        if (!icd_spin(begun))
            pthread_cond_wait(&d->wake, &icd_lock);
    cl_event c = d->stopping ? NULL : d->first_ready;
    if (!c)
        return NULL;
    d->first_ready = c->next_ready;
    c->next_ready = NULL;
    return c;
}

/* Why a device is not available, to whoever asked to be told: the queue's, or one that has contents. */
static void tell_why(cl_event c)
{
    char why[CANDIDATE_WHY_BYTES] = "", text[sizeof c->queue->device->name + sizeof why + 2];
    cl_device_id d = c->queue->device;
    device_why(d, c->context, why, sizeof why);
    for (cl_uint i = 0; i < c->context->devices && !*why; i++) {
        d = c->context->device[i];
        if (atomic_load(&d->failed))
            device_why(d, c->context, why, sizeof why);
    }
    snprintf(text, sizeof text, "%s: %s", d->name, why);
    context_tell(c->context, text);
}

void command_begin(cl_event c)
{
    pthread_mutex_lock(&icd_lock);
    c->status = CL_RUNNING;
    pthread_mutex_unlock(&icd_lock);
    event_call_back(c);
    c->time[2] = icd_now();
}

/* One that is doomed is neither submitted nor running: its callbacks, at whatever state, get the error. */
static cl_int execute(cl_event c)
{
    if (c->doomed)
        return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event_call_back(c); /* what is due at submission */
    command_begin(c);
    return c->run(c);
}

void command_finish(cl_event c, cl_int status)
{
    if (status == CL_DEVICE_NOT_AVAILABLE)
        tell_why(c);
    let_all_go(c); /* who is told of the end may count on the memory */
    command_end(c, status);
}

/* ---- jobs behind jobs ---------------------------------------------------------------------------- */

/* With icd_lock held: whether the device can have it before the job in front of it has ended. Its contents
 * are there, and where its status record comes. */
static bool may_follow(cl_event c, cl_event last)
{
    if (c->run != run_task || c->context != last->context || c->doomed)
        return false;
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        if (c->task.buffer[s] && !memory_is_there(c->task.buffer[s], c->queue->device))
            return false;
    return true;
}

/* With icd_lock held: the next job of the queue, when it waits for `last` alone, and would run whatever
 * becomes of it. */
static cl_event behind(cl_event last)
{
    cl_event c = last->behind;
    const bool in_order = !(last->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (!c || !in_order || c->taken || c->after_all || c->pending != 1 || c->edge[0].dependent != c ||
        !may_follow(c, last))
        return NULL;
    c->taken = true;
    c->status = CL_SUBMITTED;
    c->time[1] = icd_now();
    return c;
}

cl_event command_take_follower(cl_event last)
{
    cl_device_id d = last->queue->device;
    pthread_mutex_lock(&icd_lock);
    cl_event c = d->first_ready && !d->stopping ? d->first_ready : NULL;
    if (c && may_follow(c, last)) {
        d->first_ready = c->next_ready;
        c->next_ready = NULL;
    } else {
        c = c || d->stopping ? NULL : behind(last);
    }
    pthread_mutex_unlock(&icd_lock);
    if (c)
        event_call_back(c); /* what is due at submission */
    return c;
}

static void *work(void *device)
{
    cl_device_id d = device;
    cl_event c;
    pthread_mutex_lock(&icd_lock);
    while ((c = next_command(d))) {
        pthread_mutex_unlock(&icd_lock);
        cl_int status = execute(c);
        if (status != COMMAND_ENDED)
            command_finish(c, status);
        pthread_mutex_lock(&icd_lock);
    }
    pthread_mutex_unlock(&icd_lock);
    return NULL;
}

/* Signals are the application's threads' to take. */
static bool start_quietly(cl_device_id d)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&d->worker, NULL, work, d) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

cl_int worker_start(cl_device_id d)
{
    pthread_mutex_lock(&icd_lock);
    d->working = d->working || start_quietly(d);
    bool ok = d->working;
    pthread_mutex_unlock(&icd_lock);
    return ok ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

void workers_stop(struct _cl_device_id *device, cl_uint count)
{
    struct timespec until;
    pthread_mutex_lock(&icd_lock);
    for (cl_uint i = 0; i < count; i++) {
        device[i].stopping = true;
        pthread_cond_signal(&device[i].wake);
    }
    pthread_mutex_unlock(&icd_lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    for (cl_uint i = 0; i < count; i++)
        if (device[i].working && pthread_timedjoin_np(device[i].worker, NULL, &until) == 0)
            device[i].working = false;
}
