/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler says about each kind of mistake: the whole message, so
 * that nobody makes one worse without noticing.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

struct mistake {
    const char *text, *messages;
};

static void expect_all(const struct mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_messages(mistakes[i].text, mistakes[i].messages);
}
#define EXPECT_ALL(mistakes) expect_all((mistakes), sizeof(mistakes) / sizeof *(mistakes))

Test(messages, fields)
{
    static const struct mistake mistakes[] = {
        {".instructions\n"
         "mac base=16\n",
         "test:2:10: error: mac: field \"base\" is 16; allowed 0..15\n"},
        {".instructions\n"
         "mac base=-1, acc=0x100000000000000000\n",
         "test:2:10: error: mac: field \"base\" is -1; allowed 0..15\n"
         "test:2:18: error: mac: field \"acc\" is 0x100000000000000000; allowed 0..3\n"},
        {".instructions\n"
         "mac base=1x\n",
         "test:2:10: error: mac: field \"base\" is 1x; allowed 0..15\n"},
        {".instructions\n"
         "mac base\n"
         "mac base=\n"
         "mac base=keep\n",
         "test:2:5: error: mac: field \"base\" needs a value, base=...; allowed 0..15\n"
         "test:3:10: error: mac: field \"base\" needs a value, base=...; allowed 0..15\n"
         "test:4:10: error: mac: field \"base\" is \"keep\"; allowed 0..15\n"},
        {".instructions\n"
         "mac bsae=1\n"
         "st acc=1\n"
         "spu xyz=exec(buffer=1), function=9\n",
         "test:2:5: error: mac: no field \"bsae\"; did you mean \"base\"?\n"
         "test:3:4: error: st: no field \"acc\" (mac, ld have it); fields of st: base\n"
         "test:4:5: error: spu: no field \"xyz\"; fields of spu: function, source, destination\n"},
        {".instructions\n"
         "mac base=1, acc=2, base=1\n",
         "test:2:20: error: mac: field \"base\" is given twice\n"},
        {".instructions\n"
         "ld target=input, acc=0\n",
         "test:2:18: error: ld: field \"acc\" exists only with target=buffer\n"},
        {".instructions\n"
         "ld target=foo\n"
         "ld target=4\n"
         "ld target=weight\n",
         "test:2:11: error: ld: field \"target\" is \"foo\"; one of input (0), accumulator (1), weights (2), "
         "buffer (3)\n"
         "test:3:11: error: ld: field \"target\" is 4; one of input (0), accumulator (1), weights (2), "
         "buffer (3)\n"
         "test:4:11: error: ld: field \"target\" is \"weight\"; did you mean \"weights\"?\n"},
        {".instructions\n"
         "mac opcode=1\n"
         "mac balance=2\n",
         "test:2:12: error: mac: field \"opcode\" is 1; allowed only 0\n"
         "test:3:13: error: mac: field \"balance\" is 2; allowed 0..1\n"},
        {".instructions\n"
         "mac base=1 acc=2\n"
         "mac base=1,\n"
         "mac , base=1\n"
         "mac base=1 1\n",
         "test:2:12: error: a comma is expected here, not \"acc\"\n"
         "test:3:12: error: a field's name is expected here, not the end of the line\n"
         "test:4:5: error: a field's name is expected here, not \",\"\n"
         "test:5:12: error: a comma is expected here, not 1\n"},
        {".instructions\n"
         "mca base=1\n"
         "exec last\n"
         "segment 1:2\n",
         "test:2:1: error: a .instructions section has no statement \"mca\"; did you mean \"mac\"?\n"
         "test:3:1: error: a .instructions section has no statement \"exec\"; it belongs into .commands\n"
         "test:4:1: error: a .instructions section has no statement \"segment\"\n"},
    };
    EXPECT_ALL(mistakes);
}

Test(messages, words_and_statements)
{
    static const struct mistake mistakes[] = {
        {".instructions\n"
         ".word 0x10000\n"
         ".word -1\n"
         ".word\n"
         ".word foo\n"
         ".word 99999999999999999999\n"
         ".byte 1\n",
         "test:2:7: error: a number of at most 16 bits is expected here, not 0x10000\n"
         "test:3:7: error: a number of at most 16 bits is expected here, not -1\n"
         "test:4:6: error: a number of at most 16 bits is expected here, not the end of the line\n"
         "test:5:7: error: a number of at most 16 bits is expected here, not \"foo\"\n"
         "test:6:7: error: a number of at most 16 bits is expected here, not 99999999999999999999\n"
         "test:7:1: error: .byte is only possible in a .data section\n"},
        {"mac base=1\n"
         ".word 1\n"
         "lab:\n",
         "test:1:1: error: statement before the first section; begin with .program, .config, .weights, ...\n"
         "test:2:1: error: .word before the first section\n"
         "test:3:1: error: label before the first section\n"},
    };
    EXPECT_ALL(mistakes);
}

