/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers. A buffer has addresses on every device of its context from the
 * beginning, and its contents on one of them, or none yet.
 */
#include <stdlib.h>
#include <string.h>

#include "host/icd/entries.h"
#include "host/icd/objects.h"

/* ---- the end ------------------------------------------------------------------------------------ */

static void give_addresses(cl_mem m, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) {
        cl_device_id d = m->context->device[i];
        pthread_mutex_lock(&d->space_lock);
        space_give(&d->space, m->address[i]);
        pthread_mutex_unlock(&d->space_lock);
    }
}

/* Last registered, first called. */
static void call_destructors(cl_mem m)
{
    while (m->destructors) {
        struct destructor *d = m->destructors;
        m->destructors = d->next;
        d->call(m, d->user_data);
        free(d);
    }
}

static void free_memory(cl_mem m)
{
    while (m->mappings) {
        struct mapping *gone = m->mappings;
        m->mappings = gone->next;
        if (gone->owned)
            free(gone->at);
        free(gone);
    }
    pthread_mutex_destroy(&m->home_lock);
    free(m->initial);
    context_release(m->context);
    object_free(m);
}

void memory_release(cl_mem m)
{
    if (!object_release(m))
        return;
    call_destructors(m);
    give_addresses(m, m->context->devices);
    free_memory(m);
}

/* ---- creating ------------------------------------------------------------------------------------ */

static bool several(cl_mem_flags flags)
{
    return flags & (flags - 1);
}

static cl_int check_flags(cl_mem_flags flags, const void *host)
{
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host_access = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if ((flags & ~(access | host_access | place)) || several(flags & access) || several(flags & host_access))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_VALUE;
    if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

static cl_int check_size(cl_context context, size_t size)
{
    if (!size)
        return CL_INVALID_BUFFER_SIZE;
    for (cl_uint i = 0; i < context->devices; i++)
        if (size > space_most(context->device[i]->candidate->memory))
            return CL_INVALID_BUFFER_SIZE;
    return CL_SUCCESS;
}

static cl_int take_addresses(cl_mem m)
{
    for (cl_uint i = 0; i < m->context->devices; i++) {
        cl_device_id d = m->context->device[i];
        pthread_mutex_lock(&d->space_lock);
        enum space_status status = space_take(&d->space, m->size, &m->address[i]);
        pthread_mutex_unlock(&d->space_lock);
        if (status == SPACE_OK)
            continue;
        give_addresses(m, i);
        return status == SPACE_FULL ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_HOST_MEMORY;
    }
    return CL_SUCCESS;
}

static cl_int take_contents(cl_mem m, const void *host)
{
    if (!host)
        return CL_SUCCESS;
    m->initial = malloc(m->size);
    if (!m->initial)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(m->initial, host, m->size);
    return CL_SUCCESS;
}

cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                          cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    cl_int status = check_flags(flags, host);
    if (status == CL_SUCCESS)
        status = check_size(context, size);
    if (status != CL_SUCCESS)
        return created(NULL, status, errcode_ret);
    cl_mem m = object_new(OBJECT_MEMORY, sizeof *m + context->devices * sizeof *m->address);
    if (!m)
        return created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    object_retain(context);
    pthread_mutex_init(&m->home_lock, NULL);
    m->context = context;
    m->flags = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) ? flags
                                                                                  : flags | CL_MEM_READ_WRITE;
    m->size = size;
    m->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    status = take_contents(m, host);
    if (status == CL_SUCCESS)
        status = take_addresses(m);
    if (status == CL_SUCCESS)
        return created(m, CL_SUCCESS, errcode_ret);
    free_memory(m);
    return created(NULL, status, errcode_ret);
}

/* ---- the other calls -------------------------------------------------------------------------------- */

cl_int icd_clRetainMemObject(cl_mem m)
{
    if (!object_is(m, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    object_retain(m);
    return CL_SUCCESS;
}

cl_int icd_clReleaseMemObject(cl_mem m)
{
    if (!object_is(m, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    memory_release(m);
    return CL_SUCCESS;
}

cl_int icd_clGetMemObjectInfo(cl_mem m, cl_mem_info name, size_t room, void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    if (!object_is(m, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_MEM_TYPE:
        return info_uint(info, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return info_ulong(info, m->flags);
    case CL_MEM_SIZE:
        return info_size(info, m->size);
    case CL_MEM_HOST_PTR:
        return info_pointer(info, m->host);
    case CL_MEM_MAP_COUNT: {
        pthread_mutex_lock(&icd_lock);
        cl_uint count = m->map_count;
        pthread_mutex_unlock(&icd_lock);
        return info_uint(info, count);
    }
    case CL_MEM_REFERENCE_COUNT:
        return info_uint(info, atomic_load(&m->object.references));
    case CL_MEM_CONTEXT:
        return info_pointer(info, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return info_pointer(info, NULL);
    case CL_MEM_OFFSET:
        return info_size(info, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *call)(cl_mem, void *),
                                            void *user_data)
{
    if (!object_is(m, OBJECT_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    if (!call)
        return CL_INVALID_VALUE;
    struct destructor *d = malloc(sizeof *d);
    if (!d)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&icd_lock);
    *d = (struct destructor){.next = m->destructors, .call = call, .user_data = user_data};
    m->destructors = d;
    pthread_mutex_unlock(&icd_lock);
    return CL_SUCCESS;
}

/* There are no images, so there are none of any format. */
cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                      cl_uint room, cl_image_format *to, cl_uint *count)
{
    (void)flags;
    (void)type;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!room && to)
        return CL_INVALID_VALUE;
    if (count)
        *count = 0;
    return CL_SUCCESS;
}
