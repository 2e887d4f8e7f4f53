/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gen/variant/keys.h"

void variant_write_canonical(const struct variant *variant, const char *isa_version, struct strbuf *to)
{
    for (size_t i = 0; i < variant_key_count; i++) {
        if (variant_key_left_out(variant, &variant_keys[i]))
            continue;
        sb_addf(to, "%s=", variant_keys[i].name);
        variant_key_value(variant, &variant_keys[i], ",", to);
        sb_add(to, "\n");
    }
    sb_addf(to, "isa_version=%s\n", isa_version);
}

static uint64_t fnv1a(const char *bytes, size_t len)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    return hash;
}

uint64_t variant_hash(const struct variant *variant, const char *isa_version)
{
    struct strbuf text = {0};
    variant_write_canonical(variant, isa_version, &text);
    uint64_t hash = fnv1a(sb_text(&text), text.len);
    sb_free(&text);
    return hash;
}

/* "1..16 rows", "one of none, neighbour, dispatch" */
static void add_allowed(const struct variant_key *key, struct strbuf *to)
{
    variant_key_allowed(key, to);
    if (key->unit)
        sb_addf(to, " %s", key->unit);
}

static void add_yaml_key(const struct variant *variant, const struct variant_key *key, struct strbuf *to)
{
    bool list = key->kind == KEY_WORD_LIST;
    if (key->section)
        sb_addf(to, "\n# --- %s ---\n", key->section);
    sb_addf(to, "# %s.\n%s: %s", key->text, key->name, list ? "[" : "");
    variant_key_value(variant, key, ", ", to);
    sb_addf(to, "%s # ", list ? "]" : "");
    add_allowed(key, to);
    sb_add(to, "\n");
}

void variant_write_yaml(const struct variant *variant, struct strbuf *to)
{
    sb_add(to,
           "# SPDX-License-Identifier: Apache-2.0\n"
           "# A variant of Tulle: every key is needed, and docs/variants.md has the rules between them.\n");
    for (size_t i = 0; i < variant_key_count; i++)
        if (!variant_key_left_out(variant, &variant_keys[i]))
            add_yaml_key(variant, &variant_keys[i], to);
}

static void add_json_value(const struct variant *variant, const struct variant_key *key, struct strbuf *to)
{
    bool list = key->kind == KEY_WORD_LIST;
    bool quoted = !variant_key_is_number(key) && (!list || variant_get(variant, key));
    sb_addf(to, "\"%s\": %s%s", key->name, list ? "[" : "", quoted ? "\"" : "");
    variant_key_value(variant, key, "\", \"", to);
    sb_addf(to, "%s%s", quoted ? "\"" : "", list ? "]" : "");
}

void variant_write_json(const struct variant *variant, const char *isa_version, struct strbuf *to)
{
    struct variant_derived derived;
    variant_derive(variant, &derived);
    sb_addf(to, "{\n  \"name\": \"%s\",\n  \"isa_version\": ", variant->name);
    sb_add_json(to, isa_version);
    sb_addf(to, ",\n  \"hash\": \"%016llx\",\n  \"parameters\": {\n",
            (unsigned long long)variant_hash(variant, isa_version));
    for (size_t i = 0; i < variant_key_count; i++) {
        if (variant_key_left_out(variant, &variant_keys[i]))
            continue;
        sb_add(to, i ? ",\n    " : "    ");
        add_json_value(variant, &variant_keys[i], to);
    }
    sb_add(to, "\n  },\n");
    sb_add(to, "  \"derived\": {\n");
    for (size_t i = 0; i < variant_derived_count; i++)
        sb_addf(to, "    \"%s\": %u%s\n", variant_derived_fields[i].name,
                variant_derived_get(&derived, &variant_derived_fields[i]),
                i + 1 < variant_derived_count ? "," : "");
    sb_add(to, "  }\n}\n");
}

static void list_key(const struct variant_key *key, struct strbuf *to)
{
    if (key->section)
        sb_addf(to, "\n### %s\n\n", key->section);
    sb_addf(to, "- `%s`: ", key->name);
    add_allowed(key, to);
    sb_addf(to, ". %s.%s\n", key->text, key->optional ? " May be left out: off." : "");
}

static void list_rule(const struct variant_rule *rule, struct strbuf *to)
{
    sb_addf(to, "- `%s`: %s.\n", rule->text, rule->why);
}

void variant_list_keys(struct strbuf *to)
{
    sb_add(
        to,
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        "# Variants\n\n"
        "This page is the reference for variant files: every key, the rules between keys, and the values "
        "that\n"
        "are derived from them. It is for hardware engineers that choose the shape and sizes of a device.\n"
        "`tulle-gen --list-keys` prints it.\n\n"
        "A variant file is YAML: one flat mapping that has every key below exactly once, and no other key.\n"
        "There are no defaults, except for keys that may be left out. The option `--set key=value`\n"
        "replaces a value; for a list, it is for example `--set functions=relu,max`.\n\n## Keys\n");
    for (size_t i = 0; i < variant_key_count; i++)
        list_key(&variant_keys[i], to);
    sb_add(to, "\n## Rules between keys\n\n");
    for (size_t i = 0; i < variant_rule_count; i++)
        list_rule(&variant_rules[i], to);
    sb_add(to,
           "\n## Derived values\n\n"
           "These values are in `variant.json` and in the generated headers. Every width is at least 1.\n\n");
    for (size_t i = 0; i < variant_derived_count; i++)
        sb_addf(to, "- `%s`: %s.\n", variant_derived_fields[i].name, variant_derived_fields[i].text);
    sb_add(
        to,
        "\n## The hash\n\n"
        "The hash identifies a variant. It is 64-bit FNV-1a over the lines `key=value` of every key in the\n"
        "order above, followed by `isa_version=major.minor`. Each line ends with a line feed. A list is\n"
        "its words joined by commas, in the order above. A key that may be left out has no line when it is\n"
        "off.\n");
}
