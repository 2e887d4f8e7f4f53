/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/advise.h"

#include <stdlib.h>

#include "gen/base/output.h"
#include "host/cli/cli.h"
#include "host/cli/report.h"
#include "host/formats/formats.h"
#include "host/formats/transpose.h"
#include "host/measure/measurement.h"

static const char help[] =
    "Usage: tulle advise MATRIX... --board B [OPTION]...\n"
    "\n"
    "Recommends a variant for these sparse matrices on a board. The command estimates the area of\n"
    "candidates (tulle-gen --estimate) and runs those that fit on the cycle model. It needs neither\n"
    "synthesis nor a device.\n"
    "\n"
    "MATRIX is a Matrix Market, .smtx or .npy file; only the positions of its non-zeros matter.\n"
    "\n"
    "  -b, --board B            a board or a part; an unknown name lists the known ones\n"
    "      --operator O         spmm (C[rows][n] = A[rows][k] x W[k][n]) or spmv (y[rows] = W[rows][k] x)\n"
    "      --rows M             rows of A (64)\n"
    "      --act-density D      density of A or x (1)\n"
    "      --transpose          the files have the transpose of W (.smtx of layers: outputs x inputs)\n"
    "      --fill F             percentage of LUTs, flip-flops, DSPs and block RAMs that may be used (75)\n"
    "      --clock MHZ          clock of all candidates, instead of the board's clock or the estimate\n"
    "      --tried N            candidates that run on the cycle model, the most promising ones (8 beside\n"
    "                           the named variants; 3 in all with more than four million multiplications)\n"
    "      --effort E           plans to try for each candidate (4; 2 with more than one million)\n"
    "      --all                also show candidates that do not fit or were not run\n"
    "  -o, --output FILE        write the recommended variant for tulle-gen, completely or not at all\n"
    "      --json               print one JSON object\n"
    "      --quiet              show no progress bar\n"
    "  -h, --help               this text\n"
    "\n"
    "Exit status: 0 done, 1 failed or nothing fits, 2 wrong usage.\n";

static const char *const operators[] = {[PLAN_SPMM] = "spmm", [PLAN_SPMV] = "spmv", NULL};

struct asked {
    const char *board, *operator_text, *rows_text, *density_text, *fill_text, *clock_text, *tried_text,
        *effort_text, *output;
    unsigned operator;
    int64_t rows, tried, effort;
    double fill, density, clock;
    bool all, json, quiet, help;
};

/* Only places count. W's columns are the planner's rows; of spmv the rows are. */
static bool read_matrix(const struct advise_request *r, unsigned number, struct sparse *to, struct diag *diag)
{
    const struct read_options options = {.drop_zeros = true};
    struct matrix matrix = {0};
    const bool turned = (r->operator== PLAN_SPMM) != r->transpose;
    if (!matrix_read(r->path[number], &options, &matrix, diag))
        return false;
    bool ok = true;
    matrix_drop_values(&matrix);
    if (turned && !(ok = matrix_transpose(&matrix)))
        diag_error(diag, (struct place){.file = r->path[number]}, "out of memory");
    if (ok && !matrix_entries(&matrix)) {
        diag_error(diag, (struct place){.file = r->path[number]}, "there is no entry that is not 0");
        ok = false;
    }
    if (ok)
        *to = sparse_from(&matrix);
    matrix_free(&matrix);
    return ok;
}

static bool write_variant(const struct advise *a, const char *path, struct diag *diag)
{
    struct strbuf text = {0};
    variant_write_yaml(&a->of[0].variant, &text);
    const bool ok = output_file(path, &text, diag);
    sb_free(&text);
    return ok;
}

static bool write_all(const struct advise *a, const struct asked *asked, struct diag *diag)
{
    struct strbuf text = {0};
    if (asked->json)
        advise_json(a, &text);
    else
        advise_text(a, asked->all, &text);
    bool ok = !asked->output || write_variant(a, asked->output, diag);
    ok = ok && report_print(&text, diag);
    sb_free(&text);
    return ok;
}

