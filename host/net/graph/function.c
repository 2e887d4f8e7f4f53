/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/graph/function.h"

#include <math.h>
#include <string.h>

#include "host/net/graph/operators.h"

/* With the attributes that the two numbers are. */
static const struct {
    const char *type, *names[FUNCTION_NUMBERS];
} functions[] = {
    {"Relu", {NULL}},    {"Clip", {"min", "max"}},           {"LeakyRelu", {"alpha"}}, {"Elu", {"alpha"}},
    {"Sigmoid", {NULL}}, {"HardSigmoid", {"alpha", "beta"}}, {"Tanh", {NULL}},         {"HardSwish", {NULL}},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static size_t index_of(const char *type)
{
    size_t i = 0;
    while (i < FUNCTIONS && strcmp(functions[i].type, type) != 0)
        i++;
    return i;
}

bool function_known(const char *type)
{
    return index_of(type) < FUNCTIONS;
}

bool function_of(const struct net *net, const struct node *node, struct function_node *to)
{
    const struct attribute *type = node_attribute(node, "function"),
                           *numbers = node_attribute(node, "function_numbers");
    const size_t at = type ? index_of(type->texts[0]) : FUNCTIONS;
    if (at == FUNCTIONS)
        return false;
    *to = (struct function_node){
        .node = {.name = "", .type = functions[at].type, .domain = "", .origin = node->origin}};
    to->node.op = operator_find("", functions[at].type, net->opset);
    to->node.attributes = to->attributes;
    for (size_t i = 0; i < FUNCTION_NUMBERS && functions[at].names[i]; i++)
        if (isfinite(numbers->reals[i]))
            to->attributes[to->node.attribute_count++] = (struct attribute){.name = functions[at].names[i],
                                                                            .kind = ATTRIBUTE_FLOAT,
                                                                            .count = 1,
                                                                            .reals = &numbers->reals[i]};
    return true;
}
