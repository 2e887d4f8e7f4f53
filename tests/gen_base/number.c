/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers: every decimal gives the nearest double.
 */
#include "gen/base/number.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"

/* A number of up to 20 digits before and behind the point, with or without either, and an exponent. */
static void random_decimal(struct random *random, char *to)
{
    const unsigned before = (unsigned)random_below(random, 21), behind = (unsigned)random_below(random, 21);
    char *at = to + sprintf(to, "%s", random_below(random, 2) ? "-" : random_below(random, 2) ? "+" : "");
    for (unsigned i = 0; i < before; i++)
        *at++ = (char)('0' + random_below(random, 10));
    if (behind || !before)
        *at++ = '.';
    for (unsigned i = 0; i < behind || (!before && i == 0); i++)
        *at++ = (char)('0' + random_below(random, 10));
    *at = '\0';
    if (random_below(random, 2))
        sprintf(at, "%c%d", random_below(random, 2) ? 'e' : 'E', (int)random_below(random, 80) - 40);
}

Test(number, same_as_the_c_library)
{
    struct random random = {5};
    char text[80];
    for (unsigned i = 0; i < 200000; i++) {
        const char *at = text;
        double value;
        random_decimal(&random, text);
        cr_assert_eq(number_real(&at, &value), NUMBER_OK, "%s", text);
        cr_assert_eq(*at, '\0', "%s", text);
        const double expected = strtod(text, NULL);
        cr_assert(!memcmp(&value, &expected, sizeof value), "%s is %.17g, not %.17g", text, value, expected);
    }
}

Test(number, any_double_is_written_and_read)
{
    struct random random = {6};
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t bits = random_next(&random);
        double value, again;
        char text[NUMBER_TEXT];
        const char *at = text;
        memcpy(&value, &bits, sizeof value);
        if ((bits >> 52 & 0x7FF) == 0x7FF)
            continue;
        const size_t length = number_write_real(text, value);
        cr_assert_eq(length, strlen(text));
        cr_assert_eq(number_real(&at, &again), NUMBER_OK, "%s", text);
        cr_assert(!memcmp(&value, &again, sizeof value), "%s is %.17g", text, again);
    }
}

Test(number, integers)
{
    static const struct {
        const char *text;
        enum number_status status;
        bool negative;
        uint64_t magnitude;
        const char *rest;
    } cases[] = {
        {"0", NUMBER_OK, false, 0, ""},
        {"-12x", NUMBER_OK, true, 12, "x"},
        {"+0007", NUMBER_OK, false, 7, ""},
        {"18446744073709551615", NUMBER_OK, false, UINT64_MAX, ""},
        {"18446744073709551616", NUMBER_TOO_LARGE, false, 0, "18446744073709551616"},
        {"20000000000000000000", NUMBER_TOO_LARGE, false, 0, "20000000000000000000"},
        {"99999999999999999999999", NUMBER_TOO_LARGE, false, 0, "99999999999999999999999"},
        {"-", NUMBER_NONE, true, 0, "-"},
        {"", NUMBER_NONE, false, 0, ""},
        {"--1", NUMBER_NONE, true, 0, "--1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = cases[i].text;
        bool negative;
        uint64_t magnitude = 0;
        cr_assert_eq(number_integer(&at, &negative, &magnitude), cases[i].status, "%s", cases[i].text);
        cr_assert_eq(negative, cases[i].negative, "%s", cases[i].text);
        cr_assert_eq(magnitude, cases[i].magnitude, "%s is %" PRIu64, cases[i].text, magnitude);
        cr_assert_str_eq(at, cases[i].rest);
    }
}
