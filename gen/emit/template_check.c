/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/template_walk.h"
#include "gen/emit/values.h"

/* `used` gets the names that the template uses. */
static void check_listed(struct template_walk *walk, const struct template *template, struct strbuf *used)
{
    struct strbuf own = {0};
    const struct place at = {walk->source->label, 0, 0};
    walk->template = template;
    walk->used = &own;
    template_walk(walk);
    for (const struct template_value *v = template->values; v && v->name; v++)
        if (!template_was_used(&own, v->name))
            diag_error(walk->diag, at, "the value \"%s\", which template_list.c gives it, is not used",
                       v->name);
    sb_add(used, sb_text(&own));
    used->failed |= own.failed;
    sb_free(&own);
}

/* Whether a template has `TULLE_<NAME>, which include/tulle_params.vh defines. */
static bool has_macro(const struct template_source *sources, size_t count, const char *name)
{
    static const char mark[] = "`TULLE_";
    for (size_t i = 0; i < count; i++)
        for (const char *at = sources[i].text; (at = strstr(at, mark)); at++) {
            const char *macro = at + strlen(mark), *letter = name;
            while (*letter && toupper((unsigned char)*letter) == *macro)
                letter++, macro++;
            if (!*letter && !isalnum((unsigned char)*macro) && *macro != '_')
                return true;
        }
    return false;
}

static void check_all_used(const struct emit_context *ctx, const struct template_source *sources,
                           size_t count, const struct strbuf *used, struct diag *diag)
{
    for (size_t i = 0; i < count; i++)
        if (!template_was_used(used, sources[i].name))
            diag_error(diag, (struct place){sources[i].label, 0, 0},
                       "the template is neither in template_list.c nor included");
    struct values_number number;
    for (size_t i = 0; values_number(ctx, i, &number); i++)
        if (!template_was_used(used, number.name) && !(number.text && has_macro(sources, count, number.name)))
            diag_error(diag, (struct place){"gen/emit/values.c", 0, 0}, "no template uses the value \"%s\"",
                       number.name);
}

void template_check(const struct emit_context *ctx, const struct template_source *sources, size_t count,
                    struct diag *diag)
{
    struct strbuf used = {0}, text = {0};
    struct template_walk walk = {
        .sources = sources, .source_count = count, .ctx = ctx, .to = &text, .diag = diag, .check = true};
    for (size_t i = 0; i < template_list_count; i++) {
        const struct template *template = &template_list[i];
        walk.source = template_find(sources, count, template->name);
        sb_addf(&used, "\n%s\n", template->name);
        if (walk.source)
            check_listed(&walk, template, &used);
        else
            diag_error(diag, (struct place){NULL, 0, 0},
                       "there is no gen/templates/%s, which template_list.c names", template->name);
    }
    check_all_used(ctx, sources, count, &used, diag);
    sb_free(&used);
    sb_free(&text);
}
