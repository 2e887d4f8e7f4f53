/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-asm assembles text into packed words of every encoding, and disassembles them again.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
#include "gen/base/input.h"
#include "gen/base/options.h"
#include "gen/base/output.h"
#include "gen/isa/asm.h"
#include "gen/isa/disasm.h"
#include "gen/version.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char help[] =
    "Usage: tulle-asm FILE -o OUTPUT          text to packed words\n"
    "       tulle-asm -d FILE [-o OUTPUT]     packed words to text\n"
    "\n"
    "Assembles device programs, configuration payloads, weight streams, commands, instructions and\n"
    "packets; docs/assembler.md describes the language. - stands for standard input or output.\n"
    "\n"
    "  -o, --output FILE     where to write; text goes to standard output by default\n"
    "      --format FORMAT   format of packed words: bin, or hex with a word a line for $readmemh (bin)\n"
    "  -d, --disassemble     turn packed words (bin) into text\n"
    "      --as KIND         with -d: the kind of the words: program, config, weights, commands,\n"
    "                        instructions, packets or status (a program, known by its first bytes)\n"
    "      --lenient         with -d: print illegal words as .word with a comment instead of refusing them\n"
    "\n"
    "Layout of weight streams, for -d --as weights and for .weights sections without a layout:\n"
    "      --data BITS       bits of a value: 8 or 16 (8)\n"
    "      --index BITS      bits of the index in an entry: 6..16 (8)\n"
    "      --pes NUMBER      PEs of the cluster: 1..16 (8)\n"
    "      --entries NUMBER  entries for each PE in a weight beat: 1..64 (1)\n"
    "      --beat BYTES      bytes of a weight beat (as many as the entries need)\n"
    "\n"
    "      --list            every statement and its fields\n"
    "  -h, --help            this text\n"
    "  -V, --version         the versions of this program and of the instruction set\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum mode { MODE_ASSEMBLE, MODE_DISASSEMBLE, MODE_LIST, MODE_HELP, MODE_VERSION };

struct asm_options {
    enum mode mode;
    const char *input, *output, *format, *as;
    bool lenient;
    struct weights_layout layout;
};

/* ---- the command line ------------------------------------------------------------------------ */

static const struct place nowhere = {0};

static void parse_arguments(int argc, char **argv, struct asm_options *options, struct diag *diag)
{
    static const char *const data_widths[] = {"8", "16", NULL};
    const char *data = NULL, *index = NULL, *pes = NULL, *entries = NULL, *beat = NULL;
    struct weights_layout *layout = &options->layout;
    int64_t index_bits = layout->widths.index, pe_count = layout->pes, entry_count = layout->entries,
            beat_bytes = layout->beat_bytes;
    unsigned data_word = layout->widths.data / 8 - 1;
    bool modes[MODE_VERSION + 1] = {false};
    const struct option_entry table[] = {
        {.name = "--output", .letter = "-o", .value = &options->output},
        {.name = "--format", .value = &options->format},
        {.name = "--disassemble", .letter = "-d", .flag = &modes[MODE_DISASSEMBLE]},
        {.name = "--as", .value = &options->as},
        {.name = "--lenient", .flag = &options->lenient},
        {.name = "--data", .value = &data, .words = data_widths, .word = &data_word},
        {.name = "--index", .value = &index, .number = &index_bits, .min = 6, .max = 16},
        {.name = "--pes", .value = &pes, .number = &pe_count, .min = 1, .max = WEIGHTS_PES_MAX},
        {.name = "--entries",
         .value = &entries,
         .number = &entry_count,
         .min = 1,
         .max = WEIGHTS_ENTRIES_MAX},
        {.name = "--beat", .value = &beat, .number = &beat_bytes, .min = 1, .max = WEIGHTS_BEAT_BYTES_MAX},
        {.name = "--list", .flag = &modes[MODE_LIST]},
        {.name = "--help", .letter = "-h", .flag = &modes[MODE_HELP]},
        {.name = "--version", .letter = "-V", .flag = &modes[MODE_VERSION]},
        {.name = NULL}};
    options_read(argc, argv, table, &(struct option_rest){&options->input, 1, "file "}, diag);
    *layout = (struct weights_layout){.widths = {8 * (data_word + 1), (unsigned)index_bits},
                                      .pes = (unsigned)pe_count,
                                      .entries = (unsigned)entry_count,
                                      .beat_bytes = (unsigned)beat_bytes};
    /* Information goes before everything else. */
    for (unsigned mode = 0; mode <= MODE_VERSION; mode++)
        if (modes[mode])
            options->mode = (enum mode)mode;
}

