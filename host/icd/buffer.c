/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers. A buffer has an address on every device of its context from its
 * creation. Its contents are on one device at a time, or nowhere yet. A
 * sub-buffer is a part of a buffer, with its own flags, maps and destructors.
 */
#include <stdlib.h>
#include <string.h>

#include "host/icd/entries.h"
#include "host/icd/objects.h"

/* Flags that say who reads and writes, what the host does, and where the contents come from. */
#define ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define PLACE (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

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
    if (m->parent)
        memory_release(m->parent);
    context_release(m->context);
    object_free(m);
}

void memory_release(cl_mem m)
{
    if (!object_release(m))
        return;
    call_destructors(m);
    if (!m->parent)
        give_addresses(m, m->context->devices);
    free_memory(m);
}

cl_mem memory_whole(cl_mem m)
{
    return m->parent ? m->parent : m;
}

/* ---- creating ------------------------------------------------------------------------------------ */

static bool several(cl_mem_flags flags)
{
    return flags & (flags - 1);
}

/* Known ones, and at most one of those that exclude each other. */
static bool flags_right(cl_mem_flags flags)
{
    if ((flags & ~(ACCESS | HOST_ACCESS | PLACE)) || several(flags & ACCESS) || several(flags & HOST_ACCESS))
        return false;
    return !(flags & CL_MEM_USE_HOST_PTR) || !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

static cl_int check_flags(cl_mem_flags flags, const void *host)
{
    if (!flags_right(flags))
        return CL_INVALID_VALUE;
    if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

/* What no device could ever take is not a size; what one of them cannot take now fails later. */
static cl_int check_size(cl_context context, size_t size)
{
    for (cl_uint i = 0; i < context->devices; i++)
        if (size && size <= space_most(context->device[i]->candidate->memory))
            return CL_SUCCESS;
    return CL_INVALID_BUFFER_SIZE;
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

static cl_mem new_memory(cl_context context, cl_uint addresses, size_t size)
{
    cl_mem m = object_new(OBJECT_MEMORY, sizeof *m + addresses * sizeof *m->address);
    if (!m)
        return NULL;
    object_retain(context);
    pthread_mutex_init(&m->home_lock, NULL);
    m->context = context;
    m->size = size;
    return m;
}

cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                          cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    cl_int status = check_flags(flags, host);
    if (status == CL_SUCCESS)
        status = check_size(context, size);
    if (status != CL_SUCCESS)
        return object_created(NULL, status, errcode_ret);
    cl_mem m = new_memory(context, context->devices, size);
    if (!m)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    m->flags = flags & ACCESS ? flags : flags | CL_MEM_READ_WRITE;
    m->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    status = take_contents(m, host);
    if (status == CL_SUCCESS)
        status = take_addresses(m);
    if (status == CL_SUCCESS)
        return object_created(m, CL_SUCCESS, errcode_ret);
    free_memory(m);
    return object_created(NULL, status, errcode_ret);
}

/* ---- sub-buffers -------------------------------------------------------------------------------------- */

static cl_int check_sub_flags(cl_mem_flags whole, cl_mem_flags flags)
{
    static const struct {
        cl_mem_flags whole, never;
    } rules[] = {{CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY},
                 {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY},
                 {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
                 {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
                 {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY}};
    if (!flags_right(flags) || (flags & PLACE))
        return CL_INVALID_VALUE;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((whole & rules[i].whole) && (flags & rules[i].never))
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int check_region(cl_mem whole, const cl_buffer_region *region)
{
    if (!region)
        return CL_INVALID_VALUE;
    if (!region->size)
        return CL_INVALID_BUFFER_SIZE;
    if (region->origin > whole->size || region->size > whole->size - region->origin)
        return CL_INVALID_VALUE;
    return region->origin % MEMORY_ALIGNMENT ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

/* What is not said is as in the whole buffer. */
static cl_mem_flags inherited(cl_mem_flags whole, cl_mem_flags flags)
{
    flags |= flags & ACCESS ? 0 : whole & ACCESS;
    flags |= flags & HOST_ACCESS ? 0 : whole & HOST_ACCESS;
    return flags | (whole & PLACE);
}

cl_mem icd_clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                             cl_int *errcode_ret)
{
    const cl_buffer_region *region = info;
    if (!object_is(whole, OBJECT_MEMORY) || whole->parent)
        return object_created(NULL, CL_INVALID_MEM_OBJECT, errcode_ret);
    cl_int status = check_sub_flags(whole->flags, flags);
    if (status == CL_SUCCESS)
        status = type == CL_BUFFER_CREATE_TYPE_REGION ? check_region(whole, region) : CL_INVALID_VALUE;
    if (status != CL_SUCCESS)
        return object_created(NULL, status, errcode_ret);
    cl_mem m = new_memory(whole->context, 0, region->size);
    if (!m)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    object_retain(whole);
    m->parent = whole;
    m->origin = region->origin;
    m->flags = inherited(whole->flags, flags);
    m->host = whole->host ? (char *)whole->host + region->origin : NULL;
    return object_created(m, CL_SUCCESS, errcode_ret);
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
        return info_pointer(info, m->parent);
    case CL_MEM_OFFSET:
        return info_size(info, m->origin);
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

static bool is_image(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

/* There are no images, so there are none of any format. */
cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                      cl_uint room, cl_image_format *to, cl_uint *count)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!flags_right(flags) || !is_image(type) || (!room && to))
        return CL_INVALID_VALUE;
    if (count)
        *count = 0;
    return CL_SUCCESS;
}
