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

static bool matmul(const struct call *c)
{
    const struct view *a = c->in[0], *b = c->in[1], *y = c->out[0];
    int64_t m, k, n;
    product_sizes(a, b, &m, &k, &n);
    for (size_t i = 0; i < y->count; i++) {
        size_t p, q, step;
        double sum = 0;
        uint64_t exact = 0;
        product_places(a, b, y, i, &p, &q, &step);
        for (int64_t l = 0; l < k; l++) {
            if (is_real(y->type))
                sum += view_real(a, p + (size_t)l) * view_real(b, q + (size_t)l * step);
            else
                exact += (uint64_t)view_integer(a, p + (size_t)l) *
                         (uint64_t)view_integer(b, q + (size_t)l * step);
        }
        if (is_real(y->type))
            view_set_real(y, i, sum);
        else
            view_set_integer(y, i, (int64_t)exact);
    }
    return true;
}

static bool gemm(const struct call *c)
{
    const struct view *a = c->in[0], *b = c->in[1], *bias = c->inputs > 2 ? c->in[2] : NULL, *y = c->out[0];
    const bool ta = node_integer(c->node, "transA") != 0, tb = node_integer(c->node, "transB") != 0;
    const int64_t k = a->dim[!ta], n = y->dim[1];
    const double alpha = node_real(c->node, "alpha"), beta = node_real(c->node, "beta");
    const struct spread s = bias ? spread_of(bias, y) : (struct spread){.rank = 0};
    for (int64_t i = 0; i < (int64_t)y->count; i++) {
        const int64_t row = i / n, column = i % n;
        double sum = 0;
        for (int64_t l = 0; l < k; l++)
            sum += view_real(a, (size_t)(ta ? l * a->dim[1] + row : row * k + l)) *
                   view_real(b, (size_t)(tb ? column * k + l : l * n + column));
        view_set_real(y, (size_t)i,
                      alpha * sum + (bias ? beta * view_real(bias, spread_at(&s, (size_t)i)) : 0));
    }
    return true;
}

const struct kernel product_kernels[] = {{"MatMul", matmul}, {"Gemm", gemm}, {NULL, NULL}};
