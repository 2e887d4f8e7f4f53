/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool sb_reserve(struct strbuf *sb, size_t extra)
{
    if (sb->failed)
        return false;
    if (extra < sb->cap - sb->len)
        return true;
    size_t cap = sb->cap ? sb->cap : 256;
    while (cap - sb->len <= extra && cap <= SIZE_MAX / 2)
        cap *= 2;
    char *text = cap - sb->len > extra ? realloc(sb->text, cap) : NULL;
    if (!text) {
        sb->failed = true;
        return false;
    }
    sb->text = text;
    sb->cap = cap;
    return true;
}

void sb_free(struct strbuf *sb)
{
    free(sb->text);
    *sb = (struct strbuf){0};
}

bool sb_ok(const struct strbuf *sb)
{
    return !sb->failed;
}

const char *sb_text(const struct strbuf *sb)
{
    return sb->text ? sb->text : "";
}

void sb_addn(struct strbuf *sb, const char *bytes, size_t len)
{
    if (!sb_reserve(sb, len))
        return;
    if (len > 0) /* no bytes may come from no pointer */
        memcpy(sb->text + sb->len, bytes, len);
    sb->len += len;
    sb->text[sb->len] = '\0';
}

void sb_add(struct strbuf *sb, const char *text)
{
    sb_addn(sb, text, strlen(text));
}

void sb_vaddf(struct strbuf *sb, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len < 0)
        sb->failed = true;
    else if (sb_reserve(sb, (size_t)len)) {
        vsnprintf(sb->text + sb->len, (size_t)len + 1, format, again);
        sb->len += (size_t)len;
    }
    va_end(again);
}

void sb_addf(struct strbuf *sb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sb_vaddf(sb, format, args);
    va_end(args);
}

size_t sb_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    static const unsigned min_value[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = s[0] < 0x80 ? 1 : (s[0] >> 5) == 6 ? 2 : (s[0] >> 4) == 14 ? 3 : (s[0] >> 3) == 30 ? 4 : 0;
    unsigned value = len == 1 ? s[0] : s[0] & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (s[i] & 0x3F);
    }
    bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return len && value >= min_value[len] && value <= 0x10FFFF && !surrogate ? len : 0;
}

void sb_add_json(struct strbuf *sb, const char *text)
{
    sb_add(sb, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t len = sb_utf8_length((const char *)s);
        if (!len)
            sb_add(sb, "\\ufffd");
        else if (*s == '"' || *s == '\\')
            sb_addf(sb, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7F)
            sb_addf(sb, "\\u%04x", *s);
        else
            sb_addn(sb, (const char *)s, len);
        s += len ? len : 1;
    }
    sb_add(sb, "\"");
}

void sb_add_quoted(struct strbuf *sb, const char *text)
{
    enum { KEPT = 60 };
    char cut[KEPT + 1];
    if (strlen(text) <= KEPT) {
        sb_add_json(sb, text);
        return;
    }
    size_t len = KEPT; /* never inside a sequence */
    while (len && (text[len] & 0xC0) == 0x80)
        len--;
    memcpy(cut, text, len);
    cut[len] = '\0';
    sb_add_json(sb, cut);
    sb_add(sb, "...");
}
