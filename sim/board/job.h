/* SPDX-License-Identifier: Apache-2.0
 *
 * A job on a board: its arguments into the registers, start, the wait for the
 * interrupt, acknowledgement, and what the registers say of it then.
 */
#ifndef TULLE_SIM_BOARD_JOB_H
#define TULLE_SIM_BOARD_JOB_H

#include "gen/isa/table.h"
#include "sim/board/board.h"
#include "sim/model/status.h"

struct board_job {
    struct {
        uint64_t address, size;
    } slot[ISA_SLOTS];
    uint32_t number;
    uint64_t cycles, nanoseconds; /* bounds of the wait */
    /* With a bound of time: called now and then with the job's clock cycles so far, 0 if the board cannot
     * tell. May be NULL. */
    void (*look)(void *context, uint64_t cycles);
    void *context;
};

/* Returns from here what the call gives, unless that is BOARD_OK. */
#define BOARD_TRY(call)                     \
    do {                                    \
        enum board_status status_ = (call); \
        if (status_ != BOARD_OK)            \
            return status_;                 \
    } while (0)

/* What the registers of a board say of the last job, as the status record would. */
enum board_status board_job_result(const struct board_api *api, struct board *board,
                                   struct job_result *result);

/* Its arguments into the registers, without a start. `before`: the job whose arguments are there; NULL:
 * nobody knows what is. */
enum board_status board_job_write(const struct board_api *api, struct board *board,
                                  const struct board_job *job, const struct board_job *before);
/* Whether the device writes a status record for it. */
bool board_job_has_record(const struct board_job *job);

/* The same in pieces: arguments and start; what came of it and the acknowledgement, when the interrupt is
 * there.
 */
enum board_status board_job_start(const struct board_api *api, struct board *board,
                                  const struct board_job *job);
enum board_status board_job_end(const struct board_api *api, struct board *board, struct job_result *result);

/* Runs a job on a board that is idle. BOARD_TIMEOUT: the job may still run. */
enum board_status board_job_run(const struct board_api *api, struct board *board, const struct board_job *job,
                                struct job_result *result);

#endif
