/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs: a container for each device, or the built-in program of the
 * device. Both have the same single kernel. A program from source keeps only
 * its text.
 */
#include <stdlib.h>
#include <string.h>

#include "host/container/container.h"
#include "host/icd/entries.h"
#include "host/icd/objects.h"

#define PROGRAM_DEVICES_MAX CANDIDATES_MAX

static void free_program(cl_program p)
{
    for (cl_uint i = 0; i < p->devices; i++) {
        free(p->device[i].binary);
        free(p->device[i].options);
    }
    free(p->source);
    context_release(p->context);
    object_free(p);
}

void program_release(cl_program p)
{
    if (object_release(p))
        free_program(p);
}

bool program_has(cl_program p, cl_device_id device)
{
    for (cl_uint i = 0; i < p->devices; i++)
        if (p->device[i].device == device)
            return true;
    return false;
}

bool program_is_built_in(cl_program p)
{
    return !p->source && !p->device[0].binary;
}

bool program_is_built(cl_program p, cl_device_id device)
{
    for (cl_uint i = 0; i < p->devices; i++)
        if ((!device || p->device[i].device == device) && atomic_load(&p->device[i].built))
            return true;
    return false;
}

static cl_int check_devices(cl_context context, cl_uint count, const cl_device_id *devices)
{
    cl_uint index;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!count || !devices)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!device_is(devices[i]) || !context_has(context, devices[i], &index))
            return CL_INVALID_DEVICE;
        for (cl_uint j = 0; j < i; j++)
            if (devices[i] == devices[j])
                return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

static cl_program new_program(cl_context context, cl_uint count, const cl_device_id *devices)
{
    cl_program p = object_new(OBJECT_PROGRAM, sizeof *p + count * sizeof *p->device);
    if (!p)
        return NULL;
    object_retain(context);
    p->context = context;
    p->devices = count;
    for (cl_uint i = 0; i < count; i++)
        p->device[i].device = devices[i];
    return p;
}

/* ---- from containers ------------------------------------------------------------------------------- */

/* What the device says of itself, from its registers. A job that runs on it does not hold this up. */
static bool identify(cl_context context, cl_device_id d, struct container_device *said, struct strbuf *why)
{
    bool ok = atomic_load(&d->identified);
    if (!ok) {
        pthread_mutex_lock(&d->board_lock);
        ok = device_open(d, context);
        if (!ok)
            sb_addf(why, "the device %s cannot be used: %s", d->name, d->candidate->why);
        pthread_mutex_unlock(&d->board_lock);
    }
    *said = (struct container_device){.name = d->name,
                                      .transport = d->candidate->api->kind,
                                      .isa = d->candidate->isa,
                                      .hash = d->candidate->hash};
    return ok;
}

static cl_int check_binary(cl_context context, cl_device_id d, const unsigned char *binary, size_t bytes,
                           struct strbuf *why)
{
    struct container container;
    struct container_device device;
    if (!container_read(binary, bytes, &container, why))
        return CL_INVALID_BINARY;
    if (!identify(context, d, &device, why))
        return CL_DEVICE_NOT_AVAILABLE;
    return container_fits(&container, &device, why) ? CL_SUCCESS : CL_INVALID_BINARY;
}

static cl_int take_binary(cl_context context, struct program_device *p, const unsigned char *binary,
                          size_t bytes)
{
    struct strbuf why = {0};
    if (!bytes || !binary)
        return CL_INVALID_VALUE;
    cl_int status = check_binary(context, p->device, binary, bytes, &why);
    if (status != CL_SUCCESS)
        context_tell(context, sb_text(&why));
    sb_free(&why);
    if (status != CL_SUCCESS)
        return status;
    p->binary = malloc(bytes);
    if (!p->binary)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(p->binary, binary, bytes);
    p->bytes = bytes;
    return CL_SUCCESS;
}

cl_program icd_clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                         const size_t *lengths, const unsigned char **binaries,
                                         cl_int *binary_status, cl_int *errcode_ret)
{
    cl_int status = check_devices(context, count, devices);
    if (status == CL_SUCCESS && (!lengths || !binaries))
        status = CL_INVALID_VALUE;
    if (status != CL_SUCCESS)
        return object_created(NULL, status, errcode_ret);
    cl_program p = new_program(context, count, devices);
    if (!p)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    for (cl_uint i = 0; i < count; i++) {
        cl_int one = take_binary(context, &p->device[i], binaries[i], lengths[i]);
        if (binary_status)
            binary_status[i] = one;
        status = status == CL_SUCCESS ? one : status;
    }
    if (status == CL_SUCCESS)
        return object_created(p, CL_SUCCESS, errcode_ret);
    free_program(p);
    return object_created(NULL, status, errcode_ret);
}

