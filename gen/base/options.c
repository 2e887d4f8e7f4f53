/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/options.h"

#include "gen/base/near.h"

static const struct place nowhere = {0};

void options_report_unknown(const char *text, const char *const *names, size_t count, struct diag *diag)
{
    const char *near = near_word(text, names, count);
    struct strbuf quoted = {0};
    sb_add_quoted(&quoted, text);
    diag_error(diag, nowhere, "unknown option %s%s%s%s", sb_text(&quoted), near ? "; did you mean " : "",
               near ? near : "", near ? "?" : "");
    sb_free(&quoted);
}

void options_set_once(const char **to, const char *value, const char *name, struct diag *diag)
{
    if (*to)
        diag_error(diag, nowhere, "%s is given twice", name);
    *to = value;
}
