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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Raised when something that is here already changes its meaning; what is added goes to the end of struct
 * board_api and shows in its size. */
#define BOARD_API_VERSION 2

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
    /* Of writes: bytes in all; in beats that are written whole; in bursts of BOARD_BURST_LONG beats and more.
     */
    uint64_t bytes, bytes_whole, bytes_long;
};

#define BOARD_BURST_LONG 4

/* What a device asks of the host's memory: bytes in a row, none beyond the next multiple of
 * BOARD_HOST_BYTES_MAX.
 */
#define BOARD_HOST_BYTES_MAX 4096

struct board_host_access {
    bool write; /* else it reads */
    uint64_t address;
    uint32_t bytes;
    uint8_t data[BOARD_HOST_BYTES_MAX]; /* that it writes, or that it is to get */
};

/* The host port of a device (docs/pcie.md): registers of the PCIe function, and a copy engine that reaches
 * the host's memory. Nobody is called back: who runs the clock looks what is asked for, and answers it when
 * he can, which may be after other calls. */
struct board_host {
    uint32_t size; /* of this structure */

    bool (*there)(const struct board *board); /* nothing below is to be called of a device without */

    /* 32-bit registers at byte offsets in page 0x1000 of BAR0. */
    enum board_status (*read_register)(struct board *board, uint32_t offset, uint32_t *value);
    enum board_status (*write_register)(struct board *board, uint32_t offset, uint32_t value);

    /* What a bridge tells the device: how large BAR2 is, whether the function is a bus master (not at first),
     * a function-level reset, an access through BAR2 outside of memory. And what it asks it: where BAR2
     * begins. */
    void (*set_window_bytes)(struct board *board, uint64_t bytes);
    void (*set_master)(struct board *board, bool on);
    enum board_status (*reset)(struct board *board);
    enum board_status (*window_fault)(struct board *board);
    uint64_t (*window)(const struct board *board);

    /* So many clock cycles, or until something is asked for or an interrupt line changes. */
    enum board_status (*run)(struct board *board, uint64_t cycles);
    /* The oldest access that was not answered; false: there is none. */
    bool (*asks)(const struct board *board, struct board_host_access *access);
    /* Answers it. Not `ok`: it is refused. */
    void (*answer)(struct board *board, const struct board_host_access *access, bool ok);
    /* Nothing is under way on the ports of the engine. */
    bool (*quiet)(const struct board *board);
    /* How often its interrupt line went up since open. */
    uint64_t (*interrupts)(const struct board *board);
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

    const struct board_host *host; /* NULL from kinds of boards of which no device has a host port */

    /* The first cycle after this one in which a packet begins to move on the row buses and none did in the
     * cycle before; 0: there is none, or it is too long ago, or the board cannot tell. */
    uint64_t (*packet_after)(const struct board *board, uint64_t cycle);
};

extern const struct board_api board_sim, board_model;

/* The two of them, NULL at the end; host/devices/kinds.h has a table with every kind. */
extern const struct board_api *const board_simulated[];

/* The kind of board that `name`, "KIND" or "KIND:PLACE", asks for, with *place behind the colon or "".
 * `kinds` are the kinds that the caller can open, NULL at the end. NULL when none of them has the name. */
const struct board_api *board_find(const struct board_api *const *kinds, const char *name,
                                   const char **place);

#endif