/* A list with semicolons between its names, and there is one name. */
static bool are_built_in(const char *names)
{
    const size_t length = strlen(CL_TULLE_KERNEL);
    for (; !strncmp(names, CL_TULLE_KERNEL, length); names += length + 1)
        if (names[length] != ';')
            return !names[length];
    return false;
}

cl_program icd_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                 const cl_device_id *devices, const char *names,
                                                 cl_int *errcode_ret)
{
    cl_int status = check_devices(context, count, devices);
    if (status == CL_SUCCESS && (!names || !are_built_in(names)))
        status = CL_INVALID_VALUE;
    cl_program p = status == CL_SUCCESS ? new_program(context, count, devices) : NULL;
    if (status == CL_SUCCESS && !p)
        status = CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; p && i < count; i++)
        atomic_store(&p->device[i].built, true);
    return object_created(p, status, errcode_ret);
}

/* ---- from source ----------------------------------------------------------------------------------- */

/* All strings, one after the other; a length of 0, or no lengths: as far as its 0. NULL when out of memory.
 */
static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
    struct strbuf text = {0};
    for (cl_uint i = 0; i < count; i++)
        sb_addn(&text, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    sb_add(&text, "");
    if (sb_ok(&text))
        return text.text;
    sb_free(&text);
    return NULL;
}

cl_program icd_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                         const size_t *lengths, cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    if (!count || !strings)
        return object_created(NULL, CL_INVALID_VALUE, errcode_ret);
    for (cl_uint i = 0; i < count; i++)
        if (!strings[i])
            return object_created(NULL, CL_INVALID_VALUE, errcode_ret);
    cl_program p = new_program(context, context->devices, context->device);
    if (!p)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    p->source = join(count, strings, lengths);
    if (p->source)
        return object_created(p, CL_SUCCESS, errcode_ret);
    free_program(p);
    return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

/* ---- the other calls -------------------------------------------------------------------------------------
 */

cl_int icd_clRetainProgram(cl_program p)
{
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    object_retain(p);
    return CL_SUCCESS;
}

cl_int icd_clReleaseProgram(cl_program p)
{
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    program_release(p);
    return CL_SUCCESS;
}

static cl_int binaries(cl_program p, struct info info)
{
    unsigned char **to = info.to;
    cl_int status = info_bytes((struct info){info.room, NULL, info.needed}, NULL, p->devices * sizeof *to);
    if (to && info.room < p->devices * sizeof *to)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; to && i < p->devices; i++)
        if (to[i] && p->device[i].bytes)
            memcpy(to[i], p->device[i].binary, p->device[i].bytes);
    return status;
}

cl_int icd_clGetProgramInfo(cl_program p, cl_program_info name, size_t room, void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    cl_device_id device[PROGRAM_DEVICES_MAX];
    size_t bytes[PROGRAM_DEVICES_MAX];
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < p->devices; i++) {
        device[i] = p->device[i].device;
        bytes[i] = p->device[i].bytes;
    }
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return info_uint(info, atomic_load(&p->object.references));
    case CL_PROGRAM_CONTEXT:
        return info_pointer(info, p->context);
    case CL_PROGRAM_NUM_DEVICES:
        return info_uint(info, p->devices);
    case CL_PROGRAM_DEVICES:
        return info_bytes(info, device, p->devices * sizeof *device);
    case CL_PROGRAM_SOURCE:
        return info_text(info, p->source ? p->source : "");
    case CL_PROGRAM_BINARY_SIZES:
        return info_bytes(info, bytes, p->devices * sizeof *bytes);
    case CL_PROGRAM_BINARIES:
        return binaries(p, info);
    case CL_PROGRAM_NUM_KERNELS:
        return program_is_built(p, NULL) ? info_size(info, 1) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return program_is_built(p, NULL) ? info_text(info, CL_TULLE_KERNEL) : CL_INVALID_PROGRAM_EXECUTABLE;
    default:
        return CL_INVALID_VALUE;
    }
}
