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
#if TULLE_TOP_PACKETS
#include "Vtop___024root.h"
#endif
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include "include/tulle_params.h"

#if !defined(TULLE_TOP_PORTS) || !defined(TULLE_TOP_HOST) || !defined(TULLE_TOP_PACKETS)
#error "sim/board/build says how many memory ports the top has, whether a host port, and whether packets can be seen"
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

// Ports of one kind have the same signals behind names of their own.
#define LITE_FUNCTIONS(name, port)                           \
    void drive_##name(Vtop &device, const lite_host &host)   \
    {                                                        \
        device.port##_awvalid = host.awvalid;                \
        device.port##_awaddr = host.awaddr;                  \
        device.port##_wvalid = host.wvalid;                  \
        device.port##_wdata = host.wdata;                    \
        device.port##_wstrb = 0xF;                           \
        device.port##_bready = host.bready;                  \
        device.port##_arvalid = host.arvalid;                \
        device.port##_araddr = host.araddr;                  \
        device.port##_rready = host.rready;                  \
    }                                                        \
    void sample_##name(const Vtop &device, lite_device &to)  \
    {                                                        \
        to.awready = device.port##_awready;                  \
        to.wready = device.port##_wready;                    \
        to.bvalid = device.port##_bvalid;                    \
        to.bresp = device.port##_bresp;                      \
        to.arready = device.port##_arready;                  \
        to.rvalid = device.port##_rvalid;                    \
        to.rresp = device.port##_rresp;                      \
        to.rdata = device.port##_rdata;                      \
    }

LITE_FUNCTIONS(lite, s_axi_control)

#define PORT_FUNCTIONS(name, port)                                      \
    void drive_##name(Vtop &device, const axi_slave &slave) \
    {                                                          \
        device.port##_awready = slave.awready;         \
        device.port##_wready = slave.wready;           \
        device.port##_bvalid = slave.bvalid;           \
        device.port##_bid = slave.bid;                 \
        device.port##_bresp = slave.bresp;             \
        device.port##_arready = slave.arready;         \
        device.port##_rvalid = slave.rvalid;           \
        device.port##_rid = slave.rid;                 \
        device.port##_rresp = slave.rresp;             \
        device.port##_rlast = slave.rlast;             \
        put(device.port##_rdata, slave.rdata);         \
    }                                                          \
    void sample_##name(const Vtop &device, axi_master &to)  \
    {                                                          \
        to.awvalid = device.port##_awvalid;            \
        to.awid = device.port##_awid;                  \
        to.awaddr = device.port##_awaddr;              \
        to.awlen = device.port##_awlen;                \
        to.awsize = device.port##_awsize;              \
        to.awburst = device.port##_awburst;            \
        to.wvalid = device.port##_wvalid;              \
        to.wlast = device.port##_wlast;                \
        to.wstrb = device.port##_wstrb;                \
        get(to.wdata, device.port##_wdata);            \
        to.bready = device.port##_bready;              \
        to.arvalid = device.port##_arvalid;            \
        to.arid = device.port##_arid;                  \
        to.araddr = device.port##_araddr;              \
        to.arlen = device.port##_arlen;                \
        to.arsize = device.port##_arsize;              \
        to.arburst = device.port##_arburst;            \
        to.rready = device.port##_rready;              \
    }

PORT_FUNCTIONS(memory0, m_axi_mem0)
#if TULLE_TOP_PORTS > 1
PORT_FUNCTIONS(memory1, m_axi_mem1)
#endif
#if TULLE_TOP_PORTS > 2
PORT_FUNCTIONS(memory2, m_axi_mem2)
#endif
#if TULLE_TOP_PORTS > 3
PORT_FUNCTIONS(memory3, m_axi_mem3)
#endif
#if TULLE_TOP_PORTS > 4
PORT_FUNCTIONS(memory4, m_axi_mem4)
#endif

#if TULLE_TOP_HOST
LITE_FUNCTIONS(host_lite, s_axi_host)
PORT_FUNCTIONS(host_memory, m_axi_host)

void drive_host(Vtop &device, const host_in &in)
{
    drive_host_lite(device, in.lite);
    drive_host_memory(device, in.memory);
    device.host_memory_bytes = in.memory_bytes;
    device.host_window_bytes = in.window_bytes;
    device.host_master = in.master;
    device.host_function_reset = in.function_reset;
    device.host_window_fault = in.window_fault;
}

void sample_host(const Vtop &device, host_out &to)
{
    to.interrupt = device.host_interrupt;
    sample_host_lite(device, to.lite);
    sample_host_memory(device, to.memory);
    to.window = device.host_window;
}
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
#if TULLE_TOP_HOST
    drive_host(device, in.host);
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
#if TULLE_TOP_HOST
    sample_host(device, out.host);
#endif
#if TULLE_TOP_PACKETS
    out.packet = device.rootp->tulle_top__DOT__packet_moves != 0;
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
                                      TULLE_TOP_HOST != 0,
                                      VM_TRACE != 0,
                                      create,
                                      destroy,
                                      step,
                                      violation,
                                      trace};
