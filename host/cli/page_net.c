/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of a network: a bar for each layer, the roofline of all layers, and
 * what integers have cost.
 */
#include <string.h>

#include "host/cli/net_explain.h"
#include "host/cli/page.h"

bool page_is_net(const json_t *run)
{
    return json_is_integer(json_object_get(run, "tulle_net"));
}

static bool is_on_device(const json_t *layer)
{
    return !strcmp(page_text(layer, "where"), "device");
}

/* Cycles that it took, or else those that are predicted. */
static double cycles_of(const json_t *layer)
{
    const double measured = page_number(layer, "cycles");
    return measured > 0 ? measured : page_number(layer, "predicted_cycles");
}

static bool has_numbers(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (!json_is_number(json_object_get(object, *keys)))
            return false;
    return true;
}

#define FIGURES "predicted_cycles", "cycles", "roofline_cycles", "efficiency", "multiplications", "bytes"

static bool is_layer(const json_t *layer)
{
    static const char *const figures[] = {FIGURES, NULL};
    static const char *const limits[] = {"compute", "read", "write", NULL};
    return json_is_string(json_object_get(layer, "layer")) &&
           json_is_string(json_object_get(layer, "where")) &&
           (!is_on_device(layer) ||
            (has_numbers(layer, figures) && has_numbers(json_object_get(layer, "limits"), limits)));
}

static bool is_complete(const json_t *run)
{
    static const char *const figures[] = {FIGURES, "nodes", "device_nodes", NULL};
    static const char *const array[] = {"n", "m", "k", "memory_width", NULL};
    const json_t *device = json_object_get(run, "device"), *layer;
    size_t i;
    json_array_foreach(json_object_get(run, "layers"), i, layer)
    {
        if (!is_layer(layer))
            return false;
    }
    const json_t *placement = json_object_get(run, "placement");
    return (!placement || page_check_placement(placement)) &&
           json_array_size(json_object_get(run, "layers")) && has_numbers(run, figures) &&
           has_numbers(device, array) && page_number(device, "n") * page_number(device, "m") >= 1 &&
           page_number(device, "k") >= 1 && page_number(device, "memory_width") >= 8;
}

bool page_check_net(const json_t *run, const char *path, struct diag *diag)
{
    const long long layout = json_integer_value(json_object_get(run, "tulle_net"));
    if (layout != NET_EXPLAIN_LAYOUT)
        diag_error(
            diag, (struct place){.file = path},
            "the network has layout %lld, and this command reads layout %d: use the tulle that wrote it",
            layout, NET_EXPLAIN_LAYOUT);
    else if (!is_complete(run))
        diag_error(diag, (struct place){.file = path},
                   "the file is not all that tulle net explain --json writes");
    return !diag->errors;
}

/* ---- parts ------------------------------------------------------------------------------------------- */

static void add_check_tile(const json_t *run, struct strbuf *to)
{
    const json_t *check = json_object_get(run, "check");
    const double differ = page_number(check, "differ");
    struct strbuf value = {0}, below = {0};
    if (!check)
        return;
    page_add_count(&value, differ);
    sb_add(&below, "of ");
    page_add_count(&below, page_number(check, "elements"));
    sb_add(&below, " elements of its layers");
    page_add_tile("Differ from the CPU", sb_text(&value), sb_text(&below), differ > 0 ? "bad" : NULL, to);
    sb_free(&value);
    sb_free(&below);
}

static void add_tiles(const json_t *run, struct strbuf *to)
{
    const bool measured = page_number(run, "cycles") > 0;
    struct strbuf cycles = {0};
    char value[64];
    sb_add(to, "<dl class=\"tiles\">\n");
    snprintf(value, sizeof value, "%.0f of %.0f", page_number(run, "device_nodes"),
             page_number(run, "nodes"));
    page_add_tile("Nodes on the device", value, NULL, NULL, to);
    page_add_count(&cycles, cycles_of(run));
    page_add_tile(measured ? "Cycles, measured" : "Cycles, predicted", sb_text(&cycles),
                  measured ? "of one input" : "for activations without zeros", NULL, to);
    snprintf(value, sizeof value, "%.3f", page_number(run, "efficiency"));
    page_add_tile("Efficiency", value, "rooflines of the layers over their cycles", NULL, to);
    add_check_tile(run, to);
    sb_add(to, "</dl>\n");
    sb_free(&cycles);
}

