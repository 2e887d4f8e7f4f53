/* SPDX-License-Identifier: Apache-2.0 */
#include "host/container/manifest.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "gen/variant/keys.h"
#include "gen/version.h"

#define LIST_MAX 64 /* words in a list of the variant */

static const char *const kind_names[CONTAINER_KINDS] = {[CONTAINER_MODEL] = "model",
                                                        [CONTAINER_VERILATED] = "verilated",
                                                        [CONTAINER_VENDOR] = "vendor",
                                                        [CONTAINER_BITSTREAM] = "bitstream"};

const char *container_kind_name(enum container_kind kind)
{
    return kind_names[kind];
}

enum container_kind container_kind_named(const char *name)
{
    unsigned kind = 0;
    while (kind < CONTAINER_KINDS && strcmp(kind_names[kind], name) != 0)
        kind++;
    return (enum container_kind)kind;
}

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool manifest_word(const char *text)
{
    size_t length = strlen(text);
    if (!length || length > CONTAINER_WORD_MAX || !is_alphanumeric(*text))
        return false;
    for (; *text; text++)
        if (!is_alphanumeric(*text) && !strchr("._+-", *text))
            return false;
    return true;
}

bool container_word_set(container_word word, const char *text)
{
    if (!manifest_word(text))
        return false;
    memcpy(word, text, strlen(text) + 1);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool refuse(struct strbuf *why, const char *key, const char *what)
{
    sb_addf(why, "manifest: %s %s", key, what);
    return false;
}

/* Exactly these keys, NULL at the end; `of` names the object. */
static bool check_keys(const json_t *object, const char *of, const char *const *keys, struct strbuf *why)
{
    size_t count = 0;
    if (!json_is_object(object))
        return refuse(why, of, "is not an object");
    for (; keys[count]; count++)
        if (!json_object_get(object, keys[count])) {
            sb_addf(why, "manifest: %s has no \"%s\"", of, keys[count]);
            return false;
        }
    if (json_object_size(object) != count)
        return refuse(why, of, "has keys that this format does not have");
    return true;
}

static bool take_word(const json_t *value, const char *key, container_word to, struct strbuf *why)
{
    const char *text = json_string_value(value);
    if (!text || !container_word_set(to, text))
        return refuse(why, key, "is not a word: letters, digits and ._+-, 63 at most");
    return true;
}

/* Lower-case digits, exactly so many. */
static bool take_hex(const json_t *value, const char *key, uint8_t *to, size_t bytes, struct strbuf *why)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 2 * bytes || strspn(text, "0123456789abcdef") != 2 * bytes)
        return refuse(why, key, "is not the hexadecimal number that it should be");
    for (size_t i = 0; i < bytes; i++) {
        const char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        to[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static bool add_list(const json_t *list, struct strbuf *yaml)
{
    if (json_array_size(list) > LIST_MAX)
        return false;
    sb_add(yaml, "[");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || !manifest_word(word))
            return false;
        sb_addf(yaml, "%s%s", i ? ", " : "", word);
    }
    sb_add(yaml, "]");
    return true;
}

static bool add_value(const json_t *value, struct strbuf *yaml)
{
    const char *word = json_string_value(value);
    if (json_is_array(value))
        return add_list(value, yaml);
    if (json_is_integer(value))
        sb_addf(yaml, "%lld", (long long)json_integer_value(value));
    else if (word && manifest_word(word))
        sb_add(yaml, word);
    else
        return false;
    return true;
}

/* The parameters as a variant file, so that they are checked as any variant is. */
static bool add_parameters(json_t *parameters, struct strbuf *yaml, struct strbuf *why)
{
    const char *key;
    json_t *value;
    json_object_foreach(parameters, key, value)
    {
        if (!manifest_word(key))
            return refuse(why, "variant", "has a key that is no word");
        sb_addf(yaml, "%s: ", key);
        if (!add_value(value, yaml)) {
            sb_addf(why, "manifest: variant: %s is neither a number, a word nor a list of words", key);
            return false;
        }
        sb_add(yaml, "\n");
    }
    return true;
}

static bool take_variant(json_t *parameters, struct variant *variant, struct strbuf *why)
{
    struct strbuf yaml = {0};
    struct diag diag = {0};
    bool ok = json_is_object(parameters) || refuse(why, "variant", "is not an object");
    ok = ok && add_parameters(parameters, &yaml, why);
    if (ok && !sb_ok(&yaml))
        ok = refuse(why, "variant", "cannot be checked: out of memory");
    if (ok && !variant_load_text("manifest: variant", &yaml, NULL, 0, variant, &diag)) {
        sb_add(why, sb_text(&diag.text));
        ok = false;
    }
    diag_free(&diag);
    sb_free(&yaml);
    return ok;
}

