/* SPDX-License-Identifier: Apache-2.0
 *
 * The text form of protocol buffers, as prototxt: "name: value", "name { ... }",
 * lists in brackets, and comments after #.
 */
#include <string.h>

#include "gen/base/near.h"
#include "gen/base/number.h"
#include "host/net/proto/wire.h"

enum { NUMBER_CHARACTERS = 64, QUOTED = 40 };

struct text {
    const struct source *source;
    const char *at, *end, *line_start;
    unsigned line;
    size_t most;
    struct strbuf *wire;
    struct diag *diag;
};

__attribute__((format(printf, 3, 4))) static bool fail(const struct text *t, const char *at,
                                                       const char *format, ...)
{
    const struct place place = {t->source->path, t->line,
                                at >= t->line_start ? (unsigned)(at - t->line_start) + 1 : 0};
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    diag_error(t->diag, place, "%s", sb_text(&text));
    sb_free(&text);
    return false;
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static void blanks(struct text *t)
{
    bool comment = false;
    for (; t->at < t->end; t->at++) {
        if (*t->at == '\n') {
            t->line++;
            t->line_start = t->at + 1;
            comment = false;
        } else if (*t->at == '#') {
            comment = true;
        } else if (!comment && !strchr(" \t\r\f\v", *t->at)) {
            return;
        } else if (!*t->at && !comment) {
            return;
        }
    }
}

static bool ahead(struct text *t, char c)
{
    blanks(t);
    return t->at < t->end && *t->at == c;
}

static bool take(struct text *t, char c)
{
    if (!ahead(t, c))
        return false;
    t->at++;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A word or number, which is empty when something else follows. */
static struct proto_text word(struct text *t)
{
    blanks(t);
    const char *begin = t->at;
    while (t->at < t->end && is_word(*t->at))
        t->at++;
    return (struct proto_text){begin, (size_t)(t->at - begin)};
}

static int shown(struct proto_text text)
{
    return text.length < QUOTED ? (int)text.length : QUOTED;
}

/* ---- values -------------------------------------------------------------------------------------- */

/* The characters of a number, zero-terminated. */
static bool number_text(struct text *t, char to[NUMBER_CHARACTERS])
{
    size_t count = 0;
    const char *begin = t->at;
    while (t->at < t->end && (is_word(*t->at) || strchr("+-.", *t->at)) && *t->at) {
        if (count == NUMBER_CHARACTERS - 1)
            return fail(t, begin, "a number of more than %d characters", NUMBER_CHARACTERS - 1);
        to[count++] = *t->at++;
    }
    to[count] = 0;
    return count || fail(t, begin, "a number is missing");
}

static bool real(struct text *t, const struct proto_field *field, double *value)
{
    char text[NUMBER_CHARACTERS];
    blanks(t);
    const char *begin = t->at, *at = text;
    if (!number_text(t, text))
        return false;
    const size_t length = strlen(text);
    if (length > 1 && (text[length - 1] == 'f' || text[length - 1] == 'F'))
        text[length - 1] = 0;
    if (number_real(&at, value) == NUMBER_OK && !*at)
        return true;
    return fail(t, begin, "%s is no finite number, as %s wants", text, field->name);
}

static bool integer(struct text *t, const struct proto_field *field, uint64_t *value)
{
    char text[NUMBER_CHARACTERS];
    blanks(t);
    const char *begin = t->at, *at = text;
    bool negative;
    if (!number_text(t, text))
        return false;
    const bool is_signed = field->kind == PROTO_INT32 || field->kind == PROTO_INT64;
    const bool is_long = field->kind == PROTO_INT64 || field->kind == PROTO_UINT64;
    if (number_integer(&at, &negative, value) != NUMBER_OK || *at)
        return fail(t, begin, "%s is no whole number, as %s wants", text, field->name);
    const uint64_t most = is_long     ? (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX)
                          : is_signed ? INT32_MAX
                                      : UINT32_MAX;
    if (*value > most || (negative && *value && !is_signed))
        return fail(t, begin, "%s is out of the range of %s", text, field->name);
    *value = negative ? 0 - *value : *value;
    return true;
}

static bool boolean(struct text *t, const struct proto_field *field)
{
    const struct proto_text w = word(t);
    const bool yes = proto_is(w, "true") || proto_is(w, "1") || proto_is(w, "t");
    if (!yes && !proto_is(w, "false") && !proto_is(w, "0") && !proto_is(w, "f"))
        return fail(t, w.at, "%s must be true or false", field->name);
    proto_put_integer(t->wire, field->number, yes);
    return true;
}

static bool enumeration(struct text *t, const struct proto_field *field)
{
    const struct proto_text w = word(t);
    struct strbuf names = {0};
    char digits[NUMBER_CHARACTERS] = "";
    for (const struct proto_name *v = field->values; v->name; v++) {
        snprintf(digits, sizeof digits, "%d", v->value);
        if (proto_is(w, v->name) || proto_is(w, digits)) {
            proto_put_integer(t->wire, field->number, (uint64_t)v->value);
            sb_free(&names);
            return true;
        }
        sb_addf(&names, "%s%s", v == field->values ? "" : ", ", v->name);
    }
    fail(t, w.at, "%.*s is no value of %s, which has %s", shown(w), w.at, field->name, sb_text(&names));
    sb_free(&names);
    return false;
}

static unsigned digit(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                  : 16;
}

/* Behind a backslash. */
static void escape(struct text *t, struct strbuf *to)
{
    static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    const char c = *t->at++, *known = c ? strchr(names, c) : NULL;
    const unsigned base = c == 'x' || c == 'X' ? 16 : 8;
    unsigned value = base == 8 ? digit(c) : 0;
    char byte = known ? values[known - names] : c;
    if (!known && (base == 16 || value < 8)) {
        for (unsigned i = base == 16 ? 0 : 1;
             i < (base == 16 ? 2 : 3) && t->at < t->end && digit(*t->at) < base; i++)
            value = value * base + digit(*t->at++);
        byte = (char)(value & 0xff);
    }
    sb_addn(to, &byte, 1);
}

/* Up to the quotation mark that began it. */
static bool quoted(struct text *t, struct strbuf *to)
{
    const char *begin = t->at, quote = *t->at++;
    while (t->at < t->end && *t->at != quote && *t->at != '\n') {
        if (*t->at == '\\' && t->end - t->at > 1) {
            t->at++;
            escape(t, to);
        } else {
            sb_addn(to, t->at++, 1);
        }
    }
    return (t->at < t->end && *t->at++ == quote) || fail(t, begin, "the string has no end on its line");
}

/* Strings that follow one another are one. */
static bool string(struct text *t, const struct proto_field *field)
{
    struct strbuf bytes = {0};
    bool any = false, ok = true;
    for (; ok && (ahead(t, '"') || ahead(t, '\'')); any = true)
        ok = quoted(t, &bytes);
    if (!any)
        ok = fail(t, t->at, "%s wants a string in quotation marks", field->name);
    if (ok)
        proto_put_bytes(t->wire, field->number, sb_text(&bytes), bytes.len);
    t->wire->failed = t->wire->failed || !sb_ok(&bytes);
    sb_free(&bytes);
    return ok;
}

static bool scalar(struct text *t, const struct proto_field *field)
{
    double value;
    uint64_t bits;
    switch (field->kind) {
    case PROTO_FLOAT:
    case PROTO_DOUBLE:
        if (!real(t, field, &value))
            return false;
        if (field->kind == PROTO_FLOAT)
            proto_put_float(t->wire, field->number, (float)value);
        else
            proto_put_double(t->wire, field->number, value);
        return true;
    case PROTO_BOOL:
        return boolean(t, field);
    case PROTO_ENUM:
        return enumeration(t, field);
    case PROTO_STRING:
    case PROTO_BYTES:
        return string(t, field);
    default:
        if (!integer(t, field, &bits))
            return false;
        proto_put_integer(t->wire, field->number, bits);
        return true;
    }
}

/* ---- fields -------------------------------------------------------------------------------------- */

static bool fields(struct text *t, const struct proto_message *type, char close, unsigned depth);

/* NOLINTNEXTLINE(misc-no-recursion): the nesting is bounded */
static bool message(struct text *t, const struct proto_field *field, unsigned depth)
{
    const char *begin = t->at;
    const char close = take(t, '{') ? '}' : take(t, '<') ? '>' : 0;
    if (!close)
        return fail(t, t->at, "%s wants fields in braces", field->name);
    if (depth == PROTO_DEPTH)
        return fail(t, begin, "messages are nested too deep; %d levels are read", PROTO_DEPTH);
    const size_t place = proto_begin(t->wire, field->number);
    proto_put_integer(t->wire, WIRE_NUMBER_MAX, t->line);
    const bool ok = fields(t, field->message, close, depth + 1);
    proto_end(t->wire, place);
    return ok;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool value(struct text *t, const struct proto_field *field, unsigned depth)
{
    if (t->wire->len > t->most)
        return fail(t, t->at, "the file takes more memory than four times its size");
    return field->kind == PROTO_MESSAGE ? message(t, field, depth) : scalar(t, field);
}

static const struct proto_field *find(struct text *t, const struct proto_message *type,
                                      struct proto_text name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char copy[QUOTED + 1];
    for (unsigned i = 0; i < type->count; i++)
        if (proto_is(name, type->fields[i].name))
            return &type->fields[i];
    for (unsigned i = 0; i < type->count && i < MOST; i++)
        names[i] = type->fields[i].name;
    snprintf(copy, sizeof copy, "%.*s", shown(name), name.at);
    const char *near = near_word(copy, names, type->count < MOST ? type->count : MOST);
    if (!name.length)
        fail(t, name.at, "a field's name is expected here");
    else
        fail(t, name.at, "%s has no field %s%s%s", type->name, copy, near ? "; did you mean " : "",
             near ? near : "");
    return NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static bool field(struct text *t, const struct proto_message *type, unsigned depth)
{
    const struct proto_field *f = find(t, type, word(t));
    if (!f)
        return false;
    const bool colon = take(t, ':');
    if (!colon && f->kind != PROTO_MESSAGE)
        return fail(t, t->at, "a colon is missing behind %s", f->name);
    if (!f->many || !take(t, '['))
        return value(t, f, depth);
    while (!take(t, ']')) {
        if (!value(t, f, depth))
            return false;
        if (!take(t, ',') && !ahead(t, ']'))
            return fail(t, t->at, "a list goes on with a comma or ends with a bracket");
    }
    return true;
}

/* Up to the closing character, or the end of the file (0). NOLINTNEXTLINE(misc-no-recursion) */
static bool fields(struct text *t, const struct proto_message *type, char close, unsigned depth)
{
    for (;;) {
        blanks(t);
        if (t->at == t->end)
            return !close || fail(t, t->at, "the file ends inside a %s", type->name);
        if (close && take(t, close))
            return true;
        if (!field(t, type, depth))
            return false;
        if (!take(t, ','))
            take(t, ';');
    }
}

bool proto_from_text(const struct proto_message *type, const struct source *source, size_t most,
                     struct strbuf *wire, struct diag *diag)
{
    const char *text = (const char *)source->bytes;
    struct text t = {source, text, text + source->size, text, 1, most, wire, diag};
    struct number_locale locale;
    if (!number_locale_enter(&locale))
        return diag_no_memory(diag, source->path), false;
    const bool ok = fields(&t, type, 0, 1);
    number_locale_leave(&locale);
    if (ok && !sb_ok(wire))
        diag_no_memory(diag, source->path);
    return ok && sb_ok(wire);
}
