/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver costs a job: an empty one on the functional model, from
 * clEnqueueTask to its start on the device and from its end there to the
 * return of clWaitForEvents. Not a test: it depends on the machine.
 *
 *   icd-latency [JOBS]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "host/icd/tulle_cl.h"
#include "tests/host_icd/tool/image.h"

#define CHECK(status)                                                                 \
    do {                                                                              \
        cl_int check_status_ = (status);                                              \
        if (check_status_ != CL_SUCCESS) {                                            \
            fprintf(stderr, "%s:%d: status %d\n", __FILE__, __LINE__, check_status_); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

struct figures {
    double begin, job, end; /* microseconds */
};

static cl_ulong now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); /* the driver's clock */
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

static cl_ulong profiled(cl_event event, cl_profiling_info name)
{
    cl_ulong time = 0;
    CHECK(clGetEventProfilingInfo(event, name, sizeof time, &time, NULL));
    return time;
}

static struct figures run(cl_command_queue queue, cl_kernel kernel)
{
    cl_event event;
    cl_ulong called = now();
    CHECK(clEnqueueTask(queue, kernel, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    cl_ulong returned = now();
    cl_ulong start = profiled(event, CL_PROFILING_COMMAND_START),
             end = profiled(event, CL_PROFILING_COMMAND_END);
    CHECK(clReleaseEvent(event));
    return (struct figures){(double)(start - called) / 1e3, (double)(end - start) / 1e3,
                            (double)(returned - end) / 1e3};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(const struct figures *f, size_t count)
{
    double *both = malloc(count * sizeof *both), job = 0;
    if (!both)
        exit(1);
    for (size_t i = 0; i < count; i++) {
        both[i] = f[i].begin + f[i].end;
        job += f[i].job / (double)count;
    }
    qsort(both, count, sizeof *both, ascending);
    printf("%zu empty jobs: enqueue to start and end to return, together, in microseconds: median %.1f, "
           "least %.1f, 90 %% within %.1f; the job itself %.1f\n",
           count, both[count / 2], both[0], both[count * 9 / 10], job);
    free(both);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    struct strbuf image = {0};
    struct figures *figures = calloc(count ? count : 1, sizeof *figures);
    if (!count || !figures)
        return 2;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    CHECK(status);
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, &device, CL_TULLE_KERNEL, &status);
    CHECK(status);
    cl_kernel kernel = clCreateKernel(program, CL_TULLE_KERNEL, &status);
    CHECK(status);
    image_of_nothing(&image);
    cl_mem code = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, image.len, image.text, &status);
    CHECK(status);
    CHECK(clSetKernelArg(kernel, 0, sizeof code, &code));
    for (cl_uint s = 1; s < 8; s++)
        CHECK(clSetKernelArg(kernel, s, sizeof(cl_mem), NULL));
    for (size_t i = 0; i < count; i++)
        figures[i] = run(queue, kernel);
    report(figures, count);
    CHECK(clReleaseMemObject(code));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    sb_free(&image);
    free(figures);
    return 0;
}
