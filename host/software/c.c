/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/c_finish.h"

enum { NAME = 200, PER_LINE = 24, NESTS_MOST = 48, TAP_NESTS_MOST = 12 };

struct writing {
    struct c_file *file;
    const char *name;
    const struct plain *plain;
    const struct form *form;
    struct strbuf text; /* of the layer's function */
};

void c_file_free(struct c_file *file)
{
    sb_free(&file->body);
    sb_free(&file->why);
    sb_free(&file->weights);
}

static bool fail(struct writing *w, const char *why)
{
    if (!w->file->why.len)
        sb_add(&w->file->why, why);
    return false;
}

const char *c_type(unsigned bytes, bool no_sign)
{
    static const char *const with[] = {"int8_t", "int16_t", "int32_t", "int64_t"}, *const without[] = {
                                                                                       "uint8_t", "uint16_t",
                                                                                       "uint32_t",
                                                                                       "uint64_t"};
    const unsigned i = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return no_sign ? without[i] : with[i];
}

void c_number(struct strbuf *to, size_t at, int64_t value)
{
    sb_add(to, at == 0 ? "\n    " : at % PER_LINE == 0 ? ",\n    " : ", ");
    if (value == INT64_MIN)
        sb_add(to, "INT64_MIN");
    else if (value == INT32_MIN)
        sb_add(to, "INT32_MIN");
    else if (value > INT32_MAX || value < INT32_MIN)
        sb_addf(to, "INT64_C(%" PRId64 ")", value);
    else
        sb_addf(to, "%" PRId64, value);
}

/* ---- loops --------------------------------------------------------------------------------------- */

static const char *const indices[FORM_DEPTH_MOST] = {"i", "j", "k", "l", "m", "o"};

static void indent(struct strbuf *to, unsigned depth)
{
    for (unsigned i = 0; i <= depth; i++)
        sb_add(to, "    ");
}

/* Opens the loops of a nest, outermost first; `scope`: the number of loops around it. */
static void open_loops(struct strbuf *to, const struct form_nest *nest, unsigned scope)
{
    for (unsigned d = nest->depth; d-- > 0;) {
        const char *index = indices[nest->depth - 1 - d];
        indent(to, scope + nest->depth - 1 - d);
        sb_addf(to, "for (int32_t %s = 0; %s < %" PRIu64 "; %s++)%s\n", index, index, nest->axis[d].count,
                index, d ? "" : " {");
    }
    if (!nest->depth) {
        indent(to, scope);
        sb_add(to, "{\n");
    }
}

/* A number of a nest as an expression of its indices. */
static void expression(struct strbuf *to, const struct form_nest *nest, enum form_number number)
{
    bool any = nest->first[number] != 0;
    if (any)
        sb_addf(to, "%" PRId64, nest->first[number]);
    for (unsigned d = nest->depth; d-- > 0;) {
        const int64_t step = nest->axis[d].step[number];
        if (!step)
            continue;
        const char *index = indices[nest->depth - 1 - d];
        const int64_t size = step < 0 ? -step : step;
        sb_add(to, step < 0 ? (any ? " - " : "-") : any ? " + " : "");
        if (size == 1)
            sb_add(to, index);
        else
            sb_addf(to, "%" PRId64 " * %s", size, index);
        any = true;
    }
    if (!any)
        sb_add(to, "0");
}

static bool varies(const struct form_nest *nests, size_t count, enum form_number number)
{
    for (size_t i = 0; i < count; i++) {
        if (nests[i].first[number])
            return true;
        for (unsigned d = 0; d < nests[i].depth; d++)
            if (nests[i].axis[d].step[number])
                return true;
    }
    return false;
}

/* ---- weights ------------------------------------------------------------------------------------- */

/* Bounds of a group's sums. */
struct bounds {
    struct c_range sum;
    bool huge;      /* they may not fit 64 bits */
    int64_t weight; /* the largest magnitude */
};

static int64_t most_of(const struct flow_kind *kind)
{
    if (kind->bytes > 4)
        return INT64_MAX;
    const int64_t half = INT64_C(1) << (8 * kind->bytes - 1);
    const int64_t low = (kind->no_sign ? 0 : -half) - kind->zero,
                  high = (kind->no_sign ? 2 * half : half) - 1 - kind->zero;
    return -low > high ? -low : high;
}

