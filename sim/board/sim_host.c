/* SPDX-License-Identifier: Apache-2.0
 *
 * The host port of a Verilated device: registers of the PCIe function, and
 * the host's memory, which is whoever drives this board.
 */
#include "sim/board/pcie_layout.h"
#include "sim/board/sim.h"

void sim_host_open(struct board *b)
{
    if (!b->api->host)
        return;
    /* Faults that are asked for are those of device memory. */
    b->host_timing = b->timing;
    b->host_timing.faults = 0;
    axi_open(&b->host, b->api->ports, b->api->beat_bytes, &b->host_timing, NULL, &b->events);
    b->in.host.memory_bytes = b->memory.size;
}

void sim_host_drive(struct board *b)
{
    if (!b->api->host || b->in.reset)
        return;
    axi_drive(&b->host, b->cycle);
    b->in.host.memory = b->host.wires;
}

bool sim_host_clock(struct board *b)
{
    const bool before = b->host_line;
    if (!b->api->host || b->in.reset)
        return true;
    b->host_line = b->out.host.interrupt;
    b->host_interrupts += b->host_line && !before;
    return axi_clock(&b->host, b->cycle, &b->out.host.memory);
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool there(const struct board *b)
{
    return b->api->host;
}

static struct sim_lite host_port(struct board *b)
{
    return (struct sim_lite){.host = &b->in.host.lite, .device = &b->out.host.lite, .base = BAR0_FUNCTION};
}

static enum board_status read_register(struct board *b, uint32_t offset, uint32_t *value)
{
    const struct sim_lite port = host_port(b);
    return sim_read(b, &port, offset, value);
}

static enum board_status write_register(struct board *b, uint32_t offset, uint32_t value)
{
    const struct sim_lite port = host_port(b);
    return sim_write(b, &port, offset, value);
}

static void set_window_bytes(struct board *b, uint64_t bytes)
{
    b->in.host.window_bytes = bytes;
}

static void set_master(struct board *b, bool on)
{
    b->in.host.master = on;
}

/* A wire that is up for one cycle. */
static enum board_status pulse(struct board *b, bool *wire)
{
    sim_begin_call(b);
    *wire = true;
    const bool ok = sim_cycle(b);
    *wire = false;
    return ok ? sim_settle(b) : BOARD_FAILED;
}

static enum board_status reset(struct board *b)
{
    return pulse(b, &b->in.host.function_reset);
}

static enum board_status window_fault(struct board *b)
{
    return pulse(b, &b->in.host.window_fault);
}

static uint64_t window(const struct board *b)
{
    return b->out.host.window;
}

static bool asks(const struct board *b, struct board_host_access *access)
{
    return !b->failed && axi_asks(&b->host, access);
}

static void answer(struct board *b, const struct board_host_access *access, bool ok)
{
    axi_answer(&b->host, b->cycle, access, ok);
}

static enum board_status run(struct board *b, uint64_t cycles)
{
    const bool line = b->out.interrupt, host_line = b->host_line;
    sim_begin_call(b);
    while (cycles-- && line == b->out.interrupt && host_line == b->host_line && !axi_waits(&b->host))
        if (!sim_cycle(b))
            return BOARD_FAILED;
    return b->failed ? BOARD_FAILED : BOARD_OK;
}

static bool port_quiet(const struct axi_port *p)
{
    const bool offered = p->last.arvalid || p->last.awvalid || p->last.wvalid;
    return !p->reads && !p->writes && !p->wires.rvalid && !p->wires.bvalid && !offered;
}

static bool quiet(const struct board *b)
{
    return port_quiet(&b->host) && port_quiet(&b->port[b->api->ports - 1]);
}

static uint64_t interrupts(const struct board *b)
{
    return b->host_interrupts;
}

const struct board_host sim_host = {.size = sizeof sim_host,
                                    .there = there,
                                    .read_register = read_register,
                                    .write_register = write_register,
                                    .set_window_bytes = set_window_bytes,
                                    .set_master = set_master,
                                    .reset = reset,
                                    .window_fault = window_fault,
                                    .window = window,
                                    .run = run,
                                    .asks = asks,
                                    .answer = answer,
                                    .quiet = quiet,
                                    .interrupts = interrupts};
