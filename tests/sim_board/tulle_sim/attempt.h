/* SPDX-License-Identifier: Apache-2.0
 *
 * A problem run once on a board, and whether what came out is right.
 */
#ifndef TULLE_TESTS_BOARD_TOOL_ATTEMPT_H
#define TULLE_TESTS_BOARD_TOOL_ATTEMPT_H

#include "tests/sim_board/tulle_sim/problem.h"

/* A second look: what to keep of a run. */
struct window {
    const char *trace; /* NULL: no waveform */
    uint64_t from, to; /* of the waveform */
    uint64_t until;    /* events before this cycle are kept */
};

struct attempt {
    bool opened, ended, agrees; /* ended: the job, well or not */
    struct strbuf why;          /* what is wrong, a line each; or why the board could not be opened */
    struct strbuf events;       /* of the board */
    struct job_result result;   /* from the status record where there is one, else from registers */
    uint64_t all_cycles;        /* from the first job's arguments to the end of the last one */
    struct job_result last;     /* of the last job, from registers */
    uint64_t gap;               /* the longest from the last result of a job to the next one's first packet */
    uint64_t sum_cycles;        /* of what the jobs say */
    uint64_t board_cycles;      /* when the job had ended */
    struct board_traffic read, written; /* on the memory ports */
    uint64_t wrong;                     /* when it first went wrong, as far as memory tells */
};

/* Opens a board, runs the problem, checks everything, closes it. `window` NULL: what the options say. */
void attempt_run(const struct sim_options *options, const struct problem *problem,
                 const struct window *window, struct attempt *attempt);
void attempt_free(struct attempt *attempt);

#endif
