/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator as a job: operands, plan, places in device memory, and what
 * memory must hold when the job is over.
 */
#ifndef TULLE_TESTS_BOARD_TOOL_PROBLEM_H
#define TULLE_TESTS_BOARD_TOOL_PROBLEM_H

#include "host/plan/planner.h"
#include "sim/board/job.h"
#include "tests/sim_board/tulle_sim/options.h"

struct problem {
    struct variant variant;
    struct sparse matrix;
    struct plan_window window;   /* height 0: there is none */
    struct plan_pair pair;       /* of a join; elements 0: there is none */
    struct plan_softmax softmax; /* of one; rows 0: there is none */
    struct plan plan;
    struct board_job job;
    /* The piece of device memory that holds all buffers with guard bytes around each: as it is at first, and
     * as it must be in the end. */
    uint64_t base, bytes;
    uint8_t *image, *expected;
    struct job_result model; /* the functional model's */
    uint64_t cycles;         /* the cycle model's */
    uint64_t behind;         /* the same for a job that waited behind another one like it; 0: nothing waits */
    double roofline;
    uint32_t rows; /* of the result */
    uint32_t columns;
    int8_t *activations; /* the dense operand, row by row */
};

/* Operands in place of random ones. */
struct operands {
    struct sparse matrix; /* the problem's from then on */
    uint64_t activation_seed;
};

/* NULL, or why not. `variant` is the board's; `given` NULL: operands are random. */
const char *problem_make(const struct sim_options *options, const struct variant *variant,
                         const struct operands *given, struct problem *problem);
/* Of the sparse matrix. */
uint64_t problem_nonzeros(const struct problem *problem);
void problem_free(struct problem *problem);

/* Holds a result, an image of device memory, against a plain computation; false with the first difference in
 * `why`. */
bool problem_check_plainly(const struct problem *problem, const uint8_t *image, struct strbuf *why);

/* Where a byte of the image is: "output + 0x40", "guard behind input". */
void problem_place(const struct problem *problem, uint64_t at, struct strbuf *to);

/* Whether it is of the status record. */
bool problem_is_status(const struct problem *problem, uint64_t at);

#endif
