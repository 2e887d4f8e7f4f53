/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/fields_doc.h"

#include <string.h>

#include "gen/emit/emit.h"
#include "gen/isa/evidence.h"

/* The page while it is written: a table for each record or register. */
struct page {
    struct strbuf *to;
    struct evidence_table table;
    const char *kind, *record;
};

static void begin_record(struct page *p, const struct evidence_field *f)
{
    if (!p->kind || strcmp(p->kind, f->kind) != 0)
        sb_addf(p->to, "%s## %s\n\n", p->kind ? "\n" : "", f->family ? f->family->title : "Registers");
    else
        sb_add(p->to, "\n");
    if (f->family && f->family->formats[1].name)
        sb_addf(p->to, "### %s: %s\n\n", f->record, f->format->title);
    else if (f->reg)
        sb_addf(p->to, "### Register %s\n\n", f->record);
    sb_add(p->to, "| field | RTL | models | change | shows |\n| --- | --- | --- | --- | --- |\n");
    p->kind = f->kind;
    p->record = f->record;
}

/* Places, each as code; "-" is empty. */
static void add_places(struct strbuf *to, const char *places)
{
    while (*places && strcmp(places, "-") != 0) {
        const char *end = strstr(places, "; ");
        const size_t len = end ? (size_t)(end - places) : strlen(places);
        sb_addf(to, "`%.*s`%s", (int)len, places, end ? ", " : "");
        places += len + (end ? 2 : 0);
    }
}

static void add_row(void *context, const struct evidence_field *f)
{
    struct page *p = context;
    const struct evidence *e;
    if (!p->record || strcmp(p->kind, f->kind) != 0 || strcmp(p->record, f->record) != 0)
        begin_record(p, f);
    for (unsigned i = 0; (e = evidence_find(&p->table, f, i)); i++) {
        sb_addf(p->to, i ? "| | " : "| `%s` | ", f->field->name);
        add_places(p->to, e->rtl);
        sb_add(p->to, " | ");
        add_places(p->to, e->models);
        sb_addf(p->to, " | `%s`: `%s` | ", e->program, e->change);
        add_places(p->to, e->outcome);
        sb_add(p->to, " |\n");
    }
}

static void add_tables(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    struct page page = {.to = to};
    struct diag diag = {0};
    (void)ctx, (void)data, (void)index;
    if (evidence_load(&page.table, &diag))
        evidence_visit(add_row, &page);
    else
        to->failed = true;
    if (to->len && to->text[to->len - 1] == '\n')
        to->len--; /* the template has it */
    evidence_free(&page.table);
    diag_free(&diag);
}

static void add_generated(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    (void)ctx, (void)data, (void)index;
    emit_origin(to, NULL);
}

const struct template_value fields_page_values[] = {
    {"generated", add_generated},
    {"tables", add_tables},
    {NULL, NULL},
};

void fields_document(struct strbuf *to)
{
    template_write(to, NULL, "fields.md", NULL);
}
