/* SPDX-License-Identifier: Apache-2.0 */
#include "host/measure/plan_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "host/measure/case_file.h"

#define CASES_MAX (1 << 20)

static bool split_line(char *line, struct plan_case *to)
{
    unsigned count = 0;
    *to = (struct plan_case){.column = {NULL}};
    while (line && count <= PLAN_CASE_COLUMNS) {
        to->column[count++] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = '\0';
    }
    return !line && count >= PLAN_CASE_COLUMNS;
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
        return 2;
    }
    int status = each_line(file, text.text, only, call, context);
    sb_free(&text);
    return status;
}

bool plan_cases_each_text(const char *label, const char *text, plan_case_call *call, void *context)
{
    struct strbuf copy = {0};
    sb_add(&copy, text);
    const bool ok = sb_ok(&copy) && each_line(label, copy.text, NULL, call, context) == 0;
    sb_free(&copy);
    return ok;
}

/* "conv HEIGHT WIDTH CHANNELS SIDE STRIDE", of the image with its borders, or "depthwise ...". "oihw" behind
 * it: columns of the weights are (channel, dy, dx). */
static bool read_window(const char *op, struct plan_window *to)
{
    enum { HEIGHT, WIDTH, CHANNELS, SIDE, STRIDE, SIZES };
    uint32_t size[SIZES];
    const bool depthwise = !strncmp(op, "depthwise ", 10);
    char *next = strchr(op, ' ');
    if (!depthwise && strncmp(op, "conv ", 5) != 0)
        return false;
    for (unsigned i = 0; i < SIZES; i++) {
        const char *from = next;
        size[i] = (uint32_t)strtoul(from, &next, 10);
        if (next == from || !size[i])
            return false;
    }
    *to = (struct plan_window){.height = size[HEIGHT],
                               .width = size[WIDTH],
                               .channels = size[CHANNELS],
                               .side_y = size[SIDE],
                               .side_x = size[SIDE],
                               .stride_y = size[STRIDE],
                               .stride_x = size[STRIDE],
                               .dilation_y = 1,
                               .dilation_x = 1,
                               .depthwise = depthwise};
    return true;
}

static int by_column(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Columns (channel, dy, dx) become (dy, dx, channel). */
static bool reorder(const struct plan_window *window, struct sparse *w)
{
    const uint32_t taps = window->side_y * window->side_x;
    uint64_t *row = malloc(((size_t)w->columns + 1) * sizeof *row);
    for (uint32_t r = 0; row && r < w->rows; r++) {
        const uint32_t start = w->start[r], length = w->start[r + 1] - start;
        for (uint32_t i = 0; i < length; i++) {
            const uint32_t column = w->column[start + i];
            row[i] = (uint64_t)(column % taps * window->channels + column / taps) << 32 |
                     (uint32_t)w->value[start + i];
        }
        qsort(row, length, sizeof *row, by_column);
        for (uint32_t i = 0; i < length; i++) {
            w->column[start + i] = (uint32_t)(row[i] >> 32);
            w->value[start + i] = (int32_t)(uint32_t)row[i];
        }
    }
    const bool ok = row != NULL;
    free(row);
    return ok;
}

bool plan_case_weights(const struct plan_case *c, struct sparse *to)
{
    struct plan_window window;
    const char *op = c->column[OP], *order = strstr(op, " oihw");
    if (case_weights_named(c->column[WEIGHTS], to))
        return false;
    return !order || (read_window(op, &window) && reorder(&window, to));
}

bool plan_case_description(const struct plan_case *c, const struct variant *variant,
                           const struct sparse *weights, struct plan_window *window,
                           struct plan_description *to)
{
    const char *op = c->column[OP];
    *to = (struct plan_description){.variant = variant,
                                    .operator= strcmp(op, "spmv") ? PLAN_SPMM : PLAN_SPMV,
                                    .weights = weights,
                                    .m = (uint32_t)strtoul(c->column[ROWS], NULL, 10),
                                    .element = 2,
                                    .density = strtod(c->column[ACTIVATIONS], NULL)};
    if (!strcmp(op, "spmm") || !strcmp(op, "spmv"))
        return true;
    to->operator= PLAN_CONVOLUTION;
    to->window = window;
    return read_window(op, window);
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
