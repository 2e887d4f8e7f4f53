/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of tulle-sim.
 */
#ifndef TULLE_SIM_BOARD_TOOL_OPTIONS_H
#define TULLE_SIM_BOARD_TOOL_OPTIONS_H

#include <stdint.h>

#include "gen/base/diag.h"

enum operator_kind { OPERATOR_NONE, OPERATOR_SPMM, OPERATOR_SPMV, OPERATOR_EMPTY };

#define FAULTS_MAX 16

struct options {
    bool help, version, json;
    enum operator_kind operator;
    const char *board, *variant, *trace, *dump, *bandwidth, *plan;
    const char *fault[FAULTS_MAX];
    unsigned faults;
    uint64_t rows, k, n, held, packet_bytes, seed, latency, stalls, from, to, limit, seconds, events, reorder;
    double density, act_density;
    bool given_n, given_held, given_from, given_to, simulates; /* simulates: options of the sim only */
};

/* Every problem is reported. */
void options_parse(int argc, char **argv, struct options *to, struct diag *diag);

extern const char options_help[];

#endif