static struct bounds bounds_of(const struct flow *f, const struct form_group *g)
{
    struct bounds b = {.weight = 1};
    int64_t most = 0;
    const int64_t x = g->from.there ? most_of(&g->from.kind) : 0;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        int64_t sum = 0;
        for (uint32_t i = 0; i < row->count; i++) {
            const int64_t weight = llabs((long long)f->weight[row->first + i]);
            b.weight = weight > b.weight ? weight : b.weight;
            b.huge |= x > INT64_MAX / 4 / (weight ? weight : 1) || sum > INT64_MAX / 4;
            if (!b.huge)
                sum = row->op == FLOW_SUM ? sum + weight * x : sum > weight * x ? sum : weight * x;
        }
        const int64_t bias = f->finishes[g->columns[c].finish].bias;
        b.huge |= bias > INT64_MAX / 4 || bias < -(INT64_MAX / 4);
        most = sum > most ? sum : most;
    }
    if (g->op != FLOW_SUM) { /* the largest of numbers of 64 bits has 64 bits */
        const int64_t start = f->rows[g->columns[0].row].start;
        const bool wide = b.huge || start < -(INT64_MAX / 4) || start > INT64_MAX / 4;
        b.huge = false;
        most = wide ? INT64_MAX / 2 : most > llabs((long long)start) ? most : llabs((long long)start);
        b.sum = wide ? (struct c_range){INT64_MIN, INT64_MAX} : (struct c_range){-most, most};
        return b;
    }
    if (g->add.there) {
        b.huge |= g->add.kind.bytes > 4;
        most += b.huge ? 0 : most_of(&g->add.kind);
    }
    b.sum = (struct c_range){-most, most};
    return b;
}

static const char *weight_type(const struct bounds *b)
{
    return b->weight <= INT8_MAX ? "int8_t" : b->weight <= INT16_MAX ? "int16_t" : "int32_t";
}

/* The place of a tap in the ascending list. */
static size_t tap_at(const struct form_group *g, int64_t tap)
{
    size_t low = 0, high = g->tap_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (g->taps[middle] <= tap)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The tap of a term of a column. */
static int64_t tap_of(const struct flow *f, const struct form_group *g, const struct form_column *c,
                      uint32_t term)
{
    return f->delta[f->rows[c->row].first + term] / (int64_t)form_tap_bytes(g) - c->shift;
}

/* The largest magnitude of int8 with a sign is -128. */
static struct bounds fit_weights(const struct flow *f, const struct form_group *g, struct bounds b)
{
    int32_t low = 0, high = 0;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0; i < row->count; i++) {
            low = f->weight[row->first + i] < low ? f->weight[row->first + i] : low;
            high = f->weight[row->first + i] > high ? f->weight[row->first + i] : high;
        }
    }
    b.weight = high > -(int64_t)low - 1 ? high : -(int64_t)low - 1;
    return b;
}

static bool dense_weights(struct writing *w, const char *name, const struct form_group *g,
                          const struct bounds *b)
{
    const struct flow *f = &w->plain->flow;
    int32_t *line = malloc((g->tap_count + 1) * sizeof *line);
    if (!line)
        return fail(w, "out of memory");
    sb_addf(&w->file->body, "static const %s %s_weights[%zu][%zu] = {\n", weight_type(b), name,
            g->column_count, g->tap_count);
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        memset(line, 0, g->tap_count * sizeof *line);
        for (uint32_t i = 0; i < row->count; i++)
            line[tap_at(g, tap_of(f, g, &g->columns[c], i))] = f->weight[row->first + i];
        sb_add(&w->file->body, "    {");
        for (size_t i = 0; i < g->tap_count; i++)
            sb_addf(&w->file->body,
                    i % 32 == 31           ? "%d,\n     "
                    : i + 1 < g->tap_count ? "%d,"
                                           : "%d",
                    line[i]);
        sb_add(&w->file->body, c + 1 < g->column_count ? "},\n" : "}\n");
    }
    sb_add(&w->file->body, "};\n");
    free(line);
    return true;
}

