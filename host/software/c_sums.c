/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>

enum { TAP_NESTS_MOST = 12 };

const char *c_sum_type(const struct c_bounds *b)
{
    return b->huge ? "uint64_t" : b->sum.low >= INT32_MIN && b->sum.high <= INT32_MAX ? "int32_t" : "int64_t";
}

/* An activation less its zero point. */
static void activation(struct strbuf *to, const struct form_group *g, const struct c_bounds *b,
                       const char *place)
{
    const char *wide = b->huge ? "(int64_t)" : c_sum_type(b)[3] == '6' ? "(int64_t)" : "";
    if (g->from.kind.zero)
        sb_addf(to, "(%sx[%s] - %" PRId32 ")", wide, place, g->from.kind.zero);
    else
        sb_addf(to, "%sx[%s]", wide, place);
}

/* A product is added, or compared. */
static void product(struct strbuf *to, const struct form_group *g, const struct c_bounds *b, unsigned depth,
                    const char *weight, const char *place)
{
    c_indent(to, depth);
    if (g->op == FLOW_SUM && b->huge) {
        sb_addf(to, "sum += (uint64_t)(int64_t)%s * (uint64_t)", weight);
        activation(to, g, b, place);
        sb_add(to, ";\n");
        return;
    }
    if (g->op == FLOW_SUM) {
        sb_addf(to, "sum += %s * ", weight);
        activation(to, g, b, place);
        sb_add(to, ";\n");
        return;
    }
    sb_add(to, "if (");
    if (g->op == FLOW_MAX_NONZERO) {
        activation(to, g, b, place);
        sb_add(to, " != 0 && ");
    }
    sb_addf(to, "%s * ", weight);
    activation(to, g, b, place);
    sb_add(to, " > sum)\n");
    c_indent(to, depth + 1);
    sb_addf(to, "sum = %s * ", weight);
    activation(to, g, b, place);
    sb_add(to, ";\n");
}

static void dense_loops(struct strbuf *to, const struct form_group *g, const struct c_bounds *b,
                        const char *name)
{
    if (g->tap_nest_count > TAP_NESTS_MOST) {
        sb_addf(to, "    for (int32_t i = 0; i < %zu; i++)\n", g->tap_count);
        char place[C_NAME + 16];
        snprintf(place, sizeof place, "%s_tap[i]", name);
        product(to, g, b, 1, "w[i]", place);
        return;
    }
    uint64_t before = 0;
    for (size_t t = 0; t < g->tap_nest_count; t++) {
        const struct form_nest *nest = &g->tap_nests[t];
        struct form_nest count = *nest;
        struct strbuf place = {0}, weight = {0};
        uint64_t size = 1;
        for (unsigned d = 0; d < nest->depth; d++) {
            count.axis[d].step[FORM_TO] = (int64_t)size;
            size *= nest->axis[d].count;
        }
        count.first[FORM_TO] = (int64_t)before;
        before += size;
        c_expression(&place, nest, FORM_BASE);
        sb_add(&weight, "w[");
        c_expression(&weight, &count, FORM_TO);
        sb_add(&weight, "]");
        for (unsigned d = nest->depth; d-- > 0;) {
            c_indent(to, nest->depth - 1 - d);
            const char *index = c_index(nest->depth - 1 - d);
            sb_addf(to, "for (int32_t %s = 0; %s < %" PRIu64 "; %s++)\n", index, index, nest->axis[d].count,
                    index);
        }
        product(to, g, b, nest->depth, sb_text(&weight), sb_text(&place));
        sb_free(&place);
        sb_free(&weight);
    }
}

/* Of sums 0; of the largest what is below all products, or a candidate. */
void c_start(const struct c_writing *w, const struct form_group *g, struct strbuf *to)
{
    const int64_t start = g->op == FLOW_SUM ? 0 : w->plain->flow.rows[g->columns[0].row].start;
    if (start == INT64_MIN)
        sb_add(to, "INT64_MIN");
    else
        sb_addf(to, start < INT32_MIN + 1 || start > INT32_MAX ? "INT64_C(%" PRId64 ")" : "%" PRId64, start);
}

/* The activations of dense rows where they are no loops. */
static void list_taps(struct c_writing *w, const char *name, const struct form_group *g)
{
    struct strbuf *to = &w->file->body;
    sb_addf(to, "static const %s %s_tap[%zu] = {",
            g->taps[g->tap_count - 1] <= UINT16_MAX ? "uint16_t" : "uint32_t", name, g->tap_count);
    for (size_t i = 0; i < g->tap_count; i++)
        c_number(to, i, g->taps[i]);
    sb_add(to, "\n};\n");
}

static void dense_sum(struct c_writing *w, const char *name, const struct form_group *g,
                      const struct c_bounds *b, const struct c_weights *of, const char *column)
{
    struct strbuf *to = &w->file->body;
    if (of->apart)
        sb_addf(to, "    const int8_t *w = weights + %zu + %zu * (uint32_t)%s;\n", of->at, g->tap_count,
                column);
    else
        sb_addf(to, "    const %s *w = %s_weights[%s];\n", of->type, name, column);
    sb_addf(to, "    %s sum = ", c_sum_type(b));
    c_start(w, g, to);
    sb_add(to, ";\n");
    dense_loops(to, g, b, name);
}

static void sparse_sum(struct c_writing *w, const char *name, const struct form_group *g,
                       const struct c_bounds *b, const struct c_weights *of, const char *column)
{
    char weight[C_NAME + 32], place[C_NAME + 16];
    struct strbuf *to = &w->file->body;
    if (of->apart)
        snprintf(weight, sizeof weight, "weights[%zu + i]", of->at);
    else
        snprintf(weight, sizeof weight, "%s_weights[i]", name);
    snprintf(place, sizeof place, "%s_tap[i]", name);
    sb_addf(to, "    %s sum = ", c_sum_type(b));
    c_start(w, g, to);
    sb_addf(to, ";\n    for (uint32_t i = %s_start[%s]; i < %s_start[%s + 1]; i++)\n", name, column, name,
            column);
    product(to, g, b, 1, weight, place);
}

bool c_sum(struct c_writing *w, const char *name, const struct form_group *g, const struct c_bounds *b,
           bool by_column)
{
    struct c_weights weights;
    struct strbuf *to = &w->file->body;
    const char *column = by_column ? "n" : "0";
    if (!c_weights(w, name, g, &weights))
        return false;
    if (g->dense && g->tap_nest_count > TAP_NESTS_MOST)
        list_taps(w, name, g);
    sb_addf(to, "\nstatic inline %s %s_sum(const %s *x%s)\n{\n", c_sum_type(b), name,
            g->from.space == FLOW_TEMPS ? "int64_t" : c_type(g->from.kind.bytes, g->from.kind.no_sign),
            by_column ? ", int32_t n" : "");
    (g->dense ? dense_sum : sparse_sum)(w, name, g, b, &weights, column);
    sb_add(to, "    return sum;\n}\n\n");
    return true;
}
