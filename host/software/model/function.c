/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/model/parts.h"

#include <stdlib.h>

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

/* The operator as nodes of ONNX. Flat tensors have the types of the network there. */
static bool put_value(struct c_model *m, const struct c_step *step, const struct plain *plain,
                      const struct form *form, struct strbuf *why)
{
    const bool pair = step->second != SIZE_MAX;
    if (m->tensors[step->in].no_sign != c_reads_no_sign(form, SLOT_INPUT) ||
        (pair && m->tensors[step->second].no_sign != c_reads_no_sign(form, SLOT_EXTRA))) {
        sb_add(why, "an operand is read with another sign than it has");
        return false;
    }
    const onnx_value second = pair ? *model_value(m, step->second) : 0,
                     v = onnx_operator(m->onnx, plain, form, *model_value(m, step->in), second, why);
    *model_value(m, step->out) = v;
    return v;
}

/* Inputs become flat, and outputs get their dimensions again. */
void model_inputs(struct c_model *m)
{
    const int64_t flat[] = {-1};
    for (size_t i = 0; m->onnx && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        char name[16];
        snprintf(name, sizeof name, "in_%d", t->input);
        if (t->input != C_NONE)
            *model_value(m, i) = onnx_listed(
                m->onnx, "Reshape",
                onnx_input(m->onnx, name, onnx_type_of(t->bytes, t->no_sign), t->dims, t->rank), flat, 1);
    }
}

void model_outputs(struct c_model *m)
{
    for (size_t i = 0; m->onnx && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        char name[16];
        snprintf(name, sizeof name, "out_%d", t->output);
        if (t->output != C_NONE)
            onnx_output(m->onnx, onnx_listed(m->onnx, "Reshape", *model_value(m, i), t->dims, t->rank), name,
                        onnx_type_of(t->bytes, t->no_sign), t->dims, t->rank);
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

bool model_plain(struct c_model *m, const struct plain *plain, const char *comment, struct c_step *step,
                 struct strbuf *why)
{
    struct form form = {.count = 0};
    bool ok = form_make(&plain->flow, &form, why);
    if (ok)
        m->tensors[step->out].no_sign |= m->tensors[step->out].inner && c_gives_no_sign(&form);
    if (ok && m->onnx)
        ok = put_value(m, step, plain, &form, why);
    else if (ok && !c_operator(&m->file, step->name, comment, plain, &form)) {
        sb_add(why, sb_text(&m->file.why));
        ok = false;
    }
    if (ok) {
        step->in_no_sign = c_reads_no_sign(&form, SLOT_INPUT);
        step->second_no_sign = c_reads_no_sign(&form, SLOT_EXTRA);
        step->out_no_sign = c_gives_no_sign(&form);
    }
    form_free(&form);
    return ok;
}
