/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/message.h"

#include <errno.h>
#include <string.h>

/* ---- numbers, in the byte order of this machine as the protocol has it --------------------------- */

static uint16_t get16(const uint8_t *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static uint32_t get32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static uint64_t get64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static uint8_t *put16(uint8_t *to, uint16_t value)
{
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static uint8_t *put64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

/* ---- headers --------------------------------------------------------------------------------- */

bool vu_read_header(const uint8_t bytes[VU_HEADER_BYTES], struct vu_header *h)
{
    *h = (struct vu_header){.id = get16(bytes),
                            .command = get16(bytes + 2),
                            .size = get32(bytes + 4),
                            .flags = get32(bytes + 8),
                            .error = get32(bytes + 12)};
    return h->size >= VU_HEADER_BYTES && h->size <= VU_MESSAGE_MAX &&
           (h->flags & VU_TYPE_MASK) <= VU_TYPE_REPLY;
}

void vu_write_header(uint8_t bytes[VU_HEADER_BYTES], const struct vu_header *h)
{
    put32(put32(put32(put16(put16(bytes, h->id), h->command), h->size), h->flags), h->error);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Bytes of a payload before what varies. */
enum {
    VERSION_BYTES = 4,
    MAP_BYTES = 32,
    UNMAP_BYTES = 24,
    INFO_BYTES = 16,
    REGION_BYTES = 32,
    IRQS_BYTES = 20,
    ACCESS_BYTES = 16
};

static bool wraps(uint64_t address, uint64_t size)
{
    return size && address > UINT64_MAX - (size - 1);
}

bool vu_read_version(const uint8_t *p, size_t bytes, uint16_t *major, uint16_t *minor, const char **text)
{
    if (bytes < VERSION_BYTES || bytes > VERSION_BYTES + VU_VERSION_TEXT_MAX)
        return false;
    *major = get16(p);
    *minor = get16(p + 2);
    *text = bytes > VERSION_BYTES ? (const char *)p + VERSION_BYTES : NULL;
    return !*text || memchr(*text, 0, bytes - VERSION_BYTES) == p + bytes - 1;
}

static int read_version(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    const char *text;
    if (!vu_read_version(p, bytes, &r->major, &r->minor, &text) || fds)
        return EINVAL;
    r->data = (const uint8_t *)text;
    return 0;
}

static int read_map(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    if (bytes != MAP_BYTES || get32(p) < MAP_BYTES || fds > 1)
        return EINVAL;
    r->argsz = get32(p);
    r->flags = get32(p + 4);
    r->offset = get64(p + 8);
    r->address = get64(p + 16);
    r->size = get64(p + 24);
    if (!r->flags || (r->flags & ~(VU_MAP_READ | VU_MAP_WRITE)))
        return EINVAL;
    if (!r->size || (r->size | r->address) % VU_PAGE || wraps(r->address, r->size))
        return EINVAL;
    return fds && (r->offset > INT64_MAX || r->size > INT64_MAX - r->offset) ? EINVAL : 0;
}

static int read_unmap(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    if (bytes < UNMAP_BYTES || get32(p) < UNMAP_BYTES || fds)
        return EINVAL;
    r->argsz = get32(p);
    r->flags = get32(p + 4);
    r->address = get64(p + 8);
    r->size = get64(p + 16);
    if (r->flags & ~VU_UNMAP_ALL) /* pages that were written are not kept account of */
        return r->flags == 1 ? ENOTSUP : EINVAL;
    if (bytes != UNMAP_BYTES)
        return EINVAL;
    if (r->flags & VU_UNMAP_ALL)
        return r->address || r->size ? EINVAL : 0;
    return !r->size || (r->size | r->address) % VU_PAGE || wraps(r->address, r->size) ? EINVAL : 0;
}

/* What the client leaves zero is not looked at, as in VFIO. */
static int read_info(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    const size_t least = r->header.command == VU_REGION_INFO ? REGION_BYTES : INFO_BYTES;
    if (bytes < least || get32(p) < least || fds)
        return EINVAL;
    r->argsz = get32(p);
    r->flags = get32(p + 4);
    r->index = get32(p + 8);
    if (r->header.command == VU_REGION_INFO && r->index >= VU_REGIONS)
        return EINVAL;
    return r->header.command == VU_IRQ_INFO && r->index >= VU_IRQS ? EINVAL : 0;
}

static bool one_of(uint32_t flags, uint32_t group)
{
    flags &= group;
    return flags && !(flags & (flags - 1));
}

static int read_set_irqs(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    const uint32_t datas = VU_SET_NONE | VU_SET_BOOL | VU_SET_EVENTFD,
                   actions = VU_SET_MASK | VU_SET_UNMASK | VU_SET_TRIGGER;
    if (bytes < IRQS_BYTES || get32(p) < IRQS_BYTES)
        return EINVAL;
    r->argsz = get32(p);
    r->flags = get32(p + 4);
    r->index = get32(p + 8);
    r->start = get32(p + 12);
    r->count = get32(p + 16);
    r->data = p + IRQS_BYTES;
    if ((r->flags & ~(datas | actions)) || !one_of(r->flags, datas) || !one_of(r->flags, actions))
        return EINVAL;
    if (r->index >= VU_IRQS || r->start > UINT32_MAX - r->count)
        return EINVAL;
    if (!r->count && (r->start || !(r->flags & VU_SET_NONE)))
        return EINVAL;
    if (r->flags & VU_SET_EVENTFD)
        return bytes == IRQS_BYTES && (!fds || fds == r->count) ? 0 : EINVAL;
    return !fds && bytes - IRQS_BYTES == (r->flags & VU_SET_BOOL ? r->count : 0) ? 0 : EINVAL;
}

static int read_access(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    if (bytes < ACCESS_BYTES || fds)
        return EINVAL;
    r->offset = get64(p);
    r->index = get32(p + 8);
    r->count = get32(p + 12);
    r->data = p + ACCESS_BYTES;
    if (r->index >= VU_REGIONS || !r->count || r->count > VU_DATA_MAX || wraps(r->offset, r->count))
        return EINVAL;
    return bytes - ACCESS_BYTES == (r->header.command == VU_REGION_WRITE ? r->count : 0) ? 0 : EINVAL;
}

/* Of the server: the count is of 64 bits, and there is no region. */
static int read_dma(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    if (bytes < ACCESS_BYTES || fds)
        return EINVAL;
    r->address = get64(p);
    r->size = get64(p + 8);
    r->count = (uint32_t)r->size;
    r->data = p + ACCESS_BYTES;
    if (!r->size || r->size > VU_DATA_MAX || wraps(r->address, r->size))
        return EINVAL;
    return bytes - ACCESS_BYTES == (r->header.command == VU_DMA_WRITE ? r->size : 0) ? 0 : EINVAL;
}

static int read_reset(const uint8_t *p, size_t bytes, unsigned fds, struct vu_request *r)
{
    (void)p;
    (void)r;
    return bytes || fds ? EINVAL : 0;
}

int vu_read_request(const struct vu_header *h, const uint8_t *payload, unsigned fds, struct vu_request *r)
{
    static int (*const readers[])(const uint8_t *, size_t, unsigned, struct vu_request *) = {
        [VU_VERSION] = read_version,   [VU_DMA_MAP] = read_map,        [VU_DMA_UNMAP] = read_unmap,
        [VU_DEVICE_INFO] = read_info,  [VU_REGION_INFO] = read_info,   [VU_IRQ_INFO] = read_info,
        [VU_SET_IRQS] = read_set_irqs, [VU_REGION_READ] = read_access, [VU_REGION_WRITE] = read_access,
        [VU_DMA_READ] = read_dma,      [VU_DMA_WRITE] = read_dma,      [VU_DEVICE_RESET] = read_reset};
    *r = (struct vu_request){.header = *h};
    if ((h->flags & VU_TYPE_MASK) != VU_TYPE_COMMAND || (h->flags & ~(VU_TYPE_MASK | VU_NO_REPLY)))
        return EINVAL;
    if (h->command >= sizeof readers / sizeof *readers || !readers[h->command])
        return ENOTSUP;
    return readers[h->command](payload, h->size - VU_HEADER_BYTES, fds, r);
}

/* ---- answers --------------------------------------------------------------------------------- */

bool vu_read_access_reply(enum vu_command command, const uint8_t *p, size_t bytes, uint64_t offset,
                          uint32_t index, uint32_t count, const uint8_t **data)
{
    const bool reads = command == VU_REGION_READ || command == VU_DMA_READ;
    /* An answer to a DMA_WRITE may have its count in 32 bits: so says the specification, not its writers. */
    const bool narrow = command == VU_DMA_WRITE && bytes == ACCESS_BYTES - 4;
    const bool dma = command == VU_DMA_READ || command == VU_DMA_WRITE;
    *data = reads ? p + ACCESS_BYTES : NULL;
    if ((bytes < ACCESS_BYTES && !narrow) || get64(p) != offset)
        return false;
    if (dma ? (narrow ? get32(p + 8) : get64(p + 8)) != count
            : get32(p + 8) != index || get32(p + 12) != count)
        return false;
    return narrow || bytes - ACCESS_BYTES == (reads ? count : 0);
}

bool vu_read_info_reply(enum vu_command command, const uint8_t *p, size_t bytes, struct vu_info *to)
{
    const bool region = command == VU_REGION_INFO;
    if (bytes < (region ? REGION_BYTES : INFO_BYTES))
        return false;
    *to = (struct vu_info){
        .argsz = get32(p), .flags = get32(p + 4), .index = get32(p + 8), .count = get32(p + 12)};
    if (region) {
        to->size = get64(p + 16);
        to->offset = get64(p + 24);
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

size_t vu_write_version(uint8_t *to, uint16_t major, uint16_t minor, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    put16(put16(to, major), minor);
    if (text)
        memcpy(to + VERSION_BYTES, text, bytes);
    return VERSION_BYTES + bytes;
}

size_t vu_write_map(uint8_t *to, uint32_t flags, uint64_t offset, uint64_t address, uint64_t size)
{
    put64(put64(put64(put32(put32(to, MAP_BYTES), flags), offset), address), size);
    return MAP_BYTES;
}

size_t vu_write_unmap(uint8_t *to, uint32_t argsz, uint32_t flags, uint64_t address, uint64_t size)
{
    put64(put64(put32(put32(to, argsz), flags), address), size);
    return UNMAP_BYTES;
}

size_t vu_write_info(uint8_t *to, enum vu_command command, const struct vu_info *info)
{
    const size_t bytes = command == VU_REGION_INFO ? REGION_BYTES : INFO_BYTES;
    uint8_t *at = put32(put32(put32(to, (uint32_t)bytes), info->flags), info->index);
    at = put32(at, info->count);
    if (command == VU_REGION_INFO)
        put64(put64(at, info->size), info->offset);
    return bytes;
}

size_t vu_write_set_irqs(uint8_t *to, uint32_t flags, uint32_t index, uint32_t start, uint32_t count)
{
    put32(put32(put32(put32(put32(to, IRQS_BYTES), flags), index), start), count);
    return IRQS_BYTES;
}

size_t vu_write_access(uint8_t *to, enum vu_command command, uint64_t offset, uint32_t index, uint32_t count)
{
    uint8_t *at = put64(to, offset);
    if (command == VU_DMA_READ || command == VU_DMA_WRITE)
        put64(at, count);
    else
        put32(put32(at, index), count);
    return ACCESS_BYTES;
}
