/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk through a template that template.c (to write it) and template_check.c (to check it) share.
 */
#ifndef TULLE_GEN_EMIT_TEMPLATE_WALK_H
#define TULLE_GEN_EMIT_TEMPLATE_WALK_H

#include "gen/base/diag.h"
#include "gen/emit/template.h"

struct template_walk {
    const struct template_source *sources; /* to include from */
    size_t source_count;
    const struct emit_context *ctx;
    const struct template *template;
    const void *data;
    struct strbuf *to;
    struct diag *diag;

    /* A check takes both branches of a condition and one round of a loop, and asks for no own value. */
    bool check;
    struct strbuf *used; /* of a check: names that were used, each after a line feed and before one */

    /* Where the walk is */
    const struct template_source *source;
    const char *at;
    unsigned line;
    unsigned depth; /* of includes */
};

/* Walks through the whole template; what is wrong goes to `diag`. */
void template_walk(struct template_walk *walk);

const struct template_source *template_find(const struct template_source *sources, size_t count,
                                            const char *name);
bool template_was_used(const struct strbuf *used, const char *name);

#endif
