/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver costs a job: an empty one on the functional model, from
 * clEnqueueTask to its start on the device and from its end there to the
 * return of clWaitForEvents. With a second device of the same kind, also what
 * it costs that others can watch the job: the second device is not watched,
 * and jobs take turns on the two. Not a test: it depends on the machine.
 *
 *   icd-latency [JOBS]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "host/icd/tulle_cl.h"
#include "host/monitor/monitor.h"
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

/* A device with a job that does nothing. */
struct subject {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem code;
    struct figures *figures;
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

static struct figures run(const struct subject *s)
{
    cl_event event;
    cl_ulong called = now();
    CHECK(clEnqueueTask(s->queue, s->kernel, 0, NULL, &event));
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

/* Half of the jobs takes less than this in all. */
static double median(const struct figures *f, size_t count)
{
    double *all = malloc(count * sizeof *all);
    if (!all)
        exit(1);
    for (size_t i = 0; i < count; i++)
        all[i] = f[i].begin + f[i].job + f[i].end;
    qsort(all, count, sizeof *all, ascending);
    double middle = all[count / 2];
    free(all);
    return middle;
}

/* The device is used, so that it is watched or not from now on. */
static struct subject begin(cl_device_id device, size_t count)
{
    cl_int status;
    struct strbuf image = {0};
    struct subject s = {.figures = calloc(count, sizeof *s.figures)};
    if (!s.figures)
        exit(1);
    s.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    s.queue = clCreateCommandQueue(s.context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    CHECK(status);
    s.program = clCreateProgramWithBuiltInKernels(s.context, 1, &device, CL_TULLE_KERNEL, &status);
    CHECK(status);
    s.kernel = clCreateKernel(s.program, CL_TULLE_KERNEL, &status);
    CHECK(status);
    image_of_nothing(&image);
    s.code = clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, image.len, image.text, &status);
    CHECK(status);
    CHECK(clSetKernelArg(s.kernel, 0, sizeof s.code, &s.code));
    for (cl_uint i = 1; i < 8; i++)
        CHECK(clSetKernelArg(s.kernel, i, sizeof(cl_mem), NULL));
    run(&s);
    sb_free(&image);
    return s;
}

static void end(struct subject *s)
{
    CHECK(clReleaseMemObject(s->code));
    CHECK(clReleaseKernel(s->kernel));
    CHECK(clReleaseProgram(s->program));
    CHECK(clReleaseCommandQueue(s->queue));
    CHECK(clReleaseContext(s->context));
    free(s->figures);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    cl_platform_id platform;
    cl_device_id device[2];
    cl_uint devices = 0;
    struct subject subject[2];
    if (!count)
        return 2;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 2, device, &devices));
    devices = devices > 2 ? 2 : devices;
    for (cl_uint d = 0; d < devices; d++) {
        if (d && setenv(MONITOR_VARIABLE, "off", 1) != 0)
            return 1;
        subject[d] = begin(device[d], count);
    }
    for (size_t i = 0; i < count; i++)
        for (cl_uint d = 0; d < devices; d++)
            subject[d].figures[i] = run(&subject[d]);
    report(subject[0].figures, count);
    if (devices > 1) {
        double watched = median(subject[0].figures, count), alone = median(subject[1].figures, count);
        printf("a job in all, median: %.2f us watched, %.2f us not watched, %+.2f %%\n", watched, alone,
               100 * (watched / alone - 1));
    }
    for (cl_uint d = 0; d < devices; d++)
        end(&subject[d]);
    return 0;
}
