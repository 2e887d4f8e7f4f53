/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/c_test.h"

void c_identifier(const char *text, char *to, size_t room)
{
    size_t n = 0;
    for (; *text && n + 1 < room; text++) {
        const char c = *text;
        const bool digit = c >= '0' && c <= '9',
                   letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (digit && !n && n + 2 < room)
            to[n++] = '_';
        to[n++] = letter || digit ? c : '_';
    }
    if (!n && room > 1)
        to[n++] = '_';
    to[n] = 0;
}

/* ---- memory between layers -------------------------------------------------------------------------- */

struct buffer {
    uint64_t elements;
    unsigned bytes;
    size_t free_from; /* the step from which it is free */
};

static struct c_tensor *memory_of(struct c_model *m, size_t tensor)
{
    return &m->tensors[m->tensors[tensor].same];
}

/* Inputs and outputs lie with the caller; the rest shares buffers, which are free when their last reader has
 * run. */
static bool place_tensors(struct c_model *m, struct buffer **buffers, size_t *count)
{
    struct buffer *list = calloc(m->step_count + 1, sizeof *list);
    *buffers = list;
    *count = 0;
    for (size_t s = 0; list && s < m->step_count; s++) {
        struct c_tensor *t = memory_of(m, m->steps[s].out);
        if (t->from != C_NONE || t->to != C_NONE || t->buffer != C_NONE)
            continue;
        size_t best = *count;
        for (size_t b = 0; b < *count; b++)
            if (list[b].bytes == t->bytes && list[b].free_from <= s &&
                (best == *count || (list[b].elements >= t->elements) > (list[best].elements >= t->elements)))
                best = b;
        if (best == *count)
            list[(*count)++] = (struct buffer){.bytes = t->bytes};
        list[best].elements = t->elements > list[best].elements ? t->elements : list[best].elements;
        list[best].free_from = t->last + 1;
        t->buffer = (int)best;
    }
    return list;
}

static void find_last_readers(struct c_model *m)
{
    for (size_t s = 0; s < m->step_count; s++) {
        memory_of(m, m->steps[s].in)->last = s;
        if (m->steps[s].second != SIZE_MAX)
            memory_of(m, m->steps[s].second)->last = s;
        struct c_tensor *out = memory_of(m, m->steps[s].out);
        out->last = out->last < s ? s : out->last;
    }
}

/* ---- text ------------------------------------------------------------------------------------------- */

/* The tensor's elements from the first of a piece on. */
static void tensor(struct c_model *m, size_t number, uint64_t first, bool no_sign, bool constant,
                   struct strbuf *to)
{
    const struct c_tensor *t = memory_of(m, number);
    const char *type = c_type(m->tensors[number].bytes, no_sign);
    if (t->to != C_NONE)
        sb_addf(to, "(%s%s *)out[%d]", constant ? "const " : "", type, t->to);
    else if (t->from != C_NONE)
        sb_addf(to, "(const %s *)in[%d]", type, t->from);
    else
        sb_addf(to, no_sign ? "(%s%s *)buffer_%d" : "%.0s%.0sbuffer_%d", constant ? "const " : "", type,
                t->buffer);
    if (first)
        sb_addf(to, " + %" PRIu64, first);
}

/* Values that are outputs as well as inputs, or two outputs, are copied. */
static void copies(struct c_model *m, struct strbuf *to)
{
    for (size_t i = 0; i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i], *memory = memory_of(m, i);
        if (t->output == C_NONE || t->output == memory->to)
            continue;
        sb_addf(to, "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        ((%s *)out[%d])[i] = (",
                t->elements, c_type(t->bytes, t->no_sign), t->output);
        tensor(m, i, 0, t->no_sign, true, to);
        sb_add(to, ")[i];\n");
    }
}

/* The input or output of that number; NULL: there is none. */
static const struct c_tensor *operand(const struct c_model *m, bool input, int number)
{
    for (size_t i = 0; i < m->tensor_count; i++)
        if ((input ? m->tensors[i].input : m->tensors[i].output) == number)
            return &m->tensors[i];
    return NULL;
}

static void list_operands(const struct c_model *m, bool inputs, struct strbuf *to)
{
    const struct c_tensor *t;
    for (int number = 0; (t = operand(m, inputs, number)); number++) {
        sb_addf(to, " *   %s[%d]  %" PRIu64 " x %s", inputs ? "in" : "out", number, t->elements,
                c_type(t->bytes, t->no_sign));
        if (*t->name)
            sb_addf(to, "  %s", t->name);
        sb_add(to, "\n");
    }
}

static void write_header(const struct c_model *m, struct strbuf *to)
{
    sb_addf(to, "/* %s\n *\n", m->title);
    list_operands(m, true, to);
    list_operands(m, false, to);
    sb_addf(to, " */\n#ifndef %s_H\n#define %s_H\n\n", m->name, m->name);
    if (m->file.apart)
        sb_addf(
            to,
            "#include <stdint.h>\n\n"
            "/* Takes the bytes of the file with the weights, which stay there. 0: it is this model's. */\n"
            "int %s_weights(const void *bytes, uint64_t count);\n"
            "/* 0; another number when `in` or `out` is null, or there are no weights. Calls must not run at "
            "the "
            "same\n * time. */\n",
            m->name);
    else
        sb_add(to,
               "/* 0; another number when `in` or `out` is null. Calls must not run at the same time. */\n");
    sb_addf(to, "int %s_run(const void *const in[], void *const out[]);\n", m->name);
    if (m->tested)
        sb_addf(to,
                "/* Runs the model on inputs by a rule. 0: all layers give the bits of the device; 1: they "
                "do not; 2: there\n"
                " * are no weights. */\n"
                "int %s_test(void);\n",
                m->name);
    sb_add(to, "\n#endif\n");
}

