/* SPDX-License-Identifier: Apache-2.0
 *
 * check-templates FILE...: checks the templates of gen/templates/. The build runs it before it links a
 * program; gen/emit/template.h has the rules.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "gen/emit/emit.h"
#include "gen/emit/template.h"

enum { SIZE_LIMIT = 1 << 20, FILES_MAX = 256 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Fills sources[i] and texts[i], which owns the text, from files[i]. */
static void read_sources(char **files, size_t count, struct template_source *sources, struct strbuf *texts,
                         struct diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        input_read(files[i], SIZE_LIMIT, &texts[i], diag);
        sources[i] = (struct template_source){base_name(files[i]), files[i], sb_text(&texts[i])};
    }
}

static void check(const struct template_source *sources, size_t count, struct diag *diag)
{
    struct variant variant;
    struct variant_derived derived;
    struct emit_context ctx = {.variant = &variant, .derived = &derived};
    if (!variant_load_named("tiny", NULL, 0, &variant, diag))
        return;
    variant_derive(&variant, &derived);
    template_check(&ctx, sources, count, diag);
}

int main(int argc, char **argv)
{
    static struct template_source sources[FILES_MAX];
    static struct strbuf texts[FILES_MAX];
    struct diag diag = {0};
    size_t count = argc > 1 ? (size_t)argc - 1 : 0;
    if (count > FILES_MAX)
        diag_error(&diag, (struct place){0}, "more than %d templates", FILES_MAX);
    count = count > FILES_MAX ? FILES_MAX : count;
    read_sources(argv + 1, count, sources, texts, &diag);
    check(sources, count, &diag);
    for (size_t i = 0; i < count; i++)
        sb_free(&texts[i]);
    bool failed = diag_report(&diag, stderr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
