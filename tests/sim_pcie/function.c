/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration space and mappings, without a client.
 */
#define _GNU_SOURCE /* memfd_create */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/pcie/config.h"
#include "sim/pcie/dma.h"
#include "sim/pcie/message.h"

#define WINDOW (UINT64_C(256) << 20)

static const struct pcie_ids ids = {0x1111, 0x2222, 0x3333, 0x4444};

static uint32_t get32(const struct config *c, unsigned at)
{
    uint32_t value;
    memcpy(&value, c->value + at, sizeof value);
    return value;
}

static bool put32(struct config *c, unsigned at, uint32_t value)
{
    return config_write(c, at, (const uint8_t *)&value, sizeof value);
}

Test(config, says_who_it_is_and_how_large)
{
    static struct config c;
    config_reset(&c, &ids, WINDOW);
    cr_assert_eq(get32(&c, 0), 0x22221111);
    cr_assert_eq(get32(&c, 0x2C), 0x44443333);
    cr_assert_eq(get32(&c, 8), 0x12000001);
    for (unsigned at = CONFIG_BAR0; at < 0x28; at += 4)
        cr_assert_not(put32(&c, at, UINT32_MAX));
    cr_assert_eq(get32(&c, CONFIG_BAR0), ~(BAR0_BYTES - 1));
    cr_assert_eq(get32(&c, CONFIG_BAR0 + 4), 0, "no BAR1");
    cr_assert_eq(get32(&c, CONFIG_BAR2), (uint32_t) ~(WINDOW - 1) | 0xC);
    cr_assert_eq(get32(&c, CONFIG_BAR2 + 4), UINT32_MAX);
    cr_assert_eq(get32(&c, CONFIG_BAR2 + 8), 0, "no BAR4");
    cr_assert_not(put32(&c, 0, 0));
    cr_assert_eq(get32(&c, 0), 0x22221111, "ids are not written");
}

/* The list is whole: it ends, and what this function promises is in it. */
Test(config, capabilities)
{
    static struct config c;
    unsigned seen = 0, count = 0;
    config_reset(&c, &ids, WINDOW);
    cr_assert(get32(&c, CONFIG_COMMAND) >> 16 & 1u << 4);
    for (unsigned at = c.value[CONFIG_CAPABILITIES]; at && count < 10; at = c.value[at + 1], count++) {
        cr_assert(at >= 0x40 && at % 4 == 0);
        seen |= 1u << c.value[at];
    }
    cr_assert_eq(seen, 1u << 0x10 | 1u << 0x11 | 1u << 0x01);
    cr_assert_eq(count, 3);
    cr_assert(get32(&c, CAPABILITY_EXPRESS + 4) >> 28 & 1, "FLR is told of");
    cr_assert_eq(get32(&c, CAPABILITY_MSIX) >> 16 & 0x7FF, VECTORS - 1);
}

Test(config, what_writes_do)
{
    static struct config c;
    config_reset(&c, &ids, WINDOW);
    cr_assert_not(config_memory_on(&c) || config_master_on(&c));
    cr_assert_not(put32(&c, CONFIG_COMMAND, UINT32_MAX));
    cr_assert_eq(get32(&c, CONFIG_COMMAND), 1u << 20 | COMMAND_MEMORY | COMMAND_MASTER | COMMAND_INTX_OFF);
    cr_assert(config_memory_on(&c) && config_master_on(&c));
    for (uint32_t state = 1; state < 3; state++) {
        put32(&c, POWER_STATE, state);
        cr_assert_eq(get32(&c, POWER_STATE) & 3, 0, "D%u is not there", state);
    }
    put32(&c, POWER_STATE, 3);
    cr_assert_not(config_memory_on(&c) || config_master_on(&c), "asleep");
    put32(&c, POWER_STATE, 0);
    cr_assert(config_memory_on(&c) && config_master_on(&c), "and as before");
    cr_assert(put32(&c, EXPRESS_DEVICE_CONTROL, DEVICE_CONTROL_FLR), "a reset is asked for");
    cr_assert_not(get32(&c, EXPRESS_DEVICE_CONTROL) & DEVICE_CONTROL_FLR, "and reads 0");
    const uint8_t high = 0x80;
    cr_assert(config_write(&c, EXPRESS_DEVICE_CONTROL + 1, &high, 1));
}

/* ---- mappings -------------------------------------------------------------------------------- */

#define PAGE 4096u