Test(messages, configurations_and_programs)
{
    static const struct mistake mistakes[] = {
        {".packets\n"
         "packet command=exec(buffer=32, lst), clusters=65536\n"
         "packet command=mac(base=1)\n"
         "packet command=0x60\n"
         "packet command=exec(buffer=1\n"
         "packet command\n",
         "test:2:28: error: exec: field \"buffer\" is 32; allowed 0..31\n"
         "test:2:32: error: exec: no field \"lst\"; did you mean \"last\"?\n"
         "test:2:47: error: packet: field \"clusters\" is 65536; allowed 0..65535\n"
         "test:3:16: error: packet: field \"command\" is \"mac\"; one of config(...) or exec(...)\n"
         "test:4:16: error: packet: field \"command\" is 0x60; one of config(...) or exec(...)\n"
         "test:5:29: error: a comma or ) is expected here, not the end of the line\n"
         "test:6:8: error: packet: field \"command\" needs a value, command=...; one of config(...) or "
         "exec(...)\n"},
        {".config\n"
         "config_instruction\n",
         "test:2:1: error: a .config section must begin with the statement config_header\n"},
        {".config a\n"
         ".config b\n"
         "config_header\n"
         ".config a\n"
         "config_header\n"
         "config_instruction\n",
         "test:1:1: error: the .config section is empty; it must begin with the statement config_header\n"
         "test:4:9: error: label \"a\" is defined twice; first in line 1\n"
         "test:3:1: error: config_header: field \"instructions\" comes to 0; allowed 1..32\n"},
        {".config\n"
         "config_header instructions=3, trigger_buffer=1\n"
         "config_function\n"
         "config_instruction\n"
         "config_header\n",
         "test:2:31: error: config_header: field \"trigger_buffer\" exists only with trigger\n"
         "test:5:1: error: config_header must be the first statement of its section\n"},
        {".config\n"
         "config_header version=2\n"
         "config_instruction instruction=mac(base=@x)\n",
         "test:2:23: error: config_header: field \"version\" is 2; allowed only 1\n"
         "test:3:41: error: label \"x\" is not defined\n"},
        {".config\n"
         "config_header check=1, functions=2\n"
         "config_instruction\n",
         "test:2:1: error: config_header: field \"functions\" is 2, but the number of function records is 0\n"
         "test:2:1: error: config_header: field \"check\" is 0x00000001, but the check comes to "
         "0x5455cd4b\n"},
        {".program\n"
         "program\n"
         "loop\n"
         "loop\n"
         "loop\n"
         "loop\n"
         "endloop\n"
         "endloop\n"
         "endloop\n"
         "endloop\n"
         "end\n",
         "test:6:1: error: loop: nested too deeply; there are 3 levels, 0..2\n"},
        {".program\n"
         "program operations=9\n"
         "end\n"
         "endloop\n"
         "loop level=1\n"
         "loop level=1\n"
         "endloop level=2, body=7\n",
         "test:4:1: error: endloop: no loop is open\n"
         "test:6:1: error: loop: field \"level\" is 1; it must be higher than the outer loop's, 1\n"
         "test:7:1: error: endloop: field \"level\" is 2, but the level of its loop is 1\n"
         "test:7:1: error: endloop: field \"body\" is 7, but the number of operations since its loop, this "
         "one included, is 1\n"
         "test:5:1: error: loop: no endloop ends it\n"
         "test:3:1: error: end: operations follow; it must be the last one\n"
         "test:7:1: error: endloop: the last operation of a program must be end\n"
         "test:2:1: error: program: field \"operations\" is 9, but the number of operations is 5\n"},
        {".program\n"
         "program\n"
         "loop\n"
         "endloop body=2\n"
         "end\n",
         "test:4:1: error: endloop: field \"body\" is 2, but the number of operations since its loop, this "
         "one included, is 1\n"},
    };
    EXPECT_ALL(mistakes);
}

