/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/graph/summary.h"

#include <string.h>

/* Lists of sizes, axes and the like are no parameters. */
static bool is_parameter(const struct tensor *t)
{
    return t && t->constant && t->type != NET_INT64 && t->type != NET_STRING && t->type != NET_BOOL &&
           t->shape;
}

static uint64_t non_zero_bytes(const uint8_t *at, size_t size, uint8_t zero)
{
    uint64_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += at[i] != zero;
    return count;
}

static uint64_t non_zero_floats(const uint8_t *at, size_t size)
{
    uint64_t count = 0;
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t bits;
        memcpy(&bits, at + i, sizeof bits);
        count += (bits & 0x7fffffff) != 0;
    }
    return count;
}

static uint64_t non_zeros(const struct tensor *t)
{
    const struct quantisation *q = t->quantisation;
    const int32_t zero = q && q->count == 1 ? q->zero[0] : 0;
    uint64_t bits, count = 0;
    if (t->values.at && net_type_bits(t->type) == 8)
        return non_zero_bytes(t->values.at, t->values.size, (uint8_t)zero);
    if (t->values.at && t->type == NET_FLOAT)
        return non_zero_floats(t->values.at, t->values.size);
    struct value_reader reader = value_reader(t);
    while (value_next(&reader, &bits))
        count += t->type == NET_DOUBLE || t->type == NET_FLOAT ? value_real(t->type, bits) != 0
                                                               : value_integer(t->type, bits) != zero;
    return count;
}

struct dim node_parameters(struct net *net, const struct node *node)
{
    struct dim count = dim_number(0);
    for (size_t i = 0; i < node->input_count; i++)
        if (is_parameter(node->inputs[i]))
            count = dim_add(&net->arena, count, shape_elements(net, node->inputs[i]->shape));
    return count;
}

static struct dim bytes_of(struct net *net, const struct tensor *t)
{
    if (!t->shape)
        return dim_number(0);
    const unsigned bits = net_type_bits(t->type);
    const struct dim count = shape_elements(net, t->shape);
    return bits % 8 ? dim_div_up(&net->arena, dim_mul(&net->arena, count, dim_number(bits)), 8)
                    : dim_mul(&net->arena, count, dim_number(bits / 8));
}

/* A tensor lives from its producer to the last node that reads it, outputs to the end. */
static uint64_t live(struct net *net)
{
    uint64_t now = 0, most = 0;
    for (size_t i = 0; i < net->input_count; i++)
        now += (uint64_t)bytes_of(net, net->inputs[i]).value;
    /* `users` counts down while the nodes are gone through, and is restored. */
    for (size_t i = 0; i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        for (size_t k = 0; k < node->output_count; k++)
            if (node->outputs[k] && !node->outputs[k]->constant)
                now += (uint64_t)bytes_of(net, node->outputs[k]).value;
        most = now > most ? now : most;
        for (size_t k = 0; k < node->input_count; k++) {
            struct tensor *t = node->inputs[k];
            if (t && !--t->users && !t->constant && !t->output && !t->variable)
                now -= (uint64_t)bytes_of(net, t).value;
        }
    }
    for (size_t i = 0; i < net->node_count; i++)
        for (size_t k = 0; k < net->nodes[i]->input_count; k++)
            if (net->nodes[i]->inputs[k])
                net->nodes[i]->inputs[k]->users++;
    return most;
}

static struct dim weight_bytes(struct net *net)
{
    struct dim bytes = dim_number(0);
    for (size_t i = 0; i < net->tensor_count; i++)
        if (is_parameter(net->tensors[i]) && net->tensors[i]->users)
            bytes = dim_add(&net->arena, bytes, bytes_of(net, net->tensors[i]));
    return bytes;
}

uint64_t net_kept_most(struct net *net)
{
    enum { TIMES = 4 }; /* 8 bits become 16, and floats double; tiles are filled up */
    const struct dim bytes = weight_bytes(net);
    return bytes.term ? 0 : TIMES * (uint64_t)bytes.value;
}

struct net_summary net_summarise(struct net *net)
{
    struct net_summary s = {.weight_bytes = weight_bytes(net), .kept_bytes = net_kept_most(net)};
    bool known = true;
    for (size_t i = 0; i < net->tensor_count; i++) {
        const struct tensor *t = net->tensors[i];
        if (t->input || (t->producer && !t->constant)) {
            const struct dim bytes = bytes_of(net, t);
            known &= t->shape && !bytes.term;
            s.activation_bytes = dim_add(&net->arena, s.activation_bytes, bytes);
        }
        if (!is_parameter(t) || !t->users)
            continue;
        s.parameters = dim_add(&net->arena, s.parameters, shape_elements(net, t->shape));
        s.missing |= !t->values.at && !t->values.list.at;
        s.non_zeros += non_zeros(t);
    }
    for (size_t i = 0; i < net->node_count; i++)
        s.multiplications = dim_add(&net->arena, s.multiplications, net->nodes[i]->multiplications);
    s.live_bytes = known ? live(net) : 0;
    return s;
}
