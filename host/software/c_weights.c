/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int64_t most_of(const struct flow_kind *kind)
{
    if (kind->bytes > 4)
        return INT64_MAX;
    const int64_t half = INT64_C(1) << (8 * kind->bytes - 1);
    const int64_t low = (kind->no_sign ? 0 : -half) - kind->zero,
                  high = (kind->no_sign ? 2 * half : half) - 1 - kind->zero;
    return -low > high ? -low : high;
}

struct c_bounds c_bounds_of(const struct flow *f, const struct form_group *g)
{
    struct c_bounds b = {.weight = 1};
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

/* The tap of a term of a column. */
static int64_t tap_of(const struct flow *f, const struct form_group *g, const struct form_column *c,
                      uint32_t term)
{
    return f->delta[f->rows[c->row].first + term] / (int64_t)form_tap_bytes(g) - c->shift;
}

/* The type that all weights fit. */
static const char *type_of(const struct flow *f, const struct form_group *g)
{
    int32_t low = 0, high = 0;
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        for (uint32_t i = 0; i < row->count; i++) {
            low = f->weight[row->first + i] < low ? f->weight[row->first + i] : low;
            high = f->weight[row->first + i] > high ? f->weight[row->first + i] : high;
        }
    }
    return low >= INT8_MIN && high <= INT8_MAX     ? "int8_t"
           : low >= INT16_MIN && high <= INT16_MAX ? "int16_t"
                                                   : "int32_t";
}

/* A column's weights as they stand in a dense row. */
static void lay_out(const struct flow *f, const struct form_group *g, size_t column, int32_t *line)
{
    const struct flow_row *row = &f->rows[g->columns[column].row];
    memset(line, 0, g->tap_count * sizeof *line);
    for (uint32_t i = 0; i < row->count; i++)
        line[form_tap_at(g, tap_of(f, g, &g->columns[column], i))] = f->weight[row->first + i];
}

static void put_apart(struct c_writing *w, const int32_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char byte = (char)list[i];
        sb_addn(&w->file->weights, &byte, 1);
    }
}

static void put_line(struct strbuf *to, const int32_t *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sb_addf(to, i % 32 == 31 ? "%d,\n     " : i + 1 < count ? "%d," : "%d", line[i]);
}

static bool dense_weights(struct c_writing *w, const char *name, const struct form_group *g,
                          const struct c_weights *of)
{
    const struct flow *f = &w->plain->flow;
    struct strbuf *to = &w->file->body;
    int32_t *line = malloc((g->tap_count + 1) * sizeof *line);
    if (!line)
        return c_fail(w, "out of memory");
    if (!of->apart)
        sb_addf(to, "static const %s %s_weights[%zu][%zu] = {\n", of->type, name, g->column_count,
                g->tap_count);
    for (size_t c = 0; c < g->column_count; c++) {
        lay_out(f, g, c, line);
        if (of->apart) {
            put_apart(w, line, g->tap_count);
            continue;
        }
        sb_add(to, "    {");
        put_line(to, line, g->tap_count);
        sb_add(to, c + 1 < g->column_count ? "},\n" : "}\n");
    }
    if (!of->apart)
        sb_add(to, "};\n");
    free(line);
    return true;
}

/* Where each column's entries begin, and how far their activations are. */
static void sparse_places(struct c_writing *w, const char *name, const struct form_group *g)
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
    for (size_t c = 0; c < g->column_count; c++)
        for (uint32_t i = 0; i < f->rows[g->columns[c].row].count; i++)
            c_number(to, at++, tap_of(f, g, &g->columns[c], i));
    sb_add(to, "\n};\n");
}

static void sparse_weights(struct c_writing *w, const char *name, const struct form_group *g,
                           const struct c_weights *of)
{
    const struct flow *f = &w->plain->flow;
    struct strbuf *to = &w->file->body;
    size_t at = 0;
    sparse_places(w, name, g);
    if (!of->apart)
        sb_addf(to, "static const %s %s_weights[%" PRIu64 "] = {", of->type, name, g->weights);
    for (size_t c = 0; c < g->column_count; c++) {
        const struct flow_row *row = &f->rows[g->columns[c].row];
        if (of->apart)
            put_apart(w, f->weight + row->first, row->count);
        for (uint32_t i = 0; !of->apart && i < row->count; i++)
            c_number(to, at++, f->weight[row->first + i]);
    }
    if (!of->apart)
        sb_add(to, "\n};\n");
}

/* Bytes have no order that a machine could read in another way; wider weights stay in arrays. */
bool c_weights(struct c_writing *w, const char *name, const struct form_group *g, struct c_weights *to)
{
    to->type = type_of(&w->plain->flow, g);
    to->apart = w->file->apart && !strcmp(to->type, "int8_t");
    to->at = w->file->weights.len;
    const bool ok = !g->dense || dense_weights(w, name, g, to);
    if (!g->dense)
        sparse_weights(w, name, g, to);
    if (to->apart)
        to->at = c_share_weights(w->file, to->at);
    return ok;
}
