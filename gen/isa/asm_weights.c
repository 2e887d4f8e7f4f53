/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of a .weights section: entries as they are, and segments as
 * lists of index:value. Each says which PE's stream it continues.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/isa/asm_unit.h"
#include "gen/isa/codec.h"

/* ---- what a statement begins with ------------------------------------------------------------ */

/* A comma, unless the statement ends here. */
static bool next_item(struct assembler *as)
{
    if (lexer_at_line_end(&as->lexer))
        return true;
    if (!lexer_at(&as->lexer, ',')) {
        asm_unexpected(as, "a comma is expected here");
        return false;
    }
    lexer_next(&as->lexer);
    return true;
}

/* `name=number`, which must come next. */
static bool parse_setting(struct assembler *as, const char *name, uint64_t min, uint64_t max, uint64_t *value)
{
    char what[48];
    snprintf(what, sizeof what, "%s=... is expected here", name);
    if (as->lexer.token.kind != TOKEN_WORD || !slice_is(as->lexer.token.text, name)) {
        asm_unexpected(as, what);
        return false;
    }
    lexer_next(&as->lexer);
    if (!lexer_at(&as->lexer, '=')) {
        asm_unexpected(as, what);
        return false;
    }
    lexer_next(&as->lexer);
    return asm_number(as, name, min, max, value);
}

/* `pe=number`; a cluster of one PE needs none. */
static bool parse_pe(struct assembler *as, unsigned *pe)
{
    const unsigned pes = asm_current(as)->layout.pes;
    const bool given = as->lexer.token.kind == TOKEN_WORD && slice_is(as->lexer.token.text, "pe");
    uint64_t value = 0;
    *pe = 0;
    if (pes == 1 && !given)
        return true;
    if (!parse_setting(as, "pe", 0, pes - 1, &value) || !next_item(as))
        return false;
    *pe = (unsigned)value;
    return true;
}

/* ---- segments -------------------------------------------------------------------------------- */

struct segment {
    uint32_t *indices;
    int32_t *values;
    size_t count, index_cap, value_cap;
};

static bool parse_value(struct assembler *as, int32_t *value)
{
    const unsigned bits = asm_current(as)->layout.widths.data;
    const struct token token = as->lexer.token;
    const struct number number = text_parse_number(token.text);
    const uint64_t half = (uint64_t)1 << (bits - 1);
    if (token.kind != TOKEN_NUMBER || !number.valid) {
        asm_unexpected(as, "a weight's value is expected here");
        return false;
    }
    if (number.too_large || number.magnitude > (number.negative ? half : half - 1)) {
        struct strbuf text = {0};
        text_add_token(&text, &token);
        diag_error(as->diag, token.at, "segment: value %s does not fit; allowed -%llu..%llu", sb_text(&text),
                   (unsigned long long)half, (unsigned long long)half - 1);
        sb_free(&text);
    } else {
        *value = number.negative ? -(int32_t)number.magnitude : (int32_t)number.magnitude;
    }
    lexer_next(&as->lexer);
    return true;
}

/* index:value. The numbers stay 0 after an error that leaves the rest of the line readable. */
static bool parse_pair(struct assembler *as, struct segment *segment)
{
    const struct place at = as->lexer.token.at;
    uint64_t index = 0;
    int32_t value = 0;
    if (!asm_number(as, "a weight's index", 0, WEIGHTS_INDEX_MAX, &index))
        return false;
    if (!lexer_at(&as->lexer, ':')) {
        asm_unexpected(as, "weights are written index:value; a : is expected here");
        return false;
    }
    lexer_next(&as->lexer);
    if (!parse_value(as, &value))
        return false;
    if (segment->count && index <= segment->indices[segment->count - 1])
        diag_error(as->diag, at, "segment: index %llu follows index %u; indices must ascend",
                   (unsigned long long)index, segment->indices[segment->count - 1]);
    uint32_t *indices = asm_grow(as, (void **)&segment->indices, segment->count, &segment->index_cap,
                                 sizeof *segment->indices);
    int32_t *values =
        asm_grow(as, (void **)&segment->values, segment->count, &segment->value_cap, sizeof *segment->values);
    if (!indices || !values)
        return false;
    *indices = (uint32_t)index;
    *values = value;
    segment->count++;
    return true;
}

static bool parse_pairs(struct assembler *as, struct segment *segment)
{
    while (!lexer_at_line_end(&as->lexer)) {
        if (!parse_pair(as, segment) || !next_item(as))
            return false;
    }
    return true;
}

