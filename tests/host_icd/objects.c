/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts, queues and kernels: what they tell of themselves, and what is
 * refused.
 */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#include "support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- contexts ---------------------------------------------------------------------------------- */

static void no_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                       cl_int wanted)
{
    none(clCreateContext(properties, count, devices, NULL, NULL, &refusal), wanted);
    cr_assert_null(clCreateContext(properties, count, devices, NULL, NULL, NULL));
}

static void no_context_of_type(const cl_context_properties *properties, cl_device_type type, cl_int wanted)
{
    none(clCreateContextFromType(properties, type, NULL, NULL, &refusal), wanted);
}

Test(contexts, bad_arguments)
{
    struct rig rig;
    rig_open(&rig, "model:tiny,model:base");
    const cl_context_properties unknown[] = {0x7777, 1, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)rig.platform,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)rig.platform, 0};
    const cl_context_properties synchronised[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE,
                                                  CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
    const cl_context_properties right[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)rig.platform, 0};
    const cl_context_properties maybe[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0};
    const cl_context_properties elsewhere[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)rig.context, 0};
    const cl_context_properties never[] = {CL_CONTEXT_TULLE_TIMEOUT_MS, 0, 0};
    const cl_context_properties before[] = {CL_CONTEXT_TULLE_TIMEOUT_MS, -5, 0};
    cl_device_id wrong[] = {rig.device[0], (cl_device_id)rig.context};
    cl_int status;
    no_context(unknown, 1, rig.device, CL_INVALID_PROPERTY);
    no_context(twice, 1, rig.device, CL_INVALID_PROPERTY);
    no_context(synchronised, 1, rig.device, CL_INVALID_PROPERTY);
    no_context(maybe, 1, rig.device, CL_INVALID_PROPERTY);
    no_context(elsewhere, 1, rig.device, CL_INVALID_PLATFORM);
    no_context(never, 1, rig.device, CL_INVALID_PROPERTY);
    no_context(before, 1, rig.device, CL_INVALID_PROPERTY);
    no_context(NULL, 0, rig.device, CL_INVALID_VALUE);
    no_context(NULL, 1, NULL, CL_INVALID_VALUE);
    no_context(NULL, 2, wrong, CL_INVALID_DEVICE);
    none(clCreateContext(NULL, 1, rig.device, NULL, &rig, &refusal),
         CL_INVALID_VALUE); /* user data without a callback */
    no_context_of_type(twice, CL_DEVICE_TYPE_ALL, CL_INVALID_PROPERTY);
    no_context_of_type(elsewhere, CL_DEVICE_TYPE_ALL, CL_INVALID_PLATFORM);
    no_context_of_type(right, CL_DEVICE_TYPE_GPU, CL_DEVICE_NOT_FOUND);
    no_context_of_type(right, 0, CL_INVALID_DEVICE_TYPE);
    none(clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, &rig, &refusal),
         CL_INVALID_VALUE); /* user data without a callback */
    cl_context synchronising = clCreateContextFromType(right, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &status);
    ok(status);
    ok(clReleaseContext(synchronising));
    is(clReleaseContext((cl_context)rig.queue), CL_INVALID_CONTEXT);
    is(clRetainContext(NULL), CL_INVALID_CONTEXT);
    rig_close(&rig);
}

Test(contexts, what_they_tell)
{
    struct rig rig;
    cl_uint count = 0;
    cl_int status;
    size_t needed = 99;
    cl_device_id device[4];
    rig_open(&rig, "model:tiny,model:base");
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)rig.platform,
                                                CL_CONTEXT_TULLE_TIMEOUT_MS, 1000, 0};
    cl_context_properties told[5];
    cl_device_id same[] = {rig.device[1], rig.device[1]};
    cl_context c = clCreateContext(properties, 2, same, NULL, NULL, &status);
    ok(status);
    ok(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof told, told, &needed));
    cr_assert(needed == sizeof properties && !memcmp(told, properties, needed));
    ok(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    cr_assert_eq(count, 1, "one device, named twice");
    ok(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof device, device, &needed));
    cr_assert(needed == sizeof *device && device[0] == rig.device[1]);
    ok(clRetainContext(c));
    ok(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    cr_assert_eq(count, 2);
    ok(clReleaseContext(c));
    ok(clGetContextInfo(rig.context, CL_CONTEXT_PROPERTIES, sizeof told, told, &needed));
    cr_assert_eq(needed, 0);
    is(clGetContextInfo(c, 0x7777, sizeof count, &count, NULL), CL_INVALID_VALUE);
    ok(clReleaseContext(c));
    rig_close(&rig);
}

