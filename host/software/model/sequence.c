/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences become steps of a model: each stage of the program is one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host/software/model/parts.h"
#include "host/software/stages.h"

struct making {
    struct c_model *to;
    const struct model_sequence *of;
    size_t ends;   /* tensors that the host gives or takes */
    size_t *inner; /* tensors of the model that are between stages */
    size_t inners;
};

static bool refuse(struct strbuf *why)
{
    sb_add(why, "out of memory");
    return false;
}

static size_t tensor_of(const struct making *m, size_t number)
{
    return number == STAGES_NONE ? SIZE_MAX
           : number < m->ends    ? m->of->tensor[number]
                                 : m->inner[number - m->ends];
}

/* Results that stay on the device get a tensor of their own. */
static bool add_inner(struct making *m, const struct stage *stage)
{
    const size_t at = stage->out - m->ends;
    const struct c_tensor tensor = {.name = "",
                                    .elements = stage->plain.out_elements,
                                    .bytes = stage->plain.out_bytes,
                                    .input = C_NONE,
                                    .output = C_NONE,
                                    .from = C_NONE,
                                    .to = C_NONE,
                                    .buffer = C_NONE,
                                    .inner = true,
                                    .dims = {(int64_t)stage->plain.out_elements},
                                    .rank = 1};
    if (at < m->inners && m->inner[at] != SIZE_MAX)
        return true;
    if (at >= m->inners) {
        size_t *list = realloc(m->inner, (at + 1) * sizeof *list);
        if (!list)
            return false;
        m->inner = list;
        for (; m->inners <= at; m->inners++)
            list[m->inners] = SIZE_MAX;
    }
    m->inner[at] = model_tensor(m->to, &tensor);
    return m->inner[at] != SIZE_MAX;
}

/* Stages are those of the layers, in their order, besides those that only move numbers. */
static size_t layer_of(const struct making *m, const struct stage *stage)
{
    return !m->of->layers || stage->stages == m->of->layers ? stage->number
           : stage->stages + stage->copies == m->of->layers ? stage->number_with_copies
                                                            : SIZE_MAX;
}

static bool take(void *context, struct stage *stage, struct strbuf *why)
{
    struct making *m = context;
    struct strbuf comment = {0};
    if (stage->out >= m->ends && !add_inner(m, stage))
        return refuse(why);
    struct c_step *step = model_step(m->to);
    if (!step)
        return refuse(why);
    m->of->describe(m->of->context, layer_of(m, stage), m->to->step_count, step->name, &comment);
    step->in = tensor_of(m, stage->in);
    step->second = tensor_of(m, stage->second);
    step->out = tensor_of(m, stage->out);
    step->partial = !stage->last;
    const bool ok = stage->pieces ? model_piece(m->to, &stage->plain, sb_text(&comment), step, why)
                                  : model_plain(m->to, &stage->plain, sb_text(&comment), step, why);
    m->to->step_count++;
    sb_free(&comment);
    return ok;
}

static size_t count_ends(const struct sequence *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->steps; i++)
        count += s->step[i].x == SEQUENCE_HOST;
    for (size_t i = 0; i < s->values; i++)
        count += s->value[i].wanted;
    return count;
}

bool model_sequence(struct c_model *to, const struct sequence *sequence, const struct packed *packed,
                    const struct model_sequence *of, struct strbuf *why)
{
    struct making m = {.to = to, .of = of, .ends = count_ends(sequence)};
    const bool ok = stages_read(sequence, packed, take, &m, why);
    free(m.inner);
    return ok;
}

/* ---- sequences without a network -------------------------------------------------------------------- */

static void name_stage(void *context, size_t at, size_t number, char *name, struct strbuf *comment)
{
    (void)context;
    (void)number;
    snprintf(name, sizeof(((struct c_step *)0)->name), "operator_%zu", at + 1);
    sb_addf(comment, "Operator %zu of the sequence.", at + 1);
}

static bool add_end(struct c_model *m, uint64_t elements, unsigned bytes, bool no_sign, int input, int output)
{
    const struct c_tensor tensor = {.name = "",
                                    .elements = elements,
                                    .bytes = bytes,
                                    .no_sign = no_sign,
                                    .input = input,
                                    .output = output,
                                    .from = input,
                                    .to = output,
                                    .buffer = C_NONE,
                                    .dims = {(int64_t)elements},
                                    .rank = 1};
    return model_tensor(m, &tensor) != SIZE_MAX;
}

static bool add_ends(struct c_model *m, const struct sequence *s)
{
    struct tulle_matrix shape;
    int inputs = 0, outputs = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < s->steps; i++) {
        const struct planned *of = &s->step[i].of;
        ok = s->step[i].x != SEQUENCE_HOST ||
             add_end(m, operands_input_shape(of, &shape), planned_input_bytes(of), of->input_unsigned,
                     inputs++, C_NONE);
    }
    for (size_t i = 0; ok && i < s->values; i++) {
        const struct planned *of = &s->step[s->value[i].made].of;
        ok = !s->value[i].wanted ||
             add_end(m, sequence_elements(s, &s->value[i]), num_element_bytes((enum num_element)of->element),
                     of->output_unsigned, C_NONE, outputs++);
    }
    return ok;
}

bool software_sequence(const char *path, const struct sequence *s, const struct packed *packed,
                       struct c_model *m, struct diag *diag)
{
    struct strbuf why = {0};
    const size_t count = count_ends(s);
    size_t *tensors = calloc(count + 1, sizeof *tensors);
    const struct model_sequence of = {.tensor = tensors, .describe = name_stage};
    for (size_t i = 0; tensors && i < count; i++)
        tensors[i] = i;
    if (!tensors || !add_ends(m, s)) {
        free(tensors);
        diag_no_memory(diag, path);
        return false;
    }
    model_inputs(m);
    const bool ok =
        model_sequence(m, s, packed, &of, &why) || model_refuse(diag, path, "the sequence", sb_text(&why));
    if (ok)
        model_outputs(m);
    free(tensors);
    sb_free(&why);
    return ok;
}
