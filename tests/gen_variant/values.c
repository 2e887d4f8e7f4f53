/* SPDX-License-Identifier: Apache-2.0
 *
 * Overrides, derived values, the hash, and what is written: YAML and JSON.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_variant/support.h"

Test(values, overrides_replace_the_file)
{
    struct variant v;
    struct diag diag = {0};
    cr_assert(BASE_WITH(&v, &diag, "name=mine", "n=4", "balance=none", "functions=max,relu", "counters=off"));
    cr_expect_str_eq(v.name, "mine");
    cr_expect(v.n == 4 && v.m == 2 && v.balance == VARIANT_BALANCE_NONE && v.counters == 0);
    cr_expect_eq(v.functions, 1u << VARIANT_RELU | 1u << VARIANT_MAX);
    cr_assert(BASE_WITH(&v, &diag, "functions="));
    cr_expect_eq(v.functions, 0);
}

Test(values, yaml_may_be_written_in_any_of_its_flat_ways)
{
    struct variant base, v;
    struct diag diag = {0};
    struct strbuf text = {0}, other = {0};
    cr_assert(BASE_WITH(&base, &diag, "functions=max,relu"));
    variant_write_yaml(&base, &text);
    char *functions = strstr(sb_text(&text), "functions: [relu, max]");
    cr_assert(functions);
    *functions = '\0';
    sb_addf(&other, "%%YAML 1.1\n---\n%s\"functions\":\n  - max # any order\n  - 'relu'\n", sb_text(&text));
    sb_add(&other, strchr(functions + 1, '\n'));
    sb_add(&other, "...\n");
    cr_expect(variant_load_text("x", &other, NULL, 0, &v, &diag), "%s", sb_text(&diag.text));
    cr_expect(same_variant(&base, &v));
    sb_free(&text);
    sb_free(&other);
}

static void expect_derived(const char *name, const char *expected)
{
    struct variant v;
    struct variant_derived derived;
    struct diag diag = {0};
    struct strbuf text = {0};
    cr_assert(variant_load(name, NULL, 0, &v, &diag));
    variant_derive(&v, &derived);
    for (size_t i = 0; i < variant_derived_count; i++)
        sb_addf(&text, "%s=%u ", variant_derived_fields[i].name,
                variant_derived_get(&derived, &variant_derived_fields[i]));
    cr_expect_str_eq(sb_text(&text), expected);
    sb_free(&text);
}

Test(values, derived_values_of_named_variants)
{
    expect_derived(
        "base", "pes=32 pes_per_row=16 data_bytes=1 acc_bytes=4 entry_bits=16 gap_max=126 "
                "entries_per_beat=2 weight_beat_bytes=32 weight_beat_bus_beats=1 words_per_beat=1 "
                "beats_per_word=1 weight_words=256 segment_queue_depth=64 pace_words=255 pace_segments=62 "
                "bus_bytes=32 memory_bytes=64 collector_bytes=16 store_lanes=4 store_takes=1 input_lines=512 "
                "unit_lines=2048 unit_half_lines=1024 local_words=0 function_count=4 row_id_width=1 "
                "cluster_id_width=1 pe_id_width=3 input_addr_width=12 "
                "input_line_addr_width=9 activation_queue_addr_width=6 "
                "weight_queue_addr_width=9 result_queue_addr_width=4 "
                "segment_count_width=9 load_queue_addr_width=3 "
                "output_queue_addr_width=6 issue_queue_addr_width=2 buffer_id_width=3 "
                "instruction_addr_width=4 register_addr_width=6 unit_addr_width=11 "
                "read_id_width=5 program_addr_width=6 command_queue_addr_width=2 "
                "token_width=4 local_addr_width=1 ");
    expect_derived(
        "odd", "pes=30 pes_per_row=10 data_bytes=1 acc_bytes=4 entry_bits=16 gap_max=126 "
               "entries_per_beat=1 weight_beat_bytes=10 weight_beat_bus_beats=1 words_per_beat=1 "
               "beats_per_word=2 weight_words=128 segment_queue_depth=64 pace_words=127 pace_segments=62 "
               "bus_bytes=16 memory_bytes=16 collector_bytes=16 store_lanes=4 store_takes=1 input_lines=256 "
               "unit_lines=512 unit_half_lines=256 local_words=0 function_count=4 row_id_width=2 "
               "cluster_id_width=1 pe_id_width=3 input_addr_width=10 "
               "input_line_addr_width=8 activation_queue_addr_width=5 "
               "weight_queue_addr_width=8 result_queue_addr_width=3 "
               "segment_count_width=7 load_queue_addr_width=3 "
               "output_queue_addr_width=5 issue_queue_addr_width=2 buffer_id_width=3 "
               "instruction_addr_width=4 register_addr_width=5 unit_addr_width=9 "
               "read_id_width=4 program_addr_width=5 command_queue_addr_width=2 "
               "token_width=4 local_addr_width=1 ");
}

Test(values, derived_values_at_the_edges)
{
    struct variant v;
    struct variant_derived d;
    struct diag diag = {0};
    /* A weight beat of 16 entries of 26 bits is wider than a bus beat. */
    cr_assert(
        BASE_WITH(&v, &diag, "k=16", "data_width=16", "acc_width=41", "index_width=10", "n=16", "m=16"));
    variant_derive(&v, &d);
    cr_expect_eq(d.pes, 4096);
    cr_expect(d.data_bytes == 2 && d.acc_bytes == 6 && d.entry_bits == 26);
    cr_expect(d.entries_per_beat == 1 && d.weight_beat_bytes == 52 && d.weight_beat_bus_beats == 2);
    cr_expect_eq(d.input_lines, 1024);
    /* Lanes: 32 bits of a collector each, within a beat of memory and the groups of PEs. */
    const struct {
        const char *collector, *memory, *k;
        unsigned lanes;
    } lanes[] = {{"collector_width=128", "memory_width=512", "k=8", 4},
                 {"collector_width=256", "memory_width=512", "k=8", 8},
                 {"collector_width=512", "memory_width=512", "k=8", 8},
                 {"collector_width=512", "memory_width=512", "k=9", 16},
                 {"collector_width=256", "memory_width=128", "k=8", 4},
                 {"collector_width=512", "memory_width=64", "k=8", 4},
                 {"collector_width=512", "memory_width=512", "k=2", 2}};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        cr_assert(BASE_WITH(&v, &diag, lanes[i].collector, lanes[i].memory, lanes[i].k));
        variant_derive(&v, &d);
        cr_expect_eq(d.store_lanes, lanes[i].lanes, "%s %s %s", lanes[i].collector, lanes[i].memory,
                     lanes[i].k);
    }
    cr_assert(BASE_WITH(&v, &diag, "n=1", "m=1", "k=1", "balance=none", "memory_width=256",
                        "instruction_buffers=1", "instruction_depth=1", "outstanding_reads=1"));
    variant_derive(&v, &d);
    cr_expect(d.row_id_width == 1 && d.cluster_id_width == 1 && d.pe_id_width == 1);
    cr_expect(d.buffer_id_width == 1 && d.instruction_addr_width == 1 && d.read_id_width == 1);
}

