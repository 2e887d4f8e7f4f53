/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether an argument names a built-in variant or a file.
 */
#include "gen/variant/named.h"

#include <string.h>

#include "gen/base/near.h"
#include "gen/variant/variant.h"

enum { NAMED_MAX = 256 };

const char *variant_named(size_t index)
{
    return index < variant_source_count ? variant_sources[index].name : NULL;
}

static void report_unknown(const char *name, struct diag *diag)
{
    struct strbuf message = {0};
    const char *names[NAMED_MAX];
    size_t count = 0;
    sb_add(&message, "no variant is named ");
    sb_add_quoted(&message, name);
    for (const char *known; count < NAMED_MAX && (known = variant_named(count)); count++)
        names[count] = known;
    const char *near = near_word(name, names, count);
    if (near)
        sb_addf(&message, "; did you mean \"%s\"?", near);
    sb_add(&message, "; there are ");
    for (size_t i = 0; i < count; i++)
        sb_addf(&message, "%s%s", i ? ", " : "", names[i]);
    sb_add(&message, "; a file is given by a path with a / in it, or that ends in .yaml or .yml");
    diag_error(diag, (struct place){0}, "%s", sb_text(&message));
    sb_free(&message);
}

bool variant_load_named(const char *name, const char *const *sets, size_t set_count, struct variant *out,
                        struct diag *diag)
{
    for (size_t i = 0; i < variant_source_count; i++) {
        const struct variant_source *source = &variant_sources[i];
        if (strcmp(source->name, name))
            continue;
        struct strbuf text = {0};
        sb_add(&text, source->text);
        bool ok = variant_load_text(source->label, &text, sets, set_count, out, diag);
        sb_free(&text);
        return ok;
    }
    report_unknown(name, diag);
    return false;
}

static bool ends_in(const char *text, const char *end)
{
    size_t text_len = strlen(text), end_len = strlen(end);
    return text_len >= end_len && !strcmp(text + text_len - end_len, end);
}

bool variant_load(const char *variant, const char *const *sets, size_t set_count, struct variant *out,
                  struct diag *diag)
{
    if (strchr(variant, '/') || ends_in(variant, ".yaml") || ends_in(variant, ".yml"))
        return variant_load_file(variant, sets, set_count, out, diag);
    return variant_load_named(variant, sets, set_count, out, diag);
}
