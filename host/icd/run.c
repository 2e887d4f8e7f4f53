/* SPDX-License-Identifier: Apache-2.0
 *
 * What commands do with boards, in the worker of the device. A lock of a
 * board is held for one thing at a time, so that contents can go from one
 * device to another while both work.
 */
#include <stdlib.h>
#include <string.h>

#include "host/icd/command.h"
#include "sim/board/job.h"
#include "sim/board/registers.h"

#define PIECE 16384 /* bytes that go through the host at a time */
#define RESET_LOOKS 1000

enum way { FROM_DEVICE, TO_DEVICE };

/* Bytes between host and device memory. */
static cl_int move_bytes(cl_device_id d, enum way way, uint64_t address, void *host, size_t bytes)
{
    const struct board_api *api = d->candidate->api;
    cl_int status = CL_DEVICE_NOT_AVAILABLE;
    pthread_mutex_lock(&d->board_lock);
    if (device_open(d)) {
        struct board *b = d->candidate->board;
        status = device_status(d, way == TO_DEVICE ? api->write_memory(b, address, host, bytes)
                                                   : api->read_memory(b, address, host, bytes));
    }
    pthread_mutex_unlock(&d->board_lock);
    return status;
}

static uint64_t address_on(cl_mem m, cl_device_id d)
{
    cl_uint index = 0;
    (void)context_has(m->context, d, &index);
    return m->address[index];
}

/* From `home` to `device`, piece by piece. */
static cl_int carry(cl_mem m, cl_device_id from, cl_device_id to)
{
    unsigned char piece[PIECE];
    cl_int status = CL_COMPLETE;
    for (size_t at = 0; at < m->size && status == CL_COMPLETE; at += PIECE) {
        size_t bytes = m->size - at < PIECE ? m->size - at : PIECE;
        status = move_bytes(from, FROM_DEVICE, address_on(m, from) + at, piece, bytes);
        if (status == CL_COMPLETE)
            status = move_bytes(to, TO_DEVICE, address_on(m, to) + at, piece, bytes);
    }
    return status;
}

cl_int memory_bring(cl_mem m, cl_device_id d)
{
    cl_int status = CL_COMPLETE;
    pthread_mutex_lock(&m->home_lock);
    if (m->initial)
        status = move_bytes(d, TO_DEVICE, address_on(m, d), m->initial, m->size);
    else if (m->home && m->home != d)
        status = carry(m, m->home, d);
    if (status == CL_COMPLETE) {
        free(m->initial);
        m->initial = NULL;
        m->home = d;
    }
    pthread_mutex_unlock(&m->home_lock);
    return status;
}

/* ---- transfers ---------------------------------------------------------------------------------- */

/* Part of a buffer, wherever its contents are. */
static cl_int transfer(cl_event c, enum way way, size_t offset, void *host, size_t bytes)
{
    cl_device_id d = c->queue->device;
    cl_mem m = c->transfer.buffer;
    cl_int status = memory_bring(m, d);
    return status == CL_COMPLETE ? move_bytes(d, way, address_on(m, d) + offset, host, bytes) : status;
}

cl_int run_nothing(cl_event c)
{
    (void)c;
    return CL_COMPLETE;
}

cl_int run_read(cl_event c)
{
    struct transfer *t = &c->transfer;
    return transfer(c, FROM_DEVICE, t->offset, t->host, t->bytes);
}

cl_int run_write(cl_event c)
{
    struct transfer *t = &c->transfer;
    return transfer(c, TO_DEVICE, t->offset, t->host, t->bytes);
}

cl_int run_copy(cl_event c)
{
    struct transfer *t = &c->transfer;
    cl_device_id d = c->queue->device;
    unsigned char piece[PIECE];
    cl_int status = memory_bring(t->source, d);
    for (size_t at = 0; at < t->bytes && status == CL_COMPLETE; at += PIECE) {
        size_t bytes = t->bytes - at < PIECE ? t->bytes - at : PIECE;
        status = move_bytes(d, FROM_DEVICE, address_on(t->source, d) + t->source_offset + at, piece, bytes);
        if (status == CL_COMPLETE)
            status = transfer(c, TO_DEVICE, t->offset + at, piece, bytes);
    }
    return status;
}

cl_int run_fill(cl_event c)
{
    struct transfer *t = &c->transfer;
    unsigned char piece[PIECE]; /* a multiple of every pattern there can be */
    cl_int status = CL_COMPLETE;
    for (size_t at = 0; at < PIECE; at += t->pattern_bytes)
        memcpy(piece + at, t->pattern, t->pattern_bytes);
    for (size_t at = 0; at < t->bytes && status == CL_COMPLETE; at += PIECE) {
        size_t bytes = t->bytes - at < PIECE ? t->bytes - at : PIECE;
        status = transfer(c, TO_DEVICE, t->offset + at, piece, bytes);
    }
    return status;
}

cl_int run_map(cl_event c)
{
    return c->transfer.reads ? run_read(c) : CL_COMPLETE;
}

cl_int run_unmap(cl_event c)
{
    return c->transfer.writes ? run_write(c) : CL_COMPLETE;
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

/* A job that did not end is taken off the device. */
static cl_int stop_job(cl_device_id d)
{
    const struct board_api *api = d->candidate->api;
    struct board *b = d->candidate->board;
    uint32_t control = 0;
    enum board_status status = api->write_register(b, register_offset("reset"), RESET_KEY);
    for (unsigned i = 0; i < RESET_LOOKS && status == BOARD_OK && !(control & CONTROL_IDLE); i++)
        status = api->read_register(b, register_offset("control"), &control);
    if (status == BOARD_OK && !(control & CONTROL_IDLE))
        status = BOARD_FAILED;
    if (status == BOARD_OK) /* the reset forgot the watchdog */
        status = device_watchdog(d);
    return status == BOARD_OK ? CL_TULLE_JOB_TIMEOUT : device_status(d, status);
}

static cl_int run_job(cl_event c, const struct board_job *job)
{
    cl_device_id d = c->queue->device;
    enum board_status status = board_job_run(d->candidate->api, d->candidate->board, job, &c->result);
    if (status == BOARD_TIMEOUT)
        return stop_job(d);
    if (status != BOARD_OK)
        return device_status(d, status);
    return c->result.code == JOB_OK ? CL_COMPLETE : CL_TULLE_JOB_ENDED(c->result.code);
}

cl_int run_task(cl_event c)
{
    const struct task *t = &c->task;
    cl_device_id d = c->queue->device;
    struct board_job job = {.number = t->numbered ? t->number : d->jobs++,
                            .nanoseconds = c->context->timeout};
    cl_int status = CL_COMPLETE;
    for (unsigned s = 0; s < ISA_SLOTS && status == CL_COMPLETE; s++) {
        if (!t->buffer[s])
            continue;
        status = memory_bring(t->buffer[s], d);
        job.slot[s].address = address_on(t->buffer[s], d);
        job.slot[s].size = t->size[s];
    }
    if (status != CL_COMPLETE)
        return status;
    pthread_mutex_lock(&d->board_lock);
    status = device_open(d) ? run_job(c, &job) : CL_DEVICE_NOT_AVAILABLE;
    pthread_mutex_unlock(&d->board_lock);
    return status;
}
