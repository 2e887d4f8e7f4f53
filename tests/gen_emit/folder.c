/* SPDX-License-Identifier: Apache-2.0
 *
 * The output folder as programs read it: YAML and JSON that parse, and leaf
 * modules that are there for every variant.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "gen/base/input.h"
#include "gen/emit/array.h"
#include "gen/emit/emit.h"
#include "gen/emit/leaf.h"
#include "gen/version.h"
#include "tests/gen_base/scratch.h"

TestSuite(folder, .init = scratch_enter, .fini = scratch_leave);

static struct variant load(const char *name)
{
    struct variant variant;
    struct diag diag = {0};
    cr_assert(variant_load_named(name, NULL, 0, &variant, &diag), "%s", sb_text(&diag.text));
    return variant;
}

static void emit(const char *name)
{
    struct variant variant = load(name);
    struct diag diag = {0};
    cr_assert(emit_variant(&variant, "out", &diag), "%s", sb_text(&diag.text));
}

static struct strbuf read(const char *path)
{
    struct strbuf text = {0};
    struct diag diag = {0};
    cr_assert(input_read(path, 1 << 20, &text, &diag), "%s", sb_text(&diag.text));
    return text;
}

static void parse(const char *path, yaml_document_t *document)
{
    struct strbuf text = read(path);
    yaml_parser_t parser;
    cr_assert(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)sb_text(&text), text.len);
    cr_assert(yaml_parser_load(&parser, document), "%s: %s in line %zu", path, parser.problem,
              parser.problem_mark.line + 1);
    yaml_parser_delete(&parser);
    sb_free(&text);
}

static bool is_scalar(const yaml_node_t *node, const char *value)
{
    return node && node->type == YAML_SCALAR_NODE && !strcmp((const char *)node->data.scalar.value, value);
}

/* The value of `key` in a mapping. */
static yaml_node_t *member(yaml_document_t *document, const yaml_node_t *mapping, const char *key)
{
    cr_assert(mapping && mapping->type == YAML_MAPPING_NODE);
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
         pair++)
        if (is_scalar(yaml_document_get_node(document, pair->key), key))
            return yaml_document_get_node(document, pair->value);
    return NULL;
}

static size_t length(const yaml_node_t *sequence)
{
    cr_assert(sequence && sequence->type == YAML_SEQUENCE_NODE);
    return (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

Test(folder, fusesoc_core)
{
    yaml_document_t document;
    emit("tiny");
    parse("out/tulle.core", &document);
    yaml_node_t *root = yaml_document_get_root_node(&document);
    cr_expect(member(&document, root, "CAPI=2"));
    yaml_node_t *name = member(&document, root, "name");
    cr_expect(name && !strncmp((const char *)name->data.scalar.value, "tulle:array:tiny:", 17));
    static const char *const filesets[] = {"rtl", "tb"};
    for (size_t i = 0; i < 2; i++) {
        yaml_node_t *set = member(&document, member(&document, root, "filesets"), filesets[i]);
        cr_expect(length(member(&document, set, "files")) > 0, "fileset %s is empty", filesets[i]);
    }
    static const char *const targets[] = {"default", "lint", "sim"};
    for (size_t i = 0; i < 3; i++) {
        yaml_node_t *target = member(&document, member(&document, root, "targets"), targets[i]);
        cr_expect(length(member(&document, target, "filesets")) == (i < 2 ? 1 : 2));
        cr_expect(member(&document, target, "toplevel"));
    }
    yaml_document_delete(&document);
}

Test(folder, json)
{
    yaml_document_t document;
    char hash[17];
    struct variant variant = load("odd");
    emit("odd");
    parse("out/variant.json", &document);
    yaml_node_t *root = yaml_document_get_root_node(&document);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)variant_hash(&variant, TULLE_ISA_VERSION));
    cr_expect(is_scalar(member(&document, root, "name"), "odd"));
    cr_expect(is_scalar(member(&document, root, "isa_version"), TULLE_ISA_VERSION));
    cr_expect(is_scalar(member(&document, root, "hash"), hash));
    cr_expect(is_scalar(member(&document, member(&document, root, "parameters"), "n"), "3"));
    cr_expect(is_scalar(member(&document, member(&document, root, "derived"), "pes"), "30"));
    yaml_document_delete(&document);
}

static bool is_leaf(const char *name)
{
    for (size_t i = 0; i < leaf_source_count; i++)
        if (!strcmp(leaf_sources[i].name, name))
            return true;
    return false;
}

Test(folder, leaf_modules_of_random_variants_exist)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct variant variant;
        variant_random(seed, &variant);
        for (const char *const *name = array_leaf_modules(&variant); *name; name++)
            cr_expect(is_leaf(*name), "seed %d: there is no module %s", (int)seed, *name);
    }
}

Test(folder, a_failure_leaves_no_folder)
{
    struct variant variant = load("base");
    struct diag diag = {0};
    scratch_limit_files(4096);
    cr_expect_not(emit_variant(&variant, "out", &diag));
    cr_expect_str_empty(scratch_list("."));
    cr_expect(strstr(sb_text(&diag.text), "cannot write: File too large"), "%s", sb_text(&diag.text));
    diag_free(&diag);
}
