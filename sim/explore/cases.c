/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/explore/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/generate.h"
#include "sim/explore/case_file.h"
#include "sim/explore/run.h"

/* ---- operands for scripts/limits ------------------------------------------------------------- */

static FILE *open_operand(const char *folder, const char *name, const char *kind)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s.mtx", folder, name, kind);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: error: cannot write: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

static void close_operand(FILE *file)
{
    if (!ferror(file) && !fclose(file))
        return;
    fprintf(stderr, "error: operands: %s\n", strerror(errno));
    exit(1);
}

static void write_weights(const char *folder, const char *name, const struct sparse *w)
{
    FILE *file = open_operand(folder, name, "weights");
    fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n%u %u %u\n", w->rows, w->columns,
            w->start[w->rows]);
    for (uint32_t r = 0; r < w->rows; r++)
        for (uint32_t e = w->start[r]; e < w->start[r + 1]; e++)
            fprintf(file, "%u %u %d\n", r + 1, w->column[e] + 1, w->value[e]);
    close_operand(file);
}

static void write_activations(const char *folder, const char *name, uint32_t rows, uint32_t columns,
                              double density)
{
    uint64_t count = (uint64_t)rows * columns, nonzeros = 0;
    int8_t *a = malloc(count + 1);
    FILE *file = open_operand(folder, name, "activations");
    if (a && measured_activations(a, count, density)) {
        for (uint64_t i = 0; i < count; i++)
            nonzeros += a[i] != 0;
        fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n%u %u %llu\n", rows, columns,
                (unsigned long long)nonzeros);
        for (uint64_t i = 0; i < count; i++)
            if (a[i])
                fprintf(file, "%u %u %d\n", (uint32_t)(i / columns) + 1, (uint32_t)(i % columns) + 1, a[i]);
    }
    free(a);
    close_operand(file);
}

/* ---- running --------------------------------------------------------------------------------- */

static struct measurement measure(const struct one_case *c, const struct sparse *w)
{
    const struct plan_options options = case_plan_options(c, w);
    struct setup setup = setup_load(c->variant, NULL);
    struct convolution shape;
    switch (c->operator) {
    case CASE_SPMM:
        return measure_spmm(&setup, w, c->rows, c->density, &options);
    case CASE_SPMV:
        return measure_spmv(&setup, w, &options);
    case CASE_SPCONV:
    case CASE_DEPTHWISE:
        convolution_read(c->shape, &shape);
        shape.depthwise = c->operator== CASE_DEPTHWISE;
        return measure_spconv(&setup, w, &shape, c->density);
    case CASE_EMPTY:
        break;
    }
    return measure_empty(&setup);
}

/* Whether the case is below its bar. */
static bool run_case(const struct one_case *c, const char *operands)
{
    struct sparse w;
    const char *missing = case_weights(c, &w);
    if (missing) {
        printf("| %s | left out: %s | | | | |\n", c->name, missing);
        return false;
    }
    struct measurement m = measure(c, &w);
    if (operands && c->operator!= CASE_EMPTY && !case_convolves(c)) {
        write_weights(operands, c->name, &w);
        write_activations(operands, c->name, c->rows, w.columns, c->density);
    }
    sparse_free(&w);
    char bar[16] = "-";
    if (c->has_bar)
        snprintf(bar, sizeof bar, "%.2f", c->bar);
    bool missed = c->has_bar && (m.refused || m.efficiency < c->bar);
    if (m.refused)
        printf("| %s | refused: %s | | | %s | %s |\n", c->name, m.refused, bar, missed ? "missed" : "");
    else
        printf("| %s | %.2f | %llu | %.3f | %s | %s |\n", c->name, m.roofline, (unsigned long long)m.cycles,
               m.efficiency, bar,
               missed       ? "missed"
               : c->has_bar ? "held"
                            : "");
    fflush(stdout);
    return missed;
}

int cases_run(const char *path, const char *only, const char *operands)
{
    struct case_file file;
    if (!case_file_read(path, &file))
        return 2;
    printf("| case | roofline | cycles | efficiency | bar | |\n| --- | --- | --- | --- | --- | --- |\n");
    int status = 0;
    unsigned ran = 0;
    for (size_t i = 0; i < file.count; i++) {
        if (only && strcmp(file.list[i].name, only) != 0)
            continue;
        ran++;
        status = run_case(&file.list[i], operands) ? 1 : status;
    }
    if (!ran)
        fprintf(stderr, "%s: error: no case%s%s\n", path, only ? " is called " : "", only ? only : "");
    case_file_free(&file);
    return ran ? status : 2;
}
