/* SPDX-License-Identifier: Apache-2.0
 *
 * Equations of Einsum: what they mean, what is wrong with them, and sums by hand.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "host/net/graph/einsum.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/graphs.h"

TestSuite(host_net_einsum, .init = scratch_enter, .fini = scratch_leave);

static void is_wrong(const char *equation, size_t count, const char *word)
{
    struct einsum e;
    const int ranks[] = {2, 2, 2};
    const char *wrong = einsum_read((struct proto_text){equation, strlen(equation)}, ranks, count, &e);
    cr_assert(wrong && strstr(wrong, word), "%s: %s", equation, wrong ? wrong : "nothing");
}

Test(host_net_einsum, wrong_equations_say_why)
{
    is_wrong("", 1, "not as many dimensions as letters");
    is_wrong("ij", 2, "not as many terms");
    is_wrong("ij,jk->ik", 1, "not as many terms");
    is_wrong("i->i", 1, "not as many dimensions");
    is_wrong("ijk->i", 1, "not as many dimensions");
    is_wrong("ijk...->i", 1, "fewer dimensions than letters");
    is_wrong("i1->i", 1, "other characters");
    is_wrong("i..->i", 1, "other characters");
    is_wrong("...i...->i", 1, "other characters");
    is_wrong("ij->k", 1, "that no operand has");
    is_wrong("ij->ii", 1, "a letter twice");
    is_wrong("ij-", 1, "is not whole");
    is_wrong("ij->i-", 1, "other characters");
    is_wrong("ij", 0, "no operands");
}

/* Operands and result of float numbers with two dimensions at most. */
static void gives(const char *equation, const struct operand *const *in, size_t count, int rank,
                  const int64_t *dim, const float *expected, const char *word)
{
    float numbers[16] = {0};
    const struct operand out = operand_of(NET_FLOAT, rank, dim, numbers, 0, 0);
    struct diag diag = {0};
    struct node *node;
    struct net *net = graph_of("", "Einsum", in, count, &out, &node);
    cr_assert(net && node_set_text(net, node, "equation", equation));
    const bool ok = graph_run(net, in, &out, &diag);
    cr_assert(ok == !word, "%s: %s", equation, sb_text(&diag.text));
    cr_assert(!word || strstr(sb_text(&diag.text), word), "%s: %s", equation, sb_text(&diag.text));
    for (size_t i = 0; ok && i < out.view.count; i++)
        cr_assert(numbers[i] == expected[i], "%s %zu: %g, not %g", equation, i, (double)numbers[i],
                  (double)expected[i]);
    net_free(net);
    diag_free(&diag);
}

Test(host_net_einsum, sums_by_hand)
{
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, -1, 2};
    const struct operand matrix = operand_of(NET_FLOAT, 2, (const int64_t[]){2, 3}, a, 0, 0),
                         list = operand_of(NET_FLOAT, 1, (const int64_t[]){3}, b, 0, 0),
                         square = operand_of(NET_FLOAT, 2, (const int64_t[]){2, 2}, a, 0, 0);
    const struct operand *const both[] = {&matrix, &list}, *const one[] = {&matrix}, *const two[] = {&square};
    gives("ij,j->i", both, 2, 1, (const int64_t[]){2}, (const float[]){5, 11}, NULL);
    gives(" ij , j ", both, 2, 1, (const int64_t[]){2}, (const float[]){5, 11}, NULL);
    gives("ij->ji", one, 1, 2, (const int64_t[]){3, 2}, (const float[]){1, 4, 2, 5, 3, 6}, NULL);
    gives("ij->", one, 1, 0, (const int64_t[]){1}, (const float[]){21}, NULL);
    gives("ii->i", two, 1, 1, (const int64_t[]){2}, (const float[]){1, 4}, NULL);
    gives("ii", two, 1, 0, (const int64_t[]){1}, (const float[]){5}, NULL);
    gives("...,...", both, 2, 2, (const int64_t[]){2, 3}, (const float[]){1, -2, 6, 4, -5, 12}, NULL);
    gives("...j->...", one, 1, 1, (const int64_t[]){2}, (const float[]){6, 15}, NULL);
    gives("Ij,j->I", both, 2, 1, (const int64_t[]){2}, (const float[]){5, 11}, NULL);
    gives("ij,i->j", both, 2, 1, (const int64_t[]){3}, NULL, "do not go together");
}