Test(values, widths_hold_their_values)
{
    cr_expect(variant_bits_for(1) == 1 && variant_bits_for(2) == 1 && variant_bits_for(3) == 2);
    cr_expect(variant_bits_for(4) == 2 && variant_bits_for(5) == 3 && variant_bits_for(65536) == 16);
    cr_expect(variant_bits_for(65537) == 17 && variant_bits_for(0xFFFFFFFF) == 32);
}

Test(values, the_hash_is_over_the_documented_text)
{
    struct variant v;
    struct diag diag = {0};
    struct strbuf text = {0};
    cr_assert(variant_load("tiny", NULL, 0, &v, &diag));
    variant_write_canonical(&v, "1.0", &text);
    cr_expect_str_eq(sb_text(&text),
                     "name=tiny\nn=2\nm=2\nk=2\ndata_width=8\nacc_width=32\nindex_width=8\nscan=2\n"
                     "input_buffer_depth=1024\nload_width=8\nactivation_queue_depth=16\n"
                     "scatter=on\nweight_queue_depth=128\nsegment_max=64\nload_queue_depth=4\n"
                     "output_queue_depth=16\nissue_queue_depth=2\ninstruction_buffers=8\n"
                     "instruction_depth=16\nregister_file_entries=32\nbalance=none\n"
                     "functions=relu,requantise\nrow_bus_width=64\nmemory_width=64\nmemory_ports=1\n"
                     "outstanding_reads=32\nunit_bytes=16384\ncollector_width=128\nresult_queue_depth=4\n"
                     "program_buffer=16\ncommand_queue_depth=2\ntokens=8\ncounters=on\nisa_version=1.0\n");
    cr_expect_eq(variant_hash(&v, "1.0"), 0x3EA2070DCE54D79A);
    cr_expect_neq(variant_hash(&v, "1.1"), 0x3EA2070DCE54D79A);
    sb_free(&text);
}

