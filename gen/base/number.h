/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes numbers as text, independent of the locale of the process.
 */
#ifndef TULLE_GEN_NUMBER_H
#define TULLE_GEN_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between enter and leave this thread reads and writes numbers as C does. False when out of memory. */
struct number_locale {
    locale_t own, before;
};
bool number_locale_enter(struct number_locale *locale);
void number_locale_leave(struct number_locale *locale);

enum number_status {
    NUMBER_OK,
    NUMBER_NONE,       /* no number of this kind */
    NUMBER_TOO_LARGE,  /* beyond 64 bits, or beyond what a double holds */
    NUMBER_NOT_FINITE, /* one of the words inf, infinity and nan */
    NUMBER_TOO_LONG    /* more than NUMBER_LENGTH_MAX characters */
};

#define NUMBER_LENGTH_MAX 1024

/* Both read the number at *at, which is in zero-terminated text, and on NUMBER_OK move *at behind it. */
enum number_status number_integer(const char **at, bool *negative, uint64_t *magnitude);
/* Digits with an optional sign, point and exponent. The nearest double; what is too small for one is zero. */
enum number_status number_real(const char **at, double *value);

/* Long enough for what these write. */
enum { NUMBER_TEXT = 32 };
size_t number_write_integer(char *to, int64_t value);
/* The fewest of 15, 16 or 17 digits that read back as the same value. */
size_t number_write_real(char *to, double value);

#endif
