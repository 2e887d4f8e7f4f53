/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/copy.h"

#include <stddef.h>
#include <string.h>

#define PIECE 65536 /* bytes that are under way at a time */

/* ---- registers ------------------------------------------------------------------------------- */

void copy_reset(struct copy *c)
{
    *c = (struct copy){.watchdog = COPY_WATCHDOG_DEFAULT, .resets = c->resets + 1};
}

uint32_t copy_read(const struct copy *c, uint32_t offset)
{
    switch (offset) {
    case COPY_CONTROL:
        return c->run ? COPY_CONTROL_RUN : 0;
    case COPY_STATUS:
        return (copy_ready(c) ? COPY_STATUS_BUSY : 0) | (c->halted ? COPY_STATUS_HALTED : 0) |
               (uint32_t)c->code << COPY_STATUS_CODE_SHIFT;
    case COPY_RING:
        return (uint32_t)c->ring;
    case COPY_RING + 4:
        return (uint32_t)(c->ring >> 32);
    case COPY_ENTRIES:
        return c->entries;
    case COPY_HEAD:
        return c->head;
    case COPY_TAIL:
        return c->tail;
    case COPY_INTERRUPT_MASK:
        return c->mask;
    case COPY_INTERRUPT_STATUS:
        return c->pending;
    case COPY_DONE:
        return c->done;
    case COPY_FAULTS:
        return c->faults;
    case COPY_FAULT_ADDRESS:
        return (uint32_t)c->fault_address;
    case COPY_FAULT_ADDRESS + 4:
        return (uint32_t)(c->fault_address >> 32);
    case COPY_WATCHDOG:
        return c->watchdog;
    case COPY_TO_DEVICE:
        return (uint32_t)c->moved[DMA_FROM_HOST];
    case COPY_TO_DEVICE + 4:
        return (uint32_t)(c->moved[DMA_FROM_HOST] >> 32);
    case COPY_TO_HOST:
        return (uint32_t)c->moved[DMA_TO_HOST];
    case COPY_TO_HOST + 4:
        return (uint32_t)(c->moved[DMA_TO_HOST] >> 32);
    default:
        return 0;
    }
}

/* The ring stays where it is while the engine runs. */
static void write_ring(struct copy *c, uint32_t offset, uint32_t value)
{
    if (c->run)
        return;
    if (offset == COPY_RING)
        c->ring = (c->ring & ~(uint64_t)UINT32_MAX) | value;
    else if (offset == COPY_RING + 4)
        c->ring = (uint32_t)c->ring | (uint64_t)value << 32;
    else if (offset == COPY_ENTRIES)
        c->entries = value;
}

void copy_write(struct copy *c, uint32_t offset, uint32_t value)
{
    if (offset == COPY_CONTROL && (value & COPY_CONTROL_RESET))
        copy_reset(c);
    else if (offset == COPY_CONTROL)
        c->run = value & COPY_CONTROL_RUN;
    else if (offset == COPY_TAIL)
        c->tail = value;
    else if (offset == COPY_INTERRUPT_MASK)
        c->mask = value & (COPY_INTERRUPT_COMPLETED | COPY_INTERRUPT_HALTED);
    else if (offset == COPY_WATCHDOG)
        c->watchdog = value; /* storage: nothing waits here */
    else if (offset == COPY_INTERRUPT_STATUS)
        c->pending &= ~value;
    else
        write_ring(c, offset, value);
}

bool copy_interrupt(const struct copy *c)
{
    return c->pending & c->mask;
}

