/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed programs: they stand for the full ones, flipped bits are found, and
 * what a program carries is where its operations say.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "gen/isa/packed.h"
#include "tests/gen_isa/support.h"

enum { LINE = 64 };

/* At least so many operations, the end included. */
static struct strbuf program_of(struct random *random, size_t operations)
{
    struct strbuf program = {0};
    do {
        program.len = 0;
        random_program(random, &program);
    } while (isa_get_bits((uint8_t *)program.text + 16, 0, 32) < operations);
    return program;
}

static const uint8_t *bytes_of(const struct strbuf *program)
{
    return (const uint8_t *)program->text;
}

static uint32_t word_of(const struct strbuf *program, size_t word)
{
    return (uint32_t)isa_get_bits(bytes_of(program) + 4 * word, 0, 32);
}

Test(packed, stand_for_the_full_program)
{
    struct random random = {1};
    unsigned packed_ones = 0;
    for (unsigned i = 0; i < 200; i++) {
        struct strbuf full = program_of(&random, i % 4 ? 20 : 8), packed = {0}, again = {0}, text = {0},
                      packed_text = {0}, messages = {0};
        const struct disasm_options options = disassemble_as(TEXT_PROGRAM);
        if (isa_program_pack(bytes_of(&full), full.len, &packed)) {
            packed_ones++;
            cr_assert_lt(packed.len, full.len);
            cr_assert_eq(isa_program_bytes(bytes_of(&packed)) % LINE, 0);
            cr_assert_eq(full.len - packed.len,
                         isa_program_bytes(bytes_of(&full)) - isa_program_bytes(bytes_of(&packed)));
            cr_assert(isa_program_unpack(bytes_of(&packed), packed.len, &again));
            cr_assert(again.len == full.len && !memcmp(again.text, full.text, full.len), "program %u", i);
            cr_assert(disassemble(&full, &options, &text, &messages));
            cr_assert(disassemble(&packed, &options, &packed_text, &messages), "%s", sb_text(&messages));
            cr_assert_str_eq(sb_text(&packed_text), sb_text(&text));
        }
        sb_free(&full);
        sb_free(&packed);
        sb_free(&again);
        sb_free(&text);
        sb_free(&packed_text);
        sb_free(&messages);
    }
    cr_assert_geq(packed_ones, 50);
}

/* Twenty loads of zeros, of which each has a length of its own, and a configuration. */
static struct strbuf alike(void)
{
    struct strbuf text = {0}, bytes = {0}, messages = {0};
    sb_add(&text, ".program\n    program\n    load rows=1, slot=program, offset=@cfg, length=@cfg.length\n");
    for (unsigned i = 0; i < 20; i++)
        sb_addf(&text, "    load rows=1, zero, length=%u\n", 8 * (i + 1));
    sb_add(&text, "    end\n.data cfg\n    .word 0x11223344, 0x55667788\n");
    cr_assert(assemble(sb_text(&text), &bytes, &messages), "%s", sb_text(&messages));
    sb_free(&text);
    sb_free(&messages);
    return bytes;
}

/* Operation 16 is the first packed one: length 120, and six words of a load that are not 0. Of the next one
 * only the length differs. */
Test(packed, have_a_head_and_the_words_that_differ)
{
    struct strbuf full = alike(), packed = {0};
    cr_assert(isa_program_pack(bytes_of(&full), full.len, &packed));
    const uint32_t head = word_of(&packed, 256);
    int words = 0;
    for (unsigned w = 0; w < 15; w++)
        words += word_of(&full, 16 * 16 + w) != 0;
    cr_assert_eq(__builtin_popcount(head & 0x7FFF), words);
    cr_assert_eq(head >> 15 & 63, 0, "the first one has none before it");
    const uint32_t check_word = word_of(&full, 16 * 16 + 15),
                   folded = (check_word ^ check_word >> 11 ^ check_word >> 22) & 0x7FF;
    cr_assert_eq(head >> 21, folded);
    const uint32_t next = word_of(&packed, 256 + 1 + words);
    cr_assert_eq(next & 0x7FFF, 1u << 4, "the length alone");
    cr_assert_eq(next >> 15 & 63, 1);
    cr_assert_eq(word_of(&packed, 256 + 2 + words), 8 * 16);
    sb_free(&full);
    sb_free(&packed);
}

Test(packed, what_the_program_carries_moves_up)
{
    struct strbuf full = alike(), packed = {0};
    cr_assert(isa_program_pack(bytes_of(&full), full.len, &packed));
    const uint64_t before = isa_get_bits(bytes_of(&full) + 64 + 8, 0, 48),
                   now = isa_get_bits(bytes_of(&packed) + 64 + 8, 0, 48);
    cr_assert_eq(before, 23 * LINE);
    cr_assert_lt(now, before);
    cr_assert_eq(now, isa_program_bytes(bytes_of(&packed)));
    cr_assert_eq(word_of(&packed, now / 4), 0x11223344);
    sb_free(&full);
    sb_free(&packed);
}

/* A bit of a head changes many of its record, which one in 2,048 times have the same check. */
Test(packed, a_flipped_bit_is_found)
{
    enum { MISSED_MOST = 3 };
    struct random random = {7};
    struct strbuf full = program_of(&random, 40), packed = {0};
    cr_assert(isa_program_pack(bytes_of(&full), full.len, &packed));
    const size_t end = (size_t)isa_program_bytes(bytes_of(&packed));
    unsigned found = 0, missed = 0;
    for (size_t bit = (size_t)LINE * ISA_PACKED_FIRST * 8; bit < 8 * end; bit++) {
        struct strbuf again = {0};
        packed.text[bit / 8] ^= (char)(1 << bit % 8);
        if (!isa_program_unpack(bytes_of(&packed), packed.len, &again))
            found++;
        else
            missed += again.len != full.len || memcmp(again.text, full.text, full.len) != 0;
        packed.text[bit / 8] ^= (char)(1 << bit % 8);
        sb_free(&again);
    }
    cr_assert_gt(found, 1000 * MISSED_MOST);
    cr_assert_leq(missed, MISSED_MOST);
    sb_free(&full);
    sb_free(&packed);
}

/* Lines that are missing, or too many. */
Test(packed, ends_where_its_last_operation_does)
{
    struct random random = {9};
    struct strbuf full = program_of(&random, 40), packed = {0};
    cr_assert(isa_program_pack(bytes_of(&full), full.len, &packed));
    const uint64_t lines = isa_program_bytes(bytes_of(&packed)) / LINE;
    for (uint64_t other = 1; other <= lines + 1; other++) {
        struct strbuf again = {0}, copy = {0};
        static const char room[LINE] = {0};
        sb_addn(&copy, packed.text, packed.len);
        sb_addn(&copy, room, sizeof room);
        isa_put_bits((uint8_t *)copy.text + 40, 0, 32, other);
        cr_expect_eq(isa_program_unpack(bytes_of(&copy), copy.len, &again), other == lines, "%llu lines",
                     (unsigned long long)other);
        sb_free(&again);
        sb_free(&copy);
    }
    sb_free(&full);
    sb_free(&packed);
}
