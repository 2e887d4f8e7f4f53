/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads a variant from text and overrides. Everything is read and every problem is reported before the
 * variant is refused.
 */
#include "gen/variant/load.h"

#include <string.h>

#include "gen/base/input.h"
#include "gen/base/near.h"

/* A variant file has some 4 KiB. */
#define VARIANT_FILE_MAX 65536

struct key_state *loader_state(struct loader *loader, const struct variant_key *key)
{
    return &loader->states[key - variant_keys];
}

const struct variant_key *loader_find(struct loader *loader, const char *name, struct place at)
{
    const struct variant_key *key = variant_key_find(name);
    if (key)
        return key;
    const char *names[VARIANT_KEYS_MAX];
    for (size_t i = 0; i < variant_key_count; i++)
        names[i] = variant_keys[i].name;
    const char *near = near_word(name, names, variant_key_count);
    struct strbuf quoted = {0};
    sb_add_quoted(&quoted, name);
    if (near)
        diag_error(loader->diag, at, "unknown key %s; did you mean \"%s\"?", sb_text(&quoted), near);
    else
        diag_error(loader->diag, at, "unknown key %s", sb_text(&quoted));
    sb_free(&quoted);
    return NULL;
}

/* "relu,max": the words of a list; nothing at all is an empty list. */
static bool parse_list(struct loader *loader, const struct variant_key *key, char *text, struct place at)
{
    bool good = true;
    variant_set(loader->out, key, 0);
    if (!*text)
        return true;
    while (text) {
        char *comma = strchr(text, ',');
        if (comma)
            *comma = '\0';
        good &= variant_key_parse(key, text, at, loader->out, loader->diag);
        text = comma ? comma + 1 : NULL;
    }
    return good;
}

/* `assignment` is "key=value" and is taken apart. */
static void override(struct loader *loader, char *assignment, struct place at)
{
    char *equals = strchr(assignment, '=');
    if (!equals) {
        diag_error(loader->diag, at, "expected key=value");
        return;
    }
    *equals = '\0';
    const struct variant_key *key = loader_find(loader, assignment, at);
    if (!key)
        return;
    struct key_state *state = loader_state(loader, key);
    if (state->overridden) {
        diag_error(loader->diag, at, "key \"%s\" is already set by \"%s\"", key->name, state->at.file);
        return;
    }
    *state = (struct key_state){.given = true, .overridden = true, .at = at};
    if (key->kind == KEY_WORD_LIST)
        state->good = parse_list(loader, key, equals + 1, at);
    else
        state->good = variant_key_parse(key, equals + 1, at, loader->out, loader->diag);
}

/* The arguments stand one after the other in `places`, as "--set key=value", zero-terminated. */
static void override_all(struct loader *loader, const char *const *sets, size_t set_count,
                         const struct strbuf *places)
{
    const char *place = sb_text(places);
    for (size_t i = 0; i < set_count; i++) {
        struct strbuf assignment = {0};
        sb_add(&assignment, sets[i]);
        if (sb_ok(&assignment) && assignment.text)
            override(loader, assignment.text, (struct place){.file = place});
        else
            diag_error(loader->diag, (struct place){.file = place}, "out of memory");
        sb_free(&assignment);
        place += strlen(place) + 1;
    }
}

static void check_missing(struct loader *loader, const char *label)
{
    for (size_t i = 0; i < variant_key_count; i++) {
        if (loader->states[i].given || variant_keys[i].optional)
            continue;
        struct strbuf allowed = {0};
        variant_key_allowed(&variant_keys[i], &allowed);
        diag_error(loader->diag, (struct place){.file = label}, "key \"%s\" is missing: %s",
                   variant_keys[i].name, sb_text(&allowed));
        sb_free(&allowed);
    }
}

/* Reported at the override that broke the rule, if there is one, else at the first key that the rule names.
 */
static void check_rule(struct loader *loader, const struct variant_rule *rule)
{
    const struct key_state *blamed = loader_state(loader, variant_key_find(rule->keys[0]));
    for (size_t i = 0; rule->keys[i]; i++) {
        const struct key_state *state = loader_state(loader, variant_key_find(rule->keys[i]));
        if (!state->good)
            return;
        if (state->overridden && !blamed->overridden)
            blamed = state;
    }
    if (!variant_rule_holds(rule, loader->out))
        variant_rule_report(rule, loader->out, blamed->at, loader->diag);
}

bool variant_load_text(const char *label, const struct strbuf *text, const char *const *sets,
                       size_t set_count, struct variant *out, struct diag *diag)
{
    struct loader loader = {.out = out, .diag = diag};
    struct strbuf places = {0};
    size_t errors_before = diag->errors;
    *out = (struct variant){0};
    for (size_t i = 0; i < set_count; i++) {
        sb_addf(&places, "--set %s", sets[i]);
        sb_addn(&places, "", 1);
    }
    if (!sb_ok(&places) || !sb_ok(text)) {
        diag_error(diag, (struct place){.file = label}, "out of memory");
    } else {
        bool whole = variant_read_yaml(&loader, label, text);
        if (whole)
            check_missing(&loader, label);
        override_all(&loader, sets, set_count, &places);
        for (size_t i = 0; i < variant_rule_count; i++)
            check_rule(&loader, &variant_rules[i]);
    }
    sb_free(&places);
    return diag->errors == errors_before;
}

bool variant_load_file(const char *path, const char *const *sets, size_t set_count, struct variant *out,
                       struct diag *diag)
{
    struct strbuf text = {0};
    bool ok = input_read(path, VARIANT_FILE_MAX, &text, diag) &&
              variant_load_text(path, &text, sets, set_count, out, diag);
    sb_free(&text);
    return ok;
}
