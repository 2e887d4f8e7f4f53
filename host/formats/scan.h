/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans a text file of numbers line by line and keeps the position for
 * messages.
 */
#ifndef TULLE_HOST_FORMATS_SCAN_H
#define TULLE_HOST_FORMATS_SCAN_H

#include "gen/base/diag.h"
#include "gen/base/number.h"

struct scan {
    const char *file;
    const char *at;
    const char *end; /* a zero byte is there */
    const char *line_start;
    unsigned line; /* from 1 */
    struct diag *diag;
};

struct scan scan_begin(const char *file, const struct strbuf *bytes, struct diag *diag);

/* Report an error at the column of `at` and return false. The second one begins with the word at `at`. */
__attribute__((format(printf, 3, 4))) bool scan_fail(const struct scan *s, const char *at, const char *format,
                                                     ...);
__attribute__((format(printf, 3, 4))) bool scan_fail_word(const struct scan *s, const char *at,
                                                          const char *format, ...);

/* Blanks are spaces and tabs. A line ends with a line feed, which a carriage return may precede, or with the
 * file. */
void scan_blanks(struct scan *s);
bool scan_at_line_end(const struct scan *s);
void scan_next_line(struct scan *s);

/* Goes to the first word of the next line that has one; false at the end of the file. With `comment`, lines
 * whose first word begins with that character do not count. */
bool scan_to_line(struct scan *s, char comment);
/* Checks that nothing follows on the line and goes to the next line. */
bool scan_line_done(struct scan *s);
/* The length of the word at the position, 0 at the end of a line. */
size_t scan_word(const struct scan *s);

/* Each skips blanks, then reads a number, a whole word long. `what` names it in messages. */
bool scan_count(struct scan *s, const char *what, uint64_t *value);
bool scan_integer(struct scan *s, const char *what, bool *negative, uint64_t *magnitude);
bool scan_real(struct scan *s, const char *what, double *value);

#endif
