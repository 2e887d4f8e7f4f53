/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool number_locale_enter(struct number_locale *locale)
{
    locale->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale->own)
        return false;
    locale->before = uselocale(locale->own);
    return true;
}

void number_locale_leave(struct number_locale *locale)
{
    uselocale(locale->before);
    freelocale(locale->own);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips a sign; true for a minus. */
static bool skip_sign(const char **at)
{
    const bool minus = **at == '-';
    *at += minus || **at == '+';
    return minus;
}

enum number_status number_integer(const char **at, bool *negative, uint64_t *magnitude)
{
    const char *p = *at;
    uint64_t value = 0;
    bool fits = true;
    *negative = skip_sign(&p);
    if (!is_digit(*p))
        return NUMBER_NONE;
    for (; is_digit(*p); p++) {
        const unsigned digit = (unsigned)(*p - '0');
        fits = fits && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (!fits)
        return NUMBER_TOO_LARGE;
    *magnitude = value;
    *at = p;
    return NUMBER_OK;
}

/* What a number is made of: value = mantissa x 10^exponent, exact unless more digits than 19 were there. */
struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    uint64_t digits; /* without leading zeros */
    bool any;
};

static void take_digits(const char **at, struct decimal *d, int exponent_step)
{
    for (; is_digit(**at); (*at)++) {
        d->any = true;
        if (d->digits || **at != '0')
            d->digits++;
        d->mantissa = d->mantissa * 10 + (unsigned)(**at - '0');
        d->exponent += exponent_step;
    }
}

/* An exponent needs a digit; without one the "e" is not part of the number. */
static void take_exponent(const char **at, struct decimal *d)
{
    enum { ENOUGH = 100000 };
    const char *p = *at + 1;
    int exponent = 0;
    if (**at != 'e' && **at != 'E')
        return;
    const bool minus = skip_sign(&p);
    if (!is_digit(*p))
        return;
    for (; is_digit(*p); p++)
        exponent = exponent < ENOUGH ? exponent * 10 + (*p - '0') : exponent;
    d->exponent += minus ? -exponent : exponent;
    *at = p;
}

/* Mantissa and power of ten are both exact doubles, so that one operation rounds once, correctly. */
static bool exact(const struct decimal *d)
{
    return FLT_EVAL_METHOD == 0 && d->digits <= 19 && d->mantissa <= (uint64_t)1 << 53 &&
           d->exponent >= -22 && d->exponent <= 22;
}

static double scaled(const struct decimal *d)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double mantissa = (double)d->mantissa;
    return d->exponent < 0 ? mantissa / powers[-d->exponent] : mantissa * powers[d->exponent];
}

static enum number_status no_real(const char *p)
{
    const bool word = !strncasecmp(p, "inf", 3) || !strncasecmp(p, "nan", 3);
    return word ? NUMBER_NOT_FINITE : NUMBER_NONE;
}

enum number_status number_real(const char **at, double *value)
{
    struct decimal d = {0};
    const char *p = *at;
    const bool negative = skip_sign(&p);
    take_digits(&p, &d, 0);
    if (*p == '.') {
        p++;
        take_digits(&p, &d, -1);
    }
    if (!d.any)
        return no_real(p);
    take_exponent(&p, &d);
    if (p - *at > NUMBER_LENGTH_MAX)
        return NUMBER_TOO_LONG;
    if (exact(&d))
        *value = negative ? -scaled(&d) : scaled(&d);
    else
        *value = strtod(*at, NULL);
    if (!isfinite(*value))
        return NUMBER_TOO_LARGE;
    *at = p;
    return NUMBER_OK;
}

size_t number_write_integer(char *to, int64_t value)
{
    return (size_t)snprintf(to, NUMBER_TEXT, "%" PRId64, value);
}

size_t number_write_real(char *to, double value)
{
    size_t length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = (size_t)snprintf(to, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(to, NULL) == value)
            break;
    }
    return length;
}
