/* SPDX-License-Identifier: Apache-2.0
 *
 * What the disassembler prints and refuses, and what the lenient one makes of
 * broken input.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

static struct strbuf assembled(const char *text)
{
    struct strbuf bytes = {0}, messages = {0};
    cr_assert(assemble(text, &bytes, &messages), "%s", sb_text(&messages));
    sb_free(&messages);
    return bytes;
}

static void expect_text(struct strbuf *bytes, const struct disasm_options *options, const char *want)
{
    struct strbuf text = {0}, messages = {0};
    cr_assert(disassemble(bytes, options, &text, &messages), "%s", sb_text(&messages));
    cr_expect_str_eq(sb_text(&text), want);
    sb_free(bytes);
    sb_free(&text);
    sb_free(&messages);
}

static void expect_refused(struct strbuf *bytes, const struct disasm_options *options, const char *want)
{
    struct strbuf text = {0}, messages = {0};
    cr_expect(!disassemble(bytes, options, &text, &messages));
    cr_expect_str_eq(sb_text(&messages), want);
    sb_free(bytes);
    sb_free(&text);
    sb_free(&messages);
}

static const struct disasm_options as_guessed = {.layout = {.widths = {8, 8}, .pes = 8, .entries = 1}};

/* ---- what is printed ------------------------------------------------------------------------- */

Test(disassembler, prints_a_program_with_names_for_its_data)
{
    const char *text =
        ".program\n"
        "    program watchdog=0x186a0\n"
        "    load signal_a, signal_a_token=1, rows=3, slot=program, offset=@cfg0, length=@cfg0.length\n"
        "    load slot=program, offset=@data0, length=3\n"
        "    load slot=input, offset=320\n"
        "    loop iterations=4\n"
        "    loop level=2\n"
        "    distribute rows=1, command=exec(last, buffer=3), run_pitch=-2\n"
        "    endloop level=2\n"
        "    endloop\n"
        "    end\n"
        "\n"
        ".config cfg0\n"
        "    config_header queue=rq, pipeline=fixed, block=64\n"
        "    config_instruction instruction=ld(target=input), wrap=128\n"
        "    config_function function=relu, element=int8, rounding=up\n"
        "\n"
        ".data data0\n"
        "    .word 0x00000001, 0x00000002\n"
        "    .zero 40\n"
        "    .word 0x00000003\n"
        "    .byte 0x04, 0x05\n";
    struct strbuf bytes = assembled(text);
    expect_text(&bytes, &as_guessed, text);
}

Test(disassembler, finds_unaligned_data_behind_a_configuration)
{
    const char *text = ".program\n"
                       "    program\n"
                       "    end\n"
                       "\n"
                       ".config cfg0\n"
                       "    config_header queue=sq, pipeline=fixed\n"
                       "    config_instruction instruction=mac()\n"
                       "\n"
                       ".data data0, align=1\n"
                       "    .byte 0x01\n"
                       "\n"
                       ".config cfg1\n"
                       "    config_header queue=sq, pipeline=fixed\n"
                       "    config_instruction instruction=mac()\n";
    struct strbuf bytes = assembled(text);
    struct strbuf padded = {0}, again = {0};
    sb_addn(&padded, bytes.text, bytes.len);
    sb_addn(&padded, "\0\0\0\0\0\0\0", 7);
    expect_round_trip(&padded, &as_guessed, &again);
    cr_expect(strstr(sb_text(&again), "    .word 0x00000000\n    .byte 0x00, 0x00, 0x00\n"), "%s",
              sb_text(&again));
    sb_free(&padded);
    sb_free(&again);
    sb_free(&bytes);
}

Test(disassembler, prints_weights_as_segments_and_entries)
{
    const char *text = ".weights data=8, index=8, pes=2, entries=2\n"
                       "    segment pe=0, 0:1, 5:-1, 1000:127\n"
                       "    empty pe=0, count=3\n"
                       "    escape pe=1, payload=1, escape=skip\n"
                       "    weight pe=1, value=3\n"
                       "    escape pe=1, payload=2, escape=line\n"
                       "    weight pe=1, value=4, gap=7, last\n"
                       "    segment pe=1, 2:2\n";
    struct strbuf bytes = assembled(text);
    struct disasm_options options = disassemble_as(TEXT_WEIGHTS);
    options.layout = (struct weights_layout){{8, 8}, 2, 2, 0};
    expect_text(&bytes, &options, text);
    /* A cluster of one PE needs no number. */
    const char *one =
        ".weights data=8, index=8, pes=1, entries=1, beat=4\n    segment 0:1\n    empty count=32\n"
        "    empty count=1\n    weight value=0, gap=1\n";
    bytes = assembled(one);
    options.layout = (struct weights_layout){{8, 8}, 1, 1, 4};
    expect_text(&bytes, &options,
                ".weights data=8, index=8, pes=1, entries=1, beat=4\n    segment 0:1\n    empty count=32\n"
                "    empty count=1\n    weight gap=1\n");
}

