/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/check.h"
#include "host/cli/floats.h"
#include "host/cli/report.h"
#include "host/formats/formats.h"

static double real_result(const struct product *p, size_t i)
{
    return (double)(float)(p->reals[i] * floats_scale(p));
}

/* The results as a matrix, which is what is written. */
static bool matrix_of(const struct product *p, struct matrix *m)
{
    const int64_t rows = operands_result_rows(&p->operands), columns = operands_result_columns(&p->operands);
    const size_t count = (size_t)product_result_count(p);
    uint64_t entries = 0;
    *m = (struct matrix){.rows = (uint32_t)rows,
                         .columns = (uint32_t)columns,
                         .values = p->reals ? MATRIX_REAL : MATRIX_INTEGER};
    m->start = calloc((size_t)rows + 1, sizeof *m->start);
    m->column = calloc(count + 1, sizeof *m->column);
    if (p->reals)
        m->real = calloc(count + 1, sizeof *m->real);
    else
        m->integer = calloc(count + 1, sizeof *m->integer);
    if (!m->start || !m->column || (!m->integer && !m->real))
        return false;
    for (size_t i = 0; i < count; i++) {
        m->column[entries] = (uint32_t)(i % (size_t)columns);
        if (p->reals)
            m->real[entries] = real_result(p, i);
        else
            m->integer[entries] = p->results[i];
        entries += p->reals ? m->real[entries] != 0 : p->results[i] != 0;
        m->start[i / (size_t)columns + 1] = entries;
    }
    return true;
}

static bool write_results(const struct product *p, struct diag *diag)
{
    static const enum npy_type types[] = {[TULLE_INT8] = NPY_INT8,
                                          [TULLE_INT16] = NPY_INT16,
                                          [TULLE_INT32] = NPY_INT32,
                                          [TULLE_INT64] = NPY_INT64,
                                          [TULLE_FLOAT32] = NPY_FLOAT32};
    const struct write_options options = {.array = true,
                                          .npy_type = p->output_unsigned ? NPY_UINT8 : types[p->output_type]};
    struct matrix m;
    bool ok = matrix_of(p, &m);
    if (!ok)
        diag_error(diag, (struct place){.file = p->request->output}, "out of memory");
    ok = ok && matrix_write(p->request->output, &options, &m, diag);
    matrix_free(&m);
    return ok;
}

/* Said before a long product, not after it. */
static bool can_write(const char *path, struct diag *diag)
{
    const char *slash = strrchr(path, '/');
    struct strbuf folder = {0};
    sb_addn(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    bool ok = access(slash ? sb_text(&folder) : ".", W_OK) == 0;
    if (!ok)
        diag_error(diag, (struct place){.file = path}, "nothing can be written there: %s", strerror(errno));
    sb_free(&folder);
    return ok;
}

static bool print(const struct product *p, struct diag *diag)
{
    const struct request *r = p->request;
    struct strbuf text = {0};
    if (r->json) {
        report_run_json(p, r->check, &text);
    } else {
        report_plan(p, &text);
        report_run(p, &text);
        sb_addf(&text, "checked         %s\n",
                !r->check  ? "no: --check compares with a plain computation"
                : p->reals ? "no result is further away than errors can be"
                           : "every result is right");
        if (r->output)
            sb_addf(&text, "written to      %s\n", r->output);
    }
    bool ok = r->quiet || report_print(&text, diag);
    sb_free(&text);
    return ok;
}

static bool run(const struct request *r, struct product *p, struct diag *diag)
{
    *p = (struct product){.request = r};
    if (r->output && !can_write(r->output, diag))
        return false;
    if (!product_make(r, p, diag) || !product_run(p, diag) || (r->check && !check_results(p, diag)))
        return false;
    bool written = !r->output || write_results(p, diag);
    progress_end(&p->progress);
    return written && print(p, diag);
}

int cli_run(int argc, char **argv)
{
    struct request request;
    struct product product;
    struct diag diag = {0};
    int status;
    if (!request_parse("run", argc, argv, &request, &status))
        return status;
    bool ok = run(&request, &product, &diag);
    product_free(&product);
    diag_report(&diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}
