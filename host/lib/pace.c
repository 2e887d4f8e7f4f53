/* SPDX-License-Identifier: Apache-2.0 */
#include "host/lib/pace.h"

#include "host/lib/wait.h"

enum { LEAST_MARGIN = 20000, MOST_MARGIN = 300000 }; /* ns */

static uint64_t now(void)
{
    return wait_nanoseconds(wait_deadline(0));
}

static uint64_t device_free_since(const struct pace *pace, const struct pace_run *run)
{
    const uint64_t last = atomic_load(&pace->last_end);
    return last > run->begun ? last : run->begun;
}

void pace_begin(struct pace *pace, struct pace_run *run)
{
    *run = (struct pace_run){
        .ended = atomic_load(&pace->ended), .ahead = atomic_fetch_add(&pace->under_way, 1), .begun = now()};
}

/* Times differ, and half of a new one is enough to follow them. */
void pace_end(struct pace *pace, const struct pace_run *run, _Atomic uint64_t *typical)
{
    const uint64_t end = now(), took = end - device_free_since(pace, run), before = atomic_load(typical);
    atomic_store(typical, before ? (before + took) / 2 : took);
    atomic_store(&pace->last_end, end);
    atomic_fetch_sub(&pace->under_way, 1);
    atomic_fetch_add(&pace->ended, 1);
}

enum pace_wait pace_wait(const struct pace *pace, const struct pace_run *run, uint64_t typical,
                         uint64_t *until)
{
    const unsigned ended = atomic_load(&pace->ended) - run->ended;
    const uint64_t ahead = run->ahead > ended ? run->ahead - ended : 0, time = now(), wanted = typical / 16,
                   most = wanted < MOST_MARGIN ? wanted : MOST_MARGIN,
                   margin = most > LEAST_MARGIN ? most : LEAST_MARGIN,
                   end = device_free_since(pace, run) + (ahead + 1) * typical;
    *until = end - margin;
    return !typical || time > end + margin ? PACE_SLEEP : time < *until ? PACE_SLEEP_UNTIL : PACE_LOOK;
}
