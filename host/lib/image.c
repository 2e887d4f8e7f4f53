/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of an operator that is on the device: its programs, its weights,
 * and memory for runs. When the programs and weights of all jobs do not fit
 * the memory at once, every run copies them through its own buffers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gen/base/math.h"
#include "gen/base/random.h"
#include "host/icd/tulle_cl.h"
#include "host/lib/library.h"
#include "sim/model/traffic.h"

struct image *image_new(void)
{
    struct image *image = calloc(1, sizeof *image);
    if (image)
        atomic_init(&image->references, 1);
    return image;
}

struct image *image_keep(struct image *image)
{
    atomic_fetch_add(&image->references, 1);
    return image;
}

static void release(cl_mem memory)
{
    if (memory)
        clReleaseMemObject(memory);
}

static void buffers_free(struct buffers *b)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        release(b->slot[s]);
    if (b->kernel)
        clReleaseKernel(b->kernel);
    free(b);
}

bool buffers_drop(struct tulle_device *device, const struct image *image)
{
    struct buffers *dropped = NULL, *next;
    pthread_mutex_lock(&device->lock);
    for (struct buffers **at = &device->idle; *at;) {
        struct buffers *b = *at;
        if (image && b->image != image) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        b->next = dropped;
        dropped = b;
    }
    pthread_mutex_unlock(&device->lock);
    bool any = dropped;
    for (; dropped; dropped = next) {
        next = dropped->next;
        buffers_free(dropped);
    }
    return any;
}

void image_release(struct tulle_device *device, struct image *image)
{
    if (!image || atomic_fetch_sub(&image->references, 1) != 1)
        return;
    buffers_drop(device, image);
    for (uint32_t i = 0; image->resident && i < image->packed.parts; i++) {
        release(image->resident[i].program);
        release(image->resident[i].weights);
        release(image->resident[i].again);
    }
    free(image->resident);
    packed_free(&image->packed);
    free(image);
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

/* On the device for a run, beside what all runs share. */
static uint64_t run_bytes(const struct image *image)
{
    return packed_blocks(image->packed.input_bytes) + packed_blocks(image->packed.output_bytes) +
           packed_blocks(image->packed.partial_bytes) + packed_blocks(image->packed.scratch_bytes) +
           packed_blocks(image->packed.operand_bytes) + packed_blocks(ISA_STATUS_BYTES) +
           (image->streamed
                ? packed_blocks(image->packed.program_bytes) + packed_blocks(image->packed.weights_bytes)
                : 0);
}

uint64_t image_device_bytes(const struct image *image)
{
    uint64_t again = 0;
    for (uint32_t i = 0; i < image->packed.parts; i++)
        again += packed_blocks(image->resident[i].again_bytes);
    return run_bytes(image) + again +
           (image->streamed ? 0 : image->packed.all_program_bytes + image->packed.all_weights_bytes);
}

/* What a run moves, if all of its jobs have as many rows. */
static struct traffic run_traffic(const struct tulle_operator *op)
{
    const struct packed *packed = &op->image->packed;
    const uint32_t units = op->of.m / operator_unit(&op->of);
    struct traffic sum = {0};
    bool ok = packed->block && units % packed->block == 0;
    for (uint32_t i = 0; ok && i < packed->parts; i++) {
        const struct strbuf *program = &packed->part[i].plan.program;
        struct traffic more;
        ok = traffic_of_program(&op->device->variant, (const uint8_t *)program->text, program->len, &more);
        sum.read += more.read * (units / packed->block);
        sum.written += more.written * (units / packed->block);
        sum.weights += more.weights * (units / packed->block);
        sum.program += more.program * (units / packed->block);
    }
    return ok ? sum : (struct traffic){0};
}

void operator_sizes(struct tulle_operator *op)
{
    const struct traffic traffic = run_traffic(op);
    const struct image *image = op->image;
    char name[32], split[8];
    struct tulle_operator_info *info = &op->of.info;
    const struct plan_summary *summary = &image->packed.part[0].plan.summary;
    bool product = summary->gather == PLAN_GATHER_NONE;
    snprintf(info->plan, sizeof info->plan, "%s%s", plan_choice_name(&op->of.choice, name),
             window_kind_name(&op->of.window));
    snprintf(info->mapping, sizeof info->mapping, "%s", product ? plan_mapping_name(summary->mapping) : "-");
    snprintf(info->split, sizeof info->split, "%s", product ? plan_split_name(summary->split, split) : "-");
    info->jobs = image->packed.parts * math_divide_up(op->of.m / operator_unit(&op->of), image->packed.block);
    info->streamed = image->streamed;
    info->run_bytes = run_bytes(image);
    info->device_bytes = image_device_bytes(image);
    info->weights_bytes = 0;
    info->bytes_read = traffic.read;
    info->bytes_written = traffic.written;
    info->weights_read = traffic.weights;
    info->program_read = traffic.program;
    info->host_bytes =
        sizeof *op + (op->of.matrix.start ? ((uint64_t)op->of.n + 1) * 4 + (uint64_t)info->entries * 8 : 0) +
        (uint64_t)op->of.n * (op->of.bias ? 12 : 8);
    for (uint32_t i = 0; i < image->packed.parts; i++) {
        const struct plan *p = &image->packed.part[i].plan;
        info->weights_bytes += p->weights.len;
        info->host_bytes += sizeof image->packed.part[i] + p->weights.cap + p->program.cap +
                            (image->packed.part[i].partial ? p->partial_bytes : 0) +
                            (p->layout.compact ? 4 * ((uint64_t)op->of.k + image->packed.part[i].rows) : 0);
    }
}

/* ---- on the device ------------------------------------------------------------------------------------- */

/* When the device has no memory left, in the place of room that no run uses. */
static enum tulle_status make_buffer(struct tulle_device *d, cl_mem_flags flags, uint64_t bytes,
                                     const void *from, cl_mem *to)
{
    void *source;
    cl_int code;
    enum tulle_status status = TULLE_OK;
    memcpy(&source, &from, sizeof source); /* OpenCL takes what it copies from as not const */
    if (!bytes)
        return TULLE_OK;
    do {
        *to = clCreateBuffer(d->context, flags | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes, source, &code);
        status = *to ? TULLE_OK : message_opencl("a buffer on the device", code);
    } while (status == TULLE_DEVICE_MEMORY && buffers_drop(d, NULL));
    return status;
}

/* The weights of part i, if the other image has the same on the device. */
static cl_mem shared_weights(const struct image *image, const struct image *other, uint32_t i)
{
    if (!other || i >= other->packed.parts || !other->resident[i].weights)
        return NULL;
    const struct strbuf *own = &image->packed.part[i].plan.weights,
                        *its = &other->packed.part[i].plan.weights;
    if (own->len != its->len || memcmp(own->text, its->text, own->len) != 0 ||
        clRetainMemObject(other->resident[i].weights))
        return NULL;
    return other->resident[i].weights;
}

/* A number that no other part of this process has, and by chance none of another one on the same device. */
static uint32_t next_number(void)
{
    static _Atomic uint32_t last;
    uint32_t none = 0, number;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed =
        ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) + (uint64_t)getpid() * 0x9E3779B97F4A7C15u;
    struct random random = {seed};
    atomic_compare_exchange_strong(&last, &none, (uint32_t)(random_next(&random) >> 32));
    do
        number = atomic_fetch_add(&last, 1) + 1;
    while (!number);
    return number;
}

