/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/asm_rules.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"

struct asm_record *asm_records_add(struct asm_records *records, size_t len)
{
    static const char zeros[ISA_STATUS_BYTES];
    if (records->count == records->cap) {
        size_t cap = records->cap ? 2 * records->cap : 16;
        struct asm_record *items = realloc(records->items, cap * sizeof *items);
        if (!items)
            return NULL;
        records->items = items;
        records->cap = cap;
    }
    struct asm_record *record = &records->items[records->count];
    *record = (struct asm_record){.offset = records->bytes.len};
    sb_addn(&records->bytes, zeros, len);
    if (!sb_ok(&records->bytes))
        return NULL;
    records->count++;
    return record;
}

uint8_t *asm_record_bytes(const struct asm_records *records, const struct asm_record *record)
{
    return (uint8_t *)records->bytes.text + record->offset;
}

void asm_records_free(struct asm_records *records)
{
    sb_free(&records->bytes);
    free(records->items);
    records->items = NULL;
    records->count = records->cap = 0;
}

void asm_record_error(const struct asm_records *records, const struct asm_record *record, struct diag *diag,
                      const char *format, ...)
{
    struct strbuf text = {0};
    va_list args;
    if (records->by_offset)
        sb_addf(&text, "offset 0x%zx: ", records->file_offset + record->offset);
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    diag_error(diag, record->at, "%s", sb_text(&text));
    sb_free(&text);
}

/* ---- computed fields ------------------------------------------------------------------------- */

/* None of these depends on a variant's widths. */
static uint64_t get_field(const struct asm_records *records, const struct asm_record *record,
                          const struct isa_field *field)
{
    return isa_get_bits(asm_record_bytes(records, record),
                        isa_field_lsb(record->family, record->format, field, isa_int8_widths),
                        isa_field_bits(field, isa_int8_widths));
}

static bool is_given(const struct asm_record *record, const struct isa_field *field)
{
    return record->given >> (field - record->format->fields) & 1;
}

static void reject_range(const struct asm_records *records, const struct asm_record *record,
                         const struct isa_field *field, uint64_t value, struct diag *diag)
{
    struct strbuf allowed = {0};
    text_add_allowed(&allowed, field, isa_int8_widths);
    asm_record_error(records, record, diag, "%s: field \"%s\" comes to %llu; allowed %s",
                     record->format->name, field->name, (unsigned long long)value, sb_text(&allowed));
    sb_free(&allowed);
}

/* Fills the field in, or verifies what was given; `what` says what it must agree with. */
static void compute(const struct asm_records *records, const struct asm_record *record, const char *name,
                    uint64_t value, const char *what, struct diag *diag)
{
    const struct isa_field *field = isa_find_field(record->format, name);
    const unsigned bits = isa_field_bits(field, isa_int8_widths);
    if (value < field->min || value > isa_field_max(field, isa_int8_widths))
        reject_range(records, record, field, value, diag);
    else if (!is_given(record, field))
        isa_put_bits(asm_record_bytes(records, record),
                     isa_field_lsb(record->family, record->format, field, isa_int8_widths), bits, value);
    else if (get_field(records, record, field) != value)
        asm_record_error(records, record, diag, "%s: field \"%s\" is %llu, but %s %llu", record->format->name,
                         name, (unsigned long long)get_field(records, record, field), what,
                         (unsigned long long)value);
}

