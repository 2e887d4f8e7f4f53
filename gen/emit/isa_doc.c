/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/isa_doc.h"

#include <inttypes.h>

#include "gen/emit/emit.h"
#include "gen/emit/isa_header.h"
#include "gen/version.h"

/* Adds the lines without the line feeds at the end, which the template has, and frees them. */
static void add_lines(struct strbuf *to, struct strbuf *lines)
{
    while (lines->len && lines->text[lines->len - 1] == '\n')
        lines->len--;
    sb_addn(to, sb_text(lines), lines->len);
    to->failed |= lines->failed;
    sb_free(lines);
}

/* Defines a value that a function writes as lines. */
#define LINES_VALUE(function, write)                                                          \
    static void function(struct strbuf *to, const struct emit_context *ctx, const void *data, \
                         unsigned index)                                                      \
    {                                                                                         \
        struct strbuf lines = {0};                                                            \
        (void)ctx, (void)data, (void)index;                                                   \
        write;                                                                                \
        add_lines(to, &lines);                                                                \
    }

LINES_VALUE(add_sizes, isa_doc_sizes(&lines))
LINES_VALUE(add_tokens, isa_doc_tokens(&lines))
LINES_VALUE(add_command_example, isa_doc_command_example(&lines))
LINES_VALUE(add_instruction_example, isa_doc_instruction_example(&lines))
LINES_VALUE(add_config_example, isa_doc_config_example(&lines))
LINES_VALUE(add_weight_example, isa_doc_weight_example(&lines))
LINES_VALUE(add_doc, isa_doc_paragraph(&lines, isa_families[index]->doc))
LINES_VALUE(add_formats, isa_doc_formats(&lines, isa_families[index]))
LINES_VALUE(add_enum_values, isa_doc_values(&lines, isa_enums[index].values))

static void add_generated(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    (void)ctx, (void)data, (void)index;
    emit_origin(to, NULL);
}

/* The table's texts begin in lower case. */
static char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static unsigned enum_count(void)
{
    unsigned count = 0;
    while (isa_enums[count].name)
        count++;
    return count;
}

/* The place of a family in isa_families. */
static unsigned place(const struct isa_family *family)
{
    unsigned i = 0;
    while (isa_families[i] != family)
        i++;
    return i;
}

TEMPLATE_VALUE(add_version, "%s", TULLE_ISA_VERSION)
TEMPLATE_VALUE(add_check_seed, "%08X", ISA_CHECK_SEED)
TEMPLATE_VALUE(add_loop_levels, "%d", ISA_LOOP_LEVELS)
TEMPLATE_VALUE(add_title, "%s", isa_families[index]->title)
TEMPLATE_VALUE(add_enums, "%u", enum_count())
TEMPLATE_VALUE(add_enum_name, "%s", isa_enums[index].name)
TEMPLATE_VALUE(add_enum_doc, "%c%s", capital(*isa_enums[index].doc), isa_enums[index].doc + 1)
TEMPLATE_VALUE(add_command, "%u", place(&isa_command))
TEMPLATE_VALUE(add_instruction, "%u", place(&isa_instruction))
TEMPLATE_VALUE(add_packet, "%u", place(&isa_packet))
TEMPLATE_VALUE(add_config, "%u", place(&isa_config))
TEMPLATE_VALUE(add_weight, "%u", place(&isa_weight))
TEMPLATE_VALUE(add_program, "%u", place(&isa_program))
TEMPLATE_VALUE(add_operation, "%u", place(&isa_operation))
TEMPLATE_VALUE(add_status, "%u", place(&isa_status))

const struct template_value isa_page_values[] = {
    {"generated", add_generated},
    {"isa_version", add_version},
    {"check_seed", add_check_seed},
    {"loop_levels", add_loop_levels},
    {"sizes", add_sizes},
    {"tokens", add_tokens},
    {"command_example", add_command_example},
    {"instruction_example", add_instruction_example},
    {"config_example", add_config_example},
    {"weight_example", add_weight_example},
    {"title", add_title}, /* title, doc and formats are lists with a text for each family, command, ... */
    {"doc", add_doc},
    {"formats", add_formats},
    {"command", add_command},
    {"instruction", add_instruction},
    {"packet", add_packet},
    {"config", add_config},
    {"weight", add_weight},
    {"program", add_program},
    {"operation", add_operation},
    {"status", add_status},
    {"enums", add_enums},
    {"enum_name", add_enum_name},
    {"enum_doc", add_enum_doc},
    {"enum_values", add_enum_values},
    {NULL, NULL},
};

void isa_document(struct strbuf *to)
{
    template_write(to, NULL, "isa.md", NULL);
}