/* The part's program with its number, and the one that runs behind it. Without memory for them it has
 * neither. */
static bool make_again(struct tulle_operator *op, const struct part *part, struct resident *to)
{
    struct strbuf program = {0}, again = {0};
    const uint32_t number = next_number();
    const bool made = part_again(&op->device->variant, part, number, &program, &again) &&
                      !make_buffer(op->device, CL_MEM_READ_ONLY, again.len, again.text, &to->again) &&
                      !make_buffer(op->device, CL_MEM_READ_ONLY, program.len, program.text, &to->program);
    if (made) {
        to->number = number;
        to->again_bytes = again.len;
    } else {
        release(to->again);
        to->again = NULL;
    }
    sb_free(&program);
    sb_free(&again);
    return made;
}

enum tulle_status image_finish(struct tulle_operator *op, const struct planned *of, struct image *image,
                               const struct image *other)
{
    struct tulle_device *d = op->device;
    const struct packed *packed = &image->packed;
    enum tulle_status status = TULLE_OK;
    image->of = *of;
    image->streamed =
        packed->all_program_bytes + packed->all_weights_bytes + run_bytes(image) > d->info.memory;
    image->resident = calloc(packed->parts, sizeof *image->resident);
    if (!image->resident)
        return message_no_memory();
    for (uint32_t i = 0; !status && !image->streamed && i < packed->parts; i++) {
        const struct strbuf *program = &packed->part[i].plan.program,
                            *weights = &packed->part[i].plan.weights;
        if (!make_again(op, &packed->part[i], &image->resident[i]))
            status =
                make_buffer(d, CL_MEM_READ_ONLY, program->len, program->text, &image->resident[i].program);
        image->resident[i].weights = shared_weights(image, other, i);
        if (!status && !image->resident[i].weights)
            status =
                make_buffer(d, CL_MEM_READ_ONLY, weights->len, weights->text, &image->resident[i].weights);
    }
    return status;
}

