/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of layer groups: how full the bank is in each, what each moves and what its layers would move one
 * by one, and the other ways to cut it.
 */
#include "host/cli/net_groups_show.h"
#include "host/cli/page.h"

enum { ROW = 26, TOP = 24, LEFT = 330, BAR = 420, HEIGHT = 16, RIGHT = 120, PERCENT = 100 };

bool page_is_groups(const json_t *run)
{
    return json_is_integer(json_object_get(run, "tulle_groups"));
}

static bool is_cost(const json_t *cost)
{
    static const char *const keys[] = {"bytes",
                                       "read",
                                       "written",
                                       "weights",
                                       "weights_loaded_once",
                                       "multiplications",
                                       "multiplications_again",
                                       "activations_on_chip",
                                       NULL};
    for (const char *const *key = keys; *key; key++)
        if (!json_is_number(json_object_get(cost, *key)))
            return false;
    return true;
}

static bool is_group(const json_t *group)
{
    return json_array_size(json_object_get(group, "layers")) &&
           json_array_size(json_object_get(group, "slices")) == 2 &&
           is_cost(json_object_get(group, "cost")) && is_cost(json_object_get(group, "layer_by_layer"));
}

bool page_check_groups(const json_t *run, const char *path, struct diag *diag)
{
    const json_t *groups = json_object_get(run, "groups"), *group;
    const long long layout = json_integer_value(json_object_get(run, "tulle_groups"));
    size_t i;
    bool ok = json_array_size(groups) && page_number(run, "on_chip") > 0 &&
              is_cost(json_object_get(run, "cost")) && is_cost(json_object_get(run, "layer_by_layer"));
    json_array_foreach(groups, i, group) ok = ok && is_group(group);
    if (layout != NET_GROUPS_LAYOUT)
        diag_error(diag, (struct place){.file = path},
                   "the groups have layout %lld, and this command reads layout %d: use the tulle that wrote "
                   "it",
                   layout, NET_GROUPS_LAYOUT);
    else if (!ok)
        diag_error(diag, (struct place){.file = path},
                   "the file is not all that tulle net explain --groups --json writes");
    return !diag->errors;
}

/* ---- parts ------------------------------------------------------------------------------------------- */

/* Its first and its last layer. */
static void add_name(const json_t *group, struct strbuf *to)
{
    const json_t *layers = json_object_get(group, "layers");
    const size_t count = json_array_size(layers);
    const double first = page_number(group, "first");
    if (count > 1)
        sb_addf(to, "%.0f..%.0f ", first, first + (double)(count - 1));
    else
        sb_addf(to, "%.0f ", first);
    page_add_text(to, json_string_value(json_array_get(layers, 0)));
}

static void add_slices(const json_t *group, struct strbuf *to)
{
    const json_t *slices = json_object_get(group, "slices");
    if (!json_is_true(json_object_get(group, "grouped")))
        sb_add(to, "layer by layer");
    else
        sb_addf(to, "%lld x %lld", (long long)json_integer_value(json_array_get(slices, 0)),
                (long long)json_integer_value(json_array_get(slices, 1)));
}

static void add_tiles(const json_t *run, struct strbuf *to)
{
    const json_t *cost = json_object_get(run, "cost"), *apart = json_object_get(run, "layer_by_layer");
    struct strbuf value = {0}, below = {0};
    sb_add(to, "<dl class=\"tiles\">\n");
    page_add_count(&value, page_number(cost, "bytes"));
    sb_add(&below, "layer by layer ");
    page_add_count(&below, page_number(apart, "bytes"));
    page_add_tile("Bytes of memory", sb_text(&value), sb_text(&below), NULL, to);
    sb_free(&value);
    sb_free(&below);
    page_add_count(&value, page_number(run, "on_chip"));
    page_add_tile("Bytes on chip", sb_text(&value), NULL, NULL, to);
    sb_free(&value);
    page_add_count(&value, page_number(cost, "multiplications_again"));
    page_add_tile("Multiplications done again", sb_text(&value), NULL, NULL, to);
    sb_free(&value);
    sb_add(to, "</dl>\n");
}

/* Activations of its slices, and weights that are loaded once, of all that is on chip. */
static void add_bar(const json_t *run, const json_t *group, size_t at, struct strbuf *to)
{
    const json_t *cost = json_object_get(group, "cost");
    const double all = page_number(run, "on_chip"), scale = BAR / all,
                 activations = page_number(cost, "activations_on_chip"),
                 weights = page_number(cost, "weights_loaded_once");
    const size_t y = TOP + ROW * at;
    sb_addf(to, "<text x=\"0\" y=\"%zu\" font-size=\"11\" fill=\"var(--text)\">", y + HEIGHT - 4);
    add_name(group, to);
    sb_addf(to,
            "</text><rect x=\"%d\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"var(--line)\"/><rect x=\"%d\" y=\"%zu\" width=\"%.1f\" height=\"%d\" "
            "fill=\"var(--activations)\"/><rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\" "
            "fill=\"var(--weights)\"/><text x=\"%d\" y=\"%zu\" font-size=\"11\" fill=\"var(--text)\">",
            LEFT, y, BAR, HEIGHT, LEFT, y, activations * scale, HEIGHT, LEFT + activations * scale, y,
            weights * scale, HEIGHT, LEFT + BAR + 8, y + HEIGHT - 4);
    add_slices(group, to);
    sb_add(to, "</text>\n");
}

