/* SPDX-License-Identifier: Apache-2.0
 *
 * Building programs: what comes from a container or is built in is ready as it
 * is, and for source there is no compiler and no linker.
 */
#include <string.h>

#include "host/icd/entries.h"
#include "host/icd/objects.h"

typedef void(CL_CALLBACK *notify_function)(cl_program, void *);

static cl_int check_devices(cl_program p, cl_uint count, const cl_device_id *devices)
{
    for (cl_uint i = 0; i < count; i++)
        if (!program_has(p, devices[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

cl_int icd_clBuildProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options,
                          notify_function notify, void *user_data)
{
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!count != !devices || (user_data && !notify))
        return CL_INVALID_VALUE;
    cl_int status = check_devices(p, count, devices);
    if (status != CL_SUCCESS)
        return status;
    if (p->source)
        return CL_COMPILER_NOT_AVAILABLE;
    if (options && options[strspn(options, " ")])
        return CL_INVALID_BUILD_OPTIONS;
    if (atomic_load(&p->kernels))
        return CL_INVALID_OPERATION;
    atomic_store(&p->built, true);
    if (notify)
        notify(p, user_data);
    return CL_SUCCESS;
}

cl_int icd_clCompileProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options,
                            cl_uint headers, const cl_program *header, const char **names,
                            notify_function notify, void *user_data)
{
    (void)options; /* nobody knows which ones a compiler would take */
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!count != !devices || !headers != !header || !headers != !names || (user_data && !notify))
        return CL_INVALID_VALUE;
    cl_int status = check_devices(p, count, devices);
    if (status != CL_SUCCESS)
        return status;
    return p->source ? CL_COMPILER_NOT_AVAILABLE : CL_INVALID_OPERATION;
}

cl_program icd_clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                             const char *options, cl_uint programs, const cl_program *program,
                             notify_function notify, void *user_data, cl_int *errcode_ret)
{
    cl_uint index;
    (void)options;
    if (!object_is(context, OBJECT_CONTEXT))
        return created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    if (!count != !devices || !programs || !program || (user_data && !notify))
        return created(NULL, CL_INVALID_VALUE, errcode_ret);
    for (cl_uint i = 0; i < programs; i++)
        if (!object_is(program[i], OBJECT_PROGRAM))
            return created(NULL, CL_INVALID_PROGRAM, errcode_ret);
    for (cl_uint i = 0; i < count; i++)
        if (!context_has(context, devices[i], &index))
            return created(NULL, CL_INVALID_DEVICE, errcode_ret);
    return created(NULL, CL_LINKER_NOT_AVAILABLE, errcode_ret);
}

cl_int icd_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

cl_int icd_clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &icd_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