static enum tulle_status make_fewer(struct tulle_operator *op, uint32_t units)
{
    struct planned fewer = planned_fewer(&op->of, units);
    struct image *image = image_new();
    if (!image)
        return message_no_memory();
    enum tulle_status status = planned_pack_fewer(&fewer, &image->packed);
    if (!status)
        status = image_finish(op, &fewer, image, op->image);
    struct image *before = status ? image : op->fewer;
    if (!status)
        op->fewer = image;
    image_release(op->device, before);
    return status;
}

enum tulle_status image_for(struct tulle_operator *op, uint32_t units, struct image **to)
{
    enum tulle_status status = TULLE_OK;
    pthread_mutex_lock(&op->lock);
    const struct planned wanted = planned_fewer(&op->of, units);
    const bool whole = wanted.m == op->of.m;
    if (!whole && (!op->fewer || op->fewer->of.m != wanted.m))
        status = make_fewer(op, units);
    if (!status)
        *to = image_keep(whole ? op->image : op->fewer);
    pthread_mutex_unlock(&op->lock);
    return status;
}

static enum tulle_status make_buffers(const struct tulle_operator *op, const struct image *image,
                                      struct buffers *b)
{
    const struct {
        unsigned slot;
        uint64_t bytes;
        cl_mem_flags flags;
    } wanted[] = {
        {SLOT_PROGRAM, image->streamed ? image->packed.program_bytes : 0, CL_MEM_READ_ONLY},
        {SLOT_STATUS, ISA_STATUS_BYTES, CL_MEM_READ_WRITE},
        {SLOT_WEIGHTS, image->streamed ? image->packed.weights_bytes : 0, CL_MEM_READ_ONLY},
        {SLOT_INPUT, image->packed.input_bytes, CL_MEM_READ_ONLY},
        {SLOT_OUTPUT, image->packed.output_bytes, CL_MEM_READ_WRITE},
        {SLOT_PARTIAL, image->packed.partial_bytes, CL_MEM_READ_ONLY},
        {SLOT_SCRATCH, image->packed.scratch_bytes, CL_MEM_READ_WRITE},
        {SLOT_EXTRA, image->packed.operand_bytes, CL_MEM_READ_ONLY},
    };
    cl_int code;
    b->kernel = clCreateKernel(op->device->program, CL_TULLE_KERNEL, &code);
    enum tulle_status status = b->kernel ? TULLE_OK : message_opencl("the kernel", code);
    for (unsigned i = 0; !status && i < sizeof wanted / sizeof *wanted; i++)
        status = make_buffer(op->device, wanted[i].flags, wanted[i].bytes, NULL, &b->slot[wanted[i].slot]);
    return status;
}

static struct buffers *take_idle(struct tulle_device *device, const struct image *image)
{
    pthread_mutex_lock(&device->lock);
    struct buffers **at = &device->idle;
    while (*at && (*at)->image != image)
        at = &(*at)->next;
    struct buffers *b = *at;
    if (b)
        *at = b->next;
    pthread_mutex_unlock(&device->lock);
    return b;
}

/* What the buffers of a sequence hold from the first run on. */
static enum tulle_status write_initial(const struct tulle_operator *op, unsigned slot,
                                       const struct buffers *b)
{
    const struct strbuf *initial = &op->sequence->initial[slot];
    const cl_int code = initial->len ? clEnqueueWriteBuffer(op->device->queue, b->slot[slot], CL_TRUE, 0,
                                                            initial->len, initial->text, 0, NULL, NULL)
                                     : CL_SUCCESS;
    return code ? message_opencl("borders to the device", code) : TULLE_OK;
}

enum tulle_status buffers_take(const struct tulle_operator *op, const struct image *image,
                               struct buffers **to)
{
    *to = take_idle(op->device, image);
    if (*to)
        return TULLE_OK;
    struct buffers *b = calloc(1, sizeof *b);
    if (!b)
        return message_no_memory();
    b->image = image;
    enum tulle_status status = make_buffers(op, image, b);
    for (unsigned s = 0; !status && op->sequence && s < ISA_SLOTS; s++)
        status = write_initial(op, s, b);
    if (status)
        buffers_free(b);
    else
        *to = b;
    return status;
}

void buffers_give(struct tulle_device *device, struct buffers *b)
{
    pthread_mutex_lock(&device->lock);
    b->next = device->idle;
    device->idle = b;
    pthread_mutex_unlock(&device->lock);
}
