// SPDX-License-Identifier: Apache-2.0
//
// Glue between Verilator's class for tulle_row and the C interface of row.h.
// Compiled by sim/verilated/build, once for each variant.
#include "sim/verilated/row.h"
#include "sim/verilated/coverage.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "Vrow.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include "include/tulle_params.h"

#define RESET_CYCLES 4

static_assert(TULLE_ROW_BUS_WIDTH / 8 <= ROW_BUS_BYTES_MAX, "a beat fits");
static_assert(TULLE_COLLECTOR_WIDTH / 8 <= ROW_COLLECTOR_BYTES_MAX, "a result beat fits");

// Verilator calls this for $fatal and $stop, which is what a violated assertion ends in; without it the whole
// program would end.
void vl_fatal(const char *filename, int linenum, const char *hier, const char *msg)
{
    throw std::runtime_error(std::string(filename ? filename : "") + ":" + std::to_string(linenum) + ": " +
                             (hier && *hier ? std::string(hier) + ": " : "") + msg);
}

struct row {
    VerilatedContext context;
    std::unique_ptr<Vrow> top;
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
template <class Port> void put(Port &port, const uint8_t *bytes, size_t count)
{
    std::memcpy(&port, bytes, count);
}

template <class Port> void get(uint8_t *bytes, const Port &port, size_t count)
{
    std::memcpy(bytes, &port, count);
}

void half_cycle(struct row *row, int clock)
{
    row->top->clk_i = clock;
    row->top->eval();
    row->context.timeInc(5);
#if VM_TRACE
    if (row->waves)
        row->waves->dump(row->context.time());
#endif
}

void offer(struct row *row, const struct row_beat *beat)
{
    Vrow *top = row->top.get();
    top->packet_valid_i = beat != nullptr;
    if (!beat)
        return;
    put(top->packet_data_i, beat->data, TULLE_ROW_BUS_WIDTH / 8);
    top->packet_command_i = beat->command;
    top->packet_clusters_i = beat->clusters;
    top->packet_count_i = beat->count;
    top->packet_scatter_i = beat->scatter;
    top->packet_last_i = beat->last;
}

void reset(struct row *row)
{
    offer(row, nullptr);
    row->top->result_ready_i = 0;
    row->top->result_room_i = (1u << TULLE_M) - 1;
    row->top->packet_tag_i = 0;
    row->top->rst_ni = 0;
    for (int i = 0; i < RESET_CYCLES; i++) {
        half_cycle(row, 0);
        half_cycle(row, 1);
    }
    row->top->rst_ni = 1;
}

void cycle(struct row *row, const struct row_beat *offered, bool ready, struct row_event *event)
{
    Vrow *top = row->top.get();
    offer(row, offered);
    top->result_ready_i = ready;
    half_cycle(row, 0);
    event->accepted = offered && top->packet_ready_o;
    event->result = ready && top->result_valid_o;
    if (event->result) {
        get(event->data, top->result_data_o, TULLE_COLLECTOR_WIDTH / 8);
        event->cluster = top->result_cluster_o;
        event->last = top->result_last_o;
    }
    half_cycle(row, 1);
    event->idle = top->idle_o;
    event->error = top->error_o;
    event->error_code = top->error_code_o;
    event->error_cluster = top->error_cluster_o;
}

struct row *create(uint64_t seed)
{
    try {
        auto made = std::make_unique<struct row>();
        made->context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
        made->context.randReset(2);
#if VM_TRACE
        made->context.traceEverOn(true);
#endif
        made->top = std::make_unique<Vrow>(&made->context, "row");
        reset(made.get());
        return made.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

void destroy(struct row *row)
{
    if (!row)
        return;
#if VM_TRACE
    if (row->waves)
        row->waves->close();
#endif
    write_coverage(row->context);
    row->top->final();
    delete row;
}

bool guarded_step(struct row *row, const struct row_beat *offered, bool ready, struct row_event *event)
{
    if (!row->violation.empty())
        return false;
    try {
        cycle(row, offered, ready, event);
        return true;
    } catch (const std::exception &thrown) {
        row->violation = thrown.what();
        return false;
    }
}

const char *violation(const struct row *row)
{
    return row->violation.c_str();
}

bool trace(struct row *row, const char *path)
{
#if VM_TRACE
    row->waves = std::make_unique<VerilatedFstC>();
    row->top->trace(row->waves.get(), 99);
    row->waves->open(path);
    return row->waves->isOpen();
#else
    (void)row;
    (void)path;
    return false;
#endif
}

} // namespace

extern "C" __attribute__((visibility("default")))
const struct row_api tulle_row_api = {ROW_API_VERSION,
                                      TULLE_VARIANT_HASH,
                                      TULLE_ROW_BUS_WIDTH / 8,
                                      TULLE_COLLECTOR_WIDTH / 8,
                                      VM_TRACE != 0,
                                      VM_COVERAGE != 0,
                                      create,
                                      destroy,
                                      reset,
                                      guarded_step,
                                      violation,
                                      trace};
