/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever waits for a run sleeps until shortly before the end that is expected, looks around that time, and
 * sleeps when it was wrong.
 */
#include "host/lib/pace.h"

#include <criterion/criterion.h>

#include "host/lib/wait.h"

#define SECOND UINT64_C(1000000000)

/* A run that began so long ago. */
static struct pace_run begun_before(uint64_t nanoseconds, unsigned ahead)
{
    return (struct pace_run){.begun = wait_nanoseconds(wait_deadline(0)) - nanoseconds, .ahead = ahead};
}

Test(pace, without_earlier_runs_it_sleeps)
{
    struct pace pace = {.under_way = 0};
    uint64_t until;
    const struct pace_run run = begun_before(SECOND, 0);
    cr_expect_eq(pace_wait(&pace, &run, 0, &until), PACE_SLEEP);
}

Test(pace, sleeps_looks_and_sleeps_again)
{
    struct pace pace = {.under_way = 0};
    uint64_t until;
    struct pace_run run = begun_before(SECOND, 0);
    cr_expect_eq(pace_wait(&pace, &run, 100 * SECOND, &until), PACE_SLEEP_UNTIL);
    cr_expect(until > run.begun + 99 * SECOND && until < run.begun + 100 * SECOND);
    cr_expect_eq(pace_wait(&pace, &run, SECOND / 2, &until), PACE_SLEEP, "half a second late");
    for (unsigned i = 0; i < 100; i++) { /* until no other thread is in between */
        run = begun_before(SECOND, 0);
        if (pace_wait(&pace, &run, SECOND, &until) == PACE_LOOK)
            return;
    }
    cr_assert_fail("it never looks");
}

Test(pace, runs_ahead_come_first)
{
    struct pace pace = {.under_way = 0};
    uint64_t until;
    const struct pace_run run = begun_before(SECOND, 2);
    pace_wait(&pace, &run, 100 * SECOND, &until);
    cr_expect(until > run.begun + 299 * SECOND && until < run.begun + 300 * SECOND);
    pace.ended = 2;
    pace.last_end = run.begun + SECOND / 2;
    pace_wait(&pace, &run, 100 * SECOND, &until);
    cr_expect(until > pace.last_end + 99 * SECOND && until < pace.last_end + 100 * SECOND);
}

Test(pace, learns_from_runs)
{
    struct pace pace = {.under_way = 0};
    struct pace_run run;
    _Atomic uint64_t typical = 0;
    pace_begin(&pace, &run);
    cr_expect(pace.under_way == 1 && !run.ahead);
    run.begun -= 8 * SECOND;
    pace_end(&pace, &run, &typical);
    cr_expect(typical >= 8 * SECOND && typical < 9 * SECOND && !pace.under_way && pace.ended == 1);
    pace.last_end = 0;
    pace_begin(&pace, &run);
    run.begun -= 4 * SECOND;
    pace_end(&pace, &run, &typical);
    cr_expect(typical >= 6 * SECOND && typical < 7 * SECOND);
}
