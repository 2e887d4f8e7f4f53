/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of copies: what lies between measured ones, beyond them, and the error that is stated.
 */
#include <criterion/criterion.h>

#include "host/net/place/copies.h"

TestSuite(host_net_place_copies);

#define LINES                               \
    "copy-to-card-1\t100\t100\t1e-6\t0.5\n" \
    "copy-to-card-1\t300\t300\t3e-6\t0\n"   \
    "copy-to-card-1\t500\t500\t3e-6\t0\n"   \
    "copy-from-card-1\t100\t100\t9e-6\t0\n" \
    "copy-to-card\t100\t100\t7e-6\t0\n"

static struct place_time time_of(const struct place_library *library, double bytes)
{
    struct place_time time;
    cr_assert(place_copy_time(library, "card 1", true, bytes, &time));
    return time;
}

Test(host_net_place_copies, lines_between_what_is_measured)
{
    struct place_library library = {0};
    struct diag diag = {0};
    struct place_time time;
    cr_assert(place_library_read(&library, LINES, sizeof LINES - 1, "times", &diag));
    cr_expect_float_eq(time_of(&library, 200).seconds, 2e-6, 1e-12);
    cr_expect_float_eq(time_of(&library, 10).seconds, 1e-6, 1e-12);
    cr_expect_float_eq(time_of(&library, 1000).seconds, 6e-6, 1e-12);
    cr_expect_not(time_of(&library, 200).measured);
    cr_expect(time_of(&library, 100).measured);
    cr_expect_float_eq(time_of(&library, 100).error, 0.5, 1e-12);
    /* Without the one in the middle the line between the others says 2 us in place of 3. */
    cr_expect_float_eq(time_of(&library, 200).error, 0.5, 1e-9);
    cr_assert(place_copy_time(&library, "card 1", false, 5, &time));
    cr_expect_float_eq(time.seconds, 9e-6, 1e-12);
    cr_expect_not(place_copy_time(&library, "card 2", true, 5, &time));
    place_library_free(&library);
    diag_free(&diag);
}
