/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel tulle_run. Its arguments are the device's registers from 0x10 on:
 * the buffers of the slots, their sizes, and the job number.
 */
#include <stdio.h>
#include <string.h>

#include "host/icd/command.h"
#include "host/icd/entries.h"

_Static_assert(CL_TULLE_FIRST_SIZE == ISA_SLOTS && CL_TULLE_JOB_NUMBER == 2 * ISA_SLOTS &&
                   CL_TULLE_ARGUMENTS == CL_TULLE_JOB_NUMBER + 1,
               "an argument for each register");

static const char *const slot_names[ISA_SLOTS] = {
#define X(number, name, NAME, text) [(number)] = #name,
    ISA_ARGUMENT_LIST(X)
#undef X
};

/* ---- creating ------------------------------------------------------------------------------------ */

cl_kernel icd_clCreateKernel(cl_program p, const char *name, cl_int *errcode_ret)
{
    if (!object_is(p, OBJECT_PROGRAM))
        return object_created(NULL, CL_INVALID_PROGRAM, errcode_ret);
    if (!name)
        return object_created(NULL, CL_INVALID_VALUE, errcode_ret);
    if (!program_is_built(p, NULL))
        return object_created(NULL, CL_INVALID_PROGRAM_EXECUTABLE, errcode_ret);
    if (strcmp(name, CL_TULLE_KERNEL) != 0)
        return object_created(NULL, CL_INVALID_KERNEL_NAME, errcode_ret);
    cl_kernel k = object_new(OBJECT_KERNEL, sizeof *k);
    if (!k)
        return object_created(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    object_retain(p);
    atomic_fetch_add(&p->kernels, 1);
    k->program = p;
    pthread_mutex_init(&k->lock, NULL);
    return object_created(k, CL_SUCCESS, errcode_ret);
}

cl_int icd_clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
    cl_int status = CL_SUCCESS;
    if (!object_is(p, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!program_is_built(p, NULL))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (kernels && !room)
        return CL_INVALID_VALUE;
    if (kernels)
        kernels[0] = icd_clCreateKernel(p, CL_TULLE_KERNEL, &status);
    if (count)
        *count = 1;
    return status;
}

cl_int icd_clRetainKernel(cl_kernel k)
{
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    object_retain(k);
    return CL_SUCCESS;
}

cl_int icd_clReleaseKernel(cl_kernel k)
{
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!object_release(k))
        return CL_SUCCESS;
    atomic_fetch_sub(&k->program->kernels, 1);
    program_release(k->program);
    pthread_mutex_destroy(&k->lock);
    object_free(k);
    return CL_SUCCESS;
}

/* ---- arguments ------------------------------------------------------------------------------------ */

static size_t argument_bytes(cl_uint index)
{
    return index < CL_TULLE_FIRST_SIZE   ? sizeof(cl_mem)
           : index < CL_TULLE_JOB_NUMBER ? sizeof(cl_ulong)
                                         : sizeof(cl_uint);
}

static cl_int read_argument(cl_kernel k, cl_uint index, const void *from, struct kernel_argument *a)
{
    cl_uint number;
    *a = (struct kernel_argument){.set = true};
    if (index >= CL_TULLE_FIRST_SIZE && !from)
        return CL_INVALID_ARG_VALUE;
    if (index == CL_TULLE_JOB_NUMBER) {
        memcpy(&number, from, sizeof number);
        a->number = number;
    } else if (index >= CL_TULLE_FIRST_SIZE) {
        memcpy(&a->number, from, sizeof a->number);
        a->set = a->number != CL_TULLE_WHOLE;
    } else if (from) {
        memcpy(&a->buffer, from, sizeof(cl_mem));
    }
    if (a->buffer && (!object_is(a->buffer, OBJECT_MEMORY) || a->buffer->context != k->program->context))
        return CL_INVALID_MEM_OBJECT;
    return CL_SUCCESS;
}

cl_int icd_clSetKernelArg(cl_kernel k, cl_uint index, size_t bytes, const void *from)
{
    struct kernel_argument argument;
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= CL_TULLE_ARGUMENTS)
        return CL_INVALID_ARG_INDEX;
    if (bytes != argument_bytes(index))
        return CL_INVALID_ARG_SIZE;
    cl_int status = read_argument(k, index, from, &argument);
    if (status != CL_SUCCESS)
        return status;
    pthread_mutex_lock(&k->lock);
    k->argument[index] = argument;
    pthread_mutex_unlock(&k->lock);
    return CL_SUCCESS;
}

