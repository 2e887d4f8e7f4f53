/* SPDX-License-Identifier: Apache-2.0
 *
 * A case of tests/bench as its user would run it, with the plan that the
 * planner chooses: on the cycle model with all that it says, and on a board.
 */
#ifndef TULLE_HOST_MEASURE_H
#define TULLE_HOST_MEASURE_H

#include "host/measure/plan_cases.h"
#include "host/measure/plan_run.h"
#include "sim/board/job.h"

#define MEASURE_BUCKETS 160 /* of a timeline, at most */

/* What moved in each so many cycles: beats read and written on the memory ports, multiplications. */
struct measure_timeline {
    uint64_t cycles; /* of a bucket */
    unsigned buckets;
    uint64_t read[MEASURE_BUCKETS], busy[MEASURE_BUCKETS], written[MEASURE_BUCKETS];
};

struct measure {
    struct setup setup;
    const char *source; /* of the variant: its name, or a file */
    struct sparse weights;
    struct plan_window window;
    struct plan_description description;
    struct plan_run run; /* its operands */
    struct plan plan;
    struct plan_alternatives alternatives;
    const char *refused; /* why there is no plan; then nothing below means anything */
    struct limits limits;
    struct cycle_report model;
    struct measure_timeline timeline;
    bool on_board;
    struct job_result board;
    struct board_traffic read, written;
    uint64_t start; /* of the job, on the board's clock */
};

/* Operands and limits; false when the case is not understood. To be freed in any case. */
bool measure_prepare(const struct plan_case *c, struct measure *measure);
/* Plans, and runs on the cycle model. A wrong result ends the program. */
void measure_model(struct measure *measure);
void measure_free(struct measure *measure);

/* Runs the chosen plan on a board of its variant and compares its results; false with the reason. */
bool measure_on_board(struct measure *measure, const struct board_api *api, const char *place,
                      const char *const *settings, struct strbuf *why);

#endif