/* Entries of sparse rows: where each column's begin, how far their activations are, and their values. */
static void sparse_weights(struct writing *w, const char *name, const struct form_group *g,
                           const struct bounds *b)
{
    const struct flow *f = &w->plain->flow;
    struct strbuf *to = &w->file->body;
    size_t at = 0;
    sb_addf(to, "static const uint32_t %s_start[%zu] = {", name, g->column_count + 1);
    for (size_t c = 0, n = 0; c <= g->column_count;
         n += c < g->column_count ? f->rows[g->columns[c].row].count : 0, c++)
        c_number(to, c, (int64_t)n);
    sb_addf(to, "\n};\nstatic const %s %s_tap[%" PRIu64 "] = {",
            g->taps[g->tap_count - 1] <= UINT16_MAX ? "uint16_t" : "uint32_t", name, g->weights);
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0; i < row->count; i++)
            c_number(to, at++, tap_of(f, g, &g->columns[c], i));
    }
    at = 0;
    sb_addf(to, "\n};\nstatic const %s %s_weights[%" PRIu64 "] = {", weight_type(b), name, g->weights);
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0; i < row->count; i++)
            c_number(to, at++, f->weight[row->first + i]);
    }
    sb_add(to, "\n};\n");
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static const char *sum_type(const struct bounds *b)
{
    return b->huge ? "uint64_t" : b->sum.low >= INT32_MIN && b->sum.high <= INT32_MAX ? "int32_t" : "int64_t";
}

/* An activation less its zero point. */
static void activation(struct strbuf *to, const struct form_group *g, const struct bounds *b,
                       const char *place)
{
    const char *wide = b->huge ? "(int64_t)" : sum_type(b)[3] == '6' ? "(int64_t)" : "";
    if (g->from.kind.zero)
        sb_addf(to, "(%sx[%s] - %" PRId32 ")", wide, place, g->from.kind.zero);
    else
        sb_addf(to, "%sx[%s]", wide, place);
}

/* A product is added, or compared. */
static void product(struct strbuf *to, const struct form_group *g, const struct bounds *b, unsigned depth,
                    const char *weight, const char *place)
{
    indent(to, depth);
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
    indent(to, depth + 1);
    sb_addf(to, "sum = %s * ", weight);
    activation(to, g, b, place);
    sb_add(to, ";\n");
}

static void dense_loops(struct strbuf *to, const struct form_group *g, const struct bounds *b,
                        const char *name)
{
    if (g->tap_nest_count > TAP_NESTS_MOST) {
        sb_addf(to, "    for (int32_t i = 0; i < %zu; i++)\n", g->tap_count);
        char place[NAME + 16];
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
        expression(&place, nest, FORM_BASE);
        sb_add(&weight, "w[");
        expression(&weight, &count, FORM_TO);
        sb_add(&weight, "]");
        for (unsigned d = nest->depth; d-- > 0;) {
            indent(to, nest->depth - 1 - d);
            const char *index = indices[nest->depth - 1 - d];
            sb_addf(to, "for (int32_t %s = 0; %s < %" PRIu64 "; %s++)\n", index, index, nest->axis[d].count,
                    index);
        }
        product(to, g, b, nest->depth, sb_text(&weight), sb_text(&place));
        sb_free(&place);
        sb_free(&weight);
    }
}

/* Of sums 0; of the largest what is below all products, or a candidate. */
static void start_of(const struct writing *w, const struct form_group *g, struct strbuf *to)
{
    const int64_t start = g->op == FLOW_SUM ? 0 : w->plain->flow.rows[g->columns[0].row].start;
    if (start == INT64_MIN)
        sb_add(to, "INT64_MIN");
    else
        sb_addf(to, start < INT32_MIN + 1 || start > INT32_MAX ? "INT64_C(%" PRId64 ")" : "%" PRId64, start);
}

