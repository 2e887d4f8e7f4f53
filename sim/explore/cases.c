/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/explore/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "host/formats/generate.h"
#include "sim/explore/run.h"

#define CASES_FILE_MAX (1 << 20)
#define COLUMNS 7

struct one_case {
    char *column[COLUMNS]; /* name, op, variant, weights, rows, activations, bar */
};

enum { NAME, OP, VARIANT, WEIGHTS, ROWS, ACTIVATIONS, BAR };

/* Splits a line at tabs, in place. */
static bool split(char *line, struct one_case *to)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        to->column[i] = line;
        line = strchr(line, '\t');
        if (!line)
            return i + 1 == COLUMNS;
        *line++ = '\0';
    }
    return false;
}

/* The numbers behind the word at the start of text; how many there are. */
static unsigned numbers_of(const char *text, double numbers[4])
{
    unsigned count = 0;
    const char *at = strchr(text, ' ');
    for (char *end = NULL; at && *at && count < 4; at = end) {
        numbers[count] = strtod(at, &end);
        if (end == at)
            return 0;
        count++;
    }
    return at && !*at ? count : 0;
}

static bool is_kind(const char *text, const char *kind)
{
    return !strncmp(text, kind, strlen(kind)) && text[strlen(kind)] == ' ';
}

static bool load_weights(const char *text, struct sparse *to)
{
    double n[4];
    if (is_kind(text, "random") && numbers_of(text, n) == 4)
        *to = sparse_random((uint32_t)n[0], (uint32_t)n[1], n[2], (uint64_t)n[3]);
    else if (is_kind(text, "banded") && numbers_of(text, n) == 4)
        *to = sparse_banded((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (uint64_t)n[3]);
    else if (is_kind(text, "file")) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", getenv("TULLE_DATA"), text + strlen("file "));
        *to = sparse_read(path);
    } else
        return false;
    return true;
}

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

static struct measurement measure(const struct one_case *c, const struct sparse *w, uint32_t rows,
                                  double density)
{
    static const struct plan_options spmm = {.rows_held = 4, .packet_bytes = 4096},
                                     spmv = {.packet_bytes = 8192};
    struct setup setup = setup_load(c->column[VARIANT], NULL);
    return strcmp(c->column[OP], "spmv") ? measure_spmm(&setup, w, rows, density, &spmm)
                                         : measure_spmv(&setup, w, &spmv);
}

/* 0, 1 below its bar, 2 not understood */
static int run_case(const struct one_case *c, const char *operands)
{
    struct sparse w;
    uint32_t rows = (uint32_t)strtoul(c->column[ROWS], NULL, 10);
    double density = strtod(c->column[ACTIVATIONS], NULL);
    if (!strncmp(c->column[WEIGHTS], "file ", 5) && !getenv("TULLE_DATA")) {
        printf("| %s | left out: TULLE_DATA is not set | | | | |\n", c->column[NAME]);
        return 0;
    }
    if (!load_weights(c->column[WEIGHTS], &w))
        return 2;
    struct measurement m = measure(c, &w, rows, density);
    if (operands) {
        write_weights(operands, c->column[NAME], &w);
        write_activations(operands, c->column[NAME], rows, w.columns, density);
    }
    sparse_free(&w);
    bool bar = strcmp(c->column[BAR], "-");
    bool missed = bar && (m.refused || m.efficiency < strtod(c->column[BAR], NULL));
    if (m.refused)
        printf("| %s | refused: %s | | | %s | %s |\n", c->column[NAME], m.refused, c->column[BAR],
               missed ? "missed" : "");
    else
        printf("| %s | %.2f | %llu | %.3f | %s | %s |\n", c->column[NAME], m.roofline,
               (unsigned long long)m.cycles, m.efficiency, c->column[BAR],
               missed ? "missed"
               : bar  ? "held"
                      : "");
    fflush(stdout);
    return missed;
}

static int run_lines(const char *file, char *text, const char *only, const char *operands)
{
    int worst = 0;
    unsigned number = 0, ran = 0;
    for (char *line = text, *next; line && *line; line = next) {
        struct one_case c;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        if (*line == '#' || !*line)
            continue;
        bool ok = split(line, &c);
        if (ok && only && strcmp(c.column[NAME], only))
            continue;
        ran++;
        int status = ok ? run_case(&c, operands) : 2;
        if (status == 2) {
            fprintf(stderr,
                    "%s:%u: error: not a case: seven columns between tabs, weights random, banded or file\n",
                    file, number);
            return 2;
        }
        worst = status > worst ? status : worst;
    }
    if (!ran)
        fprintf(stderr, "%s: error: no case%s%s\n", file, only ? " is called " : "", only ? only : "");
    return ran ? worst : 2;
}

int cases_run(const char *file, const char *only, const char *operands)
{
    struct strbuf text = {0};
    struct diag diag = {0};
    if (!input_read(file, CASES_FILE_MAX, &text, &diag)) {
        diag_report(&diag, stderr);
        return 2;
    }
    printf("| case | roofline | cycles | efficiency | bar | |\n| --- | --- | --- | --- | --- | --- |\n");
    int status = run_lines(file, text.text, only, operands);
    sb_free(&text);
    return status;
}