bool copy_ready(const struct copy *c)
{
    return c->run && !c->halted && c->head != c->tail;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void halt(struct copy *c, enum copy_code code)
{
    c->halted = true;
    c->code = code;
    c->pending |= COPY_INTERRUPT_HALTED;
}

static bool host(struct copy *c, const struct copy_port *port, enum dma_way way, uint64_t address,
                 void *bytes, size_t count)
{
    const unsigned resets = c->resets;
    uint64_t fault;
    bool ok = dma_access(port->dma, way, address, bytes, count, &fault);
    if (!ok && c->resets == resets) {
        c->faults++;
        c->fault_address = fault;
    }
    return ok;
}

static bool ring_fits(const struct copy *c)
{
    return c->entries >= RING_ENTRIES_MIN && c->entries <= RING_ENTRIES_MAX &&
           !(c->entries & (c->entries - 1)) && c->tail < c->entries && c->head < c->entries &&
           c->ring % RING_ALIGNMENT == 0 &&
           c->ring <= UINT64_MAX - sizeof(struct copy_descriptor) * RING_ENTRIES_MAX;
}

static enum copy_code move_piece(struct copy *c, const struct copy_port *port,
                                 const struct copy_descriptor *d, uint32_t at, uint32_t bytes)
{
    uint8_t piece[PIECE];
    bool failed = false;
    if (d->flags & DESCRIPTOR_TO_HOST) {
        if (!port->device(port->context, DMA_FROM_HOST, d->device + at, piece, bytes, &failed))
            return failed ? COPY_DEVICE_FAILED : COPY_DEVICE_ADDRESS;
        return host(c, port, DMA_TO_HOST, d->host + at, piece, bytes) ? COPY_OK : COPY_HOST_FAULT;
    }
    if (!host(c, port, DMA_FROM_HOST, d->host + at, piece, bytes))
        return COPY_HOST_FAULT;
    if (!port->device(port->context, DMA_TO_HOST, d->device + at, piece, bytes, &failed))
        return failed ? COPY_DEVICE_FAILED : COPY_DEVICE_ADDRESS;
    return COPY_OK;
}

/* d->moved counts; a reset in between ends it. */
static enum copy_code move(struct copy *c, const struct copy_port *port, struct copy_descriptor *d)
{
    const unsigned resets = c->resets;
    if ((d->flags & ~(DESCRIPTOR_TO_HOST | DESCRIPTOR_INTERRUPT)) || !d->bytes || d->bytes > COPY_PIECE_MAX)
        return COPY_BAD_DESCRIPTOR;
    if (d->device > UINT64_MAX - d->bytes)
        return COPY_DEVICE_ADDRESS;
    if (d->host > UINT64_MAX - d->bytes)
        return COPY_HOST_FAULT;
    while (d->moved < d->bytes && c->resets == resets) {
        uint32_t left = d->bytes - d->moved, bytes = left < PIECE ? left : PIECE;
        enum copy_code code = move_piece(c, port, d, d->moved, bytes);
        if (code != COPY_OK)
            return code;
        d->moved += bytes;
    }
    return COPY_OK;
}

static void finish(struct copy *c, const struct copy_descriptor *d, enum copy_code code)
{
    c->head = (c->head + 1) & (c->entries - 1);
    c->done++;
    if (code == COPY_OK && (d->flags & DESCRIPTOR_INTERRUPT))
        c->pending |= COPY_INTERRUPT_COMPLETED;
    if (code != COPY_OK)
        halt(c, code);
}

void copy_step(struct copy *c, const struct copy_port *port)
{
    const unsigned resets = c->resets;
    struct copy_descriptor d;
    if (!ring_fits(c)) {
        halt(c, COPY_BAD_RING);
        return;
    }
    if (!port->master(port->context)) {
        halt(c, COPY_NOT_MASTER);
        return;
    }
    const uint64_t at = c->ring + (uint64_t)c->head * sizeof d;
    bool there = host(c, port, DMA_FROM_HOST, at, &d, sizeof d);
    if (c->resets != resets)
        return;
    if (!there) {
        halt(c, COPY_RING_FAULT);
        return;
    }
    d.status = d.moved = 0;
    enum copy_code code = move(c, port, &d);
    if (c->resets != resets)
        return;
    c->moved[d.flags & DESCRIPTOR_TO_HOST ? DMA_TO_HOST : DMA_FROM_HOST] += d.moved;
    d.status = DESCRIPTOR_DONE | (uint32_t)code;
    there = host(c, port, DMA_TO_HOST, at + offsetof(struct copy_descriptor, status), &d.status,
                 sizeof d - offsetof(struct copy_descriptor, status));
    if (c->resets != resets)
        return;
    finish(c, &d, code == COPY_OK && !there ? COPY_RING_FAULT : code);
}
