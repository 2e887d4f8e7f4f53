/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/verilog.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/params.h"
#include "gen/variant/keys.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* Partial sums and results travel as elements of 32 or 64 bits. */
static unsigned element_width(const struct variant *variant)
{
    return variant->acc_width <= 32 ? 32 : 64;
}

/* Beats in which a result of each PE goes to the collector. */
static unsigned result_beats(const struct variant *variant)
{
    return (variant->k * element_width(variant) + variant->collector_width - 1) / variant->collector_width;
}

/* Words between being read from the weight queue and reaching the load queue (rtl/tulle_index.v). */
static unsigned scan_stages(const struct variant *variant)
{
    return variant->scan == 4 ? 8 : 7;
}

/* Bits of the sum of as many products as the weight queue holds entries: no MAC has more. */
static unsigned sum_width(const struct variant *variant)
{
    unsigned width = 2 * variant->data_width + variant_bits_for(variant->weight_queue_depth);
    return width < variant->acc_width ? width : variant->acc_width;
}

/* An instruction and its operands in the register file, as rtl/tulle_parser.v makes them. */
static unsigned operands_width(const struct variant *variant)
{
    return params_maximum(variant) + 24 + 4 * variant_bits_for(variant->input_buffer_depth) +
           2 * variant_bits_for(variant->output_queue_depth);
}

/* What one counter can count in a cycle: weights looked at, or bytes read for all purposes. */
static unsigned add_width(const struct variant *variant)
{
    return variant_bits_for(variant->n * variant->m * variant->k * variant->scan + 1);
}

/* Whether stores can fill a beat of memory in less than two cycles. */
static unsigned write_every_cycle(const struct variant *v)
{
    struct variant_derived d;
    variant_derive(v, &d);
    unsigned bytes = d.store_lanes * (v->acc_width > 32 ? 8 : 4);
    return 2 * (bytes < 8 ? 8 : bytes) > d.memory_bytes;
}

struct named_value {
    const char *name;
    unsigned value;
};

/* Values that templates use beside the parameters and what is derived from them. */
static bool further_value(const struct variant *v, const char *name, unsigned *value)
{
    const struct named_value values[] = {
        {"element_width", element_width(v)},
        {"result_beats", result_beats(v)},
        {"load_bits", 8 * v->load_width},
        {"line", 8 * v->load_width / v->data_width},
        {"room", variant_register_pages(v, v->register_file_entries) /
                     variant_register_pages(v, v->instruction_depth)},
        {"register_entries", variant_register_pages(v, v->register_file_entries) * variant_register_page(v)},
        {"page_width", variant_bits_for(variant_register_pages(v, v->register_file_entries))},
        {"page_shift", variant_bits_for(variant_register_page(v)) - (variant_register_page(v) == 1)},
        {"function_mask", params_function_mask(v) | 1},
        {"reduce", params_reduces(v)},
        {"maximum", params_maximum(v)},
        {"maximum_bits", params_maximum(v) ? 2 * v->data_width : 0},
        {"operands_width", operands_width(v)},
        {"shift_sets", v->issue_queue_depth + 1},
        {"word_bits", v->scan * (v->data_width + v->index_width)},
        {"word_addr_width", variant_bits_for(v->weight_queue_depth / v->scan)},
        {"lane_width", variant_bits_for(v->scan)},
        {"scan_stages", scan_stages(v)},
        {"sum_width", sum_width(v)},
        {"move_bits", 2 * v->data_width + 2},
        {"return_bits", sum_width(v) + 1},
        {"ring", params_ring(v)},
        {"dispatch", v->balance == VARIANT_BALANCE_DISPATCH},
        {"packet_width", v->row_bus_width + 8 + 16 + 1 + 1 + 6},
        {"add_width", add_width(v)},
        {"pes_bits", variant_bits_for(v->n * v->m * v->k + 1)},
        {"rows_bits", variant_bits_for(v->n + 1)},
        {"busy_bits", variant_bits_for(v->k + 1)},
        {"scanned_bits", variant_bits_for(v->k * v->scan + 1)},
        {"row_scanned_bits", variant_bits_for(v->m * v->k * v->scan + 1)},
        {"banks", params_banks(v)},
        {"bank_address", variant_bits_for(v->unit_bytes / 8 / params_banks(v))},
        {"beat_address", variant_bits_for(v->unit_bytes * 8 / v->row_bus_width)},
        {"beat_log", variant_bits_for(v->row_bus_width / 8)},
        {"partial_lanes", v->k < 2 ? v->k : 2},
        {"packet_id", v->n <= 2 ? 2 : 3},
        {"write_every_cycle", write_every_cycle(v)},
        {"timeout", 400000 + 10000 * v->n * v->m},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].name, name)) {
            *value = values[i].value;
            return true;
        }
    return false;
}

static bool derived_value(const struct variant_derived *derived, const char *name, unsigned *value)
{
    for (size_t i = 0; i < variant_derived_count; i++)
        if (!strcmp(variant_derived_fields[i].name, name)) {
            *value = variant_derived_get(derived, &variant_derived_fields[i]);
            return true;
        }
    return false;
}

