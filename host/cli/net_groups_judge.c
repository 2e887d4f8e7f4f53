/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_groups_judge.h"

#include <stdlib.h>
#include <string.h>

#include "host/cli/place.h"
#include "host/net/device/parts.h"
#include "host/net/group/partition.h"

enum { JUDGED_MOST = 8 /* groups by themselves: those that are estimated to save most */ };

struct judging {
    const struct group_chart *chart;
    const struct group_target *target;
    const struct net_groups_rate *rate;
    struct tulle_device *device;
    uint64_t beat;                   /* bytes */
    const struct group_cover *cover; /* all groups */
    bool *keep;                      /* of its choices, those that are to be judged */
    struct diag *diag;
};

/* ---- prices -------------------------------------------------------------------------------------------- */

static void add_operator(const struct tulle_operator *op, struct net_groups_price *sum)
{
    struct tulle_operator_info info = {.size = sizeof info};
    if (!op || tulle_operator_describe(op, &info))
        return;
    sum->cycles += info.predicted_cycles;
    sum->bytes += info.bytes_read + info.bytes_written;
}

/* The chart's layer that has the node; GROUP_NONE: none. */
static size_t layer_with(const struct group_chart *chart, const struct node *node)
{
    for (size_t i = 0; i < chart->layer_count; i++)
        for (size_t n = 0; n < chart->layers[i].node_count; n++)
            if (chart->layers[i].nodes[n] == node)
                return i;
    return GROUP_NONE;
}

static void note_planned(const struct group_chart *chart, const struct layers *layers,
                         struct group_planned *planned)
{
    size_t count;
    const struct layer *list = layers_list(layers, &count);
    for (size_t i = 0; i < count; i++) {
        struct tulle_operator_info info = {.size = sizeof info};
        const size_t at = list[i].op ? layer_with(chart, list[i].node) : GROUP_NONE;
        if (at == GROUP_NONE || tulle_operator_describe(list[i].op, &info))
            continue;
        planned[at].bytes += info.bytes_read + info.bytes_written;
        planned[at].weights += info.weights_read;
        planned[at].program += info.program_read;
    }
}

static struct net_groups_price price_of(const struct layers *layers)
{
    struct net_groups_price sum = {0, 0};
    size_t count;
    const struct layer *list = layers_list(layers, &count);
    for (size_t i = 0; i < count; i++)
        add_operator(list[i].op, &sum);
    const struct part *parts = layers_parts(layers, &count);
    for (size_t i = 0; i < count; i++)
        add_operator(parts[i].op, &sum);
    return sum;
}

/* The planner's cycles are for a beat of memory a cycle. */
static void slow_down(const struct judging *j, struct net_groups_price *price)
{
    const uint64_t memory = price->bytes / j->beat * j->rate->cycles / j->rate->beats;
    price->cycles = memory > price->cycles ? memory : price->cycles;
}

/* The network's nodes stay in their order. `planned` NULL: neighbours are one job; else each layer is one,
 * and it gets what each moves. */
static bool judge_net(const struct judging *j, struct net *net, struct group_planned *planned,
                      struct net_groups_price *price)
{
    const struct layers_options options = {.fused = !planned};
    enum tulle_status status;
    struct node **order = malloc((net->node_count + 1) * sizeof(struct node *));
    if (!order) {
        diag_no_memory(j->diag, net->source[0].path);
        return false;
    }
    memcpy(order, net->nodes, net->node_count * sizeof(struct node *));
    struct layers *layers = layers_new(net, j->device, &options, &status, j->diag);
    if (layers) {
        *price = price_of(layers);
        slow_down(j, price);
        if (planned)
            note_planned(j->chart, layers, planned);
    }
    layers_free(layers);
    memcpy(net->nodes, order, net->node_count * sizeof(struct node *));
    free(order);
    return layers;
}

/* With the groups that are to be judged. */
static bool judge_kept(const struct judging *j, struct net_groups_price *price)
{
    struct group_cover with;
    const bool made = group_cover_keep(j->chart, j->target, j->cover, j->keep, &with);
    struct net *net = made ? group_partition(j->chart, &with, j->diag) : NULL;
    if (!made)
        diag_no_memory(j->diag, j->chart->net->source[0].path);
    const bool ok = net && judge_net(j, net, NULL, price);
    net_free(net);
    group_cover_close(&with);
    return ok;
}

/* Cycles are predicted, and those of many small steps less well than others. */
static bool wins(const struct net_groups_price *price, const struct net_groups_price *whole)
{
    enum { SURELY = 90, PERCENT = 100 };
    return price->cycles * PERCENT <= whole->cycles * SURELY && price->bytes <= whole->bytes;
}

/* ---- choices ------------------------------------------------------------------------------------------- */

/* A group of one slice is layers as they are. */
static bool is_cut(const struct group_choice *c)
{
    return c->grouped && (c->parts[GROUP_ROWS] > 1 || c->parts[GROUP_COLUMNS] > 1);
}

