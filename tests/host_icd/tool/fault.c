/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocation failure: everything that a program does with the driver, again
 * and again, each time with the next allocation failing, wherever it is made,
 * until none is left to fail. Every call must return, with what it promises on
 * failure; at the end of a round as many blocks are there as at its beginning.
 */
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/container/container.h"
#include "host/icd/tulle_cl.h"
#include "tests/host_icd/tool/allocation.h"
#include "tests/host_icd/tool/image.h"

#define ROUNDS_MAX 100000
#define SECONDS_MAX 120

/* ---- a round ------------------------------------------------------------------------------------- */

struct things {
    cl_context context;
    cl_command_queue queue;
    cl_program program[3];
    cl_kernel kernel;
    cl_mem memory[4];
    cl_event event[4];
};

static struct strbuf container, image;
static cl_platform_id platform;
static cl_device_id device;

static void die(const char *what, long number)
{
    allocation_fails_at(-1);
    fprintf(stderr, "icd-fault: %s (%ld)\n", what, number);
    _exit(1);
}

static void CL_CALLBACK ignore(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
}

/* A creator gives an object or an error, never both and never neither. */
static bool made(const void *object, cl_int status)
{
    if (!object != (status != CL_SUCCESS))
        die("an object and a status that do not go together", status);
    return object;
}

#define MAKE(to, call) ((to) = (call), made(to, status))

