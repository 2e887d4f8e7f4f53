/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gen_isa/support.h"

#include <criterion/criterion.h>
#include <string.h>

size_t field_count(const struct isa_format *format)
{
    size_t count = 0;
    while (format->fields[count].bits != 0 || format->fields[count].width != ISA_FIXED)
        count++;
    return count;
}

/* ---- assembling and taking apart ------------------------------------------------------------- */

static void take_messages(struct diag *diag, struct strbuf *messages)
{
    sb_add(messages, sb_text(&diag->text));
    diag_free(diag);
}

bool assemble(const char *text, struct strbuf *bytes, struct strbuf *messages)
{
    struct diag diag = {0};
    struct asm_image image;
    struct strbuf source = {0};
    sb_add(&source, text);
    bool ok = asm_assemble("test", &source, &asm_default_layout, &image, &diag);
    sb_addn(bytes, sb_text(&image.bytes), image.bytes.len);
    take_messages(&diag, messages);
    asm_image_free(&image);
    sb_free(&source);
    return ok;
}

bool disassemble(const struct strbuf *bytes, const struct disasm_options *options, struct strbuf *text,
                 struct strbuf *messages)
{
    struct diag diag = {0};
    bool ok = disasm("test", bytes, options, text, &diag);
    take_messages(&diag, messages);
    return ok;
}

struct disasm_options disassemble_as(enum text_section_index section)
{
    return (struct disasm_options){.as = &text_sections[section], .layout = asm_default_layout};
}

void expect_round_trip(const struct strbuf *bytes, const struct disasm_options *options, struct strbuf *text)
{
    struct strbuf again = {0}, messages = {0};
    cr_assert(disassemble(bytes, options, text, &messages), "%s", sb_text(&messages));
    cr_assert(assemble(sb_text(text), &again, &messages), "%s\n%s", sb_text(&messages), sb_text(text));
    cr_assert(again.len == bytes->len && !memcmp(again.text, bytes->text, again.len),
              "%zu bytes became %zu others:\n%s", bytes->len, again.len, sb_text(text));
    sb_free(&again);
    sb_free(&messages);
}

static void add_dump(struct strbuf *to, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sb_addf(to, "%02x%s", bytes[i], i % 16 == 15 ? "\n" : " ");
}

void expect_bytes(const char *text, const uint8_t *bytes, size_t len)
{
    struct strbuf got = {0}, messages = {0}, want_dump = {0}, got_dump = {0};
    cr_assert(assemble(text, &got, &messages), "%s\n%s", text, sb_text(&messages));
    add_dump(&want_dump, bytes, len);
    add_dump(&got_dump, (const uint8_t *)got.text, got.len);
    cr_assert(!strcmp(sb_text(&got_dump), sb_text(&want_dump)), "%s\ngives\n%s\ninstead of\n%s", text,
              sb_text(&got_dump), sb_text(&want_dump));
    sb_free(&got);
    sb_free(&messages);
    sb_free(&want_dump);
    sb_free(&got_dump);
}

void expect_messages(const char *text, const char *messages)
{
    struct strbuf bytes = {0}, got = {0};
    bool ok = assemble(text, &bytes, &got);
    cr_expect(!strcmp(sb_text(&got), messages), "%s\ngives\n%s\ninstead of\n%s", text, sb_text(&got),
              messages);
    cr_expect(ok == !*messages && (ok || !bytes.len), "%s: success and messages disagree", text);
    sb_free(&bytes);
    sb_free(&got);
}

/* ---- random records -------------------------------------------------------------------------- */

static uint64_t random_in_range(struct random *random, uint64_t min, uint64_t max)
{
    switch (random_below(random, 4)) {
    case 0:
        return min;
    case 1:
        return max;
    default:
        return max - min == UINT64_MAX ? random_next(random) : min + random_below(random, max - min + 1);
    }
}

static uint64_t random_enum(struct random *random, const struct isa_value *values)
{
    size_t count = 0;
    while (values[count].name)
        count++;
    return values[random_below(random, count)].value;
}

static uint64_t random_nested(struct random *random, const struct isa_family *family)
{
    uint8_t bytes[8] = {0};
    size_t count = 0;
    while (family->formats[count].name)
        count++;
    random_record(random, family, &family->formats[random_below(random, count)], isa_int8_widths, bytes);
    return isa_get_bits(bytes, 0, 64);
}

static uint64_t random_value(struct random *random, const struct isa_field *field, struct isa_widths widths)
{
    const unsigned bits = isa_field_bits(field, widths);
    const uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    switch (field->kind) {
    case ISA_CONST:
        return field->min & all;
    case ISA_ENUM:
        return random_enum(random, field->values);
    case ISA_NESTED:
        return random_nested(random, field->nested);
    case ISA_RESERVED:
    case ISA_CHECK:
        return 0;
    default:
        return random_in_range(random, field->min, field->max ? field->max : all);
    }
}