/* The arguments as they are now, held until the job has ended. */
static cl_int take_arguments(cl_kernel k, struct task *t)
{
    const struct kernel_argument *a = k->argument;
    cl_int status = CL_SUCCESS;
    pthread_mutex_lock(&k->lock);
    for (unsigned s = 0; s < ISA_SLOTS && status == CL_SUCCESS; s++) {
        const struct kernel_argument *size = &a[CL_TULLE_FIRST_SIZE + s];
        uint64_t whole = a[s].buffer ? a[s].buffer->size : 0;
        if (!a[s].set || (size->set && size->number > whole))
            status = CL_INVALID_KERNEL_ARGS;
        t->buffer[s] = a[s].buffer;
        t->size[s] = size->set ? size->number : whole;
    }
    t->numbered = a[CL_TULLE_JOB_NUMBER].set;
    t->number = (cl_uint)a[CL_TULLE_JOB_NUMBER].number;
    for (unsigned s = 0; s < ISA_SLOTS && status == CL_SUCCESS; s++)
        command_use(t->buffer[s]);
    pthread_mutex_unlock(&k->lock);
    return status;
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

static cl_int check_job(cl_command_queue queue, cl_kernel k, struct wait_list wait)
{
    cl_int status = command_check(queue, wait);
    if (status != CL_SUCCESS)
        return status;
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (k->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    return program_is_built(k->program, queue->device) ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

static cl_int enqueue_job(cl_command_queue queue, cl_kernel k, cl_command_type type, struct wait_list wait,
                          cl_event *event)
{
    struct task task = {.numbered = false};
    cl_event c = command_new(queue, type, run_task, wait);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int status = take_arguments(k, &task);
    if (status == CL_SUCCESS) {
        c->task = task;
        return command_submit(c, wait, false, event);
    }
    command_drop(c);
    return status;
}

cl_int icd_clEnqueueTask(cl_command_queue queue, cl_kernel k, cl_uint count, const cl_event *events,
                         cl_event *event)
{
    struct wait_list wait = {count, events};
    cl_int status = check_job(queue, k, wait);
    return status == CL_SUCCESS ? enqueue_job(queue, k, CL_COMMAND_TASK, wait, event) : status;
}

/* One work-item, whatever the dimensions. */
static cl_int check_range(cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local)
{
    if (dimensions < 1 || dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint i = 0; i < dimensions; i++) {
        if (global[i] != 1)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (offset && offset[i])
            return CL_INVALID_GLOBAL_OFFSET;
        if (local && local[i] != 1)
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

cl_int icd_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel k, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *events, cl_event *event)
{
    struct wait_list wait = {count, events};
    cl_int status = check_job(queue, k, wait);
    if (status == CL_SUCCESS)
        status = check_range(dimensions, offset, global, local);
    return status == CL_SUCCESS ? enqueue_job(queue, k, CL_COMMAND_NDRANGE_KERNEL, wait, event) : status;
}

/* ---- information ------------------------------------------------------------------------------------ */

cl_int icd_clGetKernelInfo(cl_kernel k, cl_kernel_info name, size_t room, void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        return info_text(info, CL_TULLE_KERNEL);
    case CL_KERNEL_NUM_ARGS:
        return info_uint(info, CL_TULLE_ARGUMENTS);
    case CL_KERNEL_REFERENCE_COUNT:
        return info_uint(info, atomic_load(&k->object.references));
    case CL_KERNEL_CONTEXT:
        return info_pointer(info, k->program->context);
    case CL_KERNEL_PROGRAM:
        return info_pointer(info, k->program);
    case CL_KERNEL_ATTRIBUTES:
        return info_text(info, "");
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int argument_name(cl_uint index, struct info info)
{
    char name[32] = "job";
    if (index < CL_TULLE_FIRST_SIZE)
        snprintf(name, sizeof name, "%s", slot_names[index]);
    else if (index < CL_TULLE_JOB_NUMBER)
        snprintf(name, sizeof name, "size_%s", slot_names[index - CL_TULLE_FIRST_SIZE]);
    return info_text(info, name);
}

cl_int icd_clGetKernelArgInfo(cl_kernel k, cl_uint index, cl_kernel_arg_info name, size_t room, void *to,
                              size_t *needed)
{
    struct info info = {room, to, needed};
    bool buffer = index < CL_TULLE_FIRST_SIZE;
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (index >= CL_TULLE_ARGUMENTS)
        return CL_INVALID_ARG_INDEX;
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return info_uint(info, buffer ? CL_KERNEL_ARG_ADDRESS_GLOBAL : CL_KERNEL_ARG_ADDRESS_PRIVATE);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return info_uint(info, CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_TYPE_NAME:
        return info_text(info, buffer ? "uchar*" : index < CL_TULLE_JOB_NUMBER ? "ulong" : "uint");
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return info_ulong(info, CL_KERNEL_ARG_TYPE_NONE);
    case CL_KERNEL_ARG_NAME:
        return argument_name(index, info);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_work_group_info name,
                                    size_t room, void *to, size_t *needed)
{
    struct info info = {room, to, needed};
    const size_t ones[] = {1, 1, 1}, zeros[] = {0, 0, 0};
    if (!object_is(k, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (device ? !program_has(k->program, device) : k->program->devices != 1)
        return CL_INVALID_DEVICE;
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return info_size(info, 1);
    case CL_KERNEL_GLOBAL_WORK_SIZE: /* only of a built-in kernel, says the standard */
        return program_is_built_in(k->program) ? info_bytes(info, ones, sizeof ones) : CL_INVALID_VALUE;
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: /* no source prescribes one */
        return info_bytes(info, zeros, sizeof zeros);
    case CL_KERNEL_LOCAL_MEM_SIZE:
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return info_ulong(info, 0);
    default:
        return CL_INVALID_VALUE;
    }
}
