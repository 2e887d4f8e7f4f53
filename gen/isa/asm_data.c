/* SPDX-License-Identifier: Apache-2.0
 *
 * .word, .byte and .zero: what is taken as it is.
 */
#include <string.h>

#include "gen/isa/asm_unit.h"

static void word(struct assembler *as)
{
    struct asm_section *section = asm_current(as);
    const struct text_section *type = section->records.type;
    const struct token token = as->lexer.token;
    uint8_t bytes[ISA_STATUS_BYTES] = {0};
    if (type == &text_sections[TEXT_WEIGHTS]) {
        asm_weights_word(as);
        return;
    }
    if (!asm_raw_number(as, bytes, type->word_bytes, 8 * type->word_bytes))
        return;
    if (!type->families[0]) {
        sb_addn(&section->records.bytes, (const char *)bytes, type->word_bytes);
        asm_count_bytes(as, type->word_bytes);
        return;
    }
    if (type->header && !section->records.count)
        section->records.raw = true;
    const struct asm_record *record = asm_add_record(as, token.at);
    if (record)
        memcpy(asm_record_bytes(&section->records, record), bytes, type->word_bytes);
}

static void byte(struct assembler *as)
{
    uint8_t value = 0;
    if (!asm_raw_number(as, &value, 1, 8))
        return;
    sb_addn(&asm_current(as)->records.bytes, (const char *)&value, 1);
    asm_count_bytes(as, 1);
}

static void zero(struct assembler *as)
{
    static const char zeros[4096];
    uint64_t count = 0;
    if (!asm_number(as, ".zero", 0, ASM_IMAGE_MAX, &count))
        return;
    asm_count_bytes(as, count);
    for (; count && !as->stopped; count -= count < sizeof zeros ? count : sizeof zeros)
        sb_addn(&asm_current(as)->records.bytes, zeros, count < sizeof zeros ? count : sizeof zeros);
}

static const struct {
    const char *name;
    void (*item)(struct assembler *as); /* reads one item of the list */
    bool data_only;
} data_directives[] = {{".word", word, false}, {".byte", byte, true}, {".zero", zero, true}};

/* A list of items, separated by commas. */
static void data_list(struct assembler *as, size_t which, struct place at)
{
    const struct text_section *type = asm_current(as)->records.type;
    if (data_directives[which].data_only && type != &text_sections[TEXT_DATA]) {
        diag_error(as->diag, at, "%s is only possible in a .data section", data_directives[which].name);
        return;
    }
    const size_t errors = as->diag->errors;
    data_directives[which].item(as);
    while (lexer_at(&as->lexer, ',') && !as->stopped && as->diag->errors == errors) {
        lexer_next(&as->lexer);
        data_directives[which].item(as);
    }
}

bool asm_data_line(struct assembler *as, const struct token *directive)
{
    for (size_t i = 0; i < sizeof data_directives / sizeof *data_directives; i++) {
        if (!slice_is(directive->text, data_directives[i].name))
            continue;
        if (asm_current(as))
            data_list(as, i, directive->at);
        else
            diag_error(as->diag, directive->at, "%s before the first section", data_directives[i].name);
        return true;
    }
    return false;
}
