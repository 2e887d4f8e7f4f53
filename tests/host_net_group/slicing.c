/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way to cut groups gives the bits of the network that is not cut.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "host/net/device/pieces.h"
#include "host/net/group/partition.h"
#include "tests/host_net_group/network.h"

TestSuite(host_net_group_slicing, .timeout = 3000);

enum { NETWORKS = 12, PIECES_MOST = 3, SIZE_MOST = 9, CUTS_LEAST = 100 };

/* A network, its chart, and what it gives. */
struct subject {
    struct net *net;
    struct group_chart chart;
    struct drawn_outputs expected;
    uint64_t seed;
    size_t cuts;
    size_t pieces; /* nodes of all cuts that take pieces out of images, or put them together */
};

static struct subject open_subject(uint64_t seed)
{
    struct random random = {seed};
    struct diag diag = {0};
    struct subject s = {.seed = seed};
    s.net = draw_network(&random, random_range(&random, 1, PIECES_MOST), (1U << DRAW_KINDS) - 1, SIZE_MOST);
    s.expected = run_drawn(s.net, seed);
    cr_assert(group_chart_open(s.net, &s.chart, &diag), "%s", sb_text(&diag.text));
    return s;
}

static void close_subject(struct subject *s)
{
    group_chart_close(&s->chart);
    free_drawn(&s->expected);
    net_free(s->net);
}

/* All layers by themselves, but for one group. */
static struct group_cover cover_with(const struct group_chart *chart, const struct group_choice *choice)
{
    struct group_cover cover = {.choices = calloc(chart->layer_count + 1, sizeof *cover.choices)};
    for (size_t i = 0; i < chart->layer_count; i++) {
        if (i == choice->first)
            cover.choices[cover.count++] = *choice;
        if (i < choice->first || i > choice->last)
            cover.choices[cover.count++] = (struct group_choice){.first = i, .last = i, .parts = {1, 1}};
    }
    return cover;
}

/* In either layout. */
static size_t count_pieces(const struct net *net)
{
    const struct pieces_axes axes[] = {{1, 2}, {2, 3}};
    size_t count = 0;
    for (size_t i = 0; i < net->node_count; i++)
        count += pieces_any(axes[0], net->nodes[i]) + pieces_any(axes[1], net->nodes[i]);
    return count;
}

/* Values that a run holds are no constants: the nodes are the same pieces while it is open. */
static struct drawn_outputs run_in_pieces(struct subject *s, struct net *net)
{
    const size_t pieces = count_pieces(net);
    struct diag diag = {0};
    struct run *run = complete_run(net, s->seed, &diag);
    cr_assert_eq(count_pieces(net), pieces, "seed %llu", (unsigned long long)s->seed);
    s->pieces += pieces;
    struct drawn_outputs outputs = copy_outputs(run, net);
    run_free(run);
    return outputs;
}

static void check_choice(struct subject *s, const struct group_choice *choice)
{
    struct diag diag = {0};
    struct group_cover cover = cover_with(&s->chart, choice);
    struct net *net = group_partition(&s->chart, &cover, &diag);
    cr_assert(net, "seed %llu: %s", (unsigned long long)s->seed, sb_text(&diag.text));
    struct drawn_outputs outputs = run_in_pieces(s, net);
    cr_assert(same_drawn(&outputs, &s->expected),
              "seed %llu: layers %zu to %zu in %zu x %zu slices of %lld x %lld, keeping %d",
              (unsigned long long)s->seed, choice->first, choice->last, choice->parts[0], choice->parts[1],
              (long long)choice->step[0], (long long)choice->step[1], choice->keeping);
    s->cuts++;
    free_drawn(&outputs);
    net_free(net);
    group_cover_close(&cover);
}

static void check_cuts(struct subject *s, const struct group *group)
{
    struct group_choice choice = {.first = group->first, .last = group->last, .grouped = true};
    for (int keeping = 0; keeping < GROUP_KEEPINGS; keeping++)
        for (int64_t high = 1; high <= group_result_size(group, GROUP_ROWS); high++)
            for (int64_t wide = group_result_size(group, GROUP_COLUMNS); wide >= 1; wide /= 2) {
                struct group_cut cut;
                choice.keeping = (enum group_keeping)keeping;
                choice.step[GROUP_ROWS] = high;
                choice.step[GROUP_COLUMNS] = wide;
                if (!group_cut_open(group, &choice, &cut))
                    continue;
                for (int axis = 0; axis < GROUP_AXES; axis++)
                    choice.parts[axis] = cut.slices[axis].parts;
                group_cut_close(&cut);
                check_choice(s, &choice);
            }
}

Test(host_net_group_slicing, every_cut_gives_the_same_bits)
{
    const unsigned networks = drawn_networks(NETWORKS);
    size_t cuts = 0, pieces = 0;
    for (uint64_t seed = 1; seed <= networks; seed++) {
        struct subject s = open_subject(seed);
        for (size_t first = 0; first < s.chart.layer_count; first++)
            for (size_t last = first; last < s.chart.layer_count; last++) {
                struct group group;
                cr_assert(group_open(&s.chart, first, last, &group));
                check_cuts(&s, &group);
                group_close(&group);
            }
        cuts += s.cuts;
        pieces += s.pieces;
        close_subject(&s);
    }
    cr_assert_gt(cuts, CUTS_LEAST * networks, "%zu cuts", cuts);
    cr_assert_gt(pieces, cuts);
}
