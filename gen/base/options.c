/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/options.h"

#include <string.h>

#include "gen/base/near.h"

#define OPTIONS_MAX 16 /* of a list that are suggested */

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

/* The option of that name; NULL with a report when there is none. */
static const struct option_value *option_named(const char *text, const struct option_value *values,
                                               struct diag *diag)
{
    const char *names[OPTIONS_MAX + 2];
    size_t count = 0;
    for (; values[count].name && count < OPTIONS_MAX; count++) {
        if (!strcmp(text, values[count].name))
            return &values[count];
        names[count] = values[count].name;
    }
    names[count++] = "--help";
    names[count++] = "--version";
    options_report_unknown(text, names, count, diag);
    return NULL;
}

struct option_flags options_read(int argc, char **argv, const struct option_value *values, struct diag *diag)
{
    struct option_flags flags = {false, false};
    for (int i = 1; i < argc; i++) {
        const bool help = !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
        const bool version = !strcmp(argv[i], "--version") || !strcmp(argv[i], "-V");
        const struct option_value *value = help || version ? NULL : option_named(argv[i], values, diag);
        flags.help = flags.help || help;
        flags.version = flags.version || version;
        if (value && i + 1 == argc)
            diag_error(diag, nowhere, "%s needs a value", argv[i]);
        else if (value)
            options_set_once(value->to, argv[++i], value->name, diag);
    }
    for (const struct option_value *v = values; v->name && !flags.help && !flags.version; v++)
        if (v->needed && !*v->to)
            diag_error(diag, nowhere, "%s is missing", v->name);
    return flags;
}
