/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/settings.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/near.h"

#define SPECS_MAX 32

bool settings_number(const char *text, uint64_t *number)
{
    static const char units[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (errno || (unit && (value << shift) >> shift != value))
        return false;
    *number = (uint64_t)value << shift;
    return !end[unit ? 1 : 0];
}

static const struct setting_spec *find(const struct setting_spec *specs, const char *text, size_t length)
{
    for (; specs->name; specs++)
        if (strlen(specs->name) == length && !strncmp(specs->name, text, length))
            return specs;
    return NULL;
}

static void report_unknown(const struct setting_spec *specs, const char *name, struct strbuf *why)
{
    const char *names[SPECS_MAX];
    size_t count = 0;
    for (; specs[count].name && count < SPECS_MAX; count++)
        names[count] = specs[count].name;
    const char *near = near_word(name, names, count);
    sb_add(why, "there is no setting ");
    sb_add_quoted(why, name);
    if (near)
        sb_addf(why, "; did you mean %s?", near);
}

static bool read_one(const char *setting, const struct setting_spec *specs, void *context, struct strbuf *why)
{
    size_t length = strcspn(setting, "=");
    const struct setting_spec *spec = find(specs, setting, length);
    if (!spec || !setting[length]) {
        struct strbuf name = {0};
        sb_addn(&name, setting, length);
        if (spec)
            sb_addf(why, "setting %s has no value", spec->name);
        else
            report_unknown(specs, sb_text(&name), why);
        sb_free(&name);
        return false;
    }
    const char *value = setting + length + 1;
    uint64_t number;
    if (spec->number) {
        if (settings_number(value, &number) && number >= spec->min && number <= spec->max) {
            *spec->number = number;
            return true;
        }
        sb_addf(why, "%s: allowed %llu..%llu", setting, (unsigned long long)spec->min,
                (unsigned long long)spec->max);
        return false;
    }
    if (spec->take(context, value))
        return true;
    sb_addf(why, "%s: %s", setting, spec->form);
    return false;
}

bool settings_read(const char *const *settings, const struct setting_spec *specs, void *context,
                   struct strbuf *why)
{
    for (; settings && *settings; settings++)
        if (!read_one(*settings, specs, context, why))
            return false;
    return true;
}

bool settings_bandwidth(const char *text, unsigned *beats, unsigned *cycles)
{
    char *end, *rest;
    unsigned long b = strtoul(text, &end, 10);
    if (end == text || *end != '/' || end[1] < '0' || end[1] > '9')
        return false;
    unsigned long c = strtoul(end + 1, &rest, 10);
    if (*rest || !b || b > c || c > 1000)
        return false;
    *beats = (unsigned)b;
    *cycles = (unsigned)c;
    return true;
}

void settings_message(const struct strbuf *message, char *to, size_t room)
{
    size_t length = strlen(sb_text(message));
    if (!room)
        return;
    length = length < room ? length : room - 1;
    memcpy(to, sb_text(message), length);
    to[length] = 0;
}

void settings_add(struct setting_list *s, const char *name, const char *value)
{
    assert(s->count < SETTINGS_MAX);
    sb_addf(&s->text[s->count], "%s=%s", name, value);
    s->list[s->count] = sb_text(&s->text[s->count]);
    s->count++;
}

void settings_add_number(struct setting_list *s, const char *name, uint64_t value)
{
    struct strbuf text = {0};
    sb_addf(&text, "%llu", (unsigned long long)value);
    settings_add(s, name, sb_text(&text));
    sb_free(&text);
}

void settings_free(struct setting_list *s)
{
    for (unsigned i = 0; i < s->count; i++)
        sb_free(&s->text[i]);
}
