/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the subset of YAML that a variant file may use, from the events of libyaml: one document with one
 * flat mapping of scalars and lists of scalars. An error names any other feature of YAML at its place. The
 * reader then steps over it and goes on.
 */
#include <string.h>
#include <yaml.h>

#include "gen/variant/load.h"

struct reader {
    struct loader *loader;
    const char *label;
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
};

/* Deeper nesting than this is no variant file, and not worth stepping over. */
enum { SKIP_DEPTH_MAX = 16 };

static struct place place_at(const struct reader *reader, yaml_mark_t mark)
{
    return (struct place){reader->label, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

static struct place here(const struct reader *reader)
{
    return place_at(reader, reader->event.start_mark);
}

static struct place place_of_byte(const char *label, const struct strbuf *text, size_t offset)
{
    struct place at = {label, 1, 1};
    for (size_t i = 0; i < offset && i < text->len; i++) {
        if (text->text[i] == '\n') {
            at.line++;
            at.column = 1;
        } else if ((text->text[i] & 0xC0) != 0x80) {
            at.column++; /* columns count characters, as libyaml's do */
        }
    }
    return at;
}

/* False, with an error, for what is no text at all: libyaml would say less about it. */
static bool check_is_text(const struct reader *reader, const struct strbuf *text)
{
    const char *bytes = sb_text(text);
    for (size_t i = 0, len; i < text->len; i += len) {
        unsigned byte = (unsigned char)bytes[i];
        len = sb_utf8_length(bytes + i);
        bool control = (byte < 0x20 && !strchr("\t\n\r", (int)byte)) || byte == 0 || byte == 0x7F;
        if (len && !control)
            continue;
        diag_error(reader->loader->diag, place_of_byte(reader->label, text, i),
                   "byte 0x%02x is not text in UTF-8: a variant file is YAML text", byte);
        return false;
    }
    return true;
}

static void report_syntax(struct reader *reader, const struct strbuf *text)
{
    const yaml_parser_t *parser = &reader->parser;
    struct diag *diag = reader->loader->diag;
    const char *problem = parser->problem ? parser->problem : "out of memory";
    if (parser->error == YAML_READER_ERROR)
        diag_error(diag, place_of_byte(reader->label, text, parser->problem_offset), "not YAML: %s", problem);
    else if (parser->context)
        diag_error(diag, place_at(reader, parser->problem_mark), "not YAML: %s, %s that starts in line %zu",
                   problem, parser->context, parser->context_mark.line + 1);
    else
        diag_error(diag, place_at(reader, parser->problem_mark), "not YAML: %s", problem);
}

static bool next(struct reader *reader)
{
    yaml_event_delete(&reader->event);
    return yaml_parser_parse(&reader->parser, &reader->event) != 0;
}

/* Past the start of the stream, or the end of the document. */
static bool next_but_one(struct reader *reader)
{
    if (!next(reader))
        return false;
    return next(reader);
}

static bool is_start(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
}

static bool is_end(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
}

/* Steps over the current node, up to its last event. */
static bool skip(struct reader *reader)
{
    int depth = is_start(&reader->event);
    while (depth > 0) {
        if (!next(reader))
            return false;
        depth += is_start(&reader->event) - is_end(&reader->event);
        if (depth > SKIP_DEPTH_MAX) {
            diag_error(reader->loader->diag, here(reader), "nested too deeply: the rest is not read");
            return false;
        }
    }
    return true;
}

static bool is_null(const yaml_event_t *event)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (!strcmp((const char *)event->data.scalar.value, nulls[i]))
            return true;
    return false;
}

/* What YAML has and variant files do not: the name of it, or NULL. */
static const char *unsupported(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return "an alias (*)";
    case YAML_SCALAR_EVENT:
        if (strlen((const char *)event->data.scalar.value) != event->data.scalar.length)
            return "a zero byte (\\0)";
        return event->data.scalar.anchor ? "an anchor (&)" : event->data.scalar.tag ? "a tag (!)" : NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor ? "an anchor (&)"
               : event->data.sequence_start.tag  ? "a tag (!)"
                                                 : NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor ? "an anchor (&)"
               : event->data.mapping_start.tag  ? "a tag (!)"
                                                : NULL;
    default:
        return NULL;
    }
}

/* `key` is the one whose value this is, or NULL. */
static bool refuse_unsupported(const struct reader *reader, const struct variant_key *key)
{
    const char *what = unsupported(&reader->event);
    struct diag *diag = reader->loader->diag;
    if (what && key)
        diag_error(diag, here(reader), "key \"%s\": %s has no place in a variant file", key->name, what);
    else if (what)
        diag_error(diag, here(reader), "%s has no place in a variant file", what);
    return what != NULL;
}

