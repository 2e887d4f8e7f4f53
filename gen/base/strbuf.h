/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing string. A failed allocation is remembered in the string, so that a caller appends without checks
 * and asks sb_ok() once at the end.
 */
#ifndef TULLE_GEN_STRBUF_H
#define TULLE_GEN_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *text; /* zero-terminated once anything was appended; NULL before */
    size_t len;
    size_t cap;
    bool failed;
};

void sb_free(struct strbuf *sb);
bool sb_ok(const struct strbuf *sb);
const char *sb_text(const struct strbuf *sb); /* never NULL */

void sb_add(struct strbuf *sb, const char *text);
void sb_addn(struct strbuf *sb, const char *bytes, size_t len);
__attribute__((format(printf, 2, 3))) void sb_addf(struct strbuf *sb, const char *format, ...);
__attribute__((format(printf, 2, 0))) void sb_vaddf(struct strbuf *sb, const char *format, va_list args);

/* A JSON string literal, quotes included. Bytes that are not valid UTF-8 become U+FFFD. */
void sb_add_json(struct strbuf *sb, const char *text);
/* The same for messages: a text of more than 60 bytes is cut and ends in "...". */
void sb_add_quoted(struct strbuf *sb, const char *text);

/* Length of the valid UTF-8 sequence that starts at text, which must be zero-terminated; 0 when it is not
 * valid. */
size_t sb_utf8_length(const char *text);

#endif
