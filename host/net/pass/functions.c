/* SPDX-License-Identifier: Apache-2.0
 *
 * An activation function goes into the convolution, matrix product or sum before it,
 * when nothing else reads the sum: as an attribute of the graph, which the writer
 * turns into a node again. The function is applied to the rounded sum as before, so
 * all results stay the same to the bit.
 */
#include <math.h>

#include "host/net/graph/function.h"
#include "host/net/pass/list.h"

static bool takes_function(const struct node *node)
{
    return node->op && is_plain(node) &&
           operator_attribute(node->op, "function", 0, &(struct operator_attribute){0});
}

/* The numbers of the function, as function.h has them. False: it is none, or they are not constant. */
static bool numbers_of(const struct node *node, double numbers[FUNCTION_NUMBERS])
{
    if (!function_known(node->type) || *node->domain)
        return false;
    const bool clip = is_op(node, "Clip");
    const char *const names[FUNCTION_NUMBERS] = {clip ? "min" : "alpha", clip ? "max" : "beta"};
    for (size_t i = 0; i < FUNCTION_NUMBERS; i++)
        numbers[i] = node_attribute(node, names[i]) ? node_real(node, names[i]) : (double)NAN;
    return (!input_of(node, 1) || edit_number(input_of(node, 1), &numbers[0])) &&
           (!input_of(node, 2) || edit_number(input_of(node, 2), &numbers[1]));
}

bool pass_functions(struct edit *e)
{
    for (size_t i = 0; !e->failed && i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        struct tensor *sum = node->input_count ? input_of(node, 0) : NULL;
        struct node *before = sole_producer(sum);
        double numbers[FUNCTION_NUMBERS];
        if (node->gone || !sum || !before || !takes_function(before) || !numbers_of(node, numbers) ||
            sum->type != NET_FLOAT || sum->quantisation || node->outputs[0]->quantisation)
            continue;
        e->failed |= !node_set_text(e->net, before, "function", node->type) ||
                     !node_set_reals(e->net, before, "function_numbers", numbers, FUNCTION_NUMBERS);
        before->outputs[0] = node->outputs[0];
        node->outputs[0]->producer = before;
        edit_drop(e, node);
        e->changes++;
    }
    return !e->failed;
}
