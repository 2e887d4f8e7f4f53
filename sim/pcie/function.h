/* SPDX-License-Identifier: Apache-2.0
 *
 * The PCIe function around a board: configuration space, BARs, vectors and
 * resets. Knows nothing of sockets and messages.
 */
#ifndef TULLE_SIM_PCIE_FUNCTION_H
#define TULLE_SIM_PCIE_FUNCTION_H

#include "gen/base/strbuf.h"
#include "sim/board/board.h"
#include "sim/pcie/bridge.h"
#include "sim/pcie/config.h"
#include "sim/pcie/copy.h"

#define WINDOW_BYTES_DEFAULT (UINT64_C(256) << 20)
#define WINDOW_BYTES_MIN 4096
#define WINDOW_BYTES_MAX (UINT64_C(1) << 40)

struct function_settings {
    const struct board_api *api;
    const char *place;
    const char *const *settings; /* of the board; they and `place` must stay */
    uint64_t window;             /* bytes of BAR2, a power of two */
    struct pcie_ids ids;
};

struct vector {
    int signal; /* an eventfd, ours; -1: nobody listens */
    bool masked, pending;
};

struct function {
    struct function_settings with;
    struct board *board; /* NULL: it could not be opened again */
    struct config config;
    struct dma *dma;
    struct bridge bridge; /* to the device's own registers and engine, when it has a host port ... */
    struct copy copy;     /* ... and else a model of them, with `window` and `window_faults` */
    struct vector vector[VECTORS];
    uint8_t table[VECTORS * MSIX_ENTRY_BYTES];
    uint64_t memory; /* bytes */
    uint64_t window;
    uint32_t window_faults;
    bool line, copy_line; /* interrupts, as they were last seen */
    bool running, queued; /* jobs, as far as writes of control tell */
    bool failed;          /* the board is of no more use: everything reads all ones */
};

/* `dma` must stay. False with the reason. */
bool function_open(struct function *function, const struct function_settings *settings, struct dma *dma,
                   struct strbuf *why);
void function_close(struct function *function);

/* Bytes of a region as vfio numbers them; 0: there is none. */
uint64_t function_region(const struct function *function, unsigned region);

/* Within a region. */
void function_read(struct function *function, unsigned region, uint64_t offset, uint8_t *to, size_t count);
void function_write(struct function *function, unsigned region, uint64_t offset, const uint8_t *from,
                    size_t count);

void function_reset(struct function *function);

/* Takes the eventfd over; -1: nobody listens any more. */
void function_listen(struct function *function, unsigned vector, int signal);
void function_mask(struct function *function, unsigned vector, bool masked);
void function_trigger(struct function *function, unsigned vector);

/* Whether there is something to do without being asked, and a little of it: clock cycles, a descriptor. */
bool function_busy(const struct function *function);
void function_work(struct function *function);

#endif
