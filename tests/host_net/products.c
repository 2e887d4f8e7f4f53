/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products and convolutions of real numbers, bit for bit what plain loops give: results are summed
 * side by side, each in the same order.
 */
#include <criterion/criterion.h>

#include "gen/base/random.h"
#include "tests/host_net/graphs.h"

enum { ROUNDS = 200, MOST = 4096 };

static float numbers[3][MOST];

static float *fill(struct random *random, int which)
{
    for (int i = 0; i < MOST; i++)
        numbers[which][i] = (float)((double)random_below(random, 2001) / 1000 - 1);
    return numbers[which];
}

/* Runs a node on two operands of floats, with attributes. */
static void runs(const char *type, const struct operand *a, const struct operand *b, const struct operand *y,
                 const char *const *names, const int64_t *values, int count)
{
    const struct operand *const in[] = {a, b};
    struct diag diag = {0};
    struct node *node;
    struct net *net = graph_of("", type, in, 2, y, &node);
    cr_assert(net);
    for (int i = 0; i < count; i++)
        cr_assert(node_set_integer(net, node, names[i], values[i]));
    cr_assert(graph_run(net, in, y, &diag), "%s: %s", type, sb_text(&diag.text));
    net_free(net);
}

Test(host_net_products, gemm_in_all_orders)
{
    static const char *const names[] = {"transA", "transB"};
    struct random random = {5};
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t m = random_range(&random, 1, 4), k = random_range(&random, 1, 30),
                      n = random_range(&random, 1, 30),
                      turned[] = {(int64_t)random_below(&random, 2), (int64_t)random_below(&random, 2)};
        const float *a = fill(&random, 0), *b = fill(&random, 1), *y = numbers[2];
        const struct operand in =
            operand_of(NET_FLOAT, 2, turned[0] ? (int64_t[]){k, m} : (int64_t[]){m, k}, numbers[0], 0, 0);
        const struct operand with =
            operand_of(NET_FLOAT, 2, turned[1] ? (int64_t[]){n, k} : (int64_t[]){k, n}, numbers[1], 0, 0);
        const struct operand out = operand_of(NET_FLOAT, 2, (const int64_t[]){m, n}, numbers[2], 0, 0);
        runs("Gemm", &in, &with, &out, names, turned, 2);
        for (int64_t i = 0; i < m * n; i++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += (double)a[turned[0] ? l * m + i / n : i / n * k + l] *
                       (double)b[turned[1] ? i % n * k + l : l * n + i % n];
            cr_assert_eq(y[i], (float)sum, "round %d, result %lld", round, (long long)i);
        }
    }
}

Test(host_net_products, products_with_batches)
{
    struct random random = {6};
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t batch = random_range(&random, 1, 3), m = random_range(&random, 1, 4),
                      k = random_range(&random, 1, 20), n = random_range(&random, 1, 20),
                      shared = (int64_t)random_below(&random, 2);
        const float *a = fill(&random, 0), *b = fill(&random, 1), *y = numbers[2];
        const struct operand in = operand_of(NET_FLOAT, 3, (const int64_t[]){batch, m, k}, numbers[0], 0, 0),
                             with = operand_of(NET_FLOAT, 3, (const int64_t[]){shared ? 1 : batch, k, n},
                                               numbers[1], 0, 0),
                             out = operand_of(NET_FLOAT, 3, (const int64_t[]){batch, m, n}, numbers[2], 0, 0);
        runs("MatMul", &in, &with, &out, NULL, NULL, 0);
        for (int64_t i = 0; i < batch * m * n; i++) {
            const int64_t matrix = i / n / m;
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += (double)a[i / n * k + l] * (double)b[((shared ? 0 : matrix) * k + l) * n + i % n];
            cr_assert_eq(y[i], (float)sum, "round %d, result %lld", round, (long long)i);
        }
    }
}

/* Groups, and more results than stand side by side. */
Test(host_net_products, convolutions_with_groups)
{
    static const char *const names[] = {"group"};
    struct random random = {8};
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t groups = random_range(&random, 1, 3), each = random_range(&random, 1, 4),
                      outputs = groups * random_range(&random, 1, 3), window = random_range(&random, 1, 3),
                      results = random_range(&random, 1, 20), length = results + window - 1;
        const float *x = fill(&random, 0), *w = fill(&random, 1), *y = numbers[2];
        const struct operand in = operand_of(NET_FLOAT, 3, (const int64_t[]){2, groups * each, length},
                                             numbers[0], 0, 0),
                             with = operand_of(NET_FLOAT, 3, (const int64_t[]){outputs, each, window},
                                               numbers[1], 0, 0),
                             out = operand_of(NET_FLOAT, 3, (const int64_t[]){2, outputs, results},
                                              numbers[2], 0, 0);
        runs("Conv", &in, &with, &out, names, &groups, 1);
        for (int64_t i = 0; i < 2 * outputs * results; i++) {
            const int64_t o = i / results % outputs, first = o / (outputs / groups) * each,
                          image = i / results / outputs;
            double sum = 0;
            for (int64_t l = 0; l < each * window; l++)
                sum +=
                    (double)w[o * each * window + l] *
                    (double)
                        x[(image * groups * each + first + l / window) * length + i % results + l % window];
            cr_assert_eq(y[i], (float)sum, "round %d, result %lld", round, (long long)i);
        }
    }
}
