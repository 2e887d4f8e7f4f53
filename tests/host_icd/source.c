/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs from source, for which there is no compiler, and images, of which
 * there is no format: programs that ask get the answers of the specification.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "support.h"

static const char *const lines[] = {"kernel void k() {}", "// and no more", "rest"};

static cl_program from_source(struct rig *rig)
{
    cl_int status;
    cl_program p = clCreateProgramWithSource(rig->context, 1, (const char **)lines, NULL, &status);
    ok(status);
    return p;
}

static void source_is(cl_program p, const char *wanted)
{
    char text[128];
    size_t needed = 0;
    ok(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, &needed));
    cr_assert_str_eq(text, wanted);
    cr_assert_eq(needed, strlen(wanted) + 1);
}

Test(source, is_kept_as_it_was_given)
{
    struct rig rig;
    cl_int status;
    cl_uint devices = 0;
    size_t sizes[2] = {7, 7};
    const size_t lengths[] = {6, 0, 2};
    const char *empty = "";
    rig_open(&rig, "model:tiny,model:base");
    cl_program p = clCreateProgramWithSource(rig.context, 3, (const char **)lines, lengths, &status);
    ok(status);
    source_is(p, "kernel// and no morere");
    ok(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL));
    cr_assert_eq(devices, 2, "those of the context");
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    cr_assert(sizes[0] == 0 && sizes[1] == 0);
    ok(clReleaseProgram(p));
    p = clCreateProgramWithSource(rig.context, 3, (const char **)lines, NULL, &status);
    source_is(p, "kernel void k() {}// and no morerest");
    ok(clReleaseProgram(p));
    p = clCreateProgramWithSource(rig.context, 1, &empty, NULL, &status);
    ok(status);
    source_is(p, "");
    ok(clReleaseProgram(p));
    source_is(rig.program, "");
    rig_close(&rig);
}