Test(messages, labels_and_data)
{
    static const struct mistake mistakes[] = {
        {".program\n"
         "program\n"
         "load offset=@cgf, rows=@cfg.size, slot=@cfg\n"
         "load rows=@big, runs=@cfg\n"
         "load offset=@\n"
         "end\n"
         ".data cfg\n"
         ".zero 65536\n"
         "big: .byte 1\n",
         "test:3:28: error: of a label there is only .length, not \".size\"\n"
         "test:5:14: error: a label's name must follow @, not the end of the line\n"
         "test:3:13: error: label \"cgf\" is not defined; did you mean \"cfg\"?\n"},
        {".data\n"
         ".byte 256\n"
         ".zero -1\n"
         ".zero\n"
         ".data align=3\n"
         ".data align=0, foo=1\n"
         ".data x y\n",
         "test:2:7: error: a number of at most 8 bits is expected here, not 256\n"
         "test:3:7: error: .zero is -1; allowed 0..67108864\n"
         "test:4:6: error: .zero is the end of the line; allowed 0..67108864\n"
         "test:5:1: error: align is 3; it must be a power of two\n"
         "test:6:13: error: align is 0; allowed 1..4096\n"
         "test:7:9: error: only align= is expected here, not \"y\"\n"},
    };
    EXPECT_ALL(mistakes);
}

Test(messages, weights)
{
    static const struct mistake mistakes[] = {
        {".weights data=9, index=5\n", "test:1:24: error: index is 5; allowed 6..16\n"
                                       "test:1:1: error: data is 9; allowed 8, 16\n"},
        {".weights data=12\n", "test:1:1: error: data is 12; allowed 8, 16\n"},
        {".weights pes=17\n", "test:1:14: error: pes is 17; allowed 1..16\n"},
        {".weights pes=2, beat=3\n"
         "lab: segment pe=0, 1:1\n",
         "test:1:1: error: beat is 3 bytes, but the entries of all PEs take 4\n"
         "test:2:1: error: entries of weights cannot have labels; name the section\n"},
        {".weights pes=2\n"
         "segment 1:2\n"
         "segment pe=2, 1:1\n"
         "segment pe=0 1:1\n"
         "segment pe=0, 65536:1\n"
         "segment pe=0, 5:128, 5:-129\n"
         "segment pe=0, 5\n"
         "segment pe=0, 5:\n"
         "segment pe=0, 4:1, 3:1\n",
         "test:2:9: error: pe=... is expected here, not 1\n"
         "test:3:12: error: pe is 2; allowed 0..1\n"
         "test:4:14: error: a comma is expected here, not 1\n"
         "test:5:15: error: a weight's index is 65536; allowed 0..65535\n"
         "test:6:17: error: segment: value 128 does not fit; allowed -128..127\n"
         "test:6:24: error: segment: value -129 does not fit; allowed -128..127\n"
         "test:6:22: error: segment: index 5 follows index 5; indices must ascend\n"
         "test:7:16: error: weights are written index:value; a : is expected here, not the end of the line\n"
         "test:8:17: error: a weight's value is expected here, not the end of the line\n"
         "test:9:20: error: segment: index 3 follows index 4; indices must ascend\n"},
    };
    EXPECT_ALL(mistakes);
}

