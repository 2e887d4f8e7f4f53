/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the vfio-user protocol, version 0.1: bytes to structures and
 * back, without input or output. Whatever the bytes are, reading them is
 * defined: every size, flag and count is checked, and what is wrong has the
 * errno that the answer carries.
 */
#ifndef TULLE_SIM_PCIE_MESSAGE_H
#define TULLE_SIM_PCIE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VU_MAJOR 0
#define VU_MINOR 1
#define VU_HEADER_BYTES 16
#define VU_DATA_MAX (1u << 20) /* bytes in one transfer, as the protocol has it by default */
#define VU_MESSAGE_MAX (VU_HEADER_BYTES + 32 + VU_DATA_MAX) /* no message is longer */
#define VU_FDS_MAX 8                                        /* descriptors of one message that we take */
#define VU_PAGE 4096                                        /* what mappings are multiples of */
#define VU_VERSION_TEXT_MAX 4096                            /* bytes of the capabilities, the zero included */

enum vu_command {
    VU_VERSION = 1,
    VU_DMA_MAP = 2,
    VU_DMA_UNMAP = 3,
    VU_DEVICE_INFO = 4,
    VU_REGION_INFO = 5,
    VU_REGION_IO_FDS = 6,
    VU_IRQ_INFO = 7,
    VU_SET_IRQS = 8,
    VU_REGION_READ = 9,
    VU_REGION_WRITE = 10,
    VU_DMA_READ = 11,
    VU_DMA_WRITE = 12,
    VU_DEVICE_RESET = 13
};

/* Regions and kinds of interrupts, numbered as VFIO does for PCI. */
enum vu_region { VU_BAR0 = 0, VU_BAR2 = 2, VU_CONFIG = 7, VU_REGIONS = 9 };
enum vu_irq { VU_IRQ_INTX = 0, VU_IRQ_MSIX = 2, VU_IRQS = 5 };

#define VU_TYPE_MASK 0xFu
#define VU_TYPE_COMMAND 0u
#define VU_TYPE_REPLY 1u
#define VU_NO_REPLY (1u << 4)
#define VU_ERROR (1u << 5)

#define VU_MAP_READ (1u << 0)
#define VU_MAP_WRITE (1u << 1)
#define VU_UNMAP_ALL (1u << 1)
#define VU_INFO_RESET (1u << 0)
#define VU_INFO_PCI (1u << 1)
#define VU_REGION_CAN_READ (1u << 0)
#define VU_REGION_CAN_WRITE (1u << 1)
#define VU_IRQ_EVENTFD (1u << 0)
#define VU_IRQ_MASKABLE (1u << 1)
#define VU_SET_NONE (1u << 0)
#define VU_SET_BOOL (1u << 1)
#define VU_SET_EVENTFD (1u << 2)
#define VU_SET_MASK (1u << 3)
#define VU_SET_UNMASK (1u << 4)
#define VU_SET_TRIGGER (1u << 5)

struct vu_header {
    uint16_t id, command;
    uint32_t size; /* of the whole message */
    uint32_t flags, error;
};

/* False when no message can begin so: then nothing behind it can be understood either. */
bool vu_read_header(const uint8_t bytes[VU_HEADER_BYTES], struct vu_header *header);
void vu_write_header(uint8_t bytes[VU_HEADER_BYTES], const struct vu_header *header);

struct vu_info {
    uint32_t argsz, flags;
    uint32_t index; /* device: number of regions */
    uint32_t count; /* device: number of kinds of interrupts */
    uint64_t size, offset;
};

/* What a message asks for; `data` points into it. Fields by command. */
struct vu_request {
    struct vu_header header;
    uint16_t major, minor;
    uint32_t argsz, flags, index, start, count; /* index: region, or kind of interrupt */
    uint64_t address, size, offset;
    const uint8_t *data; /* `count` bytes; version: zero-terminated text, or NULL */
};

/* A command with its payload of header->size - VU_HEADER_BYTES bytes and so many descriptors. 0, or the errno
 * of the answer. */
int vu_read_request(const struct vu_header *header, const uint8_t *payload, unsigned fds,
                    struct vu_request *request);

/* The payload of an answer to a REGION_READ, REGION_WRITE, DMA_READ or DMA_WRITE that asked for `offset` and
 * `count`: false when it is no such answer. `data` is in it, NULL for writes. */
bool vu_read_access_reply(enum vu_command command, const uint8_t *payload, size_t bytes, uint64_t offset,
                          uint32_t index, uint32_t count, const uint8_t **data);
/* That of an answer with information of a device, region or kind of interrupts. */
bool vu_read_info_reply(enum vu_command command, const uint8_t *payload, size_t bytes, struct vu_info *info);
/* That of the answer to VERSION; *text as in a request. */
bool vu_read_version(const uint8_t *payload, size_t bytes, uint16_t *major, uint16_t *minor,
                     const char **text);

/* Payloads; each returns the bytes it has written. Room for 64 is enough but for version. Data of accesses
 * follow at the returned place. */
size_t vu_write_version(uint8_t *to, uint16_t major, uint16_t minor, const char *text);
size_t vu_write_map(uint8_t *to, uint32_t flags, uint64_t offset, uint64_t address, uint64_t size);
size_t vu_write_unmap(uint8_t *to, uint32_t argsz, uint32_t flags, uint64_t address, uint64_t size);
size_t vu_write_info(uint8_t *to, enum vu_command command, const struct vu_info *info);
size_t vu_write_set_irqs(uint8_t *to, uint32_t flags, uint32_t index, uint32_t start, uint32_t count);
size_t vu_write_access(uint8_t *to, enum vu_command command, uint64_t offset, uint32_t index, uint32_t count);

/* The capabilities of one side, as JSON. */
struct vu_capabilities {
    uint64_t max_msg_fds, max_data_xfer_size, max_dma_maps, pgsizes;
};
/* From text, or the protocol's defaults where it or a member is missing. False when it is not an object of
 * such members. */
bool vu_read_capabilities(const char *text, struct vu_capabilities *capabilities);
/* Zero-terminated, in a room of VU_VERSION_TEXT_MAX. */
void vu_write_capabilities(char *to, const struct vu_capabilities *capabilities);

#endif
