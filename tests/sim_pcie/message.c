/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages: what is written is read again, and whatever is read has an answer.
 */
#include "sim/pcie/message.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"

#define ROOM 128

/* A payload in memory of just its size, so that a byte read behind it is found by a sanitizer. */
static int read_exactly(uint16_t command, uint32_t flags, const uint8_t *payload, size_t bytes, unsigned fds,
                        struct vu_request *r)
{
    const struct vu_header h = {
        .command = command, .size = (uint32_t)(VU_HEADER_BYTES + bytes), .flags = flags};
    uint8_t *copy = malloc(bytes + 1); /* malloc(0) may be NULL */
    cr_assert(copy);
    memcpy(copy + 1, payload, bytes);
    int error = vu_read_request(&h, copy + 1, fds, r);
    free(copy);
    return error;
}

static const struct sample {
    uint16_t command;
    unsigned fds;
} samples[] = {{VU_VERSION, 0},      {VU_DMA_MAP, 1},  {VU_DMA_UNMAP, 0}, {VU_DEVICE_INFO, 0},
               {VU_REGION_INFO, 0},  {VU_IRQ_INFO, 0}, {VU_SET_IRQS, 2},  {VU_REGION_READ, 0},
               {VU_REGION_WRITE, 0}, {VU_DMA_READ, 0}, {VU_DMA_WRITE, 0}, {VU_DEVICE_RESET, 0}};
#define SAMPLES (sizeof samples / sizeof *samples)

/* A right payload of each. */
static size_t write_sample(uint16_t command, uint8_t *to)
{
    const struct vu_info info = {.index = 2};
    size_t bytes = 0;
    switch (command) {
    case VU_VERSION:
        return vu_write_version(to, 0, 1, "{}");
    case VU_DMA_MAP:
        return vu_write_map(to, VU_MAP_READ, 8192, 0x100000000, 4096);
    case VU_DMA_UNMAP:
        return vu_write_unmap(to, 24, 0, 0x100000000, 4096);
    case VU_DEVICE_INFO:
    case VU_REGION_INFO:
    case VU_IRQ_INFO:
        return vu_write_info(to, (enum vu_command)command, &info);
    case VU_SET_IRQS:
        return vu_write_set_irqs(to, VU_SET_EVENTFD | VU_SET_TRIGGER, VU_IRQ_MSIX, 0, 2);
    case VU_DEVICE_RESET:
        return 0;
    default:
        bytes = vu_write_access(to, (enum vu_command)command, 0x40, 0, 8);
        memset(to + bytes, 0xA5, 8);
        return bytes + (command == VU_REGION_WRITE || command == VU_DMA_WRITE ? 8 : 0);
    }
}

Test(message, headers)
{
    const struct vu_header h = {.id = 0xABCD, .command = 9, .size = 32, .flags = VU_NO_REPLY, .error = 7};
    struct vu_header back;
    uint8_t bytes[VU_HEADER_BYTES];
    vu_write_header(bytes, &h);
    cr_assert(vu_read_header(bytes, &back));
    cr_assert_eq(memcmp(&h, &back, sizeof h), 0);
    const struct {
        uint32_t size, flags;
        bool ok;
    } cases[] = {{15, 0, false},
                 {0, 0, false},
                 {16, 0, true},
                 {VU_MESSAGE_MAX, 0, true},
                 {VU_MESSAGE_MAX + 1, 0, false},
                 {UINT32_MAX, 0, false},
                 {16, 2, false},
                 {16, 15, false},
                 {16, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vu_write_header(bytes, &(struct vu_header){.size = cases[i].size, .flags = cases[i].flags});
        cr_assert_eq(vu_read_header(bytes, &back), cases[i].ok, "case %zu", i);
    }
}

Test(message, what_is_written_is_read)
{
    uint8_t bytes[ROOM];
    struct vu_request r;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t count = write_sample(samples[i].command, bytes);
        cr_assert_eq(read_exactly(samples[i].command, 0, bytes, count, samples[i].fds, &r), 0, "command %d",
                     samples[i].command);
        cr_assert_eq(r.header.command, samples[i].command);
    }
    size_t count = write_sample(VU_DMA_MAP, bytes);
    cr_assert_eq(read_exactly(VU_DMA_MAP, 0, bytes, count, 1, &r), 0);
    cr_assert(r.flags == VU_MAP_READ && r.offset == 8192 && r.address == 0x100000000 && r.size == 4096);
    count = write_sample(VU_REGION_WRITE, bytes);
    cr_assert_eq(read_exactly(VU_REGION_WRITE, VU_NO_REPLY, bytes, count, 0, &r), 0);
    cr_assert(r.offset == 0x40 && r.index == 0 && r.count == 8);
}

