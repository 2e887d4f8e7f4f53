/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bench/plan_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"

#define CASES_MAX (1 << 20)

static bool split_line(char *line, struct plan_case *to)
{
    for (unsigned i = 0; i < PLAN_CASE_COLUMNS; i++) {
        to->column[i] = line;
        line = strchr(line, '\t');
        if (!line)
            return i + 1 == PLAN_CASE_COLUMNS;
        *line++ = '\0';
    }
    return false;
}

static int each_line(const char *file, char *text, const char *only, plan_case_call *call, void *context)
{
    unsigned number = 0;
    for (char *line = text, *next; line && *line; line = next) {
        struct plan_case c;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        if (*line == '#' || !*line)
            continue;
        bool ok = split_line(line, &c);
        if (ok && only && strcmp(c.column[NAME], only))
            continue;
        if (!ok || !call(context, &c)) {
            fprintf(stderr, "%s:%u: error: not a case: %d columns between tabs\n", file, number,
                    PLAN_CASE_COLUMNS);
            return 2;
        }
    }
    return 0;
}

int plan_cases_each(const char *file, const char *only, plan_case_call *call, void *context)
{
    struct strbuf text = {0};
    struct diag diag = {0};
    if (!input_read(file, CASES_MAX, &text, &diag)) {
        diag_report(&diag, stderr);
        diag_free(&diag);
        return 2;
    }
    int status = each_line(file, text.text, only, call, context);
    sb_free(&text);
    return status;
}

bool plan_case_left_out(const struct plan_case *c)
{
    return !strncmp(c->column[WEIGHTS], "file ", 5) && !getenv("TULLE_DATA");
}

bool plan_case_below(const char *bar, double value)
{
    return strcmp(bar, "-") && value < strtod(bar, NULL);
}

bool plan_case_above(const char *bar, double value)
{
    return strcmp(bar, "-") && value > strtod(bar, NULL);
}
