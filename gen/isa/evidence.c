/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/evidence.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 };

/* Cuts a line at its tabs; the number of parts, of which at most COLUMNS are kept. */
static unsigned cut(char *line, char **part)
{
    unsigned count = 0;
    for (char *at = line; at; count++) {
        char *tab = strchr(at, '\t');
        if (tab)
            *tab = '\0';
        if (count < COLUMNS)
            part[count] = at;
        at = tab ? tab + 1 : NULL;
    }
    return count;
}

static void add_row(struct evidence_table *table, char *line, unsigned number, struct diag *diag)
{
    char *part[COLUMNS];
    const unsigned count = cut(line, part);
    const struct place place = {.file = evidence_sources[0].label, .line = number};
    if (count != COLUMNS) {
        diag_error(diag, place, "%u columns, not %d", count, COLUMNS);
        return;
    }
    table->row[table->count++] = (struct evidence){.kind = part[0],
                                                   .record = part[1],
                                                   .field = part[2],
                                                   .rtl = part[3],
                                                   .models = part[4],
                                                   .program = part[5],
                                                   .change = part[6],
                                                   .outcome = part[7],
                                                   .line = number};
}

static size_t lines_in(const char *text)
{
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

bool evidence_load(struct evidence_table *table, struct diag *diag)
{
    const char *source = evidence_sources[0].text;
    const size_t size = strlen(source) + 1;
    *table =
        (struct evidence_table){.row = calloc(lines_in(source), sizeof *table->row), .text = malloc(size)};
    if (!table->row || !table->text) {
        diag_error(diag, (struct place){0}, "out of memory");
        return false;
    }
    memcpy(table->text, source, size);
    unsigned number = 0;
    for (char *line = table->text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        number++;
        if (*line && *line != '#')
            add_row(table, line, number, diag);
        line = end ? end + 1 : NULL;
    }
    return diag->errors == 0;
}

void evidence_free(struct evidence_table *table)
{
    free(table->row);
    free(table->text);
    *table = (struct evidence_table){0};
}

static void visit_fields(struct evidence_field at, const struct isa_field *fields,
                         void (*visit)(void *context, const struct evidence_field *field), void *context)
{
    for (at.field = fields; at.field->bits || at.field->width != ISA_FIXED; at.field++)
        if (at.field->name)
            visit(context, &at);
}

void evidence_visit(void (*visit)(void *context, const struct evidence_field *field), void *context)
{
    for (size_t i = 0; isa_families[i]; i++)
        for (const struct isa_format *f = isa_families[i]->formats; f->name; f++)
            visit_fields(
                (struct evidence_field){
                    .kind = isa_families[i]->name, .record = f->name, .family = isa_families[i], .format = f},
                f->fields, visit, context);
    for (const struct isa_register *r = isa_registers; r->name; r++)
        visit_fields((struct evidence_field){.kind = "register", .record = r->name, .reg = r}, r->fields,
                     visit, context);
}

const struct evidence *evidence_find(const struct evidence_table *table, const struct evidence_field *field,
                                     unsigned index)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct evidence *e = &table->row[i];
        if (!strcmp(e->kind, field->kind) && !strcmp(e->record, field->record) &&
            !strcmp(e->field, field->field->name) && !index--)
            return e;
    }
    return NULL;
}
