/* SPDX-License-Identifier: Apache-2.0
 *
 * The examples of docs/isa.md. The codec computes their bits, so they agree with the table of encodings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen/emit/isa_doc.h"
#include "gen/emit/isa_header.h"

/* A record under construction. */
struct record {
    const struct isa_family *family;
    const struct isa_format *format;
    uint8_t bytes[ISA_CONFIG_RECORD_BYTES];
};

static void put(struct record *record, const char *name, uint64_t value)
{
    const struct isa_field *field = isa_find_field(record->format, name);
    isa_put_bits(record->bytes, isa_field_lsb(record->family, record->format, field, isa_int8_widths),
                 isa_field_bits(field, isa_int8_widths), value);
}

static struct record begin(const struct isa_family *family, const char *format)
{
    struct record record = {.family = family, .format = isa_find_format(family, format)};
    for (const struct isa_field *f = record.format->fields; isa_is_field(f); f++)
        if (f->kind == ISA_CONST)
            put(&record, f->name, isa_const_value(f, isa_int8_widths));
    return record;
}

static uint64_t word(const struct record *record)
{
    return isa_get_bits(record->bytes, 0, isa_family_bits(record->family, isa_int8_widths));
}

/* "1 1 0 00011": the bits, field by field, from the most significant one. */
static void add_bits(struct strbuf *to, const struct record *record)
{
    for (const struct isa_field *f = record->format->fields; isa_is_field(f); f++) {
        unsigned lsb = isa_field_lsb(record->family, record->format, f, isa_int8_widths);
        sb_add(to, f == record->format->fields ? "" : " ");
        for (unsigned bit = isa_field_bits(f, isa_int8_widths); bit-- > 0;)
            sb_add(to, isa_get_bits(record->bytes, lsb + bit, 1) ? "1" : "0");
    }
}

static void add_hex(struct strbuf *to, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sb_addf(to, "%s%02x", i ? " " : "", bytes[i]);
}

void isa_doc_command_example(struct strbuf *to)
{
    struct record exec = begin(&isa_command, "exec");
    put(&exec, "shift_out", 1);
    put(&exec, "buffer", 3);
    sb_add(to, "Example: run buffer 3 and send the results to the collector: `");
    add_bits(to, &exec);
    sb_addf(to, "`, 0x%02" PRIX64 ".\n", word(&exec));
}

static struct record example_mac(void)
{
    struct record mac = begin(&isa_instruction, "mac");
    put(&mac, "balance", 1);
    put(&mac, "base", 2);
    put(&mac, "keep", 1);
    return mac;
}

void isa_doc_instruction_example(struct strbuf *to)
{
    struct record mac = example_mac();
    sb_add(to, "Example: a MAC on block 2 with balancing, whose sum is written to its entry: `");
    add_bits(to, &mac);
    sb_addf(to, "`, 0x%03" PRIX64 ".\n", word(&mac));
}

static struct record config_instruction(const struct record *instruction)
{
    struct record record = begin(&isa_config, "config_instruction");
    put(&record, "instruction", word(instruction));
    return record;
}

void isa_doc_config_example(struct strbuf *to)
{
    enum { RECORDS = 3 };
    static const char *const notes[RECORDS] = {"header: two instructions, blocks of 64",
                                               "LD into the input buffer, 64 further on each time",
                                               "MAC on block 2, result address up by 1 each time"};
    struct record ld = begin(&isa_instruction, "ld"), mac = example_mac();
    struct record records[RECORDS] = {begin(&isa_config, "config_header"), config_instruction(&ld),
                                      config_instruction(&mac)};
    put(&records[0], "version", ISA_MAJOR);
    put(&records[0], "instructions", RECORDS - 1);
    put(&records[0], "block", 64);
    put(&records[1], "stride", 64);
    put(&records[2], "result_stride", 1);
    uint8_t payload[RECORDS * ISA_CONFIG_RECORD_BYTES];
    for (size_t i = 0; i < RECORDS; i++)
        memcpy(payload + i * ISA_CONFIG_RECORD_BYTES, records[i].bytes, ISA_CONFIG_RECORD_BYTES);
    isa_seal(&isa_config, records[0].format, payload, sizeof payload, 0);
    sb_add(to, "```text\n");
    for (size_t i = 0; i < RECORDS; i++) {
        add_hex(to, payload + i * ISA_CONFIG_RECORD_BYTES, ISA_CONFIG_RECORD_BYTES);
        sb_addf(to, "  %s\n", notes[i]);
    }
    sb_add(to, "```\n");
}

/* ---- the weight stream ----------------------------------------------------------------------- */

struct weight {
    unsigned index;
    int value;
};

static void add_entry(struct strbuf *to, const struct record *record, unsigned before, const char *meaning)
{
    sb_addf(to, "| %u | ", before);
    add_hex(to, record->bytes, isa_family_bits(record->family, isa_int8_widths) / 8);
    sb_addf(to, " | %s |\n", meaning);
}

/* Escapes until the gap to `index` fits; returns the new position. */
static unsigned add_jumps(struct strbuf *to, unsigned position, unsigned index)
{
    struct record jump = begin(&isa_weight, "escape");
    const struct isa_field *gap = isa_find_field(jump.format, "gap");
    unsigned step = 1u << (isa_int8_widths.index - 2),
             largest = (unsigned)isa_const_value(gap, isa_int8_widths);
    unsigned steps = (index - position) / step;
    if (index - position < largest)
        return position;
    char meaning[80];
    put(&jump, "escape", isa_find_value_named(isa_find_field(jump.format, "escape")->values, "jump")->value);
    put(&jump, "payload", steps - 1);
    snprintf(meaning, sizeof meaning, "jump, payload %u: forward by %u x %u", steps - 1, steps, step);
    add_entry(to, &jump, position, meaning);
    return position + steps * step;
}

static unsigned add_weight(struct strbuf *to, unsigned position, struct weight weight, bool last)
{
    char meaning[80];
    struct record entry = begin(&isa_weight, "weight");
    position = add_jumps(to, position, weight.index);
    put(&entry, "value", (uint64_t)(int64_t)weight.value);
    put(&entry, "gap", weight.index - position);
    put(&entry, "last", last);
    snprintf(meaning, sizeof meaning, "value %d, gap %u: index %u%s", weight.value, weight.index - position,
             weight.index, last ? ", last of the segment" : "");
    add_entry(to, &entry, position, meaning);
    return weight.index + 1;
}

static void add_escape(struct strbuf *to, const char *kind, const char *meaning)
{
    struct record escape = begin(&isa_weight, "escape");
    const struct isa_field *field = isa_find_field(escape.format, "escape");
    put(&escape, "escape", isa_find_value_named(field->values, kind)->value);
    add_entry(to, &escape, 0, meaning);
}

void isa_doc_weight_example(struct strbuf *to)
{
    static const struct weight row[] = {{3, 5}, {4, -2}, {260, 7}};
    enum { COUNT = sizeof row / sizeof *row };
    unsigned position = 0;
    sb_add(to, "| position before | bytes | meaning |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < COUNT; i++)
        position = add_weight(to, position, row[i], i + 1 == COUNT);
    add_escape(to, "end", "end, payload 0: one segment without a non-zero");
    add_escape(to, "skip", "skip: padding, another PE's stream is longer");
}
