/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs from containers and built-in ones: loading, building, what they
 * tell before and after, and how long they last.
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/container/container.h"
#include "support.h"

static struct strbuf container_of(const char *variant)
{
    struct container c = {.kind = CONTAINER_MODEL, .board = "simulator", .transport = "model"};
    struct strbuf bytes = {0}, why = {0};
    struct diag diag = {0};
    cr_assert(variant_load_named(variant, NULL, 0, &c.variant, &diag));
    cr_assert(container_write(&c, &bytes, &why), "%s", sb_text(&why));
    return bytes;
}

static cl_program load(struct rig *rig, const struct strbuf *bytes, cl_int *status, cl_int *one)
{
    const unsigned char *binary = (const unsigned char *)bytes->text;
    return clCreateProgramWithBinary(rig->context, 1, rig->device, &bytes->len, &binary, one, status);
}

/* A rig, and a program from a container of its device that is not built yet. */
static cl_program open_with_program(struct rig *rig)
{
    cl_int status;
    rig_open(rig, "model:tiny");
    struct strbuf bytes = container_of("tiny");
    cl_program p = load(rig, &bytes, &status, NULL);
    ok(status);
    sb_free(&bytes);
    return p;
}

Test(programs, a_job_from_a_container)
{
    struct rig rig;
    cl_int status, one = -1;
    char text[64];
    size_t size = 0, kernels = 0;
    rig_open(&rig, "model:tiny");
    struct strbuf bytes = container_of("tiny");
    cl_program p = load(&rig, &bytes, &status, &one);
    ok(status);
    ok(one);
    none(clCreateKernel(p, "tulle_run", &refusal), CL_INVALID_PROGRAM_EXECUTABLE); /* not built yet */
    is(clBuildProgram(p, 0, NULL, "-O3", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    ok(clBuildProgram(p, 1, rig.device, "", NULL, NULL));
    ok(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    cr_assert_str_eq(text, "tulle_run");
    ok(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    cr_assert_eq(kernels, 1);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    cr_assert_eq(size, bytes.len);
    unsigned char *copy = malloc(size);
    cr_assert(copy);
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof copy, &copy, NULL));
    cr_assert_eq(memcmp(copy, bytes.text, size), 0);
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, p, &work);
    size_t global[3] = {0};
    is(clGetKernelWorkGroupInfo(buffers.kernel, rig.device[0], CL_KERNEL_GLOBAL_WORK_SIZE, sizeof global,
                                global, NULL),
       CL_INVALID_VALUE);
    ok(clGetKernelWorkGroupInfo(rig.kernel, rig.device[0], CL_KERNEL_GLOBAL_WORK_SIZE, sizeof global, global,
                                NULL));
    cr_assert(global[0] == 1 && global[1] == 1 && global[2] == 1);
    is(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cr_assert(work_run(&work, &buffers, rig.queue, NULL));
    buffers_free(&buffers);
    work_free(&work);
    free(copy);
    sb_free(&bytes);
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

Test(programs, another_variant_is_refused_and_both_are_named)
{
    struct rig rig;
    cl_int status = CL_SUCCESS, one = CL_SUCCESS;
    rig_open(&rig, "model:tiny");
    struct strbuf bytes = container_of("base");
    cr_assert_null(load(&rig, &bytes, &status, &one));
    cr_assert_eq(status, CL_INVALID_BINARY);
    cr_assert_eq(one, CL_INVALID_BINARY);
    cr_assert(strstr(sb_text(&rig.told), "variant base") && strstr(sb_text(&rig.told), "tulle model:tiny"),
              "%s", sb_text(&rig.told));
    sb_free(&bytes);
    rig_close(&rig);
}

Test(programs, damaged_containers, .timeout = 120)
{
    struct rig rig;
    cl_int status, one;
    rig_open(&rig, "model:tiny");
    struct strbuf bytes = container_of("tiny");
    size_t whole = bytes.len;
    for (bytes.len = 1; bytes.len < whole; bytes.len++) {
        cr_assert_null(load(&rig, &bytes, &status, &one));
        cr_assert(status == CL_INVALID_BINARY && one == CL_INVALID_BINARY, "%zu bytes", bytes.len);
    }
    for (size_t at = 0; at < whole; at++) {
        bytes.text[at] ^= 0x10;
        cr_assert_null(load(&rig, &bytes, &status, NULL));
        cr_assert_eq(status, CL_INVALID_BINARY, "byte %zu", at);
        bytes.text[at] ^= 0x10;
    }
    cl_program p = load(&rig, &bytes, &status, &one);
    ok(status);
    ok(clReleaseProgram(p));
    sb_free(&bytes);
    rig_close(&rig);
}

Test(programs, bad_arguments)
{
    struct rig rig;
    const unsigned char *binary = (const unsigned char *)"x", *no_binary = NULL;
    size_t length = 1, zero = 0;
    rig_open(&rig, "model:tiny,model:base");
    cl_device_id twice[] = {rig.device[0], rig.device[0]};
#define NO_PROGRAM(wanted, ...) none(clCreateProgramWithBinary(__VA_ARGS__, NULL, &refusal), wanted)
    NO_PROGRAM(CL_INVALID_CONTEXT, NULL, 1, rig.device, &length, &binary);
    NO_PROGRAM(CL_INVALID_VALUE, rig.context, 0, rig.device, &length, &binary);
    NO_PROGRAM(CL_INVALID_VALUE, rig.context, 1, NULL, &length, &binary);
    NO_PROGRAM(CL_INVALID_VALUE, rig.context, 1, rig.device, NULL, &binary);
    NO_PROGRAM(CL_INVALID_VALUE, rig.context, 1, rig.device, &zero, &binary);
    NO_PROGRAM(CL_INVALID_VALUE, rig.context, 1, rig.device, &length, &no_binary);
    NO_PROGRAM(CL_INVALID_DEVICE, rig.context, 2, twice, &length, &binary);
    none(clCreateProgramWithBuiltInKernels(rig.context, 1, rig.device, "other", &refusal), CL_INVALID_VALUE);
    cr_assert_null(clCreateProgramWithBuiltInKernels(rig.context, 1, rig.device, NULL, NULL));
    cl_build_status built;
    ok(clGetProgramBuildInfo(rig.program, rig.device[0], CL_PROGRAM_BUILD_STATUS, sizeof built, &built,
                             NULL));
    cr_assert_eq(built, CL_BUILD_SUCCESS);
    is(clGetProgramBuildInfo(rig.program, NULL, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL),
       CL_INVALID_DEVICE);
    is(clGetProgramInfo(rig.program, 0x7777, sizeof built, &built, NULL), CL_INVALID_VALUE);
    is(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    rig_close(&rig);
}

/* ---- several devices --------------------------------------------------------------------------------- */

/* A container for each of two devices, the second of the variant that is said. */
static cl_program load_two(struct rig *rig, const char *second, cl_int *one, cl_int *status)
{
    struct strbuf bytes[] = {container_of("tiny"), container_of(second)};
    const size_t lengths[] = {bytes[0].len, bytes[1].len};
    const unsigned char *binaries[] = {(const unsigned char *)bytes[0].text,
                                       (const unsigned char *)bytes[1].text};
    cl_program p = clCreateProgramWithBinary(rig->context, 2, rig->device, lengths, binaries, one, status);
    sb_free(&bytes[0]);
    sb_free(&bytes[1]);
    return p;
}

Test(programs, each_binary_has_a_status)
{
    struct rig rig;
    cl_int one[2] = {1, 1};
    rig_open(&rig, "model:tiny,model:tiny;memory=64M");
    none(load_two(&rig, "base", one, &refusal), CL_INVALID_BINARY);
    cr_assert(one[0] == CL_SUCCESS && one[1] == CL_INVALID_BINARY, "%d and %d", one[0], one[1]);
    struct strbuf bytes = container_of("tiny");
    const size_t lengths[] = {0, bytes.len};
    const unsigned char *binary = (const unsigned char *)bytes.text, *binaries[] = {binary, binary},
                        *missing[] = {binary, NULL};
    const size_t whole[] = {bytes.len, bytes.len};
    none(clCreateProgramWithBinary(rig.context, 2, rig.device, lengths, binaries, one, &refusal),
         CL_INVALID_VALUE);
    cr_assert(one[0] == CL_INVALID_VALUE && one[1] == CL_SUCCESS, "%d and %d", one[0], one[1]);
    none(clCreateProgramWithBinary(rig.context, 2, rig.device, whole, missing, one, &refusal),
         CL_INVALID_VALUE);
    cr_assert(one[0] == CL_SUCCESS && one[1] == CL_INVALID_VALUE, "%d and %d", one[0], one[1]);
    sb_free(&bytes);
    rig_close(&rig);
}

static cl_build_status built(cl_program p, cl_device_id device)
{
    cl_build_status status = CL_BUILD_ERROR;
    ok(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

static void options_are(cl_program p, cl_device_id device, const char *wanted)
{
    char text[128];
    size_t needed = 0;
    ok(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, &needed));
    cr_assert_str_eq(text, wanted);
    cr_assert_eq(needed, strlen(wanted) + 1);
}

/* Built for one device it runs there, and not on the other. */
Test(programs, are_built_for_each_device)
{
    struct rig rig;
    cl_int status;
    rig_open(&rig, "model:tiny,model:tiny;memory=64M");
    cl_command_queue other = make_queue(rig.context, rig.device[1], 0);
    cl_program p = load_two(&rig, "tiny", NULL, &status);
    ok(status);
    cr_assert(built(p, rig.device[0]) == CL_BUILD_NONE && built(p, rig.device[1]) == CL_BUILD_NONE);
    is(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    is(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    is(clCreateKernelsInProgram(p, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    ok(clBuildProgram(p, 1, &rig.device[0], "-w", NULL, NULL));
    cr_assert(built(p, rig.device[0]) == CL_BUILD_SUCCESS && built(p, rig.device[1]) == CL_BUILD_NONE);
    options_are(p, rig.device[0], "-w");
    options_are(p, rig.device[1], "");
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, p, &work);
    is(clEnqueueTask(other, buffers.kernel, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    cr_assert(work_run(&work, &buffers, rig.queue, NULL));
    is(clBuildProgram(p, 1, &rig.device[1], NULL, NULL, NULL), CL_INVALID_OPERATION); /* it has a kernel */
    buffers_free(&buffers);
    ok(clBuildProgram(p, 1, &rig.device[1], NULL, NULL, NULL));
    options_are(p, rig.device[0], "-w");
    buffers_make(&buffers, rig.context, p, &work);
    cr_assert(work_run(&work, &buffers, other, NULL));
    buffers_free(&buffers);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL)); /* again, and for both */
    options_are(p, rig.device[0], "");
    work_free(&work);
    ok(clReleaseProgram(p));
    ok(clReleaseCommandQueue(other));
    rig_close(&rig);
}

/* ---- building ------------------------------------------------------------------------------------------ */

Test(programs, options_of_a_build)
{
    struct rig rig;
    cl_program p = open_with_program(&rig);
    static const char *const right[] = {"",
                                        "  ",
                                        "-cl-opt-disable",
                                        " -w  -Werror ",
                                        "-D A -DB=1 -D C=2 -I here -Ithere",
                                        "-D \"A=two words\" -I\"a folder\" -cl-std=CL1.2",
                                        "-D -w",
                                        "-cl-single-precision-constant -cl-denorms-are-zero "
                                        "-cl-fp32-correctly-rounded-divide-sqrt -cl-kernel-arg-info",
                                        "-cl-mad-enable -cl-no-signed-zeros -cl-finite-math-only "
                                        "-cl-unsafe-math-optimizations -cl-fast-relaxed-math"};
    static const char *const wrong[] = {
        "-O3", "w",      "-w -x",         "-cl-opt-disabled", "-cl-opt",
        "-D",  "-w -I ", "-cl-std=CL9.9", "file.cl",          "-create-library"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        cl_int answer = clBuildProgram(p, 0, NULL, right[i], NULL, NULL);
        cr_assert_eq(answer, CL_SUCCESS, "\"%s\": %d", right[i], answer);
        options_are(p, rig.device[0], right[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cl_int answer = clBuildProgram(p, 0, NULL, wrong[i], NULL, NULL);
        cr_assert_eq(answer, CL_INVALID_BUILD_OPTIONS, "\"%s\": %d", wrong[i], answer);
    }
    cr_assert_eq(built(p, rig.device[0]), CL_BUILD_SUCCESS, "what was not begun changes nothing");
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

struct notes {
    cl_program program;
    unsigned calls;
};

static void CL_CALLBACK note(cl_program p, void *data)
{
    struct notes *notes = data;
    notes->program = p;
    notes->calls++;
}

Test(programs, a_build_tells_its_end_once)
{
    struct rig rig;
    struct notes notes = {NULL, 0};
    cl_program p = open_with_program(&rig);
    is(clBuildProgram(p, 0, NULL, "-O3", note, &notes), CL_INVALID_BUILD_OPTIONS);
    is(clBuildProgram(p, 0, NULL, NULL, NULL, &notes), CL_INVALID_VALUE);
    cr_assert_eq(notes.calls, 0, "what was not begun does not end");
    ok(clBuildProgram(p, 1, rig.device, NULL, note, &notes));
    cr_assert(notes.calls == 1 && notes.program == p);
    cr_assert_eq(built(p, rig.device[0]), CL_BUILD_SUCCESS);
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

/* There is none, so that unloading it takes nothing away. */
Test(programs, unloading_the_compiler)
{
    struct rig rig;
    cl_int status;
    cl_program p = open_with_program(&rig);
    ok(clUnloadPlatformCompiler(rig.platform));
    is(clUnloadPlatformCompiler((cl_platform_id)rig.context), CL_INVALID_PLATFORM);
    ok(clUnloadCompiler());
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    ok(clUnloadPlatformCompiler(rig.platform));
    cl_kernel k = clCreateKernel(p, CL_TULLE_KERNEL, &status);
    ok(status);
    ok(clReleaseKernel(k));
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

/* ---- what they tell --------------------------------------------------------------------------------------
 */

static cl_program_binary_type type_of(cl_program p, cl_device_id device)
{
    cl_program_binary_type type = 99;
    ok(clGetProgramBuildInfo(p, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

Test(programs, the_binary_of_each_sort)
{
    struct rig rig;
    cl_int status;
    size_t size = 1, room = 0;
    const char *text = "kernel void k() {}";
    unsigned char byte = 'x', *nothing = &byte;
    cl_program p = open_with_program(&rig),
               source = clCreateProgramWithSource(rig.context, 1, &text, NULL, &status);
    cr_assert_eq(type_of(p, rig.device[0]), CL_PROGRAM_BINARY_TYPE_EXECUTABLE, "loaded, not built");
    cr_assert_eq(type_of(source, rig.device[0]), CL_PROGRAM_BINARY_TYPE_NONE);
    cr_assert_eq(type_of(rig.program, rig.device[0]), CL_PROGRAM_BINARY_TYPE_NONE);
    cr_assert_eq(built(rig.program, rig.device[0]), CL_BUILD_SUCCESS);
    cr_assert_eq(built(source, rig.device[0]), CL_BUILD_NONE);
    const cl_program without[] = {source, rig.program};
    for (size_t i = 0; i < 2; i++) {
        ok(clGetProgramInfo(without[i], CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
        ok(clGetProgramInfo(without[i], CL_PROGRAM_BINARIES, sizeof nothing, &nothing, &room));
        cr_assert(size == 0 && byte == 'x' && room == sizeof nothing);
    }
    is(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof nothing - 1, &nothing, NULL), CL_INVALID_VALUE);
    nothing = NULL; /* not wanted, says the specification */
    ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof nothing, &nothing, NULL));
    ok(clReleaseProgram(source));
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

Test(programs, names_of_what_is_built_in)
{
    struct rig rig;
    cl_int status;
    rig_open(&rig, "model:tiny");
    static const char *const wrong[] = {
        "",         ";",          "tulle_run;",      ";tulle_run",         "tulle_run;;tulle_run",
        "tulle_ru", "tulle_runs", "tulle_run;other", "tulle_run tulle_run"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        none(clCreateProgramWithBuiltInKernels(rig.context, 1, rig.device, wrong[i], &refusal),
             CL_INVALID_VALUE);
    none(clCreateProgramWithBuiltInKernels(NULL, 1, rig.device, "tulle_run", &refusal), CL_INVALID_CONTEXT);
    none(clCreateProgramWithBuiltInKernels(rig.context, 0, rig.device, "tulle_run", &refusal),
         CL_INVALID_VALUE);
    none(clCreateProgramWithBuiltInKernels(rig.context, 1, NULL, "tulle_run", &refusal), CL_INVALID_VALUE);
    const cl_device_id nobody = (cl_device_id)rig.queue;
    none(clCreateProgramWithBuiltInKernels(rig.context, 1, &nobody, "tulle_run", &refusal),
         CL_INVALID_DEVICE);
    cl_program p =
        clCreateProgramWithBuiltInKernels(rig.context, 1, rig.device, "tulle_run;tulle_run", &status);
    ok(status);
    is(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    is(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

/* ---- how long they last ----------------------------------------------------------------------------------
 */

Test(programs, last_as_long_as_their_kernels_and_jobs)
{
    struct rig rig;
    cl_event event;
    struct buffers buffers;
    cl_program p = open_with_program(&rig), told = NULL;
    struct work work = work_make(1);
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    buffers_make(&buffers, rig.context, p, &work);
    ok(clReleaseProgram(p));
    ok(clGetKernelInfo(buffers.kernel, CL_KERNEL_PROGRAM, sizeof told, &told, NULL));
    cr_assert_eq(told, p);
    cr_assert_eq(built(told, rig.device[0]), CL_BUILD_SUCCESS);
    cl_event gate = make_gate(rig.context);
    ok(clEnqueueTask(rig.queue, buffers.kernel, 1, &gate, &event));
    cl_mem output = buffers.slot[SLOT_OUTPUT];
    ok(clRetainMemObject(output));
    buffers_free(&buffers);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &event));
    uint8_t *got = malloc(work.output_bytes);
    cr_assert(got);
    ok(clEnqueueReadBuffer(rig.queue, output, CL_TRUE, 0, work.output_bytes, got, 0, NULL, NULL));
    cr_assert(work_done(&work, got));
    free(got);
    ok(clReleaseMemObject(output));
    ok(clReleaseEvent(event));
    ok(clReleaseEvent(gate));
    work_free(&work);
    rig_close(&rig);
}
