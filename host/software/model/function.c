/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/model/parts.h"

#include <stdlib.h>
#include <string.h>

#include "host/software/onnx.h"

size_t model_tensor(struct c_model *m, const struct c_tensor *tensor)
{
    struct c_tensor *list = realloc(m->tensors, (m->tensor_count + 1) * sizeof *list);
    if (!list)
        return SIZE_MAX;
    m->tensors = list;
    list[m->tensor_count] = *tensor;
    list[m->tensor_count].same = m->tensor_count;
    return m->tensor_count++;
}

struct c_step *model_step(struct c_model *m)
{
    struct c_step *list = realloc(m->steps, (m->step_count + 1) * sizeof *list);
    if (!list)
        return NULL;
    m->steps = list;
    list[m->step_count] = (struct c_step){.second = SIZE_MAX};
    return &list[m->step_count];
}

void software_free(struct c_model *m)
{
    free(m->tensors);
    free(m->steps);
    c_file_free(&m->file);
    *m = (struct c_model){.name = NULL};
}

bool model_refuse(struct diag *diag, const char *path, const char *layer, const char *why)
{
    return diag_fail(diag, path, "%.60s: there is no software for it: %s", layer, why);
}

/* A tensor with copies of channels is an image of the one without them. */
static bool take_copies(const struct job_copies *c, struct plain *p)
{
    const int64_t wide = c->each + c->count, planes = c->last ? 1 : c->pixels;
    const uint64_t elements = p->input.elements;
    uint64_t *from = malloc((elements + 1) * sizeof *from), at = 0;
    if (!from)
        return false;
    for (uint64_t g = 0; at < elements; g++)
        for (int64_t k = 0; k < wide; k++)
            for (int64_t q = 0; q < planes; q++)
                from[at++] =
                    (uint64_t)(((int64_t)g * c->each + (k < c->each ? k : c->list[k - c->each])) * planes +
                               q);
    p->input.elements = elements / (uint64_t)wide * (uint64_t)c->each;
    if (!p->input.image) {
        p->input.image = from;
        p->input.image_elements = elements;
        return true;
    }
    for (uint64_t i = 0; i < p->input.image_elements; i++)
        if (!(p->input.image[i] & PLAIN_CONSTANT))
            p->input.image[i] = from[p->input.image[i]];
    free(from);
    return true;
}

onnx_value *model_value(struct c_model *m, size_t tensor)
{
    return &m->tensors[m->tensors[tensor].same].value;
}

/* ---- pieces of tensors in ONNX ---------------------------------------------------------------------- */

/* What the step reads of a tensor. */
static onnx_value part_of(struct c_model *m, const struct c_step *step, size_t tensor, uint64_t first,
                          uint64_t elements)
{
    const onnx_value v = *model_value(m, tensor);
    const int64_t begin[] = {0, (int64_t)first}, end[] = {INT64_MAX, (int64_t)(first + elements)},
                  two[] = {2};
    if (!step->piece || (!first && elements == m->tensors[tensor].elements))
        return v;
    return onnx_node(m->onnx, "Slice", v, onnx_constant(m->onnx, ONNX_INT64, begin, two, 1),
                     onnx_constant(m->onnx, ONNX_INT64, end, two, 1), NULL, 0);
}

/* Puts what a step makes, `v` of so many elements from the step's first on, to what was made before: each
 * element has its place then, but those that are still to be made. `made`: which of them the step makes. */
static onnx_value put_piece(struct c_model *m, const struct c_step *step, onnx_value v, const uint8_t *made,
                            uint64_t elements)
{
    struct c_tensor *t = &m->tensors[m->tensors[step->out].same];
    const uint64_t first = step->first.out, before = t->length, end = first + elements,
                   length = end > before ? end : before;
    int64_t *from = calloc(length + 1, sizeof *from);
    bool dense = first == before;
    if (!from)
        return 0;
    for (uint64_t i = 0; i < before; i++)
        from[i] = (int64_t)i;
    for (uint64_t i = 0; i < elements; i++) {
        dense = dense && made[i];
        if (made[i])
            from[first + i] = (int64_t)(before + i);
    }
    if (before)
        v = onnx_behind(m->onnx, t->value, v);
    if (!dense)
        v = onnx_picked(m->onnx, v, from, length);
    t->length = length;
    free(from);
    return v;
}

