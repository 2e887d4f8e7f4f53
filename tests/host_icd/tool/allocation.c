/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "tests/host_icd/tool/allocation.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_long until_failure = -1, blocks;

static bool fails(void)
{
    return atomic_load(&until_failure) >= 0 && atomic_fetch_sub(&until_failure, 1) == 0;
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&blocks, 1);
    else
        errno = ENOMEM;
    return block;
}

void *malloc(size_t bytes)
{
    return counted(fails() ? NULL : __libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return counted(fails() ? NULL : __libc_calloc(count, bytes));
}

void *realloc(void *block, size_t bytes)
{
    if (!block)
        return malloc(bytes);
    void *moved = fails() ? NULL : __libc_realloc(block, bytes);
    if (!moved)
        errno = ENOMEM;
    return moved;
}

int posix_memalign(void **to, size_t alignment, size_t bytes)
{
    void *block = counted(fails() ? NULL : __libc_memalign(alignment, bytes));
    *to = block ? block : *to;
    return block ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return counted(fails() ? NULL : __libc_memalign(alignment, bytes));
}

void free(void *block)
{
    if (block)
        atomic_fetch_sub(&blocks, 1);
    __libc_free(block);
}

void allocation_fails_at(long number)
{
    atomic_store(&until_failure, number);
}

bool allocation_has_failed(void)
{
    return atomic_exchange(&until_failure, -1) < 0;
}

long allocation_blocks(void)
{
    return atomic_load(&blocks);
}

long allocation_settled(long wanted)
{
    for (unsigned i = 0; i < 2000 && atomic_load(&blocks) != wanted; i++)
        usleep(1000);
    return atomic_load(&blocks);
}
