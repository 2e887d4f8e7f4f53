/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever comes in: an error or a result, never a crash. Most of these find
 * something only in a build with sanitizers.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

static const char sample[] =
    ".program\n"
    "program watchdog=100, variant=0xfff\n"
    "loop iterations=3\n"
    "l: load wait_a, wait_a_token=3, rows=1, slot=program, offset=@c, length=@c.length\n"
    "distribute command=exec(shift_out, last, buffer=5), rows=0b11 # comment\n"
    "endloop ; comment\n"
    "store slot=output, element=int32, run_pitch=-5, \\\n interleave\n"
    "end\n"
    ".config c, align=64\n"
    "config_header queue=sw, defer\n"
    "config_extension register=5, outer=3, plane=-7\n"
    "config_instruction instruction=ld(target=buffer, acc=2)\n"
    ".word 0x3\n"
    "config_function function=clamp, low=-3\n"
    ".weights w, data=16, index=6, pes=3, entries=2\n"
    "segment pe=1, 0:1, 700:-3, 60000:2\n"
    "empty pe=2, count=70\n"
    "weight pe=0, value=-1, gap=3, last\n"
    "escape pe=0, escape=jump, payload=1\n"
    ".data d\nx: .word 1, 0x2\n.byte 3\n.zero 9\n"
    ".packets\npacket command=0x81, beats=2\n";

/* Succeeds or has messages, and leaves nothing behind otherwise. */
static void try_text(const struct strbuf *text)
{
    struct diag diag = {0};
    struct asm_image image;
    const bool ok = asm_assemble("test", text, &asm_default_layout, &image, &diag);
    cr_assert_eq(ok, diag.errors == 0);
    cr_assert(ok || !image.bytes.len);
    asm_image_free(&image);
    diag_free(&diag);
}

static void mutate(struct random *random, struct strbuf *bytes)
{
    static const char alphabet[] = "\n\n,,=()@.:#;\\ -0123456789abcdefxlp\t\"\x80\xc3\xff";
    for (uint64_t left = random_below(random, 6) + 1; left && bytes->len; left--) {
        const size_t at = random_below(random, bytes->len);
        const size_t len = random_below(random, bytes->len - at < 40 ? bytes->len - at : 40);
        switch (random_below(random, 4)) {
        case 0:
            bytes->text[at] = alphabet[random_below(random, sizeof alphabet - 1)];
            break;
        case 1: /* leave a piece out */
            memmove(bytes->text + at, bytes->text + at + len, bytes->len - at - len);
            bytes->len -= len;
            break;
        case 2: /* put a piece elsewhere */
            memmove(bytes->text + random_below(random, bytes->len - len), bytes->text + at, len);
            break;
        default:
            bytes->text[at] = (char)random_next(random);
        }
    }
    bytes->text[bytes->len] = '\0';
}

Test(robust, mutated_text)
{
    struct random random = {31};
    for (unsigned round = 0; round < 20000; round++) {
        struct strbuf text = {0};
        sb_add(&text, sample);
        mutate(&random, &text);
        try_text(&text);
        sb_free(&text);
    }
}

Test(robust, mutated_words)
{
    struct random random = {32};
    struct strbuf messages = {0}, program = {0};
    cr_assert(assemble(sample, &program, &messages), "%s", sb_text(&messages));
    for (unsigned round = 0; round < 20000; round++) {
        struct disasm_options options = disassemble_as(round % TEXT_DATA);
        struct strbuf bytes = {0}, text = {0};
        options.lenient = random_chance(&random, 50);
        options.layout = (struct weights_layout){
            {random_chance(&random, 50) ? 8 : 16, 6 + (unsigned)random_below(&random, 11)},
            1 + (unsigned)random_below(&random, 16),
            1 + (unsigned)random_below(&random, 64),
            0};
        sb_addn(&bytes, program.text, program.len);
        mutate(&random, &bytes);
        messages.len = 0;
        const bool ok = disassemble(&bytes, &options, &text, &messages);
        cr_assert_eq(ok, messages.len == 0);
        sb_free(&bytes);
        sb_free(&text);
    }
    sb_free(&messages);
    sb_free(&program);
}