/* Shorter, longer, with descriptors that do not belong there: refused, each. */
Test(message, sizes_must_be_right)
{
    uint8_t bytes[ROOM] = {0};
    struct vu_request r;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t count = write_sample(samples[i].command, bytes);
        const uint16_t command = samples[i].command;
        const bool asks = command == VU_DEVICE_INFO || command == VU_REGION_INFO || command == VU_IRQ_INFO;
        for (size_t cut = 0; cut < count; cut++)
            /* A version without text is whole, too. */
            cr_assert_eq(read_exactly(command, 0, bytes, cut, samples[i].fds, &r),
                         command == VU_VERSION && cut == 4 ? 0 : EINVAL, "command %d cut to %zu", command,
                         cut);
        /* What asks for information may be longer, as its answer is. */
        cr_assert_eq(read_exactly(command, 0, bytes, count + 1, samples[i].fds, &r), asks ? 0 : EINVAL,
                     "command %d and a byte", command);
        cr_assert_eq(read_exactly(command, 0, bytes, count, samples[i].fds + 1, &r), EINVAL,
                     "command %d and a descriptor", command);
    }
    cr_assert_eq(read_exactly(VU_DEVICE_RESET, VU_TYPE_REPLY, bytes, 0, 0, &r), EINVAL);
    cr_assert_eq(read_exactly(VU_DEVICE_RESET, 1u << 31, bytes, 0, 0, &r), EINVAL);
    for (unsigned command = 0; command < 70; command++)
        if (command == 0 || command == VU_REGION_IO_FDS || command > VU_DEVICE_RESET)
            cr_assert_eq(read_exactly((uint16_t)command, 0, bytes, 32, 0, &r), ENOTSUP, "%u", command);
    cr_assert_eq(read_exactly(UINT16_MAX, 0, bytes, 0, 0, &r), ENOTSUP);
}

static void refused(uint16_t command, unsigned fds, size_t at, size_t width, uint64_t value)
{
    uint8_t bytes[ROOM];
    struct vu_request r;
    size_t count = write_sample(command, bytes);
    memcpy(bytes + at, &value, width);
    cr_assert_neq(read_exactly(command, 0, bytes, count, fds, &r), 0, "command %d, %zu bytes at %zu: 0x%llx",
                  command, width, at, (unsigned long long)value);
}

/* The last page that there is may be mapped. */
Test(message, the_last_page)
{
    uint8_t bytes[ROOM];
    struct vu_request r;
    const uint64_t last = UINT64_MAX - 4095;
    size_t count = write_sample(VU_DMA_MAP, bytes);
    memcpy(bytes + 16, &last, sizeof last);
    cr_assert_eq(read_exactly(VU_DMA_MAP, 0, bytes, count, 1, &r), 0);
    cr_assert(r.address == last && r.size == 4096);
}