static bool take_hash(const json_t *value, struct container *c, struct strbuf *why)
{
    uint8_t bytes[8];
    if (!take_hex(value, "hash", bytes, sizeof bytes, why))
        return false;
    c->hash = 0;
    for (unsigned i = 0; i < sizeof bytes; i++)
        c->hash = c->hash << 8 | bytes[i];
    uint64_t right = variant_hash(&c->variant, c->isa);
    if (right == c->hash)
        return true;
    sb_addf(why, "manifest: hash is %016llx, that of its variant and isa is %016llx",
            (unsigned long long)c->hash, (unsigned long long)right);
    return false;
}

static bool take_tools(json_t *object, struct container *c, struct strbuf *why)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object) || json_object_size(object) > CONTAINER_TOOLS_MAX)
        return refuse(why, "tools", "is not an object with at most 8 keys");
    c->tools = 0;
    json_object_foreach(object, key, value)
    {
        struct container_tool *tool = &c->tool[c->tools++];
        if (!container_word_set(tool->name, key))
            return refuse(why, "tools", "has a key that is no word");
        if (!take_word(value, "a version in tools", tool->version, why))
            return false;
    }
    return true;
}

static bool take_payload(const json_t *object, struct container *c, struct strbuf *why)
{
    static const char *const keys[] = {"bytes", "sha256", NULL};
    if (!check_keys(object, "payload", keys, why))
        return false;
    const json_t *bytes = json_object_get(object, "bytes");
    long long count = json_is_integer(bytes) ? json_integer_value(bytes) : -1;
    if (count < 0 || (unsigned long long)count > CONTAINER_PAYLOAD_MAX)
        return refuse(why, "payload.bytes", "is not a number of bytes up to 1 GiB");
    c->payload_bytes = (size_t)count;
    return take_hex(json_object_get(object, "sha256"), "payload.sha256", c->sha256, SHA256_BYTES, why);
}

static bool take_kind(const json_t *value, struct container *c, struct strbuf *why)
{
    const char *name = json_string_value(value);
    c->kind = name ? container_kind_named(name) : CONTAINER_KINDS;
    return c->kind != CONTAINER_KINDS || refuse(why, "kind", "is none that is known");
}

static bool take_all(const json_t *root, struct container *c, struct strbuf *why)
{
    static const char *const keys[] = {"kind",      "isa",   "variant", "hash", "board",
                                       "transport", "tools", "payload", NULL};
    return check_keys(root, "the manifest", keys, why) && take_kind(json_object_get(root, "kind"), c, why) &&
           take_word(json_object_get(root, "isa"), "isa", c->isa, why) &&
           take_variant(json_object_get(root, "variant"), &c->variant, why) &&
           take_hash(json_object_get(root, "hash"), c, why) &&
           take_word(json_object_get(root, "board"), "board", c->board, why) &&
           take_word(json_object_get(root, "transport"), "transport", c->transport, why) &&
           take_tools(json_object_get(root, "tools"), c, why) &&
           take_payload(json_object_get(root, "payload"), c, why);
}

bool manifest_read(const char *text, size_t length, struct container *c, struct strbuf *why)
{
    json_error_t error = {.text = ""};
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        sb_addf(why, "manifest: line %d: %s", error.line, *error.text ? error.text : "out of memory");
        return false;
    }
    bool ok = take_all(root, c, why);
    json_decref(root);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

static json_t *variant_object(const struct variant *variant)
{
    struct strbuf text = {0};
    variant_write_json(variant, TULLE_ISA_VERSION, &text);
    json_t *all = sb_ok(&text) ? json_loadb(text.text, text.len, 0, NULL) : NULL;
    json_t *parameters = json_incref(json_object_get(all, "parameters"));
    json_decref(all);
    sb_free(&text);
    return parameters;
}

static json_t *tools_object(const struct container *c)
{
    json_t *object = json_object();
    for (unsigned i = 0; object && i < c->tools; i++)
        if (json_object_set_new(object, c->tool[i].name, json_string(c->tool[i].version)) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *root_object(const struct container *c)
{
    char hash[17], sha[2 * SHA256_BYTES + 1];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->hash);
    sha256_text(c->sha256, sha);
    /* "o" takes the references over, also when it fails. */
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:{s:I, s:s}}", "kind",
                     container_kind_name(c->kind), "isa", c->isa, "variant", variant_object(&c->variant),
                     "hash", hash, "board", c->board, "transport", c->transport, "tools", tools_object(c),
                     "payload", "bytes", (json_int_t)c->payload_bytes, "sha256", sha);
}

bool manifest_write(const struct container *c, struct strbuf *to, struct strbuf *why)
{
    json_t *root = root_object(c);
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (text) {
        sb_add(to, text);
        sb_add(to, "\n");
    }
    free(text);
    if (text && sb_ok(to))
        return true;
    sb_add(why, "out of memory");
    return false;
}
