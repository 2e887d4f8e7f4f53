/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds programs and answers questions about builds. A program from a
 * container is ready, a built-in program needs no build, and for source there
 * is neither a compiler nor a linker.
 */
#include <stdlib.h>
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

/* ---- options --------------------------------------------------------------------------------------- */

/* Those of the specification. Of what is compiled already none changes anything. */
static const char *const options_alone[] = {"-cl-single-precision-constant",
                                            "-cl-denorms-are-zero",
                                            "-cl-fp32-correctly-rounded-divide-sqrt",
                                            "-cl-opt-disable",
                                            "-cl-strict-aliasing",
                                            "-cl-mad-enable",
                                            "-cl-no-signed-zeros",
                                            "-cl-unsafe-math-optimizations",
                                            "-cl-finite-math-only",
                                            "-cl-fast-relaxed-math",
                                            "-cl-kernel-arg-info",
                                            "-cl-std=CL1.1",
                                            "-cl-std=CL1.2",
                                            "-w",
                                            "-Werror"};

/* To the next space that is in no quotes. */
static size_t word_length(const char *at)
{
    bool quoted = false;
    size_t length = 0;
    for (; at[length] && (quoted || at[length] != ' '); length++)
        quoted = quoted != (at[length] == '"');
    return length;
}

static bool is_alone(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof options_alone / sizeof *options_alone; i++)
        if (strlen(options_alone[i]) == length && !strncmp(word, options_alone[i], length))
            return true;
    return false;
}

/* -D and -I have a word, behind them or as the next one. */
static bool options_right(const char *at)
{
    bool wanted = false; /* a word for the option before */
    while (*(at += strspn(at, " "))) {
        size_t length = word_length(at);
        bool takes_one = !strncmp(at, "-D", 2) || !strncmp(at, "-I", 2);
        if (!wanted && !takes_one && !is_alone(at, length))
            return false;
        wanted = !wanted && takes_one && length == 2;
        at += length;
    }
    return !wanted;
}

/* ---- building -------------------------------------------------------------------------------------- */

static bool is_among(cl_device_id device, cl_uint count, const cl_device_id *devices)
{
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] == device)
            return true;
    return !count;
}

static cl_int build_for(struct program_device *d, const char *options)
{
    char *copy = options ? strdup(options) : NULL;
    if (options && !copy)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&icd_lock);
    char *old = d->options;
    d->options = copy;
    pthread_mutex_unlock(&icd_lock);
    free(old);
    atomic_store(&d->built, true);
    return CL_SUCCESS;
}

static cl_int build(cl_program p, cl_uint count, const cl_device_id *devices, const char *options)
{
    cl_int status = CL_SUCCESS;
    for (cl_uint i = 0; i < p->devices && status == CL_SUCCESS; i++)
        if (is_among(p->device[i].device, count, devices))
            status = build_for(&p->device[i], options);
    return status;
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
    if (program_is_built_in(p))
        return CL_INVALID_OPERATION;
    if (options && !options_right(options))
        return CL_INVALID_BUILD_OPTIONS;
    if (atomic_load(&p->kernels))
        return CL_INVALID_OPERATION;
    status = build(p, count, devices, options);
    if (status == CL_SUCCESS && notify)
        notify(p, user_data);
    return status;
}

static cl_int options_of(const struct program_device *d, struct info info)
{
    pthread_mutex_lock(&icd_lock);
    cl_int status = info_text(info, d->options ? d->options : "");
    pthread_mutex_unlock(&icd_lock);
    return status;
}

cl_int icd_clGetProgramBuildInfo(cl_program p, cl_device_id device, cl_program_build_info name, size_t room,
                                 void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    const struct program_device *d = NULL;
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < p->devices; i++)
        if (p->device[i].device == device)
            d = &p->device[i];
    if (!d)
        return CL_INVALID_DEVICE;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return info_uint(info, (cl_uint)(atomic_load(&d->built) ? CL_BUILD_SUCCESS : CL_BUILD_NONE));
    case CL_PROGRAM_BUILD_OPTIONS:
        return options_of(d, info);
    case CL_PROGRAM_BUILD_LOG:
        return info_text(info, "");
    case CL_PROGRAM_BINARY_TYPE: /* what is loaded is an executable, built or not */
        return info_uint(info, d->binary ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE : CL_PROGRAM_BINARY_TYPE_NONE);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- what there is no compiler for ------------------------------------------------------------------- */

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
        return object_created(NULL, CL_INVALID_CONTEXT, errcode_ret);
    if (!count != !devices || !programs || !program || (user_data && !notify))
        return object_created(NULL, CL_INVALID_VALUE, errcode_ret);
    for (cl_uint i = 0; i < programs; i++)
        if (!object_is(program[i], OBJECT_PROGRAM))
            return object_created(NULL, CL_INVALID_PROGRAM, errcode_ret);
    for (cl_uint i = 0; i < count; i++)
        if (!context_has(context, devices[i], &index))
            return object_created(NULL, CL_INVALID_DEVICE, errcode_ret);
    return object_created(NULL, CL_LINKER_NOT_AVAILABLE, errcode_ret);
}

cl_int icd_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

cl_int icd_clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &icd_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
