/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#include "sim/board/memory.h"

#include <sys/mman.h>

/* Addresses without memory behind them, until they are touched. */
static void *reserve(uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    /* Else a byte may cost 2 MiB. A system without such pages says no, which is fine. */
    (void)madvise(at, bytes, MADV_NOHUGEPAGE);
    return at;
}

static uint64_t when_bytes(uint64_t size)
{
    return size / MEMORY_LINE * sizeof(uint64_t);
}

bool memory_open(struct memory *m, uint64_t size)
{
    *m = (struct memory){.size = size};
    m->bytes = reserve(size);
    m->when = reserve(when_bytes(size));
    if (m->bytes && m->when)
        return true;
    memory_close(m);
    return false;
}

void memory_close(struct memory *m)
{
    if (m->bytes)
        munmap(m->bytes, m->size);
    if (m->when)
        munmap(m->when, when_bytes(m->size));
    *m = (struct memory){0};
}

bool memory_holds(const struct memory *m, uint64_t address, uint64_t bytes)
{
    return bytes <= m->size && address <= m->size - bytes;
}

void memory_write_beat(struct memory *m, uint64_t address, const uint8_t *from, unsigned bytes,
                       uint64_t strobes, uint64_t cycle)
{
    if (!strobes)
        return;
    for (unsigned i = 0; i < bytes; i++)
        if (strobes >> i & 1)
            m->bytes[address + i] = from[i];
    m->when[address / MEMORY_LINE] = cycle;
}

uint64_t memory_written(const struct memory *m, uint64_t address)
{
    return address < m->size ? m->when[address / MEMORY_LINE] : 0;
}