/* Skips at the end of every stream are beats of their own. */
Test(disassembler, keeps_the_number_of_beats)
{
    struct disasm_options options = disassemble_as(TEXT_WEIGHTS);
    options.layout = (struct weights_layout){{8, 8}, 2, 1, 0};
    struct strbuf bytes = {0}, text = {0};
    sb_addn(&bytes, "\x01\x80\x01\x80\0\x7f\0\x7f\0\x7f\0\x7f", 12);
    expect_round_trip(&bytes, &options, &text);
    cr_expect_str_eq(sb_text(&text), ".weights data=8, index=8, pes=2, entries=1\n    segment pe=0, 0:1\n"
                                     "    escape pe=0, escape=skip\n    escape pe=0, escape=skip\n"
                                     "    segment pe=1, 0:1\n");
    sb_free(&bytes);
    sb_free(&text);
}

/* ---- what is refused ------------------------------------------------------------------------- */

Test(disassembler, refuses_what_it_does_not_know)
{
    struct strbuf bytes = {0};
    expect_refused(&bytes, &as_guessed, "test: error: the file is empty\n");
    sb_add(&bytes, "TULPE");
    expect_refused(&bytes, &as_guessed,
                   "test: error: offset 0x0: the last word is cut off: 5 of its 64 bytes "
                   "are there\n");
    sb_add(&bytes, "ELF");
    expect_refused(&bytes, &as_guessed,
                   "test: error: this is not a program, which begins with TULP; say what it is with --as\n");
}

Test(disassembler, reports_every_illegal_word_with_its_offset)
{
    struct disasm_options options = disassemble_as(TEXT_INSTRUCTIONS);
    struct strbuf bytes = {0};
    sb_addn(&bytes, "\x59\x02\x01\x08\x04\x06\x00\x10\x00", 9);
    expect_refused(
        &bytes, &options,
        "test: error: offset 0x2: st: reserved bits 9 to 12 must be 0, not 1\n"
        "test: error: offset 0x4: ld: field \"acc\" exists only when \"target\" is 3; otherwise reserved "
        "bits 9 to 10 must be 0, not 1\n"
        "test: error: offset 0x6: instruction: the 4 bits above its 12 must be 0\n"
        "test: error: offset 0x8: the last word is cut off: 1 of its 2 bytes are there\n");
}

static const char small_program[] = ".program\nprogram\nload rows=1, length=64\nend\n";

/* The small program with a byte changed is refused with this message. */
static void expect_program_refused(size_t at, uint8_t value, const char *want)
{
    struct strbuf bytes = assembled(small_program);
    bytes.text[at] = (char)value;
    expect_refused(&bytes, &as_guessed, want);
}

Test(disassembler, refuses_broken_programs)
{
    expect_program_refused(72, 1,
                           "test: error: offset 0x40: load: field \"check\" is 0x54544c0f, but the check "
                           "comes to 0x54544c0e\n");
    expect_program_refused(64, 9,
                           "test: error: offset 0x40: operation: field \"opcode\" is 9, which is not "
                           "defined\n");
    expect_program_refused(16, 3,
                           "test: error: offset 0x0: program: field \"operations\" is 3, but there are "
                           "bytes for 2\n"
                           "test: error: offset 0x0: program: field \"operations\" is 3, but the number "
                           "of operations is 2\n"
                           "test: error: offset 0x0: program: field \"check\" is 0x04191b1b, but the "
                           "check comes to 0x04191b1a\n");
    expect_program_refused(4, 2, "test: error: offset 0x0: program: field \"major\" is 2; allowed 1..1\n");
}

Test(disassembler, refuses_structures_that_the_assembler_refuses)
{
    struct strbuf bytes = assembled(".program\n.word 0x1\nloop\nend\nfence\n");
    struct strbuf header = assembled(".program\nprogram\nfence\nfence\nend\n");
    memcpy(bytes.text, header.text, 64);
    sb_free(&header);
    expect_refused(&bytes, &as_guessed,
                   "test: error: offset 0x40: loop: no endloop ends it\n"
                   "test: error: offset 0x80: end: operations follow; it must be the last one\n"
                   "test: error: offset 0xc0: fence: the last operation of a program must be end\n");
}

