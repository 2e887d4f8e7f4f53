/* SPDX-License-Identifier: Apache-2.0
 *
 * Command queues, in order or out of order.
 */
#include "host/icd/command.h"
#include "host/icd/entries.h"

void queue_release(cl_command_queue queue)
{
    if (!object_release(queue))
        return;
    context_release(queue->context);
    object_free(queue);
}

cl_command_queue icd_clCreateCommandQueue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int *errcode_ret)
{
    const cl_command_queue_properties known =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    cl_uint index;
    if (!object_is(context, OBJECT_CONTEXT))
        return object_created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    if (!device_is(device) || !context_has(context, device, &index))
        return object_created(NULL, CL_INVALID_DEVICE, errcode_ret);
    if (properties & ~known)
        return object_created(NULL, CL_INVALID_VALUE, errcode_ret);
    cl_int status = worker_start(device);
    cl_command_queue q = status == CL_SUCCESS ? object_new(OBJECT_QUEUE, sizeof *q) : NULL;
    if (!q)
        return object_created(NULL, status == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : status, errcode_ret);
    object_retain(context);
    q->context = context;
    q->device = device;
    q->device_index = index;
    q->properties = properties;
    return object_created(q, CL_SUCCESS, errcode_ret);
}

cl_int icd_clRetainCommandQueue(cl_command_queue queue)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    object_retain(queue);
    return CL_SUCCESS;
}

cl_int icd_clReleaseCommandQueue(cl_command_queue queue)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    queue_release(queue);
    return CL_SUCCESS;
}

cl_int icd_clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info name, size_t room, void *to,
                                 size_t *needed)
{
    struct info info = {room, to, needed};
    if (!object_is(q, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return info_pointer(info, q->context);
    case CL_QUEUE_DEVICE:
        return info_pointer(info, q->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return info_uint(info, atomic_load(&q->object.references));
    case CL_QUEUE_PROPERTIES:
        return info_ulong(info, q->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Commands go to the worker by themselves, as soon as what they wait for is complete. */
cl_int icd_clFlush(cl_command_queue queue)
{
    return object_is(queue, OBJECT_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

/* One of the first `count` commands that is not complete, held; NULL when all are. The last one first: in
 * order, that is all there is to wait for. */
static cl_event hold_open(cl_command_queue q, cl_ulong count)
{
    pthread_mutex_lock(&icd_lock);
    cl_event c = q->last && q->last->number <= count ? q->last : q->first;
    if (c && c->number > count)
        c = NULL;
    if (c)
        object_retain(c);
    pthread_mutex_unlock(&icd_lock);
    return c;
}

cl_int icd_clFinish(cl_command_queue queue)
{
    cl_event c;
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    pthread_mutex_lock(&icd_lock);
    cl_ulong count = queue->commands;
    pthread_mutex_unlock(&icd_lock);
    while ((c = hold_open(queue, count))) {
        (void)event_wait(c);
        event_release(c);
    }
    return CL_SUCCESS;
}