void random_record(struct random *random, const struct isa_family *family, const struct isa_format *format,
                   struct isa_widths widths, uint8_t *bytes)
{
    for (size_t i = 0; i < field_count(format); i++) {
        const struct isa_field *field = &format->fields[i];
        if (!isa_field_present(family, format, field, bytes, widths))
            continue;
        isa_put_bits(bytes, isa_field_lsb(family, format, field, widths), isa_field_bits(field, widths),
                     random_value(random, field, widths));
    }
}

void set_check(uint8_t *bytes, size_t len, size_t at, uint32_t index)
{
    uint32_t sum = 0x54554C4C ^ index;
    memset(bytes + at, 0, 4);
    for (size_t i = 0; i < len; i++)
        sum ^= (uint32_t)bytes[i] << i % 4 * 8;
    for (size_t i = 0; i < 4; i++)
        bytes[at + i] = (uint8_t)(sum >> 8 * i);
}

/* ---- random payloads and programs ------------------------------------------------------------ */

static uint8_t *add_record(struct random *random, const struct isa_family *family,
                           const struct isa_format *format, struct strbuf *to, size_t len)
{
    static const char zeros[128];
    sb_addn(to, zeros, len);
    uint8_t *bytes = (uint8_t *)to->text + to->len - len;
    random_record(random, family, format, isa_int8_widths, bytes);
    return bytes;
}

static void set_field(const struct isa_family *family, const char *format_name, const char *name,
                      uint8_t *bytes, uint64_t value)
{
    const struct isa_format *format = isa_find_format(family, format_name);
    const struct isa_field *field = isa_find_field(format, name);
    isa_put_bits(bytes, isa_field_lsb(family, format, field, isa_int8_widths),
                 isa_field_bits(field, isa_int8_widths), value);
}

void random_config(struct random *random, struct strbuf *to)
{
    const size_t start = to->len;
    const uint64_t instructions = random_in_range(random, 1, 32), functions = random_in_range(random, 0, 3);
    uint8_t *header = add_record(random, &isa_config, isa_find_format(&isa_config, "config_header"), to, 16);
    set_field(&isa_config, "config_header", "instructions", header, instructions);
    set_field(&isa_config, "config_header", "functions", header, functions);
    for (uint64_t i = 0; i < instructions; i++)
        add_record(random, &isa_config, isa_find_format(&isa_config, "config_instruction"), to, 16);
    for (uint64_t i = 0; i < functions; i++)
        add_record(random, &isa_config, isa_find_format(&isa_config, "config_function"), to, 16);
    set_check((uint8_t *)to->text + start, to->len - start, 12, 0);
}

static void add_operation(struct random *random, const char *name, struct strbuf *to)
{
    add_record(random, &isa_operation, isa_find_format(&isa_operation, name), to, 64);
}

/* Operations of a body, a loop of a higher level among them sometimes; never none. */
static void random_body(struct random *random, struct strbuf *to, unsigned level)
{
    static const char *const plain[] = {"load", "distribute", "store", "accumulate", "fence"};
    for (uint64_t i = random_below(random, 4) + 1; i; i--) {
        if (level >= ISA_LOOP_LEVELS || !random_chance(random, 30)) {
            add_operation(random, plain[random_below(random, 5)], to);
            continue;
        }
        const unsigned inner = level + (unsigned)random_below(random, ISA_LOOP_LEVELS - level);
        const size_t start = to->len;
        add_operation(random, "loop", to);
        set_field(&isa_operation, "loop", "level", (uint8_t *)to->text + start, inner);
        random_body(random, to, inner + 1);
        add_operation(random, "endloop", to);
        uint8_t *end = (uint8_t *)to->text + to->len - 64;
        set_field(&isa_operation, "endloop", "level", end, inner);
        set_field(&isa_operation, "endloop", "body", end, (to->len - start) / 64 - 1);
    }
}

static void random_tail(struct random *random, struct strbuf *to)
{
    for (uint64_t parts = random_below(random, 4); parts; parts--) {
        while (to->len % 64 && random_chance(random, 98))
            sb_addn(to, "", 1);
        if (random_chance(random, 60))
            random_config(random, to);
        for (uint64_t len = random_chance(random, 40) ? random_below(random, 200) : 0; len; len--)
            sb_addn(to, random_chance(random, 50) ? "" : "\x5a", 1);
    }
}

void random_program(struct random *random, struct strbuf *to)
{
    add_record(random, &isa_program, isa_program.formats, to, 64);
    random_body(random, to, 0);
    add_operation(random, "end", to);
    const size_t records = to->len / 64;
    uint8_t *bytes = (uint8_t *)to->text;
    set_field(&isa_program, "program", "operations", bytes, records - 1);
    set_field(&isa_program, "program", "lines", bytes, 0);
    for (size_t i = 0; i < records; i++)
        set_check(bytes + 64 * i, 64, 60, (uint32_t)i);
    random_tail(random, to);
}