/* A value that is not of the key's shape: says which shape it has. */
static void refuse_shape(const struct reader *reader, const struct variant_key *key, const char *found)
{
    struct strbuf allowed = {0};
    variant_key_allowed(key, &allowed);
    diag_error(reader->loader->diag, here(reader), "key \"%s\": %s is not allowed: %s", key->name, found,
               sb_text(&allowed));
    sb_free(&allowed);
}

static bool parse_scalar(const struct reader *reader, const struct variant_key *key)
{
    if (refuse_unsupported(reader, key))
        return false;
    if (is_null(&reader->event)) {
        refuse_shape(reader, key, "no value");
        return false;
    }
    return variant_key_parse(key, (const char *)reader->event.data.scalar.value, here(reader),
                             reader->loader->out, reader->loader->diag);
}

/* The items of a list, up to its end. *good only becomes false. */
static bool read_items(struct reader *reader, const struct variant_key *key, bool *good)
{
    while (next(reader)) {
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        if (reader->event.type == YAML_SCALAR_EVENT) {
            *good &= parse_scalar(reader, key);
            continue;
        }
        *good = false;
        if (!refuse_unsupported(reader, key))
            refuse_shape(reader, key, "a list or mapping inside the list");
        if (!skip(reader))
            return false;
    }
    return false;
}

static bool read_value(struct reader *reader, const struct variant_key *key)
{
    struct key_state *state = loader_state(reader->loader, key);
    bool list = key->kind == KEY_WORD_LIST;
    *state = (struct key_state){.given = true, .at = here(reader)};
    if (reader->event.type == YAML_SCALAR_EVENT && (!list || unsupported(&reader->event))) {
        state->good = parse_scalar(reader, key);
        return true;
    }
    if (refuse_unsupported(reader, key))
        return skip(reader);
    if (reader->event.type == YAML_SEQUENCE_START_EVENT && list) {
        state->good = true;
        return read_items(reader, key, &state->good);
    }
    refuse_shape(reader, key,
                 reader->event.type == YAML_SCALAR_EVENT           ? "a single value"
                 : reader->event.type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                                   : "a mapping");
    return skip(reader);
}

/* The key of the current event if its value is to be read, else NULL with an error. */
static const struct variant_key *key_of_event(struct reader *reader)
{
    struct diag *diag = reader->loader->diag;
    if (refuse_unsupported(reader, NULL))
        return NULL;
    if (reader->event.type != YAML_SCALAR_EVENT) {
        diag_error(diag, here(reader), "a key must be a single word");
        return NULL;
    }
    const char *name = (const char *)reader->event.data.scalar.value;
    if (!strcmp(name, "<<")) {
        diag_error(diag, here(reader), "a merge key (<<) has no place in a variant file");
        return NULL;
    }
    const struct variant_key *key = loader_find(reader->loader, name, here(reader));
    const struct key_state *state = key ? loader_state(reader->loader, key) : NULL;
    if (state && state->given) {
        diag_error(diag, here(reader), "key \"%s\" is given twice; the first is in line %u", name,
                   state->at.line);
        return NULL;
    }
    return key;
}

/* The pairs of the mapping, up to its end. */
static bool read_pairs(struct reader *reader)
{
    while (next(reader)) {
        if (reader->event.type == YAML_MAPPING_END_EVENT)
            return true;
        const struct variant_key *key = key_of_event(reader);
        if (!skip(reader) || !next(reader))
            return false;
        if (!(key ? read_value(reader, key) : skip(reader)))
            return false;
    }
    return false;
}

static bool read_document(struct reader *reader)
{
    struct diag *diag = reader->loader->diag;
    if (!next_but_one(reader))
        return false;
    if (reader->event.type == YAML_STREAM_END_EVENT) {
        diag_error(diag, (struct place){.file = reader->label},
                   "empty: expected lines of the form key: value");
        return false;
    }
    if (reader->event.data.document_start.tag_directives.start !=
        reader->event.data.document_start.tag_directives.end)
        diag_error(diag, here(reader), "a tag directive (%%TAG) has no place in a variant file");
    if (!next(reader))
        return false;
    refuse_unsupported(reader, NULL);
    if (reader->event.type != YAML_MAPPING_START_EVENT) {
        diag_error(diag, here(reader), "expected lines of the form key: value");
        return false;
    }
    if (!read_pairs(reader) || !next_but_one(reader))
        return false;
    if (reader->event.type != YAML_STREAM_END_EVENT)
        diag_error(diag, here(reader), "a second document has no place in a variant file");
    return true;
}

bool variant_read_yaml(struct loader *loader, const char *label, const struct strbuf *text)
{
    struct reader reader = {.loader = loader, .label = label};
    if (!check_is_text(&reader, text))
        return false;
    if (!yaml_parser_initialize(&reader.parser)) {
        diag_error(loader->diag, (struct place){.file = label}, "out of memory");
        return false;
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)sb_text(text), text->len);
    bool whole = read_document(&reader);
    if (reader.parser.error != YAML_NO_ERROR)
        report_syntax(&reader, text);
    yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    return whole;
}
