/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/cpu/exact.h"

#include <stdlib.h>
#include <string.h>

static bool add_up(const struct exact *e)
{
    const struct view *x = e->x, *y = e->y;
    const struct spread s = spread_of(e->kept, x);
    const int64_t count = y->count ? (int64_t)(x->count / y->count) : 1;
    int64_t *sums = calloc(y->count + 1, sizeof *sums);
    if (!sums)
        return false;
    for (size_t i = 0; i < x->count; i++)
        sums[spread_at(&s, i)] += view_integer(x, i);
    for (size_t i = 0; i < y->count; i++)
        view_set_integer(y, i, num_apply(e->step, sums[i] - count * e->zero));
    free(sums);
    return true;
}

static bool compute(const struct exact *e)
{
    switch (e->kind) {
    case EXACT_LAYER:
        return scaled_layer(e->layer, e->x, e->w, e->bias, e->y);
    case EXACT_JOIN:
        scaled_join(e->join, e->x, e->w, e->y);
        return true;
    case EXACT_BYTES:
        scaled_bytes(e->bytes, e->x, e->y);
        return true;
    case EXACT_AVERAGE:
        return scaled_average(e->slide, e->step, e->x, e->y);
    case EXACT_TOTAL:
        return add_up(e);
    case EXACT_SOFTMAX:
        if (e->x->count)
            scaled_softmax(e->softmax, e->x, e->y);
        return true;
    default: /* the largest is that of numbers of any kind */
        return true;
    }
}

bool exact_run(const struct call *c, const struct exact *what)
{
    if (c->taker)
        return c->taker->take(c->taker->context, what);
    return compute(what) || kernel_no_memory(c);
}

/* Operators whose kernels describe what they compute, and their operands that may be computed. */
static const struct {
    const char *type;
    unsigned computed;
} described[] = {
    {"Conv", 1},
    {"Gemm", 1},
    {"Add", 3},
    {"Sub", 3},
    {"Mul", 3},
    {"Relu", 1},
    {"Clip", 1},
    {"Identity", 1},
    {"Sigmoid", 1},
    {"Tanh", 1},
    {"Elu", 1},
    {"Exp", 1},
    {"LeakyRelu", 1},
    {"HardSwish", 1},
    {"AveragePool", 1},
    {"MaxPool", 1},
    {"ReduceSum", 1},
    {"ReduceMean", 1},
    {"Softmax", 1},
    {"QLinearConv", 1},
    {"QLinearMatMul", 1},
    {"QLinearAdd", 9},
    {"QLinearMul", 9},
    {"Max", 1},
    {"Min", 1},
    {"QGemm", 1},
    {"QLinearAveragePool", 1},
    {"QLinearGlobalAveragePool", 1},
    {"QLinearLeakyRelu", 1},
    {"QLinearSigmoid", 1},
    {"PRelu", 1},
};

/* Operators of floats have the same names. Without scales are those of ONNX that are quantised by name, and
 * those that choose among bytes. */
static bool is_exact(const struct node *node)
{
    static const char *const chosen[] = {"MaxPool", "Max", "Min"};
    const struct tensor *x = node->input_count ? node->inputs[0] : NULL;
    bool exact = !strncmp(node->type, "QLinear", strlen("QLinear")) || !strcmp(node->type, "QGemm");
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        exact =
            exact || (x && !strcmp(node->type, chosen[i]) && (x->type == NET_INT8 || x->type == NET_UINT8));
    return x && (x->quantisation || exact);
}

unsigned exact_computed(const struct node *node)
{
    for (size_t i = 0; i < sizeof described / sizeof *described; i++)
        if (!strcmp(described[i].type, node->type))
            return is_exact(node) ? described[i].computed : 0;
    return 0;
}

size_t exact_second(const struct node *node)
{
    const unsigned others = exact_computed(node) >> 1;
    return others ? (size_t)__builtin_ctz(others) + 1 : 0;
}

struct tensor *exact_other(const struct node *node, size_t operand)
{
    const size_t second = exact_second(node);
    return second ? node->inputs[operand == second ? 0 : second] : NULL;
}
