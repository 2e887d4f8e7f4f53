/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/isa_doc.h"

#include "gen/emit/emit.h"
#include "gen/emit/isa_header.h"
#include "gen/version.h"

static const char introduction[] =
    "Everything that travels between a host, the command processor and the clusters, bit for bit. This\n"
    "page, the Verilog decode header, the C header and the assembler come from one table,\n"
    "`gen/isa/table.c`: they cannot disagree. The registers are in [registers.md](registers.md), the\n"
    "text form that `tulle-asm` reads in [assembler.md](assembler.md).\n";

static const char conventions[] =
    "## Conventions\n\n"
    "- *Commands* and *instructions* count their bits from 1 at the left, the most significant one.\n"
    "  Everything else counts from 0, the least significant one, and is little-endian.\n"
    "- In tables with a `byte` column, `bits` count within the little-endian word that starts at that\n"
    "  byte, so a field at byte 2, bits 15..4 is bits 31..20 of the record.\n"
    "- Reserved bits are written 0 and refused when they are not 0. So is a field whose condition does\n"
    "  not hold.\n"
    "- Signed values are two's complement.\n"
    "- Sizes depend on the variant in one place only, the [weight stream](#weight-stream-entry).\n\n"
    "### Check words\n\n"
    "A checked record is protected by its 32-bit `check` field. The exclusive or of all 32-bit words of\n"
    "the record, the check included, is 0x%08X exclusive-or p, where p is the position of an operation\n"
    "in its program and 0 for every other record; a configuration is checked as a whole. A flipped bit,\n"
    "a record of zeros and an operation in the wrong place are all found.\n";

static const char versions[] =
    "## Versions\n\n"
    "The instruction set has a major and a minor number; this is %s.\n\n"
    "- The major number changes when what was legal means something else. A device refuses a program\n"
    "  (`bad_version`) or a configuration (`config_version`) of another major version.\n"
    "- The minor number changes when something is added where there were reserved bits or undefined\n"
    "  values. A device does not compare it: it refuses what it does not know, because reserved bits\n"
    "  and undefined values are refused. Programs that use nothing new run on older devices.\n"
    "- Independently of the version, a program may name the hash of the variant it was planned for;\n"
    "  another variant refuses it (`wrong_variant`). Hash 0 means any.\n";

static const char configuration_layout[] =
    "The payload is the data of one config packet. Nothing in it takes effect before all of it was\n"
    "checked: version, lengths, every instruction, and the check over the whole payload.\n\n"
    "```text\n"
    "header | instruction record 1 | ... | instruction record I | function record 1 | ...\n"
    "```\n";

static const char running[] =
    "### Running a sequence\n\n"
    "An exec packet runs the sequence of its buffer `count` times; each time is an iteration. An\n"
    "instruction has two operands, `address` and `result`. Its base counts blocks and is added, times\n"
    "`block`, to the one that it is about: the result for ST and for LD `accumulator`, else the\n"
    "address. Each iteration uses the operands and then updates them:\n\n"
    "```text\n"
    "address += stride; after every `inner` iterations also address += pitch; address modulo wrap\n"
    "result  += result_stride\n"
    "```\n\n"
    "With `restart` in the header every packet starts from the configured operands; without it, from\n"
    "where the buffer's last packet left them. Hardware corrects an address by wrap once, so it starts\n"
    "below wrap, and neither stride nor stride + pitch is larger than wrap; an address that leaves its\n"
    "buffer is refused (`out_of_buffer`).\n\n"
    "What the instructions take from the packet, one behind the other in the order they run:\n\n"
    "- LD `input`: `block` activations in each iteration, packed, into the input buffers of all PEs of\n"
    "  the cluster. Block, address and wrap are whole multiples of the variant's `load_width` bytes,\n"
    "  else `out_of_buffer`. The bit of an activation in the mask is 1 when it is not 0,\n"
    "  or when the record has `maximum`; one whose bit is 0 is in no sum and no maximum.\n"
    "- LD `accumulator`: one partial sum for each of the K PEs in each iteration, PE 0 first, from lane\n"
    "  0 of a fresh beat; four bytes each when acc_width is at most 32, else eight.\n"
    "- LD `weights`: weight beats, as described under [weight stream](#weight-stream-entry).\n"
    "- MAC, ST and SPU take nothing.\n\n"
    "A MAC whose record has `maximum` gives the largest of its products in the place of their sum. It begins "
    "at\n"
    "-2^(2 data_width - 1), which is below any product; with `resume`, at the larger of that and the entry. "
    "So "
    "a\n"
    "window is a segment of ones: max pooling. Its work does not move (`balance` is 0, else `bad_field`). "
    "The\n"
    "flag is for MACs and LDs of input only, else `bad_field`.\n\n"
    "SPU reads, in each iteration, the output-queue entry at its address, modulo the queue's depth, of all "
    "K\n"
    "PEs, adds them modulo 2^acc_width or takes the largest, applies the rest of the function record "
    "(average\n"
    "scales, all narrow to the element), and writes the answer to the entry at its result address of every "
    "PE.\n"
    "It comes behind all MACs that were issued and all results that are to be shifted out before it, and is\n"
    "complete before the next instruction. The first function record must be sum, max or average, else\n"
    "`no_function`.\n\n"
    "ST sends, in each iteration, the output-queue entries of the K PEs at the result address to the\n"
    "collector, PE 0 first, sign-extended to the same four or eight bytes, from lane 0 of a fresh beat.\n"
    "It does so when the command has `shift_out`, else nothing; the other instructions do not look at\n"
    "`shift_out`. A packet with more or fewer beats than its sequence consumes is refused\n"
    "(`packet_length`).\n";

