/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program on a board, the functional model's or a Verilated one, and keeps what came of it: how the
 * job ended, its counters, and every byte of its slots.
 */
#ifndef TULLE_TESTS_FIELDS_PLAY_H
#define TULLE_TESTS_FIELDS_PLAY_H

#include "sim/board/job.h"
#include "tests/fields/program.h"

struct played {
    struct job_result result; /* as the registers have it */
    struct job_result record; /* as the status record has it */
    uint32_t number;          /* the job, in the record */
    bool recorded;            /* there is a record, where the undisturbed job has it */
    struct strbuf slot[ISA_SLOTS];
};

/* Runs it on a board that is idle. False with the reason: the board failed, or the job wrote where no job
 * may. */
bool play(const struct board_api *api, struct board *board, const struct program_text *program,
          struct played *played, struct strbuf *why);

/* The same on the cycle model, which has no registers. */
bool play_cycles(const struct variant *variant, const struct program_text *program, struct played *played,
                 struct strbuf *why);

void played_forget(struct played *played);

/* The functional model of the variant of these tests, as a board. Aborts when there is none. */
struct board *model_of_fields(void);

#endif
