/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/dma.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/pcie/message.h"

struct dma_file {
    struct dma_file *next;
    int fd, access; /* O_RDONLY ... */
    dev_t device;
    ino_t inode;
    size_t users;
};

/* ---- files ----------------------------------------------------------------------------------- */

static void release(struct dma *dma, struct dma_file *file)
{
    struct dma_file **at = &dma->files;
    if (!file || --file->users)
        return;
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    close(file->fd);
    free(file);
}

static bool access_fits(int access, uint32_t flags)
{
    return !((flags & VU_MAP_READ) && access == O_WRONLY) && !((flags & VU_MAP_WRITE) && access == O_RDONLY);
}

static struct dma_file *known(struct dma *dma, const struct stat *info, int access)
{
    struct dma_file *f = dma->files;
    while (f && (f->device != info->st_dev || f->inode != info->st_ino || f->access != access))
        f = f->next;
    return f;
}

/* The file behind a descriptor, once more used. */
static int hold(struct dma *dma, int fd, uint64_t end, uint32_t flags, struct dma_file **to)
{
    struct stat info;
    int mode = fcntl(fd, F_GETFL);
    if (mode < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return EINVAL;
    if (!access_fits(mode & O_ACCMODE, flags))
        return EACCES;
    if (end > (uint64_t)info.st_size)
        return EINVAL;
    struct dma_file *f = known(dma, &info, mode & O_ACCMODE);
    if (!f) {
        f = calloc(1, sizeof *f);
        if (!f)
            return ENOMEM;
        *f = (struct dma_file){.next = dma->files,
                               .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
                               .access = mode & O_ACCMODE,
                               .device = info.st_dev,
                               .inode = info.st_ino};
        if (f->fd < 0) {
            free(f);
            return EMFILE;
        }
        dma->files = f;
    }
    f->users++;
    *to = f;
    return 0;
}

/* ---- mappings -------------------------------------------------------------------------------- */

static uint64_t last(const struct dma_map *m)
{
    return m->address + (m->size - 1);
}

/* The first mapping that does not end before the address. */
static size_t find(const struct dma *dma, uint64_t address)
{
    size_t low = 0, high = dma->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (last(&dma->map[middle]) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct dma *dma)
{
    if (dma->count < dma->room)
        return true;
    size_t room = dma->room ? 2 * dma->room : 64;
    struct dma_map *map = realloc(dma->map, room * sizeof *map);
    if (!map)
        return false;
    dma->map = map;
    dma->room = room;
    return true;
}

int dma_add(struct dma *dma, uint64_t address, uint64_t size, uint32_t flags, int fd, uint64_t offset)
{
    struct dma_map m = {.address = address, .size = size, .flags = flags, .offset = offset};
    size_t at = find(dma, address);
    if (at < dma->count && dma->map[at].address <= last(&m))
        return EEXIST;
    if (dma->count == DMA_MAPS_MAX)
        return ENOSPC;
    if (!make_room(dma))
        return ENOMEM;
    int error = fd < 0 ? 0 : hold(dma, fd, offset + size, flags, &m.file);
    if (error)
        return error;
    memmove(dma->map + at + 1, dma->map + at, (dma->count - at) * sizeof m);
    dma->map[at] = m;
    dma->count++;
    return 0;
}

int dma_remove(struct dma *dma, uint64_t address, uint64_t size, uint64_t *removed)
{
    const uint64_t end = address + (size - 1);
    size_t first = find(dma, address), behind = first;
    *removed = 0;
    for (; behind < dma->count && dma->map[behind].address <= end; behind++)
        if (dma->map[behind].address < address || last(&dma->map[behind]) > end)
            return EINVAL;
    for (size_t i = first; i < behind; i++) {
        *removed += dma->map[i].size;
        release(dma, dma->map[i].file);
    }
    if (behind > first)
        memmove(dma->map + first, dma->map + behind, (dma->count - behind) * sizeof *dma->map);
    dma->count -= behind - first;
    return 0;
}

void dma_remove_all(struct dma *dma, uint64_t *removed)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < dma->count; i++) {
        bytes += dma->map[i].size;
        release(dma, dma->map[i].file);
    }
    free(dma->map);
    dma->map = NULL;
    dma->count = dma->room = 0;
    if (removed)
        *removed = bytes;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool file_move(const struct dma_file *f, enum dma_way way, uint64_t offset, uint8_t *bytes,
                      size_t count)
{
    while (count) {
        ssize_t moved = way == DMA_FROM_HOST ? pread(f->fd, bytes, count, (off_t)offset)
                                             : pwrite(f->fd, bytes, count, (off_t)offset);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        bytes += moved;
        offset += (uint64_t)moved;
        count -= (size_t)moved;
    }
    return true;
}

static bool message_move(struct dma *dma, enum dma_way way, uint64_t address, uint8_t *bytes, size_t count)
{
    while (count) {
        uint32_t piece = count < VU_DATA_MAX ? (uint32_t)count : VU_DATA_MAX;
        if (!dma->message || !dma->message(dma->context, way, address, bytes, piece))
            return false;
        address += piece;
        bytes += piece;
        count -= piece;
    }
    return true;
}

/* Every byte, before any is moved. */
static bool permitted(const struct dma *dma, enum dma_way way, uint64_t address, size_t count,
                      uint64_t *fault)
{
    const uint32_t right = way == DMA_FROM_HOST ? VU_MAP_READ : VU_MAP_WRITE;
    *fault = address;
    if (address > UINT64_MAX - (count - 1))
        return false;
    for (size_t i = find(dma, address); count; i++) {
        const struct dma_map *m = i < dma->count ? &dma->map[i] : NULL;
        if (!m || m->address > *fault || !(m->flags & right))
            return false;
        uint64_t there = last(m) - *fault + 1;
        if (there >= count || !there)
            return true;
        *fault += there;
        count -= (size_t)there;
    }
    return true;
}

bool dma_access(struct dma *dma, enum dma_way way, uint64_t address, void *bytes, size_t count,
                uint64_t *fault)
{
    const uint32_t right = way == DMA_FROM_HOST ? VU_MAP_READ : VU_MAP_WRITE;
    uint8_t *at = bytes;
    if (!count)
        return true;
    if (!permitted(dma, way, address, count, fault))
        return false;
    while (count) {
        /* Looked for again for each: a message may have let the client change its mappings. */
        size_t i = find(dma, address);
        *fault = address;
        if (i >= dma->count || dma->map[i].address > address || !(dma->map[i].flags & right))
            return false;
        const struct dma_map m = dma->map[i];
        uint64_t there = last(&m) - address + 1;
        size_t piece = there && there < count ? (size_t)there : count;
        if (!(m.file ? file_move(m.file, way, m.offset + (address - m.address), at, piece)
                     : message_move(dma, way, address, at, piece)))
            return false;
        address += piece;
        at += piece;
        count -= piece;
    }
    return true;
}
