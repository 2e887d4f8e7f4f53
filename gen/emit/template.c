/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/template_walk.h"
#include "gen/emit/verilog.h"

static const struct template *find_listed(const char *name)
{
    for (size_t i = 0; i < template_list_count; i++)
        if (!strcmp(template_list[i].name, name))
            return &template_list[i];
    return NULL;
}

/* The build has checked the templates, so that what is found here is a mistake of an emitter. */
static void give_up(struct diag *diag, const char *name)
{
    diag_report(diag, stderr);
    fprintf(stderr, "tulle-gen: internal error: the template %s\n", name);
    abort();
}

void template_write(struct strbuf *to, const struct emit_context *ctx, const char *name, const void *data)
{
    struct diag diag = {0};
    struct strbuf text = {0};
    struct template_walk walk = {.sources = template_sources,
                                 .source_count = template_source_count,
                                 .ctx = ctx,
                                 .template = find_listed(name),
                                 .data = data,
                                 .to = &text,
                                 .diag = &diag,
                                 .source = template_find(template_sources, template_source_count, name)};
    if (!walk.template || !walk.source)
        give_up(&diag, name);
    template_walk(&walk);
    if (diag.errors)
        give_up(&diag, name);
    verilog_align(to, sb_text(&text));
    to->failed |= text.failed;
    sb_free(&text);
}

bool template_emit(const struct emit_context *ctx, const char *name, const void *data, const char *path)
{
    struct strbuf text = {0};
    template_write(&text, ctx, name, data);
    size_t len = strlen(path);
    if (len > 2 && !strcmp(path + len - 2, ".v"))
        sb_addf(ctx->files, "%s\n", path);
    return emit_file(ctx, path, &text);
}
