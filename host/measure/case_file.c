/* SPDX-License-Identifier: Apache-2.0 */
#include "host/measure/case_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "host/measure/measurement.h"

#define CASES_FILE_MAX (1 << 20)

enum { NAME, OPERATOR, VARIANT, WEIGHTS, ROWS, ACTIVATIONS, BAR, COLUMNS };

/* Splits a line at tabs, in place. */
static bool split(char *line, char *column[COLUMNS])
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        column[i] = line;
        line = strchr(line, '\t');
        if (!line)
            return i + 1 == COLUMNS;
        *line++ = '\0';
    }
    return false;
}

#define NUMBERS 5 /* of weights, at most */

/* The numbers behind the word at the start of text; how many there are. */
static unsigned numbers_of(const char *text, double numbers[NUMBERS])
{
    unsigned count = 0;
    const char *at = strchr(text, ' ');
    for (char *end = NULL; at && *at && count < NUMBERS; at = end) {
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

static bool are_weights(const char *text)
{
    double n[NUMBERS];
    return is_kind(text, "file") || !strcmp(text, "-") ||
           ((is_kind(text, "random") || is_kind(text, "banded")) && numbers_of(text, n) == 4);
}

static bool take_operator(const char *word, struct one_case *to)
{
    static const char *const names[] = {[CASE_SPMM] = "spmm",
                                        [CASE_SPMV] = "spmv",
                                        [CASE_SPCONV] = "spconv",
                                        [CASE_DEPTHWISE] = "depthwise",
                                        [CASE_EMPTY] = "empty"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(word, names[i])) {
            to->operator=(enum case_operator) i;
            return true;
        }
    return false;
}

bool case_convolves(const struct one_case *c)
{
    return c->operator== CASE_SPCONV || c->operator== CASE_DEPTHWISE;
}

static bool take_line(char *line, struct one_case *to)
{
    char *column[COLUMNS];
    struct shape shape;
    if (!split(line, column) || !take_operator(column[OPERATOR], to) || !are_weights(column[WEIGHTS]))
        return false;
    to->name = column[NAME];
    to->variant = column[VARIANT];
    to->weights = column[WEIGHTS];
    to->rows = (uint32_t)strtoul(column[ROWS], NULL, 10);
    to->shape = column[ROWS];
    to->density = strtod(column[ACTIVATIONS], NULL);
    to->has_bar = strcmp(column[BAR], "-");
    to->bar = to->has_bar ? strtod(column[BAR], NULL) : 0;
    return (to->operator== CASE_EMPTY) == !strcmp(column[WEIGHTS], "-") &&
           (!case_convolves(to) || shape_read(to->shape, &shape));
}

static bool take_lines(const char *path, struct case_file *file)
{
    unsigned number = 0;
    for (char *line = file->text.text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        if (*line == '#' || !*line)
            continue;
        struct one_case *more = realloc(file->list, (file->count + 1) * sizeof *more);
        file->list = more ? more : file->list;
        if (more && take_line(line, &file->list[file->count])) {
            file->count++;
            continue;
        }
        fprintf(
            stderr, "%s:%u: error: %s\n", path, number,
            more ? "not a case: seven columns between tabs, operator spmm, spmv, spconv, depthwise or empty, "
                   "weights random, banded or file (- for empty), a shape for rows of a convolution"
                 : "out of memory");
        return false;
    }
    return true;
}

bool case_file_read(const char *path, struct case_file *to)
{
    struct diag diag = {0};
    *to = (struct case_file){0};
    if (!input_read(path, CASES_FILE_MAX, &to->text, &diag)) {
        diag_report(&diag, stderr);
        return false;
    }
    if (take_lines(path, to))
        return true;
    case_file_free(to);
    return false;
}

void case_file_free(struct case_file *file)
{
    free(file->list);
    sb_free(&file->text);
}

const char *case_weights_named(const char *text, struct sparse *to)
{
    double n[NUMBERS];
    char path[1024];
    *to = (struct sparse){0};
    if (is_kind(text, "file") && !getenv("TULLE_DATA"))
        return "TULLE_DATA is not set";
    if (is_kind(text, "random") && numbers_of(text, n) == 4)
        *to = sparse_random((uint32_t)n[0], (uint32_t)n[1], n[2], (uint64_t)n[3]);
    else if (is_kind(text, "banded") && numbers_of(text, n) == 4)
        *to = sparse_banded((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (uint64_t)n[3]);
    else if (is_kind(text, "power-law") && numbers_of(text, n) == 3)
        *to = sparse_power_law((uint32_t)n[0], (uint64_t)n[1], (uint64_t)n[2]);
    else if (is_kind(text, "block") && numbers_of(text, n) == 5)
        *to = sparse_block((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], n[3], (uint64_t)n[4]);
    else if (is_kind(text, "file")) {
        snprintf(path, sizeof path, "%s/%s", getenv("TULLE_DATA"), text + strlen("file "));
        *to = sparse_read(path);
    }
    return NULL;
}

const char *case_weights(const struct one_case *c, struct sparse *to)
{
    return case_weights_named(c->weights, to);
}
