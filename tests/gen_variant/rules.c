/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules between keys: for each, overrides of base that just keep it and
 * overrides that break it and no other.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_variant/support.h"

struct rule_case {
    const char *rule; /* how its text begins */
    const char *kept[SETS_MOST];
    const char *broken[SETS_MOST];
};

static const struct rule_case cases[] = {
    {"n * row_bus_width >= memory_width", {"n=1", "memory_width=256"}, {"n=1", "memory_width=512"}},
    {"memory_ports <= n",
     {"n=4", "memory_width=64", "memory_ports=4"},
     {"n=3", "memory_width=64", "memory_ports=4"}},
    {"acc_width >= 2 * data_width + 4",
     {"data_width=16", "acc_width=36", "segment_max=8"},
     {"data_width=16", "acc_width=35", "segment_max=8"}},
    {"acc_width >= 2 * data_width + ceil(log2(segment_max))",
     {"acc_width=24", "segment_max=256"},
     {"acc_width=24", "segment_max=257", "weight_queue_depth=1024"}},
    {"weight_queue_depth >= 2 * segment_max",
     {"weight_queue_depth=128", "segment_max=64"},
     {"weight_queue_depth=128", "segment_max=65"}},
    {"weight_queue_depth >= 2 * floor(row_bus_width",
     {"k=2", "weight_queue_depth=16", "segment_max=8"},
     {"k=1", "balance=none", "weight_queue_depth=16", "segment_max=8"}},
    {"input_buffer_depth >= segment_max",
     {"input_buffer_depth=128", "segment_max=128"},
     {"input_buffer_depth=128", "segment_max=129"}},
    {"input_buffer_depth * data_width / 8 >= 16 * load_width",
     {"input_buffer_depth=128", "load_width=8", "segment_max=64"},
     {"input_buffer_depth=128", "load_width=16", "segment_max=64"}},
    {"row_bus_width >= 8 * load_width",
     {"row_bus_width=128", "n=4", "load_width=16"},
     {"row_bus_width=128", "n=4", "load_width=32"}},
    {"register_file_entries >= instruction_depth + 1",
     {"register_file_entries=17"},
     {"register_file_entries=16"}},
    {"unit_bytes / 2 >= 16 * row_bus_width / 8",
     {"unit_bytes=2048", "row_bus_width=512"},
     {"unit_bytes=1024", "row_bus_width=512", "memory_width=256"}},
    {"unit_bytes / 2 >= 16 * memory_width / 8", {"unit_bytes=2048"}, {"unit_bytes=1024"}},
    {"k >= 2 when balance is neighbour", {"k=1", "balance=none"}, {"k=1"}},
    {"m >= 2 when balance is dispatch", {"m=1", "balance=neighbour"}, {"m=1", "balance=dispatch"}},
    {"scalar_unit is off when decoupled_reductions is on",
     {"decoupled_reductions=on"},
     {"decoupled_reductions=on", "scalar_unit=on"}},
    {"requantise is a function when channel_groups is above 0",
     {"channel_groups=64"},
     {"channel_groups=64", "functions=relu"}},
    {"channel_groups is above 0 when lookup is on", {"lookup=on", "channel_groups=16"}, {"lookup=on"}},
    {"channel_groups is above 0 when joins is on", {"channel_groups=64", "joins=on"}, {"joins=on"}},
    {"acc_width >= 32 when joins is on",
     {"channel_groups=64", "joins=on", "acc_width=32"},
     {"channel_groups=64", "joins=on", "acc_width=31"}},
    {"k is a power of two when joins is on",
     {"channel_groups=64", "joins=on", "k=4"},
     {"channel_groups=64", "joins=on", "k=6"}},
    {"joins is on when softmax is above 0",
     {"channel_groups=64", "roundings=on", "joins=on", "softmax=64"},
     {"channel_groups=64", "roundings=on", "softmax=64"}},
    {"roundings is on when softmax is above 0",
     {"channel_groups=64", "roundings=on", "joins=on", "softmax=64"},
     {"channel_groups=64", "joins=on", "softmax=64"}},
    {"memory_ports is 1 when local_bytes is above 0",
     {"memory_width=256", "memory_ports=1", "local_bytes=1024"},
     {"memory_width=256", "memory_ports=2", "local_bytes=1024"}},
    {"data_width is 8 when plain_weights is on",
     {"plain_weights=on", "data_width=8"},
     {"plain_weights=on", "data_width=16", "acc_width=48"}},
    {"index_width is 8 when plain_weights is on",
     {"plain_weights=on", "index_width=8"},
     {"plain_weights=on", "index_width=9"}},
    {"row_bus_width >= k * (index_width + data_width) when plain_weights is on",
     {"plain_weights=on", "k=16"},
     {"plain_weights=on", "k=16", "row_bus_width=128", "memory_width=128", "load_width=8"}},
    {"plain_weights is on when bitmap_weights is on",
     {"plain_weights=on", "bitmap_weights=on"},
     {"bitmap_weights=on"}},
    {"input_buffer_depth >= 8 * entries_per_beat when bitmap_weights is on",
     {"plain_weights=on", "bitmap_weights=on", "k=2", "row_bus_width=512", "segment_max=64", "load_width=4",
      "input_buffer_depth=128"},
     {"plain_weights=on", "bitmap_weights=on", "k=2", "row_bus_width=512", "segment_max=64", "load_width=4",
      "input_buffer_depth=64"}},
    {"min(collector_width, max(memory_width, 128)) / 32 >= k when store_groups is above 1",
     {"store_groups=2", "collector_width=256"},
     {"store_groups=2", "collector_width=128"}},
    {"min(32, memory_width / 8) >= store_groups * k when store_groups is above 1",
     {"store_groups=2", "collector_width=512", "k=16", "row_bus_width=512"},
     {"store_groups=4", "collector_width=512", "k=16", "row_bus_width=512"}},
    {"result_queue_depth >= 2 * store_groups when store_groups is above 1",
     {"store_groups=4", "collector_width=256", "result_queue_depth=8"},
     {"store_groups=4", "collector_width=256", "result_queue_depth=4"}},
};

#define CASES (sizeof cases / sizeof *cases)

Test(rules, every_rule_has_a_case_and_names_known_keys)
{
    cr_expect_eq(variant_rule_count, CASES);
    for (size_t i = 0; i < CASES && i < variant_rule_count; i++) {
        cr_expect(!strncmp(variant_rules[i].text, cases[i].rule, strlen(cases[i].rule)), "%s", cases[i].rule);
        for (size_t j = 0; variant_rules[i].keys[j]; j++)
            cr_expect(variant_key_find(variant_rules[i].keys[j]), "%s", variant_rules[i].keys[j]);
    }
}

Test(rules, a_variant_that_just_keeps_a_rule_is_legal)
{
    for (size_t i = 0; i < CASES; i++) {
        struct variant v;
        struct diag diag = {0};
        cr_expect(base_with(&v, &diag, cases[i].kept), "%s: %s", cases[i].rule, sb_text(&diag.text));
        diag_free(&diag);
    }
}

Test(rules, a_variant_that_breaks_a_rule_is_told_so)
{
    for (size_t i = 0; i < CASES; i++) {
        struct variant v;
        struct diag diag = {0};
        char start[128];
        cr_expect(!base_with(&v, &diag, cases[i].broken), "%s", cases[i].rule);
        snprintf(start, sizeof start, ": error: %s", cases[i].rule);
        cr_expect(diag.errors == 1 && strstr(sb_text(&diag.text), start), "%s: %s", cases[i].rule,
                  sb_text(&diag.text));
        diag_free(&diag);
    }
}
