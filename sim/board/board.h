/* SPDX-License-Identifier: Apache-2.0
 *
 * A board with a Tulle device, whatever it is: a Verilated device with a
 * simulated memory (sim.h), the functional model behind the same registers
 * (model.h), later hardware on a bus. Who drives a device knows nothing else
 * of it. docs/board.md is the longer text.
 *
 * Any number of boards live in a process, each used by one thread at a time.
 * Nothing waits without a bound.
 */
#ifndef TULLE_SIM_BOARD_H
#define TULLE_SIM_BOARD_H

#include <stddef.h>
#include <stdint.h>

/* Raised when something that is here already changes its meaning; what is added goes to the end of struct
 * board_api and shows in its size. */
#define BOARD_API_VERSION 1

enum board_status {
    BOARD_OK,
    BOARD_TIMEOUT,      /* the bound of a wait was reached */
    BOARD_BAD_ARGUMENT, /* nothing was done: an address, a length or a bound that cannot be */
    BOARD_FAILED,       /* the board is of no more use; error() says why */
};

struct board;

struct board_traffic {
    uint64_t beats;
    uint64_t first, last; /* cycles of the first one and of the last */
};

struct board_api {
    uint32_t size; /* of this structure */
    uint32_t version;
    const char *kind; /* what stands before the colon of the place: "sim", "model", "pcie", "serial" */

    /* `place`: which board, as its kind understands it. `settings`: "name=value", NULL at the end, or NULL;
     * what the kind does not know is refused. NULL with the reason, ended by a zero, in `why` of `room`
     * bytes. */
    struct board *(*open)(const char *place, const char *const *settings, char *why, size_t room);
    void (*close)(struct board *board); /* NULL is fine */

    /* 32-bit registers at byte offsets, docs/registers.md. */
    enum board_status (*read_register)(struct board *board, uint32_t offset, uint32_t *value);
    enum board_status (*write_register)(struct board *board, uint32_t offset, uint32_t value);

    /* Device memory: any address and length within it. */
    enum board_status (*read_memory)(struct board *board, uint64_t address, void *to, size_t bytes);
    enum board_status (*write_memory)(struct board *board, uint64_t address, const void *from, size_t bytes);

    /* Until the interrupt line is up, at most so many clock cycles and so many nanoseconds, whichever is over
     * first; 0: no bound of that kind, but one there must be. A board whose clock cannot be counted goes by
     * the time alone. */
    enum board_status (*wait)(struct board *board, uint64_t cycles, uint64_t nanoseconds);

    /* Clock cycles since open; 0 from a board that cannot tell. */
    uint64_t (*cycles)(const struct board *board);
    /* When the device last wrote the byte, in the same cycles; 0: it did not, or the board cannot tell. */
    uint64_t (*written)(const struct board *board, uint64_t address);

    /* Why the last call did not return BOARD_OK; never NULL. Valid until the next call. */
    const char *(*error)(const struct board *board);
    /* The newest things that the board saw, a line each, oldest first; "" from a board that keeps none. Valid
     * until the next call. */
    const char *(*events)(struct board *board);
    /* Beats of data that moved on the memory ports since open: read, written. Nothing from a board that has
     * no ports, or cannot tell. */
    void (*traffic)(const struct board *board, struct board_traffic *read, struct board_traffic *written);
};

extern const struct board_api board_sim, board_model, board_pcie, board_serial;

/* The kind of board that `name`, "KIND" or "KIND:PLACE", asks for, with *place behind the colon or ""; NULL
 * when there is none of that kind. */
const struct board_api *board_find(const char *name, const char **place);

#endif
