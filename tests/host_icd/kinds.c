/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <criterion/criterion.h>

static const size_t origin[3] = {0, 0, 0}, region[3] = {8, 2, 2}, one[3] = {1, 1, 1};

static cl_int read(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueReadBuffer(k->queue, k->memory, CL_FALSE, 0, KINDS_BYTES, k->host, count, events, event);
}

static cl_int write(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueWriteBuffer(k->queue, k->memory, CL_FALSE, 0, KINDS_BYTES, k->host, count, events, event);
}

static cl_int read_rect(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueReadBufferRect(k->queue, k->memory, CL_FALSE, origin, origin, region, 0, 0, 0, 0, k->host,
                                   count, events, event);
}

static cl_int write_rect(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueWriteBufferRect(k->queue, k->memory, CL_FALSE, origin, origin, region, 0, 0, 0, 0,
                                    k->host, count, events, event);
}

static cl_int copy(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueCopyBuffer(k->queue, k->source, k->memory, 0, 0, KINDS_BYTES, count, events, event);
}

static cl_int copy_rect(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueCopyBufferRect(k->queue, k->source, k->memory, origin, origin, region, 0, 0, 0, 0, count,
                                   events, event);
}

static cl_int fill(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueFillBuffer(k->queue, k->memory, "f", 1, 0, KINDS_BYTES, count, events, event);
}

static void *map_on(cl_command_queue queue, struct kinds *k, cl_bool blocking, cl_uint count,
                    const cl_event *events, cl_event *event, cl_int *status)
{
    return clEnqueueMapBuffer(queue, k->memory, blocking, CL_MAP_READ | CL_MAP_WRITE, 0, KINDS_BYTES, count,
                              events, event, status);
}

/* What it maps stays so until the buffer goes. */
static cl_int map(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int status = CL_SUCCESS;
    void *at = map_on(k->queue, k, CL_FALSE, count, events, event, &status);
    cr_assert_eq(!at, status != CL_SUCCESS, "a place and %d", status);
    return status;
}

static cl_int unmap(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int status = CL_SUCCESS;
    if (!k->mapped)
        k->mapped = map_on(k->side, k, CL_TRUE, 0, NULL, NULL, &status);
    ok(status);
    status = clEnqueueUnmapMemObject(k->queue, k->memory, k->mapped, count, events, event);
    k->mapped = status == CL_SUCCESS ? NULL : k->mapped;
    return status;
}

static cl_int migrate(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueMigrateMemObjects(k->queue, 1, &k->memory, 0, count, events, event);
}

static cl_int marker(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueMarkerWithWaitList(k->queue, count, events, event);
}

static cl_int barrier(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueBarrierWithWaitList(k->queue, count, events, event);
}

static cl_int task(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueTask(k->queue, k->buffers.kernel, count, events, event);
}

static cl_int range(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event)
{
    return clEnqueueNDRangeKernel(k->queue, k->buffers.kernel, 3, NULL, one, one, count, events, event);
}

const struct kind kinds[] = {{"read", CL_COMMAND_READ_BUFFER, read},
                             {"write", CL_COMMAND_WRITE_BUFFER, write},
                             {"read rectangle", CL_COMMAND_READ_BUFFER_RECT, read_rect},
                             {"write rectangle", CL_COMMAND_WRITE_BUFFER_RECT, write_rect},
                             {"copy", CL_COMMAND_COPY_BUFFER, copy},
                             {"copy rectangle", CL_COMMAND_COPY_BUFFER_RECT, copy_rect},
                             {"fill", CL_COMMAND_FILL_BUFFER, fill},
                             {"map", CL_COMMAND_MAP_BUFFER, map},
                             {"unmap", CL_COMMAND_UNMAP_MEM_OBJECT, unmap},
                             {"migrate", CL_COMMAND_MIGRATE_MEM_OBJECTS, migrate},
                             {"marker", CL_COMMAND_MARKER, marker},
                             {"barrier", CL_COMMAND_BARRIER, barrier},
                             {"task", CL_COMMAND_TASK, task},
                             {"range", CL_COMMAND_NDRANGE_KERNEL, range}};
const size_t kinds_count = sizeof kinds / sizeof *kinds;

void kinds_open(struct kinds *k, struct rig *rig, cl_command_queue queue)
{
    *k = (struct kinds){.rig = rig, .queue = queue, .work = work_make(1)};
    k->side = make_queue(rig->context, rig->device[0], 0);
    k->memory = make_buffer(rig->context, CL_MEM_COPY_HOST_PTR, KINDS_BYTES, k->host);
    k->source = make_buffer(rig->context, CL_MEM_COPY_HOST_PTR, KINDS_BYTES, k->host);
    buffers_make(&k->buffers, rig->context, rig->program, &k->work);
}

void kinds_close(struct kinds *k)
{
    ok(clFinish(k->queue));
    buffers_free(&k->buffers);
    work_free(&k->work);
    ok(clReleaseMemObject(k->source));
    ok(clReleaseMemObject(k->memory));
    ok(clReleaseCommandQueue(k->side));
}
