/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>

/* Rows of softmax, whose elements are beside each other. */
bool c_softmax(struct c_writing *w, const char *name, const struct form_group *g)
{
    static const char *const roundings[] = {"scale_up", "scale_even", "scale_two_steps"};
    const struct flow_finish *f = &w->plain->flow.finishes[g->columns[0].finish];
    const struct num_step *s = &f->step;
    struct strbuf *to = &w->file->body;
    const unsigned bytes = 1u << f->element;
    const char *type = c_type(bytes, f->no_sign), *from = c_type(1, g->from.kind.no_sign);
    if (g->tap_count != f->elements || g->tap_nest_count != 1 || g->tap_nests[0].depth > 1 ||
        (g->tap_nests[0].depth && g->tap_nests[0].axis[0].step[FORM_BASE] != 1) || !num_limits(s->function) ||
        !num_scales(s->function))
        return c_fail(w, "rows of softmax in another order");
    sb_addf(to, "static const int32_t %s_exponentials[256] = {", name);
    for (size_t i = 0; i < 256; i++)
        c_number(to, i, w->plain->flow.tables[f->table][i]);
    sb_addf(
        to,
        "\n};\n\nstatic void %s_row(const %s *x, %s *to)\n{\n"
        "    %s largest = x[0];\n    uint32_t sum = 0;\n"
        "    for (int32_t i = 1; i < %u; i++)\n        largest = x[i] > largest ? x[i] : largest;\n"
        "    for (int32_t i = 0; i < %u; i++)\n"
        "        sum += ((uint32_t)%s_exponentials[(uint8_t)(largest - x[i])] + 2048) >> 12;\n"
        "    const struct share share = share_of(sum);\n"
        "    const unsigned shift = %u + share.shift < 63 ? %u + share.shift : 63;\n"
        "    for (int32_t i = 0; i < %u; i++) {\n"
        "        int64_t v = %s_wide(%s_exponentials[(uint8_t)(largest - x[i])], share.multiplier, shift);\n"
        "        v = limit(v, -65536, 65536) + %d;\n        v = limit(v, %d, %d);\n",
        name, from, type, from, f->elements, f->elements, name, s->shift, s->shift, f->elements,
        roundings[s->rounding], name, s->zero, s->low, s->high);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned element = i ? f->element : (unsigned)s->element;
        if (element == NUM_INT8)
            sb_add(to, "        v = limit(v, -128, 127);\n");
    }
    sb_addf(to, "        to[i] = (%s)(v + %d);\n    }\n}\n\n", type, f->no_sign ? 1 << (8 * bytes - 1) : 0);
    for (size_t i = 0; i < g->nest_count; i++) {
        c_open_loops(&w->text, &g->nests[i], 0);
        sb_addf(&w->text, "        %s_row(&", name);
        c_operand(w, &g->from, &w->text);
        sb_addf(&w->text, "[%" PRId64 " + ", g->columns[0].first[FORM_BASE]);
        c_expression(&w->text, &g->nests[i], FORM_BASE);
        sb_addf(&w->text, "], &out[%" PRId64 " + ", g->columns[0].first[FORM_TO]);
        c_expression(&w->text, &g->nests[i], FORM_TO);
        sb_add(&w->text, "]);\n    }\n");
    }
    return true;
}
