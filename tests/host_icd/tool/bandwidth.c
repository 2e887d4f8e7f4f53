/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast the driver moves contents: clEnqueueWriteBuffer and
 * clEnqueueReadBuffer, blocking, beside memcpy of as many bytes in the same
 * run. Each is taken in turn, and the best of several turns counts, after one
 * that touches the pages. Not a test: it depends on the machine.
 *
 *   icd-bandwidth [MIB]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 8
#define DEVICES_MAX 16
#define NAME_BYTES 256

#define CHECK(call)                                                                               \
    do {                                                                                          \
        cl_int check_status_ = (call);                                                            \
        if (check_status_ != CL_SUCCESS) {                                                        \
            fprintf(stderr, "icd-bandwidth: %s: %d (line %d)\n", #call, check_status_, __LINE__); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

struct bench {
    cl_command_queue queue;
    cl_mem memory;
    unsigned char *from, *to;
    size_t bytes;
};

static void copy(const struct bench *b)
{
    memcpy(b->to, b->from, b->bytes);
}

static void write(const struct bench *b)
{
    CHECK(clEnqueueWriteBuffer(b->queue, b->memory, CL_TRUE, 0, b->bytes, b->from, 0, NULL, NULL));
}

static void read(const struct bench *b)
{
    CHECK(clEnqueueReadBuffer(b->queue, b->memory, CL_TRUE, 0, b->bytes, b->to, 0, NULL, NULL));
}

static double seconds(const struct bench *b, void (*way)(const struct bench *))
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    way(b);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

/* What is read is what was written, so that a fast answer is an answer. */
static bool measure(struct bench *b, const char *name)
{
    void (*const ways[])(const struct bench *) = {copy, write, read};
    double best[3] = {0};
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned w = 0; w < 3; w++) {
            memset(b->from, (int)turn + 1, 4096);
            double now = seconds(b, ways[w]);
            best[w] = turn < 2 || now < best[w] ? now : best[w];
        }
    double copied = (double)b->bytes / best[0] / 1e9;
    printf("%s: %zu MiB: memcpy %.1f GB/s, write %.2f and read %.2f of it\n", name, b->bytes >> 20, copied,
           best[0] / best[1], best[0] / best[2]);
    return !memcmp(b->from, b->to, b->bytes);
}

static void on_device(cl_device_id device, struct bench *b)
{
    char name[NAME_BYTES];
    cl_int status;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    b->queue = clCreateCommandQueue(context, device, 0, &status);
    CHECK(status);
    b->memory = clCreateBuffer(context, 0, b->bytes, NULL, &status);
    CHECK(status);
    bool right = measure(b, name);
    CHECK(clReleaseMemObject(b->memory));
    CHECK(clReleaseCommandQueue(b->queue));
    CHECK(clReleaseContext(context));
    if (!right) {
        fprintf(stderr, "icd-bandwidth: %s: what was read is not what was written\n", name);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
    cl_platform_id platform;
    cl_device_id device[DEVICES_MAX];
    cl_uint count = 0;
    if (!mib || mib > 4096)
        return 2;
    struct bench b = {.bytes = mib << 20, .from = malloc(mib << 20), .to = calloc(1, mib << 20)};
    if (!b.from || !b.to)
        exit(1);
    for (size_t i = 0; i < b.bytes; i++)
        b.from[i] = (unsigned char)(i * 31 + (i >> 12));
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, DEVICES_MAX, device, &count));
    for (cl_uint d = 0; d < count && d < DEVICES_MAX; d++)
        on_device(device[d], &b);
    free(b.from);
    free(b.to);
    return 0;
}
