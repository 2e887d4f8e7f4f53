/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/icd/entries.h"
#include "host/icd/objects.h"

#define TIMEOUT_VARIABLE "TULLE_TIMEOUT_MS"
#define TIMEOUT_MS_DEFAULT 60000
#define TIMEOUT_MS_MAX 1000000000
#define NANOSECONDS_OF_MS 1000000u

bool context_has(cl_context context, cl_device_id device, cl_uint *index)
{
    for (cl_uint i = 0; i < context->devices; i++)
        if (context->device[i] == device) {
            *index = i;
            return true;
        }
    return false;
}

void context_tell(cl_context context, const char *text)
{
    if (context->notify)
        context->notify(text, NULL, 0, context->user_data);
}

void context_release(cl_context context)
{
    if (!object_release(context))
        return;
    for (cl_uint i = 0; i < context->devices; i++)
        device_leave(context->device[i]);
    free(context->properties);
    object_free(context);
}

/* ---- properties --------------------------------------------------------------------------------- */

static bool timeout_right(unsigned long long ms)
{
    return ms >= 1 && ms <= TIMEOUT_MS_MAX;
}

static cl_ulong default_timeout(void)
{
    const char *text = getenv(TIMEOUT_VARIABLE);
    char *end;
    unsigned long long ms = text ? strtoull(text, &end, 10) : TIMEOUT_MS_DEFAULT;
    if (text && (end == text || *end || !timeout_right(ms)))
        ms = TIMEOUT_MS_DEFAULT;
    return ms * NANOSECONDS_OF_MS;
}

static cl_int check_property(cl_context_properties name, cl_context_properties value)
{
    switch (name) {
    case CL_CONTEXT_PLATFORM:
        return value == (cl_context_properties)&icd_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
    case CL_CONTEXT_INTEROP_USER_SYNC: /* there is nothing to synchronise with */
        return value == CL_TRUE || value == CL_FALSE ? CL_SUCCESS : CL_INVALID_PROPERTY;
    case CL_CONTEXT_TULLE_TIMEOUT_MS:
        return value > 0 && timeout_right((unsigned long long)value) ? CL_SUCCESS : CL_INVALID_PROPERTY;
    default:
        return CL_INVALID_PROPERTY;
    }
}

/* `count` gets how many there are, with the 0 at the end; `timeout` what they say of it. */
static cl_int check_properties(const cl_context_properties *given, size_t *count, cl_ulong *timeout)
{
    *count = 0;
    for (; given && given[*count]; *count += 2) {
        cl_context_properties name = given[*count], value = given[*count + 1];
        cl_int status = check_property(name, value);
        for (size_t before = 0; before < *count; before += 2)
            if (given[before] == name)
                status = CL_INVALID_PROPERTY;
        if (status != CL_SUCCESS)
            return status;
        if (name == CL_CONTEXT_TULLE_TIMEOUT_MS)
            *timeout = (cl_ulong)value * NANOSECONDS_OF_MS;
    }
    *count += given ? 1 : 0;
    return CL_SUCCESS;
}

static cl_int check_devices(const cl_device_id *devices, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (!device_is(devices[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

/* ---- creating ------------------------------------------------------------------------------------ */

static cl_context new_context(const cl_context_properties *properties, size_t property_count, cl_uint count)
{
    static atomic_ullong contexts;
    cl_context c = object_new(OBJECT_CONTEXT, sizeof *c + count * sizeof *c->device);
    if (!c)
        return NULL;
    c->number = atomic_fetch_add(&contexts, 1) + 1;
    if (!property_count)
        return c;
    c->properties = malloc(property_count * sizeof *properties);
    if (!c->properties) {
        context_release(c);
        return NULL;
    }
    memcpy(c->properties, properties, property_count * sizeof *properties);
    c->property_count = property_count;
    return c;
}

/* One that is named twice is there once. False when one cannot be used. */
static bool add_devices(cl_context c, const cl_device_id *devices, cl_uint count)
{
    for (cl_uint i = 0, index; i < count; i++) {
        if (context_has(c, devices[i], &index))
            continue;
        if (!device_join(devices[i], &c->life[c->devices]))
            return false;
        c->device[c->devices++] = devices[i];
    }
    return true;
}

cl_context icd_clCreateContext(const cl_context_properties *properties, cl_uint count,
                               const cl_device_id *devices,
                               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                               void *user_data, cl_int *errcode_ret)
{
    size_t property_count;
    cl_ulong timeout = default_timeout();
    cl_int status = check_properties(properties, &property_count, &timeout);
    if (status == CL_SUCCESS && (!devices || !count || (user_data && !notify)))
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS)
        status = check_devices(devices, count);
    if (status != CL_SUCCESS)
        return object_created(NULL, status, errcode_ret);
    cl_context c = new_context(properties, property_count, count);
    if (!c)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    if (!add_devices(c, devices, count)) {
        context_release(c);
        return object_created(NULL, CL_DEVICE_NOT_AVAILABLE, errcode_ret);
    }
    c->notify = notify;
    c->user_data = user_data;
    c->timeout = timeout;
    return object_created(c, CL_SUCCESS, errcode_ret);
}

cl_context icd_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                       void *user_data, cl_int *errcode_ret)
{
    cl_device_id device[CANDIDATES_MAX];
    cl_uint count = 0, usable = 0;
    size_t property_count;
    cl_ulong timeout;
    cl_int status = check_properties(properties, &property_count, &timeout);
    if (status == CL_SUCCESS && user_data && !notify)
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS)
        status = icd_clGetDeviceIDs(&icd_platform, type, CANDIDATES_MAX, device, &count);
    if (status != CL_SUCCESS)
        return object_created(NULL, status, errcode_ret);
    for (cl_uint i = 0; i < count; i++)
        if (device_revive(device[i]))
            device[usable++] = device[i];
    if (!usable)
        return object_created(NULL, CL_DEVICE_NOT_AVAILABLE, errcode_ret);
    return icd_clCreateContext(properties, usable, device, notify, user_data, errcode_ret);
}

cl_int icd_clRetainContext(cl_context context)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    object_retain(context);
    return CL_SUCCESS;
}

cl_int icd_clReleaseContext(cl_context context)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    context_release(context);
    return CL_SUCCESS;
}

cl_int icd_clGetContextInfo(cl_context c, cl_context_info name, size_t room, void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    if (!object_is(c, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return info_uint(info, atomic_load(&c->object.references));
    case CL_CONTEXT_NUM_DEVICES:
        return info_uint(info, c->devices);
    case CL_CONTEXT_DEVICES:
        return info_bytes(info, c->device, c->devices * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES:
        return info_bytes(info, c->properties, c->property_count * sizeof *c->properties);
    default:
        return CL_INVALID_VALUE;
    }
}
