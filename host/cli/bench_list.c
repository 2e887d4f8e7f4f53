/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle bench --list`: describes in words what a case multiplies.
 */
#include <stdlib.h>
#include <string.h>

#include "host/cli/bench.h"

#define NUMBERS_MAX 5

/* Reads "word number number ..."; how many numbers there are behind the word. */
static unsigned numbers_behind(const char *text, double to[NUMBERS_MAX])
{
    unsigned count = 0;
    const char *at = strchr(text, ' ');
    while (at && count < NUMBERS_MAX) {
        char *next;
        to[count] = strtod(at, &next);
        if (next == at)
            break;
        count++;
        at = next;
    }
    return count;
}

static bool begins(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return !strncmp(text, word, length) && text[length] == ' ';
}

/* How the weights of `rows` x `columns` are filled; false: they are not understood. */
static bool add_filling(const char *weights, const double n[NUMBERS_MAX], unsigned count, struct strbuf *to)
{
    if (begins(weights, "random") && count == 4)
        sb_addf(to, ", %g %%", 100 * n[2]);
    else if (begins(weights, "banded") && count == 4)
        sb_addf(to, ", %g a row within %g of the diagonal", n[1], n[2]);
    else if (begins(weights, "power-law") && count == 3)
        sb_addf(to, ", a graph of %g edges", n[1]);
    else if (begins(weights, "block") && count == 5)
        sb_addf(to, ", blocks of %g x %g, %g %%", n[2], n[2], 100 * n[3]);
    else
        return false;
    return true;
}

static void add_product(const struct plan_case *c, double rows, double columns, struct strbuf *to)
{
    if (strcmp(c->column[OP], "spmv") != 0)
        sb_addf(to, "%s x %.0f by %.0f x %.0f", c->column[ROWS], columns, columns, rows);
    else
        sb_addf(to, "%.0f x %.0f by a vector", rows, columns);
}

static bool add_image(const struct plan_case *c, struct strbuf *to)
{
    double n[NUMBERS_MAX];
    if (numbers_behind(c->column[OP], n) != NUMBERS_MAX)
        return false;
    if (strcmp(c->column[ROWS], "1") != 0)
        sb_addf(to, "%s images of ", c->column[ROWS]);
    sb_addf(to, "%.0f x %.0f x %.0f with the border, %swindow %.0f x %.0f, stride %.0f", n[0], n[1], n[2],
            begins(c->column[OP], "depthwise") ? "depthwise, " : "", n[3], n[3], n[4]);
    return true;
}

static bool add_shape(const struct plan_case *c, struct strbuf *to)
{
    const char *op = c->column[OP], *weights = c->column[WEIGHTS];
    const bool product = !strcmp(op, "spmm") || !strcmp(op, "spmv");
    double n[NUMBERS_MAX] = {0};
    if (!product && !add_image(c, to))
        return false;
    if (begins(weights, "file")) {
        const char *path = weights + strlen("file ");
        if (!strcmp(op, "spmv"))
            sb_addf(to, "`%s` by a vector", path);
        else
            sb_addf(to, "%s%s by `%s`", product ? c->column[ROWS] : "", product ? " rows" : "", path);
        return true;
    }
    const unsigned count = numbers_behind(weights, n);
    /* A band and a graph are square, and say their size once. */
    if (product)
        add_product(c, n[0], begins(weights, "random") || begins(weights, "block") ? n[1] : n[0], to);
    else
        sb_addf(to, ", %.0f kernels", n[0]);
    return add_filling(weights, n, count, to);
}

bool bench_list_case(const struct plan_case *c, struct strbuf *to)
{
    const double activations = strtod(c->column[ACTIVATIONS], NULL);
    sb_addf(to, "| `%s` | `%s` | ", c->column[NAME], c->column[VARIANT]);
    if (!add_shape(c, to))
        return false;
    if (activations < 1)
        sb_addf(to, ", %g %% of the activations", 100 * activations);
    sb_addf(to, " | %s | %s |\n", c->column[BAR], c->column[WHY] ? c->column[WHY] : "");
    return true;
}
