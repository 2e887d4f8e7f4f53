/* SPDX-License-Identifier: Apache-2.0
 *
 * Einsum: sums of products over the indices that the result has not.
 */
#include "host/net/graph/einsum.h"

#include "host/net/cpu/kernel.h"

/* The indices in an order in which the result's come first, with their sizes and each operand's distance from
 * one to the next. */
struct nest {
    int depth, outer;
    int64_t size[EINSUM_INDICES], step[EINSUM_OPERANDS][EINSUM_INDICES];
};

/* An operand has the same index more than once where its diagonal is meant. */
static void add_operand(struct nest *nest, size_t k, const struct einsum_term *term, const struct view *x,
                        const int *place)
{
    int64_t step = 1;
    for (int i = term->rank; i--;) {
        const int at = place[term->index[i]];
        nest->size[at] = x->dim[i] == 1 ? nest->size[at] : x->dim[i];
        nest->step[k][at] += x->dim[i] == 1 ? 0 : step;
        step *= x->dim[i];
    }
}

static struct nest nest_of(const struct call *c, const struct einsum *e)
{
    struct nest nest = {.outer = e->result.rank};
    int place[EINSUM_INDICES];
    for (int i = 0; i < EINSUM_INDICES; i++) {
        place[i] = -1;
        nest.size[i] = 1;
    }
    for (; nest.depth < e->result.rank; nest.depth++)
        place[e->result.index[nest.depth]] = nest.depth;
    for (size_t k = 0; k < e->count; k++)
        for (int i = 0; i < e->operands[k].rank; i++)
            if (place[e->operands[k].index[i]] < 0)
                place[e->operands[k].index[i]] = nest.depth++;
    for (size_t k = 0; k < e->count; k++)
        add_operand(&nest, k, &e->operands[k], c->more[k], place);
    return nest;
}

/* The next place of the indices from `first` on, the last one first; false: there is none. */
static bool advance(const struct nest *nest, size_t count, int first, int64_t *at, int64_t *place)
{
    for (int i = nest->depth; i-- > first;) {
        for (size_t k = 0; k < count; k++)
            place[k] += nest->step[k][i];
        if (++at[i] < nest->size[i])
            return true;
        for (size_t k = 0; k < count; k++)
            place[k] -= nest->step[k][i] * nest->size[i];
        at[i] = 0;
    }
    return false;
}

static void sum(const struct call *c, const struct nest *nest, size_t to, const int64_t *begin)
{
    const bool real = is_real(c->out[0]->type);
    int64_t at[EINSUM_INDICES] = {0}, place[EINSUM_OPERANDS];
    double total = 0;
    uint64_t exact = 0;
    for (size_t k = 0; k < c->inputs; k++)
        place[k] = begin[k];
    do {
        double product = 1;
        uint64_t whole = 1;
        for (size_t k = 0; k < c->inputs; k++) {
            if (real)
                product *= view_real(c->more[k], (size_t)place[k]);
            else
                whole *= (uint64_t)view_integer(c->more[k], (size_t)place[k]);
        }
        total += product;
        exact += whole;
    } while (advance(nest, c->inputs, nest->outer, at, place));
    if (real)
        view_set_real(c->out[0], to, total);
    else
        view_set_integer(c->out[0], to, (int64_t)exact);
}

static bool einsum(const struct call *c)
{
    int ranks[EINSUM_OPERANDS] = {0};
    struct einsum e;
    for (size_t k = 0; k < c->inputs && k < EINSUM_OPERANDS; k++)
        ranks[k] = c->more[k]->rank;
    const char *wrong = einsum_read(node_text(c->node, "equation"), ranks, c->inputs, &e);
    if (wrong)
        return kernel_fails(c, "its equation: %s", wrong);
    for (size_t k = 0; k < c->inputs; k++)
        if (!c->more[k]->count)
            return true; /* sums of nothing */
    struct nest nest = nest_of(c, &e);
    int64_t at[EINSUM_INDICES] = {0}, place[EINSUM_OPERANDS] = {0};
    const int depth = nest.depth;
    for (size_t i = 0; i < c->out[0]->count; i++) {
        sum(c, &nest, i, place);
        nest.depth = nest.outer;
        advance(&nest, c->inputs, 0, at, place);
        nest.depth = depth;
    }
    return true;
}

const struct kernel einsum_kernels[] = {{"Einsum", einsum}, {NULL, NULL}};