/* The function NAME_sum(x[, n]) with its weights. */
static bool sum_function(struct writing *w, const char *name, const struct form_group *g,
                         const struct bounds *b, bool by_column)
{
    const struct bounds weights = fit_weights(&w->plain->flow, g, *b);
    struct strbuf *to = &w->file->body;
    if (!g->dense)
        sparse_weights(w, name, g, &weights);
    else if (!dense_weights(w, name, g, &weights))
        return false;
    if (g->dense && g->tap_nest_count > TAP_NESTS_MOST) {
        sb_addf(to, "static const %s %s_tap[%zu] = {",
                g->taps[g->tap_count - 1] <= UINT16_MAX ? "uint16_t" : "uint32_t", name, g->tap_count);
        for (size_t i = 0; i < g->tap_count; i++)
            c_number(to, i, g->taps[i]);
        sb_add(to, "\n};\n");
    }
    sb_addf(to, "\nstatic inline %s %s_sum(const %s *x%s)\n{\n", sum_type(b), name,
            g->from.space == FLOW_TEMPS ? "int64_t" : c_type(g->from.kind.bytes, g->from.kind.no_sign),
            by_column ? ", int32_t n" : "");
    const char *column = by_column ? "n" : "0";
    if (g->dense)
        sb_addf(to, "    const %s *w = %s_weights[%s];\n", weight_type(&weights), name, column);
    sb_addf(to, "    %s sum = ", sum_type(b));
    start_of(w, g, to);
    sb_add(to, ";\n");
    if (g->dense)
        dense_loops(to, g, b, name);
    else {
        char weight[NAME + 16], place[NAME + 16];
        snprintf(weight, sizeof weight, "%s_weights[i]", name);
        snprintf(place, sizeof place, "%s_tap[i]", name);
        sb_addf(to, "    for (uint32_t i = %s_start[%s]; i < %s_start[%s + 1]; i++)\n", name, column, name,
                column);
        product(to, g, b, 1, weight, place);
    }
    sb_add(to, "    return sum;\n}\n\n");
    return true;
}

/* ---- columns ------------------------------------------------------------------------------------- */

/* A number of columns: the same for all, a multiple of the column's number more, or an array. */
static void column_number(struct writing *w, const char *name, const struct form_group *g,
                          enum form_number number, struct strbuf *to)
{
    static const char *const names[] = {"to", "from", "add", "second"};
    const int64_t first = g->columns[0].first[number],
                  step = g->column_count > 1 ? g->columns[1].first[number] - first : 0;
    bool even = true;
    for (size_t c = 0; c < g->column_count; c++)
        even = even && g->columns[c].first[number] == first + (int64_t)c * step;
    if (!even) {
        struct strbuf *body = &w->file->body;
        sb_addf(body, "static const int32_t %s_%s[%zu] = {", name, names[number], g->column_count);
        for (size_t c = 0; c < g->column_count; c++)
            c_number(body, c, g->columns[c].first[number]);
        sb_add(body, "\n};\n");
        sb_addf(to, " + %s_%s[n]", name, names[number]);
        return;
    }
    if (first)
        sb_addf(to, first < 0 ? " - %" PRId64 : " + %" PRId64, first < 0 ? -first : first);
    if (step == 1)
        sb_add(to, " + n");
    else if (step)
        sb_addf(to, step < 0 ? " - %" PRId64 " * n" : " + %" PRId64 " * n", step < 0 ? -step : step);
}

static const char *operand_name(const struct form_source *s)
{
    return s->space == FLOW_TEMPS ? "temporary" : s->space == SLOT_EXTRA ? "second" : "in";
}

/* What a source is called in the function: the image stands for the input. */
static const char *source_name(const struct writing *w, const struct form_source *s)
{
    return s->space == SLOT_INPUT && w->plain->input.image ? "image" : operand_name(s);
}

/* Pointers to operands of another sign than the function has them with. */
static void typed(struct writing *w, const struct form_source *s, struct strbuf *to)
{
    const char *name = source_name(w, s);
    if (s->space == FLOW_TEMPS || s->kind.no_sign == c_reads_no_sign(w->form, s->space))
        sb_add(to, name);
    else
        sb_addf(to, "((const %s *)%s)", c_type(s->kind.bytes, s->kind.no_sign), name);
}

static void element(struct writing *w, const char *name, const struct form_group *g,
                    const struct form_source *s, enum form_number number, const char *place,
                    struct strbuf *to)
{
    sb_add(to, s->kind.zero ? "(" : "");
    typed(w, s, to);
    sb_addf(to, "[%s", place);
    column_number(w, name, g, number, to);
    sb_add(to, "]");
    if (s->kind.zero)
        sb_addf(to, " - %" PRId32 ")", s->kind.zero);
}

