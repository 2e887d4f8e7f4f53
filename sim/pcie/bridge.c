/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/bridge.h"

#include "sim/board/pcie_layout.h"

#define DRAIN_CYCLES 20000 /* in which what is under way when the engine is reset must have been answered */

void bridge_connect(struct bridge *b, const struct board_api *api, struct board *board, uint64_t window_bytes)
{
    *b = (struct bridge){.board = board, .epoch = b->epoch + 1};
    if (!board || !api->host || !api->host->there(board))
        return;
    b->host = api->host;
    b->host->set_window_bytes(board, window_bytes);
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* What was asked for before is refused, and what was written to the device lands now. A memory that does not
 * answer is not waited for. */
static enum board_status drain(struct bridge *b)
{
    struct board_host_access access;
    enum board_status status = BOARD_OK;
    b->epoch++;
    b->working = false;
    for (unsigned i = 0; i < DRAIN_CYCLES && status == BOARD_OK && !b->host->quiet(b->board); i++) {
        while (b->host->asks(b->board, &access))
            b->host->answer(b->board, &access, false);
        status = b->host->run(b->board, 1);
    }
    (void)bridge_interrupt(b); /* of before */
    return status;
}

enum board_status bridge_reset(struct bridge *b)
{
    b->host->set_master(b->board, false);
    const enum board_status status = b->host->reset(b->board);
    return status == BOARD_OK ? drain(b) : status;
}

/* ---- registers ------------------------------------------------------------------------------- */

enum board_status bridge_read(struct bridge *b, uint32_t offset, uint32_t *value)
{
    return b->host->read_register(b->board, offset, value);
}

enum board_status bridge_write(struct bridge *b, uint32_t offset, uint32_t value)
{
    const enum board_status status = b->host->write_register(b->board, offset, value);
    if (status == BOARD_OK && offset == COPY_CONTROL && (value & COPY_CONTROL_RESET))
        return drain(b);
    b->working = b->working || offset == COPY_CONTROL || offset == COPY_TAIL;
    return status;
}

bool bridge_interrupt(struct bridge *b)
{
    const uint64_t seen = b->interrupts;
    b->interrupts = b->host->interrupts(b->board);
    return b->interrupts != seen;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* True when something was asked for. */
static bool serve(struct bridge *b, struct dma *dma)
{
    const unsigned epoch = b->epoch;
    struct board_host_access access;
    bool asked = false;
    while (b->epoch == epoch && b->host->asks(b->board, &access)) {
        const enum dma_way way = access.write ? DMA_TO_HOST : DMA_FROM_HOST;
        uint64_t fault;
        const bool ok = dma_access(dma, way, access.address, access.data, access.bytes, &fault);
        asked = true;
        /* The client may have reset the function meanwhile. */
        if (b->epoch == epoch)
            b->host->answer(b->board, &access, ok);
    }
    return asked;
}

enum board_status bridge_work(struct bridge *b, struct dma *dma, uint64_t cycles)
{
    uint32_t engine = 0;
    enum board_status status = b->host->run(b->board, cycles);
    if (status != BOARD_OK || serve(b, dma))
        return status;
    status = bridge_read(b, COPY_STATUS, &engine);
    b->working = engine & COPY_STATUS_BUSY;
    return status;
}
