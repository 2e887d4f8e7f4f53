/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/cli.h"

#include <string.h>

#include "gen/base/options.h"

#define NAMES_MAX 32

static const struct place nowhere = {0};

/* Also finds "--option=value", and the value in it. */
static const struct cli_option *find(const struct cli_option *options, const char *text, const char **value)
{
    size_t length = strcspn(text, "=");
    *value = text[length] ? text + length + 1 : NULL;
    for (; options->name; options++) {
        if (strlen(options->name) == length && !strncmp(text, options->name, length) &&
            (!*value || !options->flag))
            return options;
        if (options->letter && !strcmp(text, options->letter))
            return options;
    }
    return NULL;
}

static void report_unknown(const struct cli_option *options, const char *text, struct diag *diag)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; options[count].name && count < NAMES_MAX; count++)
        names[count] = options[count].name;
    options_report_unknown(text, names, count, diag);
}

static void take(const struct cli_option *option, const char *value, struct diag *diag)
{
    if (option->list)
        option->list[(*option->count)++] = value;
    else
        options_set_once(option->value, value, option->name, diag);
}

static void take_rest(const char **rest, const char *text, struct diag *diag)
{
    if (!rest)
        diag_error(diag, nowhere, "\"%s\" is one argument too many", text);
    else if (*rest)
        diag_error(diag, nowhere, "one at a time: \"%s\" and \"%s\"", *rest, text);
    else
        *rest = text;
}

bool cli_parse(int argc, char **argv, const struct cli_option *options, const char **rest, struct diag *diag)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct cli_option *option = find(options, argv[i], &value);
        if (option && option->flag)
            *option->flag = true;
        else if (option && (value || i + 1 < argc))
            take(option, value ? value : argv[++i], diag);
        else if (option)
            diag_error(diag, nowhere, "%s needs a value", argv[i]);
        else if (argv[i][0] == '-' && argv[i][1])
            report_unknown(options, argv[i], diag);
        else
            take_rest(rest, argv[i], diag);
    }
    return diag->errors == 0;
}

int cli_usage(const char *command, struct diag *diag)
{
    diag_report(diag, stderr);
    diag_free(diag);
    fprintf(stderr, "Try tulle %s --help.\n", command);
    return CLI_USAGE;
}
