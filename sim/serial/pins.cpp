// SPDX-License-Identifier: Apache-2.0
//
// Glue between Verilator's class for tulle_serial_board and the C interface of
// pins.h. Compiled by sim/serial/build, once for each variant.
#include "sim/serial/pins.h"
#include "sim/verilated/coverage.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "Vserial.h"
#include "verilated.h"

// Verilator calls this for $fatal and $stop, which is what a violated assertion ends in; without it the whole
// program would end.
void vl_fatal(const char *filename, int linenum, const char *hier, const char *msg)
{
    throw std::runtime_error(std::string(filename ? filename : "") + ":" + std::to_string(linenum) + ": " +
                             (hier && *hier ? std::string(hier) + ": " : "") + msg);
}

struct pins {
    VerilatedContext context;
    std::unique_ptr<Vserial> board;
    std::string violation;
};

namespace
{

struct pins *create(uint64_t seed)
{
    try {
        auto made = std::make_unique<struct pins>();
        Verilated::threadContextp(&made->context);
        made->context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
        made->context.randReset(2);
        made->board = std::make_unique<Vserial>(&made->context, "board");
        return made.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

void destroy(struct pins *pins)
{
    if (!pins)
        return;
    Verilated::threadContextp(&pins->context);
    write_coverage(pins->context);
    pins->board->final();
    delete pins;
}

bool step(struct pins *pins, bool reset, bool line, struct pins_out *out)
{
    if (!pins->violation.empty())
        return false;
    try {
        Verilated::threadContextp(&pins->context);
        pins->board->rst_ni = !reset;
        pins->board->rx_i = line;
        pins->board->clk_i = 0;
        pins->board->eval();
        out->line = pins->board->tx_o;
        out->busy = pins->board->busy_o;
        pins->board->clk_i = 1;
        pins->board->eval();
        return true;
    } catch (const std::exception &thrown) {
        pins->violation = thrown.what();
        return false;
    }
}

const char *violation(const struct pins *pins)
{
    return pins->violation.c_str();
}

} // namespace

extern "C" __attribute__((visibility("default")))
const struct pins_api tulle_pins_api = {PINS_API_VERSION, TULLE_DIVISOR, create, destroy, step, violation};
