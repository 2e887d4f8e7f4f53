/* SPDX-License-Identifier: Apache-2.0
 *
 * Random legal payloads, programs, packets and status records survive being
 * taken apart and assembled again.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

enum { ROUNDS = 10000 };

typedef void (*maker)(struct random *random, struct strbuf *to);

static void survive(enum text_section_index section, maker make, unsigned rounds)
{
    struct random random = {section};
    const struct disasm_options options = disassemble_as(section);
    for (unsigned i = 0; i < rounds; i++) {
        struct strbuf bytes = {0}, text = {0};
        make(&random, &bytes);
        expect_round_trip(&bytes, &options, &text);
        sb_free(&bytes);
        sb_free(&text);
    }
}

/* One to three payloads, one behind another. */
static void some_configs(struct random *random, struct strbuf *to)
{
    for (uint64_t count = random_below(random, 3) + 1; count; count--)
        random_config(random, to);
}

static void some_packets(struct random *random, struct strbuf *to)
{
    for (uint64_t count = random_below(random, 20) + 1; count; count--) {
        uint8_t bytes[8] = {0};
        random_record(random, &isa_packet, isa_packet.formats, isa_int8_widths, bytes);
        sb_addn(to, (const char *)bytes, sizeof bytes);
    }
}

static void some_status(struct random *random, struct strbuf *to)
{
    uint8_t bytes[128] = {0};
    random_record(random, &isa_status, isa_status.formats, isa_int8_widths, bytes);
    set_check(bytes, sizeof bytes, 124, 0);
    sb_addn(to, (const char *)bytes, sizeof bytes);
}

Test(records, configurations)
{
    survive(TEXT_CONFIG, some_configs, ROUNDS / 4);
}

Test(records, programs)
{
    survive(TEXT_PROGRAM, random_program, ROUNDS);
}

Test(records, packets)
{
    survive(TEXT_PACKETS, some_packets, ROUNDS / 10);
}

Test(records, status)
{
    survive(TEXT_STATUS, some_status, ROUNDS);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static uint64_t get(const struct strbuf *bytes, size_t at, size_t len)
{
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++)
        value |= (uint64_t)(uint8_t)bytes->text[at + i] << 8 * i;
    return value;
}

/* Byte offsets in an operation. */
enum { OFFSET = 8, LENGTH = 16, UNIT_ADDRESS = 32 };

Test(records, labels_stand_for_offsets_and_lengths)
{
    struct strbuf bytes = {0}, messages = {0};
    cr_assert(assemble(".program\n"
                       "program\n"
                       "load slot=program, offset=@second, length=@second.length\n"
                       "load slot=program, offset=@table, length=@table.length, unit_address=@behind\n"
                       "here: load slot=program, offset=@here, length=@here.length\n"
                       "there:\n"
                       "end\n"
                       ".config first\nconfig_header\nconfig_instruction\n"
                       ".config second\nconfig_header\nconfig_instruction\nconfig_instruction\n"
                       ".data\n"
                       ".byte 1, 2, 3\n"
                       "table: .word 1, 2\n"
                       ".byte 3\n"
                       "behind: .zero 5\n",
                       &bytes, &messages),
              "%s", sb_text(&messages));
    cr_expect_eq(get(&bytes, 64 + OFFSET, 6), 384, "the second payload, 64-byte aligned");
    cr_expect_eq(get(&bytes, 64 + LENGTH, 4), 48);
    cr_expect_eq(get(&bytes, 128 + OFFSET, 6), 448 + 3);
    cr_expect_eq(get(&bytes, 128 + LENGTH, 4), 9, "up to the next label");
    cr_expect_eq(get(&bytes, 128 + UNIT_ADDRESS, 4), 448 + 12);
    cr_expect_eq(get(&bytes, 192 + OFFSET, 6), 192);
    cr_expect_eq(get(&bytes, 192 + LENGTH, 4), 64);
    cr_expect_eq(bytes.len, 448 + 3 + 9 + 5);
    cr_expect_eq(get(&bytes, 384, 1), 5, "a configuration header is there");
    sb_free(&bytes);
    sb_free(&messages);
}

