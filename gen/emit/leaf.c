/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/leaf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/array.h"
#include "gen/emit/emit.h"

static const struct leaf_source *find(const char *name)
{
    for (size_t i = 0; i < leaf_source_count; i++)
        if (!strcmp(leaf_sources[i].name, name))
            return &leaf_sources[i];
    fprintf(stderr, "tulle-gen: internal error: there is no module rtl/%s.v\n", name);
    abort();
}

bool emit_leaf_modules(const struct emit_context *ctx)
{
    bool ok = true;
    for (const char *const *name = array_leaf_modules(ctx->variant); ok && *name; name++) {
        const struct leaf_source *source = find(*name);
        struct strbuf text = {0};
        sb_add(&text, source->text);
        sb_addf(ctx->files, "%s\n", source->label);
        ok = emit_file(ctx, source->label, &text);
    }
    return ok;
}
