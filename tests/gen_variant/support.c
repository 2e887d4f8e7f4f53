/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gen_variant/support.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gen/base/input.h"

bool base_with(struct variant *out, struct diag *diag, const char *const sets[20])
{
    size_t count = 0;
    while (sets[count])
        count++;
    return variant_load_named("base", sets, count, out, diag);
}

struct strbuf text_of(const char *path)
{
    struct strbuf text = {0};
    struct diag diag = {0};
    cr_assert(input_read(path, 1 << 20, &text, &diag), "%s", sb_text(&diag.text));
    return text;
}

bool same_variant(const struct variant *a, const struct variant *b)
{
    struct strbuf text_a = {0}, text_b = {0};
    variant_write_canonical(a, "1.0", &text_a);
    variant_write_canonical(b, "1.0", &text_b);
    bool same = !strcmp(sb_text(&text_a), sb_text(&text_b));
    sb_free(&text_a);
    sb_free(&text_b);
    return same;
}

void expect_messages(struct diag *diag, const char *text, const char *what)
{
    cr_expect_str_eq(sb_text(&diag->text), text, "%s:\n%s", what, sb_text(&diag->text));
    diag_free(diag);
}