Test(records, alignment_can_be_chosen)
{
    const uint8_t want[] = {1, 0, 0, 0, 2, 3, 0, 0, 4};
    expect_bytes(".data\n.byte 1\n.data align=4\n.byte 2\n.data\n.byte 3\n.data x, align=8\n.byte 4\n", want,
                 sizeof want);
}

/* ---- writing conventions --------------------------------------------------------------------- */

Test(records, writing_is_free_of_form)
{
    const uint8_t want[] = {0x3C, 0x81, 0x05, 0x80};
    struct strbuf first = {0}, second = {0}, messages = {0};
    cr_assert(assemble(".instructions # comment\r\n"
                       "\t mac base = 0xf , \\  ; goes on\n"
                       "  acc=0b11;mac\n\n"
                       "mac balance=1, chain=0",
                       &first, &messages),
              "%s", sb_text(&messages));
    cr_assert(assemble(".instructions\nmac base=15, acc=3\nmac balance\n", &second, &messages));
    cr_expect(first.len == 4 && !memcmp(first.text, second.text, 4));
    expect_bytes(".instructions\nst \\\n\\\n\\ # none\n base=0\n\nld target=1, base=-0\n",
                 (const uint8_t[]){0, 8, 0, 5}, 4);
    expect_bytes(".data\n.byte 0x3C\n.byte 0x81, 5\n.byte 0b10000000", want, sizeof want);
    sb_free(&first);
    sb_free(&second);
    sb_free(&messages);
}

/* What may not be given follows; what is given must agree. */
Test(records, computed_fields_may_be_written_out)
{
    const char *given =
        ".program\nprogram operations=4, major=1, magic=0x504c5554\nloop iterations=1, level=0, "
        "opcode=6\nfence\nendloop level=0, body=2\nend\n"
        ".config\nconfig_header version=1, instructions=1, functions=0, check=0x54554d4b\n"
        "config_instruction\n";
    const char *left_out = ".program\nprogram\nloop\nfence\nendloop\nend\n.config\nconfig_header\n"
                           "config_instruction\n";
    struct strbuf first = {0}, second = {0}, messages = {0};
    cr_assert(assemble(left_out, &second, &messages), "%s", sb_text(&messages));
    cr_expect(assemble(given, &first, &messages), "%s", sb_text(&messages));
    cr_expect(first.len == second.len && !memcmp(first.text, second.text, first.len));
    sb_free(&first);
    sb_free(&second);
    sb_free(&messages);
}

/* Words taken as they are let a test bench have what is illegal, with the checks around it right. */
Test(records, a_raw_word_among_statements_keeps_the_check_right)
{
    const uint8_t want[] = {0x05, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                            0x48, 0x4E, 0x55, 0xAB, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0x02, 0x00, 0x00, 0x00,
                            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    expect_bytes(".config\nconfig_header\n.word 0xff000000000000000000000000000003\nconfig_instruction\n",
                 want, sizeof want);
}

Test(records, a_section_that_begins_with_a_raw_word_is_left_alone)
{
    struct strbuf bytes = {0}, messages = {0};
    cr_assert(assemble(".program\n.word 0x1\nendloop body=9\nloop\n", &bytes, &messages), "%s",
              sb_text(&messages));
    cr_expect_eq(get(&bytes, 0, 8), 1);
    cr_expect_eq(get(&bytes, 64, 6), 7 | (uint64_t)9 << 32);
    cr_expect_eq(get(&bytes, 64 + 60, 4), 0x54554C4C ^ 1 ^ 7 ^ 9, "checks of operations are computed still");
    sb_free(&bytes);
    sb_free(&messages);
}
