/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of groups are found by entries of a table, and an entry is all that a new kind takes.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/group/partition.h"
#include "tests/host_net_group/network.h"

TestSuite(host_net_group_pattern, .timeout = 60);

/* How many elements of a kind a table finds in ten random networks of these pieces. */
static size_t found(const struct group_pattern *patterns, const char *name, unsigned kinds)
{
    size_t all = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct random random = {seed};
        struct diag diag = {0};
        struct group_chart chart;
        size_t count;
        struct net *net = draw_network(&random, 3, kinds, 12);
        cr_assert(group_chart_open(net, &chart, &diag));
        struct group_element *elements = group_find(&chart, patterns, &count);
        for (size_t i = 0; i < count; i++)
            all += !strcmp(elements[i].pattern->name, name);
        free(elements);
        group_chart_close(&chart);
        net_free(net);
    }
    return all;
}

Test(host_net_group_pattern, each_kind_is_found_where_it_is)
{
    cr_assert_geq(found(group_patterns, "serial", 1U << DRAW_CHAIN), 10);
    cr_assert_geq(found(group_patterns, "inverse-Y", 1U << DRAW_JOIN), 10);
    cr_assert_geq(found(group_patterns, "residual", 1U << DRAW_RESIDUAL), 10);
    cr_assert_eq(found(group_patterns, "residual", 1U << DRAW_CHAIN), 0);
    cr_assert_eq(found(group_patterns, "inverse-Y", 1U << DRAW_CHAIN), 0);
}

/* A branch that looks at the whole image and scales its channels. */
static const char *const products[] = {"Mul", NULL};
static const struct group_pattern squeezes = {"squeeze-excite",
                                              "a branch that scales the channels of the value it begins at",
                                              2,
                                              2,
                                              1,
                                              1,
                                              products,
                                              true};

static struct group_pattern *with_squeezes(bool whole)
{
    size_t count = 0;
    while (group_patterns[count].name)
        count++;
    struct group_pattern *table = calloc(count + 2, sizeof *table);
    memcpy(table, group_patterns, count * sizeof *table);
    table[count] = squeezes;
    table[count].whole = whole;
    return table;
}

Test(host_net_group_pattern, a_fourth_kind_is_an_entry)
{
    struct group_pattern *table = with_squeezes(true), *rows = with_squeezes(false);
    const struct group_target target = {.on_chip = 1 << 16, .port = 8, .pes = 4, .again = 15};
    const unsigned kinds = 1U << DRAW_SQUEEZE;
    cr_assert_eq(found(group_patterns, "squeeze-excite", kinds), 0);
    cr_assert_eq(found(table, "squeeze-excite", kinds), 30);
    cr_assert_eq(found(rows, "squeeze-excite", kinds), 0); /* its mean needs all rows */
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct random random = {seed};
        struct diag diag = {0};
        struct group_chart chart;
        struct group_cover three, four;
        struct net *net = draw_network(&random, 2, kinds, 12);
        cr_assert(group_chart_open(net, &chart, &diag));
        cr_assert(group_cover_find(&chart, group_patterns, &target, NULL, 0, &three, &diag));
        cr_assert(group_cover_find(&chart, table, &target, NULL, 0, &four, &diag));
        cr_assert_lt(group_bytes(&four.cost), group_bytes(&three.cost));
        group_cover_close(&three);
        group_cover_close(&four);
        group_chart_close(&chart);
        net_free(net);
    }
    free(table);
    free(rows);
}

Test(host_net_group_pattern, a_forced_group_that_does_not_fit_is_refused_by_name)
{
    struct random random = {3};
    struct diag diag = {0};
    struct group_chart chart;
    struct group_cover cover;
    const struct group_target target = {.on_chip = 10, .port = 8, .pes = 4, .again = 15};
    struct net *net = draw_network(&random, 3, 1U << DRAW_CHAIN, 12);
    cr_assert(group_chart_open(net, &chart, &diag));
    const struct group_forced forced = {.first = 0, .last = 1};
    cr_assert_not(group_cover_find(&chart, group_patterns, &target, &forced, 1, &cover, &diag));
    cr_assert(strstr(sb_text(&diag.text), group_layer_name(&chart.layers[0])) &&
                  strstr(sb_text(&diag.text), "its smallest slice needs"),
              "%s", sb_text(&diag.text));
    diag_free(&diag);
    group_chart_close(&chart);
    net_free(net);
}
