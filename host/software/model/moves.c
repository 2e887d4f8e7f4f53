/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes on the CPU that only move numbers, such as those that cut images and put them together: their kernel
 * is asked with tensors whose elements tell their numbers, digit by digit (places.h), and what it does
 * becomes copies of elements.
 */
#include <stdlib.h>
#include <string.h>

#include "host/software/model/parts.h"

bool model_moves(const struct node *node)
{
    static const char *const names[] = {"Slice", "Concat",       "Transpose",
                                        "Split", "DepthToSpace", "SpaceToDepth"};
    bool moves = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        moves = moves || !strcmp(node->type, names[i]);
    for (size_t i = 1; moves && i < node->output_count; i++)
        moves = !node->outputs[i];
    return moves;
}

static bool is_moved(const struct node *node, size_t input)
{
    return node->inputs[input] && !node->inputs[input]->constant;
}

/* Elements are numbered over all operands. */
struct asking {
    struct net *net;
    struct node *node;
    struct diag *diag;
    unsigned bytes;
    uint64_t elements; /* of the result */
    uint64_t *from;    /* of each: the number */
    uint64_t inputs;   /* elements of all operands */
};

static uint64_t count_of(const struct tensor *t)
{
    uint64_t count = 1;
    for (int i = 0; t->shape && i < t->shape->rank; i++)
        count *= (uint64_t)t->shape->dim[i].value;
    return count;
}

/* An operand whose elements have a digit of their numbers. */
static bool give(const struct asking *a, struct run *run, struct tensor *t, uint64_t first, unsigned digit)
{
    struct view view = {.type = t->type, .rank = t->shape->rank, .count = count_of(t)};
    uint8_t *bytes = calloc(view.count + 1, a->bytes);
    for (int d = 0; d < view.rank; d++)
        view.dim[d] = t->shape->dim[d].value;
    for (uint64_t i = 0; bytes && i < view.count; i++)
        bytes[i * a->bytes] = (uint8_t)((first + i) >> (8 * digit));
    view.data = bytes;
    const bool ok = bytes && run_set(run, t, &view);
    free(bytes);
    return ok;
}

static bool ask(struct asking *a, unsigned digit)
{
    struct run *run = run_new(a->net, a->diag);
    struct view view;
    uint64_t first = 0;
    bool ok = run;
    for (size_t i = 0; ok && i < a->node->input_count; i++)
        if (is_moved(a->node, i)) {
            ok = give(a, run, a->node->inputs[i], first, digit);
            first += count_of(a->node->inputs[i]);
        }
    ok =
        ok && run_step(run, a->node) && run_get(run, a->node->outputs[0], &view) && view.count == a->elements;
    for (uint64_t i = 0; ok && i < a->elements; i++)
        a->from[i] |= (uint64_t)((const uint8_t *)view.data)[i * a->bytes] << (8 * digit);
    run_free(run);
    return ok;
}

/* What one operand gives: which of its elements each result from the first on is, counted from the first that
 * is read. */
struct moving {
    uint64_t *from;
    uint64_t elements, read; /* from the first to the last result, and element */
};

static bool find_moving(const struct asking *a, uint64_t first, uint64_t count, struct plain_firsts *firsts,
                        struct moving *to)
{
    uint64_t low = UINT64_MAX, high = 0, begin = a->elements, end = 0;
    for (uint64_t i = 0; i < a->elements; i++) {
        const uint64_t at = a->from[i] - first;
        if (at >= count) /* below `first` as well */
            continue;
        low = at < low ? at : low;
        high = at > high ? at : high;
        begin = i < begin ? i : begin;
        end = i + 1;
    }
    *to = (struct moving){.from = malloc((a->elements + 1) * sizeof *to->from)};
    if (!to->from || begin >= end)
        return to->from;
    *firsts = (struct plain_firsts){.in = low, .out = begin};
    to->elements = end - begin;
    to->read = high - low + 1;
    for (uint64_t i = begin; i < end; i++)
        to->from[i - begin] = a->from[i] - first < count ? a->from[i] - first - low : PLAIN_CONSTANT;
    return true;
}

/* The step of one operand of which the result has elements. */
static bool put_step(const struct asking *a, struct c_model *m, const struct model_moves *of, size_t operand,
                     uint64_t first, uint64_t count)
{
    struct moving moving;
    struct c_step *step = model_step(m);
    bool ok = step && find_moving(a, first, count, &step->first, &moving);
    if (ok && moving.elements) {
        of->name(of->context, step);
        step->piece = step->partial = true;
        step->in = of->in[operand];
        step->out = of->out;
        step->in_no_sign = step->out_no_sign = m->tensors[of->out].no_sign;
        const struct c_moving text = {step->name,       of->comment, a->bytes,
                                      step->in_no_sign, moving.from, moving.elements};
        ok = m->onnx ? model_move_value(m, step, moving.from, moving.elements, moving.read)
                     : c_move(&m->file, &text);
        m->step_count++;
    }
    if (step)
        free(moving.from);
    return ok;
}

static bool put_steps(const struct asking *a, struct c_model *m, const struct model_moves *of)
{
    const size_t before = m->step_count;
    uint64_t first = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < a->node->input_count; i++)
        if (is_moved(a->node, i)) {
            const uint64_t count = count_of(a->node->inputs[i]);
            ok = put_step(a, m, of, i, first, count);
            first += count;
        }
    if (m->step_count > before)
        m->steps[m->step_count - 1].partial = false;
    return ok;
}

bool model_move(struct c_model *m, struct net *net, struct node *node, const struct model_moves *of,
                struct diag *diag, struct strbuf *why)
{
    struct asking a = {.net = net,
                       .node = node,
                       .diag = diag,
                       .bytes = m->tensors[of->out].bytes,
                       .elements = count_of(node->outputs[0])};
    for (size_t i = 0; i < node->input_count; i++)
        a.inputs += is_moved(node, i) ? count_of(node->inputs[i]) : 0;
    a.from = calloc(a.elements + 1, sizeof *a.from);
    bool ok = a.from;
    for (unsigned digit = 0; ok && digit < 8 && a.inputs >> (8 * digit); digit++)
        ok = ask(&a, digit);
    ok = ok && put_steps(&a, m, of);
    if (!ok && !why->len)
        sb_add(why, "out of memory");
    free(a.from);
    return ok;
}