Test(messages, sections)
{
    static const struct mistake mistakes[] = {
        {".weights pes=1\n"
         "weight value=1\n"
         "segment 1:1\n"
         "escape escape=foo, payload=32\n"
         "weight gap=127\n"
         "weight gap=@x\n"
         "empty count=0\n"
         "empty cnt=1\n"
         "wait\n",
         "test:3:1: error: the segment before, written as entries, has not ended: its last weight needs "
         "\"last\"\n"
         "test:4:15: error: escape: field \"escape\" is \"foo\"; one of skip (0), jump (1), end (2), line "
         "(3)\n"
         "test:4:28: error: escape: field \"payload\" is 32; allowed 0..31\n"
         "test:5:8: error: weight: field \"gap\" is 127, which marks an escape\n"
         "test:6:12: error: weight: field \"gap\" cannot refer to a label\n"
         "test:7:1: error: the segment before, written as entries, has not ended: its last weight needs "
         "\"last\"\n"
         "test:7:13: error: count is 0; allowed 1..4294967295\n"
         "test:8:7: error: count=... is expected here, not \"cnt\"\n"
         "test:9:1: error: no statement \"wait\" in a .weights section; there are segment, empty, weight, "
         "escape, long_jump\n"},
        {".confg\n"
         ".program x=1\n"
         ".program\n"
         "program\n"
         "end\n",
         "test:1:1: error: unknown directive \".confg\"; sections are .program, .config, .weights, "
         ".commands, .instructions, .packets, .status, .data\n"
         "test:2:10: error: only align= is expected here, not \"x\"\n"
         "test:2:1: error: the .program section is empty; it must begin with the statement program\n"
         "test:3:1: error: a program must be the first section of the file, and the only program\n"},
        {"é\n"
         "\"x\"\n"
         "$\n",
         "test:1:1: error: a statement is expected here, not \"é\"\n"
         "test:2:1: error: a statement is expected here, not \"\\\"\"\n"
         "test:3:1: error: a statement is expected here, not \"$\"\n"},
        {"\n"
         "# nothing\n",
         "test:3:1: error: nothing to assemble: the file has no section\n"},
        {".data\n"
         "a: .byte 1\n"
         "a: .byte 2\n"
         ".data a\n",
         "test:3:1: error: label \"a\" is defined twice; first in line 2\n"
         "test:4:7: error: label \"a\" is defined twice; first in line 2\n"},
        {".program\n"
         "program\n"
         "end\n"
         ".program\n"
         "program\n"
         "end\n",
         "test:4:1: error: a program must be the first section of the file, and the only program\n"},
        {".data\n"
         ".byte 1\n"
         ".program\n"
         "program\n"
         "end\n",
         "test:3:1: error: a program must be the first section of the file, and the only program\n"},
        {".data\n"
         ".byte 1, \n"
         ".byte ,1\n"
         ".word 1 2\n",
         "test:2:10: error: a number of at most 8 bits is expected here, not the end of the line\n"
         "test:3:7: error: a number of at most 8 bits is expected here, not \",\"\n"
         "test:4:9: error: the end of the line is expected here, not 2\n"},
        {".program\n"
         ".config c\n"
         "config_header\n"
         "config_instruction\n",
         "test:1:1: error: the .program section is empty; it must begin with the statement program\n"},
        {".program\n"
         "program\n"
         "distribute command=exec(buffer=@x), rows=1\n"
         "load zero=@x\n"
         "end\n"
         ".data x\n",
         "test:4:11: error: load: field \"zero\" cannot refer to a label\n"},
    };
    EXPECT_ALL(mistakes);
}

Test(messages, text_that_is_none)
{
    struct diag diag = {0};
    struct asm_image image;
    struct strbuf source = {0};
    sb_addn(&source, ".data\n\0.byte 1\n", 15);
    cr_expect(!asm_assemble("test", &source, &asm_default_layout, &image, &diag));
    cr_expect_str_eq(sb_text(&diag.text),
                     "test: error: this is not text: it has zero bytes; -d takes packed words apart\n");
    diag_free(&diag);
    sb_free(&source);
}

Test(messages, many_mistakes_are_counted)
{
    struct strbuf text = {0}, bytes = {0}, messages = {0};
    sb_add(&text, ".instructions\n");
    for (unsigned i = 0; i < 500; i++)
        sb_add(&text, "mac base=16\n");
    cr_expect(!assemble(sb_text(&text), &bytes, &messages));
    cr_expect(strstr(sb_text(&messages), "test:101:10: error: mac: field \"base\" is 16; allowed 0..15\n"));
    cr_expect_null(strstr(sb_text(&messages), "test:102:"),
                   "100 are kept, and diag_report counts the others");
    sb_free(&text);
    sb_free(&bytes);
    sb_free(&messages);
}

/* A wrong image must not be as large as the disk. */
Test(messages, images_have_a_limit)
{
    struct strbuf most = {0}, none = {0};
    cr_expect(assemble(".data\n.zero 67108864\n", &most, &none) && most.len == 67108864);
    sb_free(&most);
    sb_free(&none);
    static const char *const texts[] = {
        ".data\n.zero 67108864\n.byte 1\n",
        ".data\n.zero 60000000, 60000000\n",
        ".weights pes=16\nempty pe=3, count=4294967295\n",
        ".weights data=8, index=6, pes=16\nempty pe=3, count=90000000\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct strbuf bytes = {0}, messages = {0};
        cr_expect(!assemble(texts[i], &bytes, &messages));
        cr_expect(strstr(sb_text(&messages), "error: the image becomes larger than 67108864 bytes\n"),
                  "%s: %s", texts[i], sb_text(&messages));
        sb_free(&bytes);
        sb_free(&messages);
    }
}
