/* SPDX-License-Identifier: Apache-2.0
 *
 * Thousands of programs one after the other in a process: each makes all
 * objects there are, runs a job and lets go. In the end there are as many
 * blocks of memory, open files and threads as after the first of them, and the
 * device's memory is all free.
 *
 *   icd-cycles [CYCLES]
 */
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/icd/tulle_cl.h"
#include "tests/host_icd/tool/allocation.h"
#include "tests/host_icd/tool/image.h"

#define SECONDS_MAX 250
#define BYTES 20000

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cl_int check_status_ = (call);                                                         \
        if (check_status_ != CL_SUCCESS) {                                                     \
            fprintf(stderr, "icd-cycles: %s: %d (line %d)\n", #call, check_status_, __LINE__); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

static cl_device_id device;
static struct strbuf image;

static void CL_CALLBACK note(cl_mem memory, void *count)
{
    (void)memory;
    ++*(int *)count;
}

/* The job, what is before it and behind it; `out` is a part of `in`. */
static void use(cl_command_queue queue, cl_kernel kernel, cl_mem in, cl_mem out)
{
    cl_event event[2];
    char got[4] = "";
    cl_int status;
    CHECK(clEnqueueWriteBuffer(queue, in, CL_FALSE, 8192, 4, "tell", 0, NULL, &event[0]));
    CHECK(clEnqueueTask(queue, kernel, 1, event, &event[1]));
    char *at = clEnqueueMapBuffer(queue, out, CL_TRUE, CL_MAP_READ, 0, 4, 1, &event[1], NULL, &status);
    CHECK(status);
    if (memcmp(at, "tell", 4) != 0)
        exit(1);
    CHECK(clEnqueueUnmapMemObject(queue, out, at, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, got, 0, NULL, NULL));
    CHECK(clReleaseEvent(event[0]));
    CHECK(clReleaseEvent(event[1]));
}

static void cycle(void)
{
    cl_int status;
    int destroyed = 0;
    const char *source = "none";
    const cl_buffer_region region = {8192, 100};
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    CHECK(status);
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, &device, CL_TULLE_KERNEL, &status),
               text = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    CHECK(status);
    cl_kernel kernel = clCreateKernel(program, CL_TULLE_KERNEL, &status);
    CHECK(status);
    cl_mem code = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, image.len, image.text, &status),
           memory = clCreateBuffer(context, 0, BYTES, NULL, &status),
           part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    CHECK(clSetMemObjectDestructorCallback(memory, note, &destroyed));
    for (cl_uint s = 0; s < CL_TULLE_FIRST_SIZE; s++)
        CHECK(clSetKernelArg(kernel, s, sizeof(cl_mem), s ? NULL : &code));
    use(queue, kernel, memory, part);
    CHECK(clReleaseMemObject(memory));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(code));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(text));
    CHECK(clFinish(queue));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    if (destroyed != 1) {
        fprintf(stderr, "icd-cycles: a buffer was destroyed %d times\n", destroyed);
        exit(1);
    }
}

static long entries(const char *folder)
{
    long count = 0;
    DIR *d = opendir(folder);
    if (!d) {
        perror(folder);
        exit(1);
    }
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

/* All of the device's memory in one buffer. */
static void take_all_memory(void)
{
    cl_int status;
    cl_ulong most = 0;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof most, &most, NULL));
    cl_mem all = clCreateBuffer(context, 0, most, NULL, &status);
    CHECK(status);
    CHECK(clReleaseMemObject(all));
    CHECK(clReleaseContext(context));
}

static int same(const char *what, long before, long after)
{
    if (before == after)
        return 1;
    fprintf(stderr, "icd-cycles: %ld %s at first, %ld in the end\n", before, what, after);
    return 0;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    long cycles = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    alarm(SECONDS_MAX); /* a hang is a failure */
    image_of_nothing(&image);
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, NULL));
    for (unsigned i = 0; i < 10; i++) /* board and worker are there from now on */
        cycle();
    usleep(200000);
    long blocks = allocation_blocks(), files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
    for (long i = 0; i < cycles; i++)
        cycle();
    take_all_memory();
    int ok = same("blocks of memory", blocks, allocation_settled(blocks)) &
             same("open files", files, entries("/proc/self/fd")) &
             same("threads", threads, entries("/proc/self/task"));
    sb_free(&image);
    printf("icd-cycles: %ld cycles\n", cycles);
    return ok ? 0 : 1;
}
