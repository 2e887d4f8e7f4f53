/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_groups_show.h"

#include <inttypes.h>

#include "gen/version.h"

enum { NAME_SHOWN = 40 };

static const char *const keepings[] = {
    [KEEP_NOTHING] = "again", [KEEP_MADE] = "kept, input again", [KEEP_ALL] = "kept"};

/* How rows that neighbouring slices share are had twice. */
static const char *halo(const struct group_choice *choice)
{
    return choice->parts[GROUP_ROWS] > 1 ? keepings[choice->keeping] : "-";
}

/* The best cut of a group that has these rows in the given way. False: none fits; `least` is what the
 * smallest needs. */
static bool other_way(const struct group_chart *chart, const struct group_choice *c,
                      const struct group_target *target, enum group_keeping keeping,
                      struct group_choice *other, uint64_t *least)
{
    const struct group_wish wish = {.one_way = true, .keeping = keeping};
    return group_best_cut(chart, c->first, c->last, wish, target, other, least);
}

/* Whether there are other ways: where nothing is cut, slices share no rows. */
static bool has_others(const struct group_choice *c)
{
    return c->grouped && c->parts[GROUP_ROWS] > 1;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void show_numbers(const struct group_cost *cost, const struct group_cost *apart, struct strbuf *to)
{
    sb_addf(to, " %9" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %11" PRIu64 "\n",
            cost->room + cost->weights_loaded, cost->read, cost->written, cost->weights, cost->again,
            group_bytes(apart));
}

static void show_choice(const struct group_chart *chart, const struct group_choice *c, struct strbuf *to)
{
    const struct group_cost apart = group_cost_apart(chart, c->first, c->last);
    char layers[32], slices[32];
    snprintf(layers, sizeof layers, c->grouped ? "%zu..%zu" : "%zu", c->first, c->last);
    snprintf(slices, sizeof slices, c->parts[GROUP_COLUMNS] > 1 ? "%zux%zu" : "%zu", c->parts[GROUP_ROWS],
             c->parts[GROUP_COLUMNS]);
    sb_addf(to, "%-9s %-*.*s %7s %-17s", layers, NAME_SHOWN, NAME_SHOWN,
            group_layer_name(&chart->layers[c->first]), c->grouped ? slices : "-",
            c->grouped ? halo(c) : "layer by layer");
    show_numbers(&c->cost, &apart, to);
}

static void show_others(const struct group_chart *chart, const struct group_choice *c,
                        const struct group_target *target, struct strbuf *to)
{
    for (int keeping = 0; has_others(c) && keeping < GROUP_KEEPINGS; keeping++) {
        struct group_choice other;
        uint64_t least;
        if ((enum group_keeping)keeping == c->keeping)
            continue;
        sb_addf(to, "%9s or, shared rows %s: ", "", keepings[keeping]);
        if (other_way(chart, c, target, (enum group_keeping)keeping, &other, &least))
            sb_addf(to, "%zu x %zu slices, %" PRIu64 " bytes, %" PRIu64 " multiplications again\n",
                    other.parts[GROUP_ROWS], other.parts[GROUP_COLUMNS], group_bytes(&other.cost),
                    other.cost.again);
        else
            sb_addf(to,
                    "none fits, or too much is computed again; the smallest slice needs %" PRIu64 " bytes\n",
                    least);
    }
}

static void show_text(const struct group_chart *chart, const struct group_cover *cover,
                      const struct group_target *target, struct strbuf *to)
{
    size_t groups = 0;
    sb_addf(to, "%-9s %-*s %7s %-17s %9s %10s %10s %10s %10s %11s\n", "layers", NAME_SHOWN, "first layer",
            "slices", "shared rows", "on chip", "read", "written", "weights", "mult.again", "by layer");
    for (size_t i = 0; i < cover->count; i++) {
        show_choice(chart, &cover->choices[i], to);
        show_others(chart, &cover->choices[i], target, to);
        groups += cover->choices[i].grouped;
    }
    const uint64_t bytes = group_bytes(&cover->cost), apart = group_bytes(&cover->apart),
                   activations = cover->cost.read + cover->cost.written,
                   before = cover->apart.read + cover->apart.written;
    sb_addf(to,
            "\n%zu groups of %zu layers, %zu candidates, with %" PRIu64 " bytes on chip, of which %" PRIu64
            " are for what is on its way\n"
            "bytes of memory: %" PRIu64 ", layer by layer %" PRIu64 "; of activations %" PRIu64
            " and %" PRIu64 " (%.1f %% less)\n"
            "multiplications: %" PRIu64 ", and %" PRIu64 " again (%.1f %%)\n",
            groups, chart->layer_count, cover->candidates, target->on_chip, target->stream, bytes, apart,
            activations, before, before ? 100.0 * (double)(before - activations) / (double)before : 0,
            cover->apart.multiplications, cover->cost.again,
            cover->apart.multiplications
                ? 100.0 * (double)cover->cost.again / (double)cover->apart.multiplications
                : 0);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void json_cost(const struct group_cost *cost, struct strbuf *to)
{
    sb_addf(to,
            "{\"bytes\": %" PRIu64 ", \"read\": %" PRIu64 ", \"written\": %" PRIu64 ", \"weights\": %" PRIu64
            ", \"weights_loaded_once\": %" PRIu64 ", \"multiplications\": %" PRIu64
            ", \"multiplications_again\": %" PRIu64 ", \"activations_on_chip\": %" PRIu64
            ", \"moved\": %" PRIu64 "}",
            group_bytes(cost), cost->read, cost->written, cost->weights, cost->weights_loaded,
            cost->multiplications, cost->again, cost->room, cost->moved);
}

static void json_others(const struct group_chart *chart, const struct group_choice *c,
                        const struct group_target *target, struct strbuf *to)
{
    bool some = false;
    for (int keeping = 0; has_others(c) && keeping < GROUP_KEEPINGS; keeping++) {
        struct group_choice other;
        uint64_t least;
        if ((enum group_keeping)keeping == c->keeping)
            continue;
        sb_addf(to, "%s{\"shared_rows\": \"%s\", ", some ? ", " : "", keepings[keeping]);
        some = true;
        if (other_way(chart, c, target, (enum group_keeping)keeping, &other, &least)) {
            sb_addf(to, "\"slices\": [%zu, %zu], \"cost\": ", other.parts[GROUP_ROWS],
                    other.parts[GROUP_COLUMNS]);
            json_cost(&other.cost, to);
        } else {
            sb_addf(to, "\"smallest_needs\": %" PRIu64, least);
        }
        sb_add(to, "}");
    }
}

static void json_choice(const struct group_chart *chart, const struct group_choice *c,
                        const struct group_target *target, struct strbuf *to)
{
    const struct group_cost apart = group_cost_apart(chart, c->first, c->last);
    sb_addf(to, "{\"grouped\": %s, \"first\": %zu, \"layers\": [", c->grouped ? "true" : "false", c->first);
    for (size_t i = c->first; i <= c->last; i++) {
        sb_add(to, i > c->first ? ", " : "");
        sb_add_json(to, group_layer_name(&chart->layers[i]));
    }
    sb_addf(to, "],\n   \"slices\": [%zu, %zu], \"shared_rows\": ", c->parts[GROUP_ROWS],
            c->parts[GROUP_COLUMNS]);
    sb_add_json(to, halo(c));
    sb_add(to, ",\n   \"cost\": ");
    json_cost(&c->cost, to);
    sb_add(to, ",\n   \"layer_by_layer\": ");
    json_cost(&apart, to);
    sb_add(to, ",\n   \"alternatives\": [");
    json_others(chart, c, target, to);
    sb_add(to, "]}");
}

static void show_json(const struct group_chart *chart, const struct group_cover *cover,
                      const struct group_target *target, struct strbuf *to)
{
    sb_addf(to,
            "{\"tulle_groups\": %d, \"version\": \"" TULLE_VERSION "\", \"isa\": \"" TULLE_ISA_VERSION
            "\", \"on_chip\": %" PRIu64 ", \"stream\": %" PRIu64 ",\n \"candidates\": %zu, \"groups\": [",
            NET_GROUPS_LAYOUT, target->on_chip, target->stream, cover->candidates);
    for (size_t i = 0; i < cover->count; i++) {
        sb_add(to, i ? ",\n  " : "\n  ");
        json_choice(chart, &cover->choices[i], target, to);
    }
    sb_add(to, "],\n \"cost\": ");
    json_cost(&cover->cost, to);
    sb_add(to, ",\n \"layer_by_layer\": ");
    json_cost(&cover->apart, to);
    sb_add(to, "}\n");
}

void net_groups_show(const struct group_chart *chart, const struct group_cover *cover,
                     const struct group_target *target, bool json, struct strbuf *to)
{
    if (json)
        show_json(chart, cover, target, to);
    else
        show_text(chart, cover, target, to);
}