Test(source, that_cannot_be)
{
    struct rig rig;
    const char *hole[] = {"text", NULL};
    rig_open(&rig, "model:tiny");
    none(clCreateProgramWithSource(NULL, 2, hole, NULL, &refusal), CL_INVALID_CONTEXT);
    none(clCreateProgramWithSource(rig.context, 0, hole, NULL, &refusal), CL_INVALID_VALUE);
    none(clCreateProgramWithSource(rig.context, 1, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clCreateProgramWithSource(rig.context, 2, hole, NULL, &refusal), CL_INVALID_VALUE);
    cr_assert_null(clCreateProgramWithSource(rig.context, 2, hole, NULL, NULL));
    rig_close(&rig);
}

static void CL_CALLBACK never(cl_program p, void *data)
{
    (void)p;
    *(bool *)data = true;
}

Test(source, has_no_compiler)
{
    struct rig rig;
    bool called = false;
    cl_build_status built = CL_BUILD_SUCCESS;
    rig_open(&rig, "model:tiny,model:base");
    cl_program p = from_source(&rig);
    cl_device_id wrong = (cl_device_id)rig.context;
    is(clBuildProgram(p, 0, NULL, "-O3", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    is(clBuildProgram(p, 1, rig.device, NULL, never, &called), CL_COMPILER_NOT_AVAILABLE);
    cr_assert_not(called, "what was not begun does not end");
    is(clBuildProgram(p, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    is(clBuildProgram(p, 0, rig.device, NULL, NULL, NULL), CL_INVALID_VALUE);
    is(clBuildProgram(p, 0, NULL, NULL, NULL, &called), CL_INVALID_VALUE);
    is(clBuildProgram(p, 1, &wrong, NULL, NULL, NULL), CL_INVALID_DEVICE);
    is(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    ok(clGetProgramBuildInfo(p, rig.device[1], CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL));
    cr_assert_eq(built, CL_BUILD_NONE);
    none(clCreateKernel(p, "k", &refusal), CL_INVALID_PROGRAM_EXECUTABLE);
    is(clCreateKernelsInProgram(p, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

Test(source, is_not_compiled)
{
    struct rig rig;
    const char *name = "header.h";
    bool called = false;
    rig_open(&rig, "model:tiny");
    cl_program p = from_source(&rig);
    cl_device_id wrong = (cl_device_id)rig.context;
    is(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    is(clCompileProgram(p, 1, rig.device, "-w", 1, &p, &name, never, &called), CL_COMPILER_NOT_AVAILABLE);
    cr_assert_not(called);
    is(clCompileProgram(rig.program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    is(clCompileProgram(NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    is(clCompileProgram(p, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    is(clCompileProgram(p, 0, NULL, NULL, 0, NULL, &name, NULL, NULL), CL_INVALID_VALUE);
    is(clCompileProgram(p, 0, NULL, NULL, 0, &p, NULL, NULL, NULL), CL_INVALID_VALUE);
    is(clCompileProgram(p, 0, NULL, NULL, 1, &p, NULL, NULL, NULL), CL_INVALID_VALUE);
    is(clCompileProgram(p, 0, NULL, NULL, 1, NULL, &name, NULL, NULL), CL_INVALID_VALUE);
    is(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, &called), CL_INVALID_VALUE);
    is(clCompileProgram(p, 1, &wrong, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_DEVICE);
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

Test(source, is_not_linked)
{
    struct rig rig;
    bool called = false;
    rig_open(&rig, "model:tiny");
    cl_context c = rig.context;
    cl_program p = from_source(&rig), wrong = (cl_program)rig.queue;
    cl_device_id no_device = (cl_device_id)rig.context;
    none(clLinkProgram(c, 0, NULL, NULL, 1, &p, NULL, NULL, &refusal), CL_LINKER_NOT_AVAILABLE);
    none(clLinkProgram(c, 1, rig.device, "", 1, &p, never, &called, &refusal), CL_LINKER_NOT_AVAILABLE);
    cr_assert_not(called);
    none(clLinkProgram(NULL, 0, NULL, NULL, 1, &p, NULL, NULL, &refusal), CL_INVALID_CONTEXT);
    none(clLinkProgram(c, 1, NULL, NULL, 1, &p, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clLinkProgram(c, 0, rig.device, NULL, 1, &p, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clLinkProgram(c, 0, NULL, NULL, 0, NULL, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clLinkProgram(c, 0, NULL, NULL, 0, &p, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clLinkProgram(c, 0, NULL, NULL, 1, NULL, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clLinkProgram(c, 0, NULL, NULL, 1, &p, NULL, &called, &refusal), CL_INVALID_VALUE);
    none(clLinkProgram(c, 0, NULL, NULL, 1, &wrong, NULL, NULL, &refusal), CL_INVALID_PROGRAM);
    none(clLinkProgram(c, 1, &no_device, NULL, 1, &p, NULL, NULL, &refusal), CL_INVALID_DEVICE);
    cr_assert_null(clLinkProgram(c, 0, NULL, NULL, 1, &p, NULL, NULL, NULL));
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

Test(images, are_there_of_no_format)
{
    struct rig rig;
    cl_image_format format;
    const cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D;
    rig_open(&rig, "model:tiny");
    for (cl_mem_object_type any = CL_MEM_OBJECT_IMAGE2D; any <= CL_MEM_OBJECT_IMAGE1D_BUFFER; any++) {
        cl_uint count = 9;
        ok(clGetSupportedImageFormats(rig.context, CL_MEM_READ_ONLY, any, 1, &format, &count));
        cr_assert_eq(count, 0);
    }
    ok(clGetSupportedImageFormats(rig.context, 0, type, 0, NULL, NULL));
    is(clGetSupportedImageFormats(NULL, 0, type, 1, &format, NULL), CL_INVALID_CONTEXT);
    is(clGetSupportedImageFormats(rig.context, 0, CL_MEM_OBJECT_BUFFER, 1, &format, NULL), CL_INVALID_VALUE);
    is(clGetSupportedImageFormats(rig.context, 1 << 30, type, 1, &format, NULL), CL_INVALID_VALUE);
    is(clGetSupportedImageFormats(rig.context, CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, type, 1, &format, NULL),
       CL_INVALID_VALUE);
    is(clGetSupportedImageFormats(rig.context, 0, type, 0, &format, NULL), CL_INVALID_VALUE);
    rig_close(&rig);
}
