/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of all queries: each name of OpenCL 1.2 with the type that the
 * specification gives it, room for it that is missing, short, right and long,
 * and no other name; of devices with its least value in the embedded profile.
 */
#include "support.h"

#include <CL/cl_ext.h>
#include <criterion/criterion.h>
#include <string.h>

enum type { UINT, ULONG, SIZE, BOOL, HANDLE, SIZES, LIST, TEXT };

struct row {
    cl_device_info name;
    enum type type;
    cl_ulong least;
};

static const struct row rows[] = {
    {CL_DEVICE_TYPE, ULONG, 1},
    {CL_DEVICE_VENDOR_ID, UINT, 0},
    {CL_DEVICE_MAX_COMPUTE_UNITS, UINT, 1},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, UINT, 3},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, SIZES, 1},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, SIZE, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, UINT, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, UINT, 0},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, UINT, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, UINT, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, UINT, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, UINT, 0},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, UINT, 0},
    {CL_DEVICE_ADDRESS_BITS, UINT, 32},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, ULONG, 1 << 20},
    {CL_DEVICE_IMAGE_SUPPORT, BOOL, 0},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, UINT, 0},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, UINT, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, SIZE, 0},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, SIZE, 0},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, SIZE, 0},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, SIZE, 0},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, SIZE, 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, SIZE, 0},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, SIZE, 0},
    {CL_DEVICE_MAX_SAMPLERS, UINT, 0},
    {CL_DEVICE_MAX_PARAMETER_SIZE, SIZE, 256},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, UINT, 1024},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, UINT, 128},
    {CL_DEVICE_SINGLE_FP_CONFIG, ULONG, CL_FP_ROUND_TO_NEAREST},
    {CL_DEVICE_DOUBLE_FP_CONFIG, ULONG, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, UINT, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, UINT, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, ULONG, 0},
    {CL_DEVICE_GLOBAL_MEM_SIZE, ULONG, 1 << 20},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, ULONG, 1024},
    {CL_DEVICE_MAX_CONSTANT_ARGS, UINT, 4},
    {CL_DEVICE_LOCAL_MEM_TYPE, UINT, CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, ULONG, 1024},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, BOOL, 0},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, BOOL, 0},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, SIZE, 1},
    {CL_DEVICE_ENDIAN_LITTLE, BOOL, 0},
    {CL_DEVICE_AVAILABLE, BOOL, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, BOOL, 0},
    {CL_DEVICE_LINKER_AVAILABLE, BOOL, 0},
    {CL_DEVICE_EXECUTION_CAPABILITIES, ULONG, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_PROPERTIES, ULONG, CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_BUILT_IN_KERNELS, TEXT, 0},
    {CL_DEVICE_PLATFORM, HANDLE, 1},
    {CL_DEVICE_NAME, TEXT, 1},
    {CL_DEVICE_VENDOR, TEXT, 1},
    {CL_DRIVER_VERSION, TEXT, 1},
    {CL_DEVICE_PROFILE, TEXT, 1},
    {CL_DEVICE_VERSION, TEXT, 1},
    {CL_DEVICE_OPENCL_C_VERSION, TEXT, 1},
    {CL_DEVICE_EXTENSIONS, TEXT, 0},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, SIZE, 1024},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, BOOL, 0},
    {CL_DEVICE_PARENT_DEVICE, HANDLE, 0},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, UINT, 0},
    {CL_DEVICE_PARTITION_PROPERTIES, LIST, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, ULONG, 0},
    {CL_DEVICE_PARTITION_TYPE, LIST, 0},
    {CL_DEVICE_REFERENCE_COUNT, UINT, 1},
};

#define ROOM 512
#define GUARD 0xA5

/* Bytes of a type; 0: they vary. */
static size_t bytes_of(enum type type)
{
    switch (type) {
    case UINT:
        return sizeof(cl_uint);
    case BOOL:
        return sizeof(cl_bool);
    case ULONG:
        return sizeof(cl_ulong);
    case SIZE:
        return sizeof(size_t);
    case SIZES:
        return 3 * sizeof(size_t);
    case HANDLE:
        return sizeof(void *);
    default:
        return 0;
    }
}

/* What is wrong with an answer, or NULL. */
static const char *wrong_value(const struct row *row, const unsigned char *got, size_t bytes)
{
    cl_ulong number = 0;
    if (bytes_of(row->type) && bytes != bytes_of(row->type))
        return "it has another size";
    if (row->type == LIST)
        return bytes % sizeof(cl_device_partition_property) ? "it is no list" : NULL;
    if (row->type == TEXT && (!bytes || strlen((const char *)got) + 1 != bytes))
        return "the text has another length";
    if (row->type == TEXT)
        number = bytes - 1;
    else
        memcpy(&number, got, bytes < sizeof number ? bytes : sizeof number);
    return number < row->least                     ? "it is below the least"
           : row->type == BOOL && number > CL_TRUE ? "it is neither true nor false"
                                                   : NULL;
}

