/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits that end: conditions with the clock that never jumps.
 */
#ifndef TULLE_HOST_LIB_WAIT_H
#define TULLE_HOST_LIB_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline bool wait_init(pthread_mutex_t *lock, pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return false;
    bool ok = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) &&
              !pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    if (ok && pthread_mutex_init(lock, NULL)) {
        pthread_cond_destroy(condition);
        ok = false;
    }
    return ok;
}

/* The time in so many milliseconds. */
static inline struct timespec wait_deadline(unsigned milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return until;
}

static inline uint64_t wait_nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline struct timespec wait_time(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000u),
                             .tv_nsec = (long)(nanoseconds % 1000000000u)};
}

#endif