Test(message, fields_at_their_ends)
{
    refused(VU_VERSION, 0, 6, 1, 'x'); /* no zero at the end */
    refused(VU_VERSION, 0, 4, 1, 0);   /* one before it */
    refused(VU_DMA_MAP, 1, 0, 4, 31);
    refused(VU_DMA_MAP, 1, 4, 4, 0);
    refused(VU_DMA_MAP, 1, 4, 4, 4);
    refused(VU_DMA_MAP, 1, 8, 8, UINT64_MAX);
    refused(VU_DMA_MAP, 1, 8, 8, INT64_MAX);
    refused(VU_DMA_MAP, 1, 16, 8, 1);
    refused(VU_DMA_MAP, 1, 24, 8, 0);
    refused(VU_DMA_MAP, 1, 24, 8, 4095);
    refused(VU_DMA_MAP, 1, 24, 8, UINT64_MAX - 4095);
    refused(VU_DMA_UNMAP, 0, 0, 4, 23);
    refused(VU_DMA_UNMAP, 0, 4, 4, 1);
    refused(VU_DMA_UNMAP, 0, 4, 4, UINT32_MAX);
    refused(VU_DMA_UNMAP, 0, 4, 4, VU_UNMAP_ALL); /* goes with neither address nor size */
    refused(VU_DMA_UNMAP, 0, 16, 8, 0);
    refused(VU_DMA_UNMAP, 0, 16, 8, UINT64_MAX - 4095);
    refused(VU_DEVICE_INFO, 0, 0, 4, 15);
    refused(VU_REGION_INFO, 0, 0, 4, 31);
    refused(VU_REGION_INFO, 0, 8, 4, VU_REGIONS);
    refused(VU_REGION_INFO, 0, 8, 4, UINT32_MAX);
    refused(VU_IRQ_INFO, 0, 8, 4, VU_IRQS);
    refused(VU_SET_IRQS, 2, 0, 4, 19);
    refused(VU_SET_IRQS, 2, 4, 4, 0);
    refused(VU_SET_IRQS, 2, 4, 4, VU_SET_EVENTFD);
    refused(VU_SET_IRQS, 2, 4, 4, VU_SET_EVENTFD | VU_SET_NONE | VU_SET_TRIGGER);
    refused(VU_SET_IRQS, 2, 4, 4, VU_SET_EVENTFD | VU_SET_MASK | VU_SET_TRIGGER);
    refused(VU_SET_IRQS, 2, 4, 4, VU_SET_EVENTFD | VU_SET_TRIGGER | 64);
    refused(VU_SET_IRQS, 2, 4, 4, VU_SET_BOOL | VU_SET_TRIGGER);
    refused(VU_SET_IRQS, 2, 8, 4, VU_IRQS);
    refused(VU_SET_IRQS, 2, 12, 4, UINT32_MAX);
    refused(VU_SET_IRQS, 2, 16, 4, UINT32_MAX);
    refused(VU_SET_IRQS, 2, 16, 4, 0);
    for (unsigned i = 0; i < 2; i++) {
        const uint16_t command = i ? VU_REGION_WRITE : VU_REGION_READ, dma = i ? VU_DMA_WRITE : VU_DMA_READ;
        refused(command, 0, 0, 8, UINT64_MAX);
        refused(command, 0, 8, 4, VU_REGIONS);
        refused(command, 0, 12, 4, 0);
        refused(command, 0, 12, 4, VU_DATA_MAX + 1);
        refused(command, 0, 12, 4, UINT32_MAX);
        refused(dma, 0, 0, 8, UINT64_MAX);
        refused(dma, 0, 8, 8, 0);
        refused(dma, 0, 8, 8, VU_DATA_MAX + 1);
        refused(dma, 0, 8, 8, UINT64_MAX);
        refused(dma, 0, 8, 8, UINT64_C(1) << 32 | 8);
    }
}

/* A request that is taken keeps what the codec promises, whatever its bytes. */
static void check_taken(const struct vu_request *r, size_t bytes)
{
    switch (r->header.command) {
    case VU_DMA_MAP:
        cr_assert(r->size && r->address + (r->size - 1) >= r->address && r->address % VU_PAGE == 0);
        break;
    case VU_REGION_READ:
    case VU_REGION_WRITE:
        cr_assert(r->index < VU_REGIONS && r->count && r->count <= VU_DATA_MAX);
        cr_assert(r->header.command == VU_REGION_READ || r->count == bytes - 16);
        break;
    case VU_SET_IRQS:
        cr_assert(r->index < VU_IRQS && r->start + r->count >= r->start);
        break;
    default:
        break;
    }
}