/* Room that is too short changes nothing; what is behind the answer stays as it was. */
static const char *wrong_answer(cl_device_id device, const struct row *row)
{
    unsigned char got[ROOM];
    size_t needed = ROOM, again = ROOM;
    memset(got, GUARD, sizeof got);
    if (clGetDeviceInfo(device, row->name, 0, NULL, &needed) != CL_SUCCESS || needed >= ROOM)
        return "it does not tell its size";
    if (needed && clGetDeviceInfo(device, row->name, needed - 1, got, NULL) != CL_INVALID_VALUE)
        return "it does with less room";
    if (got[0] != GUARD)
        return "it is written without room";
    if (clGetDeviceInfo(device, row->name, needed, got, &again) != CL_SUCCESS || again != needed)
        return "it has not the size that it told";
    if (clGetDeviceInfo(device, row->name, ROOM, got, NULL) != CL_SUCCESS)
        return "it does not take more room";
    return got[needed] == GUARD ? wrong_value(row, got, needed) : "it is written beyond its end";
}

/* All names of devices, contexts, queues, memory, programs, kernels, events and profiling. */
#define NAMES_FIRST 0x1000
#define NAMES_LAST 0x12FF

static bool is_row(cl_device_info name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].name == name)
            return true;
    return false;
}

Test(answers, of_devices)
{
    struct rig rig;
    cl_uint byte = 0;
    rig_open(&rig, "model:tiny,model:odd;memory=64M");
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const char *wrong = wrong_answer(rig.device[i % 2], &rows[i / 2]);
        cr_assert_null(wrong, "0x%x: %s", rows[i / 2].name, wrong);
    }
    for (cl_device_info name = NAMES_FIRST; name <= NAMES_LAST; name++)
        cr_assert_eq(clGetDeviceInfo(rig.device[0], name, 0, NULL, NULL),
                     is_row(name) ? CL_SUCCESS : CL_INVALID_VALUE, "0x%x", name);
    is(clGetDeviceInfo(rig.device[0], CL_DEVICE_VENDOR_ID, sizeof byte - 1, &byte, NULL), CL_INVALID_VALUE);
    is(clGetDeviceInfo((cl_device_id)rig.context, CL_DEVICE_TYPE, 0, NULL, NULL), CL_INVALID_DEVICE);
    rig_close(&rig);
}

/* The forms that the specification prescribes for texts. */
static bool begins(cl_device_id device, cl_device_info name, const char *wanted)
{
    char text[ROOM];
    return clGetDeviceInfo(device, name, sizeof text, text, NULL) == CL_SUCCESS &&
           !strncmp(text, wanted, strlen(wanted));
}

static bool platform_begins(cl_platform_id platform, cl_platform_info name, const char *wanted)
{
    char text[ROOM];
    size_t needed = 0;
    return clGetPlatformInfo(platform, name, 0, NULL, &needed) == CL_SUCCESS &&
           clGetPlatformInfo(platform, name, needed - 1, text, NULL) == CL_INVALID_VALUE &&
           clGetPlatformInfo(platform, name, needed, text, NULL) == CL_SUCCESS &&
           strlen(text) + 1 == needed && !strncmp(text, wanted, strlen(wanted));
}

