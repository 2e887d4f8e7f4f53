/* SPDX-License-Identifier: Apache-2.0
 *
 * The copy engine: takes descriptors from a ring in the host's memory and
 * moves bytes between there and device memory. A model in C of
 * tulle_copy, which devices with a host port have (docs/rtl.md).
 */
#ifndef TULLE_SIM_PCIE_COPY_H
#define TULLE_SIM_PCIE_COPY_H

#include <stdbool.h>

#include "sim/board/pcie_layout.h"
#include "sim/pcie/dma.h"

struct copy {
    uint64_t ring, fault_address, moved[2]; /* by enum dma_way */
    uint32_t entries, head, tail, mask, pending, done, faults, watchdog;
    bool run, halted;
    enum copy_code code; /* why it is halted */
    unsigned resets;     /* so many so far: one may come while the host's memory is reached */
};

/* What it works on. */
struct copy_port {
    struct dma *dma;
    bool (*master)(void *context); /* it may reach the host's memory now */
    /* Device memory. False: not all of it is there; *failed when the device is of no more use. */
    bool (*device)(void *context, enum dma_way way, uint64_t address, void *bytes, size_t count,
                   bool *failed);
    void *context;
};

/* The state after reset. */
void copy_reset(struct copy *copy);

/* Registers, by offsets of enum function_register from COPY_CONTROL on; others read 0. */
uint32_t copy_read(const struct copy *copy, uint32_t offset);
void copy_write(struct copy *copy, uint32_t offset, uint32_t value);

/* Whether there is a descriptor to take. */
bool copy_ready(const struct copy *copy);
/* Takes one, whatever comes of it. */
void copy_step(struct copy *copy, const struct copy_port *port);

/* Whether its interrupt should be up. */
bool copy_interrupt(const struct copy *copy);

#endif
