/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/config.h"

#include <string.h>

static void put(struct config *c, unsigned at, unsigned bytes, uint64_t value, uint64_t writable)
{
    for (unsigned i = 0; i < bytes; i++) {
        c->value[at + i] = (uint8_t)(value >> 8 * i);
        c->writable[at + i] = (uint8_t)(writable >> 8 * i);
    }
}

static unsigned get16(const struct config *c, unsigned at)
{
    return c->value[at] | (unsigned)c->value[at + 1] << 8;
}

static void put_capability(struct config *c, unsigned at, unsigned id, unsigned next)
{
    put(c, at, 2, id | next << 8, 0);
}

static void header(struct config *c, const struct pcie_ids *ids, uint64_t window)
{
    put(c, 0x00, 4, ids->vendor | (uint32_t)ids->device << 16, 0);
    put(c, CONFIG_COMMAND, 2, 0, COMMAND_MEMORY | COMMAND_MASTER | COMMAND_INTX_OFF);
    put(c, CONFIG_STATUS, 2, 1u << 4, 0); /* there are capabilities */
    put(c, 0x08, 4, PCIE_REVISION | PCIE_CLASS << 8, 0);
    put(c, 0x0C, 1, 0, 0xFF);                               /* cache line: software's note */
    put(c, CONFIG_BAR0, 4, 0, ~(uint64_t)(BAR0_BYTES - 1)); /* 32 bits, not prefetchable */
    put(c, CONFIG_BAR2, 8, 0xC, ~(window - 1));             /* 64 bits, prefetchable */
    put(c, 0x2C, 4, ids->subsystem_vendor | (uint32_t)ids->subsystem << 16, 0);
    put(c, CONFIG_CAPABILITIES, 1, CAPABILITY_EXPRESS, 0);
    put(c, 0x3C, 1, 0, 0xFF); /* interrupt line: software's note; there is no pin */
}

/* PCI Express, version 2, an endpoint on a link of one lane at 2.5 GT/s. */
static void express(struct config *c)
{
    const unsigned at = CAPABILITY_EXPRESS;
    put_capability(c, at, 0x10, CAPABILITY_MSIX);
    put(c, at + 0x02, 2, 2, 0);
    put(c, at + 0x04, 4, 1u | 1u << 15 | 1u << 28, 0); /* payloads of 256, role-based errors, FLR */
    put(c, EXPRESS_DEVICE_CONTROL, 2, 0x2810, 0x7FFF & ~(1u << 8 | 1u << 9 | 1u << 10));
    put(c, at + 0x0C, 4, 0x11, 0);
    put(c, at + 0x10, 2, 0, 0xC3);
    put(c, at + 0x12, 2, 0x11, 0);
    put(c, at + 0x24, 4, 1u << 4, 0); /* the completion timeout can be switched off */
    put(c, at + 0x28, 2, 0, 0x10);
    put(c, at + 0x30, 2, 1, 0);
}

void config_reset(struct config *c, const struct pcie_ids *ids, uint64_t window)
{
    memset(c, 0, sizeof *c);
    header(c, ids, window);
    express(c);
    put_capability(c, CAPABILITY_MSIX, 0x11, CAPABILITY_POWER);
    put(c, MSIX_CONTROL, 2, VECTORS - 1, 0xC000);
    put(c, CAPABILITY_MSIX + 4, 4, BAR0_MSIX_TABLE, 0);
    put(c, CAPABILITY_MSIX + 8, 4, BAR0_MSIX_PENDING, 0);
    put_capability(c, CAPABILITY_POWER, 0x01, 0);
    put(c, CAPABILITY_POWER + 2, 2, 3, 0);
    put(c, POWER_STATE, 2, 1u << 3, 3); /* nothing is lost on the way from D3hot to D0 */
}

bool config_write(struct config *c, uint64_t offset, const uint8_t *from, size_t count)
{
    const unsigned power = c->value[POWER_STATE] & 3u;
    bool reset = false;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = offset + i;
        c->value[at] = (uint8_t)((c->value[at] & ~c->writable[at]) | (from[i] & c->writable[at]));
        reset = reset || (at == EXPRESS_DEVICE_CONTROL + 1 && from[i] & DEVICE_CONTROL_FLR >> 8);
    }
    if (((c->value[POWER_STATE] & 3u) + 1) & 2) /* D1 or D2, which are not there */
        c->value[POWER_STATE] = (uint8_t)((c->value[POWER_STATE] & ~3u) | power);
    return reset;
}

static bool awake(const struct config *c)
{
    return !(c->value[POWER_STATE] & 3u);
}

bool config_memory_on(const struct config *c)
{
    return awake(c) && (get16(c, CONFIG_COMMAND) & COMMAND_MEMORY);
}

bool config_master_on(const struct config *c)
{
    return awake(c) && (get16(c, CONFIG_COMMAND) & COMMAND_MASTER);
}
