/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in variants, and that what is written about keys is up to date.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "gen/isa/table.h"
#include "tests/gen_variant/support.h"

Test(named, every_file_is_built_in_legal_and_named_like_its_file)
{
    glob_t files;
    cr_assert(glob("gen/variants/*.yaml", 0, NULL, &files) == 0 && files.gl_pathc >= 5);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *name = variant_named(i);
        char path[256];
        struct variant built_in, from_file;
        struct diag diag = {0};
        cr_assert(name, "%s is not built in", files.gl_pathv[i]);
        snprintf(path, sizeof path, "gen/variants/%s.yaml", name);
        cr_expect_str_eq(path, files.gl_pathv[i]);
        cr_assert(variant_load(name, NULL, 0, &built_in, &diag), "%s", sb_text(&diag.text));
        cr_assert(variant_load(path, NULL, 0, &from_file, &diag), "%s", sb_text(&diag.text));
        cr_expect(same_variant(&built_in, &from_file));
        cr_expect_str_eq(built_in.name, name);
    }
    cr_expect_null(variant_named(files.gl_pathc));
    globfree(&files);
}

Test(named, they_have_the_shapes_that_measurements_name)
{
    static const struct {
        const char *name;
        unsigned n, m, k, scan, row_bus_width, memory_width;
    } cases[] = {{"tiny", 2, 2, 2, 2, 64, 64},      {"base", 2, 2, 8, 2, 256, 512},
                 {"base4", 2, 2, 8, 4, 256, 512},   {"deep", 2, 2, 8, 2, 256, 512},
                 {"wide", 4, 4, 8, 2, 256, 512},    {"odd", 3, 2, 5, 2, 128, 128},
                 {"networks", 2, 2, 8, 2, 256, 512}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct variant v;
        struct diag diag = {0};
        cr_assert(variant_load(cases[i].name, NULL, 0, &v, &diag));
        cr_expect(v.n == cases[i].n && v.m == cases[i].m && v.k == cases[i].k && v.scan == cases[i].scan &&
                      v.row_bus_width == cases[i].row_bus_width && v.memory_width == cases[i].memory_width,
                  "%s", cases[i].name);
    }
}

Test(named, networks_is_base_with_what_they_need)
{
    struct variant base, networks;
    struct diag diag = {0};
    cr_assert(variant_load("networks", NULL, 0, &networks, &diag));
    cr_assert(BASE_WITH(&base, &diag, "name=networks", "functions=relu,leaky_relu,clamp,requantise,max",
                        "collector_width=256", "zero_points=on", "channel_groups=512", "roundings=on",
                        "lookup=on", "joins=on", "softmax=1024", "local_bytes=131072", "plain_weights=on",
                        "packed_programs=on"));
    cr_expect(same_variant(&base, &networks));
}

Test(named, graph_is_deep_with_a_wide_x_and_packed_programs)
{
    struct variant deep, graph;
    struct diag diag = {0};
    cr_assert(variant_load("graph", NULL, 0, &graph, &diag));
    cr_assert(variant_load("deep",
                           (const char *const[]){"name=graph", "input_buffer_depth=65536",
                                                 "unit_bytes=262144", "long_jumps=on", "packed_programs=on"},
                           5, &deep, &diag));
    cr_expect(same_variant(&deep, &graph));
}

Test(named, base4_is_base_with_scan_4)
{
    struct variant base, base4;
    struct diag diag = {0};
    cr_assert(variant_load("base4", NULL, 0, &base4, &diag));
    cr_assert(BASE_WITH(&base, &diag, "scan=4", "name=base4"));
    cr_expect(same_variant(&base, &base4));
}

Test(named, deep_is_base_with_wider_ways)
{
    struct variant base, deep;
    struct diag diag = {0};
    cr_assert(variant_load("deep", NULL, 0, &deep, &diag));
    cr_assert(BASE_WITH(&base, &diag, "input_buffer_depth=8192", "load_width=32", "collector_width=256",
                        "functions=relu,leaky_relu,clamp,requantise,sum,max,average", "name=deep"));
    cr_expect(same_variant(&base, &deep));
}

Test(named, their_comments_are_those_of_the_key_table)
{
    for (size_t i = 0; variant_named(i); i++) {
        char path[256];
        struct variant v;
        struct diag diag = {0};
        struct strbuf written = {0};
        snprintf(path, sizeof path, "gen/variants/%s.yaml", variant_named(i));
        struct strbuf file = text_of(path);
        cr_assert(variant_load_file(path, NULL, 0, &v, &diag));
        variant_write_yaml(&v, &written);
        /* Each has its own first paragraph. */
        cr_expect_str_eq(strstr(sb_text(&file), "\n\n"), strstr(sb_text(&written), "\n\n"), "%s", path);
        sb_free(&file);
        sb_free(&written);
    }
}

Test(named, the_document_is_what_list_keys_prints)
{
    struct strbuf listed = {0}, document = text_of("docs/variants.md");
    variant_list_keys(&listed);
    cr_expect_str_eq(sb_text(&listed), sb_text(&document),
                     "docs/variants.md is out of date: run make regenerate");
    for (size_t i = 0; i < variant_key_count; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "\n- `%s`: ", variant_keys[i].name);
        cr_expect(strstr(sb_text(&listed), heading), "%s", variant_keys[i].name);
    }
    sb_free(&listed);
    sb_free(&document);
}

Test(named, functions_are_in_the_order_of_their_codes)
{
    const struct variant_key *functions = variant_key_find("functions");
    for (size_t i = 0; i < functions->count; i++) {
        cr_expect_str_eq(isa_function_values[i + 1].name, functions->words[i]);
        cr_expect_eq(isa_function_values[i + 1].value, i + 1);
    }
    /* What the store engine alone has is a key of its own. */
    cr_expect_str_eq(isa_function_values[functions->count + 1].name, "lookup");
    cr_expect_null(isa_function_values[functions->count + 2].name);
}

Test(named, an_unknown_name_lists_the_known_ones)
{
    struct variant v;
    struct diag diag = {0};
    cr_expect(!variant_load("wdie", NULL, 0, &v, &diag));
    expect_messages(&diag,
                    "error: no variant is named \"wdie\"; did you mean \"wide\"?; there are base, base4, "
                    "deep, graph, networks, odd, tiny, "
                    "wide; a file is given by a path with a / in it, or that ends in .yaml or .yml\n",
                    "wdie");
    cr_expect(!variant_load("", NULL, 0, &v, &diag));
    expect_messages(
        &diag,
        "error: no variant is named \"\"; there are base, base4, deep, graph, networks, odd, tiny, "
        "wide; a file is given by a "
        "path with a / in it, or that ends in .yaml or .yml\n",
        "empty");
}

Test(named, an_argument_with_a_slash_or_yaml_at_its_end_is_a_path)
{
    static const char *const cases[][2] = {
        {"base.yaml", "base.yaml: error: cannot open: No such file or directory\n"},
        {"base.yml", "base.yml: error: cannot open: No such file or directory\n"},
        {"no/base", "no/base: error: cannot open: No such file or directory\n"},
        {"gen/", "gen/: error: cannot read: Is a directory\n"},
        {"gen/variants/", "gen/variants/: error: cannot read: Is a directory\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct variant v;
        struct diag diag = {0};
        cr_expect(!variant_load(cases[i][0], NULL, 0, &v, &diag));
        expect_messages(&diag, cases[i][1], cases[i][0]);
    }
}
