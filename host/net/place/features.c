/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/features.h"

#include <stdio.h>
#include <string.h>

static bool elements(const struct tensor *t, double *to)
{
    *to = 1;
    for (int i = 0; t->shape && i < t->shape->rank; i++) {
        if (t->shape->dim[i].term)
            return false;
        *to *= (double)t->shape->dim[i].value;
    }
    return t->shape && t->shape->rank >= 0;
}

bool place_bytes(const struct tensor *t, double *bytes)
{
    if (!elements(t, bytes))
        return false;
    *bytes *= net_type_bits(t->type) / 8.0;
    return true;
}

/* Convolutions with a group for each channel, or with a few, take another time each. */
static const char *kind_of(const struct node *node)
{
    const struct attribute *group = node_attribute(node, "group"),
                           *kernel = node_attribute(node, "kernel_shape");
    const int64_t groups = group && group->integers ? group->integers[0] : 1;
    bool points = kernel && kernel->integers;
    if (groups > 1)
        return ".depthwise";
    for (size_t i = 0; points && i < kernel->count; i++)
        points = kernel->integers[i] == 1;
    return points ? ".pointwise" : "";
}

static double window_of(const struct node *node)
{
    const struct attribute *kernel = node_attribute(node, "kernel_shape");
    double window = 1;
    for (size_t i = 0; kernel && kernel->integers && i < kernel->count; i++)
        window *= (double)kernel->integers[i];
    return window;
}

static const struct attribute *text_of(const struct node *node, const char *name)
{
    const struct attribute *a = node_attribute(node, name);
    return a && a->texts ? a : NULL;
}

/* Of the first operand that has one. */
static const struct tensor *typed(const struct node *node)
{
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i])
            return node->inputs[i];
    return node->output_count ? node->outputs[0] : NULL;
}

bool place_features(const struct node *node, struct place_features *to)
{
    const struct tensor *first = typed(node);
    const struct attribute *layout = text_of(node, "layout");
    double bytes, count, most = 0;
    *to = (struct place_features){.work = 0};
    snprintf(to->key, sizeof to->key, "%.24s%s.%s%s%s", node->type, kind_of(node),
             first ? net_type_name(first->type) : "none", first && first->quantisation ? ".scaled" : "",
             layout && !strcmp(layout->texts[0], "NHWC") ? ".nhwc" : "");
    for (size_t i = 0; i < node->input_count + node->output_count; i++) {
        const struct tensor *t =
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        if (!t)
            continue;
        if (!elements(t, &count) || !place_bytes(t, &bytes))
            return false;
        to->bytes += bytes;
        most = i >= node->input_count && count * window_of(node) > most ? count * window_of(node)
               : count > most                                           ? count
                                                                        : most;
    }
    const bool multiplies = !node->multiplications.term && node->multiplications.value > 0;
    to->work = multiplies ? (double)node->multiplications.value : most;
    return true;
}
