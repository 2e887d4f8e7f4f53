/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/graphblas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/progress.h"

/* What is used of the GraphBLAS C API 2.0, by its names there. */
typedef void *object;
typedef uint64_t index;
enum { NONBLOCKING = 0, MATERIALIZE = 1, SUCCESS = 0 };

struct graphblas {
    void *library;
    int (*init)(int mode);
    int (*matrix_new)(object *matrix, object type, index rows, index columns);
    int (*matrix_free)(object *matrix);
    int (*build)(object matrix, const index *rows, const index *columns, const int32_t *values, index count,
                 object duplicates);
    int (*mxm)(object c, object mask, object accumulate, object semiring, object a, object b,
               object descriptor);
    int (*wait)(object matrix, int mode);
    int (*tuples)(index *rows, index *columns, int32_t *values, index *count, object matrix);
    object *int32, *plus, *plus_times;
};

/* Those of API 2.0, newest first. */
static const char *const libraries[] = {"libgraphblas.so.10", "libgraphblas.so.9", "libgraphblas.so.8",
                                        "libgraphblas.so.7"};

static bool find(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol;
}

/* Loaded once; it stays. */
static const char *load(struct graphblas *g)
{
    static struct graphblas loaded;
    for (unsigned i = 0; !loaded.library && i < sizeof libraries / sizeof *libraries; i++)
        loaded.library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (!loaded.library)
        return "not installed (libgraphblas-dev or libgraphblas7)";
    if (!loaded.plus_times &&
        (!find(loaded.library, "GrB_init", &loaded.init) ||
         !find(loaded.library, "GrB_Matrix_new", &loaded.matrix_new) ||
         !find(loaded.library, "GrB_Matrix_free", &loaded.matrix_free) ||
         !find(loaded.library, "GrB_Matrix_build_INT32", &loaded.build) ||
         !find(loaded.library, "GrB_mxm", &loaded.mxm) ||
         !find(loaded.library, "GrB_Matrix_wait", &loaded.wait) ||
         !find(loaded.library, "GrB_Matrix_extractTuples_INT32", &loaded.tuples) ||
         !find(loaded.library, "GrB_INT32", &loaded.int32) ||
         !find(loaded.library, "GrB_PLUS_INT32", &loaded.plus) || loaded.init(NONBLOCKING) != SUCCESS ||
         !find(loaded.library, "GrB_PLUS_TIMES_SEMIRING_INT32", &loaded.plus_times)))
        return "the library that is installed is not of its API 2.0";
    *g = loaded;
    return NULL;
}

/* ---- operands -------------------------------------------------------------------------------------- */

struct entries {
    index *row, *column, count;
    int32_t *value;
};

static bool entries_room(struct entries *e, uint64_t count)
{
    *e = (struct entries){.row = malloc((count + 1) * sizeof *e->row),
                          .column = malloc((count + 1) * sizeof *e->column),
                          .value = malloc((count + 1) * sizeof *e->value)};
    return e->row && e->column && e->value;
}

static void entries_free(struct entries *e)
{
    free(e->row);
    free(e->column);
    free(e->value);
}

static void add(struct entries *e, index row, index column, int32_t value)
{
    e->row[e->count] = row;
    e->column[e->count] = column;
    e->value[e->count++] = value;
}

static bool make(const struct graphblas *g, const struct entries *e, index rows, index columns, object *to)
{
    return g->matrix_new(to, *g->int32, rows, columns) == SUCCESS &&
           g->build(*to, e->row, e->column, e->value, e->count, *g->plus) == SUCCESS &&
           g->wait(*to, MATERIALIZE) == SUCCESS;
}

static bool make_weights(const struct graphblas *g, const struct sparse *w, object *to)
{
    struct entries e;
    bool ok = entries_room(&e, w->start[w->rows]);
    for (uint32_t n = 0; ok && n < w->rows; n++)
        for (uint32_t i = w->start[n]; i < w->start[n + 1]; i++)
            add(&e, n, w->column[i], w->value[i]);
    ok = ok && make(g, &e, w->rows, w->columns, to);
    entries_free(&e);
    return ok;
}

/* Dense, with a column for each row of activations. */
static bool make_activations(const struct graphblas *g, const struct plan_run *run, object *to)
{
    const uint32_t columns = run->description->weights->columns;
    struct entries e;
    bool ok = entries_room(&e, run->inputs);
    for (size_t i = 0; ok && i < run->inputs; i++)
        add(&e, i % columns, i / columns, run->activations[i]);
    ok = ok && make(g, &e, columns, run->rows, to);
    entries_free(&e);
    return ok;
}

/* ---- the product ------------------------------------------------------------------------------------ */

static bool multiply(const struct graphblas *g, object w, object a, const struct plan_run *run, object *c)
{
    return g->matrix_new(c, *g->int32, run->description->weights->rows, run->rows) == SUCCESS &&
           g->mxm(*c, NULL, NULL, *g->plus_times, w, a, NULL) == SUCCESS &&
           g->wait(*c, MATERIALIZE) == SUCCESS;
}

static bool take_results(const struct graphblas *g, object c, const struct plan_run *run, int32_t *to)
{
    const uint32_t n = run->description->weights->rows;
    struct entries e;
    bool ok = entries_room(&e, (uint64_t)run->rows * n);
    e.count = (uint64_t)run->rows * n;
    memset(to, 0, (size_t)e.count * sizeof *to); /* a row of no weights has no results */
    ok = ok && g->tuples(e.row, e.column, e.value, &e.count, c) == SUCCESS;
    for (index i = 0; ok && i < e.count; i++)
        to[e.column[i] * n + e.row[i]] = e.value[i];
    entries_free(&e);
    return ok;
}

static bool time_products(const struct graphblas *g, object w, object a, const struct plan_run *run,
                          unsigned repeats, double enough, int32_t *results, double *seconds)
{
    double all = 0;
    bool ok = true;
    for (unsigned i = 0; ok && i < repeats && (!i || all < enough); i++) {
        object c = NULL;
        const double begun = progress_clock();
        ok = multiply(g, w, a, run, &c);
        const double took = progress_clock() - begun;
        *seconds = !i || took < *seconds ? took : *seconds;
        all += took;
        ok = ok && (i || take_results(g, c, run, results));
        g->matrix_free(&c);
    }
    return ok;
}

const char *graphblas_time(const struct plan_run *run, unsigned repeats, double enough, int32_t *results,
                           double *seconds)
{
    struct graphblas g;
    object w = NULL, a = NULL;
    const char *why = load(&g);
    if (why)
        return why;
    const bool ok = make_weights(&g, run->description->weights, &w) && make_activations(&g, run, &a) &&
                    time_products(&g, w, a, run, repeats, enough, results, seconds);
    g.matrix_free(&w);
    g.matrix_free(&a);
    return ok ? NULL : "one of its functions did not succeed";
}
