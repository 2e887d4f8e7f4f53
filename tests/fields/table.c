/* SPDX-License-Identifier: Apache-2.0
 *
 * evidence.tsv is complete and true: every field has its rows, and what they name is there.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "gen/emit/leaf.h"
#include "gen/emit/template.h"
#include "gen/isa/codec.h"
#include "tests/fields/case.h"

#define FILE_MAX (4 << 20)
#define NAME_MAX_BYTES 128

/* Fields that permit others, and do nothing else: without them what they permit is refused. */
static const char *const permits[] = {"config_header.pipeline"};

static struct evidence_table table;
static struct diag diag;

static void load(void)
{
    cr_assert(evidence_load(&table, &diag), "%s", sb_text(&diag.text));
}

static void unload(void)
{
    evidence_free(&table);
}

TestSuite(table, .init = load, .fini = unload);

#define ROW_EXPECT(row, condition, text) \
    cr_expect(condition, "evidence.tsv:%u: %s.%s: %s", (row)->line, (row)->record, (row)->field, text)

/* ---- words in files -------------------------------------------------------------------------- */

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text has the words, not as a part of longer ones. */
static bool has_words(const char *text, const char *words)
{
    const size_t len = strlen(words);
    for (const char *at = strstr(text, words); at; at = strstr(at + 1, words))
        if (!(at > text && is_name_part(at[-1]) && is_name_part(*words)) &&
            !(is_name_part(at[len]) && is_name_part(words[len - 1])))
            return true;
    return false;
}

static bool file_has(const char *path, const char *words)
{
    struct strbuf text = {0};
    struct diag problems = {0};
    const bool ok = input_read(path, FILE_MAX, &text, &problems) && has_words(sb_text(&text), words);
    diag_free(&problems);
    sb_free(&text);
    return ok;
}

/* The text of a module of rtl/ or of a template; NULL when there is none. */
static const char *module_text(const char *name, size_t len)
{
    for (size_t i = 0; i < leaf_source_count; i++)
        if (!strncmp(leaf_sources[i].name, name, len) && !leaf_sources[i].name[len])
            return leaf_sources[i].text;
    for (size_t i = 0; i < template_source_count; i++)
        if (!strncmp(template_sources[i].name, name, len) && !strcmp(template_sources[i].name + len, ".v"))
            return template_sources[i].text;
    return NULL;
}

/* Calls `look` for each of the parts of a column. */
static void each_part(const struct evidence_field *f, const struct evidence *row, const char *column,
                      void (*look)(const struct evidence_field *f, const struct evidence *row,
                                   const char *part))
{
    while (*column && strcmp(column, "-") != 0) {
        char part[2 * NAME_MAX_BYTES];
        const char *end = strstr(column, "; ");
        const size_t len = end ? (size_t)(end - column) : strlen(column);
        cr_assert_lt(len, sizeof part);
        memcpy(part, column, len);
        part[len] = '\0';
        look(f, row, part);
        column += len + (end ? 2 : 0);
    }
}

/* ---- where a field is ------------------------------------------------------------------------ */

struct range {
    unsigned lsb, bits;
};

static struct range range_of(const struct evidence_field *f)
{
    return (struct range){isa_field_lsb(f->family, f->format, f->field, isa_int8_widths),
                          isa_field_bits(f->field, isa_int8_widths)};
}

/* The field whose range tulle_isa.vh gives as `macro`. */
struct search {
    const char *macro;
    struct evidence_field found;
};

static void compare_macro(void *context, const struct evidence_field *f)
{
    struct search *s = context;
    char name[NAME_MAX_BYTES];
    if (!f->family)
        return;
    snprintf(name, sizeof name, "TULLE_%s_%s", f->record, f->field->name);
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    if (!strcmp(name, s->macro))
        s->found = *f;
}

/* A macro of a field must be of this field, or of one at the same place of another format. */
static void check_macro(const struct evidence_field *f, const struct evidence *row, const char *macro)
{
    struct search s = {.macro = macro};
    evidence_visit(compare_macro, &s);
    if (!s.found.field)
        return;
    const struct range here = range_of(f), there = range_of(&s.found);
    ROW_EXPECT(row, s.found.family == f->family && here.lsb == there.lsb && here.bits == there.bits, macro);
}

