/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader's table: every slot filled, and what is not there yet refuses in
 * the ways that a caller can see.
 */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "support.h"

#include <CL/cl_icd.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id platform(void)
{
    cl_platform_id platform;
    use_devices("model:tiny");
    ok(clGetPlatformIDs(1, &platform, NULL));
    return platform;
}

Test(dispatch, no_slot_is_empty)
{
    const cl_icd_dispatch *table = *(const cl_icd_dispatch *const *)platform();
    void *slot;
    for (size_t at = 0; at < sizeof *table; at += sizeof slot) {
        memcpy(&slot, (const char *)table + at, sizeof slot);
        cr_assert(slot, "slot %zu", at / sizeof slot);
    }
}

static void CL_CALLBACK native(void *arguments)
{
    cr_assert_fail("native kernels run on no device here: %p", arguments);
}

Test(dispatch, what_is_not_there_says_so)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    const cl_icd_dispatch *table = *(const cl_icd_dispatch *const *)rig.platform;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D};
    none(clCreateImage(rig.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &refusal), CL_INVALID_OPERATION);
    none(clCreateImage2D(rig.context, CL_MEM_READ_WRITE, &format, 4, 4, 0, NULL, &refusal),
         CL_INVALID_OPERATION);
    none(clCreateSampler(rig.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &refusal),
         CL_INVALID_OPERATION);
    cr_assert_null(clCreateImage(rig.context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL));
    is(clSetCommandQueueProperty(rig.queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL), CL_INVALID_OPERATION);
    is(clEnqueueNativeKernel(rig.queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_mem m = make_buffer(rig.context, 0, 8, NULL);
    cl_sampler no_sampler = (cl_sampler)m;
    is(clGetImageInfo(m, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    is(clRetainSampler(no_sampler), CL_INVALID_SAMPLER);
    is(clGetSamplerInfo(no_sampler, CL_SAMPLER_CONTEXT, 0, NULL, NULL), CL_INVALID_SAMPLER);
    is(clReleaseSampler(no_sampler), CL_INVALID_SAMPLER);
    ok(clReleaseMemObject(m));
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint parts = 0;
    is(clCreateSubDevices(rig.device[0], equally, 0, NULL, &parts), CL_INVALID_VALUE);
    is(clCreateSubDevices(rig.device[0], NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    is(clCreateSubDevices((cl_device_id)rig.context, equally, 0, NULL, &parts), CL_INVALID_DEVICE);
    is(((cl_int(*)(void))table->clGetDeviceIDsFromD3D10KHR)(), CL_INVALID_OPERATION);
    rig_close(&rig);
}

Test(dispatch, platform_and_extension_functions)
{
    char text[256];
    size_t needed = 0;
    cl_platform_id p = platform();
    static const cl_platform_info names[] = {CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION, CL_PLATFORM_NAME,
                                             CL_PLATFORM_VENDOR, CL_PLATFORM_EXTENSIONS};
    static const char *const words[] = {"EMBEDDED_PROFILE", "OpenCL 1.2 ", "Tulle", "Tulle", "cl_khr_icd"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ok(clGetPlatformInfo(p, names[i], sizeof text, text, &needed));
        cr_assert(strstr(text, words[i]), "%s", text);
        cr_assert_eq(needed, strlen(text) + 1);
        is(clGetPlatformInfo(p, names[i], needed - 1, text, NULL), CL_INVALID_VALUE);
        ok(clGetPlatformInfo(p, names[i], 0, NULL, NULL));
    }
    is(clGetPlatformInfo(p, 1, sizeof text, text, NULL), CL_INVALID_VALUE);
    cr_assert_null(clGetExtensionFunctionAddressForPlatform(p, "clNothing"));
    cr_assert(clGetExtensionFunctionAddressForPlatform(p, "clIcdGetPlatformIDsKHR"));
    ok(clUnloadPlatformCompiler(p));
}

/* ---- devices ----------------------------------------------------------------------------------- */

Test(devices, by_type)
{
    cl_device_id device[4];
    cl_uint count = 77;
    cl_platform_id p = platform();
    cr_assert_eq(setenv("TULLE_DEVICES", "model:tiny,model:base;memory=1M,model", 1), 0);
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    cr_assert_eq(count, 3);
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_ACCELERATOR, 2, device, &count));
    cr_assert_eq(count, 3);
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_DEFAULT, 4, device, &count));
    cr_assert_eq(count, 1);
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT, 4, device, &count));
    cr_assert_eq(count, 1);
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR, 4, device, &count));
    cr_assert_eq(count, 3);
    static const cl_device_type others[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CUSTOM,
                                            CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        is(clGetDeviceIDs(p, others[i], 4, device, &count), CL_DEVICE_NOT_FOUND);
        cr_assert_eq(count, 0);
    }
    is(clGetDeviceIDs(p, 0, 4, device, &count), CL_INVALID_DEVICE_TYPE);
    is(clGetDeviceIDs(p, (cl_device_type)1 << 40, 4, device, &count), CL_INVALID_DEVICE_TYPE);
    is(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, device, &count), CL_INVALID_VALUE);
    is(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clRetainDevice(device[0]));
    ok(clReleaseDevice(device[0]));
}

