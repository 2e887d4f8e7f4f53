/* SPDX-License-Identifier: Apache-2.0
 *
 * What of an operator is on the device: its programs and weights, and room
 * for runs. When memory does not suffice for all jobs' programs and weights
 * at once, they go there with every run, through the room of the run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/icd/tulle_cl.h"
#include "host/lib/library.h"

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
    for (uint32_t i = 0; i < image->parts; i++) {
        release(image->part[i].program);
        release(image->part[i].weights);
        free(image->part[i].partial);
        plan_free(&image->part[i].plan);
    }
    free(image->part);
    free(image->bias);
    free(image->bound);
    free(image);
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Driver's blocks are at least that coarse. */
static uint64_t blocks(uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

static void find_sizes(struct image *image)
{
    for (uint32_t i = 0; i < image->parts; i++) {
        const struct plan *p = &image->part[i].plan;
        image->input_bytes = larger(image->input_bytes, p->input_bytes);
        image->output_bytes = larger(image->output_bytes, p->output_bytes);
        image->partial_bytes = larger(image->partial_bytes, p->partial_bytes);
        image->scratch_bytes = larger(image->scratch_bytes, p->scratch_bytes);
        image->program_bytes = larger(image->program_bytes, p->program.len);
        image->weights_bytes = larger(image->weights_bytes, p->weights.len);
        image->all_program_bytes += blocks(p->program.len);
        image->all_weights_bytes += blocks(p->weights.len);
    }
}

/* On the device for a run, beside what all runs share. */
static uint64_t run_bytes(const struct image *image)
{
    return blocks(image->input_bytes) + blocks(image->output_bytes) + blocks(image->partial_bytes) +
           blocks(image->scratch_bytes) + blocks(ISA_STATUS_BYTES) +
           (image->streamed ? blocks(image->program_bytes) + blocks(image->weights_bytes) : 0);
}

void operator_sizes(struct tulle_operator *op)
{
    const struct image *image = op->image;
    char name[32], split[8];
    struct tulle_operator_info *info = &op->info;
    const struct plan_summary *summary = &image->part[0].plan.summary;
    bool product = summary->gather == PLAN_GATHER_NONE;
    snprintf(info->plan, sizeof info->plan, "%s%s", plan_choice_name(&op->choice, name),
             window_kind_name(&op->window));
    snprintf(info->mapping, sizeof info->mapping, "%s", product ? plan_mapping_name(summary->mapping) : "-");
    snprintf(info->split, sizeof info->split, "%s", product ? plan_split_name(summary->split, split) : "-");
    info->jobs = image->parts * ((op->m / operator_unit(op) + image->block - 1) / image->block);
    info->streamed = image->streamed;
    info->run_bytes = run_bytes(image);
    info->device_bytes =
        info->run_bytes + (image->streamed ? 0 : image->all_program_bytes + image->all_weights_bytes);
    info->weights_bytes = 0;
    info->host_bytes = sizeof *op +
                       (op->matrix.start ? ((uint64_t)op->n + 1) * 4 + (uint64_t)info->entries * 8 : 0) +
                       (uint64_t)op->n * (op->bias ? 12 : 8);
    for (uint32_t i = 0; i < image->parts; i++) {
        const struct plan *p = &image->part[i].plan;
        info->weights_bytes += p->weights.len;
        info->host_bytes += sizeof image->part[i] + p->weights.cap + p->program.cap +
                            (image->part[i].partial ? p->partial_bytes : 0) +
                            (p->layout.compact ? 4 * ((uint64_t)op->k + image->part[i].rows) : 0);
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
        status = *to ? TULLE_OK : tell_cl("a buffer on the device", code);
    } while (status == TULLE_DEVICE_MEMORY && buffers_drop(d, NULL));
    return status;
}

/* What results begin with in a run that brings no sums. */
static enum tulle_status make_partial(const struct tulle_operator *op, const struct image *image,
                                      struct part *part)
{
    if (!part->plan.partial_bytes)
        return TULLE_OK;
    part->partial = calloc(1, part->plan.partial_bytes);
    if (!part->partial)
        return tell_no_memory();
    operands_bias(op, image, part, part->partial);
    return TULLE_OK;
}

enum tulle_status image_finish(struct tulle_operator *op, struct image *image)
{
    struct tulle_device *d = op->device;
    enum tulle_status status = TULLE_OK;
    find_sizes(image);
    image->streamed = image->all_program_bytes + image->all_weights_bytes + run_bytes(image) > d->info.memory;
    for (uint32_t i = 0; !status && i < image->parts; i++) {
        struct part *part = &image->part[i];
        const struct strbuf *program = &part->plan.program, *weights = &part->plan.weights;
        status = make_partial(op, image, part);
        if (!status && !image->streamed)
            status = make_buffer(d, CL_MEM_READ_ONLY, program->len, program->text, &part->program);
        if (!status && !image->streamed)
            status = make_buffer(d, CL_MEM_READ_ONLY, weights->len, weights->text, &part->weights);
    }
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
        {SLOT_PROGRAM, image->streamed ? image->program_bytes : 0, CL_MEM_READ_ONLY},
        {SLOT_STATUS, ISA_STATUS_BYTES, CL_MEM_READ_WRITE},
        {SLOT_WEIGHTS, image->streamed ? image->weights_bytes : 0, CL_MEM_READ_ONLY},
        {SLOT_INPUT, image->input_bytes, CL_MEM_READ_ONLY},
        {SLOT_OUTPUT, image->output_bytes, CL_MEM_READ_WRITE},
        {SLOT_PARTIAL, image->partial_bytes, CL_MEM_READ_ONLY},
        {SLOT_SCRATCH, image->scratch_bytes, CL_MEM_READ_WRITE},
    };
    cl_int code;
    b->kernel = clCreateKernel(op->device->program, CL_TULLE_KERNEL, &code);
    enum tulle_status status = b->kernel ? TULLE_OK : tell_cl("the kernel", code);
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

enum tulle_status buffers_take(const struct tulle_operator *op, const struct image *image,
                               struct buffers **to)
{
    *to = take_idle(op->device, image);
    if (*to)
        return TULLE_OK;
    struct buffers *b = calloc(1, sizeof *b);
    if (!b)
        return tell_no_memory();
    b->image = image;
    enum tulle_status status = make_buffers(op, image, b);
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