static const char weight_streams[] =
    "D is data_width, I is index_width; the second column has the bits for D = 8 and I = 8, an entry of\n"
    "two bytes.\n\n"
    "A *segment* is what one MAC runs over in one PE: a row of the weight matrix, or a block of one.\n"
    "The entry with `last` set ends it. An escape is told by its gap, which is all ones; it moves the\n"
    "position or ends segments, and carries no weight.\n";

static const char program_layout[] =
    "A program is one buffer in device memory, the program slot:\n\n"
    "```text\n"
    "byte 0    program header, 64 bytes\n"
    "byte 64   operation 1, operation 2, ... 64 bytes each; the last one is `end`\n"
    "after     data that operations load: configurations, for example\n"
    "```\n\n"
    "Memory is only ever addressed as (slot, offset). Every slot has a base address and a size in the\n"
    "[registers](registers.md), and the device refuses what lies outside (`out_of_slot`): a program\n"
    "cannot reach beyond its buffers.\n";

static const char operations[] =
    "### Tokens\n\n"
    "The queues load, distribute, store and accumulate run side by side, each in program order. What\n"
    "must not overtake is ordered by tokens, which count from 0 to 15: an operation starts when its\n"
    "`wait` tokens are above 0 and takes one of each, and gives one of each of its `signal` tokens when\n"
    "it is done. Initial counts are in the program header. The fields are the same in every operation\n"
    "that has them:\n\n";

static const char loops[] =
    "\n"
    "### Loops\n\n"
    "Loops nest %d levels deep; an inner loop has a higher level. In pass i of loop level l, an\n"
    "operation's offset is `offset + i x offset_step<l>`, summed over the levels that it is in; unit\n"
    "addresses likewise. The body of a loop must fit into the variant's program buffer.\n";

static const char limits[] =
    "## What the hardware runs today\n\n"
    "Clusters run configurations, loads, MACs with all their flags, chained functions,\n"
    "tanh, and stores. The line escape and the sliding window end in `no_feature`, and so do scattered "
    "packets in a\n"
    "variant with `scatter: off`, SPU instructions in one without sum, max and average, and `maximum` in one "
    "without\n"
    "max.\n";

static void add_family(struct strbuf *to, const struct isa_family *family, const char *layout)
{
    sb_addf(to, "\n## %s\n\n", family->title);
    isa_doc_paragraph(to, family->doc);
    if (layout)
        sb_add(to, layout);
    else
        to->len -= 1; /* the tables bring their own empty line */
    isa_doc_formats(to, family);
}

/* The table's texts begin in lower case and have no full stop. */
static void add_sentence(struct strbuf *to, const char *text)
{
    bool lower = *text >= 'a' && *text <= 'z';
    sb_addf(to, "%c%s.\n\n", lower ? *text - 'a' + 'A' : *text, text + 1);
}

static void add_values(struct strbuf *to)
{
    sb_add(to, "\n## Sets of values\n");
    for (size_t i = 0; isa_enums[i].name; i++) {
        sb_addf(to, "\n### Values of %s\n\n", isa_enums[i].name);
        add_sentence(to, isa_enums[i].doc);
        isa_doc_values(to, isa_enums[i].values);
    }
}

static void add_packets(struct strbuf *to)
{
    add_family(to, &isa_command, NULL);
    sb_add(to, "\n");
    isa_doc_command_example(to);
    add_family(to, &isa_instruction, NULL);
    sb_add(to, "\n");
    isa_doc_instruction_example(to);
    add_family(to, &isa_packet, NULL);
    add_family(to, &isa_config, configuration_layout);
    sb_add(to, "\n### Example of a configuration\n\n");
    isa_doc_config_example(to);
    sb_addf(to, "\n%s", running);
}

static void add_weights(struct strbuf *to)
{
    add_family(to, &isa_weight, weight_streams);
    sb_add(
        to,
        "\n### Example of a weight stream\n\n"
        "Weights 5, -2 and 7 in columns 3, 4 and 260, then an empty row, then padding (D = 8, I = 8):\n\n");
    isa_doc_weight_example(to);
}

static void add_program(struct strbuf *to)
{
    add_family(to, &isa_program, program_layout);
    sb_addf(to, "\n## %s\n\n", isa_operation.title);
    isa_doc_paragraph(to, isa_operation.doc);
    sb_add(to, operations);
    isa_doc_tokens(to);
    sb_addf(to, loops, ISA_LOOP_LEVELS);
    isa_doc_formats(to, &isa_operation);
    add_family(to, &isa_status, NULL);
}

void isa_document(struct strbuf *to)
{
    emit_banner(to, NULL, "<!--", "The encodings, from gen/isa/table.c; `make regenerate` writes this file.");
    sb_add(to, "# The instruction set\n\n");
    sb_addf(to, "Version %s.\n\n%s\n", TULLE_ISA_VERSION, introduction);
    isa_doc_sizes(to);
    sb_add(to, "\n");
    sb_addf(to, conventions, ISA_CHECK_SEED);
    sb_add(to, "\n");
    sb_addf(to, versions, TULLE_ISA_VERSION);
    sb_addf(to, "\n%s", limits);
    add_packets(to);
    add_weights(to);
    add_program(to);
    add_values(to);
}