/* Bits of a record that are named by number must be of the field: "record_i[127:96]", "load[32 +: ROWS]". */
static void check_bits(const struct evidence_field *f, const struct evidence *row, const char *words)
{
    const char *bracket = strchr(words, '[');
    unsigned first, second;
    const struct range here = range_of(f);
    if (f->family != &isa_operation || !bracket || sscanf(bracket, "[%u", &first) != 1)
        return;
    const bool both = sscanf(bracket, "[%u:%u]", &first, &second) == 2;
    const unsigned low = both ? second : first, high = both ? first : here.lsb + here.bits - 1;
    ROW_EXPECT(row, low < here.lsb + here.bits && high >= here.lsb, words);
}

static void look_at_rtl(const struct evidence_field *f, const struct evidence *row, const char *part)
{
    const char *colon = strchr(part, ':');
    const char *text = colon ? module_text(part, (size_t)(colon - part)) : NULL;
    ROW_EXPECT(row, text, part);
    if (!text)
        return;
    ROW_EXPECT(row, has_words(text, colon + 1), part);
    if (f->family && strcmp(f->kind, "status") != 0) {
        check_macro(f, row, colon + 1);
        check_bits(f, row, colon + 1);
    }
}

/* "FILE", which then names the field, or "FILE:WORDS". */
static void look_at_model(const struct evidence_field *f, const struct evidence *row, const char *part)
{
    char path[2 * NAME_MAX_BYTES];
    const char *colon = strchr(part, ':');
    snprintf(path, sizeof path, "%.*s", (int)(colon ? colon - part : (long)strlen(part)), part);
    ROW_EXPECT(row,
               file_has(path, colon ? colon + 1 : f->field->name) || (!colon && file_has(path, f->record)),
               part);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool only_permits(const struct evidence_field *f)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s.%s", f->record, f->field->name);
    for (size_t i = 0; i < sizeof permits / sizeof *permits; i++)
        if (!strcmp(permits[i], name))
            return true;
    return false;
}

/* A field with several legal values has a case that is no mere refusal. */
static bool has_meaning(const struct evidence_field *f, const struct evidence *row)
{
    const bool fixed = f->field->kind == ISA_CONST || f->field->kind == ISA_CHECK ||
                       (f->field->max && f->field->min == f->field->max);
    return fixed || only_permits(f) || !f->family || strcmp(row->outcome, "bad_field") != 0;
}

/* The change is of this field, but for what a device says and not reads. */
static bool is_own(const struct evidence_field *f, const struct evidence *row)
{
    char name[NAME_MAX_BYTES];
    if (!is_case(row) || !f->family || !strcmp(f->kind, "status"))
        return true;
    const char *both = strchr(row->change, ';');
    snprintf(name, sizeof name, "%s.%s#", f->record, f->field->name);
    return strstr(both ? both : row->change, name);
}

static void check_row(const struct evidence_field *f, const struct evidence *row)
{
    each_part(f, row, row->rtl, look_at_rtl);
    each_part(f, row, row->models, look_at_model);
    ROW_EXPECT(row, is_own(f, row), "the change is of another field");
    if (!is_case(row))
        ROW_EXPECT(row, file_has(row->program, row->change), "the test does not have this");
}

static void check_field(void *context, const struct evidence_field *f)
{
    const struct evidence *row = evidence_find(&table, f, 0);
    (void)context;
    cr_expect(row, "%s %s.%s: gen/isa/evidence.tsv has no row for it", f->kind, f->record, f->field->name);
    if (!row)
        return;
    const bool nothing = !strcmp(row->outcome, "nothing"), device = !strncmp(row->outcome, "device:", 7);
    ROW_EXPECT(row, nothing == !strcmp(row->rtl, "-"), "what has an effect has it in RTL");
    ROW_EXPECT(row, (nothing || device) == !strcmp(row->models, "-"), "the models know what devices know");
    ROW_EXPECT(row, has_meaning(f, row), "every case is refused: the field means nothing");
    for (unsigned i = 0; evidence_find(&table, f, i); i++)
        check_row(f, evidence_find(&table, f, i));
}

Test(table, has_a_row_for_every_field)
{
    evidence_visit(check_field, NULL);
}

struct seen {
    const struct evidence *row;
    bool found;
};

static void compare_row(void *context, const struct evidence_field *f)
{
    struct seen *s = context;
    s->found = s->found || (!strcmp(s->row->kind, f->kind) && !strcmp(s->row->record, f->record) &&
                            !strcmp(s->row->field, f->field->name));
}

Test(table, has_no_row_for_anything_else)
{
    for (size_t i = 0; i < table.count; i++) {
        struct seen s = {.row = &table.row[i]};
        evidence_visit(compare_row, &s);
        ROW_EXPECT(s.row, s.found, "there is no such field");
    }
}