Test(answers, have_their_form)
{
    struct rig rig;
    cl_ulong whole = 0, once = 0, type = 0;
    rig_open(&rig, "model:tiny");
    cl_device_id d = rig.device[0];
    cr_assert(begins(d, CL_DEVICE_VERSION, "OpenCL 1.2 "));
    cr_assert(begins(d, CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2"));
    cr_assert(begins(d, CL_DEVICE_PROFILE, "EMBEDDED_PROFILE"));
    cr_assert(platform_begins(rig.platform, CL_PLATFORM_VERSION, "OpenCL 1.2 "));
    cr_assert(platform_begins(rig.platform, CL_PLATFORM_PROFILE, "EMBEDDED_PROFILE"));
    cr_assert(platform_begins(rig.platform, CL_PLATFORM_EXTENSIONS, "cl_khr_icd"));
    cr_assert(platform_begins(rig.platform, CL_PLATFORM_ICD_SUFFIX_KHR, "TULLE"));
    for (cl_platform_info name = 0x800; name <= 0xAFF; name++) {
        bool known = (name >= CL_PLATFORM_PROFILE && name <= CL_PLATFORM_EXTENSIONS) ||
                     name == CL_PLATFORM_ICD_SUFFIX_KHR;
        cr_assert_eq(clGetPlatformInfo(rig.platform, name, 0, NULL, NULL),
                     known ? CL_SUCCESS : CL_INVALID_VALUE, "0x%x", name);
    }
    ok(clGetDeviceInfo(d, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof whole, &whole, NULL));
    ok(clGetDeviceInfo(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof once, &once, NULL));
    cr_assert(once >= whole / 4 && once <= whole);
    cr_assert(once >= 1 << 20, "the least of any profile");
    ok(clGetDeviceInfo(d, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    cr_assert_eq(type & ~(cl_ulong)CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_ACCELERATOR);
    rig_close(&rig);
}

/* ---- of the other objects ---------------------------------------------------------------------------- */

typedef cl_int (*query)(void *object, cl_uint name, size_t room, void *to, size_t *needed);

/* What is wrong with an answer of `bytes`, or NULL: the size told, room for a byte less, room that is right.
 */
static const char *wrong_size(query ask, void *object, cl_uint name, size_t bytes)
{
    unsigned char got[ROOM];
    size_t needed = ROOM;
    memset(got, GUARD, sizeof got);
    if (ask(object, name, 0, NULL, &needed) != CL_SUCCESS || needed != bytes)
        return "it has another size";
    if (bytes && (ask(object, name, bytes - 1, got, NULL) != CL_INVALID_VALUE || got[0] != GUARD))
        return "it does with less room";
    if (ask(object, name, ROOM, got, NULL) != CL_SUCCESS || got[bytes] != GUARD)
        return "it does not stay within its size";
    return NULL;
}

/* Queries that want more than the object and the name. */
static cl_device_id asked_device;

static cl_int build_info(void *p, cl_uint name, size_t room, void *to, size_t *needed)
{
    return clGetProgramBuildInfo(p, asked_device, name, room, to, needed);
}

static cl_int group_info(void *k, cl_uint name, size_t room, void *to, size_t *needed)
{
    return clGetKernelWorkGroupInfo(k, asked_device, name, room, to, needed);
}

static cl_int argument_info(void *k, cl_uint name, size_t room, void *to, size_t *needed)
{
    return clGetKernelArgInfo(k, 0, name, room, to, needed);
}

struct question {
    query ask;
    void *object;
    cl_uint name;
    size_t bytes;
};

static bool is_asked(const struct question *all, size_t count, const struct question *like, cl_uint name)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].ask == like->ask && all[i].object == like->object && all[i].name == name)
            return true;
    return false;
}

/* What is not among the questions has no answer. */
static void nothing_else(const struct question *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (cl_uint name = NAMES_FIRST; name <= NAMES_LAST; name++) {
            bool asked = is_asked(all, count, &all[i], name);
            cl_int status = all[i].ask(all[i].object, name, 0, NULL, NULL);
            cr_assert_eq(status, asked ? CL_SUCCESS : CL_INVALID_VALUE, "0x%x beside 0x%x: %d", name,
                         all[i].name, status);
        }
}

Test(answers, of_the_other_objects)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    asked_device = rig.device[0];
    cl_mem m = make_buffer(rig.context, 0, 8, NULL);
    cl_event event = make_gate(rig.context), ended = make_marker(rig.queue, 0, NULL);
    ok(clWaitForEvents(1, &ended));
    const struct question asked[] = {
        {(query)clGetContextInfo, rig.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(cl_uint)},
        {(query)clGetContextInfo, rig.context, CL_CONTEXT_NUM_DEVICES, sizeof(cl_uint)},
        {(query)clGetContextInfo, rig.context, CL_CONTEXT_DEVICES, sizeof(cl_device_id)},
        {(query)clGetContextInfo, rig.context, CL_CONTEXT_PROPERTIES, 0},
        {(query)clGetCommandQueueInfo, rig.queue, CL_QUEUE_CONTEXT, sizeof(cl_context)},
        {(query)clGetCommandQueueInfo, rig.queue, CL_QUEUE_DEVICE, sizeof(cl_device_id)},
        {(query)clGetCommandQueueInfo, rig.queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint)},
        {(query)clGetCommandQueueInfo, rig.queue, CL_QUEUE_PROPERTIES, sizeof(cl_command_queue_properties)},
        {(query)clGetMemObjectInfo, m, CL_MEM_TYPE, sizeof(cl_mem_object_type)},
        {(query)clGetMemObjectInfo, m, CL_MEM_FLAGS, sizeof(cl_mem_flags)},
        {(query)clGetMemObjectInfo, m, CL_MEM_SIZE, sizeof(size_t)},
        {(query)clGetMemObjectInfo, m, CL_MEM_HOST_PTR, sizeof(void *)},
        {(query)clGetMemObjectInfo, m, CL_MEM_MAP_COUNT, sizeof(cl_uint)},
        {(query)clGetMemObjectInfo, m, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint)},
        {(query)clGetMemObjectInfo, m, CL_MEM_CONTEXT, sizeof(cl_context)},
        {(query)clGetMemObjectInfo, m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem)},
        {(query)clGetMemObjectInfo, m, CL_MEM_OFFSET, sizeof(size_t)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_REFERENCE_COUNT, sizeof(cl_uint)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_CONTEXT, sizeof(cl_context)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_NUM_DEVICES, sizeof(cl_uint)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_DEVICES, sizeof(cl_device_id)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_BINARY_SIZES, sizeof(size_t)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_BINARIES, sizeof(unsigned char *)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_SOURCE, 1},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_NUM_KERNELS, sizeof(size_t)},
        {(query)clGetProgramInfo, rig.program, CL_PROGRAM_KERNEL_NAMES, sizeof CL_TULLE_KERNEL},
        {(query)clGetKernelInfo, rig.kernel, CL_KERNEL_FUNCTION_NAME, sizeof CL_TULLE_KERNEL},
        {(query)clGetKernelInfo, rig.kernel, CL_KERNEL_NUM_ARGS, sizeof(cl_uint)},
        {(query)clGetKernelInfo, rig.kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(cl_uint)},
        {(query)clGetKernelInfo, rig.kernel, CL_KERNEL_CONTEXT, sizeof(cl_context)},
        {(query)clGetKernelInfo, rig.kernel, CL_KERNEL_PROGRAM, sizeof(cl_program)},
        {(query)clGetKernelInfo, rig.kernel, CL_KERNEL_ATTRIBUTES, 1},
        {build_info, rig.program, CL_PROGRAM_BUILD_STATUS, sizeof(cl_build_status)},
        {build_info, rig.program, CL_PROGRAM_BUILD_OPTIONS, 1},
        {build_info, rig.program, CL_PROGRAM_BUILD_LOG, 1},
        {build_info, rig.program, CL_PROGRAM_BINARY_TYPE, sizeof(cl_program_binary_type)},
        {argument_info, rig.kernel, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(cl_kernel_arg_address_qualifier)},
        {argument_info, rig.kernel, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(cl_kernel_arg_access_qualifier)},
        {argument_info, rig.kernel, CL_KERNEL_ARG_TYPE_NAME, sizeof "uchar*"},
        {argument_info, rig.kernel, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(cl_kernel_arg_type_qualifier)},
        {argument_info, rig.kernel, CL_KERNEL_ARG_NAME, sizeof "program"},
        {group_info, rig.kernel, CL_KERNEL_WORK_GROUP_SIZE, sizeof(size_t)},
        {group_info, rig.kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 3 * sizeof(size_t)},
        {group_info, rig.kernel, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(cl_ulong)},
        {group_info, rig.kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t)},
        {group_info, rig.kernel, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(cl_ulong)},
        {group_info, rig.kernel, CL_KERNEL_GLOBAL_WORK_SIZE, 3 * sizeof(size_t)},
        {(query)clGetEventProfilingInfo, ended, CL_PROFILING_COMMAND_QUEUED, sizeof(cl_ulong)},
        {(query)clGetEventProfilingInfo, ended, CL_PROFILING_COMMAND_SUBMIT, sizeof(cl_ulong)},
        {(query)clGetEventProfilingInfo, ended, CL_PROFILING_COMMAND_START, sizeof(cl_ulong)},
        {(query)clGetEventProfilingInfo, ended, CL_PROFILING_COMMAND_END, sizeof(cl_ulong)},
        {(query)clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue)},
        {(query)clGetEventInfo, event, CL_EVENT_CONTEXT, sizeof(cl_context)},
        {(query)clGetEventInfo, event, CL_EVENT_COMMAND_TYPE, sizeof(cl_command_type)},
        {(query)clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(cl_int)},
        {(query)clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT, sizeof(cl_uint)},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *wrong = wrong_size(asked[i].ask, asked[i].object, asked[i].name, asked[i].bytes);
        cr_assert_null(wrong, "0x%x: %s", asked[i].name, wrong);
    }
    nothing_else(asked, sizeof asked / sizeof *asked);
    ok(clReleaseEvent(ended));
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}