/* ---- groups -------------------------------------------------------------------------------------- */

static void places(struct strbuf *to, const struct form_group *g, const struct form_nest *nest,
                   unsigned scope)
{
    static const char *const names[] = {"at", "x", "a", "s"};
    const bool needed[] = {true, g->tap_count != 0, g->add.there, g->second.there};
    for (unsigned n = 0; n < FORM_NUMBERS; n++) {
        if (!needed[n] || !varies(g->nests, g->nest_count, (enum form_number)n))
            continue;
        indent(to, scope);
        sb_addf(to, "const int32_t %s = ", names[n]);
        expression(to, nest, (enum form_number)n);
        sb_add(to, ";\n");
    }
}

static const char *place_name(const struct form_group *g, enum form_number number)
{
    static const char *const names[] = {"at", "x", "a", "s"};
    return varies(g->nests, g->nest_count, number) ? names[number] : "0";
}

/* The statement that computes a result of a column. */
static void statement(struct writing *w, const char *name, const struct form_group *g, const struct bounds *b,
                      bool sums, bool finishes, struct strbuf *to)
{
    sb_addf(to, "%s[%s", g->to.space == FLOW_TEMPS ? "temporary" : "out", place_name(g, FORM_TO));
    column_number(w, name, g, FORM_TO, to);
    sb_addf(to, "] = %s_finish(", name);
    if (g->tap_count) {
        sb_addf(to, "%s_sum(", name);
        typed(w, &g->from, to);
        sb_addf(to, " + %s", place_name(g, FORM_BASE));
        column_number(w, name, g, FORM_BASE, to);
        sb_addf(to, "%s)", sums ? ", n" : "");
    } else
        start_of(w, g, to);
    if (g->add.there) {
        sb_addf(to, " + (%s)", sum_type(b));
        element(w, name, g, &g->add, FORM_ADD, place_name(g, FORM_ADD), to);
    }
    if (g->second.there) {
        sb_add(to, ", ");
        element(w, name, g, &g->second, FORM_SECOND, place_name(g, FORM_SECOND), to);
    }
    sb_addf(to, "%s);\n", finishes ? ", n" : "");
}

/* Places that are no loops are listed. */
static bool list_places(struct writing *w, const char *name, const struct form_group *g,
                        const struct strbuf *line)
{
    struct strbuf *to = &w->file->body;
    size_t at = 0;
    sb_addf(to, "static const int32_t %s_places[%" PRIu64 "][%d] = {", name, g->places, FORM_NUMBERS);
    for (size_t i = 0; i < g->nest_count; i++) {
        const struct form_nest *nest = &g->nests[i];
        uint64_t size = 1;
        for (unsigned d = 0; d < nest->depth; d++)
            size *= nest->axis[d].count;
        for (uint64_t p = 0; p < size; p++, at++) {
            int64_t number[FORM_NUMBERS];
            uint64_t left = p;
            memcpy(number, nest->first, sizeof number);
            for (unsigned d = 0; d < nest->depth; d++, left /= nest->axis[d - 1].count)
                for (unsigned n = 0; n < FORM_NUMBERS; n++)
                    number[n] += (int64_t)(left % nest->axis[d].count) * nest->axis[d].step[n];
            sb_addf(to, "%s{%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "}",
                    at % 8 ? ","
                    : at   ? ",\n    "
                           : "\n    ",
                    number[0], number[1], number[2], number[3]);
        }
    }
    sb_add(to, "\n};\n\n");
    sb_addf(&w->text, "    for (int32_t i = 0; i < %" PRIu64 "; i++) {\n", g->places);
    static const char *const names[] = {"at", "x", "a", "s"};
    const bool needed[] = {true, g->tap_count != 0, g->add.there, g->second.there};
    for (unsigned n = 0; n < FORM_NUMBERS; n++)
        if (needed[n] && varies(g->nests, g->nest_count, (enum form_number)n))
            sb_addf(&w->text, "        const int32_t %s = %s_places[i][%u];\n", names[n], name, n);
    sb_addf(&w->text, "%s    }\n", sb_text(line));
    return true;
}

