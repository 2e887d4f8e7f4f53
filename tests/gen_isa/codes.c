/* SPDX-License-Identifier: Apache-2.0
 *
 * All commands and all instructions: which are legal is written down here
 * once more, bit by bit, and not taken from the table.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

/* Bits first..last of a word of `width` bits, bit 1 being the most significant one. */
static unsigned bits_of(unsigned word, unsigned width, unsigned first, unsigned last)
{
    return word >> (width - last) & ((1u << (last - first + 1)) - 1);
}

/* NULL for a legal command, else what a message about it must name. */
static const char *command_fault(unsigned word)
{
    bool exec = bits_of(word, 8, 1, 1);
    return exec || !bits_of(word, 8, 2, 3) ? NULL : "config: reserved bits 2 to 3";
}

static const char *ld_fault(unsigned word)
{
    unsigned target = bits_of(word, 12, 3, 4);
    if (target != 3 && bits_of(word, 12, 9, 10))
        return "ld: field \"acc\" exists only when \"target\" is 3";
    return bits_of(word, 12, 11, 12) ? "ld: reserved bits 11 to 12" : NULL;
}

static const char *st_fault(unsigned word)
{
    if (bits_of(word, 12, 3, 4))
        return "st: reserved bits 3 to 4";
    return bits_of(word, 12, 9, 12) ? "st: reserved bits 9 to 12" : NULL;
}

static const char *instruction_fault(unsigned word)
{
    switch (bits_of(word, 12, 1, 2)) {
    case 1:
        return ld_fault(word);
    case 2:
        return st_fault(word);
    default:
        return NULL;
    }
}

/* Text -> bits -> text -> bits, from the text of the word. */
static void survives(const struct strbuf *bytes, const struct disasm_options *options)
{
    struct strbuf first = {0}, second = {0}, again = {0}, messages = {0};
    expect_round_trip(bytes, options, &first);
    cr_assert(assemble(sb_text(&first), &again, &messages), "%s", sb_text(&messages));
    expect_round_trip(&again, options, &second);
    cr_assert_str_eq(sb_text(&first), sb_text(&second));
    sb_free(&first);
    sb_free(&second);
    sb_free(&again);
    sb_free(&messages);
}

static void is_refused(const struct strbuf *bytes, const struct disasm_options *options, const char *fault)
{
    struct strbuf text = {0}, messages = {0};
    cr_assert(!disassemble(bytes, options, &text, &messages));
    cr_assert(strstr(sb_text(&messages), fault), "\"%s\" does not say \"%s\"", sb_text(&messages), fault);
    cr_assert(strstr(sb_text(&messages), "test: error: offset 0x0: "), "%s", sb_text(&messages));
    sb_free(&text);
    sb_free(&messages);
}

static unsigned try_all(enum text_section_index section, unsigned words, size_t bytes_each,
                        const char *(*fault)(unsigned word))
{
    const struct disasm_options options = disassemble_as(section);
    unsigned legal = 0;
    for (unsigned word = 0; word < words; word++) {
        const char both[2] = {(char)(word & 0xFF), (char)(word >> 8)};
        struct strbuf bytes = {0};
        sb_addn(&bytes, both, bytes_each);
        if (fault(word)) {
            is_refused(&bytes, &options, fault(word));
        } else {
            survives(&bytes, &options);
            legal++;
        }
        sb_free(&bytes);
    }
    return legal;
}

Test(codes, all_256_commands)
{
    cr_expect_eq(try_all(TEXT_COMMANDS, 256, 1, command_fault), 160);
}

Test(codes, all_4096_instructions)
{
    cr_expect_eq(try_all(TEXT_INSTRUCTIONS, 4096, 2, instruction_fault), 2176);
}

static const char *above_12_bits(unsigned word)
{
    return word >> 12 ? "the 4 bits above its 12 must be 0" : instruction_fault(word);
}

Test(codes, an_instruction_has_nothing_above_its_12_bits)
{
    const struct disasm_options options = disassemble_as(TEXT_INSTRUCTIONS);
    for (unsigned bit = 12; bit < 16; bit++) {
        const char both[2] = {0, (char)(1u << (bit - 8))};
        struct strbuf bytes = {0};
        sb_addn(&bytes, both, sizeof both);
        is_refused(&bytes, &options, above_12_bits(1u << bit));
        sb_free(&bytes);
    }
}

/* The same words inside of a packet and of a configuration. */
Test(codes, nested_words_are_checked_alike)
{
    const struct disasm_options options = disassemble_as(TEXT_PACKETS);
    for (unsigned word = 0; word < 256; word++) {
        const char packet[8] = {(char)word, 0, 3, 0, 1, 0, 1, 0};
        struct strbuf bytes = {0};
        sb_addn(&bytes, packet, sizeof packet);
        if (command_fault(word))
            is_refused(&bytes, &options, "packet: field \"command\": config: reserved bits 2 to 3");
        else
            survives(&bytes, &options);
        sb_free(&bytes);
    }
}

/* What a packet's command may be as a number is what it may be as bits. */
Test(codes, nested_words_may_be_numbers)
{
    for (unsigned word = 0; word < 256; word++) {
        struct strbuf text = {0}, bytes = {0}, messages = {0};
        sb_addf(&text, ".packets\npacket command=0x%x\n", word);
        cr_assert_eq(assemble(sb_text(&text), &bytes, &messages), !command_fault(word), "0x%x", word);
        cr_assert(command_fault(word) || (uint8_t)*bytes.text == word);
        cr_assert(!command_fault(word) || strstr(sb_text(&messages), "field \"command\" is 0x"));
        sb_free(&text);
        sb_free(&bytes);
        sb_free(&messages);
    }
}
