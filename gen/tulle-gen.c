/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-gen: from a variant to a folder of Verilog and all that belongs to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
#include "gen/base/options.h"
#include "gen/base/output.h"
#include "gen/emit/emit.h"
#include "gen/emit/isa_c.h"
#include "gen/emit/isa_doc.h"
#include "gen/emit/registers.h"
#include "gen/emit/summary.h"
#include "gen/estimate/estimate.h"
#include "gen/version.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char help[] =
    "Usage: tulle-gen VARIANT -o DIR [--set KEY=VALUE]...\n"
    "\n"
    "Generates the Verilog of an accelerator for sparse matrices, with the headers, register map, file\n"
    "lists and testbench that belong to it. VARIANT is a named variant (see --list) or a file (.yaml, .yml,\n"
    "or a path with a / in it). DIR is written as a whole or not at all; it must be new, empty, or an\n"
    "earlier output.\n"
    "\n"
    "  -o, --output DIR      where to write; a file for --isa-doc and the like, default standard output\n"
    "      --set KEY=VALUE   replace a value of the variant; repeatable (a list: --set functions=relu,max)\n"
    "      --random SEED     in place of VARIANT: a random legal one with at most 64 PEs\n"
    "\n"
    "Instead of a folder:\n"
    "      --print           the variant as a complete, commented variant file\n"
    "      --json            the variant as JSON, what variant.json has\n"
    "      --estimate        what it takes of an FPGA: LUTs, flip-flops, DSPs, block RAMs, clock; "
    "estimated,\n"
    "                        without synthesis (docs/synthesis.md); with --json as JSON\n"
    "      --target FAMILY   the FPGA family of --estimate (xcup)\n"
    "      --list            the named variants\n"
    "      --list-keys       every key of a variant file, its range and its meaning, in Markdown\n"
    "      --isa-doc         the instruction set, in Markdown\n"
    "      --register-doc    the register map, in Markdown\n"
    "      --isa-headers DIR a folder of C headers that serve every variant\n"
    "  -h, --help            this text\n"
    "  -V, --version         the versions of this program and of the instruction set\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum mode {
    MODE_GENERATE,
    MODE_PRINT,
    MODE_JSON,
    MODE_ESTIMATE,
    MODE_LIST,
    MODE_LIST_KEYS,
    MODE_ISA_DOC,
    MODE_REGISTER_DOC,
    MODE_ISA_HEADERS,
    MODE_HELP,
    MODE_VERSION
};

struct options {
    enum mode mode;
    const char *mode_name; /* the option that chose the mode; NULL for generating */
    const char *variant, *random, *output, *headers, *target;
    const char **sets; /* room for all arguments */
    size_t set_count;
    bool json; /* of --estimate */
};

/* ---- the command line ------------------------------------------------------------------------ */

enum option_kind { OPTION_MODE, OPTION_OUTPUT, OPTION_SET, OPTION_RANDOM, OPTION_HEADERS, OPTION_TARGET };

static const struct option {
    const char *name, *letter;
    enum option_kind kind;
    enum mode mode;
} option_table[] = {
    {"--output", "-o", OPTION_OUTPUT, MODE_GENERATE},
    {"--set", NULL, OPTION_SET, MODE_GENERATE},
    {"--random", NULL, OPTION_RANDOM, MODE_GENERATE},
    {"--print", NULL, OPTION_MODE, MODE_PRINT},
    {"--json", NULL, OPTION_MODE, MODE_JSON},
    {"--estimate", NULL, OPTION_MODE, MODE_ESTIMATE},
    {"--target", NULL, OPTION_TARGET, MODE_GENERATE},
    {"--list", NULL, OPTION_MODE, MODE_LIST},
    {"--list-keys", NULL, OPTION_MODE, MODE_LIST_KEYS},
    {"--isa-doc", NULL, OPTION_MODE, MODE_ISA_DOC},
    {"--register-doc", NULL, OPTION_MODE, MODE_REGISTER_DOC},
    {"--isa-headers", NULL, OPTION_HEADERS, MODE_ISA_HEADERS},
    {"--help", "-h", OPTION_MODE, MODE_HELP},
    {"--version", "-V", OPTION_MODE, MODE_VERSION},
};
#define OPTION_COUNT (sizeof option_table / sizeof *option_table)

static const struct place nowhere = {0};

/* Also finds "--option=value", and the value in it. */
static const struct option *find_option(const char *text, const char **value)
{
    size_t len = strcspn(text, "=");
    *value = text[len] ? text + len + 1 : NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &option_table[i];
        bool named = strlen(option->name) == len && !strncmp(text, option->name, len);
        if (named && (!*value || option->kind != OPTION_MODE))
            return option;
        if (option->letter && !strcmp(text, option->letter))
            return option;
    }
    return NULL;
}