Test(values, every_key_changes_the_hash)
{
    for (size_t i = 0; i < variant_key_count; i++) {
        struct variant v;
        struct diag diag = {0};
        cr_assert(BASE_WITH(&v, &diag, NULL));
        uint64_t before = variant_hash(&v, "1.0");
        if (variant_keys[i].kind == KEY_IDENTIFIER)
            v.name[0] = 'x';
        else if (variant_keys[i].kind == KEY_WORD)
            variant_set(&v, &variant_keys[i], !variant_get(&v, &variant_keys[i]));
        else
            variant_set(&v, &variant_keys[i], variant_get(&v, &variant_keys[i]) ^ 1);
        cr_expect_neq(variant_hash(&v, "1.0"), before, "%s", variant_keys[i].name);
    }
}

Test(values, an_optional_key_may_be_left_out_and_is_written_only_when_it_is_on)
{
    struct variant v, again;
    struct diag diag = {0};
    struct strbuf off = {0}, on = {0};
    cr_assert(BASE_WITH(&v, &diag, "host_port=off"));
    variant_write_yaml(&v, &off);
    cr_expect_not(strstr(sb_text(&off), "host_port"));
    cr_assert(BASE_WITH(&again, &diag, NULL));
    cr_expect_eq(variant_hash(&v, "1.0"), variant_hash(&again, "1.0"));
    cr_assert(BASE_WITH(&v, &diag, "host_port=on"));
    variant_write_yaml(&v, &on);
    cr_expect(strstr(sb_text(&on), "\nhost_port: on "));
    cr_expect(variant_load_text("x", &on, NULL, 0, &again, &diag), "%s", sb_text(&diag.text));
    cr_expect(same_variant(&v, &again));
    sb_free(&on);
    variant_write_json(&v, "1.0", &on);
    cr_expect(strstr(sb_text(&on), "\"host_port\": \"on\"\n  },"));
    sb_free(&off);
    sb_free(&on);
}

Test(values, json_is_complete)
{
    struct variant v;
    struct diag diag = {0};
    struct strbuf json = {0}, golden = text_of("tests/gen_variant/tiny.json");
    cr_assert(variant_load("tiny", NULL, 0, &v, &diag));
    variant_write_json(&v, "1.0", &json);
    cr_expect_str_eq(sb_text(&json), sb_text(&golden));
    sb_free(&json);
    cr_assert(BASE_WITH(&v, &diag, "functions="));
    variant_write_json(&v, "1.0", &json);
    cr_expect(strstr(sb_text(&json), "\"functions\": [],\n"));
    sb_free(&json);
    sb_free(&golden);
}
