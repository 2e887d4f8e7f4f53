/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host may do with a buffer: each flag of CL_MEM_HOST_..., with each
 * call by which the host reads and writes. The device may do everything.
 */
#include "support.h"

#include <criterion/criterion.h>
#include <string.h>

#define BYTES 64

enum way { READ, READ_RECT, MAP_READ, WRITE, WRITE_RECT, MAP_WRITE, MAP_OVER, MAP_BOTH, WAYS };

static cl_int map_it(cl_command_queue queue, cl_mem m, cl_map_flags flags)
{
    cl_int status = CL_SUCCESS;
    void *at = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, 0, BYTES, 0, NULL, NULL, &status);
    return at ? clEnqueueUnmapMemObject(queue, m, at, 0, NULL, NULL) : status;
}

static cl_int do_it(cl_command_queue queue, cl_mem m, enum way way)
{
    unsigned char host[BYTES] = {0};
    const size_t at[3] = {0}, region[3] = {8, 2, 1};
    switch (way) {
    case READ:
        return clEnqueueReadBuffer(queue, m, CL_TRUE, 0, BYTES, host, 0, NULL, NULL);
    case WRITE:
        return clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, BYTES, host, 0, NULL, NULL);
    case READ_RECT:
        return clEnqueueReadBufferRect(queue, m, CL_TRUE, at, at, region, 0, 0, 0, 0, host, 0, NULL, NULL);
    case WRITE_RECT:
        return clEnqueueWriteBufferRect(queue, m, CL_TRUE, at, at, region, 0, 0, 0, 0, host, 0, NULL, NULL);
    case MAP_READ:
        return map_it(queue, m, CL_MAP_READ);
    case MAP_WRITE:
        return map_it(queue, m, CL_MAP_WRITE);
    case MAP_OVER:
        return map_it(queue, m, CL_MAP_WRITE_INVALIDATE_REGION);
    default:
        return map_it(queue, m, CL_MAP_READ | CL_MAP_WRITE);
    }
}

static bool allowed(cl_mem_flags flags, enum way way)
{
    bool reads = way <= MAP_READ || way == MAP_BOTH, writes = way >= WRITE;
    return !(flags & CL_MEM_HOST_NO_ACCESS) && !(reads && (flags & CL_MEM_HOST_WRITE_ONLY)) &&
           !(writes && (flags & CL_MEM_HOST_READ_ONLY));
}

/* The first way that is not answered as it should be, or WAYS. */
static unsigned first_wrong(cl_command_queue queue, cl_mem m, cl_mem_flags flags)
{
    for (unsigned way = 0; way < WAYS; way++)
        if (do_it(queue, m, way) != (allowed(flags, way) ? CL_SUCCESS : CL_INVALID_OPERATION))
            return way;
    return WAYS;
}

/* Fills and copies are the device's. */
static bool device_may(cl_command_queue queue, cl_mem m, cl_mem open)
{
    char byte = 0;
    return clEnqueueFillBuffer(queue, m, "d", 1, 0, BYTES, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueCopyBuffer(queue, m, open, 0, 0, BYTES, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueReadBuffer(queue, open, CL_TRUE, BYTES - 1, 1, &byte, 0, NULL, NULL) == CL_SUCCESS &&
           byte == 'd' && clEnqueueCopyBuffer(queue, open, m, 0, 0, BYTES, 0, NULL, NULL) == CL_SUCCESS;
}

Test(host_access, is_what_the_flags_say)
{
    static const cl_mem_flags flags[] = {0, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY,
                                         CL_MEM_HOST_NO_ACCESS};
    unsigned char contents[BYTES] = {1};
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_mem open = make_buffer(rig.context, 0, BYTES, NULL);
    for (unsigned i = 0; i < 8; i++) {
        cl_mem_flags place = i < 4 ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR;
        cl_mem m = make_buffer(rig.context, flags[i % 4] | place, BYTES, contents);
        unsigned way = first_wrong(rig.queue, m, flags[i % 4]);
        cr_assert_eq(way, WAYS, "flags 0x%x: way %u", (unsigned)flags[i % 4], way);
        cr_assert(device_may(rig.queue, m, open), "flags 0x%x", (unsigned)flags[i % 4]);
        ok(clReleaseMemObject(m));
    }
    ok(clReleaseMemObject(open));
    rig_close(&rig);
}