static unsigned value_of(const struct emit_context *ctx, const char *name, unsigned index)
{
    unsigned value;
    if (!strcmp(name, "i"))
        return index;
    const struct variant_key *key = variant_key_find(name);
    if (key)
        return variant_get(ctx->variant, key);
    if (derived_value(ctx->derived, name, &value) || further_value(ctx->variant, name, &value))
        return value;
    fprintf(stderr, "tulle-gen: internal error: a template names the value \"%s\"\n", name);
    abort();
}

/* ---- templates ------------------------------------------------------------------------------- */

/* Adds the value of what stands between the braces, "name" or "name-1". */
static void add_value(struct strbuf *to, const struct emit_context *ctx, unsigned index, const char *text,
                      size_t len)
{
    char name[40];
    size_t name_len = strcspn(text, "-}");
    snprintf(name, sizeof name, "%.*s", (int)name_len, text);
    unsigned value = value_of(ctx, name, index);
    sb_addf(to, "%u", name_len < len ? value - 1 : value);
}

void verilog_add(struct strbuf *to, const struct emit_context *ctx, unsigned index, const char *text)
{
    const char *mark;
    for (; (mark = strstr(text, "${")); text = strchr(mark, '}') + 1) {
        sb_addn(to, text, (size_t)(mark - text));
        add_value(to, ctx, index, mark + 2, strcspn(mark + 2, "}"));
    }
    sb_add(to, text);
}

void verilog_repeat(struct strbuf *to, const struct emit_context *ctx, unsigned count, const char *between,
                    const char *text)
{
    for (unsigned i = 0; i < count; i++) {
        sb_add(to, i ? between : "");
        verilog_add(to, ctx, i, text);
    }
}

/* What does not fit one line is continued in rows of this many. */
enum { GATHER_ROW = 4 };

void verilog_gather(struct strbuf *to, const struct emit_context *ctx, unsigned count, const char *before,
                    const char *signal, const char *after)
{
    sb_addf(to, "%s{", before);
    for (unsigned i = count; i-- > 0;) {
        if (count > GATHER_ROW && (count - 1 - i) % GATHER_ROW == 0)
            sb_add(to, "\n      ");
        verilog_add(to, ctx, i, signal);
        sb_add(to, !i ? "" : count > GATHER_ROW && (count - i) % GATHER_ROW == 0 ? "," : ", ");
    }
    sb_addf(to, "%s}%s", count > GATHER_ROW ? "\n    " : "", after);
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { CELLS_MAX = 8 };

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

static bool has_cells(const char *line)
{
    return memchr(line, '\t', line_length(line)) != NULL;
}

/* A blank line or a comment: inside a table it is kept as it is. */
static bool is_remark(const char *line)
{
    line += strspn(line, " ");
    return *line == '\n' || !strncmp(line, "//", 2);
}

/* The widest of each cell over the lines of the table; returns the end of the table. */
static const char *measure(const char *table, size_t widths[CELLS_MAX])
{
    memset(widths, 0, CELLS_MAX * sizeof *widths);
    const char *end = table;
    for (const char *line = table; *line && (has_cells(line) || is_remark(line));) {
        const char *next = line + line_length(line) + 1;
        if (has_cells(line))
            end = next;
        for (size_t cell = 0; cell < CELLS_MAX && has_cells(line); cell++) {
            size_t len = strcspn(line, "\t");
            widths[cell] = len > widths[cell] ? len : widths[cell];
            line += len + 1;
        }
        line = next;
    }
    return end;
}

static void add_padded_line(struct strbuf *to, const char *line, const size_t widths[CELLS_MAX])
{
    for (size_t cell = 0; has_cells(line); cell++) {
        size_t len = strcspn(line, "\t");
        assert(cell < CELLS_MAX);
        sb_addf(to, "%-*.*s", (int)widths[cell] + (widths[cell] ? 1 : 0), (int)len, line);
        line += len + 1;
    }
    sb_addn(to, line, line_length(line));
    sb_add(to, "\n");
}

void verilog_align(struct strbuf *to, const char *from)
{
    size_t widths[CELLS_MAX] = {0};
    while (*from) {
        const char *end = has_cells(from) ? measure(from, widths) : from + line_length(from) + 1;
        for (; from < end; from += line_length(from) + 1)
            add_padded_line(to, from, widths);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

bool verilog_file(const struct emit_context *ctx, const char *path, const char *title, struct strbuf *text)
{
    struct strbuf file = {0};
    emit_banner(&file, ctx, "//", title);
    sb_add(&file, "\n`default_nettype none\n\n");
    verilog_align(&file, sb_text(text));
    sb_add(&file, "\n`default_nettype wire\n");
    sb_addf(ctx->files, "%s\n", path);
    file.failed |= text->failed;
    sb_free(text);
    return emit_file(ctx, path, &file);
}