static onnx_value put_results(struct c_model *m, const struct c_step *step, const struct plain *plain,
                              onnx_value v)
{
    uint8_t *made = calloc(plain->out_elements + 1, 1);
    for (size_t i = 0; made && i < plain->flow.result_count; i++)
        if (flow_space(plain->flow.results[i].to) == SLOT_OUTPUT)
            made[flow_offset(plain->flow.results[i].to) / plain->out_bytes] = 1;
    v = made ? put_piece(m, step, v, made, plain->out_elements) : 0;
    free(made);
    return v;
}

bool model_move_value(struct c_model *m, const struct c_step *step, const uint64_t *from, uint64_t elements,
                      uint64_t read)
{
    uint8_t *made = calloc(elements + 1, 1);
    int64_t *list = calloc(elements + 1, sizeof *list);
    onnx_value v = 0;
    for (uint64_t i = 0; made && list && i < elements; i++) {
        made[i] = !(from[i] & PLAIN_CONSTANT);
        list[i] = made[i] ? (int64_t)from[i] : 0;
    }
    if (made && list) {
        v = onnx_picked(m->onnx, part_of(m, step, step->in, step->first.in, read), list, elements);
        v = put_piece(m, step, v, made, elements);
    }
    free(made);
    free(list);
    *model_value(m, step->out) = v;
    return v;
}

/* The same bits with or without a sign. */
static onnx_value with_sign(struct c_model *m, onnx_value v, unsigned bytes, bool no_sign)
{
    const int64_t all = INT64_C(1) << (8 * bytes), half = no_sign ? 0 : all / 2;
    v = onnx_node(m->onnx, "Add", onnx_cast(m->onnx, v, ONNX_INT64), onnx_number(m->onnx, ONNX_INT64, half),
                  0, NULL, 0);
    v = onnx_node(m->onnx, "Mod", v, onnx_number(m->onnx, ONNX_INT64, all), 0, NULL, 0);
    v = onnx_node(m->onnx, "Sub", v, onnx_number(m->onnx, ONNX_INT64, half), 0, NULL, 0);
    return onnx_cast(m->onnx, v, onnx_type_of(bytes, no_sign));
}

static onnx_value read_as(struct c_model *m, const struct c_tensor *t, bool no_sign, onnx_value v)
{
    return t->no_sign == no_sign || t->bytes > 4 ? v : with_sign(m, v, t->bytes, no_sign);
}

static onnx_value kept_as(struct c_model *m, const struct c_tensor *t, bool no_sign, onnx_value v)
{
    return t->no_sign == no_sign || t->bytes > 4 ? v : with_sign(m, v, t->bytes, t->no_sign);
}

/* The operator as nodes of ONNX. Flat tensors have the types of the network there. */
static bool put_value(struct c_model *m, const struct c_step *step, const struct plain *plain,
                      const struct form *form, struct strbuf *why)
{
    const bool pair = step->second != SIZE_MAX;
    onnx_value in = part_of(m, step, step->in, step->first.in, plain->input.elements),
               second = pair ? part_of(m, step, step->second, step->first.second, plain->second.elements) : 0;
    in = read_as(m, &m->tensors[step->in], c_reads_no_sign(form, SLOT_INPUT), in);
    if (pair)
        second = read_as(m, &m->tensors[step->second], c_reads_no_sign(form, SLOT_EXTRA), second);
    onnx_value v = onnx_operator(m->onnx, plain, form, in, second, why);
    if (v)
        v = kept_as(m, &m->tensors[step->out], c_gives_no_sign(form), v);
    if (v && step->piece)
        v = put_results(m, step, plain, v);
    *model_value(m, step->out) = v;
    return v;
}