/* `head`, then `piece` many times, then `tail`. */
static struct strbuf repeated(const char *head, const char *piece, size_t times, const char *tail)
{
    struct strbuf text = {0};
    sb_add(&text, head);
    for (size_t i = 0; i < times; i++)
        sb_add(&text, piece);
    sb_add(&text, tail);
    return text;
}

Test(robust, long_lines_and_deep_nesting)
{
    struct strbuf texts[] = {
        repeated(".packets\npacket command=", "exec(command=", 200000, ""),
        repeated(".packets\npacket command=", "(", 1000000, ")"),
        repeated(".instructions\nmac ", "base=1, ", 200000, "acc=1\n"),
        repeated(".instructions\n", "x", 1000000, "\n"),
        repeated(".data\n.word 0x", "f", 1000000, "\n"),
        repeated(".data\n.byte 0", "0", 1000000, "\n"),
        repeated(".instructions\nmac base=", "1", 1000000, "\n"),
        repeated(".data\n.zero 1 ", "\\\n", 300000, "\n"),
        repeated(".data\n", "# ", 1000000, ""),
        repeated("", "\n", 1000000, ""),
        repeated(".program\nprogram\n", "loop\n", 30000, "end\n"),
        repeated(".program\nprogram\nload offset=", "@", 100000, "\n"),
        repeated(".data\n", "a:", 100000, "\n"),
        repeated("", ".config\n", 30000, ""),
        repeated("", "\xff\xfe", 300000, ""),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        try_text(&texts[i]);
        sb_free(&texts[i]);
    }
}

/* A long line that is right is no error. */
Test(robust, long_lists_are_taken)
{
    enum { COUNT = 200000 };
    struct strbuf text = repeated(".data\n.byte 1", ", 2", COUNT - 1, "\n"), bytes = {0}, messages = {0};
    cr_assert(assemble(sb_text(&text), &bytes, &messages), "%s", sb_text(&messages));
    cr_expect_eq(bytes.len, COUNT);
    sb_free(&text);
    sb_free(&bytes);
    text = (struct strbuf){0};
    sb_add(&text, ".weights data=8, index=16, pes=1\nsegment 0:1");
    for (unsigned i = 1; i < 60000; i++)
        sb_addf(&text, ", %u:1", i);
    cr_assert(assemble(sb_text(&text), &bytes, &messages), "%s", sb_text(&messages));
    cr_expect_eq(bytes.len, 60000 * 3);
    sb_free(&text);
    sb_free(&bytes);
    sb_free(&messages);
}

Test(robust, a_million_labels)
{
    enum { COUNT = 1000000, LOOKED_UP = 200, PROGRAM = 192 + LOOKED_UP * 64 };
    struct strbuf text = {0}, bytes = {0}, messages = {0};
    sb_add(&text, ".program\nprogram\nload offset=@l999999, length=@l3.length, unit_address=@l0\n");
    for (unsigned i = 0; i < LOOKED_UP; i++)
        sb_addf(&text, "load offset=@l%u, length=8\n", i * (COUNT / LOOKED_UP));
    sb_add(&text, "end\n.data\n");
    for (unsigned i = 0; i < COUNT; i++)
        sb_addf(&text, "l%u:%s\n", i, i % 1000 ? "" : " .byte 1");
    cr_assert(assemble(sb_text(&text), &bytes, &messages), "%s", sb_text(&messages));
    cr_expect_eq(bytes.len, PROGRAM + COUNT / 1000);
    cr_expect_eq(isa_get_bits((uint8_t *)bytes.text + 72, 0, 48), PROGRAM + COUNT / 1000);
    cr_expect_eq(isa_get_bits((uint8_t *)bytes.text + 96, 0, 32), PROGRAM);
    for (unsigned i = 0; i < LOOKED_UP; i++)
        cr_expect_eq(isa_get_bits((uint8_t *)bytes.text + 128 + 64 * i + 8, 0, 48),
                     PROGRAM + i * (COUNT / LOOKED_UP / 1000));
    sb_free(&text);
    sb_free(&bytes);
    sb_free(&messages);
}

/* A million references to labels that are not there: the first hundred are reported, in time. */
Test(robust, a_flood_of_undefined_labels)
{
    struct strbuf text =
        repeated(".program\nprogram\n", "load offset=@nowhere, length=@x\n", 100000, "end\n.data ab\n");
    try_text(&text);
    sb_free(&text);
}
