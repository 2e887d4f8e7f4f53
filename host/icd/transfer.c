/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that enqueue transfers, markers and barriers.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host/icd/command.h"
#include "host/icd/entries.h"
#include "host/icd/transfer.h"

#define MAP_ALIGNMENT 128 /* of the longest type that OpenCL C has */

static bool inside(cl_mem m, size_t offset, size_t bytes)
{
    return bytes && offset <= m->size && bytes <= m->size - offset;
}

cl_int transfer_check(cl_command_queue queue, struct wait_list wait, cl_mem m)
{
    cl_int status = command_check(queue, wait);
    if (status != CL_SUCCESS)
        return status;
    if (!object_is(m, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    return m->context == queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int transfer_rights(cl_mem m, bool reads, bool writes)
{
    if (reads && (m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
        return CL_INVALID_OPERATION;
    if (writes && (m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* Its buffers are held from here on. */
static cl_event new_transfer(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                             struct wait_list wait, const struct transfer *transfer)
{
    cl_event c = command_new(queue, type, run, wait);
    if (!c)
        return NULL;
    c->transfer = *transfer;
    command_use(c->transfer.buffer);
    command_use(c->transfer.source);
    return c;
}

static cl_int submit(cl_event c, struct wait_list wait, cl_bool blocking, cl_event *event)
{
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int status = command_submit(c, wait, blocking, event);
    return status > CL_SUCCESS ? CL_SUCCESS : status;
}

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                        struct wait_list wait, const struct transfer *transfer, cl_bool blocking,
                        cl_event *event)
{
    return submit(new_transfer(queue, type, run, wait, transfer), wait, blocking, event);
}

/* ---- between host and device ----------------------------------------------------------------------------
 */

cl_int icd_clEnqueueReadBuffer(cl_command_queue queue, cl_mem m, cl_bool blocking, size_t offset,
                               size_t bytes, void *to, cl_uint count, const cl_event *events, cl_event *event)
{
    struct wait_list wait = {count, events};
    cl_int status = transfer_check(queue, wait, m);
    if (status != CL_SUCCESS)
        return status;
    if (!to || !inside(m, offset, bytes))
        return CL_INVALID_VALUE;
    status = transfer_rights(m, true, false);
    if (status != CL_SUCCESS)
        return status;
    struct transfer t = {.buffer = m, .offset = offset, .bytes = bytes, .host = to};
    return transfer_enqueue(queue, CL_COMMAND_READ_BUFFER, run_read, wait, &t, blocking, event);
}

cl_int icd_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem m, cl_bool blocking, size_t offset,
                                size_t bytes, const void *from, cl_uint count, const cl_event *events,
                                cl_event *event)
{
    struct wait_list wait = {count, events};
    cl_int status = transfer_check(queue, wait, m);
    if (status != CL_SUCCESS)
        return status;
    if (!from || !inside(m, offset, bytes))
        return CL_INVALID_VALUE;
    status = transfer_rights(m, false, true);
    if (status != CL_SUCCESS)
        return status;
    struct transfer t = {.buffer = m, .offset = offset, .bytes = bytes, .host = (void *)from};
    return transfer_enqueue(queue, CL_COMMAND_WRITE_BUFFER, run_write, wait, &t, blocking, event);
}

/* ---- on the device ---------------------------------------------------------------------------------------
 */

static bool overlap(size_t a, size_t b, size_t bytes)
{
    return a < b ? b - a < bytes : a - b < bytes;
}

cl_int icd_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem m, size_t source_offset,
                               size_t offset, size_t bytes, cl_uint count, const cl_event *events,
                               cl_event *event)
{
    struct wait_list wait = {count, events};
    cl_int status = transfer_check(queue, wait, source);
    if (status == CL_SUCCESS)
        status = transfer_check(queue, wait, m);
    if (status != CL_SUCCESS)
        return status;
    if (!inside(source, source_offset, bytes) || !inside(m, offset, bytes))
        return CL_INVALID_VALUE;
    if (memory_whole(source) == memory_whole(m) &&
        overlap(source->origin + source_offset, m->origin + offset, bytes))
        return CL_MEM_COPY_OVERLAP;
    struct transfer t = {
        .buffer = m, .source = source, .offset = offset, .source_offset = source_offset, .bytes = bytes};
    return transfer_enqueue(queue, CL_COMMAND_COPY_BUFFER, run_copy, wait, &t, CL_FALSE, event);
}

cl_int icd_clEnqueueFillBuffer(cl_command_queue queue, cl_mem m, const void *pattern, size_t pattern_bytes,
                               size_t offset, size_t bytes, cl_uint count, const cl_event *events,
                               cl_event *event)
{
    struct wait_list wait = {count, events};
    struct transfer t = {.buffer = m, .offset = offset, .bytes = bytes, .pattern_bytes = pattern_bytes};
    cl_int status = transfer_check(queue, wait, m);
    if (status != CL_SUCCESS)
        return status;
    if (!pattern || !pattern_bytes || pattern_bytes > sizeof t.pattern ||
        (pattern_bytes & (pattern_bytes - 1)) || offset % pattern_bytes || bytes % pattern_bytes ||
        !inside(m, offset, bytes))
        return CL_INVALID_VALUE;
    memcpy(t.pattern, pattern, pattern_bytes);
    return transfer_enqueue(queue, CL_COMMAND_FILL_BUFFER, run_fill, wait, &t, CL_FALSE, event);
}

/* A command that holds the buffers; NULL when out of memory. */
static cl_event new_migration(cl_command_queue queue, struct wait_list wait, cl_uint count,
                              const cl_mem *memory, cl_mem_migration_flags flags)
{
    cl_event c = command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, run_migrate, wait);
    if (!c)
        return NULL;
    c->migration.flags = flags;
    c->migration.memory = calloc(count, sizeof(cl_mem));
    if (!c->migration.memory) {
        command_drop(c);
        return NULL;
    }
    for (; c->migration.count < count; c->migration.count++) {
        c->migration.memory[c->migration.count] = memory[c->migration.count];
        command_use(memory[c->migration.count]);
    }
    return c;
}

cl_int icd_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint memories, const cl_mem *memory,
                                      cl_mem_migration_flags flags, cl_uint count, const cl_event *events,
                                      cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct wait_list wait = {count, events};
    cl_int status = command_check(queue, wait);
    if (status != CL_SUCCESS)
        return status;
    if (!memories || !memory || (flags & ~known))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memories && status == CL_SUCCESS; i++)
        status = transfer_check(queue, wait, memory[i]);
    if (status != CL_SUCCESS)
        return status;
    return submit(new_migration(queue, wait, memories, memory, flags), wait, CL_FALSE, event);
}

/* ---- mapping
 * ------------------------------------------------------------------------------------------------ */

static cl_int check_map(cl_mem m, cl_map_flags flags, size_t offset, size_t bytes)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!inside(m, offset, bytes) || (flags & ~(writes | CL_MAP_READ)) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return CL_INVALID_VALUE;
    return transfer_rights(m, flags & CL_MAP_READ, flags & writes);
}

static struct mapping *new_mapping(cl_mem m, cl_map_flags flags, size_t offset, size_t bytes)
{
    struct mapping *mapping = calloc(1, sizeof *mapping);
    if (!mapping)
        return NULL;
    mapping->offset = offset;
    mapping->bytes = bytes;
    mapping->writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    mapping->owned = !m->host;
    if (m->host) {
        mapping->at = (char *)m->host + offset;
    } else if (posix_memalign(&mapping->at, MAP_ALIGNMENT, bytes) != 0) {
        free(mapping);
        return NULL;
    }
    return mapping;
}

static void keep_mapping(cl_mem m, struct mapping *mapping)
{
    pthread_mutex_lock(&icd_lock);
    mapping->next = m->mappings;
    m->mappings = mapping;
    m->map_count++;
    pthread_mutex_unlock(&icd_lock);
}

/* Off the buffer's list; NULL when nothing is mapped there. */
static struct mapping *take_mapping(cl_mem m, const void *at)
{
    pthread_mutex_lock(&icd_lock);
    struct mapping **link = &m->mappings, *mapping;
    while (*link && (*link)->at != at)
        link = &(*link)->next;
    mapping = *link;
    if (mapping) {
        *link = mapping->next;
        m->map_count--;
    }
    pthread_mutex_unlock(&icd_lock);
    return mapping;
}

static void forget_mapping(struct mapping *mapping)
{
    if (mapping->owned)
        free(mapping->at);
    free(mapping);
}

void *icd_clEnqueueMapBuffer(cl_command_queue queue, cl_mem m, cl_bool blocking, cl_map_flags flags,
                             size_t offset, size_t bytes, cl_uint count, const cl_event *events,
                             cl_event *event, cl_int *errcode_ret)
{
    struct wait_list wait = {count, events};
    cl_int status = transfer_check(queue, wait, m);
    if (status == CL_SUCCESS)
        status = check_map(m, flags, offset, bytes);
    if (status != CL_SUCCESS)
        return object_created(NULL, status, errcode_ret);
    struct mapping *mapping = new_mapping(m, flags, offset, bytes);
    if (!mapping)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    void *at = mapping->at;
    struct transfer t = {.buffer = m,
                         .offset = offset,
                         .bytes = bytes,
                         .host = at,
                         .reads = !(flags & CL_MAP_WRITE_INVALIDATE_REGION)};
    cl_event c = new_transfer(queue, CL_COMMAND_MAP_BUFFER, run_map, wait, &t);
    if (!c) {
        forget_mapping(mapping);
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    }
    keep_mapping(m, mapping);
    status = submit(c, wait, blocking, event);
    if (status != CL_SUCCESS)
        forget_mapping(take_mapping(m, at));
    return object_created(status == CL_SUCCESS ? at : NULL, status, errcode_ret);
}

cl_int icd_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem m, void *at, cl_uint count,
                                   const cl_event *events, cl_event *event)
{
    struct wait_list wait = {count, events};
    cl_int status = transfer_check(queue, wait, m);
    if (status != CL_SUCCESS)
        return status;
    struct mapping *mapping = take_mapping(m, at);
    if (!mapping)
        return CL_INVALID_VALUE;
    struct transfer t = {.buffer = m,
                         .offset = mapping->offset,
                         .bytes = mapping->bytes,
                         .host = mapping->at,
                         .writes = mapping->writes,
                         .mapping = mapping};
    cl_event c = new_transfer(queue, CL_COMMAND_UNMAP_MEM_OBJECT, run_unmap, wait, &t);
    if (!c)
        keep_mapping(m, mapping);
    return submit(c, wait, CL_FALSE, event);
}

