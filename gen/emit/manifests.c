/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits the files that describe the folder to other tools and to readers: tulle.f, tulle.core, variant.json
 * and README.md.
 */
#include "gen/emit/manifests.h"

#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/summary.h"
#include "gen/version.h"

/* Line `index` of those in `lines` that begin with `folder`; without its line feed. NULL behind the last one.
 */
static const char *file_in(const char *lines, const char *folder, unsigned index)
{
    for (const char *line = lines; *line; line += strcspn(line, "\n") + 1)
        if (!strncmp(line, folder, strlen(folder)) && index-- == 0)
            return line;
    return NULL;
}

static unsigned count_in(const struct emit_context *ctx, const char *folder)
{
    unsigned count = 0;
    while (file_in(sb_text(ctx->files), folder, count))
        count++;
    return count;
}

static void add_file(struct strbuf *to, const struct emit_context *ctx, const char *folder, unsigned index)
{
    const char *line = file_in(sb_text(ctx->files), folder, index);
    sb_addn(to, line, strcspn(line, "\n"));
}

static void add_design_file(struct strbuf *to, const struct emit_context *ctx, const void *data,
                            unsigned index)
{
    (void)data;
    add_file(to, ctx, "rtl/", index);
}

static void add_bench_file(struct strbuf *to, const struct emit_context *ctx, const void *data,
                           unsigned index)
{
    (void)data;
    add_file(to, ctx, "tb/", index);
}

TEMPLATE_VALUE(add_design_files, "%u", count_in(ctx, "rtl/"))
TEMPLATE_VALUE(add_bench_files, "%u", count_in(ctx, "tb/"))
TEMPLATE_VALUE(add_version, "%s", TULLE_VERSION)
TEMPLATE_VALUE(add_hash, "%016" PRIx64, ctx->hash)

static void add_summary(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    struct strbuf lines = {0};
    (void)data, (void)index;
    summary_write(&lines, ctx->variant);
    sb_addn(to, sb_text(&lines), lines.len ? lines.len - 1 : 0);
    to->failed |= lines.failed;
    sb_free(&lines);
}

static void add_one_line(struct strbuf *to, const struct emit_context *ctx, const void *data, unsigned index)
{
    (void)data, (void)index;
    summary_one_line(to, ctx->variant);
}

const struct template_value file_list_values[] = {
    {"design_files", add_design_files}, {"design_file", add_design_file}, {NULL, NULL}};

const struct template_value core_values[] = {{"design_files", add_design_files},
                                             {"design_file", add_design_file},
                                             {"bench_files", add_bench_files},
                                             {"bench_file", add_bench_file},
                                             {"version", add_version},
                                             {"summary", add_one_line},
                                             {NULL, NULL}};

const struct template_value readme_values[] = {{"summary", add_summary}, {NULL, NULL}};

const struct template_value variant_script_values[] = {
    {"summary", add_one_line}, {"hash", add_hash}, {NULL, NULL}};

static bool emit_json(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    variant_write_json(ctx->variant, TULLE_ISA_VERSION, &text);
    return emit_file(ctx, "variant.json", &text);
}

bool emit_manifests(const struct emit_context *ctx)
{
    return template_emit(ctx, "tulle.f", NULL, "tulle.f") &&
           template_emit(ctx, "tulle.core", NULL, "tulle.core") && emit_json(ctx) &&
           template_emit(ctx, "README.md", NULL, "README.md");
}