static bool set_up(struct things *t)
{
    cl_int status;
    const unsigned char *binary = (const unsigned char *)container.text;
    const char *source = "kernel void k() {}";
    const cl_buffer_region region = {4096, 100};
    return MAKE(t->context, clCreateContext(NULL, 1, &device, NULL, NULL, &status)) &&
           MAKE(t->queue, clCreateCommandQueue(t->context, device, CL_QUEUE_PROFILING_ENABLE, &status)) &&
           MAKE(t->program[0],
                clCreateProgramWithBinary(t->context, 1, &device, &container.len, &binary, NULL, &status)) &&
           clBuildProgram(t->program[0], 0, NULL, "-w", NULL, NULL) == CL_SUCCESS &&
           MAKE(t->program[1],
                clCreateProgramWithBuiltInKernels(t->context, 1, &device, "tulle_run", &status)) &&
           MAKE(t->program[2], clCreateProgramWithSource(t->context, 1, &source, NULL, &status)) &&
           MAKE(t->kernel, clCreateKernel(t->program[0], "tulle_run", &status)) &&
           MAKE(t->memory[0],
                clCreateBuffer(t->context, CL_MEM_COPY_HOST_PTR, image.len, image.text, &status)) &&
           MAKE(t->memory[1], clCreateBuffer(t->context, 0, 5000, NULL, &status)) &&
           MAKE(t->memory[2], clCreateBuffer(t->context, 0, 5000, NULL, &status)) &&
           MAKE(t->memory[3],
                clCreateSubBuffer(t->memory[1], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
}

static bool use(struct things *t)
{
    cl_int status;
    char bytes[100] = "bytes";
    const size_t at_0[3] = {0}, rows[3] = {7, 5, 1};
    cl_mem *m = t->memory;
    bool ok =
        clEnqueueWriteBuffer(t->queue, m[1], CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL) == CL_SUCCESS &&
        clEnqueueFillBuffer(t->queue, m[2], "x", 1, 0, 5000, 0, NULL, NULL) == CL_SUCCESS &&
        clEnqueueCopyBuffer(t->queue, m[1], m[2], 0, 50, 100, 0, NULL, NULL) == CL_SUCCESS &&
        clEnqueueCopyBufferRect(t->queue, m[2], m[3], at_0, at_0, rows, 9, 0, 0, 0, 0, NULL, NULL) ==
            CL_SUCCESS &&
        clEnqueueMigrateMemObjects(t->queue, 4, m, 0, 0, NULL, NULL) == CL_SUCCESS &&
        MAKE(t->event[0], clCreateUserEvent(t->context, &status)) &&
        clSetEventCallback(t->event[0], CL_COMPLETE, ignore, NULL) == CL_SUCCESS &&
        clEnqueueMarkerWithWaitList(t->queue, 1, &t->event[0], &t->event[1]) == CL_SUCCESS &&
        clSetUserEventStatus(t->event[0], CL_COMPLETE) == CL_SUCCESS;
    void *at = ok ? clEnqueueMapBuffer(t->queue, m[2], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 200, 0, NULL,
                                       NULL, &status)
                  : NULL;
    ok = ok && made(at, status) && memcmp((char *)at + 50, "bytes", 6) == 0 &&
         clEnqueueUnmapMemObject(t->queue, m[2], at, 0, NULL, NULL) == CL_SUCCESS;
    for (cl_uint s = 0; ok && s < 8; s++)
        ok = clSetKernelArg(t->kernel, s, sizeof(cl_mem), s ? NULL : &m[0]) == CL_SUCCESS;
    ok = ok && clEnqueueTask(t->queue, t->kernel, 0, NULL, &t->event[2]) == CL_SUCCESS;
    return ok && clWaitForEvents(1, &t->event[2]) == CL_SUCCESS;
}

static void tear_down(struct things *t)
{
    for (unsigned i = 0; i < 4; i++)
        if (t->event[i])
            clReleaseEvent(t->event[i]);
    if (t->queue && clFinish(t->queue) != CL_SUCCESS)
        die("clFinish", 0);
    for (unsigned i = 0; i < 4; i++)
        if (t->memory[i])
            clReleaseMemObject(t->memory[i]);
    if (t->kernel)
        clReleaseKernel(t->kernel);
    for (unsigned i = 0; i < 3; i++)
        if (t->program[i])
            clReleaseProgram(t->program[i]);
    if (t->queue)
        clReleaseCommandQueue(t->queue);
    if (t->context)
        clReleaseContext(t->context);
}

/* True when everything went well; `reached`: an allocation was made to fail. */
static bool round_of(long fail_at, bool *reached)
{
    struct things things = {0};
    allocation_fails_at(fail_at);
    bool ok = set_up(&things) && use(&things);
    *reached = allocation_has_failed();
    tear_down(&things);
    return ok;
}

/* ---- main ------------------------------------------------------------------------------------------ */

static void prepare(void)
{
    struct container c = {.kind = CONTAINER_MODEL, .board = "simulator", .transport = "model"};
    struct diag diag = {0};
    struct strbuf why = {0};
    if (!variant_load_named("tiny", NULL, 0, &c.variant, &diag) || !container_write(&c, &container, &why))
        die("no container", 0);
    image_of_nothing(&image);
}

/* The first question after devices, in a process of its own: what is not found then stays so. True when no
 * allocation is left to fail. */
static bool find_devices(long fail_at)
{
    int end;
    pid_t child = fork();
    if (child < 0)
        die("fork", errno);
    if (child == 0) {
        cl_uint count;
        allocation_fails_at(fail_at);
        cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
        bool reached = allocation_has_failed();
        if (status != CL_SUCCESS && status != CL_OUT_OF_HOST_MEMORY && status != CL_DEVICE_NOT_FOUND)
            die("clGetDeviceIDs", status);
        _exit(reached ? 10 : 11);
    }
    if (waitpid(child, &end, 0) != child || !WIFEXITED(end) || WEXITSTATUS(end) < 10)
        die("a crash in the search for devices", fail_at);
    return WEXITSTATUS(end) == 11;
}

int main(void)
{
    long failed = 0, n = 0;
    bool reached = true;
    alarm(SECONDS_MAX); /* a hang is a failure */
    prepare();
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        die("no platform", 0);
    for (n = 0; !find_devices(n); n++)
        ;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, NULL) != CL_SUCCESS)
        die("no device", 0);
    for (n = 0; n < ROUNDS_MAX && !round_of(n, &reached); n++) /* until board and worker are there */
        failed++;
    if (!round_of(-1, &reached))
        die("a round without failures", n);
    usleep(200000);
    long before = allocation_blocks();
    for (n = 0, reached = true; n < ROUNDS_MAX && reached; n++) {
        failed += !round_of(n, &reached);
        long after = allocation_settled(before);
        if (after != before)
            die("blocks are left", after - before);
    }
    printf("icd-fault: %ld rounds failed, each with a status, and nothing is left of them\n", failed);
    return failed > 10 ? 0 : 1;
}
