/* SPDX-License-Identifier: Apache-2.0
 *
 * A case on a board: the operator, harmed or not, then another one, and
 * whether all that came of it is right. docs/fuzz.md has the rules.
 */
#ifndef TULLE_TESTS_FUZZ_TRIAL_H
#define TULLE_TESTS_FUZZ_TRIAL_H

#include "sim/model/job.h"
#include "tests/fuzz/tool/recipe.h"

enum fuzz_verdict {
    FUZZ_AGREES,
    FUZZ_IMPOSSIBLE, /* no such operator: nothing ran */
    FUZZ_LONG,       /* the harmed program would run for too long: nothing ran */
    FUZZ_DIFFERS
};

struct fuzz_board {
    const char *folder; /* what sim/board/build made */
    struct variant variant;
};

/* What to keep of a run. */
struct fuzz_window {
    const char *trace; /* NULL: no waveform */
    uint64_t from, to; /* of the waveform */
    uint64_t until;    /* events before this cycle are kept */
};

struct fuzz_report {
    enum fuzz_verdict verdict;
    struct strbuf why, events;
    enum job_code code; /* of the job that was harmed */
    enum job_queue queue;
    bool open;              /* more than one outcome was allowed: time or what memories held decides */
    unsigned jobs;          /* that ran */
    uint64_t cycles, wrong; /* of the board in the end; when something first went wrong */
};

void fuzz_run(const struct fuzz_board *board, const struct recipe *recipe, const struct fuzz_window *window,
              struct fuzz_report *report);
void fuzz_report_free(struct fuzz_report *report);

#endif