/* Rows of softmax, whose elements are beside each other. */
static bool softmax(struct writing *w, const char *name, const struct form_group *g)
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
        return fail(w, "rows of softmax in another order");
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
        open_loops(&w->text, &g->nests[i], 0);
        sb_addf(&w->text, "        %s_row(", name);
        typed(w, &g->from, &w->text);
        sb_addf(&w->text, " + %" PRId64 " + ", g->columns[0].first[FORM_BASE]);
        expression(&w->text, &g->nests[i], FORM_BASE);
        sb_addf(&w->text, ", out + %" PRId64 " + ", g->columns[0].first[FORM_TO]);
        expression(&w->text, &g->nests[i], FORM_TO);
        sb_add(&w->text, ");\n    }\n");
    }
    return true;
}

static bool group(struct writing *w, size_t number)
{
    const struct form_group *g = &w->form->groups[number];
    char name[NAME];
    snprintf(name, sizeof name, w->form->count > 1 ? "%s_%zu" : "%s", w->name, number + 1);
    struct bounds b = bounds_of(&w->plain->flow, g);
    const bool many = g->column_count > 1;
    /* Columns may share a row. */
    if (g->op == FLOW_SOFTMAX)
        return softmax(w, name, g);
    if (g->tap_count && !sum_function(w, name, g, &b, many))
        return false;
    struct c_finish finish = {
        .file = w->file, .name = name, .flow = &w->plain->flow, .group = g, .sum = b.sum, .huge = b.huge};
    if (!c_finish(&finish))
        return fail(w, "out of memory");
    struct strbuf line = {0}, inner = {0};
    statement(w, name, g, &b, many, finish.by_column, &inner);
    indent(&line, many ? 2 : 1);
    if (many) {
        line.len = 0;
        sb_addf(&line, "        for (int32_t n = 0; n < %zu; n++)\n            ", g->column_count);
    }
    sb_add(&line, sb_text(&inner));
    if (g->nest_count > NESTS_MOST)
        list_places(w, name, g, &line);
    else
        for (size_t i = 0; i < g->nest_count; i++) {
            open_loops(&w->text, &g->nests[i], 0);
            places(&w->text, g, &g->nests[i], 1);
            sb_addf(&w->text, "%s    }\n", sb_text(&line));
        }
    const bool ok = sb_ok(&line) && sb_ok(&inner);
    sb_free(&line);
    sb_free(&inner);
    return ok || fail(w, "out of memory");
}

/* ---- images -------------------------------------------------------------------------------------- */

/* Images whose places are no loops. */
static void list_image(struct writing *w)
{
    const struct plain_operand *o = &w->plain->input;
    struct strbuf *to = &w->file->body;
    sb_addf(to, "static const int32_t %s_image[%" PRIu64 "] = {", w->name, o->image_elements);
    for (uint64_t i = 0; i < o->image_elements; i++)
        c_number(to, i, o->image[i] & PLAIN_CONSTANT ? -1 : (int64_t)o->image[i]);
    sb_add(to, "\n};\n\n");
    sb_addf(&w->text,
            "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        if (%s_image[i] >= 0)\n"
            "            image[i] = in[%s_image[i]];\n",
            o->image_elements, w->name, w->name);
}

/* The most frequent constant of an image; others would be rare. */
static bool find_border(const struct plain_operand *o, int64_t *border, bool *any)
{
    *any = false;
    for (uint64_t i = 0; i < o->image_elements; i++) {
        if (!(o->image[i] & PLAIN_CONSTANT))
            continue;
        const int64_t value = num_wrap((int64_t)(o->image[i] & ~PLAIN_CONSTANT), 8 * o->bytes);
        if (*any && value != *border)
            return false;
        *border = value;
        *any = true;
    }
    return true;
}

