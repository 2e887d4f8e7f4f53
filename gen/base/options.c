/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/options.h"

#include <string.h>

#include "gen/base/near.h"
#include "gen/base/number.h"

static const struct place nowhere = {0};

/* ---- values ------------------------------------------------------------------------------------ */

static void take_number(const struct option_entry *option, const char *text, struct diag *diag)
{
    const char *at = text;
    bool negative;
    uint64_t magnitude;
    if (number_integer(&at, &negative, &magnitude) == NUMBER_OK && !*at && magnitude <= INT64_MAX) {
        int64_t value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
        if (value >= option->min && value <= option->max) {
            *option->number = value;
            return;
        }
    }
    diag_error(diag, nowhere, "%s %s: allowed %lld..%lld", option->name, text, (long long)option->min,
               (long long)option->max);
}

static void take_real(const struct option_entry *option, const char *text, struct diag *diag)
{
    const char *at = text;
    double value;
    const bool is_number = number_real(&at, &value) == NUMBER_OK && !*at;
    if (is_number && value >= option->low && value <= option->high)
        *option->real = value;
    else if (!is_number && option->file)
        *option->file = text;
    else
        diag_error(diag, nowhere, "%s %s: a number from %g to %g, please", option->name, text, option->low,
                   option->high);
}

static void take_word(const struct option_entry *option, const char *text, struct diag *diag)
{
    struct strbuf all = {0};
    unsigned count = 0;
    for (; option->words[count]; count++) {
        if (!strcmp(text, option->words[count])) {
            *option->word = count;
            sb_free(&all);
            return;
        }
        sb_addf(&all, "%s%s", count ? ", " : "", option->words[count]);
    }
    diag_error(diag, nowhere, "%s %s: allowed %s", option->name, text, sb_text(&all));
    sb_free(&all);
}

#define SIZES_MAX 4

/* How many numbers the text has, or 0. */
static unsigned read_sizes(const struct option_entry *option, const char *text, int64_t to[SIZES_MAX])
{
    for (unsigned count = 1; count <= SIZES_MAX; count++) {
        bool negative;
        uint64_t magnitude;
        if (number_integer(&text, &negative, &magnitude) != NUMBER_OK || negative ||
            magnitude < (uint64_t)option->min || magnitude > (uint64_t)option->max)
            return 0;
        to[count - 1] = (int64_t)magnitude;
        if (!*text)
            return option->counts >> count & 1 ? count : 0;
        if (*text++ != 'x')
            return 0;
    }
    return 0;
}

static void take_sizes(const struct option_entry *option, const char *text, struct diag *diag)
{
    int64_t sizes[SIZES_MAX];
    const unsigned count = read_sizes(option, text, sizes);
    if (!count)
        diag_error(diag, nowhere, "%s %s: %s, please, each %lld..%lld", option->name, text, option->example,
                   (long long)option->min, (long long)option->max);
    for (unsigned i = 0; i < count; i++)
        option->sizes[i] = sizes[i];
    *option->sizes_count = count;
}

static void take(const struct option_entry *option, const char *value, struct diag *diag)
{
    if (option->list) {
        if (option->room && *option->count == option->room)
            diag_error(diag, nowhere, "%s is given more than %u times", option->name, option->room);
        else
            option->list[(*option->count)++] = value;
        return;
    }
    if (*option->value)
        diag_error(diag, nowhere, "%s is given twice", option->name);
    *option->value = value;
    if (option->number)
        take_number(option, value, diag);
    else if (option->real)
        take_real(option, value, diag);
    else if (option->words)
        take_word(option, value, diag);
    else if (option->sizes)
        take_sizes(option, value, diag);
}

/* ---- arguments --------------------------------------------------------------------------------- */

/* Also finds "--option=value", and the value in it. */
static const struct option_entry *find(const struct option_entry *options, const char *text,
                                       const char **value)
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

/* Suggests the nearest of the options' names. */
static void report_unknown(const struct option_entry *options, const char *text, struct diag *diag)
{
    struct strbuf name = {0}, quoted = {0};
    sb_addn(&name, text, strcspn(text, "="));
    struct near near = {.text = sb_text(&name)};
    for (; options->name; options++)
        near_try(&near, options->name);
    sb_add_quoted(&quoted, text);
    diag_error(diag, nowhere, "unknown option %s%s%s%s", sb_text(&quoted), near.best ? "; did you mean " : "",
               near.best ? near.best : "", near.best ? "?" : "");
    sb_free(&quoted);
    sb_free(&name);
}

static void take_rest(const struct option_rest *rest, const char *text, struct diag *diag)
{
    unsigned used = 0;
    while (used < rest->room && rest->word[used])
        used++;
    if (used < rest->room)
        rest->word[used] = text;
    else if (rest->room == 1)
        diag_error(diag, nowhere, "one %sat a time: \"%s\" and \"%s\"", rest->noun ? rest->noun : "",
                   *rest->word, text);
    else
        diag_error(diag, nowhere, "\"%s\" is one argument too many", text);
}

static void report_missing(const struct option_entry *options, struct diag *diag)
{
    for (const struct option_entry *o = options; o->name; o++)
        if (o->flag && *o->flag)
            return;
    for (const struct option_entry *o = options; o->name; o++)
        if (o->needed && !*o->value)
            diag_error(diag, nowhere, "%s is missing", o->name);
}

bool options_read(int argc, char **argv, const struct option_entry *options, const struct option_rest *rest,
                  struct diag *diag)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct option_entry *option = find(options, argv[i], &value);
        if (option && option->flag)
            *option->flag = true;
        else if (option && (value || i + 1 < argc))
            take(option, value ? value : argv[++i], diag);
        else if (option)
            diag_error(diag, nowhere, "%s needs a value", argv[i]);
        else if ((argv[i][0] == '-' && argv[i][1]) || !rest)
            report_unknown(options, argv[i], diag);
        else
            take_rest(rest, argv[i], diag);
    }
    report_missing(options, diag);
    return diag->errors == 0;
}
