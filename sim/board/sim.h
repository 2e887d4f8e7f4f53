/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two parts of the simulated board share: the device with what is
 * around it (sim.c), and its host port (sim_host.c).
 */
#ifndef TULLE_SIM_BOARD_SIM_H
#define TULLE_SIM_BOARD_SIM_H

#include "sim/board/axi.h"
#include "sim/board/board.h"

#define SIM_PACKETS 1024

struct board {
    const struct top_api *api;
    struct top *top;
    struct memory memory;
    struct events events;
    struct axi_timing timing, host_timing;
    struct axi_port port[TOP_PORTS_MAX], host; /* host: without memory */
    struct top_in in;
    struct top_out out;
    uint64_t cycle, host_interrupts;
    uint64_t packets[SIM_PACKETS], packet_runs; /* the last cycles in which a packet moved and none before */
    bool packet;
    struct random chance; /* of the host's own timing */
    char *trace;
    uint64_t trace_from, trace_to;
    bool tracing, host_line; /* host_line: the interrupt of the host port, in the last cycle */
    struct strbuf error, text;
    bool failed;
};

/* What an entry of the table begins with: the reason of the last call is gone, unless it is that of a
 * failure. */
void sim_begin_call(struct board *board);

/* One clock cycle; false when the board has failed. */
bool sim_cycle(struct board *board);

/* An AXI4-Lite port of the device, driven between cycles. */
struct sim_lite {
    struct lite_host *host;
    const struct lite_device *device;
    uint32_t base; /* of its registers, for who reads the events */
};

enum board_status sim_read(struct board *board, const struct sim_lite *port, uint32_t offset,
                           uint32_t *value);
enum board_status sim_write(struct board *board, const struct sim_lite *port, uint32_t offset,
                            uint32_t value);
/* Cycles in which what was told to the device shows. */
enum board_status sim_settle(struct board *board);

/* The host port, where the device has one. */
void sim_host_open(struct board *board);
void sim_host_drive(struct board *board);
bool sim_host_clock(struct board *board); /* false when the device broke the protocol */

extern const struct board_host sim_host;

#endif
