/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/c_finish.h"
#include "host/software/c_writing.h"

enum { PER_LINE = 24 };

void c_file_free(struct c_file *file)
{
    sb_free(&file->body);
    sb_free(&file->why);
    sb_free(&file->weights);
    c_share_end(file);
}

bool c_fail(struct c_writing *w, const char *why)
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

/* ---- columns ------------------------------------------------------------------------------------- */

/* A number of columns: the same for all, a multiple of the column's number more, or an array. */
static void column_number(struct c_writing *w, const char *name, const struct form_group *g,
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
static const char *source_name(const struct c_writing *w, const struct form_source *s)
{
    return s->space == SLOT_INPUT && w->plain->input.image ? "image" : operand_name(s);
}

/* Pointers to operands of another sign than the function has them with. */
void c_operand(struct c_writing *w, const struct form_source *s, struct strbuf *to)
{
    const char *name = source_name(w, s);
    if (s->space == FLOW_TEMPS || s->kind.no_sign == c_reads_no_sign(w->form, s->space))
        sb_add(to, name);
    else
        sb_addf(to, "((const %s *)%s)", c_type(s->kind.bytes, s->kind.no_sign), name);
}

static void element(struct c_writing *w, const char *name, const struct form_group *g,
                    const struct form_source *s, enum form_number number, const char *place,
                    struct strbuf *to)
{
    sb_add(to, s->kind.zero ? "(" : "");
    c_operand(w, s, to);
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
        if (!needed[n] || !c_varies(g->nests, g->nest_count, (enum form_number)n))
            continue;
        c_indent(to, scope);
        sb_addf(to, "const int32_t %s = ", names[n]);
        c_expression(to, nest, (enum form_number)n);
        sb_add(to, ";\n");
    }
}

static const char *place_name(const struct form_group *g, enum form_number number)
{
    static const char *const names[] = {"at", "x", "a", "s"};
    return c_varies(g->nests, g->nest_count, number) ? names[number] : "0";
}

/* The statement that computes a result of a column. */
static void statement(struct c_writing *w, const char *name, const struct form_group *g,
                      const struct c_bounds *b, bool sums, bool finishes, struct strbuf *to)
{
    sb_addf(to, "%s[%s", g->to.space == FLOW_TEMPS ? "temporary" : "out", place_name(g, FORM_TO));
    column_number(w, name, g, FORM_TO, to);
    sb_addf(to, "] = %s_finish(", w->finish);
    if (g->tap_count) {
        sb_addf(to, "%s_sum(&", w->sum);
        c_operand(w, &g->from, to);
        sb_addf(to, "[%s", place_name(g, FORM_BASE));
        column_number(w, name, g, FORM_BASE, to);
        sb_addf(to, "]%s)", sums ? ", n" : "");
    } else
        c_start(w, g, to);
    if (g->add.there) {
        sb_addf(to, " + (%s)", c_sum_type(b));
        element(w, name, g, &g->add, FORM_ADD, place_name(g, FORM_ADD), to);
    }
    if (g->second.there) {
        sb_add(to, ", ");
        element(w, name, g, &g->second, FORM_SECOND, place_name(g, FORM_SECOND), to);
    }
    sb_addf(to, "%s);\n", finishes ? ", n" : "");
}

/* Places that are no loops are listed. */
static bool list_places(struct c_writing *w, const char *name, const struct form_group *g,
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
        if (needed[n] && c_varies(g->nests, g->nest_count, (enum form_number)n))
            sb_addf(&w->text, "        const int32_t %s = %s_places[i][%u];\n", names[n], name, n);
    sb_addf(&w->text, "%s    }\n", sb_text(line));
    return true;
}
static bool group(struct c_writing *w, size_t number)
{
    const struct form_group *g = &w->form->groups[number];
    char name[C_NAME];
    snprintf(name, sizeof name, w->form->count > 1 ? "%s_%zu" : "%s", w->name, number + 1);
    struct c_bounds b = c_bounds_of(&w->plain->flow, g);
    const bool many = g->column_count > 1;
    /* Columns may share a row. */
    if (g->op == FLOW_SOFTMAX)
        return c_softmax(w, name, g);
    size_t begin = w->file->body.len;
    if (g->tap_count && !c_sum(w, name, g, &b, many))
        return false;
    if (g->tap_count)
        snprintf(w->sum, sizeof w->sum, "%s", c_share(w->file, C_SHARED_SUM, name, begin, NULL));
    begin = w->file->body.len;
    struct c_finish finish = {
        .file = w->file, .name = name, .flow = &w->plain->flow, .group = g, .sum = b.sum, .huge = b.huge};
    if (!c_finish(&finish))
        return c_fail(w, "out of memory");
    snprintf(w->finish, sizeof w->finish, "%s", c_share(w->file, C_SHARED_FINISH, name, begin, NULL));
    w->begin = w->file->body.len;
    struct strbuf line = {0}, inner = {0};
    statement(w, name, g, &b, many, finish.by_column, &inner);
    c_indent(&line, many ? 2 : 1);
    if (many) {
        line.len = 0;
        sb_addf(&line, "        for (int32_t n = 0; n < %zu; n++)\n            ", g->column_count);
    }
    sb_add(&line, sb_text(&inner));
    if (g->nest_count > C_NESTS_MOST)
        list_places(w, name, g, &line);
    else
        for (size_t i = 0; i < g->nest_count; i++) {
            c_open_loops(&w->text, &g->nests[i], 0);
            places(&w->text, g, &g->nests[i], 1);
            sb_addf(&w->text, "%s    }\n", sb_text(&line));
        }
    const bool ok = sb_ok(&line) && sb_ok(&inner);
    sb_free(&line);
    sb_free(&inner);
    return ok || c_fail(w, "out of memory");
}

/* ---- operators ----------------------------------------------------------------------------------- */

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

static void signature(struct c_writing *w, struct strbuf *to)
{
    const struct plain *p = w->plain;
    sb_addf(to, "static void %s(const %s *in, ", w->name,
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

/* The function, unless there is one that does the same. */
static void put_function(struct c_writing *w, const char *comment)
{
    struct strbuf *to = &w->file->body;
    signature(w, to);
    sb_addf(to, "%s}\n\n", sb_text(&w->text));
    w->file->called = c_share(w->file, C_SHARED_FUNCTION, w->name, w->begin, comment);
}

bool c_operator(struct c_file *file, const char *name, const char *comment, const struct plain *plain,
                const struct form *form)
{
    struct c_writing w = {.file = file, .name = name, .plain = plain, .form = form};
    bool ok = form->count || c_fail(&w, "an operator without results");
    for (unsigned s = 0; ok && s < FLOW_TEMPS; s++) /* slots that are no operands */
        ok = s == SLOT_INPUT || s == SLOT_EXTRA || !reader(form, s) ||
             c_fail(&w, "results that depend on what is in the device's memory before");
    if (ok && plain->input.image)
        ok = c_image(&w);
    if (ok && plain->flow.temps)
        sb_addf(&w.text, "    static int64_t temporary[%" PRIu64 "];\n", plain->flow.temps);
    if (ok && !plain->input.image && !reader(form, SLOT_INPUT))
        sb_add(&w.text, "    (void)in;\n");
    if (ok && plain->second.bytes && !reader(form, SLOT_EXTRA))
        sb_add(&w.text, "    (void)second;\n");
    w.begin = file->body.len;
    for (size_t g = 0; ok && g < form->count; g++)
        ok = group(&w, g);
    if (ok)
        put_function(&w, comment);
    ok = ok && (sb_ok(&w.text) && sb_ok(&file->body) ? true : c_fail(&w, "out of memory"));
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