static int file_of(size_t bytes)
{
    int fd = memfd_create("test", 0);
    cr_assert(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    return fd;
}

static const uint32_t both = VU_MAP_READ | VU_MAP_WRITE;

Test(dma, nothing_lies_over_another)
{
    struct dma d = {0};
    const int fd = file_of(16 * PAGE);
    uint64_t removed;
    cr_assert_eq(dma_add(&d, 4 * PAGE, 4 * PAGE, both, fd, 0), 0);
    const struct {
        uint64_t page, pages;
        int error;
    } cases[] = {{0, 4, 0},       {8, 1, 0},      {3, 1, EEXIST}, {7, 1, EEXIST},
                 {0, 16, EEXIST}, {5, 1, EEXIST}, {9, 4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(dma_add(&d, cases[i].page * PAGE, cases[i].pages * PAGE, both, fd, 0), cases[i].error,
                     "%zu", i);
    cr_assert_eq(dma_add(&d, UINT64_MAX - PAGE + 1, PAGE, both, fd, 0), 0, "the last page there is");
    cr_assert_eq(dma_remove(&d, 5 * PAGE, PAGE, &removed), EINVAL, "would be cut in two");
    cr_assert_eq(dma_remove(&d, 0, 6 * PAGE, &removed), EINVAL);
    cr_assert_eq(d.count, 5);
    cr_assert_eq(dma_remove(&d, 100 * PAGE, PAGE, &removed), 0);
    cr_assert_eq(removed, 0, "never mapped");
    cr_assert_eq(dma_remove(&d, 0, 9 * PAGE, &removed), 0);
    cr_assert_eq(removed, 9 * PAGE);
    cr_assert_eq(d.count, 2);
    dma_remove_all(&d, &removed);
    cr_assert_eq(removed, 5 * PAGE);
    cr_assert_null(d.files);
    close(fd);
}

Test(dma, files_must_be_there_and_fit)
{
    struct dma d = {0};
    const int fd = file_of(2 * PAGE);
    int ends[2];
    char path[64];
    cr_assert_eq(pipe(ends), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int read_only = open(path, O_RDONLY);
    cr_assert(read_only >= 0);
    cr_assert_eq(dma_add(&d, 0, 4 * PAGE, both, fd, 0), EINVAL, "longer than the file");
    cr_assert_eq(dma_add(&d, 0, PAGE, both, fd, 2 * PAGE), EINVAL);
    cr_assert_eq(dma_add(&d, 0, PAGE, both, ends[0], 0), EINVAL, "a pipe");
    cr_assert_eq(dma_add(&d, 0, PAGE, both, read_only, 0), EACCES);
    cr_assert_eq(d.count, 0);
    cr_assert_eq(dma_add(&d, 0, PAGE, VU_MAP_READ, read_only, 0), 0);
    dma_remove_all(&d, NULL);
    close(ends[0]);
    close(ends[1]);
    close(read_only);
    close(fd);
}

Test(dma, accesses_keep_to_what_is_mapped)
{
    struct dma d = {0};
    const int fd = file_of(8 * PAGE);
    uint8_t there[3 * PAGE], back[3 * PAGE];
    uint64_t fault;
    for (size_t i = 0; i < sizeof there; i++)
        there[i] = (uint8_t)(i % 251);
    /* Two mappings beside each other, the other way round in the file. */
    cr_assert_eq(dma_add(&d, 16 * PAGE, 2 * PAGE, both, fd, 4 * PAGE), 0);
    cr_assert_eq(dma_add(&d, 18 * PAGE, 2 * PAGE, both, fd, 0), 0);
    cr_assert_eq(dma_add(&d, 21 * PAGE, PAGE, VU_MAP_READ, fd, 7 * PAGE), 0);
    cr_assert(dma_access(&d, DMA_TO_HOST, 16 * PAGE + 100, there, sizeof there, &fault));
    cr_assert(dma_access(&d, DMA_FROM_HOST, 16 * PAGE + 100, back, sizeof back, &fault));
    cr_assert_eq(memcmp(there, back, sizeof there), 0);
    cr_assert_eq(pread(fd, back, 8, 4 * PAGE + 100), 8);
    cr_assert_eq(memcmp(there, back, 8), 0);
    cr_assert(dma_access(&d, DMA_FROM_HOST, 18 * PAGE - 1, back, 1, &fault));
    cr_assert_eq(back[0], there[2 * PAGE - 101], "the last byte of a mapping");
    memset(back, 0x5A, sizeof back);
    cr_assert_not(dma_access(&d, DMA_TO_HOST, 19 * PAGE, back, 2 * PAGE, &fault));
    cr_assert_eq(fault, 20 * PAGE, "the hole");
    uint8_t byte = 0;
    cr_assert(dma_access(&d, DMA_FROM_HOST, 19 * PAGE, &byte, 1, &fault));
    cr_assert_neq(byte, 0x5A, "nothing was written before the hole");
    cr_assert(dma_access(&d, DMA_FROM_HOST, 21 * PAGE, back, PAGE, &fault));
    cr_assert_not(dma_access(&d, DMA_TO_HOST, 21 * PAGE, back, 1, &fault), "to be read only");
    cr_assert_not(dma_access(&d, DMA_FROM_HOST, UINT64_MAX, back, 2, &fault));
    cr_assert_not(dma_access(&d, DMA_FROM_HOST, 0, back, 1, &fault));
    /* The client cuts its file short: a fault, and no signal. */
    cr_assert_eq(ftruncate(fd, PAGE), 0);
    cr_assert_not(dma_access(&d, DMA_FROM_HOST, 16 * PAGE, back, 8, &fault));
    dma_remove_all(&d, NULL);
    close(fd);
}