static void segment_statement(struct assembler *as, struct weights_stream *stream)
{
    const size_t errors = as->diag->errors;
    struct segment segment = {0};
    if (parse_pairs(as, &segment) && as->diag->errors == errors)
        weights_add_segment(stream, &asm_current(as)->code, segment.indices, segment.values, segment.count);
    free(segment.indices);
    free(segment.values);
}

static void empty_statement(struct assembler *as, struct weights_stream *stream)
{
    uint64_t count = 1;
    if (!lexer_at_line_end(&as->lexer) && !parse_setting(as, "count", 1, UINT32_MAX, &count))
        return;
    weights_add_empty(stream, count);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void add_entry(struct assembler *as, unsigned pe, const uint8_t *bytes)
{
    struct asm_section *section = asm_current(as);
    const uint32_t entry = (uint32_t)isa_get_bits(bytes, 0, 32);
    weights_add_entry(&section->streams[pe], &section->code, entry);
    section->inside[pe] = weights_stays_inside(&section->code, entry, section->inside[pe]);
}

static void entry_statement(struct assembler *as, const struct isa_format *format, unsigned pe)
{
    uint8_t bytes[8] = {0};
    struct asm_fields fields = {.family = &isa_weight,
                                .format = format,
                                .widths = asm_current(as)->layout.widths,
                                .bytes = bytes,
                                .no_references = true};
    if (asm_fields_parse(as, &fields, 0))
        add_entry(as, pe, bytes);
}

void asm_weights_word(struct assembler *as)
{
    unsigned pe;
    uint8_t bytes[8] = {0};
    if (parse_pe(as, &pe) && asm_raw_number(as, bytes, sizeof bytes, asm_current(as)->code.entry_bits))
        add_entry(as, pe, bytes);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void report_unknown(struct assembler *as, const struct token *mnemonic)
{
    struct strbuf quoted = {0};
    slice_add_quoted(&quoted, mnemonic->text);
    diag_error(as->diag, mnemonic->at,
               "no statement %s in a .weights section; there are segment, empty, weight, escape, "
               "long_jump",
               sb_text(&quoted));
    sb_free(&quoted);
}

static void list_statement(struct assembler *as, const struct token *mnemonic, unsigned pe)
{
    struct asm_section *section = asm_current(as);
    if (section->inside[pe])
        diag_error(as->diag, mnemonic->at,
                   "the segment before, written as entries, has not ended: its last weight needs \"last\"");
    section->inside[pe] = false;
    if (slice_is(mnemonic->text, "segment"))
        segment_statement(as, &section->streams[pe]);
    else
        empty_statement(as, &section->streams[pe]);
}

/* Bytes that the section comes to if this PE's stream is the longest. */
static void limit_stream(struct assembler *as, const struct weights_stream *stream)
{
    const struct asm_section *section = asm_current(as);
    const uint64_t entries = stream->count + stream->empty / ((uint64_t)section->code.payload_max + 1);
    if (stream->failed)
        asm_out_of_memory(as);
    else if (entries > ASM_IMAGE_MAX ||
             entries * section->code.entry_bits / 8 * section->layout.pes > ASM_IMAGE_MAX)
        asm_count_bytes(as, ASM_IMAGE_MAX + 1);
}

void asm_weights_statement(struct assembler *as, struct token mnemonic)
{
    const char *name = slice_is(mnemonic.text, "segment") || slice_is(mnemonic.text, "empty") ? "" : NULL;
    const struct isa_format *format = NULL;
    for (const struct isa_format *f = isa_weight.formats; f->name && !format; f++)
        if (slice_is(mnemonic.text, f->name))
            format = f;
    unsigned pe;
    if (!name && !format) {
        report_unknown(as, &mnemonic);
        return;
    }
    if (!parse_pe(as, &pe))
        return;
    if (format)
        entry_statement(as, format, pe);
    else
        list_statement(as, &mnemonic, pe);
    limit_stream(as, &asm_current(as)->streams[pe]);
}

void asm_weights_finish(struct assembler *as, struct asm_section *section)
{
    for (unsigned pe = 0; pe < section->layout.pes; pe++) {
        weights_finish(&section->streams[pe], &section->code);
        if (section->streams[pe].failed) {
            asm_out_of_memory(as);
            return;
        }
    }
    asm_count_bytes(as,
                    weights_beats(&section->layout, section->streams) * weights_beat_bytes(&section->layout));
    if (!as->stopped && !weights_pack(&section->layout, section->streams, &section->records.bytes))
        asm_out_of_memory(as);
}