/* The tensor with its border, in the order in which the sums take it. */
static bool image(struct writing *w)
{
    const struct plain_operand *o = &w->plain->input;
    int64_t border = 0;
    bool any;
    if (!find_border(o, &border, &any))
        return fail(w, "borders with several numbers");
    const char *type = c_type(o->bytes, c_reads_no_sign(w->form, SLOT_INPUT));
    border =
        c_reads_no_sign(w->form, SLOT_INPUT) && border < 0 ? border + (INT64_C(1) << (8 * o->bytes)) : border;
    sb_addf(&w->text, "    static %s image[%" PRIu64 "];\n", type, o->image_elements);
    if (any)
        sb_addf(&w->text, "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        image[i] = %" PRId64 ";\n",
                o->image_elements, border);
    size_t count;
    struct form_nest *nests = form_copies(o->image, o->image_elements, &count);
    if (!nests)
        return fail(w, "out of memory");
    if (count > NESTS_MOST)
        list_image(w);
    for (size_t i = 0; count <= NESTS_MOST && i < count; i++) {
        open_loops(&w->text, &nests[i], 0);
        sb_add(&w->text, "        image[");
        expression(&w->text, &nests[i], FORM_TO);
        sb_add(&w->text, "] = in[");
        expression(&w->text, &nests[i], FORM_BASE);
        sb_add(&w->text, "];\n    }\n");
    }
    free(nests);
    return true;
}

/* The group that reads an operand, or NULL. */
static const struct form_source *reader(const struct form *form, unsigned space)
{
    for (size_t i = 0; i < form->count; i++) {
        const struct form_group *g = &form->groups[i];
        const struct form_source *all[] = {&g->from, &g->add, &g->second};
        for (unsigned s = 0; s < 3; s++)
            if (all[s]->there && all[s]->space == space)
                return all[s];
    }
    return NULL;
}

bool c_reads_no_sign(const struct form *form, unsigned space)
{
    const struct form_source *s = reader(form, space);
    return s && s->kind.no_sign;
}

static void signature(struct writing *w, const char *comment, struct strbuf *to)
{
    const struct plain *p = w->plain;
    sb_addf(to, "/* %s */\nstatic void %s(const %s *in, ", comment, w->name,
            c_type(p->input.bytes, c_reads_no_sign(w->form, SLOT_INPUT)));
    if (p->second.bytes)
        sb_addf(to, "const %s *second, ", c_type(p->second.bytes, c_reads_no_sign(w->form, SLOT_EXTRA)));
    sb_addf(to, "%s *out)\n{\n", c_type(p->out_bytes, c_gives_no_sign(w->form)));
}

bool c_gives_no_sign(const struct form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->groups[i].to.space == SLOT_OUTPUT)
            return form->groups[i].to.kind.no_sign;
    return false;
}

bool c_operator(struct c_file *file, const char *name, const char *comment, const struct plain *plain,
                const struct form *form)
{
    struct writing w = {.file = file, .name = name, .plain = plain, .form = form};
    bool ok = form->count || fail(&w, "an operator without results");
    if (ok && plain->input.image)
        ok = image(&w);
    if (ok && plain->flow.temps)
        sb_addf(&w.text, "    static int64_t temporary[%" PRIu64 "];\n", plain->flow.temps);
    if (ok && !plain->input.image && !reader(form, SLOT_INPUT))
        sb_add(&w.text, "    (void)in;\n");
    if (ok && plain->second.bytes && !reader(form, SLOT_EXTRA))
        sb_add(&w.text, "    (void)second;\n");
    for (size_t g = 0; ok && g < form->count; g++)
        ok = group(&w, g);
    if (ok) {
        signature(&w, comment, &file->body);
        sb_addf(&file->body, "%s}\n\n", sb_text(&w.text));
    }
    ok = ok && (sb_ok(&w.text) && sb_ok(&file->body) ? true : fail(&w, "out of memory"));
    sb_free(&w.text);
    return ok;
}

void c_bytes(struct c_file *file, const char *name, const char *comment, const uint8_t table[256],
             uint64_t elements)
{
    struct strbuf *to = &file->body;
    sb_addf(to, "static const uint8_t %s_table[256] = {", name);
    for (unsigned i = 0; i < 256; i++)
        c_number(to, i, table[i]);
    sb_addf(to,
            "\n};\n\n/* %s */\nstatic void %s(const uint8_t *in, uint8_t *out)\n{\n"
            "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        out[i] = %s_table[in[i]];\n}\n\n",
            comment, name, elements, name);
}
