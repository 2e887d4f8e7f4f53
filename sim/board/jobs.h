/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs one behind the other on a device that has a queue of jobs (job_queue):
 * the next one is written while one runs, and the device begins it by itself.
 * What came of a job that has another one behind it is in its status record
 * alone, since the registers are the next one's.
 */
#ifndef TULLE_SIM_BOARD_JOBS_H
#define TULLE_SIM_BOARD_JOBS_H

#include "sim/board/job.h"

#define BOARD_JOBS_MAX 2 /* at the device: one runs, one waits */

struct board_jobs {
    /* The next job, or NULL when there is none now. Called as long as the device could take one. The job
     * stays as it is until it has ended. Its cycles and nanoseconds bound the wait for its end, from the end
     * of the one before. */
    const struct board_job *(*next)(void *context);
    /* The oldest job has ended. False: the caller gives up, with BOARD_FAILED. */
    bool (*ended)(void *context, const struct job_result *result);
    /* Called now and then with the cycles of the board since the oldest job is waited for, 0 if it cannot
     * tell. May be NULL. */
    void (*look)(void *context, uint64_t cycles);
    void *context;
};

/* Until no job is left, on a board that is idle. BOARD_TIMEOUT: the oldest job may still run. */
enum board_status board_jobs_run(const struct board_api *api, struct board *board,
                                 const struct board_jobs *jobs);

#endif
