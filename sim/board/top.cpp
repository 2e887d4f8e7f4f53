// SPDX-License-Identifier: Apache-2.0
//
// Glue between Verilator's class for tulle_top and the C interface of top.h.
// Compiled by sim/board/build, once for each variant.
#include "sim/board/top.h"
#include "sim/verilated/coverage.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vtop.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include "include/tulle_params.h"

#ifndef TULLE_TOP_PORTS
#error "sim/board/build says how many memory ports the top has"
#endif

static_assert(TULLE_MEMORY_BYTES <= TOP_BEAT_BYTES_MAX, "a beat fits");
static_assert(TULLE_TOP_PORTS >= 1 && TULLE_TOP_PORTS <= TOP_PORTS_MAX, "the ports fit");

// Verilator calls this for $fatal and $stop, which is what a violated assertion ends in; without it the whole
// program would end.
void vl_fatal(const char *filename, int linenum, const char *hier, const char *msg)
{
    throw std::runtime_error(std::string(filename ? filename : "") + ":" + std::to_string(linenum) + ": " +
                             (hier && *hier ? std::string(hier) + ": " : "") + msg);
}

struct top {
    VerilatedContext context;
    std::unique_ptr<Vtop> device;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> waves;
#endif
    std::string violation;
};

namespace
{

// Ports are integers or arrays of 32-bit words, the lowest first: bytes in order on a little-endian machine.
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "ports are copied as bytes"
#endif
template <class Port> void put(Port &port, const uint8_t *bytes)
{
    std::memcpy(&port, bytes, TULLE_MEMORY_BYTES);
}

template <class Port> void get(uint8_t *bytes, const Port &port)
{
    std::memcpy(bytes, &port, TULLE_MEMORY_BYTES);
}

void drive_lite(Vtop &device, const lite_host &host)
{
    device.s_axi_control_awvalid = host.awvalid;
    device.s_axi_control_awaddr = host.awaddr;
    device.s_axi_control_wvalid = host.wvalid;
    device.s_axi_control_wdata = host.wdata;
    device.s_axi_control_wstrb = 0xF;
    device.s_axi_control_bready = host.bready;
    device.s_axi_control_arvalid = host.arvalid;
    device.s_axi_control_araddr = host.araddr;
    device.s_axi_control_rready = host.rready;
}

void sample_lite(const Vtop &device, lite_device &to)
{
    to.awready = device.s_axi_control_awready;
    to.wready = device.s_axi_control_wready;
    to.bvalid = device.s_axi_control_bvalid;
    to.bresp = device.s_axi_control_bresp;
    to.arready = device.s_axi_control_arready;
    to.rvalid = device.s_axi_control_rvalid;
    to.rresp = device.s_axi_control_rresp;
    to.rdata = device.s_axi_control_rdata;
}

// Every memory port has names of its own.
#define PORT_FUNCTIONS(i)                                      \
    void drive_memory##i(Vtop &device, const axi_slave &slave) \
    {                                                          \
        device.m_axi_mem##i##_awready = slave.awready;         \
        device.m_axi_mem##i##_wready = slave.wready;           \
        device.m_axi_mem##i##_bvalid = slave.bvalid;           \
        device.m_axi_mem##i##_bid = slave.bid;                 \
        device.m_axi_mem##i##_bresp = slave.bresp;             \
        device.m_axi_mem##i##_arready = slave.arready;         \
        device.m_axi_mem##i##_rvalid = slave.rvalid;           \
        device.m_axi_mem##i##_rid = slave.rid;                 \
        device.m_axi_mem##i##_rresp = slave.rresp;             \
        device.m_axi_mem##i##_rlast = slave.rlast;             \
        put(device.m_axi_mem##i##_rdata, slave.rdata);         \
    }                                                          \
    void sample_memory##i(const Vtop &device, axi_master &to)  \
    {                                                          \
        to.awvalid = device.m_axi_mem##i##_awvalid;            \
        to.awid = device.m_axi_mem##i##_awid;                  \
        to.awaddr = device.m_axi_mem##i##_awaddr;              \
        to.awlen = device.m_axi_mem##i##_awlen;                \
        to.awsize = device.m_axi_mem##i##_awsize;              \
        to.awburst = device.m_axi_mem##i##_awburst;            \
        to.wvalid = device.m_axi_mem##i##_wvalid;              \
        to.wlast = device.m_axi_mem##i##_wlast;                \
        to.wstrb = device.m_axi_mem##i##_wstrb;                \
        get(to.wdata, device.m_axi_mem##i##_wdata);            \
        to.bready = device.m_axi_mem##i##_bready;              \
        to.arvalid = device.m_axi_mem##i##_arvalid;            \
        to.arid = device.m_axi_mem##i##_arid;                  \
        to.araddr = device.m_axi_mem##i##_araddr;              \
        to.arlen = device.m_axi_mem##i##_arlen;                \
        to.arsize = device.m_axi_mem##i##_arsize;              \
        to.arburst = device.m_axi_mem##i##_arburst;            \
        to.rready = device.m_axi_mem##i##_rready;              \
    }

PORT_FUNCTIONS(0)
#if TULLE_TOP_PORTS > 1
PORT_FUNCTIONS(1)
#endif
#if TULLE_TOP_PORTS > 2
PORT_FUNCTIONS(2)
#endif
#if TULLE_TOP_PORTS > 3
PORT_FUNCTIONS(3)
#endif
#if TULLE_TOP_PORTS > 4
PORT_FUNCTIONS(4)
#endif

void drive(Vtop &device, const top_in &in)
{
    device.ap_rst_n = !in.reset;
    drive_lite(device, in.lite);
    drive_memory0(device, in.memory[0]);
#if TULLE_TOP_PORTS > 1
    drive_memory1(device, in.memory[1]);
#endif
#if TULLE_TOP_PORTS > 2
    drive_memory2(device, in.memory[2]);
#endif
#if TULLE_TOP_PORTS > 3
    drive_memory3(device, in.memory[3]);
#endif
#if TULLE_TOP_PORTS > 4
    drive_memory4(device, in.memory[4]);
#endif
}

void sample(const Vtop &device, top_out &out)
{
    out.interrupt = device.__SYM__interrupt; // Verilator keeps the plain name for C++
    sample_lite(device, out.lite);
    sample_memory0(device, out.memory[0]);
#if TULLE_TOP_PORTS > 1
    sample_memory1(device, out.memory[1]);
#endif
#if TULLE_TOP_PORTS > 2
    sample_memory2(device, out.memory[2]);
#endif
#if TULLE_TOP_PORTS > 3
    sample_memory3(device, out.memory[3]);
#endif
#if TULLE_TOP_PORTS > 4
    sample_memory4(device, out.memory[4]);
#endif
}

void half_cycle(struct top *top, int clock)
{
    top->device->ap_clk = clock;
    top->device->eval();
#if VM_TRACE
    if (top->waves)
        top->waves->dump(top->context.time());
#endif
    top->context.timeInc(5);
}

// Nothing is connected to a host port: no answers, no accesses of its registers.
void leave_host(Vtop &device)
{
#ifdef TULLE_TOP_HOST
    device.s_axi_host_awvalid = device.s_axi_host_wvalid = device.s_axi_host_arvalid = 0;
    device.s_axi_host_bready = device.s_axi_host_rready = 0;
    device.m_axi_host_awready = device.m_axi_host_wready = device.m_axi_host_arready = 0;
    device.m_axi_host_bvalid = device.m_axi_host_rvalid = 0;
    device.host_master = device.host_function_reset = device.host_window_fault = 0;
#else
    (void)device;
#endif
}

// What Verilator has beside the device (random numbers, $stop) finds the context where the thread has it.
void enter(struct top *top)
{
    Verilated::threadContextp(&top->context);
}

struct top *create(uint64_t seed)
{
    try {
        auto made = std::make_unique<struct top>();
        enter(made.get());
        made->context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
        made->context.randReset(2);
#if VM_TRACE
        made->context.traceEverOn(true);
#endif
        made->device = std::make_unique<Vtop>(&made->context, "top");
        leave_host(*made->device);
        made->device->ap_rst_n = 0;
        made->device->ap_clk = 0;
        made->device->eval(); // tracing needs what comes to be now
        return made.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

bool trace(struct top *top, const char *path)
{
#if VM_TRACE
    if (top->waves)
        top->waves->close();
    top->waves.reset();
    if (!path)
        return true;
    enter(top);
    top->waves = std::make_unique<VerilatedFstC>();
    top->device->trace(top->waves.get(), 99);
    top->waves->open(path);
    return top->waves->isOpen();
#else
    (void)top;
    return !path;
#endif
}

void destroy(struct top *top)
{
    if (!top)
        return;
    enter(top);
    trace(top, nullptr);
    write_coverage(top->context);
    top->device->final();
    delete top;
}

bool step(struct top *top, const struct top_in *in, struct top_out *out)
{
    if (!top->violation.empty())
        return false;
    try {
        enter(top);
        drive(*top->device, *in);
        half_cycle(top, 0);
        sample(*top->device, *out);
        half_cycle(top, 1);
        return true;
    } catch (const std::exception &thrown) {
        top->violation = thrown.what();
        return false;
    }
}

const char *violation(const struct top *top)
{
    return top->violation.c_str();
}

} // namespace

extern "C" __attribute__((visibility("default")))
const struct top_api tulle_top_api = {TOP_API_VERSION,
                                      TULLE_VARIANT_HASH,
                                      TULLE_MEMORY_BYTES,
                                      TULLE_TOP_PORTS,
                                      VM_TRACE != 0,
                                      create,
                                      destroy,
                                      step,
                                      violation,
                                      trace};
