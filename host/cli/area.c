/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/area.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD 64

struct line {
    char variant[WORD], tools[WORD], figure[WORD], value[WORD];
};

/* The next line of the variant; false when there is none. */
static bool next_line(const char **text, const char *variant, struct line *to)
{
    while (**text) {
        const char *line = *text;
        *text += strcspn(line, "\n");
        *text += **text == '\n';
        if (*line != '#' &&
            sscanf(line, "%63[^\t]\t%63[^\t]\t%63[^\t]\t%63[^\t\n]", to->variant, to->tools, to->figure,
                   to->value) == 4 &&
            !strcmp(to->variant, variant))
            return true;
    }
    return false;
}

/* One object for what each version of the tools measured: its lines follow one another. Whether there was
 * any. */
static bool add_technology(const struct area_source *source, const char *variant, bool first,
                           struct strbuf *to)
{
    const char *at = source->text;
    struct line line;
    char tools[WORD] = "";
    while (next_line(&at, variant, &line)) {
        if (strcmp(line.tools, tools) != 0) {
            sb_add(to, *tools ? "}}, " : first ? ", \"area\": [" : ", ");
            sb_add(to, "{\"technology\": ");
            sb_add_json(to, source->name);
            sb_add(to, ", \"tools\": ");
            sb_add_json(to, line.tools);
            sb_add(to, ", \"figures\": {");
            memcpy(tools, line.tools, sizeof tools);
        } else {
            sb_add(to, ", ");
        }
        sb_add_json(to, line.figure);
        sb_addf(to, ": %s", line.value);
    }
    if (*tools)
        sb_add(to, "}}");
    return *tools != '\0';
}

void area_add_json(const char *variant, struct strbuf *to)
{
    bool any = false;
    for (size_t i = 0; i < area_source_count; i++)
        any = add_technology(&area_sources[i], variant, !any, to) || any;
    if (any)
        sb_add(to, "]");
}
