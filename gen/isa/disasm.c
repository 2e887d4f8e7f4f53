/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/disasm.h"

#include "gen/isa/codec.h"
#include "gen/isa/disasm_unit.h"

/* Records taken at a time: a bound on memory. */
#define WORDS_AT_ONCE 4096

static void words(struct disassembler *d, const struct text_section *type)
{
    const size_t total = d->len / type->word_bytes;
    sb_addf(d->to, ".%s\n", type->name);
    for (size_t i = 0; i < total && !disasm_stops(d); i += WORDS_AT_ONCE) {
        const size_t count = total - i < WORDS_AT_ONCE ? total - i : WORDS_AT_ONCE;
        struct diag problems = {.errors = 0};
        struct asm_records records;
        struct diag *diag = disasm_sink(d, &problems);
        disasm_take_records(d, type, i * type->word_bytes, count, &records, diag);
        disasm_verify_records(&records, diag);
        disasm_add_raw_records(d->to, &records);
        asm_records_free(&records);
        diag_free(&problems);
    }
    disasm_add_rest(d, type, total * type->word_bytes);
}

static void configs(struct disassembler *d)
{
    size_t offset = 0;
    for (unsigned i = 0; d->len - offset >= ISA_CONFIG_RECORD_BYTES && !disasm_stops(d); i++) {
        char name[32];
        snprintf(name, sizeof name, "cfg%u", i);
        offset = disasm_config(d, offset, name);
    }
    disasm_add_rest(d, &text_sections[TEXT_CONFIG], offset);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct text_section *guess(const struct strbuf *bytes)
{
    const struct isa_field *magic = isa_program.formats->fields;
    const unsigned bits = isa_field_bits(magic, isa_int8_widths);
    if (bytes->len < bits / 8 || isa_get_bits((const uint8_t *)bytes->text, 0, bits) != magic->min)
        return NULL;
    return &text_sections[TEXT_PROGRAM];
}

bool disasm(const char *file, const struct strbuf *bytes, const struct disasm_options *options,
            struct strbuf *to, struct diag *diag)
{
    struct disassembler d = {file, (const uint8_t *)bytes->text, bytes->len, options, to, diag};
    const struct text_section *as = options->as ? options->as : guess(bytes);
    if (!bytes->len)
        diag_error(diag, (struct place){.file = file}, "the file is empty");
    else if (!as)
        diag_error(diag, (struct place){.file = file},
                   "this is not a program, which begins with TULP; say what it is with --as");
    else if (as == &text_sections[TEXT_PROGRAM])
        disasm_program(&d);
    else if (as == &text_sections[TEXT_CONFIG])
        configs(&d);
    else if (as == &text_sections[TEXT_WEIGHTS])
        disasm_weights(&d);
    else
        words(&d, as);
    if (!sb_ok(to))
        diag_error(diag, (struct place){.file = file}, "out of memory");
    return !diag->errors;
}
