/* SPDX-License-Identifier: Apache-2.0
 *
 * The function's configuration space: bytes, and which bits of them a write
 * reaches.
 */
#ifndef TULLE_SIM_PCIE_CONFIG_H
#define TULLE_SIM_PCIE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/board/pcie_layout.h"

struct pcie_ids {
    uint16_t vendor, device, subsystem_vendor, subsystem;
};

struct config {
    uint8_t value[CONFIG_BYTES], writable[CONFIG_BYTES];
};

/* As after a reset. `window` is the size of BAR2, a power of two. */
void config_reset(struct config *config, const struct pcie_ids *ids, uint64_t window);

/* The range must be within it. True: a function-level reset was asked for. */
bool config_write(struct config *config, uint64_t offset, const uint8_t *from, size_t count);

bool config_memory_on(const struct config *config); /* BARs answer */
bool config_master_on(const struct config *config); /* the function may reach memory and send messages */

#endif
