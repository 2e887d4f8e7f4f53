/* SPDX-License-Identifier: Apache-2.0
 *
 * The template engine. A template is a file of gen/templates/: text of another language, mostly Verilog, in
 * which a few lines and marks are replaced for a variant. The build checks every template (template_check.c).
 *
 * Marks stand anywhere in a line:
 *   ${name}               the value with this name
 *   ${name-1} ${name+1}   a number that is so much less or more; any decimal number may follow the sign
 *   ${name[i]}            of a value that is a list, the text number i; i is a loop's variable or a number
 *   ${text for i < n}     the text for each i, joined by commas, the highest i first: {${bit${i} for i < n}}.
 *                         Beyond four texts they stand on lines of four.
 *   ${,}                  a comma, except in the last round of the innermost loop
 *   $${                   the characters ${
 *
 * Directives are lines of their own and do not reach the output:
 *   //: if name           the lines up to `else` or `end`, when the value is not 0; also `if !name` and
 *   //: if name >= 2      a comparison: == != < <= > >=
 *   //: else
 *   //: end
 *   //: for i < count     the lines up to `end`, for i = 0 .. count - 1; also
 *   //: for 1 <= i < count
 *   //: include part.v name=text ...      another template, in which the names stand for the texts
 *   //: # text            a remark
 * Names in directives take what ${...} takes: `for i < n-1`, `if kind[i] == 2`.
 *
 * Names are looked up among loop variables and names of an include, then among the template's own values
 * (template_list.c), then among those that every template has (values.h).
 *
 * A tab ends a cell of a table: cells of neighbouring lines are padded so that they end at the same column
 * (verilog_align).
 */
#ifndef TULLE_GEN_EMIT_TEMPLATE_H
#define TULLE_GEN_EMIT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "gen/base/strbuf.h"

struct diag;
struct emit_context;

/* A file of gen/templates/; the build makes C of them (gen/gen.mk). */
struct template_source {
    const char *name;  /* of the file: tulle_pe.v */
    const char *label; /* its path in the source tree */
    const char *text;
};

extern const struct template_source template_sources[];
extern const size_t template_source_count;

/* A value that C computes for a template: appends it, or text number `index` of a list. `data` is what
 * template_emit() was given. */
struct template_value {
    const char *name;
    void (*add)(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index);
};

/* Defines such a function, which prints one expression of ctx, data and index. */
#define TEMPLATE_VALUE(function, ...)                                                         \
    static void function(struct strbuf *to, const struct emit_context *ctx, const void *data, \
                         unsigned index)                                                      \
    {                                                                                         \
        (void)ctx, (void)data, (void)index;                                                   \
        sb_addf(to, __VA_ARGS__);                                                             \
    }

/* A template that becomes a file, and its own values, which end with a name that is NULL. */
struct template
{
    const char *name;
    const struct template_value *values; /* may be NULL */
};

/* All of them: a template is in this list or included by one that is. */
extern const struct template template_list[];
extern const size_t template_list_count;

/* Appends the template's text. `ctx` may be NULL for a template that names only its own values. */
void template_write(struct strbuf *to, const struct emit_context *ctx, const char *name, const void *data);

/* Adds the template's text to the output folder as `path`, and Verilog files to the list of those. */
bool template_emit(const struct emit_context *ctx, const char *name, const void *data, const char *path);

/* Reports all that is wrong in the templates `sources`: unknown names, values and templates that are not
 * used, blocks without an end. `ctx` is of any variant. */
void template_check(const struct emit_context *ctx, const struct template_source *sources, size_t count,
                    struct diag *diag);

#endif