/* What follows each call: nothing, a call of `after`, or the checksum of a test. */
enum following { FOLLOW_NOTHING, FOLLOW_CALL, FOLLOW_SUM };

static void follow(struct c_model *m, size_t step, enum following with, struct strbuf *to)
{
    struct strbuf x = {0};
    const struct c_step *s = &m->steps[step];
    tensor(m, s->out, 0, s->out_no_sign, true, &x);
    if (with == FOLLOW_CALL)
        sb_addf(to, "    after(context, %zu, %s);\n", step, sb_text(&x));
    else if (with == FOLLOW_SUM && c_model_shows(m, s))
        c_test_step(&m->tensors[s->out], sb_text(&x), to);
    sb_free(&x);
}

static void write_steps(struct c_model *m, enum following with, struct strbuf *to)
{
    for (size_t s = 0; s < m->step_count; s++) {
        const struct c_step *step = &m->steps[s];
        sb_addf(to, "    %s(", step->name);
        tensor(m, step->in, step->first.in, step->in_no_sign, true, to);
        sb_add(to, ", ");
        if (step->second != SIZE_MAX) {
            tensor(m, step->second, step->first.second, step->second_no_sign, true, to);
            sb_add(to, ", ");
        }
        tensor(m, step->out, step->first.out, step->out_no_sign, false, to);
        sb_add(to, ");\n");
        follow(m, s, with, to);
    }
}

static void write_test(struct c_model *m, struct strbuf *to)
{
    c_test_begin(m, to);
    write_steps(m, FOLLOW_SUM, to);
    c_test_end(m, to);
}

static void write_end(struct c_model *m, struct strbuf *to)
{
    copies(m, to);
    sb_add(to, "    return 0;\n}\n");
}

static void write_run(struct c_model *m, const struct buffer *buffers, size_t count, struct strbuf *to)
{
    for (size_t b = 0; b < count; b++)
        sb_addf(to, "static %s buffer_%zu[%" PRIu64 "];\n", c_type(buffers[b].bytes, false), b,
                buffers[b].elements);
    sb_addf(to,
            "\nint %s_run(const void *const in[], void *const out[])\n{\n    if (!in || !out%s)\n        "
            "return 1;\n",
            m->name, m->file.apart ? " || !weights" : "");
    write_steps(m, FOLLOW_NOTHING, to);
    write_end(m, to);
    if (!m->traced)
        return;
    sb_addf(
        to,
        "\nint %s_trace(const void *const in[], void *const out[],\n    void (*after)(void *context, int "
        "step, "
        "const void *result), void *context);\n"
        "int %s_trace(const void *const in[], void *const out[],\n    void (*after)(void *context, int step, "
        "const void *result), void *context)\n{\n",
        m->name, m->name);
    write_steps(m, FOLLOW_CALL, to);
    write_end(m, to);
}

/* The function that takes weights which are apart: only those that the file was written with. */
static void write_weights(const struct c_model *m, struct strbuf *to)
{
    uint64_t sum = C_SUM_START;
    for (size_t i = 0; i < m->file.weights.len; i++)
        sum = (sum ^ (uint8_t)m->file.weights.text[i]) * C_SUM_FACTOR;
    sb_addf(to,
            "\nint %s_weights(const void *bytes, uint64_t count)\n{\n"
            "    const uint8_t *byte = bytes;\n"
            "    uint64_t sum = UINT64_C(%" PRIu64 ");\n"
            "    if (!bytes || count != %zu)\n        return 1;\n"
            "    for (uint64_t i = 0; i < count; i++)\n"
            "        sum = (sum ^ byte[i]) * UINT64_C(%" PRIu64 ");\n"
            "    if (sum != UINT64_C(%" PRIu64 "))\n        return 1;\n"
            "    weights = bytes;\n    return 0;\n}\n",
            m->name, C_SUM_START, m->file.weights.len, C_SUM_FACTOR, sum);
}

bool c_model_write(struct c_model *m, struct strbuf *source, struct strbuf *header)
{
    struct buffer *buffers;
    size_t count;
    struct strbuf run = {0};
    find_last_readers(m);
    const bool placed = place_tensors(m, &buffers, &count);
    if (placed) {
        write_run(m, buffers, count, &run);
        sb_addf(source, "/* %s\n *\n", m->title);
        list_operands(m, true, source);
        list_operands(m, false, source);
        sb_addf(source, " */\n#include <stdint.h>\n\n#include \"%s.h\"\n\n", m->name);
        c_helpers(sb_text(&m->file.body), source);
        if (m->file.apart)
            sb_add(source,
                   "/* Those of all layers, one behind the other. */\nstatic const int8_t *weights;\n\n");
        sb_add(source, sb_text(&m->file.body));
        sb_add(source, sb_text(&run));
        if (m->file.apart)
            write_weights(m, source);
        if (m->tested)
            write_test(m, source);
        write_header(m, header);
    }
    const bool ok = placed && sb_ok(&run) && sb_ok(source) && sb_ok(header);
    free(buffers);
    sb_free(&run);
    return ok;
}
