/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products.
 */
#include <string.h>

#include "host/net/cpu/product.h"

/* The matrices of both operands that belong to a matrix of the result. */
static void batch_places(const struct view *a, const struct view *b, const struct view *y, size_t batch,
                         size_t *p, size_t *q)
{
    const int extra = (a->rank > 1) + (b->rank > 1);
    struct view outer = *y, x = *a, z = *b;
    outer.rank -= extra;
    x.rank = a->rank > 2 ? a->rank - 2 : 0;
    z.rank = b->rank > 2 ? b->rank - 2 : 0;
    const struct spread s = spread_of(&x, &outer), t = spread_of(&z, &outer);
    *p = spread_at(&s, batch);
    *q = spread_at(&t, batch);
}

void product_sizes(const struct view *a, const struct view *b, int64_t *m, int64_t *k, int64_t *n)
{
    *m = a->rank > 1 ? a->dim[a->rank - 2] : 1;
    *k = a->dim[a->rank - 1];
    *n = b->rank > 1 ? b->dim[b->rank - 1] : 1;
}

void product_places(const struct view *a, const struct view *b, const struct view *y, size_t i, size_t *p,
                    size_t *q, size_t *step)
{
    int64_t m, k, n;
    product_sizes(a, b, &m, &k, &n);
    const size_t row = i / (size_t)n % (size_t)m, column = i % (size_t)n;
    batch_places(a, b, y, i / (size_t)(m * n), p, q);
    *p = (*p * (size_t)m + row) * (size_t)k;
    *q = *q * (size_t)(k * n) + column;
    *step = (size_t)n;
}

/* So many columns of a row are summed side by side, each in the same order. */
enum { LANES = 8 };

/* A row of a and columns of b: from one product of a sum to the next, and from one column to the next. */
struct strip {
    const struct view *a, *b;
    size_t p, a_step, q, b_step, next;
    int64_t count;
};

static void sum_lanes(const struct strip *s, double sums[LANES])
{
    for (int64_t l = 0; l < s->count; l++) {
        const double x = view_real_of(s->a, s->p + (size_t)l * s->a_step);
        const size_t q = s->q + (size_t)l * s->b_step;
        for (size_t j = 0; j < LANES; j++)
            sums[j] += x * view_real_of(s->b, q + j * s->next);
    }
}

static void sum_columns(const struct strip *s, int64_t columns, double sums[LANES])
{
    for (size_t j = 0; j < LANES; j++)
        sums[j] = 0;
    if (columns >= LANES) {
        sum_lanes(s, sums);
        return;
    }
    for (size_t j = 0; j < (size_t)columns; j++)
        for (int64_t l = 0; l < s->count; l++)
            sums[j] += view_real_of(s->a, s->p + (size_t)l * s->a_step) *
                       view_real_of(s->b, s->q + (size_t)l * s->b_step + j * s->next);
}

/* Products of integers are exact, modulo the type: results `begin` to `end`. */
static bool matmul_integers(const void *context, int64_t begin, int64_t end)
{
    const struct call *c = context;
    const struct view *a = c->in[0], *b = c->in[1], *y = c->out[0];
    int64_t m, k, n;
    product_sizes(a, b, &m, &k, &n);
    for (int64_t i = begin; i < end; i++) {
        size_t p, q, step;
        uint64_t exact = 0;
        product_places(a, b, y, (size_t)i, &p, &q, &step);
        for (int64_t l = 0; l < k; l++)
            exact +=
                (uint64_t)view_integer(a, p + (size_t)l) * (uint64_t)view_integer(b, q + (size_t)l * step);
        view_set_integer(y, (size_t)i, (int64_t)exact);
    }
    return true;
}

/* Strips of a row: the last one may be narrower. */
static int64_t strips_of(int64_t columns)
{
    return (columns + LANES - 1) / LANES;
}

/* Rows of results, whose strips are counted through all of them. */
static bool matmul_reals(const void *context, int64_t begin, int64_t end)
{
    const struct call *c = context;
    const struct view *a = c->in[0], *b = c->in[1], *y = c->out[0];
    int64_t m, k, n;
    product_sizes(a, b, &m, &k, &n);
    for (int64_t strip = begin; strip < end; strip++) {
        const int64_t column = strip % strips_of(n) * LANES,
                      columns = n - column < LANES ? n - column : LANES;
        size_t i = (size_t)(strip / strips_of(n) * n + column);
        struct strip s = {.a = a, .b = b, .a_step = 1, .next = 1, .count = k};
        double sums[LANES];
        product_places(a, b, y, i, &s.p, &s.q, &s.b_step);
        sum_columns(&s, columns, sums);
        for (int64_t j = 0; j < columns; j++)
            view_set_real(y, i++, sums[j]);
    }
    return true;
}

static bool matmul(const struct call *c)
{
    const struct view *y = c->out[0];
    int64_t m, k, n;
    product_sizes(c->in[0], c->in[1], &m, &k, &n);
    if (!is_real(y->type))
        return crew_share(c->crew, (int64_t)y->count, k, matmul_integers, c);
    return crew_share(c->crew, n ? (int64_t)y->count / n * strips_of(n) : 0, k * LANES, matmul_reals, c);
}

static bool gemm_strips(const void *context, int64_t begin, int64_t end)
{
    const struct call *c = context;
    const struct view *a = c->in[0], *b = c->in[1], *bias = c->inputs > 2 ? c->in[2] : NULL, *y = c->out[0];
    const bool ta = node_integer(c->node, "transA") != 0, tb = node_integer(c->node, "transB") != 0;
    const int64_t k = a->dim[!ta], n = y->dim[1];
    const double alpha = node_real(c->node, "alpha"), beta = node_real(c->node, "beta");
    const struct spread s = bias ? spread_of(bias, y) : (struct spread){.rank = 0};
    struct strip strip = {.a = a,
                          .b = b,
                          .a_step = ta ? (size_t)a->dim[1] : 1,
                          .b_step = tb ? 1 : (size_t)n,
                          .next = tb ? (size_t)k : 1,
                          .count = k};
    for (int64_t at = begin; at < end; at++) {
        const int64_t row = at / strips_of(n), column = at % strips_of(n) * LANES,
                      columns = n - column < LANES ? n - column : LANES;
        double sums[LANES];
        strip.p = (size_t)(ta ? row : row * k);
        strip.q = (size_t)(tb ? column * k : column);
        sum_columns(&strip, columns, sums);
        for (int64_t j = 0; j < columns; j++) {
            const size_t i = (size_t)(row * n + column + j);
            view_set_real(y, i, alpha * sums[j] + (bias ? beta * view_real(bias, spread_at(&s, i)) : 0));
        }
    }
    return true;
}

static bool gemm(const struct call *c)
{
    const int64_t k = c->in[0]->dim[node_integer(c->node, "transA") == 0], *size = c->out[0]->dim;
    return crew_share(c->crew, size[0] * strips_of(size[1]), k * LANES, gemm_strips, c);
}

const struct kernel product_kernels[] = {{"MatMul", matmul}, {"Gemm", gemm}, {NULL, NULL}};