Test(devices, one_that_cannot_be_used_is_left_out)
{
    cl_device_id device[4];
    cl_uint count;
    char name[64];
    cl_platform_id p = platform();
    cr_assert_eq(setenv("TULLE_DEVICES",
                        "sim:/nowhere,model:nosuch,fpga:0,sim:/proc/self/"
                        "exe,sim:,model:tiny;memory=1,,model:tiny;memory=1G",
                        1),
                 0);
    ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 4, device, &count));
    cr_assert_eq(count, 1);
    ok(clGetDeviceInfo(device[0], CL_DEVICE_NAME, sizeof name, name, NULL));
    cr_assert_str_eq(name, "tulle model:tiny");
}

Test(devices, none_is_no_crash)
{
    cl_uint count;
    cl_int status;
    cl_platform_id p = platform();
    cr_assert_eq(setenv("TULLE_DEVICES", "", 1), 0);
    is(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, NULL, &count), CL_DEVICE_NOT_FOUND);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p, 0};
    cr_assert_null(clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &status));
    cr_assert_eq(status, CL_DEVICE_NOT_FOUND);
}

Test(devices, what_they_tell)
{
    struct rig rig;
    cl_ulong hash = 0, memory = 0;
    cl_uint shape[3] = {0}, units = 0, isa = 0;
    char text[64];
    size_t needed;
    rig_open(&rig, "model:tiny;memory=1M");
    cl_device_id d = rig.device[0];
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_VARIANT, sizeof text, text, &needed));
    cr_assert_str_eq(text, "tiny");
    cr_assert_eq(needed, 5);
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_HASH, sizeof hash, &hash, NULL));
    cr_assert_eq(hash, 0x3ea8bf0dce5a7bf0);
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_SHAPE, sizeof shape, shape, NULL));
    cr_assert(shape[0] == 2 && shape[1] == 2 && shape[2] == 2);
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_ISA_VERSION, sizeof isa, &isa, NULL));
    cr_assert_eq(isa, ISA_MAJOR << 8 | ISA_MINOR);
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_TRANSPORT, sizeof text, text, NULL));
    cr_assert_str_eq(text, "model");
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_VARIANT_FILE, 0, NULL, &needed));
    char *file = malloc(needed);
    ok(clGetDeviceInfo(d, CL_DEVICE_TULLE_VARIANT_FILE, needed, file, NULL));
    cr_assert(strlen(file) + 1 == needed && strstr(file, "name: tiny"), "%s", file);
    free(file);
    ok(clGetDeviceInfo(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    cr_assert_eq(units, 8);
    ok(clGetDeviceInfo(d, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    cr_assert_eq(memory, (1 << 20) - (64 << 10));
    is(clGetDeviceInfo(d, CL_DEVICE_NAME, 3, text, NULL), CL_INVALID_VALUE);
    is(clGetDeviceInfo(d, 0x9999, sizeof text, text, NULL), CL_INVALID_VALUE);
    is(clGetDeviceInfo((cl_device_id)rig.context, CL_DEVICE_NAME, sizeof text, text, NULL),
       CL_INVALID_DEVICE);
    for (cl_device_info name = CL_DEVICE_TYPE; name <= CL_DEVICE_PLATFORM; name++)
        is(clGetDeviceInfo(d, name, 0, NULL, &needed), CL_SUCCESS);
    rig_close(&rig);
}

/* Of a variant whose rows, clusters and PEs are three different numbers. */
Test(devices, their_shape_is_in_order)
{
    struct rig rig;
    cl_uint shape[3] = {0};
    rig_open(&rig, "model:odd");
    ok(clGetDeviceInfo(rig.device[0], CL_DEVICE_TULLE_SHAPE, sizeof shape, shape, NULL));
    cr_assert(shape[0] == 3 && shape[1] == 2 && shape[2] == 5, "%u x %u x %u", shape[0], shape[1], shape[2]);
    rig_close(&rig);
}
