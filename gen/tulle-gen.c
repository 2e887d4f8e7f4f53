/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-gen writes the Verilog of a variant and all files that belong to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"
#include "gen/base/options.h"
#include "gen/base/output.h"
#include "gen/emit/emit.h"
#include "gen/emit/fields_doc.h"
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
    "Generates the Verilog of an accelerator for sparse matrices, with its headers, register map, file\n"
    "lists and test bench. VARIANT is a named variant (see --list) or a file (.yaml, .yml, or a\n"
    "path with a /). DIR is written completely or not at all; it must be new, empty, or an earlier\n"
    "output.\n"
    "\n"
    "  -o, --output DIR      where to write; a file for --isa-doc and the like, default standard output\n"
    "      --set KEY=VALUE   replace a value of the variant; repeatable (a list: --set functions=relu,max)\n"
    "      --random SEED     instead of VARIANT: a random legal variant with at most 64 PEs\n"
    "      --corner SEED     the same, most of its values at an end of their range\n"
    "\n"
    "Instead of a folder:\n"
    "      --print           the variant as a complete, commented variant file\n"
    "      --json            the variant as JSON, the contents of variant.json\n"
    "      --estimate        the estimated area and clock on an FPGA without synthesis: LUTs, flip-flops,\n"
    "                        DSPs, block RAMs, clock (docs/synthesis.md); as JSON with --json\n"
    "      --target FAMILY   the FPGA family of --estimate (xcup)\n"
    "      --list            the named variants\n"
    "      --list-keys       every key of a variant file with its range and its meaning, in Markdown\n"
    "      --isa-doc         the instruction set, in Markdown\n"
    "      --register-doc    the register map, in Markdown\n"
    "      --field-doc       what looks at each field of both, in Markdown\n"
    "      --isa-headers DIR a folder of C headers that are the same for every variant\n"
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
    MODE_FIELD_DOC,
    MODE_ISA_HEADERS,
    MODE_HELP,
    MODE_VERSION
};

struct gen_options {
    enum mode mode;
    const char *mode_name; /* the option that chose the mode; NULL for generating */
    const char *variant, *random, *corner, *output, *headers, *target;
    const char **sets; /* room for all arguments */
    unsigned set_count;
    bool json; /* of --estimate */
};

/* ---- the command line ------------------------------------------------------------------------ */

static const struct place nowhere = {0};

/* The mode's option, which may be given as a flag. */
static const struct {
    const char *name, *letter;
    enum mode mode;
} mode_options[] = {
    {"--list", NULL, MODE_LIST},           {"--list-keys", NULL, MODE_LIST_KEYS},
    {"--isa-doc", NULL, MODE_ISA_DOC},     {"--register-doc", NULL, MODE_REGISTER_DOC},
    {"--field-doc", NULL, MODE_FIELD_DOC}, {"--print", NULL, MODE_PRINT},
    {"--estimate", NULL, MODE_ESTIMATE},   {"--json", NULL, MODE_JSON},
    {"--help", "-h", MODE_HELP},           {"--version", "-V", MODE_VERSION},
};
#define MODE_OPTIONS (sizeof mode_options / sizeof *mode_options)

static void set_mode(struct gen_options *options, enum mode mode, const char *name, struct diag *diag)
{
    if (options->mode_name)
        diag_error(diag, nowhere, "%s and %s exclude each other", options->mode_name, name);
    options->mode = mode;
    options->mode_name = name;
}

/* Asked for anywhere on the command line, help and version go before everything else. */
static bool is_information(enum mode mode)
{
    return mode == MODE_HELP || mode == MODE_VERSION;
}

static void choose_mode(struct gen_options *options, const bool *given, struct diag *diag)
{
    for (size_t i = 0; i < MODE_OPTIONS; i++)
        if (given[i] && is_information(mode_options[i].mode)) {
            options->mode = mode_options[i].mode;
            return;
        }
    if (options->headers)
        set_mode(options, MODE_ISA_HEADERS, "--isa-headers", diag);
    for (size_t i = 0; i < MODE_OPTIONS; i++)
        if (given[i] && mode_options[i].mode == MODE_JSON && options->mode == MODE_ESTIMATE)
            options->json = true;
        else if (given[i])
            set_mode(options, mode_options[i].mode, mode_options[i].name, diag);
}

static void parse_arguments(int argc, char **argv, struct gen_options *options, struct diag *diag)
{
    bool given[MODE_OPTIONS] = {false};
    struct option_entry table[MODE_OPTIONS + 7] = {
        {.name = "--output", .letter = "-o", .value = &options->output},
        {.name = "--set", .list = options->sets, .count = &options->set_count},
        {.name = "--random", .value = &options->random},
        {.name = "--corner", .value = &options->corner},
        {.name = "--isa-headers", .value = &options->headers},
        {.name = "--target", .value = &options->target}};
    for (size_t i = 0; i < MODE_OPTIONS; i++)
        table[6 + i] = (struct option_entry){
            .name = mode_options[i].name, .letter = mode_options[i].letter, .flag = &given[i]};
    options_read(argc, argv, table, &(struct option_rest){&options->variant, 1, "variant "}, diag);
    choose_mode(options, given, diag);
}

static bool takes_variant(enum mode mode)
{
    return mode == MODE_GENERATE || mode == MODE_PRINT || mode == MODE_JSON || mode == MODE_ESTIMATE;
}

/* What does not go together. */
static void check_options(const struct gen_options *options, struct diag *diag)
{
    const char *drawn = options->random ? "--random" : options->corner ? "--corner" : NULL;
    bool given = options->variant || drawn;
    if (is_information(options->mode))
        return;
    if (options->variant && drawn)
        diag_error(diag, nowhere, "%s stands in place of a variant: leave out \"%s\"", drawn,
                   options->variant);
    if (options->random && options->corner)
        diag_error(diag, nowhere, "--random and --corner are each a variant: leave out one of them");
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
static bool load_random(const struct gen_options *options, struct variant *variant, struct diag *diag)
{
    const char *given = options->random ? options->random : options->corner;
    uint64_t seed;
    struct strbuf text = {0};
    if (!parse_seed(given, &seed)) {
        diag_error(diag, nowhere, "%s %s: a seed is a number of at most 19 digits",
                   options->random ? "--random" : "--corner", given);
        return false;
    }
    (options->random ? variant_random : variant_corner)(seed, variant);
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

static bool generate(const struct gen_options *options, const struct variant *variant, struct strbuf *to,
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

static bool write_estimate(const struct gen_options *options, const struct variant *variant,
                           struct strbuf *to, struct diag *diag)
{
    struct estimate estimate = {0};
    const struct estimate_source *source = estimate_find(options->target ? options->target : "xcup", diag);
    const bool ok = source && estimate_make(variant, source, &estimate, diag);
    if (ok)
        (options->json ? estimate_json : estimate_text)(variant, &estimate, to);
    estimate_free(&estimate);
    return ok;
}

static bool make_text(const struct gen_options *options, const struct variant *variant, struct strbuf *to,
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
    case MODE_FIELD_DOC:
        fields_document(to);
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

static bool load(const struct gen_options *options, struct variant *variant, struct diag *diag)
{
    if (!takes_variant(options->mode))
        return true;
    if (options->random || options->corner)
        return load_random(options, variant, diag);
    return variant_load(options->variant, options->sets, options->set_count, variant, diag);
}

static bool run(const struct gen_options *options, struct diag *diag)
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
    struct gen_options options = {.sets = calloc((size_t)argc, sizeof *options.sets)};
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
    free(options.sets);
    return status;
}
