/* SPDX-License-Identifier: Apache-2.0
 *
 * What the function may reach of its client's memory: mappings of bus
 * addresses, as an IOMMU has them. A mapping has a file behind it, or messages
 * to the client. Files are read and written, not mapped: a client that cuts
 * one short cannot bring the server down by it, and thousands of mappings of
 * one file share one descriptor.
 */
#ifndef TULLE_SIM_PCIE_DMA_H
#define TULLE_SIM_PCIE_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DMA_MAPS_MAX 16384

enum dma_way { DMA_FROM_HOST, DMA_TO_HOST };

struct dma_file;

struct dma_map {
    uint64_t address, size;
    uint32_t flags;        /* VU_MAP_... */
    struct dma_file *file; /* NULL: by messages */
    uint64_t offset;       /* in the file */
};

struct dma {
    struct dma_map *map; /* by address, none overlaps another */
    size_t count, room;
    struct dma_file *files;
    /* An access of a mapping without a file; NULL: there are none. */
    bool (*message)(void *context, enum dma_way way, uint64_t address, void *bytes, uint32_t count);
    void *context;
};

/* 0 or an errno; then nothing has changed. `fd` -1: by messages. It is not taken over. */
int dma_add(struct dma *dma, uint64_t address, uint64_t size, uint32_t flags, int fd, uint64_t offset);

/* Takes away what lies in the range, and tells in *removed how many bytes these were, perhaps none. EINVAL
 * when the range would cut a mapping in two. */
int dma_remove(struct dma *dma, uint64_t address, uint64_t size, uint64_t *removed);
void dma_remove_all(struct dma *dma, uint64_t *removed); /* `removed` may be NULL */

/* True when every byte was mapped for it; else nothing was moved, and *fault is the first address that is
 * not. A file or client that fails in the middle has moved what came before. */
bool dma_access(struct dma *dma, enum dma_way way, uint64_t address, void *bytes, size_t count,
                uint64_t *fault);

#endif
