/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of tulle-sim.
 */
#ifndef TULLE_TESTS_BOARD_TOOL_OPTIONS_H
#define TULLE_TESTS_BOARD_TOOL_OPTIONS_H

#include <stdint.h>

#include "gen/base/diag.h"

enum operator_kind {
    OPERATOR_NONE,
    OPERATOR_SPMM,
    OPERATOR_SPMV,
    OPERATOR_SPCONV,
    OPERATOR_DEPTHWISE,
    OPERATOR_MAXPOOL,
    OPERATOR_JOIN,
    OPERATOR_SOFTMAX,
    OPERATOR_EMPTY
};

#define FAULTS_MAX 16

struct sim_options {
    bool help, version, json;
    enum operator_kind operator;
    const char *board, *variant, *trace, *dump, *bandwidth, *plan;
    const char *shape; /* of a convolution, as shape_read() has it */
    const char *fault[FAULTS_MAX];
    unsigned faults;
    /* held, packet_bytes and limit may be 0: the planner's, and a limit by the cycle model. */
    int64_t rows, k, n, held, packet_bytes, seed, latency, stalls, from, to, limit, seconds, events, reorder,
        jobs;
    double density, act_density;
};

/* The operator's word. */
const char *operator_name(enum operator_kind operator);

/* Whether it goes over an image, and has a shape. */
static inline bool operator_has_windows(enum operator_kind operator)
{
    return operator== OPERATOR_SPCONV || operator== OPERATOR_DEPTHWISE || operator== OPERATOR_MAXPOOL;
}

/* Every problem is reported. */
void options_parse(int argc, char **argv, struct sim_options *to, struct diag *diag);

extern const char options_help[];

#endif
