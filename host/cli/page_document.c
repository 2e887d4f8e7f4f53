/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/cli/page.h"

void page_add_tile(const char *what, const char *value, const char *below, const char *class,
                   struct strbuf *to)
{
    sb_addf(to, "<div><dt>%s</dt><dd%s%s%s>%s", what, class ? " class=\"" : "", class ? class : "",
            class ? "\"" : "", value);
    if (below) {
        sb_add(to, "<small>");
        page_add_text(to, below);
        sb_add(to, "</small>");
    }
    sb_add(to, "</dd></div>\n");
}

struct extremes {
    const json_t *best, *worst;
    double mean; /* geometric */
    unsigned count;
};

static struct extremes extremes_of(const json_t *run)
{
    struct extremes e = {.best = NULL};
    double logs = 0;
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        if (!page_measured(c))
            continue;
        const double value = page_number(page_figures(c), "efficiency");
        logs += log(value > 1e-6 ? value : 1e-6);
        e.count++;
        if (!e.best || value > page_number(page_figures(e.best), "efficiency"))
            e.best = c;
        if (!e.worst || value < page_number(page_figures(e.worst), "efficiency"))
            e.worst = c;
    }
    e.mean = e.count ? exp(logs / e.count) : 0;
    return e;
}

static void add_ratio_tile(const char *what, double value, const char *below, struct strbuf *to)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", value);
    page_add_tile(what, text, below, NULL, to);
}

static void add_outcome_tiles(const json_t *summary, struct strbuf *to)
{
    char value[64], below[96];
    const unsigned bars = (unsigned)page_number(summary, "bars"),
                   missed = (unsigned)page_number(summary, "below");
    if (bars) {
        snprintf(value, sizeof value, "%u of %u", bars - missed, bars);
        page_add_tile("Bars met", value, "least efficiencies that cases must have", missed ? "bad" : NULL,
                      to);
    }
    if (!json_object_get(summary, "compared"))
        return;
    const unsigned slower = (unsigned)page_number(summary, "slower");
    snprintf(value, sizeof value, "%u", slower);
    snprintf(below, sizeof below, "of %.0f runs, by more than 2 %%; %.0f not in the record",
             page_number(summary, "compared"), page_number(summary, "unrecorded"));
    page_add_tile("Slower than recorded", value, below, slower ? "bad" : NULL, to);
}

static void add_tiles(const json_t *run, struct strbuf *to)
{
    const json_t *summary = json_object_get(run, "summary");
    const struct extremes e = extremes_of(run);
    char value[64], below[96];
    snprintf(value, sizeof value, "%u", e.count);
    snprintf(below, sizeof below, "%.0f left out, %.0f refused by the planner",
             page_number(summary, "left_out"), page_number(summary, "refused"));
    sb_add(to, "<dl class=\"tiles\">\n");
    page_add_tile("Cases measured", value, below, NULL, to);
    if (e.count) {
        add_ratio_tile("Efficiency, geometric mean", e.mean, "roofline cycles over measured cycles", to);
        add_ratio_tile("Highest", page_number(page_figures(e.best), "efficiency"), page_text(e.best, "name"),
                       to);
        add_ratio_tile("Lowest", page_number(page_figures(e.worst), "efficiency"), page_text(e.worst, "name"),
                       to);
    }
    add_outcome_tiles(summary, to);
    sb_add(to, "</dl>\n");
}

void page_begin(const json_t *run, const char *title, struct strbuf *to)
{
    sb_add(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
               "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    page_add_text(to, title);
    sb_addf(to,
            "</title>\n<style>\n%s</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the "
            "content</a>\n",
            page_sources[0].text);
    sb_add(to, "<header>\n<h1>");
    page_add_text(to, title);
    sb_add(to, "</h1>\n<p class=\"soft\">tulle ");
    page_add_text(to, page_text(run, "version"));
    sb_add(to, ", instruction set ");
    page_add_text(to, page_text(run, "isa"));
}

static void add_head(const json_t *run, const char *title, struct strbuf *to)
{
    page_begin(run, title, to);
    sb_addf(to,
            ". Cycles count from start to interrupt, with one beat of memory a cycle each way and a latency "
            "of %.0f cycles.</p>\n",
            page_number(run, "memory_latency"));
    add_tiles(run, to);
}

static bool any_processor(const json_t *run)
{
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        if (json_object_get(c, "cpu"))
            return true;
    }
    return false;
}

void page_add_document(const json_t *run, const char *title, struct strbuf *to)
{
    const bool processors = any_processor(run);
    add_head(run, title, to);
    sb_add(
        to,
        "<nav aria-label=\"Sections\"><ul>\n"
        "<li><a href=\"#roofline\">Roofline</a></li><li><a href=\"#efficiency\">Efficiency</a></li>"
        "<li><a href=\"#cycles\">Where the cycles went</a></li><li><a href=\"#cases\">Case by case</a></li>");
    sb_addf(
        to,
        "%s<li><a href=\"#variants\">Variants and areas</a></li></ul></nav>\n</header>\n<main id=\"main\">\n",
        processors ? "<li><a href=\"#processor\">Beside a processor</a></li>" : "");
    page_add_rooflines(run, to);
    page_add_efficiencies(run, to);
    page_add_uses(run, to);
    page_add_cases(run, to);
    if (processors)
        page_add_processors(run, to);
    page_add_variants(run, to);
    sb_add(to,
           "</main>\n<footer><p>Made by tulle report; docs/bench.md says what each figure is.</p></footer>\n"
           /* A link to a case opens it. */
           "<script>\nfunction show() {\n"
           "    var at = document.getElementById(location.hash.slice(1) || \"main\");\n"
           "    if (at?.tagName === \"DETAILS\") at.open = true;\n}\n"
           "addEventListener(\"hashchange\", show);\nshow();\n</script>\n</body>\n</html>\n");
}