/* Names of some exporters are lists: the whole one is shown where the pointer rests. */
static void add_name(const char *name, struct strbuf *to)
{
    enum { SHOWN = 40 };
    size_t end = 0;
    struct strbuf shown = {0};
    while (name[end] && end < SHOWN)
        end += sb_utf8_length(name + end) ? sb_utf8_length(name + end) : 1;
    sb_addn(&shown, name, end);
    sb_add(to, "<span title=\"");
    page_add_text(to, name);
    sb_add(to, "\">");
    page_add_text(to, sb_text(&shown));
    sb_add(to, name[end] ? "...</span>" : "</span>");
    sb_free(&shown);
}

static void add_bar(const json_t *run, const json_t *layer, struct strbuf *to)
{
    const double all = cycles_of(run), share = all > 0 ? cycles_of(layer) / all : 0;
    sb_addf(to,
            "<td class=\"meter\"><span><i class=\"compute\" style=\"--v:%.4f\"></i><em>%.1f "
            "%%</em></span></td><td>",
            share < 1 ? share : 1, 100 * share);
    page_add_count(to, cycles_of(layer));
    sb_add(to, "</td><td>");
    page_add_count(to, page_number(layer, "roofline_cycles"));
    sb_addf(to, "</td><td>%.3f</td><td>", page_number(layer, "efficiency"));
    page_add_count(to, page_number(layer, "multiplications"));
    sb_add(to, "</td><td>");
    page_add_count(to, page_number(layer, "bytes"));
    sb_add(to, "</td>");
}

/* Why it has no bar. */
static void add_reason(const json_t *layer, struct strbuf *to)
{
    const bool within = !strcmp(page_text(layer, "where"), "within");
    sb_add(to, "<td class=\"left soft\" colspan=\"6\">");
    if (!strcmp(page_text(layer, "where"), "part")) {
        sb_addf(to, "in part %.0f</td>", page_number(layer, "part"));
        return;
    }
    sb_add(to, within ? "within " : "CPU: ");
    add_name(page_text(layer, within ? "layer_within" : "why"), to);
    sb_add(to, "</td>");
}

