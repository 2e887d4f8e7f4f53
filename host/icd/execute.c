/* SPDX-License-Identifier: Apache-2.0
 *
 * Executes commands on boards, in the worker thread of the device. The lock of
 * a board is held for one operation at a time, so that contents can move
 * between devices while both work.
 */
#include <stdlib.h>
#include <string.h>

#include "host/icd/command.h"

#define PIECE 16384 /* bytes that go through the host at a time */

enum way { FROM_DEVICE, TO_DEVICE };

/* Bytes between host and device memory. */
static cl_int move_bytes(cl_context x, cl_device_id d, enum way way, uint64_t address, void *host,
                         size_t bytes)
{
    const struct board_api *api = d->candidate->api;
    cl_int status = CL_DEVICE_NOT_AVAILABLE;
    pthread_mutex_lock(&d->board_lock);
    if (device_open(d, x)) {
        struct board *b = d->candidate->board;
        status = device_status(d, way == TO_DEVICE ? api->write_memory(b, address, host, bytes)
                                                   : api->read_memory(b, address, host, bytes));
        status = status == CL_COMPLETE ? device_look(d) : status;
    }
    pthread_mutex_unlock(&d->board_lock);
    return status;
}

uint64_t memory_address(cl_mem m, cl_device_id d)
{
    cl_uint index = 0;
    (void)context_has(m->context, d, &index);
    return memory_whole(m)->address[index] + m->origin;
}

/* From its home to another device, piece by piece. */
static cl_int carry(cl_mem m, cl_device_id from, cl_device_id to)
{
    unsigned char piece[PIECE];
    cl_int status = CL_COMPLETE;
    for (size_t at = 0; at < m->size && status == CL_COMPLETE; at += PIECE) {
        size_t bytes = m->size - at < PIECE ? m->size - at : PIECE;
        status = move_bytes(m->context, from, FROM_DEVICE, memory_address(m, from) + at, piece, bytes);
        if (status == CL_COMPLETE)
            status = move_bytes(m->context, to, TO_DEVICE, memory_address(m, to) + at, piece, bytes);
    }
    return status;
}

cl_int memory_bring(cl_mem m, cl_device_id d)
{
    cl_int status = CL_COMPLETE;
    m = memory_whole(m);
    pthread_mutex_lock(&m->home_lock);
    if (m->initial)
        status = move_bytes(m->context, d, TO_DEVICE, memory_address(m, d), m->initial, m->size);
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

bool memory_is_there(cl_mem m, cl_device_id d)
{
    m = memory_whole(m);
    if (pthread_mutex_trylock(&m->home_lock) != 0)
        return false;
    const bool there = !m->initial && (!m->home || m->home == d);
    m->home = there ? d : m->home;
    pthread_mutex_unlock(&m->home_lock);
    return there;
}

/* ---- transfers ---------------------------------------------------------------------------------- */

/* Part of a buffer, wherever its contents are. */
static cl_int transfer(cl_event c, enum way way, size_t offset, void *host, size_t bytes)
{
    cl_device_id d = c->queue->device;
    cl_mem m = c->transfer.buffer;
    cl_int status = memory_bring(m, d);
    return status == CL_COMPLETE ? move_bytes(m->context, d, way, memory_address(m, d) + offset, host, bytes)
                                 : status;
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

/* Part of the source, which is on the device, to part of the buffer. */
static cl_int copy(cl_event c, size_t offset, size_t source_offset, size_t count)
{
    cl_device_id d = c->queue->device;
    uint64_t from = memory_address(c->transfer.source, d) + source_offset;
    unsigned char piece[PIECE];
    cl_int status = CL_COMPLETE;
    for (size_t at = 0; at < count && status == CL_COMPLETE; at += PIECE) {
        size_t bytes = count - at < PIECE ? count - at : PIECE;
        status = move_bytes(c->context, d, FROM_DEVICE, from + at, piece, bytes);
        if (status == CL_COMPLETE)
            status = transfer(c, TO_DEVICE, offset + at, piece, bytes);
    }
    return status;
}

cl_int run_copy(cl_event c)
{
    struct transfer *t = &c->transfer;
    cl_int status = memory_bring(t->source, c->queue->device);
    return status == CL_COMPLETE ? copy(c, t->offset, t->source_offset, t->bytes) : status;
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

/* ---- rectangles ---------------------------------------------------------------------------------- */

/* Row by row. */
static cl_int move_rows(cl_event c, cl_int (*move)(cl_event c, size_t here, size_t there))
{
    const struct transfer *t = &c->transfer;
    const struct layout *a = &t->here, *b = &t->there;
    cl_int status = CL_COMPLETE;
    for (size_t z = 0; z < t->region[2] && status == CL_COMPLETE; z++)
        for (size_t y = 0; y < t->region[1] && status == CL_COMPLETE; y++)
            status = move(c, a->start + z * a->slice + y * a->row, b->start + z * b->slice + y * b->row);
    return status;
}

static cl_int read_row(cl_event c, size_t here, size_t there)
{
    return transfer(c, FROM_DEVICE, here, (char *)c->transfer.host + there, c->transfer.region[0]);
}

static cl_int write_row(cl_event c, size_t here, size_t there)
{
    return transfer(c, TO_DEVICE, here, (char *)c->transfer.host + there, c->transfer.region[0]);
}

static cl_int copy_row(cl_event c, size_t here, size_t there)
{
    return copy(c, here, there, c->transfer.region[0]);
}

cl_int run_read_rect(cl_event c)
{
    return move_rows(c, read_row);
}

cl_int run_write_rect(cl_event c)
{
    return move_rows(c, write_row);
}

cl_int run_copy_rect(cl_event c)
{
    cl_int status = memory_bring(c->transfer.source, c->queue->device);
    return status == CL_COMPLETE ? move_rows(c, copy_row) : status;
}

/* ---- maps and migration -------------------------------------------------------------------------- */

/* The host's memory is nobody's home: what goes there stays where it is until it is used. */
cl_int run_migrate(cl_event c)
{
    const struct migration *g = &c->migration;
    cl_int status = CL_COMPLETE;
    for (cl_uint i = 0; i < g->count && status == CL_COMPLETE && !(g->flags & CL_MIGRATE_MEM_OBJECT_HOST);
         i++)
        status = memory_bring(g->memory[i], c->queue->device);
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
