/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of buffers: sub-buffers, which share their contents with the whole,
 * and rectangles, against plain loops over bytes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/random.h"
#include "support.h"

#define BLOCK 4096
#define BYTES ((size_t)8 * BLOCK)

static cl_mem whole_buffer(struct rig *rig, cl_mem_flags flags, void *host)
{
    return make_buffer(rig->context, flags, BYTES, host);
}

static cl_mem part(cl_mem whole, cl_mem_flags flags, size_t origin, size_t size)
{
    cl_int status;
    const cl_buffer_region region = {origin, size};
    cl_mem m = clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    ok(status);
    return m;
}

static void fill(struct rig *rig, cl_mem m, unsigned char byte, size_t offset, size_t bytes)
{
    ok(clEnqueueFillBuffer(rig->queue, m, &byte, 1, offset, bytes, 0, NULL, NULL));
}

static unsigned char byte_at(cl_command_queue queue, cl_mem m, size_t offset)
{
    unsigned char byte = 0;
    ok(clEnqueueReadBuffer(queue, m, CL_TRUE, offset, 1, &byte, 0, NULL, NULL));
    return byte;
}

/* ---- sub-buffers --------------------------------------------------------------------------------- */

Test(sub_buffers, share_their_contents)
{
    struct rig rig;
    rig_open(&rig, "model:tiny,model:base");
    cl_command_queue other = make_queue(rig.context, rig.device[1], 0);
    cl_mem m = whole_buffer(&rig, 0, NULL), a = part(m, 0, BLOCK, 2 * BLOCK),
           b = part(m, 0, (size_t)2 * BLOCK, 100);
    fill(&rig, m, 'm', 0, BYTES);
    fill(&rig, a, 'a', 0, (size_t)2 * BLOCK);
    fill(&rig, b, 'b', 10, 5);
    ok(clFinish(rig.queue));
    static const struct {
        size_t at;
        char byte;
    } wanted[] = {{0, 'm'},
                  {BLOCK - 1, 'm'},
                  {BLOCK, 'a'},
                  {2 * BLOCK + 9, 'a'},
                  {2 * BLOCK + 10, 'b'},
                  {2 * BLOCK + 14, 'b'},
                  {2 * BLOCK + 15, 'a'},
                  {3 * BLOCK - 1, 'a'},
                  {3 * BLOCK, 'm'}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_assert_eq(byte_at(i % 2 ? other : rig.queue, m, wanted[i].at), wanted[i].byte, "%zu",
                     wanted[i].at);
    cr_assert_eq(byte_at(other, a, BLOCK + 10), 'b', "overlapping parts see each other, on any device");
    cr_assert_eq(byte_at(rig.queue, b, 10), 'b');
    ok(clEnqueueCopyBuffer(rig.queue, a, b, 0, 50, 50, 0, NULL, NULL));
    cr_assert_eq(byte_at(rig.queue, m, 2 * BLOCK + 99), 'a');
    ok(clReleaseMemObject(m)); /* parts hold it */
    cr_assert_eq(byte_at(rig.queue, b, 10), 'b');
    ok(clReleaseMemObject(b));
    ok(clReleaseMemObject(a));
    ok(clReleaseCommandQueue(other));
    rig_close(&rig);
}

Test(sub_buffers, are_arguments_of_jobs)
{
    struct rig rig;
    struct buffers buffers;
    rig_open(&rig, "model:tiny");
    struct work work = work_make(3);
    buffers_make(&buffers, rig.context, rig.program, &work);
    cl_mem m = whole_buffer(&rig, 0, NULL), output = part(m, 0, (size_t)3 * BLOCK, work.output_bytes);
    cr_assert(work.output_bytes <= 4 * BLOCK);
    fill(&rig, m, 0x3C, 0, BYTES);
    ok(clSetKernelArg(buffers.kernel, SLOT_OUTPUT, sizeof output, &output));
    ok(clReleaseMemObject(buffers.slot[SLOT_OUTPUT]));
    buffers.slot[SLOT_OUTPUT] = output;
    cr_assert(work_run(&work, &buffers, rig.queue, NULL));
    cr_assert_eq(byte_at(rig.queue, m, 3 * BLOCK - 1), 0x3C);
    cr_assert_eq(byte_at(rig.queue, m, 3 * BLOCK + work.output_bytes), 0x3C);
    ok(clReleaseMemObject(m));
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

/* What is asked of a part that was made with these flags. */
static cl_mem_flags flags_of_part(struct rig *rig, cl_mem_flags whole, cl_mem_flags flags, void *host)
{
    cl_mem_flags got = 0;
    cl_mem m = whole_buffer(rig, whole, host), p = part(m, flags, 0, 1);
    ok(clGetMemObjectInfo(p, CL_MEM_FLAGS, sizeof got, &got, NULL));
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(m));
    return got;
}

Test(sub_buffers, inherit_what_is_not_said)
{
    struct rig rig;
    static char host[BYTES];
    rig_open(&rig, "model:tiny");
    cr_assert_eq(flags_of_part(&rig, 0, 0, NULL), CL_MEM_READ_WRITE);
    cr_assert_eq(flags_of_part(&rig, 0, CL_MEM_READ_ONLY, NULL), CL_MEM_READ_ONLY);
    cr_assert_eq(flags_of_part(&rig, CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY, 0, NULL),
                 CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY);
    cr_assert_eq(flags_of_part(&rig, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS, NULL),
                 CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    cr_assert_eq(flags_of_part(&rig, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY, host),
                 CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR);
    cr_assert_eq(flags_of_part(&rig, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 0, host),
                 CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    rig_close(&rig);
}

Test(sub_buffers, what_they_tell)
{
    struct rig rig;
    static char host[BYTES];
    cl_mem associated = NULL;
    size_t offset = 1, size = 0;
    void *at = NULL;
    cl_int status;
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, CL_MEM_USE_HOST_PTR, host), p = part(m, 0, BLOCK, 77);
    ok(clGetMemObjectInfo(p, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof associated, &associated, NULL));
    ok(clGetMemObjectInfo(p, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    ok(clGetMemObjectInfo(p, CL_MEM_SIZE, sizeof size, &size, NULL));
    ok(clGetMemObjectInfo(p, CL_MEM_HOST_PTR, sizeof at, &at, NULL));
    cr_assert(associated == m && offset == BLOCK && size == 77 && at == host + BLOCK);
    ok(clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof associated, &associated, NULL));
    ok(clGetMemObjectInfo(m, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    cr_assert(!associated && offset == 0);
    fill(&rig, p, 'p', 0, 77);
    at = clEnqueueMapBuffer(rig.queue, p, CL_TRUE, CL_MAP_READ, 7, 70, 0, NULL, NULL, &status);
    ok(status);
    cr_assert(at == host + BLOCK + 7 && host[BLOCK + 7] == 'p' && host[BLOCK + 76] == 'p');
    cr_assert(host[BLOCK + 6] == 0 && host[BLOCK + 77] == 0);
    is(clEnqueueUnmapMemObject(rig.queue, m, at, 0, NULL, NULL), CL_INVALID_VALUE);
    ok(clEnqueueUnmapMemObject(rig.queue, p, at, 0, NULL, NULL));
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

static void no_part(cl_mem whole, cl_mem_flags flags, const cl_buffer_region *region, cl_int wanted)
{
    none(clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, region, &refusal), wanted);
    cr_assert_null(clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, region, NULL));
}

Test(sub_buffers, that_cannot_be)
{
    struct rig rig;
    const cl_buffer_region right = {BLOCK, BLOCK}, empty = {0, 0}, odd = {BLOCK / 2, 8},
                           over = {BLOCK, BYTES - BLOCK + 1}, behind = {BYTES + BLOCK, 1},
                           huge = {BLOCK, SIZE_MAX};
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, 0, NULL), p = part(m, 0, 0, BYTES);
    no_part(NULL, 0, &right, CL_INVALID_MEM_OBJECT);
    no_part((cl_mem)rig.queue, 0, &right, CL_INVALID_MEM_OBJECT);
    no_part(p, 0, &right, CL_INVALID_MEM_OBJECT);
    no_part(m, 0, NULL, CL_INVALID_VALUE);
    no_part(m, 0, &empty, CL_INVALID_BUFFER_SIZE);
    no_part(m, 0, &over, CL_INVALID_VALUE);
    no_part(m, 0, &behind, CL_INVALID_VALUE);
    no_part(m, 0, &huge, CL_INVALID_VALUE);
    no_part(m, 0, &odd, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    static const cl_mem_flags never[] = {CL_MEM_USE_HOST_PTR,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                         CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                         (cl_mem_flags)1 << 40};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        no_part(m, never[i], &right, CL_INVALID_VALUE);
    none(clCreateSubBuffer(m, 0, 0x7777, &right, &refusal), CL_INVALID_VALUE);
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(m));
    static const struct {
        cl_mem_flags whole, part;
    } clash[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},          {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},           {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY}, {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},  {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY}};
    for (size_t i = 0; i < sizeof clash / sizeof *clash; i++) {
        m = whole_buffer(&rig, clash[i].whole, NULL);
        no_part(m, clash[i].part, &right, CL_INVALID_VALUE);
        ok(clReleaseMemObject(m));
    }
    rig_close(&rig);
}

Test(sub_buffers, have_rights_and_bounds_of_their_own)
{
    struct rig rig;
    char byte = 0;
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, 0, NULL), p = part(m, CL_MEM_HOST_WRITE_ONLY, BLOCK, 10),
           q = part(m, 0, BLOCK, 100);
    is(clEnqueueReadBuffer(rig.queue, p, CL_TRUE, 0, 1, &byte, 0, NULL, NULL), CL_INVALID_OPERATION);
    is(clEnqueueWriteBuffer(rig.queue, p, CL_TRUE, 10, 1, &byte, 0, NULL, NULL), CL_INVALID_VALUE);
    is(clEnqueueFillBuffer(rig.queue, p, &byte, 1, 5, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    none(clEnqueueMapBuffer(rig.queue, p, CL_TRUE, CL_MAP_WRITE, 5, 6, 0, NULL, NULL, &refusal),
         CL_INVALID_VALUE);
    is(clEnqueueCopyBuffer(rig.queue, p, q, 0, 9, 10, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    is(clEnqueueCopyBuffer(rig.queue, m, q, BLOCK + 60, 51, 10, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    ok(clEnqueueCopyBuffer(rig.queue, p, q, 0, 10, 10, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(rig.queue, m, q, 0, 0, 10, 0, NULL, NULL));
    ok(clFinish(rig.queue));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(q));
    rig_close(&rig);
}

/* ---- rectangles ---------------------------------------------------------------------------------- */

struct box {
    size_t origin[3], row, slice;
};

/* With the pitches that a 0 stands for. */
static struct box explicit_box(struct box b, const size_t *region)
{
    b.row = b.row ? b.row : region[0];
    b.slice = b.slice ? b.slice : region[1] * b.row;
    return b;
}

static size_t byte_of(const struct box *b, size_t x, size_t y, size_t z)
{
    return (b->origin[2] + z) * b->slice + (b->origin[1] + y) * b->row + b->origin[0] + x;
}

static void plain_copy(unsigned char *to, const struct box *t, const unsigned char *from, const struct box *f,
                       const size_t *region)
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                to[byte_of(t, x, y, z)] = from[byte_of(f, x, y, z)];
}

static size_t below(struct random *r, size_t n)
{
    return (size_t)random_below(r, n);
}

static struct box random_box(struct random *r, const size_t *region)
{
    struct box b = {.row = below(r, 3) ? region[0] + below(r, 9) : 0};
    size_t row = b.row ? b.row : region[0];
    b.slice = below(r, 3) ? (region[1] + below(r, 3)) * row : 0;
    for (unsigned i = 0; i < 3; i++)
        b.origin[i] = below(r, 4);
    return b;
}

static void random_bytes(struct random *r, unsigned char *to)
{
    for (size_t i = 0; i < BYTES; i++)
        to[i] = (unsigned char)below(r, 256);
}

Test(rectangles, against_plain_loops)
{
    struct rig rig;
    struct random random = {11};
    static unsigned char image[2][BYTES], host[BYTES], wanted[BYTES], got[BYTES];
    rig_open(&rig, "model:tiny");
    cl_mem m[2] = {whole_buffer(&rig, 0, NULL), whole_buffer(&rig, 0, NULL)};
    for (unsigned turn = 0; turn < 150; turn++) {
        const size_t region[3] = {1 + below(&random, 20), 1 + below(&random, 8), 1 + below(&random, 5)};
        struct box a = random_box(&random, region), b = random_box(&random, region);
        const struct box pa = explicit_box(a, region), pb = explicit_box(b, region);
        for (unsigned i = 0; i < 2; i++) {
            random_bytes(&random, image[i]);
            ok(clEnqueueWriteBuffer(rig.queue, m[i], CL_TRUE, 0, BYTES, image[i], 0, NULL, NULL));
        }
        random_bytes(&random, host);
        memcpy(wanted, host, BYTES);
        plain_copy(wanted, &pb, image[0], &pa, region);
        ok(clEnqueueReadBufferRect(rig.queue, m[0], CL_TRUE, a.origin, b.origin, region, a.row, a.slice,
                                   b.row, b.slice, host, 0, NULL, NULL));
        cr_assert_eq(memcmp(host, wanted, BYTES), 0, "read, turn %u", turn);
        plain_copy(image[0], &pb, host, &pa, region);
        ok(clEnqueueWriteBufferRect(rig.queue, m[0], CL_FALSE, b.origin, a.origin, region, b.row, b.slice,
                                    a.row, a.slice, host, 0, NULL, NULL));
        plain_copy(image[1], &pb, image[0], &pa, region);
        ok(clEnqueueCopyBufferRect(rig.queue, m[0], m[1], a.origin, b.origin, region, a.row, a.slice, b.row,
                                   b.slice, 0, NULL, NULL));
        for (unsigned i = 0; i < 2; i++) {
            ok(clEnqueueReadBuffer(rig.queue, m[i], CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
            cr_assert_eq(memcmp(got, image[i], BYTES), 0, "%s, turn %u", i ? "copy" : "write", turn);
        }
    }
    ok(clReleaseMemObject(m[0]));
    ok(clReleaseMemObject(m[1]));
    rig_close(&rig);
}

/* Whether two rectangles have a byte in common, byte by byte. */
static bool meet(const struct box *a, const struct box *b, const size_t *region)
{
    static unsigned char seen[BYTES];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < region[0] * region[1] * region[2]; i++)
        seen[byte_of(a, i % region[0], i / region[0] % region[1], i / region[0] / region[1])] = 1;
    for (size_t i = 0; i < region[0] * region[1] * region[2]; i++)
        if (seen[byte_of(b, i % region[0], i / region[0] % region[1], i / region[0] / region[1])])
            return true;
    return false;
}

Test(rectangles, copies_that_overlap)
{
    struct rig rig;
    struct random random = {12};
    unsigned overlapping = 0, apart = 0;
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, 0, NULL), p = part(m, 0, 0, BYTES);
    for (unsigned turn = 0; turn < 600; turn++) {
        const size_t region[3] = {1 + below(&random, 6), 1 + below(&random, 4), 1 + below(&random, 3)};
        struct box a = random_box(&random, region), b = random_box(&random, region);
        if (turn % 2)
            b.row = a.row, b.slice = a.slice;
        for (unsigned i = 0; i < 3; i++)
            b.origin[i] += below(&random, 6);
        const struct box pa = explicit_box(a, region), pb = explicit_box(b, region);
        bool common = meet(&pa, &pb, region);
        cl_int status = clEnqueueCopyBufferRect(rig.queue, turn % 2 ? m : p, m, a.origin, b.origin, region,
                                                a.row, a.slice, b.row, b.slice, 0, NULL, NULL);
        cr_assert_eq(status, common ? CL_MEM_COPY_OVERLAP : CL_SUCCESS, "turn %u: %d", turn, status);
        overlapping += common;
        apart += !common;
    }
    cr_assert(overlapping > 50 && apart > 50, "%u and %u", overlapping, apart);
    ok(clFinish(rig.queue));
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

struct rect_case {
    const char *what;
    size_t origin[3], region[3], row, slice;
    cl_int moved, copied; /* what reads and writes answer, and copies */
};

static const struct rect_case rect_cases[] = {
    {"all of it", {0, 0, 0}, {BYTES, 1, 1}, 0, 0, CL_SUCCESS, CL_SUCCESS},
    {"to the end", {BLOCK - 8, 7, 0}, {8, 1, 1}, BLOCK, 0, CL_SUCCESS, CL_SUCCESS},
    {"one byte less than the last slice", {1, 0, 7}, {8, 2, 1}, 8, BLOCK, CL_SUCCESS, CL_SUCCESS},
    {"no bytes", {0, 0, 0}, {0, 1, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"no rows", {0, 0, 0}, {1, 0, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"no slices", {0, 0, 0}, {1, 1, 0}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a short pitch", {0, 0, 0}, {8, 2, 1}, 7, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a short slice of whole rows", {0, 0, 0}, {8, 2, 2}, 8, 8, CL_SUCCESS, CL_INVALID_VALUE},
    {"a long slice of broken rows", {0, 0, 0}, {8, 2, 2}, 8, 17, CL_SUCCESS, CL_INVALID_VALUE},
    {"a short slice of broken rows", {0, 0, 0}, {8, 2, 2}, 8, 15, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a byte behind the end", {1, 0, 0}, {BYTES, 1, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a row behind the end", {0, 1, 0}, {BLOCK, 8, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a slice behind the end", {0, 0, 1}, {BLOCK, 1, 8}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a long pitch behind the end", {0, 0, 0}, {1, 2, 1}, BYTES, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"more than a number holds", {0, 0, SIZE_MAX}, {8, 1, 1}, 0, 0, CL_INVALID_VALUE, CL_INVALID_VALUE},
    {"a product of 0 in 64 bits",
     {0, 0, 1},
     {1, 1, 1},
     (size_t)1 << 32,
     0,
     CL_INVALID_VALUE,
     CL_INVALID_VALUE},
    {"rows of 0 in 64 bits",
     {0, (size_t)1 << 32, 0},
     {1, 1, 1},
     (size_t)1 << 32,
     0,
     CL_INVALID_VALUE,
     CL_INVALID_VALUE},
};

Test(rectangles, bounds_and_pitches)
{
    struct rig rig;
    static unsigned char host[4 * BYTES];
    const size_t zero[3] = {0};
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, 0, NULL), n = whole_buffer(&rig, 0, NULL);
    for (size_t i = 0; i < sizeof rect_cases / sizeof *rect_cases; i++) {
        const struct rect_case *c = &rect_cases[i];
        cl_int status = clEnqueueReadBufferRect(rig.queue, m, CL_TRUE, c->origin, zero, c->region, c->row,
                                                c->slice, 0, 0, host, 0, NULL, NULL);
        cr_assert_eq(status, c->moved, "read %s: %d", c->what, status);
        status = clEnqueueWriteBufferRect(rig.queue, m, CL_TRUE, c->origin, zero, c->region, c->row, c->slice,
                                          0, 0, host, 0, NULL, NULL);
        cr_assert_eq(status, c->moved, "write %s: %d", c->what, status);
        for (unsigned way = 0; way < 2; way++) {
            status = clEnqueueCopyBufferRect(rig.queue, m, n, way ? zero : c->origin, way ? c->origin : zero,
                                             c->region, way ? 0 : c->row, way ? 0 : c->slice,
                                             way ? c->row : 0, way ? c->slice : 0, 0, NULL, NULL);
            cr_assert_eq(status, c->copied, "copy %u %s: %d", way, c->what, status);
        }
    }
    ok(clFinish(rig.queue));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(n));
    rig_close(&rig);
}

Test(rectangles, bad_arguments)
{
    struct rig rig;
    static unsigned char host[BYTES];
    const size_t at[3] = {0}, region[3] = {8, 2, 2};
    rig_open(&rig, "model:tiny");
    cl_context other = make_context(rig.device[0]);
    cl_mem m = whole_buffer(&rig, 0, NULL), foreign = make_buffer(other, 0, 64, NULL);
    cl_mem unread = whole_buffer(&rig, CL_MEM_HOST_WRITE_ONLY, NULL),
           unwritten = whole_buffer(&rig, CL_MEM_HOST_READ_ONLY, NULL);
    cl_command_queue q = rig.queue;
#define READ(q, m, at, there, region, row, slice, to) \
    clEnqueueReadBufferRect(q, m, CL_TRUE, at, there, region, 0, 0, row, slice, to, 0, NULL, NULL)
#define WRITE(q, m, at, there, region, row, slice, from) \
    clEnqueueWriteBufferRect(q, m, CL_TRUE, at, there, region, 0, 0, row, slice, from, 0, NULL, NULL)
#define BOTH(wanted, ...)               \
    do {                                \
        is(READ(__VA_ARGS__), wanted);  \
        is(WRITE(__VA_ARGS__), wanted); \
    } while (0)
    BOTH(CL_SUCCESS, q, m, at, at, region, 0, 0, host);
    BOTH(CL_INVALID_COMMAND_QUEUE, NULL, m, at, at, region, 0, 0, host);
    BOTH(CL_INVALID_MEM_OBJECT, q, NULL, at, at, region, 0, 0, host);
    BOTH(CL_INVALID_CONTEXT, q, foreign, at, at, region, 0, 0, host);
    BOTH(CL_INVALID_VALUE, q, m, NULL, at, region, 0, 0, host);
    BOTH(CL_INVALID_VALUE, q, m, at, NULL, region, 0, 0, host);
    BOTH(CL_INVALID_VALUE, q, m, at, at, NULL, 0, 0, host);
    BOTH(CL_INVALID_VALUE, q, m, at, at, region, 0, 0, NULL);
    BOTH(CL_INVALID_VALUE, q, m, at, at, region, 7, 0, host);
    BOTH(CL_INVALID_VALUE, q, m, at, at, region, 8, 15, host);
    is(READ(q, unread, at, at, region, 0, 0, host), CL_INVALID_OPERATION);
    ok(WRITE(q, unread, at, at, region, 0, 0, host));
    is(WRITE(q, unwritten, at, at, region, 0, 0, host), CL_INVALID_OPERATION);
    ok(READ(q, unwritten, at, at, region, 0, 0, host));
    is(clEnqueueReadBufferRect(q, m, CL_TRUE, at, at, region, 0, 0, 0, 0, host, 1, NULL, NULL),
       CL_INVALID_EVENT_WAIT_LIST);
    const size_t far[3] = {64, 0, 0};
#define COPY(from, to, row, slice, row2, slice2) \
    clEnqueueCopyBufferRect(q, from, to, at, far, region, row, slice, row2, slice2, 0, NULL, NULL)
    ok(COPY(m, m, 0, 0, 0, 0));
    ok(COPY(m, m, 8, 16, 8, 32));
    is(COPY(m, m, 8, 16, 16, 32), CL_INVALID_VALUE);
    ok(COPY(m, unread, 8, 16, 16, 32));
    is(COPY(NULL, m, 0, 0, 0, 0), CL_INVALID_MEM_OBJECT);
    is(COPY(m, NULL, 0, 0, 0, 0), CL_INVALID_MEM_OBJECT);
    is(COPY(foreign, m, 0, 0, 0, 0), CL_INVALID_CONTEXT);
    is(COPY(m, foreign, 0, 0, 0, 0), CL_INVALID_CONTEXT);
    is(clEnqueueCopyBufferRect(q, m, m, at, NULL, region, 0, 0, 0, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    is(clEnqueueCopyBufferRect(NULL, m, m, at, far, region, 0, 0, 0, 0, 0, NULL, NULL),
       CL_INVALID_COMMAND_QUEUE);
    cl_event event;
    cl_command_type type = 0;
    ok(clEnqueueCopyBufferRect(q, m, m, at, far, region, 0, 0, 0, 0, 0, NULL, &event));
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    cr_assert_eq(type, CL_COMMAND_COPY_BUFFER_RECT);
    ok(clReleaseEvent(event));
    ok(clFinish(q));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(foreign));
    ok(clReleaseMemObject(unread));
    ok(clReleaseMemObject(unwritten));
    ok(clReleaseContext(other));
    rig_close(&rig);
}

/* ---- maps and migration --------------------------------------------------------------------------- */

static cl_uint maps_of(cl_mem m)
{
    cl_uint count = 99;
    ok(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

Test(maps, several_of_the_host_s_memory)
{
    struct rig rig;
    static unsigned char host[BYTES];
    cl_int status;
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, CL_MEM_USE_HOST_PTR, host);
    fill(&rig, m, 'd', 0, BYTES);
    unsigned char *at[3];
    static const cl_map_flags flags[3] = {CL_MAP_READ, CL_MAP_WRITE_INVALIDATE_REGION,
                                          CL_MAP_READ | CL_MAP_WRITE};
    for (size_t i = 0; i < 3; i++) {
        at[i] = clEnqueueMapBuffer(rig.queue, m, CL_TRUE, flags[i], i * 100, 100, 0, NULL, NULL, &status);
        ok(status);
        cr_assert_eq(at[i], host + i * 100);
        cr_assert_eq(maps_of(m), i + 1);
    }
    cr_assert(host[0] == 'd' && host[99] == 'd', "wanted");
    cr_assert(host[100] == 0 && host[199] == 0, "not wanted: nothing was brought");
    cr_assert(host[200] == 'd' && host[299] == 'd' && host[300] == 0, "wanted");
    memset(host, 'h', 300);
    for (size_t i = 0; i < 3; i++)
        ok(clEnqueueUnmapMemObject(rig.queue, m, at[i], 0, NULL, NULL));
    cr_assert_eq(maps_of(m), 0);
    cr_assert(byte_at(rig.queue, m, 99) == 'd' && byte_at(rig.queue, m, 100) == 'h' &&
              byte_at(rig.queue, m, 299) == 'h' && byte_at(rig.queue, m, 300) == 'd');
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

Test(maps, one_that_fails_is_not_there)
{
    struct rig rig;
    rig_open(&rig, "model:tiny");
    cl_mem m = whole_buffer(&rig, 0, NULL);
    cl_event gate = make_gate(rig.context);
    ok(clSetUserEventStatus(gate, -1));
    none(clEnqueueMapBuffer(rig.queue, m, CL_TRUE, CL_MAP_READ, 0, 5, 1, &gate, NULL, &refusal),
         CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cr_assert_eq(maps_of(m), 0);
    none(clEnqueueMapBuffer(rig.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 5, 0,
                            NULL, NULL, &refusal),
         CL_INVALID_VALUE);
    none(clEnqueueMapBuffer(rig.queue, m, CL_TRUE, 1 << 20, 0, 5, 0, NULL, NULL, &refusal), CL_INVALID_VALUE);
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}

Test(migration, brings_contents_and_keeps_them)
{
    struct rig rig;
    cl_event event;
    cl_command_type type = 0;
    rig_open(&rig, "model:tiny,model:base");
    cl_command_queue other = make_queue(rig.context, rig.device[1], 0);
    cl_context foreign = make_context(rig.device[0]);
    cl_mem m = whole_buffer(&rig, 0, NULL), n = whole_buffer(&rig, 0, NULL), p = part(m, 0, BLOCK, 9),
           far = make_buffer(foreign, 0, 9, NULL);
    const cl_mem all[3] = {m, p, n}, wrong[2] = {m, far}, none[2] = {m, NULL};
    fill(&rig, m, 'x', 0, BYTES);
    fill(&rig, n, 'y', 0, BYTES);
    ok(clFinish(rig.queue));
    ok(clEnqueueMigrateMemObjects(other, 3, all, 0, 0, NULL, &event));
    ok(clEnqueueMigrateMemObjects(other, 1, all, CL_MIGRATE_MEM_OBJECT_HOST, 1, &event, NULL));
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    cr_assert_eq(type, CL_COMMAND_MIGRATE_MEM_OBJECTS);
    ok(clReleaseEvent(event));
    ok(clFinish(other));
    cr_assert(byte_at(rig.queue, m, 5) == 'x' && byte_at(other, n, 5) == 'y' && byte_at(other, p, 5) == 'x');
    ok(clEnqueueMigrateMemObjects(other, 1, all, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    is(clEnqueueMigrateMemObjects(NULL, 1, all, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    is(clEnqueueMigrateMemObjects(other, 0, all, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    is(clEnqueueMigrateMemObjects(other, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    is(clEnqueueMigrateMemObjects(other, 1, all, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    is(clEnqueueMigrateMemObjects(other, 2, wrong, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
    is(clEnqueueMigrateMemObjects(other, 2, none, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    is(clEnqueueMigrateMemObjects(other, 1, all, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    ok(clFinish(other));
    ok(clReleaseMemObject(p));
    ok(clReleaseMemObject(m));
    ok(clReleaseMemObject(n));
    ok(clReleaseMemObject(far));
    ok(clReleaseCommandQueue(other));
    ok(clReleaseContext(foreign));
    rig_close(&rig);
}
