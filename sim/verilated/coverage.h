/* SPDX-License-Identifier: Apache-2.0
 *
 * Coverage of a Verilated module that was built with it, for the C++ glue: a
 * file for each instance that is freed, for verilator_coverage to merge. Does
 * nothing in other builds.
 */
#ifndef TULLE_SIM_VERILATED_COVERAGE_H
#define TULLE_SIM_VERILATED_COVERAGE_H

#include "verilated.h"

#if VM_COVERAGE

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "verilated_cov.h"

/* Into the folder $TULLE_COVERAGE, if that is set; several objects of several processes may write there. */
static inline void write_coverage(VerilatedContext &context)
{
    const char *folder = std::getenv("TULLE_COVERAGE");
    if (!folder)
        return;
    std::string path = std::string(folder) + "/XXXXXX.dat";
    int file = mkstemps(path.data(), 4);
    if (file < 0) {
        std::perror(path.c_str());
        return;
    }
    close(file);
    context.coveragep()->write(path.c_str());
}

#else

static inline void write_coverage(VerilatedContext &)
{
}

#endif
#endif
