/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/scan.h"

struct scan scan_begin(const char *file, const struct strbuf *bytes, struct diag *diag)
{
    const char *text = sb_text(bytes);
    return (struct scan){
        .file = file, .at = text, .end = text + bytes->len, .line_start = text, .line = 1, .diag = diag};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool scan_at_line_end(const struct scan *s)
{
    return *s->at == '\n' || (*s->at == '\r' && s->at[1] == '\n') || s->at == s->end;
}

size_t scan_word(const struct scan *s)
{
    struct scan ahead = *s;
    while (!is_blank(*ahead.at) && !scan_at_line_end(&ahead))
        ahead.at++;
    return (size_t)(ahead.at - s->at);
}

static bool fail(const struct scan *s, const char *at, const struct strbuf *text)
{
    const struct place place = {
        .file = s->file, .line = s->line, .column = (unsigned)(at - s->line_start + 1)};
    diag_error(s->diag, place, "%s", sb_text(text));
    return false;
}

bool scan_fail(const struct scan *s, const char *at, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    fail(s, at, &text);
    sb_free(&text);
    return false;
}

static void add_word(const struct scan *s, const char *at, struct strbuf *to)
{
    enum { SHOWN = 64 }; /* sb_add_quoted shows less */
    struct scan here = *s;
    struct strbuf word = {0};
    here.at = at;
    if (at < s->end && !*at) {
        sb_add(to, "a zero byte");
        return;
    }
    const size_t length = scan_word(&here);
    sb_addn(&word, at, length < SHOWN ? length : SHOWN);
    sb_add_quoted(to, sb_text(&word));
    sb_free(&word);
}

bool scan_fail_word(const struct scan *s, const char *at, const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    add_word(s, at, &text);
    sb_add(&text, " ");
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    fail(s, at, &text);
    sb_free(&text);
    return false;
}

void scan_blanks(struct scan *s)
{
    while (is_blank(*s->at))
        s->at++;
}

void scan_next_line(struct scan *s)
{
    while (s->at < s->end && *s->at != '\n')
        s->at++;
    if (s->at == s->end)
        return;
    s->at++;
    s->line++;
    s->line_start = s->at;
}

bool scan_to_line(struct scan *s, char comment)
{
    for (scan_blanks(s); s->at < s->end; scan_blanks(s)) {
        if (!scan_at_line_end(s) && (*s->at != comment || !comment))
            return true;
        scan_next_line(s);
    }
    return false;
}

bool scan_line_done(struct scan *s)
{
    scan_blanks(s);
    if (!scan_at_line_end(s))
        return scan_fail_word(s, s->at, "is more than this line may have; remove it, or correct the header");
    scan_next_line(s);
    return true;
}

/* A number is a whole word. */
static bool at_word_end(const struct scan *s, const char *at)
{
    struct scan behind = *s;
    behind.at = at;
    return is_blank(*at) || scan_at_line_end(&behind);
}

static bool number_failed(const struct scan *s, enum number_status status, const char *what, const char *kind)
{
    if (scan_at_line_end(s))
        return scan_fail(s, s->at, "the line ends before the %s; add it, or correct the header", what);
    switch (status) {
    case NUMBER_TOO_LARGE:
        return scan_fail_word(s, s->at, "is too large for the %s; it must fit %s", what,
                              *kind == 'w' ? "64 bits" : "a double");
    case NUMBER_NOT_FINITE:
        return scan_fail_word(s, s->at, "is not finite; the %s must be a number to compute with", what);
    case NUMBER_TOO_LONG:
        return scan_fail_word(s, s->at, "is longer than %d characters; shorten the number",
                              NUMBER_LENGTH_MAX);
    default:
        return scan_fail_word(s, s->at, "is not a %s; the %s must be one", kind, what);
    }
}

bool scan_integer(struct scan *s, const char *what, bool *negative, uint64_t *magnitude)
{
    double other;
    scan_blanks(s);
    const char *at = s->at;
    const enum number_status status = number_integer(&at, negative, magnitude);
    if (status == NUMBER_OK && at_word_end(s, at)) {
        s->at = at;
        return true;
    }
    /* inf and nan have their own message also where an integer is wanted */
    if (status == NUMBER_NONE && number_real(&at, &other) == NUMBER_NOT_FINITE)
        return number_failed(s, NUMBER_NOT_FINITE, what, "whole number");
    return number_failed(s, status, what, "whole number");
}

bool scan_count(struct scan *s, const char *what, uint64_t *value)
{
    bool negative;
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_integer(s, what, &negative, value))
        return false;
    if (negative)
        return scan_fail_word(s, at, "is negative; the %s cannot be", what);
    return true;
}

bool scan_real(struct scan *s, const char *what, double *value)
{
    scan_blanks(s);
    const char *at = s->at;
    const enum number_status status = number_real(&at, value);
    if (status != NUMBER_OK || !at_word_end(s, at))
        return number_failed(s, status, what, "number");
    s->at = at;
    return true;
}