Test(disassembler, refuses_broken_configurations)
{
    const struct disasm_options options = disassemble_as(TEXT_CONFIG);
    const char *text = ".config\nconfig_header\nconfig_instruction\nconfig_instruction\n";
    struct strbuf bytes = assembled(text);
    bytes.text[16] = 3;
    expect_refused(
        &bytes, &options,
        "test: error: offset 0x20: config_instruction: instruction records come before function "
        "records\n"
        "test: error: offset 0x0: config_header: field \"instructions\" is 2, but the number of "
        "instruction records is 1\n"
        "test: error: offset 0x0: config_header: field \"functions\" is 0, but the number of function "
        "records is 1\n"
        "test: error: offset 0x0: config_header: field \"check\" is 0x54554e49, but the check comes to "
        "0x54554e48\n");
    bytes = assembled(text);
    bytes.len = 32;
    expect_refused(&bytes, &options,
                   "test: error: offset 0x0: config_header: more records follow than there are bytes for\n");
}

Test(disassembler, refuses_broken_weights)
{
    struct disasm_options options = disassemble_as(TEXT_WEIGHTS);
    struct strbuf bytes = {0};
    options.layout = (struct weights_layout){{8, 8}, 2, 1, 5};
    sb_addn(&bytes, "\0\0\x80\x7f\1\0\0\0\0\0\0", 11);
    expect_refused(
        &bytes, &options,
        "test: error: offset 0xa: the last beat is cut off: 1 of its 5 bytes are there\n"
        "test: error: offset 0x0: PE 1, entry 0 of the beat: escape: field \"escape\" is 4, which is "
        "not defined; one of skip (0), jump (1), end (2), line (3)\n"
        "test: error: offset 0x0: the bits above the last PE's entries must be 0\n");
}

/* ---- the lenient disassembler ---------------------------------------------------------------- */

/* What it prints of anything assembles to the same bytes. */
static void expect_lenient(struct strbuf *bytes, struct disasm_options options, const char *part)
{
    struct strbuf text = {0};
    options.lenient = true;
    expect_round_trip(bytes, &options, &text);
    cr_expect(strstr(sb_text(&text), part), "%s\nhas no\n%s", sb_text(&text), part);
    sb_free(&text);
    sb_free(bytes);
}

Test(disassembler, lenient_prints_words_with_the_reason)
{
    struct strbuf bytes = {0};
    sb_addn(&bytes, "\x59\x02\x01\x08\xff\xff\x01", 7);
    expect_lenient(&bytes, disassemble_as(TEXT_INSTRUCTIONS),
                   ".instructions\n"
                   "    mac balance, base=5, acc=2, keep\n"
                   "    .word 0x0801 # st: reserved bits 9 to 12 must be 0, not 1\n"
                   "    .word 0xffff # instruction: the 4 bits above its 12 must be 0\n"
                   ".data align=1 # the last word of a .instructions section, which has 2 bytes, is cut off\n"
                   "    .byte 0x01\n");
    bytes = assembled(small_program);
    bytes.text[72] = 1;
    expect_lenient(&bytes, as_guessed, "# load: the check is wrong\n    end\n");
    bytes = assembled(small_program);
    bytes.text[4] = 9;
    expect_lenient(&bytes, as_guessed, "field \"major\" is 9");
    bytes = assembled(".config\nconfig_header\nconfig_instruction address=3\n");
    bytes.text[12] ^= 1;
    expect_lenient(&bytes, disassemble_as(TEXT_CONFIG),
                   "\n    config_instruction instruction=mac(), address=3\n");
    bytes = assembled(".status\nstatus job=5\n");
    bytes.text[20] = 1;
    expect_lenient(&bytes, disassemble_as(TEXT_STATUS), "# status: the check is wrong\n");
}

Test(disassembler, lenient_survives_random_bytes)
{
    static const enum text_section_index kinds[] = {TEXT_PROGRAM,      TEXT_CONFIG,  TEXT_COMMANDS,
                                                    TEXT_INSTRUCTIONS, TEXT_PACKETS, TEXT_STATUS};
    struct random random = {21};
    for (unsigned round = 0; round < 3000; round++) {
        struct strbuf bytes = {0};
        for (uint64_t len = random_below(&random, 300) + 1; len; len--) {
            const char byte =
                (char)(random_chance(&random, 50) ? random_next(&random) : random_below(&random, 4));
            sb_addn(&bytes, &byte, 1);
        }
        expect_lenient(&bytes, disassemble_as(kinds[round % 6]), "");
    }
}

Test(disassembler, lenient_survives_damaged_programs)
{
    struct random random = {22};
    for (unsigned round = 0; round < 2000; round++) {
        struct strbuf bytes = {0};
        random_program(&random, &bytes);
        for (uint64_t flips = random_below(&random, 4) + 1; flips; flips--)
            bytes.text[random_below(&random, bytes.len)] ^= (char)(1u << random_below(&random, 7));
        if (random_chance(&random, 20))
            bytes.len = random_below(&random, bytes.len) + 1;
        expect_lenient(&bytes, disassemble_as(TEXT_PROGRAM), "");
    }
}
