/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/header.h"

#include <inttypes.h>
#include <stdio.h>

#include "gen/emit/emit.h"

/* Wide enough for nearly every name and value, so that columns line up. */
enum { NAME_COLUMN = 40, VALUE_COLUMN = 10 };

static void add_upper(struct strbuf *to, const char *text)
{
    for (; *text; text++)
        sb_addf(to, "%c", *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

const char *header_name(struct header *header, const char *first, const char *second, const char *third)
{
    const char *const parts[] = {"tulle", first, second, third};
    header->name.len = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i])
            continue;
        sb_add(&header->name, i ? "_" : "");
        add_upper(&header->name, parts[i]);
    }
    return sb_text(&header->name);
}

void header_open(struct header *header, const struct emit_context *ctx, const char *base, const char *title)
{
    bool c = header->language == HEADER_C;
    emit_banner(header->to, ctx, c ? " *" : "//", title);
    const char *guard = header_name(header, base, c ? "h" : "vh", NULL);
    const char *mark = c ? "#" : "`";
    sb_addf(header->to, "%sifndef %s\n%sdefine %s\n", mark, guard, mark, guard);
}

void header_close(struct header *header)
{
    sb_add(header->to, header->language == HEADER_C ? "\n#endif\n" : "\n`endif\n");
    sb_free(&header->name);
}

void header_section(struct header *header, const char *title, const char *doc)
{
    bool c = header->language == HEADER_C;
    sb_addf(header->to, "\n%s %s", c ? "/*" : "//", title);
    if (doc && *doc)
        sb_addf(header->to, ": %s", doc);
    sb_add(header->to, c ? " */\n" : "\n");
}

void header_define(struct header *header, const char *name, const char *value, const char *doc)
{
    bool c = header->language == HEADER_C;
    sb_addf(header->to, "%cdefine %-*s ", c ? '#' : '`', NAME_COLUMN, name);
    if (doc && *doc)
        sb_addf(header->to, c ? "%-*s /* %s */\n" : "%-*s // %s\n", VALUE_COLUMN, value, doc);
    else
        sb_addf(header->to, "%s\n", value);
}

void header_define_number(struct header *header, const char *name, uint64_t value, const char *doc)
{
    char text[24];
    if (header->language == HEADER_C && value > 0xFFFF)
        snprintf(text, sizeof text, "0x%" PRIX64 "%s", value, value > UINT32_MAX ? "ull" : "u");
    else
        snprintf(text, sizeof text, "%" PRIu64, value);
    header_define(header, name, text, doc);
}