static bool is_grouped(const json_t *group)
{
    return json_is_true(json_object_get(group, "grouped"));
}

static void add_picture(const json_t *run, struct strbuf *to)
{
    const json_t *groups = json_object_get(run, "groups"), *group;
    size_t i, count = 0;
    json_array_foreach(groups, i, group) count += is_grouped(group);
    sb_addf(to,
            "<section aria-labelledby=\"bank\"><h2 id=\"bank\">The bank</h2>\n<p>How much of it the largest "
            "slice of each group takes: its activations, and weights that are loaded once.</p>\n<div "
            "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of the bank\"><svg "
            "width=\"%d\" height=\"%zu\" role=\"img\" aria-label=\"How full the bank is in each group\">\n",
            LEFT + BAR + RIGHT, TOP + ROW * (count + 1));
    count = 0;
    json_array_foreach(groups, i, group)
    {
        if (is_grouped(group))
            add_bar(run, group, count++, to);
    }
    sb_add(to, "</svg></div></section>\n");
}

static void add_cell(const json_t *cost, const char *key, struct strbuf *to)
{
    sb_add(to, "<td>");
    page_add_count(to, page_number(cost, key));
    sb_add(to, "</td>");
}

static void add_row(const json_t *run, const json_t *group, struct strbuf *to)
{
    const json_t *cost = json_object_get(group, "cost"), *other;
    size_t i;
    sb_add(to, "<tr><th scope=\"row\">");
    add_name(group, to);
    sb_add(to, "</th><td>");
    add_slices(group, to);
    sb_addf(to, "</td><td>%.0f %%</td>",
            PERCENT * (page_number(cost, "activations_on_chip") + page_number(cost, "weights_loaded_once")) /
                page_number(run, "on_chip"));
    add_cell(cost, "read", to);
    add_cell(cost, "written", to);
    add_cell(cost, "weights", to);
    add_cell(cost, "multiplications_again", to);
    add_cell(json_object_get(group, "layer_by_layer"), "bytes", to);
    sb_add(to, "<td>");
    json_array_foreach(json_object_get(group, "alternatives"), i, other)
    {
        const json_t *slices = json_object_get(other, "slices");
        sb_add(to, i ? "; " : "");
        page_add_text(to, page_text(other, "shared_rows"));
        if (slices) {
            sb_addf(to, ": %lld x %lld, ", (long long)json_integer_value(json_array_get(slices, 0)),
                    (long long)json_integer_value(json_array_get(slices, 1)));
            page_add_count(to, page_number(json_object_get(other, "cost"), "bytes"));
            sb_add(to, " bytes");
        } else {
            sb_add(to, ": none fits");
        }
    }
    sb_add(to, "</td></tr>\n");
}

static void add_table(const json_t *run, struct strbuf *to)
{
    static const char *const heads[] = {"layers",      "slices",         "bank",
                                        "bytes read",  "written",        "of weights",
                                        "mult. again", "layer by layer", "or"};
    const json_t *group;
    size_t i;
    sb_add(to, "<section aria-labelledby=\"groups\"><h2 id=\"groups\">Groups</h2>\n<div class=\"scroll\" "
               "tabindex=\"0\" role=\"region\" aria-label=\"Table of groups\"><table><thead><tr>");
    for (i = 0; i < sizeof heads / sizeof *heads; i++)
        sb_addf(to, "<th scope=\"col\">%s</th>", heads[i]);
    sb_add(to, "</tr></thead><tbody>\n");
    json_array_foreach(json_object_get(run, "groups"), i, group) add_row(run, group, to);
    sb_add(to, "</tbody></table></div></section>\n");
}

void page_add_groups(const json_t *run, const char *title, struct strbuf *to)
{
    page_begin(run, title, to);
    sb_add(to, ".</p>\n");
    add_tiles(run, to);
    sb_add(to, "<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#bank\">The bank</a></li><li><a "
               "href=\"#groups\">Groups</a></li></ul></nav>\n</header>\n<main id=\"main\">\n");
    add_picture(run, to);
    add_table(run, to);
    sb_add(to,
           "</main>\n<footer><p>Made by tulle report; docs/groups.md says what each figure is.</p></footer>\n"
           "</body>\n</html>\n");
}
