/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers: their contents on their ways, on one device and between two.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/random.h"
#include "support.h"

#define BYTES 100000

static cl_mem buffer(struct rig *rig, cl_mem_flags flags, size_t bytes, void *host)
{
    return make_buffer(rig->context, flags, bytes, host);
}

static void fill(unsigned char *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 251 + seed);
}

Test(transfers, what_is_written_is_read)
{
    struct rig rig;
    static unsigned char from[BYTES], to[BYTES];
    rig_open(&rig, "model:tiny");
    cl_mem m = buffer(&rig, CL_MEM_READ_WRITE, BYTES, NULL);
    fill(from, BYTES, 1);
    ok(clEnqueueWriteBuffer(rig.queue, m, CL_FALSE, 0, BYTES, from, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
    cr_assert_eq(memcmp(from, to, BYTES), 0);
    ok(clEnqueueWriteBuffer(rig.queue, m, CL_TRUE, 777, 5, "hello", 0, NULL, NULL));
    memcpy(from + 777, "hello", 5);
    ok(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 770, 100, to, 0, NULL, NULL));
    cr_assert_eq(memcmp(from + 770, to, 100), 0);
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

Test(transfers, contents_from_the_beginning)
{
    struct rig rig;
    static unsigned char from[BYTES], to[BYTES], copy[BYTES];
    rig_open(&rig, "model:tiny,model:base");
    fill(from, BYTES, 2);
    memcpy(copy, from, BYTES);
    cl_mem m = buffer(&rig, CL_MEM_COPY_HOST_PTR, BYTES, from),
           n = buffer(&rig, CL_MEM_USE_HOST_PTR, BYTES, from);
    memset(from, 0, 50); /* after creation: a copy does not see it */
    ok(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
    cr_assert_eq(memcmp(copy, to, BYTES), 0);
    cl_int status;
    void *at =
        clEnqueueMapBuffer(rig.queue, n, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 10, 60, 0, NULL, NULL, &status);
    ok(status);
    cr_assert_eq(at, from + 10, "mapped where the host's memory is");
    cr_assert_eq(memcmp(at, copy + 10, 60), 0);
    memset(at, 0x77, 60);
    ok(clEnqueueUnmapMemObject(rig.queue, n, at, 0, NULL, NULL));
    memset(copy + 10, 0x77, 60);
    ok(clEnqueueReadBuffer(rig.queue, n, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
    cr_assert_eq(memcmp(copy, to, BYTES), 0);
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(n));
    rig_close(&rig);
}

Test(transfers, copies_and_fills)
{
    struct rig rig;
    static unsigned char from[BYTES], to[BYTES];
    rig_open(&rig, "model:tiny");
    fill(from, BYTES, 3);
    cl_mem m = buffer(&rig, CL_MEM_COPY_HOST_PTR, BYTES, from), n = buffer(&rig, 0, BYTES, NULL);
    ok(clEnqueueFillBuffer(rig.queue, n, "abcdefgh", 8, 0, BYTES, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(rig.queue, m, n, 5, 40001, 50000, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(rig.queue, n, n, 40001, 0, 40001, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(rig.queue, n, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
    cr_assert_eq(memcmp(to, from + 5, 40001), 0);
    cr_assert_eq(memcmp(to + 40001, from + 5, 50000), 0);
    for (size_t i = 90001; i < BYTES; i++)
        cr_assert_eq(to[i], "abcdefgh"[i % 8]);
    for (size_t pattern = 1; pattern <= 128; pattern *= 2) {
        ok(clEnqueueFillBuffer(rig.queue, n, from, pattern, 128, 50048, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(rig.queue, n, CL_TRUE, 128, 50048, to, 0, NULL, NULL));
        for (size_t i = 0; i < 50048; i++)
            cr_assert_eq(to[i], from[i % pattern]);
    }
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(n));
    rig_close(&rig);
}

Test(transfers, maps)
{
    struct rig rig;
    unsigned char to[4096];
    cl_int status;
    cl_uint count = 99;
    rig_open(&rig, "model:tiny");
    cl_mem m = buffer(&rig, CL_MEM_ALLOC_HOST_PTR, 4096, NULL);
    ok(clEnqueueFillBuffer(rig.queue, m, "x", 1, 0, 4096, 0, NULL, NULL));
    char *one = clEnqueueMapBuffer(rig.queue, m, CL_TRUE, CL_MAP_READ, 0, 4096, 0, NULL, NULL, &status);
    ok(status);
    cr_assert_eq((uintptr_t)one % 128, 0);
    cr_assert(one[0] == 'x' && one[4095] == 'x');
    char *two = clEnqueueMapBuffer(rig.queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 100, 10, 0, NULL,
                                   NULL, &status);
    ok(status);
    ok(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    cr_assert_eq(count, 2);
    memset(two, 'y', 10);
    one[0] = 'z'; /* mapped to be read: goes nowhere */
    ok(clEnqueueUnmapMemObject(rig.queue, m, two, 0, NULL, NULL));
    ok(clEnqueueUnmapMemObject(rig.queue, m, one, 0, NULL, NULL));
    is(clEnqueueUnmapMemObject(rig.queue, m, one, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, 4096, to, 0, NULL, NULL));
    cr_assert(to[0] == 'x' && to[99] == 'x' && to[100] == 'y' && to[109] == 'y' && to[110] == 'x');
    cr_assert(clEnqueueMapBuffer(rig.queue, m, CL_TRUE, CL_MAP_WRITE, 0, 5, 0, NULL, NULL, NULL),
              "one that stays mapped does not leak");
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

Test(transfers, from_device_to_device)
{
    struct rig rig;
    static unsigned char from[BYTES], to[BYTES];
    rig_open(&rig, "model:tiny,model:base,model:odd;memory=1M");
    cl_command_queue queue[3];
    for (unsigned i = 0; i < 3; i++)
        queue[i] = make_queue(rig.context, rig.device[i], 0);
    cl_mem m = buffer(&rig, 0, BYTES, NULL);
    for (unsigned turn = 0; turn < 9; turn++) {
        fill(from, BYTES, turn);
        ok(clEnqueueWriteBuffer(queue[turn % 3], m, CL_TRUE, 0, BYTES / 2, from, 0, NULL, NULL));
        ok(clEnqueueWriteBuffer(queue[turn / 3], m, CL_TRUE, BYTES / 2, BYTES / 2, from + BYTES / 2, 0, NULL,
                                NULL));
        ok(clEnqueueReadBuffer(queue[turn * 5 % 3], m, CL_TRUE, 0, BYTES, to, 0, NULL, NULL));
        cr_assert_eq(memcmp(from, to, BYTES), 0);
    }
    for (unsigned i = 0; i < 3; i++)
        ok(clReleaseCommandQueue(queue[i]));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void no_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int wanted)
{
    none(clCreateBuffer(context, flags, bytes, host, &refusal), wanted);
    cr_assert_null(clCreateBuffer(context, flags, bytes, host, NULL));
}

Test(transfers, buffers_that_cannot_be)
{
    struct rig rig;
    char host[8];
    rig_open(&rig, "model:tiny;memory=1M");
    no_buffer(NULL, 0, 8, NULL, CL_INVALID_CONTEXT);
    no_buffer(rig.context, 0, 0, NULL, CL_INVALID_BUFFER_SIZE);
    no_buffer(rig.context, 0, (1 << 20) - 65535, NULL, CL_INVALID_BUFFER_SIZE);
    no_buffer(rig.context, 0, SIZE_MAX, NULL, CL_INVALID_BUFFER_SIZE);
    no_buffer(rig.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, NULL, CL_INVALID_VALUE);
    no_buffer(rig.context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 8, NULL, CL_INVALID_VALUE);
    no_buffer(rig.context, (cl_mem_flags)1 << 40, 8, NULL, CL_INVALID_VALUE);
    no_buffer(rig.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 8, host, CL_INVALID_VALUE);
    no_buffer(rig.context, CL_MEM_USE_HOST_PTR, 8, NULL, CL_INVALID_HOST_PTR);
    no_buffer(rig.context, 0, 8, host, CL_INVALID_HOST_PTR);
    cl_mem all = buffer(&rig, 0, (1 << 20) - 65536, NULL);
    no_buffer(rig.context, 0, 1, NULL, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    ok(clReleaseMemObject(all));
    ok(clReleaseMemObject(buffer(&rig, 0, (1 << 20) - 65536, NULL)));
    is(clReleaseMemObject((cl_mem)rig.queue), CL_INVALID_MEM_OBJECT);
    rig_close(&rig);
}

Test(transfers, what_fits_one_device_and_not_the_other)
{
    struct rig rig;
    cl_ulong most[2];
    rig_open(&rig, "model:tiny;memory=1M,model:tiny;memory=2M");
    for (unsigned i = 0; i < 2; i++)
        ok(clGetDeviceInfo(rig.device[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most[i], &most[i], NULL));
    no_buffer(rig.context, 0, most[1] + 1, NULL, CL_INVALID_BUFFER_SIZE);
    no_buffer(rig.context, 0, most[1], NULL, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    no_buffer(rig.context, 0, most[0] + 1, NULL, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    ok(clReleaseMemObject(buffer(&rig, 0, most[0], NULL)));
    rig_close(&rig);
}

/* Buffers come and go, some of them while commands still hold them: in the end all of the memory is free. */
Test(transfers, memory_that_was_let_go_is_found_again)
{
    struct rig rig;
    struct random random = {3};
    cl_mem held[40] = {NULL};
    unsigned refused = 0;
    cl_int status;
    rig_open(&rig, "model:tiny;memory=1M");
    for (unsigned turn = 0; turn < 4000; turn++) {
        cl_mem *m = &held[random_below(&random, 40)];
        if (*m) {
            ok(clEnqueueFillBuffer(rig.queue, *m, "f", 1, 0, 1, 0, NULL, NULL));
            ok(clReleaseMemObject(*m));
            *m = NULL;
            continue;
        }
        *m = clCreateBuffer(rig.context, 0, 1 + (size_t)random_below(&random, 100000), NULL, &status);
        cr_assert_eq(status, *m ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
        refused += !*m;
    }
    cr_assert(refused > 100, "%u", refused);
    for (unsigned i = 0; i < 40; i++)
        if (held[i])
            ok(clReleaseMemObject(held[i]));
    ok(clFinish(rig.queue));
    ok(clReleaseMemObject(buffer(&rig, 0, (1 << 20) - 65536, NULL)));
    rig_close(&rig);
}

Test(transfers, ranges_and_rights)
{
    struct rig rig;
    char host[64];
    rig_open(&rig, "model:tiny");
    cl_context other = make_context(rig.device[0]);
    cl_mem m = buffer(&rig, 0, 64, NULL), foreign = make_buffer(other, 0, 64, NULL);
    cl_mem unread = buffer(&rig, CL_MEM_HOST_WRITE_ONLY, 64, NULL),
           unwritten = buffer(&rig, CL_MEM_HOST_READ_ONLY, 64, NULL);
    cl_command_queue q = rig.queue;
#define READ(memory, offset, bytes, to) \
    clEnqueueReadBuffer(q, memory, CL_TRUE, offset, bytes, to, 0, NULL, NULL)
#define WRITE(memory, offset, bytes, from) \
    clEnqueueWriteBuffer(q, memory, CL_TRUE, offset, bytes, from, 0, NULL, NULL)
#define FILL(pattern, offset, bytes) clEnqueueFillBuffer(q, m, host, pattern, offset, bytes, 0, NULL, NULL)
#define COPY(from, to, bytes) clEnqueueCopyBuffer(q, m, m, from, to, bytes, 0, NULL, NULL)
    is(READ(m, 1, 64, host), CL_INVALID_VALUE);
    is(READ(m, 65, 1, host), CL_INVALID_VALUE);
    is(READ(m, SIZE_MAX, 2, host), CL_INVALID_VALUE);
    is(READ(m, 0, 0, host), CL_INVALID_VALUE);
    is(READ(m, 0, 8, NULL), CL_INVALID_VALUE);
    is(READ(NULL, 0, 8, host), CL_INVALID_MEM_OBJECT);
    is(READ(foreign, 0, 8, host), CL_INVALID_CONTEXT);
    is(READ(unread, 0, 8, host), CL_INVALID_OPERATION);
    is(WRITE(unwritten, 0, 8, host), CL_INVALID_OPERATION);
    is(WRITE(m, 60, 5, host), CL_INVALID_VALUE);
    is(FILL(3, 0, 9), CL_INVALID_VALUE);
    is(FILL(4, 2, 4), CL_INVALID_VALUE);
    is(FILL(4, 4, 6), CL_INVALID_VALUE);
    is(FILL(256, 0, 0), CL_INVALID_VALUE);
    is(COPY(0, 8, 9), CL_MEM_COPY_OVERLAP);
    is(COPY(8, 0, 9), CL_MEM_COPY_OVERLAP);
    is(COPY(0, 60, 5), CL_INVALID_VALUE);
    ok(COPY(0, 8, 8));
    is(clEnqueueReadBuffer(NULL, m, CL_TRUE, 0, 8, host, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    is(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 8, host, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    none(clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 60, 5, 0, NULL, NULL, &refusal), CL_INVALID_VALUE);
    none(clEnqueueMapBuffer(q, unread, CL_TRUE, CL_MAP_READ, 0, 5, 0, NULL, NULL, &refusal),
         CL_INVALID_OPERATION);
    cr_assert_null(clEnqueueMapBuffer(q, unwritten, CL_TRUE, CL_MAP_WRITE, 0, 5, 0, NULL, NULL, NULL));
    is(clEnqueueUnmapMemObject(q, m, host, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clEnqueueMigrateMemObjects(q, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    is(clEnqueueMigrateMemObjects(q, 0, &m, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(foreign));
    ok(clReleaseMemObject(unread));
    ok(clReleaseMemObject(unwritten));
    ok(clReleaseContext(other));
    rig_close(&rig);
}

static char order[8];
static void CL_CALLBACK note(cl_mem m, void *letter)
{
    (void)m;
    strncat(order, letter, 1);
}

Test(transfers, what_a_buffer_tells)
{
    struct rig rig;
    size_t size = 0;
    cl_mem_flags flags = 0;
    void *at = NULL;
    static char host[256];
    rig_open(&rig, "model:tiny");
    cl_mem m = buffer(&rig, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 256, host);
    ok(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL));
    ok(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    ok(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof at, &at, NULL));
    cr_assert(size == 256 && flags == (CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY) && at == host);
    is(clGetMemObjectInfo(m, 0x7777, sizeof at, &at, NULL), CL_INVALID_VALUE);
    is(clSetMemObjectDestructorCallback(m, NULL, NULL), CL_INVALID_VALUE);
    ok(clSetMemObjectDestructorCallback(m, note, "a"));
    ok(clSetMemObjectDestructorCallback(m, note, "b"));
    ok(clReleaseMemObject(m));
    cr_assert_str_eq(order, "ba");
    rig_close(&rig);
}
