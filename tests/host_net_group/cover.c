/* SPDX-License-Identifier: Apache-2.0
 *
 * The best cover is the best of all covers; what is chosen fits, and its slices are the bits of the network.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/group/partition.h"
#include "tests/host_net_group/network.h"

TestSuite(host_net_group_cover, .timeout = 1000);

enum { NETWORKS = 60, PIECES = 3, SIZE_MOST = 16, TILES_MOST = 64 };

static struct group_target draw_target(struct random *random)
{
    return (struct group_target){.on_chip = random_range(random, 100, 1500),
                                 .stream = random_range(random, 0, 100),
                                 .port = random_range(random, 1, 64),
                                 .pes = random_range(random, 1, 32),
                                 .again = random_chance(random, 50) ? 15 : 100,
                                 .columns = random_chance(random, 50)};
}

/* The least price of layers `from` on, by trying everything. */
static uint64_t exhaustive(const struct group_chart *chart, const struct group_element *elements,
                           size_t count, const struct group_target *target, size_t from)
{
    uint64_t best = UINT64_MAX;
    size_t reached[TILES_MOST];
    if (from == chart->layer_count)
        return 0;
    for (size_t last = from; last < chart->layer_count; last++) {
        struct group_choice choice;
        uint64_t least, price = UINT64_MAX;
        const struct group_cost apart = group_cost_apart(chart, from, from);
        if (last == from)
            price = group_price(&apart, target);
        else if (group_is_tiled(elements, count, from, last, reached) &&
                 group_best_cut(chart, from, last, (struct group_wish){0}, target, &choice, &least))
            price = group_price(&choice.cost, target);
        if (price == UINT64_MAX)
            continue;
        price += exhaustive(chart, elements, count, target, last + 1);
        best = price < best ? price : best;
    }
    return best;
}

/* Frames that live at the same time share no byte, and all lie within the room that was counted. */
static void check_room(const struct group_chart *chart, const struct group_choice *choice,
                       const struct group_target *target)
{
    struct group group;
    struct group_cut cut;
    cr_assert(group_open(chart, choice->first, choice->last, &group) && group_cut_open(&group, choice, &cut));
    uint64_t *at = calloc(group.count + 1, sizeof *at);
    for (size_t row = 0; row < choice->parts[0]; row++)
        for (size_t column = 0; column < choice->parts[1]; column++) {
            cr_assert_leq(group_place(&group, &cut, row, column, at), choice->cost.room);
            for (size_t a = 0; a < group.count; a++)
                for (size_t b = 0; b < a; b++) {
                    const struct group_member *x = &group.members[a], *y = &group.members[b];
                    const uint64_t m = group_frame_bytes(&group, &cut, row, column, a),
                                   n = group_frame_bytes(&group, &cut, row, column, b);
                    const size_t from_x = x->input ? x->first : x->made,
                                 from_y = y->input ? y->first : y->made;
                    if (m && n && from_x <= y->last && from_y <= x->last)
                        cr_assert(at[a] + m <= at[b] || at[b] + n <= at[a]);
                }
        }
    cr_assert_leq(choice->cost.room + target->stream + choice->cost.weights_loaded, target->on_chip);
    cr_assert_leq(group_peak(&group, &cut), choice->cost.room);
    free(at);
    group_cut_close(&cut);
    group_close(&group);
}

static void check_bits(struct net *net, const struct group_chart *chart, const struct group_cover *cover,
                       uint64_t seed)
{
    struct diag diag = {0};
    struct drawn_outputs expected = run_drawn(net, seed);
    struct net *cut = group_partition(chart, cover, &diag);
    cr_assert(cut, "%s", sb_text(&diag.text));
    struct drawn_outputs outputs = run_drawn(cut, seed);
    cr_assert(same_drawn(&outputs, &expected), "seed %llu", (unsigned long long)seed);
    free_drawn(&outputs);
    free_drawn(&expected);
    net_free(cut);
}

Test(host_net_group_cover, the_best_of_all_covers)
{
    const unsigned networks = drawn_networks(NETWORKS);
    size_t groups = 0, cut = 0;
    for (uint64_t seed = 1; seed <= networks; seed++) {
        struct random random = {seed};
        struct diag diag = {0};
        struct group_chart chart;
        struct group_cover cover;
        size_t count;
        struct net *net = draw_network(&random, PIECES,
                                       1U << DRAW_CHAIN | 1U << DRAW_JOIN | 1U << DRAW_RESIDUAL, SIZE_MOST);
        const struct group_target target = draw_target(&random);
        cr_assert(group_chart_open(net, &chart, &diag) && chart.layer_count < TILES_MOST);
        cr_assert(group_cover_find(&chart, group_patterns, &target, NULL, 0, &cover, &diag), "%s",
                  sb_text(&diag.text));
        struct group_element *elements = group_find(&chart, group_patterns, &count);
        cr_assert_eq(group_price(&cover.cost, &target), exhaustive(&chart, elements, count, &target, 0),
                     "seed %llu", (unsigned long long)seed);
        cr_assert_leq(group_price(&cover.cost, &target), group_price(&cover.apart, &target));
        for (size_t i = 0; i < cover.count; i++) {
            groups += cover.choices[i].grouped;
            cut += cover.choices[i].parts[0] * cover.choices[i].parts[1] > 1;
            if (cover.choices[i].grouped)
                check_room(&chart, &cover.choices[i], &target);
        }
        check_bits(net, &chart, &cover, seed);
        free(elements);
        group_cover_close(&cover);
        group_chart_close(&chart);
        net_free(net);
    }
    cr_assert(groups > networks / 2 && cut > networks / 6, "%zu groups, %zu of them cut", groups, cut);
}
