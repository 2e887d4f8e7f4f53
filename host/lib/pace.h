/* SPDX-License-Identifier: Apache-2.0
 *
 * When runs will end. To wake a thread that sleeps takes tens of microseconds, in which a device has nothing
 * to do. So who waits for a run sleeps until shortly before the end that earlier runs let expect, and then
 * looks for it. If that is wrong, the thread sleeps on: nothing but time depends on it.
 */
#ifndef TULLE_HOST_LIB_PACE_H
#define TULLE_HOST_LIB_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a device, whose jobs run one after the other. */
struct pace {
    atomic_uint under_way, ended; /* runs */
    _Atomic uint64_t last_end;    /* in nanoseconds of the clock that never jumps */
};

/* Of a run, from its begin on. */
struct pace_run {
    uint64_t begun;
    unsigned ahead, ended; /* runs under way, and those that had ended */
};

void pace_begin(struct pace *pace, struct pace_run *run);
/* `typical`: what runs of the operator take on the device, in nanoseconds; 0: not known. */
void pace_end(struct pace *pace, const struct pace_run *run, _Atomic uint64_t *typical);

/* What to do until the run ends. */
enum pace_wait { PACE_SLEEP, PACE_SLEEP_UNTIL, PACE_LOOK };
enum pace_wait pace_wait(const struct pace *pace, const struct pace_run *run, uint64_t typical,
                         uint64_t *until);

#endif
