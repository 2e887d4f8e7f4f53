/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/tool/cluster.h"

static void stop(const char *path, unsigned line, const char *why)
{
    fprintf(stderr, "bench-cluster: %s:%u: %s\n", path, line, why);
    exit(1);
}

/* "WORD NUMBER" with that word: the number. */
static bool read_number(const char *words, const char *word, unsigned *number)
{
    size_t length = strlen(word);
    char *end;
    if (strncmp(words, word, length) != 0 || words[length] != ' ')
        return false;
    unsigned long value = strtoul(words + length, &end, 10);
    *number = (unsigned)value;
    return !*end && end > words + length + 1 && value < 65536;
}

static bool read_kind(struct cluster_case *c, const char *words)
{
    c->kind = CASE_SPMM;
    if (!strcmp(words, "spmm"))
        return true;
    c->kind = CASE_HEAVY;
    if (read_number(words, "heavy", &c->heavy))
        return c->heavy < 8;
    c->kind = CASE_BAND;
    if (read_number(words, "band", &c->per_row))
        return c->per_row > 0;
    c->kind = CASE_FILE;
    snprintf(c->path, sizeof c->path, "%s", strncmp(words, "file ", 5) ? "" : words + 5);
    return c->path[0];
}

/* name, kind, scan, balance, weights, activations, bar; between tabs. */
static const char *read_case(struct cluster_case *c, char *line)
{
    char *field[7], *rest = line;
    for (unsigned i = 0; i < 7; i++) {
        field[i] = strtok_r(i ? NULL : line, "\t\n", &rest);
        if (!field[i])
            return "a case has seven fields";
    }
    if (strtok_r(NULL, "\t\n", &rest) || strlen(field[0]) >= sizeof c->name)
        return "a case has seven fields, the first of them short";
    snprintf(c->name, sizeof c->name, "%s", field[0]);
    c->scan = (unsigned)strtoul(field[2], NULL, 10);
    c->neighbour = !strcmp(field[3], "neighbour");
    c->weights = strtod(field[4], NULL);
    c->activations = strtod(field[5], NULL);
    c->bar = strcmp(field[6], "-") ? strtod(field[6], NULL) : 0;
    if (!read_kind(c, field[1]))
        return "the kind is not spmm, heavy PE, band PER_ROW or file PATH";
    if ((c->scan != 1 && c->scan != 2 && c->scan != 4) || (!c->neighbour && strcmp(field[3], "none")))
        return "scan is 1, 2 or 4, balance none or neighbour";
    return NULL;
}

struct cluster_cases cluster_cases_read(const char *path)
{
    struct cluster_cases cases = {0};
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        stop(path, 0, "cannot be read");
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (cases.count == cases.room) {
            cases.room = 2 * cases.room + 64;
            cases.list = realloc(cases.list, cases.room * sizeof *cases.list);
            if (!cases.list)
                stop(path, number, "out of memory");
        }
        cases.list[cases.count] = (struct cluster_case){0};
        const char *why = read_case(&cases.list[cases.count++], line);
        if (why)
            stop(path, number, why);
    }
    fclose(file);
    return cases;
}