Test(message, random_bytes)
{
    struct random chance = {.state = 20261122};
    struct vu_request r;
    unsigned taken = 0;
    for (unsigned i = 0; i < 300000; i++) {
        uint8_t bytes[ROOM];
        const struct sample *s = &samples[random_below(&chance, SAMPLES)];
        size_t count = write_sample(s->command, bytes);
        for (uint64_t changes = random_below(&chance, 4); count && changes; changes--)
            bytes[random_below(&chance, count)] = (uint8_t)random_below(&chance, 256);
        if (random_below(&chance, 4) == 0)
            count = random_below(&chance, count + 1);
        if (read_exactly(s->command, 0, bytes, count, (unsigned)random_below(&chance, 3), &r) == 0) {
            check_taken(&r, count);
            taken++;
        }
    }
    cr_assert(taken > 10000 && taken < 290000, "%u of them were taken: nothing was tried", taken);
}

Test(message, answers_must_fit_their_questions)
{
    uint8_t bytes[ROOM];
    const uint8_t *data;
    size_t count = vu_write_access(bytes, VU_REGION_READ, 0x40, 2, 8);
    cr_assert(vu_read_access_reply(VU_REGION_READ, bytes, count + 8, 0x40, 2, 8, &data));
    cr_assert_eq(data, bytes + count);
    cr_assert_not(vu_read_access_reply(VU_REGION_READ, bytes, count + 7, 0x40, 2, 8, &data));
    cr_assert_not(vu_read_access_reply(VU_REGION_READ, bytes, count + 9, 0x40, 2, 8, &data));
    cr_assert_not(vu_read_access_reply(VU_REGION_READ, bytes, count + 8, 0x44, 2, 8, &data));
    cr_assert_not(vu_read_access_reply(VU_REGION_READ, bytes, count + 8, 0x40, 0, 8, &data));
    cr_assert_not(vu_read_access_reply(VU_REGION_READ, bytes, 15, 0x40, 2, 8, &data));
    cr_assert_not(vu_read_access_reply(VU_REGION_READ, bytes, 0, 0x40, 2, 8, &data));
    count = vu_write_access(bytes, VU_DMA_WRITE, 0x1000, 0, 8);
    cr_assert(vu_read_access_reply(VU_DMA_WRITE, bytes, count, 0x1000, 0, 8, &data));
    cr_assert(vu_read_access_reply(VU_DMA_WRITE, bytes, count - 4, 0x1000, 0, 8, &data));
    cr_assert_not(vu_read_access_reply(VU_DMA_WRITE, bytes, count, 0x1000, 0, 9, &data));
}

Test(message, capabilities)
{
    struct vu_capabilities c;
    char text[VU_VERSION_TEXT_MAX];
    cr_assert(vu_read_capabilities(NULL, &c) && c.max_msg_fds == 1 && c.max_data_xfer_size == VU_DATA_MAX);
    cr_assert(vu_read_capabilities("{}", &c));
    cr_assert(
        vu_read_capabilities("{\"capabilities\":{\"migration\":{\"pgsize\":4096},\"max_msg_fds\":3}}", &c));
    cr_assert_eq(c.max_msg_fds, 3);
    const char *const bad[] = {"",
                               "{",
                               "[]",
                               "7",
                               "{\"capabilities\":7}",
                               "{\"capabilities\":{\"max_msg_fds\":-1}}",
                               "{\"capabilities\":{\"max_data_xfer_size\":0}}",
                               "{\"capabilities\":{\"pgsizes\":\"4096\"}}",
                               "{\"capabilities\":{\"max_dma_maps\":1e9}}",
                               "{\"capabilities\":{\"max_dma_maps\":99999999999999999999}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(vu_read_capabilities(bad[i], &c), "%s", bad[i]);
    const struct vu_capabilities ours = {5, 6, 7, 8};
    vu_write_capabilities(text, &ours);
    cr_assert(vu_read_capabilities(text, &c) && memcmp(&c, &ours, sizeof c) == 0);
}
