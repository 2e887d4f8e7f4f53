/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/needed.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define MOST_EMPTY 2 /* worth it where more than one row or column in so many is empty */

/* ---- which they are ---------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* The columns that have entries; NULL: no memory. */
static uint32_t *list_columns(const struct sparse *w, uint32_t *count)
{
    const uint32_t entries = w->start[w->rows];
    uint32_t *list = malloc(((size_t)entries + 1) * sizeof *list);
    if (!list)
        return NULL;
    memcpy(list, w->column, entries * sizeof *list);
    qsort(list, entries, sizeof *list, ascending);
    *count = 0;
    for (uint32_t e = 0; e < entries; e++)
        if (!e || list[e] != list[*count - 1])
            list[(*count)++] = list[e];
    return list;
}

static uint32_t *list_rows(const struct sparse *w, uint32_t count)
{
    uint32_t *list = calloc((size_t)count + 1, sizeof *list);
    for (uint32_t r = 0, next = 0; list && r < w->rows; r++)
        if (w->start[r + 1] > w->start[r])
            list[next++] = r;
    return list;
}

static uint32_t find(const uint32_t *list, uint32_t count, uint32_t number)
{
    if (!list)
        return number;
    const uint32_t *at = bsearch(&number, list, count, sizeof *list, ascending);
    return at ? (uint32_t)(at - list) : NONE;
}

uint32_t needed_row(const struct plan_needed *needed, uint32_t row)
{
    return find(needed->row, needed->weights.rows, row);
}

uint32_t needed_column(const struct plan_needed *needed, uint32_t column)
{
    return find(needed->column, needed->weights.columns, column);
}

/* ---- their matrix ------------------------------------------------------------------------------ */

/* Values are shared with the whole matrix. */
static bool make_weights(const struct sparse *w, struct plan_needed *n, uint32_t rows, uint32_t columns)
{
    const uint32_t entries = w->start[w->rows];
    n->weights = (struct sparse){.rows = rows,
                                 .columns = columns,
                                 .start = malloc(((size_t)rows + 1) * sizeof *n->weights.start),
                                 .column = malloc(((size_t)entries + 1) * sizeof *n->weights.column),
                                 .value = w->value};
    if (!n->weights.start || !n->weights.column)
        return false;
    for (uint32_t r = 0; r < rows; r++)
        n->weights.start[r] = w->start[n->row ? n->row[r] : r];
    n->weights.start[rows] = entries;
    for (uint32_t e = 0; e < entries; e++)
        n->weights.column[e] = needed_column(n, w->column[e]);
    return true;
}

/* Channels and joins make results of rows without entries, too. */
static bool all_rows_have_results(const struct plan_description *d)
{
    return d->channels.has_bias || d->channels.has_scale || d->channels.has_limits || d->join.join;
}

static bool find_needed(const struct plan_description *d, struct plan_needed *n, bool *ok)
{
    const struct sparse *w = d->weights;
    const uint32_t rows = all_rows_have_results(d) ? w->rows : sparse_needed_rows(w);
    const bool few_entries = w->start[w->rows] < w->columns; /* at most that many columns */
    uint32_t columns = w->columns;
    if (rows > w->rows / MOST_EMPTY && !few_entries)
        return false;
    n->column = list_columns(w, &columns);
    *ok = n->column;
    if (!*ok || (rows > w->rows / MOST_EMPTY && columns > w->columns / MOST_EMPTY))
        return false;
    if (rows < w->rows)
        n->row = list_rows(w, rows);
    *ok = (n->row || rows == w->rows) && make_weights(w, n, rows, columns);
    return *ok;
}

bool needed_find(const struct plan_description *d, struct plan_needed *n, bool *ok)
{
    *ok = true;
    *n = (struct plan_needed){.description = *d, .rows = d->weights->rows, .columns = d->weights->columns};
    const bool can_be =
        !d->needed && !d->whole_rows && !d->from && !d->to &&
        d->operator!= PLAN_CONVOLUTION && d->weights->rows && d->weights->start[d->weights->rows];
    if (can_be && find_needed(d, n, ok)) {
        n->description.weights = &n->weights;
        n->description.needed = n;
        return true;
    }
    needed_free(n);
    return false;
}

void needed_free(struct plan_needed *n)
{
    free(n->row);
    free(n->column);
    free(n->weights.start);
    free(n->weights.column);
    *n = (struct plan_needed){0};
}

/* ---- plans of the whole matrix ----------------------------------------------------------------- */

/* Of each number of the whole matrix, first .. first + size - 1, the place of its number among those that are
 * needed, or where `places` says. */
static uint32_t *widen(const uint32_t *list, uint32_t count, const uint32_t *places, uint32_t first,
                       uint32_t size)
{
    uint32_t *to = malloc(((size_t)size + 1) * sizeof *to);
    if (!to)
        return NULL;
    memset(to, 0xff, ((size_t)size + 1) * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        to[list ? list[i] - first : i] = places ? places[i] : i;
    return to;
}

enum plan_status needed_widen(const struct plan_needed *n, uint32_t from, uint32_t count, uint32_t first,
                              uint32_t rows, struct plan *plan)
{
    struct plan_layout *l = &plan->layout;
    uint32_t *compact = widen(n->column, n->weights.columns, l->compact, 0, n->columns),
             *place = widen(n->row ? n->row + from : NULL, count, l->place, first, rows);
    free(l->compact);
    free(l->place);
    l->compact = compact;
    l->place = place;
    l->needed = NULL;
    for (uint32_t i = 0; n->row && i < l->more_count; i++)
        l->more[2 * i] = n->row[from + l->more[2 * i]] - first;
    return compact && place ? PLAN_OK : PLAN_NO_MEMORY;
}
