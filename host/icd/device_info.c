/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers clGetDeviceInfo. Limits without a meaning for a device without a
 * compiler have the smallest value that the embedded profile allows.
 */
#include "gen/version.h"
#include "host/icd/entries.h"
#include "host/icd/objects.h"

static cl_int about_device(cl_device_id d, cl_device_info name, struct info info)
{
    switch (name) {
    case CL_DEVICE_NAME:
        return info_text(info, d->name);
    case CL_DEVICE_VENDOR:
        return info_text(info, "The Tulle project");
    case CL_DRIVER_VERSION:
        return info_text(info, TULLE_VERSION);
    case CL_DEVICE_PROFILE:
        return info_text(info, "EMBEDDED_PROFILE");
    case CL_DEVICE_VERSION:
        return info_text(info, "OpenCL 1.2 tulle");
    case CL_DEVICE_OPENCL_C_VERSION:
        return info_text(info, "OpenCL C 1.2");
    case CL_DEVICE_EXTENSIONS:
        return info_text(info, "");
    case CL_DEVICE_BUILT_IN_KERNELS:
        return info_text(info, CL_TULLE_KERNEL);
    case CL_DEVICE_PLATFORM:
        return info_pointer(info, &icd_platform);
    case CL_DEVICE_PARENT_DEVICE:
        return info_pointer(info, NULL);
    case CL_DEVICE_TYPE:
        return info_ulong(info, CL_DEVICE_TYPE_ACCELERATOR);
    default:
        return CL_INVALID_VALUE;
    }
}

/* All parameters, as a variant file. */
static cl_int about_variant(const struct variant *v, struct info info)
{
    struct strbuf text = {0};
    variant_write_yaml(v, &text);
    cl_int status = sb_ok(&text) ? info_text(info, sb_text(&text)) : CL_OUT_OF_HOST_MEMORY;
    sb_free(&text);
    return status;
}

static cl_int about_tulle(cl_device_id d, cl_device_info name, struct info info)
{
    const struct variant *v = &d->candidate->variant;
    const cl_uint shape[] = {v->n, v->m, v->k};
    switch (name) {
    case CL_DEVICE_TULLE_VARIANT:
        return info_text(info, v->name);
    case CL_DEVICE_TULLE_HASH:
        return info_ulong(info, d->candidate->hash);
    case CL_DEVICE_TULLE_ISA_VERSION:
        return info_uint(info, ISA_MAJOR << 8 | ISA_MINOR);
    case CL_DEVICE_TULLE_SHAPE:
        return info_bytes(info, shape, sizeof shape);
    case CL_DEVICE_TULLE_VARIANT_FILE:
        return about_variant(v, info);
    case CL_DEVICE_TULLE_TRANSPORT:
        return info_text(info, d->candidate->api->kind);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int of_long(cl_device_id d, cl_device_info name, struct info info)
{
    switch (name) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return info_ulong(info, space_most(d->candidate->memory));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return info_ulong(info, 1024);
    case CL_DEVICE_QUEUE_PROPERTIES:
        return info_ulong(info, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        return info_ulong(info, CL_EXEC_KERNEL);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return info_ulong(info, CL_FP_ROUND_TO_ZERO);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return info_ulong(info, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int of_size(cl_device_info name, struct info info)
{
    const size_t ones[] = {1, 1, 1};
    switch (name) {
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return info_bytes(info, ones, sizeof ones);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        return info_size(info, 1);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
        return info_size(info, 1024);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        return info_size(info, 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return info_size(info, 0);
    case CL_DEVICE_PARTITION_TYPE:
        return info_bytes(info, NULL, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int of_flag(cl_device_id d, cl_device_info name, struct info info)
{
    switch (name) {
    case CL_DEVICE_AVAILABLE:
        return info_uint(info, device_available(d));
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
        return info_uint(info, CL_TRUE);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return info_uint(info, CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int of_count(cl_device_id d, cl_device_info name, struct info info)
{
    const struct variant *v = &d->candidate->variant;
    switch (name) {
    case CL_DEVICE_VENDOR_ID:
        return info_uint(info, 0x5455);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return info_uint(info, v->n * v->m * v->k);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return info_uint(info, 3);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return info_uint(info, 8 * MEMORY_ALIGNMENT);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
        return info_uint(info, MEMORY_ALIGNMENT);
    case CL_DEVICE_ADDRESS_BITS:
        return info_uint(info, 64);
    case CL_DEVICE_MAX_CONSTANT_ARGS:
        return info_uint(info, 4);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        return info_uint(info, CL_NONE);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return info_uint(info, CL_GLOBAL);
    case CL_DEVICE_REFERENCE_COUNT:
        return info_uint(info, 1);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: /* of a simulation: none */
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
    case CL_DEVICE_MAX_SAMPLERS:
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        return info_uint(info, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Vectors are what no kernel here has. */
static cl_int of_vectors(cl_device_info name, struct info info)
{
    bool preferred =
        name >= CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE;
    bool native = name >= CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF;
    if (!preferred && !native && name != CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF)
        return CL_INVALID_VALUE;
    bool none = name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE ||
                name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF ||
                name == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE || name == CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF;
    return info_uint(info, none ? 0 : 1);
}

/* A name is one table's; which one, only its answer tells: nothing but "not mine" asks the next. */
cl_int icd_clGetDeviceInfo(cl_device_id d, cl_device_info name, size_t room, void *to, size_t *needed)
{
    struct info probe = {0}, info = {room, to, needed};
    if (!device_is(d))
        return CL_INVALID_DEVICE;
    if (about_device(d, name, probe) == CL_SUCCESS)
        return about_device(d, name, info);
    if (about_tulle(d, name, probe) == CL_SUCCESS)
        return about_tulle(d, name, info);
    if (of_long(d, name, probe) == CL_SUCCESS)
        return of_long(d, name, info);
    if (of_size(name, probe) == CL_SUCCESS)
        return of_size(name, info);
    if (of_flag(d, name, probe) == CL_SUCCESS)
        return of_flag(d, name, info);
    if (of_count(d, name, probe) == CL_SUCCESS)
        return of_count(d, name, info);
    return of_vectors(name, info);
}
