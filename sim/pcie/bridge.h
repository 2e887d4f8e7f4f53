/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands between a device with a host port and the bus: the function's
 * registers are the device's own, and what its copy engine asks of the host's
 * memory is done by mappings. Devices without one have the model of an engine
 * (copy.h) instead.
 */
#ifndef TULLE_SIM_PCIE_BRIDGE_H
#define TULLE_SIM_PCIE_BRIDGE_H

#include "sim/board/board.h"
#include "sim/pcie/dma.h"

struct bridge {
    const struct board_host *host; /* NULL: the device has no host port */
    struct board *board;
    bool working;        /* the engine may have something to do */
    uint64_t interrupts; /* that were seen */
    unsigned epoch;      /* changes with each board and each reset of the engine */
};

/* A board that has just been opened, or NULL: there is none. */
void bridge_connect(struct bridge *bridge, const struct board_api *api, struct board *board,
                    uint64_t window_bytes);

/* Of the page of the function's registers. Status as the board gives it. After a reset, of the engine or of
 * the function, nothing moves any more that was asked for before it. */
enum board_status bridge_read(struct bridge *bridge, uint32_t offset, uint32_t *value);
enum board_status bridge_write(struct bridge *bridge, uint32_t offset, uint32_t value);
enum board_status bridge_reset(struct bridge *bridge);

/* The interrupt line has gone up since it was asked last. */
bool bridge_interrupt(struct bridge *bridge);

/* Some clock cycles, and what is asked for in them. The mappings may change meanwhile, and the board, too. */
enum board_status bridge_work(struct bridge *bridge, struct dma *dma, uint64_t cycles);

#endif
