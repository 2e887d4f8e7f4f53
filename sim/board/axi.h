/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory end of an AXI4 port: answers a device's bursts out of device
 * memory with the timing, the back-pressure and the errors that it is told,
 * and reports the device when it breaks the protocol. A port without memory
 * answers what it is given, when it is given it: axi_asks().
 *
 * A beat is read when it is offered, and a burst is written when its response
 * is offered: a device that does not wait for its responses reads what was
 * there before. Answers of one ID come in order.
 */
#ifndef TULLE_SIM_BOARD_AXI_H
#define TULLE_SIM_BOARD_AXI_H

#include "gen/base/random.h"
#include "sim/board/board.h"
#include "sim/board/events.h"
#include "sim/board/memory.h"
#include "sim/board/top.h"

#define AXI_BURSTS_MAX 512 /* that a slave holds of each direction: more than any device has in flight */
#define AXI_FAULTS_MAX 16
#define AXI_BOUNDARY 4096 /* no burst crosses a multiple of it */

enum axi_fault_kind {
    AXI_SLAVE_ERROR,
    AXI_DECODE_ERROR,
    AXI_LATE, /* answered so many cycles later than others */
    AXI_DEAD, /* taken, never answered */
    AXI_DEAF, /* not taken: neither addresses nor data; goes by the time alone */
};

struct axi_fault {
    enum axi_fault_kind kind;
    bool write;           /* else of reads */
    uint64_t first, last; /* addresses of bytes that it concerns */
    uint64_t from, to;    /* cycles in which a burst is asked for, `to` not included */
    uint64_t delay;       /* late */
};

struct axi_timing {
    unsigned latency;       /* cycles from a read to its first beat, from the last data to the response */
    unsigned beats, cycles; /* at most so many beats in so many cycles, each direction */
    unsigned bursts;        /* of each direction that are taken before they are answered */
    bool reorder;           /* bursts of different IDs overtake each other, beats interleave */
    uint64_t stalls;        /* seed of random stalls on every channel; 0: none */
    struct axi_fault fault[AXI_FAULTS_MAX];
    unsigned faults;
};

enum axi_channel { AXI_AW, AXI_W, AXI_B, AXI_AR, AXI_R, AXI_CHANNELS };

struct axi_stall {
    unsigned per_1024, longest; /* chance of a cycle to begin one, and how long it is at most */
    uint64_t until;
};

struct axi_read {
    uint64_t address, asked, ready; /* asked: when its address came */
    unsigned id, beats, done;
    unsigned worst; /* response so far */
    /* Without memory: when it would be answered by the timing alone, and what was given. */
    uint64_t due;
    bool given, refused;
    uint8_t *data;
};

struct axi_write;

struct axi_port {
    const struct axi_timing *timing;
    struct memory *memory; /* NULL: none */
    struct events *events;
    unsigned number, beat_bytes;
    struct random chance;
    struct axi_stall stall[AXI_CHANNELS];
    struct axi_slave wires; /* what it drives in this cycle */
    struct axi_master last; /* what the device drove in the last one, and whether it was taken */
    bool last_awready, last_wready, last_arready;
    uint64_t read_credit, write_credit;
    struct axi_read read[AXI_BURSTS_MAX]; /* oldest first */
    unsigned reads;
    struct axi_write *write[AXI_BURSTS_MAX + 1]; /* oldest first; the last may have data and no address yet */
    unsigned writes, addressed, complete; /* how many there are, with an address, with all their data */
    struct board_traffic read_beats, write_beats; /* taken since open */
    struct strbuf broken;                         /* how the device broke the protocol, the first time */
};

void axi_open(struct axi_port *port, unsigned number, unsigned beat_bytes, const struct axi_timing *timing,
              struct memory *memory, struct events *events);
void axi_close(struct axi_port *port);

/* What the port drives in this cycle: port->wires. */
void axi_drive(struct axi_port *port, uint64_t cycle);
/* The edge at its end, with what the device drove. False once the device broke the protocol, or out of
 * memory; port->broken says how. */
bool axi_clock(struct axi_port *port, uint64_t cycle, const struct axi_master *device);
/* Reset forgets all that is in flight. */
void axi_reset(struct axi_port *port);

/* Of a port without memory, the oldest access that was not given an answer: a burst that is read, or bytes in
 * a row of one that is written. False when there is none. */
bool axi_waits(const struct axi_port *port); /* there is one */
bool axi_asks(const struct axi_port *port, struct board_host_access *access);
/* Answers it: refused with DECERR, and then nothing else of its burst is asked for. */
void axi_answer(struct axi_port *port, uint64_t cycle, const struct board_host_access *access, bool ok);

/* "slverr:read", "decerr:write:0x1000-0x1fff", "late300:read", "dead:read:*:5000-6000", "deaf:write:*:100-":
 * kind, direction, addresses, cycles. False when it is not one of these. */
bool axi_parse_fault(const char *text, struct axi_fault *fault);

#endif
