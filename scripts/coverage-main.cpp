// SPDX-License-Identifier: Apache-2.0
//
// Runs a Verilated test bench to its end and writes its coverage to the file that TULLE_COVERAGE names. For
// scripts/coverage-rtl.
#include <cstdlib>
#include <memory>

#include "Vbench.h"
#include "verilated.h"
#include "verilated_cov.h"

int main(int argc, char **argv)
{
    const char *path = std::getenv("TULLE_COVERAGE");
    if (!path)
        return EXIT_FAILURE;
    VerilatedContext context;
    context.commandArgs(argc, argv);
    auto top = std::make_unique<Vbench>(&context);
    while (!context.gotFinish()) {
        top->eval();
        if (!top->eventsPending())
            break;
        context.time(top->nextTimeSlot());
    }
    top->final();
    context.coveragep()->write(path);
    return EXIT_SUCCESS;
}
