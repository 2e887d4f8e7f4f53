/* SPDX-License-Identifier: Apache-2.0
 *
 * The documents leave nothing out of the tables.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/isa_doc.h"
#include "gen/emit/isa_header.h"
#include "gen/emit/registers.h"

static struct strbuf text;

static void free_text(void)
{
    sb_free(&text);
}

TestSuite(documents, .fini = free_text);

/* The part of the text from `heading` up to the next heading. */
static struct strbuf section(const char *heading)
{
    struct strbuf part = {0};
    const char *begin = strstr(sb_text(&text), heading);
    cr_assert(begin, "no heading \"%s\"", heading);
    const char *end = strstr(begin + strlen(heading), "\n#");
    sb_addn(&part, begin, end ? (size_t)(end - begin) : strlen(begin));
    return part;
}

static void check_format(const struct isa_family *family, const struct isa_format *format)
{
    char heading[100], row[100];
    if (family->formats[1].name)
        snprintf(heading, sizeof heading, "\n### %s: %s\n", format->name, format->title);
    else
        snprintf(heading, sizeof heading, "\n## %s\n", family->title);
    struct strbuf part = section(heading), tokens = section("\n### Tokens\n");
    for (const struct isa_field *f = format->fields; isa_is_field(f); f++) {
        snprintf(row, sizeof row, "| `%s` |", f->name ? f->name : "");
        const char *where = sb_text(&part);
        if (family == &isa_operation && !strstr(where, row))
            where = sb_text(&tokens);
        cr_expect(!f->name || strstr(where, row), "%s.%s is not described", format->name, f->name);
        cr_expect(!f->name || strstr(where, f->doc), "%s.%s: \"%s\" is missing", format->name, f->name,
                  f->doc);
    }
    sb_free(&part);
    sb_free(&tokens);
}

Test(documents, every_field_of_the_instruction_set)
{
    isa_document(&text);
    for (size_t i = 0; isa_families[i]; i++)
        for (const struct isa_format *format = isa_families[i]->formats; format->name; format++)
            check_format(isa_families[i], format);
}

Test(documents, every_value)
{
    isa_document(&text);
    for (size_t i = 0; isa_enums[i].name; i++) {
        char heading[100], row[200];
        snprintf(heading, sizeof heading, "\n### Values of %s\n", isa_enums[i].name);
        struct strbuf part = section(heading);
        for (const struct isa_value *v = isa_enums[i].values; v->name; v++) {
            snprintf(row, sizeof row, "| %d | `%s` | %s |\n", (int)v->value, v->name, v->doc);
            cr_expect(strstr(sb_text(&part), row), "%s: no %s", isa_enums[i].name, row);
        }
        sb_free(&part);
    }
}

Test(documents, every_register)
{
    register_document(&text, NULL);
    for (const struct isa_register *reg = isa_registers; reg->name; reg++) {
        char row[100];
        snprintf(row, sizeof row, reg->fields[0].bits == 32 ? "| 0x%03X | %s | " : "| 0x%03X | [%s](",
                 reg->offset, reg->name);
        cr_expect(strstr(sb_text(&text), row), "no row for %s", reg->name);
        for (const struct isa_field *f = reg->fields; isa_is_field(f); f++)
            cr_expect(!f->name || strstr(sb_text(&text), f->doc), "%s.%s is not described", reg->name,
                      f->name);
    }
}

/* Worked out by hand from shared definitions: a MAC with balancing on block 2 that keeps its sum is 00 1 0
 * 0010 00 0 1; the gap of 255 to column 260 is 3 x 64 and 63. */
Test(documents, examples)
{
    isa_document(&text);
    cr_expect(strstr(sb_text(&text), "`1 1 0 00011`, 0xC3"));
    cr_expect(strstr(sb_text(&text), "`00 1 0 0010 00 0 1`, 0x221"));
    cr_expect(strstr(sb_text(&text), "| 5 | 22 7f | jump, payload 2: forward by 3 x 64 |"));
    cr_expect(strstr(sb_text(&text), "| 197 | 07 bf | value 7, gap 63: index 260, last of the segment |"));
}
