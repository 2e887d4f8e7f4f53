/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/stat.h>

#include "host/cli/cli.h"
#include "host/cli/progress.h"
#include "host/formats/formats.h"
#include "host/formats/name.h"
#include "host/formats/transpose.h"

static const char help[] =
    "Usage: tulle convert IN OUT [OPTION]...\n"
    "\n"
    "Converts a matrix file to another format: Matrix Market (.mtx), .smtx or NumPy's .npy. A matrix that\n"
    "the new format cannot hold without loss is refused. OUT is written completely or not at all; an\n"
    "existing file is replaced only with --force. - is standard input or output.\n"
    "\n"
    "      --from FORMAT     mtx, smtx or npy (found from the first bytes of IN, then from its name)\n"
    "      --to FORMAT       mtx, smtx or npy (found from the name of OUT)\n"
    "      --type TYPE       type of values in .npy: int8, int16, int32, int64, uint8, float32 or float64\n"
    "                        (the narrowest integers that hold the values; float64 for reals)\n"
    "      --array           .mtx: write every value, column by column, instead of the entries\n"
    "      --pattern         drop the values; .smtx has none\n"
    "      --drop-zeros      leave out entries that are 0\n"
    "      --keep-symmetric  keep a symmetric matrix as its lower half; otherwise all entries are written\n"
    "      --transpose       write the transpose\n"
    "      --force           replace OUT\n"
    "      --quiet           show no progress bar\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static const char *const format_names[] = {"mtx", "smtx", "npy", NULL}; /* enum format without FORMAT_AUTO */

/* enum npy_type without NPY_NARROWEST */
static const char *const type_names[] = {"int8",  "int16",   "int32",   "int64",
                                         "uint8", "float32", "float64", NULL};

struct conversion {
    const char *file[2]; /* in, out */
    const char *from_text, *to_text, *type_text;
    unsigned from, to, type;
    bool array, pattern, drop_zeros, keep_symmetric, transpose, force, quiet;
};

static const struct place nowhere = {0};

static enum format format_to(const struct conversion *c)
{
    return c->to_text ? (enum format)(c->to + 1) : format_of_name(c->file[1]);
}

/* ---- usage --------------------------------------------------------------------------------------- */

static void check(const struct conversion *c, struct diag *diag)
{
    if (!c->file[1]) {
        diag_error(diag, nowhere, "which files? give the one to read and the one to write");
        return;
    }
    const enum format to = format_to(c);
    if (to == FORMAT_AUTO)
        diag_error(diag, nowhere,
                   "%s: the name shows no format; let it end in .mtx, .smtx or .npy, or give --to",
                   c->file[1]);
    if (c->type_text && to != FORMAT_AUTO && to != FORMAT_NPY)
        diag_error(diag, nowhere, "--type goes with .npy only");
    if (c->array && to != FORMAT_AUTO && to != FORMAT_MATRIX_MARKET)
        diag_error(diag, nowhere, "--array goes with .mtx only");
    if (c->array && c->pattern)
        diag_error(diag, nowhere, "--array writes values, --pattern drops them: one of them, please");
    if (c->keep_symmetric && (c->transpose || c->array || to == FORMAT_SMTX || to == FORMAT_NPY))
        diag_error(diag, nowhere, "--keep-symmetric goes with entries in .mtx, and without --transpose");
}

/* ---- converting ---------------------------------------------------------------------------------- */

static bool may_write(const struct conversion *c, struct diag *diag)
{
    struct stat info;
    if (c->force || !strcmp(c->file[1], "-") || stat(c->file[1], &info) != 0 || !S_ISREG(info.st_mode))
        return true;
    diag_error(diag, (struct place){.file = c->file[1]}, "there is such a file; --force replaces it");
    return false;
}

static bool change(const struct conversion *c, struct matrix *m, struct diag *diag)
{
    if (c->pattern)
        matrix_drop_values(m);
    if (format_to(c) == FORMAT_SMTX && m->values != MATRIX_PATTERN) {
        diag_error(diag, (struct place){.file = c->file[0]},
                   "there are values, and .smtx has none; --pattern "
                   "drops them");
        return false;
    }
    if (!c->transpose || matrix_transpose(m))
        return true;
    diag_error(diag, (struct place){.file = c->file[0]}, "out of memory");
    return false;
}

static bool convert(const struct conversion *c, struct diag *diag)
{
    const struct read_options reading = {.format = c->from_text ? (enum format)(c->from + 1) : FORMAT_AUTO,
                                         .keep_symmetric = c->keep_symmetric,
                                         .drop_zeros = c->drop_zeros};
    const struct write_options writing = {.format = format_to(c),
                                          .array = c->array,
                                          .npy_type =
                                              c->type_text ? (enum npy_type)(c->type + 1) : NPY_NARROWEST};
    struct matrix m = {0};
    struct progress progress = progress_begin(2, c->quiet);
    progress_step(&progress, "reading");
    bool ok = may_write(c, diag) && matrix_read(c->file[0], &reading, &m, diag) && change(c, &m, diag);
    progress_step(&progress, "writing");
    ok = ok && matrix_write(c->file[1], &writing, &m, diag);
    progress_end(&progress);
    matrix_free(&m);
    return ok;
}

static bool parse(int argc, char **argv, struct conversion *c, struct diag *diag)
{
    bool asked = false;
    const struct option_entry options[] = {
        {.name = "--from", .value = &c->from_text, .words = format_names, .word = &c->from},
        {.name = "--to", .value = &c->to_text, .words = format_names, .word = &c->to},
        {.name = "--type", .value = &c->type_text, .words = type_names, .word = &c->type},
        {.name = "--array", .flag = &c->array},
        {.name = "--pattern", .flag = &c->pattern},
        {.name = "--drop-zeros", .flag = &c->drop_zeros},
        {.name = "--keep-symmetric", .flag = &c->keep_symmetric},
        {.name = "--transpose", .flag = &c->transpose},
        {.name = "--force", .flag = &c->force},
        {.name = "--quiet", .flag = &c->quiet},
        {.name = "--help", .letter = "-h", .flag = &asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){c->file, 2, NULL}, diag);
    if (!asked)
        check(c, diag);
    return asked;
}

int cli_convert(int argc, char **argv)
{
    struct conversion c = {.type = 0};
    struct diag diag = {0};
    if (parse(argc, argv, &c, &diag)) {
        diag_free(&diag);
        fputs(help, stdout);
        return CLI_DONE;
    }
    if (diag.errors)
        return cli_usage("convert", &diag);
    bool ok = convert(&c, &diag);
    diag_report(&diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}