/* ---- markers and barriers -------------------------------------------------------------------------------
 */

/* Without a wait list they wait for everything that is before them in the queue. */
static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, struct wait_list wait,
                              cl_event *event)
{
    cl_int status = command_check(queue, wait);
    if (status != CL_SUCCESS)
        return status;
    cl_event c = command_new(queue, type, run_nothing, wait);
    if (c) {
        c->after_all = !wait.count;
        c->barrier = type == CL_COMMAND_BARRIER;
    }
    return submit(c, wait, CL_FALSE, event);
}

cl_int icd_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events,
                                       cl_event *event)
{
    return enqueue_nothing(queue, CL_COMMAND_MARKER, (struct wait_list){count, events}, event);
}

cl_int icd_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events,
                                        cl_event *event)
{
    return enqueue_nothing(queue, CL_COMMAND_BARRIER, (struct wait_list){count, events}, event);
}

cl_int icd_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!event)
        return object_is(queue, OBJECT_QUEUE) ? CL_INVALID_VALUE : CL_INVALID_COMMAND_QUEUE;
    return enqueue_nothing(queue, CL_COMMAND_MARKER, (struct wait_list){0, NULL}, event);
}

cl_int icd_clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_nothing(queue, CL_COMMAND_BARRIER, (struct wait_list){0, NULL}, NULL);
}

cl_int icd_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *events)
{
    if (object_is(queue, OBJECT_QUEUE) && (!count || !events))
        return CL_INVALID_VALUE;
    cl_int status = enqueue_nothing(queue, CL_COMMAND_BARRIER, (struct wait_list){count, events}, NULL);
    return status == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : status;
}