static void report_unknown(const char *text, struct diag *diag)
{
    const char *names[OPTION_COUNT];
    for (size_t i = 0; i < OPTION_COUNT; i++)
        names[i] = option_table[i].name;
    options_report_unknown(text, names, OPTION_COUNT, diag);
}

/* Asked for anywhere on the command line, these go before everything else. */
static bool is_information(enum mode mode)
{
    return mode == MODE_HELP || mode == MODE_VERSION;
}

/* The two that go together. */
static bool is_estimate_as_json(enum mode a, enum mode b)
{
    return (a == MODE_ESTIMATE && b == MODE_JSON) || (a == MODE_JSON && b == MODE_ESTIMATE);
}

static void set_mode(struct options *options, const struct option *option, struct diag *diag)
{
    if (is_information(options->mode))
        return;
    if (is_estimate_as_json(options->mode, option->mode)) {
        options->json = true;
        options->mode = MODE_ESTIMATE;
        options->mode_name = "--estimate";
        return;
    }
    if (options->mode_name && options->mode != option->mode && !is_information(option->mode))
        diag_error(diag, nowhere, "%s and %s exclude each other", options->mode_name, option->name);
    options->mode = option->mode;
    options->mode_name = option->name;
}

static void set_value(struct options *options, const struct option *option, const char *value,
                      struct diag *diag)
{
    switch (option->kind) {
    case OPTION_OUTPUT:
        options_set_once(&options->output, value, option->name, diag);
        break;
    case OPTION_SET:
        options->sets[options->set_count++] = value;
        break;
    case OPTION_RANDOM:
        options_set_once(&options->random, value, option->name, diag);
        break;
    case OPTION_HEADERS:
        options_set_once(&options->headers, value, option->name, diag);
        set_mode(options, option, diag);
        break;
    case OPTION_TARGET:
        options_set_once(&options->target, value, option->name, diag);
        break;
    case OPTION_MODE:
        break;
    }
}

static void take_variant(struct options *options, const char *text, struct diag *diag)
{
    if (options->variant)
        diag_error(diag, nowhere, "one variant at a time: \"%s\" and \"%s\"", options->variant, text);
    options->variant = text;
}

static void parse_arguments(int argc, char **argv, struct options *options, struct diag *diag)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct option *option = find_option(argv[i], &value);
        if (option && option->kind == OPTION_MODE)
            set_mode(options, option, diag);
        else if (option && (value || i + 1 < argc))
            set_value(options, option, value ? value : argv[++i], diag);
        else if (option)
            diag_error(diag, nowhere, "%s needs a value", argv[i]);
        else if (argv[i][0] == '-')
            report_unknown(argv[i], diag);
        else
            take_variant(options, argv[i], diag);
    }
}

static bool takes_variant(enum mode mode)
{
    return mode == MODE_GENERATE || mode == MODE_PRINT || mode == MODE_JSON || mode == MODE_ESTIMATE;
}

/* What does not go together. */
static void check_options(const struct options *options, struct diag *diag)
{
    bool given = options->variant || options->random;
    if (is_information(options->mode))
        return;
    if (options->variant && options->random)
        diag_error(diag, nowhere, "--random stands in place of a variant: leave out \"%s\"",
                   options->variant);
    if (takes_variant(options->mode) && !given)
        diag_error(diag, nowhere, "a variant is missing: give a name (tulle-gen --list) or a .yaml file");
    if (!takes_variant(options->mode) && (given || options->set_count))
        diag_error(diag, nowhere, "%s takes no variant", options->mode_name);
    if (options->target && options->mode != MODE_ESTIMATE)
        diag_error(diag, nowhere, "--target is of --estimate");
    if (options->mode == MODE_GENERATE && !options->output)
        diag_error(diag, nowhere, "an output folder is missing: give -o DIR");
    if (options->mode == MODE_GENERATE && options->output && !strcmp(options->output, "-"))
        diag_error(diag, nowhere, "a folder cannot be written to standard output: give -o DIR");
    if (options->mode == MODE_ISA_HEADERS && options->output)
        diag_error(diag, nowhere, "--isa-headers has its folder already: leave out -o");
}

/* ---- what there is to do --------------------------------------------------------------------- */

static bool parse_seed(const char *text, uint64_t *seed)
{
    size_t len = strlen(text);
    if (!len || len > 19 || strspn(text, "0123456789") != len)
        return false;
    *seed = strtoull(text, NULL, 10);
    return true;
}