/* Whether all inputs and outputs are one of a batch, which any number of them can be then. */
static bool is_one_of_many(const struct c_model *m)
{
    bool one = true;
    for (size_t i = 0; i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        if (t->input != C_NONE || t->output != C_NONE)
            one = one && t->rank && t->dims[0] == 1;
    }
    return one;
}

/* The dimensions that the caller sees. */
static const int64_t *shown(const struct c_model *m, const struct c_tensor *t, int64_t first, int64_t *to)
{
    memcpy(to, t->dims, sizeof t->dims);
    if (is_one_of_many(m))
        to[0] = first;
    return to;
}

/* Inputs become flat, and outputs get their dimensions again. */
void model_inputs(struct c_model *m)
{
    const int64_t flat[] = {is_one_of_many(m) ? 0 : 1, -1}; /* 0: as it is */
    for (size_t i = 0; m->onnx && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        const enum onnx_type type = onnx_type_of(t->bytes, t->no_sign);
        int64_t dims[C_RANK_MOST];
        char name[16];
        snprintf(name, sizeof name, "in_%d", t->input);
        if (t->input != C_NONE)
            *model_value(m, i) =
                onnx_listed(m->onnx, "Reshape",
                            onnx_input(m->onnx, name, type, shown(m, t, ONNX_BATCH, dims), t->rank), flat, 2);
    }
}

void model_outputs(struct c_model *m)
{
    for (size_t i = 0; m->onnx && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        int64_t dims[C_RANK_MOST];
        char name[16];
        snprintf(name, sizeof name, "out_%d", t->output);
        if (t->output == C_NONE)
            continue;
        const onnx_value v = onnx_listed(m->onnx, "Reshape", *model_value(m, i), shown(m, t, 0, dims),
                                         t->rank); /* 0: as it is */
        onnx_output(m->onnx, v, name, onnx_type_of(t->bytes, t->no_sign), shown(m, t, ONNX_BATCH, dims),
                    t->rank);
    }
}

/* The operator's function, and the types of its operands. `copies` may be NULL. */
bool model_function(struct c_model *m, const struct planned *op, const struct packed *packed,
                    const struct job_copies *copies, const char *comment, struct c_step *step,
                    struct strbuf *why)
{
    struct plain plain;
    bool ok = plain_operator(op, packed, &plain, why);
    if (ok && copies && copies->count && !take_copies(copies, &plain)) {
        sb_add(why, "out of memory");
        ok = false;
    }
    ok = ok && model_plain(m, &plain, comment, step, why);
    plain_free(&plain);
    return ok;
}

bool model_piece(struct c_model *m, struct plain *plain, const char *comment, struct c_step *step,
                 struct strbuf *why)
{
    step->piece = true;
    if (plain_narrow(plain, &step->first))
        return model_plain(m, plain, comment, step, why);
    sb_add(why, "out of memory");
    return false;
}

bool model_plain(struct c_model *m, const struct plain *plain, const char *comment, struct c_step *step,
                 struct strbuf *why)
{
    struct form form = {.count = 0};
    bool ok = form_make(&plain->flow, &form, why);
    if (ok)
        m->tensors[step->out].no_sign |=
            m->tensors[step->out].inner && !m->tensors[step->out].value && c_gives_no_sign(&form);
    if (ok && m->onnx)
        ok = put_value(m, step, plain, &form, why);
    else if (ok && !c_operator(&m->file, step->name, comment, plain, &form)) {
        sb_add(why, sb_text(&m->file.why));
        ok = false;
    }
    if (ok && !m->onnx && m->file.called != step->name)
        snprintf(step->name, sizeof step->name, "%s", m->file.called);
    if (ok) {
        step->in_no_sign = c_reads_no_sign(&form, SLOT_INPUT);
        step->second_no_sign = c_reads_no_sign(&form, SLOT_EXTRA);
        step->out_no_sign = c_gives_no_sign(&form);
    }
    form_free(&form);
    return ok;
}
