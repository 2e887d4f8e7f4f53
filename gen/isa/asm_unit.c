/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory, numbers and messages: what every part of the assembler needs.
 */
#include "gen/isa/asm_unit.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"

void asm_out_of_memory(struct assembler *as)
{
    if (!as->stopped)
        diag_error(as->diag, as->lexer.token.at, "out of memory");
    as->stopped = true;
}

void asm_count_bytes(struct assembler *as, size_t bytes)
{
    as->bytes += bytes;
    if (as->bytes <= ASM_IMAGE_MAX || as->stopped)
        return;
    diag_error(as->diag, as->lexer.token.at, "the image becomes larger than %zu bytes", ASM_IMAGE_MAX);
    as->stopped = true;
}

void *asm_grow(struct assembler *as, void **items, size_t count, size_t *cap, size_t size)
{
    if (count == *cap) {
        size_t larger = *cap ? 2 * *cap : 16;
        void *moved = realloc(*items, larger * size);
        if (!moved) {
            asm_out_of_memory(as);
            return NULL;
        }
        *items = moved;
        *cap = larger;
    }
    return (char *)*items + count * size;
}

struct asm_section *asm_current(struct assembler *as)
{
    return as->section_count ? &as->sections[as->section_count - 1] : NULL;
}

void asm_unexpected(struct assembler *as, const char *what)
{
    struct strbuf quoted = {0};
    text_add_token(&quoted, &as->lexer.token);
    diag_error(as->diag, as->lexer.token.at, "%s, not %s", what, sb_text(&quoted));
    sb_free(&quoted);
}

bool asm_number(struct assembler *as, const char *what, uint64_t min, uint64_t max, uint64_t *value)
{
    const struct token token = as->lexer.token;
    const struct number number = text_parse_number(token.text);
    if (token.kind == TOKEN_NUMBER && number.valid && !number.too_large && !number.negative &&
        number.magnitude >= min && number.magnitude <= max) {
        *value = number.magnitude;
        lexer_next(&as->lexer);
        return true;
    }
    struct strbuf quoted = {0};
    text_add_token(&quoted, &token);
    diag_error(as->diag, token.at, "%s is %s; allowed %llu..%llu", what, sb_text(&quoted),
               (unsigned long long)min, (unsigned long long)max);
    sb_free(&quoted);
    return false;
}

/* Hexadecimal digits, the most significant first, into bytes. */
static bool hex_digits(struct slice digits, uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < digits.len; i++) {
        const char digit[] = {'0', 'x', digits.text[digits.len - 1 - i]};
        const struct number number = text_parse_number((struct slice){digit, sizeof digit});
        if (!number.valid || (number.magnitude && i / 2 >= len))
            return false;
        if (number.magnitude)
            bytes[i / 2] |= (uint8_t)(number.magnitude << (i % 2 * 4));
    }
    return digits.len > 0;
}

/* Whether bits from `bits` on are all 0. */
static bool fits(const uint8_t *bytes, size_t len, unsigned bits)
{
    for (size_t i = bits / 8; i < len; i++)
        if (i == bits / 8 ? bytes[i] >> bits % 8 : bytes[i])
            return false;
    return true;
}

static bool is_raw_number(const struct token *token, uint8_t wide[ISA_STATUS_BYTES])
{
    const struct slice text = token->text;
    if (token->kind != TOKEN_NUMBER)
        return false;
    if (text.len > 2 && text.text[0] == '0' && text.text[1] == 'x')
        return hex_digits((struct slice){text.text + 2, text.len - 2}, wide, ISA_STATUS_BYTES);
    const struct number number = text_parse_number(text);
    isa_put_bits(wide, 0, 64, number.magnitude);
    return number.valid && !number.negative && !number.too_large;
}

bool asm_raw_number(struct assembler *as, uint8_t *bytes, size_t len, unsigned bits)
{
    const struct token token = as->lexer.token;
    uint8_t wide[ISA_STATUS_BYTES] = {0};
    const bool ok = is_raw_number(&token, wide) && fits(wide, sizeof wide, bits);
    lexer_next(&as->lexer);
    memcpy(bytes, wide, len);
    if (ok)
        return true;
    struct strbuf quoted = {0};
    text_add_token(&quoted, &token);
    diag_error(as->diag, token.at, "a number of at most %u bits is expected here, not %s", bits,
               sb_text(&quoted));
    sb_free(&quoted);
    return false;
}

struct asm_record *asm_add_record(struct assembler *as, struct place at)
{
    struct asm_section *section = asm_current(as);
    struct asm_record *record = asm_records_add(&section->records, section->records.type->word_bytes);
    if (!record) {
        asm_out_of_memory(as);
        return NULL;
    }
    record->at = at;
    asm_count_bytes(as, section->records.type->word_bytes);
    return record;
}