static bool is_hex(const struct asm_options *options)
{
    return options->format && !strcmp(options->format, "hex");
}

static const struct text_section *section_named(const char *name)
{
    for (unsigned i = 0; i < TEXT_DATA; i++)
        if (!strcmp(text_sections[i].name, name))
            return &text_sections[i];
    return NULL;
}

static void check_mode(const struct asm_options *options, struct diag *diag)
{
    const bool disassemble = options->mode == MODE_DISASSEMBLE;
    if (!options->input)
        diag_error(diag, nowhere, "a file is missing; - is standard input");
    if (!disassemble && (options->as || options->lenient))
        diag_error(diag, nowhere, "%s goes with -d only", options->as ? "--as" : "--lenient");
    if (disassemble && options->format)
        diag_error(diag, nowhere, "--format goes without -d only: -d takes bin");
    if (!disassemble && !options->output && !is_hex(options))
        diag_error(diag, nowhere, "an output file is missing: give -o FILE, or -o - for standard output");
}

/* What does not go together. */
static void check_options(const struct asm_options *options, struct diag *diag)
{
    const struct weights_layout *layout = &options->layout;
    if (options->format && !is_hex(options) && strcmp(options->format, "bin") != 0)
        diag_error(diag, nowhere, "--format %s: allowed bin, hex", options->format);
    if (options->as && !section_named(options->as))
        diag_error(diag, nowhere,
                   "--as %s: allowed program, config, weights, commands, instructions, packets, status",
                   options->as);
    if (!diag->errors && layout->beat_bytes && layout->beat_bytes < weights_beat_bytes_needed(layout))
        diag_error(diag, nowhere, "--beat %u: the entries of a beat take %u bytes", layout->beat_bytes,
                   weights_beat_bytes_needed(layout));
    if (options->mode <= MODE_DISASSEMBLE)
        check_mode(options, diag);
}

/* ---- what there is to do --------------------------------------------------------------------- */

static const char *shown_name(const struct asm_options *options)
{
    assert(options->input); /* check_mode saw to it */
    return strcmp(options->input, "-") ? options->input : "<stdin>";
}

static void assemble(const struct asm_options *options, const struct strbuf *input, struct strbuf *to,
                     struct diag *diag)
{
    struct asm_image image;
    if (!asm_assemble(shown_name(options), input, &options->layout, &image, diag))
        return;
    if (is_hex(options))
        asm_image_hex(&image, shown_name(options), to, diag);
    else
        sb_addn(to, sb_text(&image.bytes), image.bytes.len);
    asm_image_free(&image);
}

static void disassemble(const struct asm_options *options, const struct strbuf *input, struct strbuf *to,
                        struct diag *diag)
{
    const struct disasm_options how = {
        .as = options->as ? section_named(options->as) : NULL,
        .lenient = options->lenient,
        .layout = options->layout,
    };
    disasm(shown_name(options), input, &how, to, diag);
}

static void convert(const struct asm_options *options, struct strbuf *to, struct diag *diag)
{
    struct strbuf input = {0};
    if (input_read(options->input, ASM_INPUT_MAX, &input, diag)) {
        if (options->mode == MODE_DISASSEMBLE)
            disassemble(options, &input, to, diag);
        else
            assemble(options, &input, to, diag);
    }
    sb_free(&input);
}

static void run(const struct asm_options *options, struct diag *diag)
{
    struct strbuf text = {0};
    switch (options->mode) {
    case MODE_ASSEMBLE:
    case MODE_DISASSEMBLE:
        convert(options, &text, diag);
        break;
    case MODE_LIST:
        text_list(&text, options->layout.widths);
        break;
    case MODE_HELP:
        sb_add(&text, help);
        break;
    case MODE_VERSION:
        sb_add(&text, "tulle-asm " TULLE_VERSION ", instruction set " TULLE_ISA_VERSION "\n");
        break;
    }
    if (!diag->errors)
        output_file(options->output ? options->output : "-", &text, diag);
    sb_free(&text);
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    struct asm_options options = {.layout = asm_default_layout};
    int status = EXIT_SUCCESS;
    parse_arguments(argc, argv, &options, &diag);
    if (options.mode < MODE_HELP)
        check_options(&options, &diag);
    else
        diag_free(&diag);
    if (diag.errors)
        status = EXIT_USAGE;
    else
        run(&options, &diag);
    if (diag.errors && status == EXIT_SUCCESS)
        status = EXIT_FAILED;
    diag_report(&diag, stderr);
    if (status == EXIT_USAGE)
        fputs("Try tulle-asm --help.\n", stderr);
    return status;
}