static bool advise(const struct advise_request *r, const struct asked *asked, struct diag *diag)
{
    struct advise *a = calloc(1, sizeof *a);
    bool ok = a;
    if (!a) {
        diag_error(diag, (struct place){0}, "out of memory");
        return false;
    }
    a->request = r;
    for (unsigned i = 0; ok && i < r->matrices; i++)
        ok = read_matrix(r, i, &a->weights[i], diag);
    struct progress progress = progress_begin(r->tried ? r->tried : 8, asked->quiet);
    ok = ok && advise_candidates(a, diag) && advise_try(a, &progress, diag);
    progress_end(&progress);
    ok = ok && write_all(a, asked, diag);
    for (unsigned i = 0; i < r->matrices; i++)
        sparse_free(&a->weights[i]);
    for (unsigned i = 0; i < a->count; i++)
        estimate_free(&a->of[i].estimate);
    free(a);
    return ok;
}

static void check(const struct asked *asked, struct advise_request *r, struct diag *diag)
{
    while (r->matrices < ADVISE_MATRICES && r->path[r->matrices])
        r->matrices++;
    if (!r->matrices)
        diag_error(diag, (struct place){0}, "which matrix? give files with the sparse operands");
    if (!asked->board)
        diag_error(diag, (struct place){0}, "which board? give --board and its name, or that of a part");
    if (asked->rows_text && asked->operator== PLAN_SPMV)
        diag_error(diag, (struct place){0}, "--rows: spmv has one");
}

int cli_advise(int argc, char **argv)
{
    struct asked asked = {.rows = 64, .fill = 75, .density = 1};
    struct advise_request r = {.density = 1};
    struct diag diag = {0};
    const struct option_entry options[] = {
        {.name = "--board", .letter = "-b", .value = &asked.board},
        {.name = "--operator", .value = &asked.operator_text, .words = operators, .word = &asked.operator},
         {.name = "--rows", .value = &asked.rows_text, .number = &asked.rows, .min = 1, .max = 1 << 20},
         {.name = "--act-density", .value = &asked.density_text, .real = &asked.density, .low = 0, .high = 1},
         {.name = "--transpose", .flag = &r.transpose},
         {.name = "--fill", .value = &asked.fill_text, .real = &asked.fill, .low = 1, .high = 100},
         {.name = "--clock", .value = &asked.clock_text, .real = &asked.clock, .low = 1, .high = 2000},
         {.name = "--tried",
          .value = &asked.tried_text,
          .number = &asked.tried,
          .min = 1,
          .max = ADVISE_CANDIDATES},
         {.name = "--effort", .value = &asked.effort_text, .number = &asked.effort, .min = 1, .max = 64},
         {.name = "--all", .flag = &asked.all},
         {.name = "--output", .letter = "-o", .value = &asked.output},
         {.name = "--json", .flag = &asked.json},
         {.name = "--quiet", .flag = &asked.quiet},
         {.name = "--help", .letter = "-h", .flag = &asked.help},
         {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){r.path, ADVISE_MATRICES, NULL}, &diag);
    if (asked.help) {
        diag_free(&diag);
        fputs(help, stdout);
        return CLI_DONE;
    }
    check(&asked, &r, &diag);
    if (diag.errors)
        return cli_usage("advise", &diag);
    r.operator= asked.operator;
    r.rows = asked.operator== PLAN_SPMV ? 1 : (uint32_t)asked.rows;
    r.density = asked.density;
    r.fill = asked.fill / 100;
    r.clock_mhz = asked.clock;
    r.tried = (unsigned)asked.tried;
    r.effort = (unsigned)asked.effort;
    const bool ok = part_find(asked.board, &r.part, &diag) && advise(&r, &asked, &diag);
    diag_report(&diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}