/* What the estimate says that it saves; 0: nothing, or it is not cut. */
static uint64_t estimated_gain(const struct judging *j, const struct group_choice *c)
{
    uint64_t without = 0;
    if (!is_cut(c))
        return 0;
    for (size_t layer = c->first; layer <= c->last; layer++) {
        const struct group_cost single = group_cost_single(j->chart, j->target, layer);
        without += group_price(&single, j->target);
    }
    const uint64_t with = group_price(&c->cost, j->target);
    return without > with ? without - with : 0;
}

/* The group with the next smaller gain, and of equal ones the next in order; SIZE_MAX: there is none. */
static size_t next_best(const struct judging *j, size_t before)
{
    const struct group_choice *c = j->cover->choices;
    const uint64_t bound = before == SIZE_MAX ? UINT64_MAX : estimated_gain(j, &c[before]);
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < j->cover->count; i++) {
        const uint64_t gain = estimated_gain(j, &c[i]);
        const bool behind = gain < bound || (gain == bound && before != SIZE_MAX && i > before);
        if (gain && behind && (best == SIZE_MAX || gain > estimated_gain(j, &c[best])))
            best = i;
    }
    return best;
}

/* Each of the best few stays if the network wins by it, beside those that stayed before it. */
static bool add_winners(const struct judging *j, struct net_groups_price *chosen)
{
    bool ok = true;
    size_t at = next_best(j, SIZE_MAX);
    for (unsigned judged = 0; ok && at != SIZE_MAX && judged < JUDGED_MOST; judged++) {
        struct net_groups_price price;
        j->keep[at] = true;
        ok = judge_kept(j, &price);
        if (ok && wins(&price, chosen))
            *chosen = price;
        else
            j->keep[at] = false;
        at = next_best(j, at);
    }
    return ok;
}

static size_t keep_cut(const struct judging *j, bool keep)
{
    size_t cut = 0;
    for (size_t i = 0; i < j->cover->count; i++) {
        const struct group_choice *c = &j->cover->choices[i];
        j->keep[i] = !is_cut(c) || keep;
        cut += is_cut(c);
    }
    return cut;
}

/* All of them at once; if that does not win, one after the other. */
static bool judge_cut(const struct judging *j, struct net_groups_verdict *verdict)
{
    if (!judge_kept(j, &verdict->all))
        return false;
    if (wins(&verdict->all, &verdict->whole)) {
        verdict->chosen = verdict->all;
        return true;
    }
    keep_cut(j, false);
    return verdict->cut == 1 || add_winners(j, &verdict->chosen);
}

static bool judge_all(const struct judging *j, struct net_groups_verdict *verdict)
{
    verdict->cut = keep_cut(j, true);
    if (!verdict->whole.bytes && !judge_net(j, j->chart->net, NULL, &verdict->whole))
        return false;
    verdict->chosen = verdict->whole;
    if (verdict->cut && !judge_cut(j, verdict))
        return false;
    verdict->apart = verdict->layers.cycles < verdict->chosen.cycles;
    verdict->used_apart = verdict->apart && verdict->layers.bytes <= verdict->chosen.bytes;
    if (verdict->used_apart)
        keep_cut(j, false);
    verdict->kept = 0;
    for (size_t i = 0; i < j->cover->count; i++)
        verdict->kept += j->keep[i] && is_cut(&j->cover->choices[i]);
    return true;
}

static bool open_device(struct judging *j, const struct net_layers_options *on)
{
    struct tulle_device_info info = {.size = sizeof info};
    j->device = on->opened;
    const bool ok = (j->device || place_open(on->device, NULL, (unsigned)on->seconds, &j->device, j->diag)) &&
                    place_done(on->device, tulle_device_describe(j->device, &info), j->diag);
    j->beat = info.memory_bytes_per_cycle;
    return ok;
}

bool net_groups_plan(const struct group_chart *chart, const struct net_groups_rate *rate,
                     const struct net_layers_options *on, struct group_planned *planned,
                     struct net_groups_verdict *verdict, struct diag *diag)
{
    struct judging j = {.chart = chart, .rate = rate, .diag = diag};
    const bool ok = open_device(&j, on) && judge_net(&j, chart->net, planned, &verdict->layers);
    tulle_device_close(on->opened ? NULL : j.device);
    return ok;
}

bool net_groups_judge(const struct group_chart *chart, const struct group_target *target,
                      const struct net_groups_rate *rate, const struct net_layers_options *on,
                      struct group_cover *cover, struct net_groups_verdict *verdict, struct diag *diag)
{
    struct judging j = {.chart = chart, .target = target, .rate = rate, .cover = cover, .diag = diag};
    struct group_cover chosen;
    j.keep = calloc(cover->count + 1, sizeof *j.keep);
    bool ok = j.keep != NULL;
    if (!ok)
        diag_no_memory(diag, chart->net->source[0].path);
    ok = ok && open_device(&j, on) && judge_all(&j, verdict);
    tulle_device_close(on->opened ? NULL : j.device);
    if (ok) {
        ok = group_cover_keep(chart, target, cover, j.keep, &chosen);
        if (!ok)
            diag_no_memory(diag, chart->net->source[0].path);
    }
    if (ok) {
        group_cover_close(cover);
        *cover = chosen;
    }
    free(j.keep);
    return ok;
}
