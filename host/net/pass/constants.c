/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes whose inputs are constants become their results, as the kernels for the CPU
 * compute them: all results stay the same to the bit. So do computed lists of sizes
 * that are known. Results that are larger than their inputs by more than 64 KiB are
 * left to be computed, and quantised weights stay quantised.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/cpu.h"
#include "host/net/pass/list.h"

enum { LARGER_MOST = 1 << 16 };

/* A result, until the run that made it has ended. */
struct folded {
    struct folded *next;
    struct node *node;
    struct tensor *tensor;
    struct view view; /* with its own numbers */
};

static bool is_foldable(const struct node *node)
{
    static const char *const not_these[] = {"DequantizeLinear", "RandomNormal",     "RandomUniform",
                                            "Multinomial",      "RandomNormalLike", "RandomUniformLike",
                                            "Bernoulli",        "Dropout"};
    for (size_t i = 0; i < sizeof not_these / sizeof *not_these; i++)
        if (!strcmp(node->type, not_these[i]))
            return false;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] &&
            (!has_values(node->inputs[i]) || node->inputs[i]->input || node->inputs[i]->quantisation))
            return false;
    for (size_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] && (node->outputs[i]->output || node->outputs[i]->quantisation))
            return false;
    return *node->domain == 0 && node->output_count;
}

/* Bytes of a tensor of known sizes. */
static bool bytes_of(struct edit *e, const struct tensor *t, uint64_t *bytes)
{
    const struct dim count = t->shape ? shape_elements(e->net, t->shape) : dim_number(-1);
    *bytes = net_type_bytes(t->type, (uint64_t)count.value);
    return !count.term && count.value >= 0 && count.value <= NET_SIZE_MOST && net_type_bits(t->type) >= 8;
}

/* Whether the results are known to be little larger than the inputs, before anything is computed. */
static bool is_small(struct edit *e, const struct node *node)
{
    uint64_t bytes, inputs = LARGER_MOST, outputs = 0;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] && bytes_of(e, node->inputs[i], &bytes))
            inputs += bytes;
    for (size_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] && !bytes_of(e, node->outputs[i], &bytes))
            return false;
        outputs += node->outputs[i] ? bytes : 0;
    }
    return outputs <= inputs;
}

/* False: the result stays to be computed. */
static bool keep(struct run *run, struct node *node, struct folded **list)
{
    struct view v;
    for (size_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] && !run_get(run, node->outputs[i], &v))
            return false;
    for (size_t i = 0; i < node->output_count; i++) {
        if (!node->outputs[i] || !run_get(run, node->outputs[i], &v))
            continue;
        struct folded *f = calloc(1, sizeof *f);
        const size_t bytes = (size_t)net_type_bytes(v.type, v.count);
        void *numbers = malloc(bytes + 1);
        if (!f || !numbers) {
            free(f);
            free(numbers);
            return false;
        }
        if (bytes)
            memcpy(numbers, v.data, bytes);
        v.data = numbers;
        *f = (struct folded){*list, node, node->outputs[i], v};
        *list = f;
    }
    return true;
}

/* The list of sizes that a node computes, when all of them are known. */
static bool keep_sizes(struct node *node, struct folded **list)
{
    struct tensor *t = node->outputs[0];
    bool known = node->output_count == 1 && t && t->few_known && t->type == NET_INT64 && t->shape &&
                 !t->output && t->shape->rank <= 1;
    for (unsigned i = 0; known && i < t->few_count; i++)
        known = !t->few[i].term;
    struct folded *f = known ? calloc(1, sizeof *f) : NULL;
    int64_t *numbers = f ? calloc((size_t)t->few_count + 1, sizeof *numbers) : NULL;
    if (!numbers) {
        free(f);
        return false;
    }
    for (unsigned i = 0; i < t->few_count; i++)
        numbers[i] = t->few[i].value;
    *f = (struct folded){
        *list, node, t, {.type = NET_INT64, .rank = t->shape->rank, .count = t->few_count, .data = numbers}};
    f->view.dim[0] = t->few_count;
    *list = f;
    return true;
}

static void finish(struct edit *e, struct folded *list)
{
    for (struct folded *f = list, *next; f; f = next) {
        struct shape shape = {.rank = f->view.rank};
        const size_t bytes = (size_t)net_type_bytes(f->view.type, f->view.count);
        uint8_t *at = arena_take(&e->net->arena, bytes ? bytes : 1, 1);
        next = f->next;
        for (int i = 0; i < shape.rank; i++)
            shape.dim[i] = dim_number(f->view.dim[i]);
        e->failed |= !at || !net_shape(e->net, f->tensor, &shape);
        if (at && bytes)
            memcpy(at, f->view.data, bytes);
        f->tensor->type = f->view.type;
        f->tensor->constant = true;
        f->tensor->values = (struct values){.at = at, .size = bytes};
        if (!f->node->gone) {
            edit_drop(e, f->node);
            e->changes++;
        }
        free(f->view.data);
        free(f);
    }
}

bool pass_constants(struct edit *e)
{
    struct diag ignored = {0}; /* a node that cannot be computed stays */
    struct folded *list = NULL;
    for (size_t i = 0; i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        if (is_op(node, "Constant") && has_values(node->outputs[0]) && !node->outputs[0]->output) {
            edit_drop(e, node); /* its tensor has the values already */
            e->changes++;
        } else if (node->input_count)
            keep_sizes(node, &list);
    }
    struct run *run = run_new(e->net, &ignored);
    if (!run) {
        e->failed = true;
        finish(e, list);
        return false;
    }
    for (size_t i = 0; i < e->net->node_count; i++) {
        struct node *node = e->net->nodes[i];
        if (!node->gone && is_foldable(node) && is_small(e, node) && run_step(run, node))
            keep(run, node, &list);
    }
    run_free(run);
    diag_free(&ignored);
    finish(e, list);
    return !e->failed;
}
