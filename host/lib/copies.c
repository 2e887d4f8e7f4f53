/* SPDX-License-Identifier: Apache-2.0
 *
 * What copies between host and device take, for programs that choose where to
 * compute.
 */
#include <stdlib.h>
#include <time.h>

#include "host/lib/library.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Both directions, one after the other; what the queue had before is not counted. */
static enum tulle_status copy(struct tulle_device *d, cl_mem buffer, void *bytes, size_t count,
                              double *to_device, double *from_device)
{
    cl_int code = clFinish(d->queue);
    const double began = now();
    if (!code)
        code = clEnqueueWriteBuffer(d->queue, buffer, CL_TRUE, 0, count, bytes, 0, NULL, NULL);
    const double there = now();
    if (!code)
        code = clEnqueueReadBuffer(d->queue, buffer, CL_TRUE, 0, count, bytes, 0, NULL, NULL);
    if (code)
        return message_opencl("a copy", code);
    *to_device = there - began;
    *from_device = now() - there;
    return TULLE_OK;
}

enum tulle_status tulle_device_copy(struct tulle_device *device, uint64_t bytes, double *to_device,
                                    double *from_device)
{
    cl_int code;
    if (!device || !to_device || !from_device)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "tulle_device_copy: device, to_device or from_device is NULL");
    if (!bytes || bytes > device->largest)
        return message_set(TULLE_RANGE, "tulle_device_copy: bytes is %llu; it is from 1 to %llu",
                           (unsigned long long)bytes, (unsigned long long)device->largest);
    enum tulle_status status = device_check(device);
    if (status)
        return status;
    void *room = calloc(1, bytes);
    if (!room)
        return message_no_memory();
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    status = buffer ? TULLE_OK : message_opencl("memory for a copy", code);
    for (int i = 0; !status && i < 2; i++) /* memory of runs has been used before */
        status = copy(device, buffer, room, bytes, to_device, from_device);
    if (buffer)
        clReleaseMemObject(buffer);
    free(room);
    return status;
}