static bool has_format(const struct asm_record *record, const char *name)
{
    return record->format && !strcmp(record->format->name, name);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool has_check(const struct asm_record *record)
{
    return record->format && isa_find_field(record->format, "check");
}

/* A configuration's header checks all of it. */
static size_t checked_length(const struct asm_records *records)
{
    return records->type == &text_sections[TEXT_CONFIG] ? records->bytes.len : records->type->word_bytes;
}

/* Operations are checked with their position, which is the record's: the header is at 0. */
static uint32_t check_index(const struct asm_records *records, const struct asm_record *record)
{
    if (records->type != &text_sections[TEXT_PROGRAM])
        return 0;
    return (uint32_t)(record - records->items);
}

bool asm_record_check_holds(const struct asm_records *records, const struct asm_record *record)
{
    return !has_check(record) || isa_checksum(asm_record_bytes(records, record), checked_length(records)) ==
                                     isa_check_word(check_index(records, record));
}

static void seal(const struct asm_records *records, const struct asm_record *record, struct diag *diag)
{
    const struct isa_field *check = isa_find_field(record->format, "check");
    uint8_t *bytes = asm_record_bytes(records, record);
    const uint64_t before = get_field(records, record, check);
    isa_seal(record->family, record->format, bytes, checked_length(records), check_index(records, record));
    const uint64_t right = get_field(records, record, check);
    if (!is_given(record, check))
        return;
    isa_put_bits(bytes, isa_field_lsb(record->family, record->format, check, isa_int8_widths), 32, before);
    if (before != right)
        asm_record_error(records, record, diag,
                         "%s: field \"check\" is 0x%08llx, but the check comes to 0x%08llx",
                         record->format->name, (unsigned long long)before, (unsigned long long)right);
}

/* ---- configurations -------------------------------------------------------------------------- */

static void config_rules(const struct asm_records *records, struct diag *diag)
{
    uint64_t instructions = 0, functions = 0;
    for (const struct asm_record *r = records->items + 1; r < records->items + records->count; r++) {
        const bool extension = has_format(r, "config_extension"), function = has_format(r, "config_function");
        instructions += !function && !extension;
        functions += function;
        if (functions && (extension || has_format(r, "config_instruction")))
            asm_record_error(records, r, diag, "%s: instruction records come before function records",
                             r->format->name);
        if (extension &&
            (r + 1 == records->items + records->count || !has_format(r + 1, "config_instruction")))
            asm_record_error(records, r, diag,
                             "config_extension: the instruction record that it belongs to must follow");
    }
    compute(records, records->items, "instructions", instructions, "the number of instruction records is",
            diag);
    compute(records, records->items, "functions", functions, "the number of function records is", diag);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Loops that are open, the outermost first. Those too deep are counted, so that their ends find them. */
struct open_loops {
    const struct asm_record *loop[ISA_LOOP_LEVELS];
    size_t depth;
};

static const struct asm_record *innermost(const struct open_loops *open)
{
    return open->depth && open->depth <= ISA_LOOP_LEVELS ? open->loop[open->depth - 1] : NULL;
}

static uint64_t loop_level(const struct asm_records *records, const struct asm_record *loop)
{
    return get_field(records, loop, isa_find_field(loop->format, "level"));
}

static void open_loop(const struct asm_records *records, struct open_loops *open,
                      const struct asm_record *loop, struct diag *diag)
{
    const struct isa_field *level = isa_find_field(loop->format, "level");
    const struct asm_record *outer = innermost(open);
    const uint64_t outer_level = outer ? loop_level(records, outer) : 0;
    if (open->depth >= ISA_LOOP_LEVELS || (outer && outer_level + 1 >= ISA_LOOP_LEVELS))
        asm_record_error(records, loop, diag, "loop: nested too deeply; there are %d levels, 0..%d",
                         ISA_LOOP_LEVELS, ISA_LOOP_LEVELS - 1);
    else if (!is_given(loop, level))
        compute(records, loop, "level", outer ? outer_level + 1 : 0, "", diag);
    else if (outer && loop_level(records, loop) <= outer_level)
        asm_record_error(records, loop, diag,
                         "loop: field \"level\" is %llu; it must be higher than the outer loop's, %llu",
                         (unsigned long long)loop_level(records, loop), (unsigned long long)outer_level);
    if (open->depth < ISA_LOOP_LEVELS)
        open->loop[open->depth] = loop;
    open->depth++;
}

static void close_loop(const struct asm_records *records, struct open_loops *open,
                       const struct asm_record *endloop, struct diag *diag)
{
    const struct asm_record *loop = innermost(open);
    if (!open->depth) {
        asm_record_error(records, endloop, diag, "endloop: no loop is open");
        return;
    }
    open->depth--;
    if (!loop)
        return;
    compute(records, endloop, "level", loop_level(records, loop), "the level of its loop is", diag);
    compute(records, endloop, "body", (uint64_t)(endloop - loop),
            "the number of operations since its loop, this one included, is", diag);
}

static void end_rules(const struct asm_records *records, struct diag *diag)
{
    const struct asm_record *last = &records->items[records->count - 1];
    for (const struct asm_record *r = records->items; r < last; r++)
        if (has_format(r, "end"))
            asm_record_error(records, r, diag, "end: operations follow; it must be the last one");
    if (last->format && !has_format(last, "end"))
        asm_record_error(records, last, diag, "%s: the last operation of a program must be end",
                         last->format->name);
}

static void program_rules(const struct asm_records *records, struct diag *diag)
{
    struct open_loops open = {.depth = 0};
    for (const struct asm_record *r = records->items; r < records->items + records->count; r++) {
        if (has_format(r, "loop"))
            open_loop(records, &open, r, diag);
        else if (has_format(r, "endloop"))
            close_loop(records, &open, r, diag);
    }
    for (size_t i = 0; i < open.depth && i < ISA_LOOP_LEVELS; i++)
        asm_record_error(records, open.loop[i], diag, "loop: no endloop ends it");
    end_rules(records, diag);
    compute(records, records->items, "operations", records->count - 1, "the number of operations is", diag);
}

void asm_rules_apply(struct asm_records *records, struct diag *diag)
{
    if (!records->count)
        return;
    if (!records->raw && records->type == &text_sections[TEXT_CONFIG])
        config_rules(records, diag);
    if (!records->raw && records->type == &text_sections[TEXT_PROGRAM])
        program_rules(records, diag);
    for (const struct asm_record *r = records->items; r < records->items + records->count; r++)
        if (has_check(r))
            seal(records, r, diag);
}