static void add_layers(const json_t *run, struct strbuf *to)
{
    size_t i;
    const json_t *layer;
    sb_add(to, "<section aria-labelledby=\"layers\"><h2 id=\"layers\">Layers</h2>\n"
               "<p>A bar is the layer's part of all cycles on the device.</p>\n"
               "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of the "
               "layers\"><table class=\"wide\">"
               "<thead><tr><th scope=\"col\">layer</th><th scope=\"col\" class=\"left\">operator</th>"
               "<th scope=\"col\" class=\"left\">part of all cycles</th><th scope=\"col\">cycles</th>"
               "<th scope=\"col\">roofline</th><th scope=\"col\">efficiency</th><th "
               "scope=\"col\">multiplications</th>"
               "<th scope=\"col\">bytes</th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(run, "layers"), i, layer)
    {
        sb_addf(to, "<tr id=\"case-%zu\"><th scope=\"row\">%zu ", i + 1, i + 1);
        add_name(page_text(layer, "layer"), to);
        sb_add(to, "</th><td class=\"left\">");
        page_add_text(to, page_text(layer, "operator"));
        sb_add(to, "</td>");
        if (is_on_device(layer))
            add_bar(run, layer, to);
        else
            add_reason(layer, to);
        sb_add(to, "</tr>\n");
    }
    sb_add(to, "</tbody></table></div></section>\n");
}

/* The layers as cases, which the roofline is drawn of. NULL: out of memory. */
static json_t *cases_of(const json_t *run)
{
    json_t *cases = json_array();
    size_t i;
    const json_t *layer;
    const char *device = page_text(json_object_get(run, "device"), "name");
    json_array_foreach(json_object_get(run, "layers"), i, layer)
    {
        json_t *one =
            is_on_device(layer)
                ? json_pack("{s:s, s:s, s:O, s:O, s:O, s:{s:O, s:f}}", "name", page_text(layer, "layer"),
                            "variant", device, "effective_macs", json_object_get(layer, "multiplications"),
                            "limits", json_object_get(layer, "limits"), "roofline_cycles",
                            json_object_get(layer, "roofline_cycles"), "model", "efficiency",
                            json_object_get(layer, "efficiency"), "cycles", cycles_of(layer))
                : json_pack("{s:b}", "left_out", 1);
        if (!one || json_array_append_new(cases, one) != 0) {
            json_decref(cases);
            return NULL;
        }
    }
    return cases;
}

static bool add_roofline(const json_t *run, struct strbuf *to)
{
    json_t *cases = cases_of(run), *as_run = cases ? json_pack("{s:o, s:[O]}", "cases", cases, "variants",
                                                               json_object_get(run, "device"))
                                                   : NULL;
    if (!as_run)
        return false;
    page_add_rooflines(as_run, to);
    json_decref(as_run);
    return true;
}

static void add_accuracy(const json_t *accuracy, struct strbuf *to)
{
    size_t i;
    const json_t *output;
    sb_addf(to,
            "<section aria-labelledby=\"accuracy\"><h2 id=\"accuracy\">Accuracy</h2>\n<p>What integers have "
            "cost, on %.0f "
            "samples; ",
            page_number(accuracy, "samples"));
    page_add_count(to, page_number(accuracy, "zeros"));
    sb_add(to, " of ");
    page_add_count(to, page_number(accuracy, "weights"));
    sb_add(to, " weights are 0.</p>\n<table><thead><tr><th scope=\"col\">output</th><th "
               "scope=\"col\">relative error</th>"
               "<th scope=\"col\">of pruning alone</th><th scope=\"col\">largest class the "
               "same</th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(accuracy, "outputs"), i, output)
    {
        sb_add(to, "<tr><th scope=\"row\">");
        page_add_text(to, page_text(output, "name"));
        sb_addf(to, "</th><td>%.3g</td><td>%.3g</td><td>%.0f of %.0f</td></tr>\n",
                page_number(output, "relative_error"), page_number(output, "pruned_relative_error"),
                page_number(output, "same_top1"), page_number(output, "rows"));
    }
    sb_add(to, "</tbody></table></section>\n");
}

bool page_add_net(const json_t *run, const json_t *accuracy, const char *title, struct strbuf *to)
{
    const json_t *placement = json_object_get(run, "placement");
    page_begin(run, title, to);
    sb_add(to, ", on ");
    page_add_text(to, page_text(json_object_get(run, "device"), "name"));
    sb_add(to, ".</p>\n");
    add_tiles(run, to);
    sb_addf(to,
            "<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#layers\">Layers</a></li><li><a "
            "href=\"#roofline\">Roofline</a></li>%s%s</ul></nav>\n</header>\n<main id=\"main\">\n",
            placement ? "<li><a href=\"#placement\">Placement</a></li>" : "",
            accuracy ? "<li><a href=\"#accuracy\">Accuracy</a></li>" : "");
    add_layers(run, to);
    const bool ok = add_roofline(run, to);
    if (placement)
        page_add_placement(placement, to);
    if (accuracy)
        add_accuracy(accuracy, to);
    sb_add(
        to,
        "</main>\n<footer><p>Made by tulle report; docs/networks.md says what each figure is.</p></footer>\n"
        "</body>\n</html>\n");
    return ok;
}