/* A random variant goes through its text, so that overrides are checked as for any other. */
static bool load_random(const struct options *options, struct variant *variant, struct diag *diag)
{
    uint64_t seed;
    struct strbuf text = {0};
    if (!parse_seed(options->random, &seed)) {
        diag_error(diag, nowhere, "--random %s: a seed is a number of at most 19 digits", options->random);
        return false;
    }
    variant_random(seed, variant);
    variant_write_yaml(variant, &text);
    bool ok = variant_load_text("random variant", &text, options->sets, options->set_count, variant, diag);
    sb_free(&text);
    return ok;
}

static void list_variants(struct strbuf *to, struct diag *diag)
{
    struct variant variant;
    const char *name;
    for (size_t i = 0; (name = variant_named(i)) && variant_load_named(name, NULL, 0, &variant, diag); i++) {
        char shape[16];
        snprintf(shape, sizeof shape, "%ux%ux%u", variant.n, variant.m, variant.k);
        sb_addf(to, "%-8s %-8s ", name, shape);
        summary_one_line(to, &variant);
        sb_add(to, "\n");
    }
}

static bool generate(const struct options *options, const struct variant *variant, struct strbuf *to,
                     struct diag *diag)
{
    if (!emit_variant(variant, options->output, diag))
        return false;
    summary_write(to, variant);
    sb_addf(to, "written to      %s\n", options->output);
    return true;
}

static bool write_headers(const char *folder, struct diag *diag)
{
    struct strbuf isa = {0}, registers = {0};
    struct emit_context ctx = {.out = outdir_begin(folder, diag)};
    if (!ctx.out)
        return false;
    isa_c_header(&isa, NULL);
    registers_c_header(&registers, NULL);
    bool ok = emit_file(&ctx, "tulle_isa.h", &isa);
    ok = emit_file(&ctx, "tulle_registers.h", &registers) && ok;
    return outdir_commit(ctx.out) && ok;
}

static bool write_estimate(const struct options *options, const struct variant *variant, struct strbuf *to,
                           struct diag *diag)
{
    struct estimate estimate = {0};
    const struct estimate_source *source = estimate_find(options->target ? options->target : "xcup", diag);
    const bool ok = source && estimate_make(variant, source, &estimate, diag);
    if (ok)
        (options->json ? estimate_json : estimate_text)(variant, &estimate, to);
    estimate_free(&estimate);
    return ok;
}

static bool make_text(const struct options *options, const struct variant *variant, struct strbuf *to,
                      struct diag *diag)
{
    switch (options->mode) {
    case MODE_GENERATE:
        return generate(options, variant, to, diag);
    case MODE_PRINT:
        variant_write_yaml(variant, to);
        break;
    case MODE_JSON:
        variant_write_json(variant, TULLE_ISA_VERSION, to);
        break;
    case MODE_ESTIMATE:
        return write_estimate(options, variant, to, diag);
    case MODE_LIST:
        list_variants(to, diag);
        break;
    case MODE_LIST_KEYS:
        variant_list_keys(to);
        break;
    case MODE_ISA_DOC:
        isa_document(to);
        break;
    case MODE_REGISTER_DOC:
        register_document(to, NULL);
        break;
    case MODE_ISA_HEADERS:
        return write_headers(options->headers, diag);
    case MODE_HELP:
        sb_add(to, help);
        break;
    case MODE_VERSION:
        sb_add(to, "tulle-gen " TULLE_VERSION ", instruction set " TULLE_ISA_VERSION "\n");
        break;
    }
    return diag->errors == 0;
}

static bool load(const struct options *options, struct variant *variant, struct diag *diag)
{
    if (!takes_variant(options->mode))
        return true;
    if (options->random)
        return load_random(options, variant, diag);
    return variant_load(options->variant, options->sets, options->set_count, variant, diag);
}

static bool run(const struct options *options, struct diag *diag)
{
    struct variant variant;
    struct strbuf text = {0};
    bool to_stdout = options->mode == MODE_GENERATE || !options->output;
    bool ok = load(options, &variant, diag) && make_text(options, &variant, &text, diag) &&
              output_file(to_stdout ? "-" : options->output, &text, diag);
    sb_free(&text);
    return ok;
}

static int usage_error(struct diag *diag)
{
    diag_report(diag, stderr);
    fputs("Try tulle-gen --help.\n", stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    struct options options = {.sets = calloc((size_t)argc, sizeof *options.sets)};
    int status = EXIT_SUCCESS;
    if (!options.sets) {
        fputs("tulle-gen: out of memory\n", stderr);
        return EXIT_FAILED;
    }
    parse_arguments(argc, argv, &options, &diag);
    check_options(&options, &diag);
    if (diag.errors)
        status = usage_error(&diag);
    else if (!run(&options, &diag) || diag.errors)
        status = EXIT_FAILED;
    if (status == EXIT_FAILED)
        diag_report(&diag, stderr);
    diag_free(&diag);
    free(options.sets);
    return status;
}
