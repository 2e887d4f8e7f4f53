/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-asm: text to packed words of every encoding, and back.
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
    "Assembles device programs, configuration payloads, weight streams, commands, instructions and packets;\n"
    "docs/assembler.md describes the language. - stands for standard input or output.\n"
    "\n"
    "  -o, --output FILE     where to write; text goes to standard output by default\n"
    "      --format FORMAT   of packed words: bin, or hex with a word a line for $readmemh (default bin)\n"
    "  -d, --disassemble     take packed words (bin) apart\n"
    "      --as KIND         with -d: what they are: program, config, weights, commands, instructions, "
    "packets\n"
    "                        or status (default: a program, which is known by how it begins)\n"
    "      --lenient         with -d: print illegal words as .word with a comment instead of refusing them\n"
    "\n"
    "Layout of weight streams, for -d --as weights and for .weights sections that do not say:\n"
    "      --data BITS       of a value: 8 or 16 (default 8)\n"
    "      --index BITS      of the index part of an entry: 6..16 (default 8)\n"
    "      --pes NUMBER      PEs of the cluster: 1..16 (default 8)\n"
    "      --entries NUMBER  entries for each PE in a weight beat: 1..64 (default 1)\n"
    "      --beat BYTES      of a weight beat (default: what the entries need)\n"
    "\n"
    "      --list            every statement and its fields\n"
    "  -h, --help            this text\n"
    "  -V, --version         the versions of this program and of the instruction set\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum mode { MODE_ASSEMBLE, MODE_DISASSEMBLE, MODE_LIST, MODE_HELP, MODE_VERSION };

struct options {
    enum mode mode;
    const char *input, *output, *format, *as;
    bool lenient;
    struct weights_layout layout;
};

/* ---- the command line ------------------------------------------------------------------------ */

enum option_kind {
    OPTION_MODE,
    OPTION_LENIENT,
    /* The others take a value. */
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_AS,
    OPTION_DATA,
    OPTION_INDEX,
    OPTION_PES,
    OPTION_ENTRIES,
    OPTION_BEAT
};

static const struct option {
    const char *name, *letter;
    enum option_kind kind;
    enum mode mode;
    unsigned min, max;
} option_table[] = {
    {"--output", "-o", OPTION_OUTPUT, MODE_ASSEMBLE, 0, 0},
    {"--format", NULL, OPTION_FORMAT, MODE_ASSEMBLE, 0, 0},
    {"--disassemble", "-d", OPTION_MODE, MODE_DISASSEMBLE, 0, 0},
    {"--as", NULL, OPTION_AS, MODE_ASSEMBLE, 0, 0},
    {"--lenient", NULL, OPTION_LENIENT, MODE_ASSEMBLE, 0, 0},
    {"--data", NULL, OPTION_DATA, MODE_ASSEMBLE, 8, 16},
    {"--index", NULL, OPTION_INDEX, MODE_ASSEMBLE, 6, 16},
    {"--pes", NULL, OPTION_PES, MODE_ASSEMBLE, 1, WEIGHTS_PES_MAX},
    {"--entries", NULL, OPTION_ENTRIES, MODE_ASSEMBLE, 1, WEIGHTS_ENTRIES_MAX},
    {"--beat", NULL, OPTION_BEAT, MODE_ASSEMBLE, 1, WEIGHTS_BEAT_BYTES_MAX},
    {"--list", NULL, OPTION_MODE, MODE_LIST, 0, 0},
    {"--help", "-h", OPTION_MODE, MODE_HELP, 0, 0},
    {"--version", "-V", OPTION_MODE, MODE_VERSION, 0, 0},
};
#define OPTION_COUNT (sizeof option_table / sizeof *option_table)

static const struct place nowhere = {0};

static const struct option *find_option(const char *text)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (!strcmp(text, option_table[i].name) ||
            (option_table[i].letter && !strcmp(text, option_table[i].letter)))
            return &option_table[i];
    return NULL;
}

static void report_unknown(const char *text, struct diag *diag)
{
    const char *names[OPTION_COUNT];
    for (size_t i = 0; i < OPTION_COUNT; i++)
        names[i] = option_table[i].name;
    options_report_unknown(text, names, OPTION_COUNT, diag);
}

static void set_number(unsigned *to, const char *value, const struct option *option, struct diag *diag)
{
    const size_t len = strlen(value);
    const bool number = len && len < 6 && strspn(value, "0123456789") == len;
    *to = number ? (unsigned)strtoul(value, NULL, 10) : 0;
    if (*to < option->min || *to > option->max || (option->kind == OPTION_DATA && *to % 8))
        diag_error(diag, nowhere, "%s %s: allowed %u%s%u", option->name, value, option->min,
                   option->kind == OPTION_DATA ? ", " : "..", option->max);
}

static void set_value(struct options *options, const struct option *option, const char *value,
                      struct diag *diag)
{
    unsigned *const numbers[] = {
        [OPTION_DATA] = &options->layout.widths.data, [OPTION_INDEX] = &options->layout.widths.index,
        [OPTION_PES] = &options->layout.pes,          [OPTION_ENTRIES] = &options->layout.entries,
        [OPTION_BEAT] = &options->layout.beat_bytes,
    };
    switch (option->kind) {
    case OPTION_OUTPUT:
        options_set_once(&options->output, value, option->name, diag);
        break;
    case OPTION_FORMAT:
        options_set_once(&options->format, value, option->name, diag);
        break;
    case OPTION_AS:
        options_set_once(&options->as, value, option->name, diag);
        break;
    default:
        set_number(numbers[option->kind], value, option, diag);
    }
}

/* Information goes before everything else. */
static void set_switch(struct options *options, const struct option *option)
{
    if (option->kind == OPTION_LENIENT)
        options->lenient = true;
    else if (option->mode > options->mode)
        options->mode = option->mode;
}

static void parse_arguments(int argc, char **argv, struct options *options, struct diag *diag)
{
    for (int i = 1; i < argc; i++) {
        const struct option *option = find_option(argv[i]);
        if (option && option->kind <= OPTION_LENIENT)
            set_switch(options, option);
        else if (option && i + 1 < argc)
            set_value(options, option, argv[++i], diag);
        else if (option)
            diag_error(diag, nowhere, "%s needs a value", argv[i]);
        else if (argv[i][0] == '-' && argv[i][1])
            report_unknown(argv[i], diag);
        else if (options->input)
            diag_error(diag, nowhere, "one file at a time: \"%s\" and \"%s\"", options->input, argv[i]);
        else
            options->input = argv[i];
    }
}

static bool is_hex(const struct options *options)
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

static void check_mode(const struct options *options, struct diag *diag)
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
static void check_options(const struct options *options, struct diag *diag)
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

static const char *shown_name(const struct options *options)
{
    assert(options->input); /* check_mode saw to it */
    return strcmp(options->input, "-") ? options->input : "<stdin>";
}

static void assemble(const struct options *options, const struct strbuf *input, struct strbuf *to,
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

static void disassemble(const struct options *options, const struct strbuf *input, struct strbuf *to,
                        struct diag *diag)
{
    const struct disasm_options how = {
        .as = options->as ? section_named(options->as) : NULL,
        .lenient = options->lenient,
        .layout = options->layout,
    };
    disasm(shown_name(options), input, &how, to, diag);
}

static void convert(const struct options *options, struct strbuf *to, struct diag *diag)
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

static void run(const struct options *options, struct diag *diag)
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
    struct options options = {.layout = asm_default_layout};
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
    diag_free(&diag);
    return status;
}