/* ---- queues ------------------------------------------------------------------------------------ */

static void no_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                     cl_int wanted)
{
    none(clCreateCommandQueue(context, device, properties, &refusal), wanted);
    cr_assert_null(clCreateCommandQueue(context, device, properties, NULL));
}

Test(queues, creation_and_information)
{
    struct rig rig;
    cl_command_queue_properties properties = 0;
    cl_context context;
    cl_device_id device;
    rig_open(&rig, "model:tiny,model:base");
    cl_context other = make_context(rig.device[0]);
    no_queue(other, rig.device[1], 0, CL_INVALID_DEVICE);
    no_queue(NULL, rig.device[1], 0, CL_INVALID_CONTEXT);
    no_queue(other, rig.device[0], 1 << 20, CL_INVALID_VALUE);
    ok(clGetCommandQueueInfo(rig.queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    cr_assert_eq(properties, CL_QUEUE_PROFILING_ENABLE);
    ok(clGetCommandQueueInfo(rig.queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    ok(clGetCommandQueueInfo(rig.queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    cr_assert(context == rig.context && device == rig.device[0]);
    is(clGetCommandQueueInfo(rig.queue, 0x7777, sizeof device, &device, NULL), CL_INVALID_VALUE);
    is(clFinish((cl_command_queue)rig.context), CL_INVALID_COMMAND_QUEUE);
    is(clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
    ok(clFlush(rig.queue));
    ok(clReleaseContext(other));
    rig_close(&rig);
}

Test(queues, a_released_queue_does_what_it_was_given)
{
    struct rig rig;
    cl_event event;
    rig_open(&rig, "model:tiny");
    cl_command_queue queue = make_queue(rig.context, rig.device[0], 0);
    cl_event gate = make_gate(rig.context);
    ok(clEnqueueMarkerWithWaitList(queue, 1, &gate, &event));
    ok(clReleaseCommandQueue(queue));
    cr_assert(event_status(event) > CL_COMPLETE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &event));
    ok(clReleaseEvent(event));
    ok(clReleaseEvent(gate));
    rig_close(&rig);
}

/* ---- kernels -------------------------------------------------------------------------------------- */

Test(kernels, names_of_arguments)
{
    struct rig rig;
    char name[64], type[64];
    cl_uint count = 0;
    rig_open(&rig, "model:tiny");
    ok(clGetKernelInfo(rig.kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    cr_assert_eq(count, CL_TULLE_ARGUMENTS);
    ok(clGetKernelInfo(rig.kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    cr_assert_str_eq(name, "tulle_run");
    static const struct {
        cl_uint index;
        const char *name, *type;
    } some[] = {{0, "program", "uchar*"}, {1, "status", "uchar*"},      {4, "output", "uchar*"},
                {7, "extra", "uchar*"},   {8, "size_program", "ulong"}, {15, "size_extra", "ulong"},
                {16, "job", "uint"}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        ok(clGetKernelArgInfo(rig.kernel, some[i].index, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
        ok(clGetKernelArgInfo(rig.kernel, some[i].index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
        cr_assert_str_eq(name, some[i].name);
        cr_assert_str_eq(type, some[i].type);
    }
    is(clGetKernelArgInfo(rig.kernel, 17, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), CL_INVALID_ARG_INDEX);
    size_t group = 0;
    ok(clGetKernelWorkGroupInfo(rig.kernel, rig.device[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group,
                                NULL));
    cr_assert_eq(group, 1);
    size_t prescribed[3] = {9, 9, 9};
    ok(clGetKernelWorkGroupInfo(rig.kernel, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof prescribed,
                                prescribed, NULL));
    cr_assert(!prescribed[0] && !prescribed[1] && !prescribed[2], "no source prescribes one");
    rig_close(&rig);
}

Test(kernels, bad_arguments)
{
    struct rig rig;
    cl_int status;
    cl_ulong number = 8;
    const size_t two = 2, one[3] = {1, 1, 1};
    rig_open(&rig, "model:tiny,model:base");
    cl_context other = make_context(rig.device[0]);
    cl_mem foreign = make_buffer(other, 0, 8, NULL), own = make_buffer(rig.context, 0, 8, NULL);
    cl_kernel k = rig.kernel;
    is(clSetKernelArg(k, 17, sizeof number, &number), CL_INVALID_ARG_INDEX);
    is(clSetKernelArg(k, 0, 4, &own), CL_INVALID_ARG_SIZE);
    is(clSetKernelArg(k, 8, 4, &number), CL_INVALID_ARG_SIZE);
    is(clSetKernelArg(k, 16, 8, &number), CL_INVALID_ARG_SIZE);
    is(clSetKernelArg(k, 8, 8, NULL), CL_INVALID_ARG_VALUE);
    is(clSetKernelArg(k, 0, sizeof foreign, &foreign), CL_INVALID_MEM_OBJECT);
    is(clSetKernelArg(k, 0, sizeof foreign, &rig.queue), CL_INVALID_MEM_OBJECT);
    is(clSetKernelArg(NULL, 0, sizeof own, &own), CL_INVALID_KERNEL);
    is(clEnqueueTask(rig.queue, k, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    for (cl_uint s = 0; s < ISA_SLOTS; s++)
        ok(clSetKernelArg(k, s, sizeof own, &own));
    number = 9;
    ok(clSetKernelArg(k, 12, sizeof number, &number));
    is(clEnqueueTask(rig.queue, k, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    number = 8;
    ok(clSetKernelArg(k, 12, sizeof number, &number));
    is(clEnqueueNDRangeKernel(rig.queue, k, 1, NULL, &two, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    is(clEnqueueNDRangeKernel(rig.queue, k, 1, one, one, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
    is(clEnqueueNDRangeKernel(rig.queue, k, 1, NULL, one, &two, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    is(clEnqueueNDRangeKernel(rig.queue, k, 4, NULL, one, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    is(clEnqueueNDRangeKernel(rig.queue, k, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    ok(clEnqueueNDRangeKernel(rig.queue, k, 3, NULL, one, one, 0, NULL, NULL));
    is(clEnqueueTask(NULL, k, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    is(clEnqueueTask(rig.queue, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    cl_command_queue elsewhere = make_queue(other, rig.device[0], 0);
    is(clEnqueueTask(elsewhere, k, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_program p = clCreateProgramWithBuiltInKernels(rig.context, 1, &rig.device[1], "tulle_run", &status);
    cl_kernel not_here = clCreateKernel(p, "tulle_run", &status);
    is(clEnqueueTask(rig.queue, not_here, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    none(clCreateKernel(p, "other", &refusal), CL_INVALID_KERNEL_NAME);
    cr_assert_null(clCreateKernel(p, NULL, NULL));
    none(clCreateKernel(NULL, "tulle_run", &refusal), CL_INVALID_PROGRAM);
    cl_kernel all[2];
    cl_uint count = 0;
    ok(clCreateKernelsInProgram(p, 2, all, &count));
    cr_assert_eq(count, 1);
    ok(clReleaseKernel(all[0]));
    ok(clReleaseKernel(not_here));
    ok(clReleaseProgram(p));
    ok(clReleaseCommandQueue(elsewhere));
    ok(clFinish(rig.queue));
    ok(clReleaseMemObject(foreign));
    ok(clReleaseMemObject(own));
    ok(clReleaseContext(other));
    rig_close(&rig);
}

static void CL_CALLBACK count_it(cl_mem m, void *count)
{
    (void)m;
    ++*(unsigned *)count;
}

/* Kernels do not hold their arguments, and a buffer may be none in two ways. */
Test(kernels, buffers_as_arguments)
{
    struct rig rig;
    unsigned gone = 0;
    const cl_mem nothing = NULL;
    rig_open(&rig, "model:tiny");
    cl_mem m = make_buffer(rig.context, 0, 8, NULL);
    ok(clSetMemObjectDestructorCallback(m, count_it, &gone));
    ok(clSetKernelArg(rig.kernel, 0, sizeof m, &m));
    ok(clReleaseMemObject(m));
    cr_assert_eq(gone, 1);
    ok(clSetKernelArg(rig.kernel, 0, sizeof nothing, &nothing));
    ok(clSetKernelArg(rig.kernel, 1, sizeof nothing, NULL));
    rig_close(&rig);
}
