/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "host/cli/page.h"

#define SCROLL(label) "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" label "\">"

/* ---- efficiency ------------------------------------------------------------------------------------------
 */

static void add_cycles(const json_t *figures, struct strbuf *to)
{
    sb_add(to, "<td>");
    if (json_is_object(figures))
        page_add_count(to, page_number(figures, "cycles"));
    else
        sb_add(to, "&#8211;");
    sb_add(to, "</td>");
}

static void add_change(const json_t *c, struct strbuf *to)
{
    static const char *const targets[] = {"model", "sim"};
    sb_add(to, "<td>");
    for (unsigned i = 0; i < 2; i++) {
        const json_t *figures = json_object_get(c, targets[i]), *change = json_object_get(figures, "change");
        if (!change)
            continue;
        const double value = json_number_value(change);
        sb_addf(to, "%s<span%s>%+.1f %%</span>", i ? "<br/>" : "",
                value > .02    ? " class=\"bad\""
                : value < -.02 ? " class=\"good\""
                               : "",
                100 * value + 0.0);
    }
    sb_add(to, "</td>");
}

static void add_efficiency(const json_t *c, struct strbuf *to)
{
    const double value = page_number(page_figures(c), "efficiency");
    sb_addf(to, "<td class=\"meter\"><span><i class=\"%s\" style=\"--v:%.3f\">", page_limit(c),
            value < 1 ? value : 1);
    if (json_object_get(c, "bar"))
        sb_addf(to, "<b style=\"--bar:%.3f\"></b>", page_number(c, "bar"));
    sb_addf(to, "</i><em%s>%.3f</em></span></td>",
            json_is_false(json_object_get(c, "met")) ? " class=\"bad\"" : "", value);
}

/* "1 random-50", which leads to the case. */
static void add_case_head(const json_t *c, size_t number, struct strbuf *to)
{
    sb_addf(to, "<th scope=\"row\">%zu <a href=\"#case-%zu\">", number, number);
    page_add_text(to, page_text(c, "name"));
    sb_add(to, "</a></th>");
}

static void add_unmeasured(const json_t *c, size_t number, unsigned columns, struct strbuf *to)
{
    const char *left_out = page_text(c, "left_out");
    sb_addf(to, "<tr><th scope=\"row\">%zu ", number);
    page_add_text(to, page_text(c, "name"));
    sb_addf(to, "</th><td class=\"left soft\" colspan=\"%u\">%s", columns, *left_out ? "" : "refused: ");
    page_add_text(to, *left_out ? left_out : page_text(c, "refused"));
    sb_add(to, "</td></tr>\n");
}

/* Columns that there are only where there is something in them. */
struct columns {
    bool simulated, recorded;
};

static void add_case_row(const json_t *c, size_t number, struct columns columns, struct strbuf *to)
{
    sb_add(to, "<tr>");
    add_case_head(c, number, to);
    sb_add(to, "<td class=\"left few\">");
    page_add_text(to, page_text(c, "variant"));
    sb_addf(to, "</td><td class=\"left few\"><span class=\"dot %s\"></span>%s</td>", page_limit(c),
            page_limit(c));
    add_efficiency(c, to);
    sb_addf(to, "<td>%.3f</td><td>", page_number(page_figures(c), "utilization"));
    page_add_count(to, page_number(c, "roofline_cycles"));
    sb_add(to, "</td>");
    add_cycles(json_object_get(c, "model"), to);
    if (columns.simulated)
        add_cycles(json_object_get(c, "sim"), to);
    if (columns.recorded)
        add_change(c, to);
    sb_add(to, "<td>");
    page_add_count(to, page_number(page_figures(c), "bytes_read"));
    sb_add(to, "</td><td>");
    page_add_count(to, page_number(page_figures(c), "bytes_written"));
    sb_add(to, "</td></tr>\n");
}

static struct columns columns_of(const json_t *run)
{
    struct columns columns = {.recorded = json_object_get(json_object_get(run, "summary"), "compared")};
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        columns.simulated = columns.simulated || json_is_object(json_object_get(c, "sim"));
    }
    return columns;
}

void page_add_efficiencies(const json_t *run, struct strbuf *to)
{
    const struct columns columns = columns_of(run);
    size_t i;
    const json_t *c;
    sb_addf(to,
            "<section aria-labelledby=\"efficiency\"><h2 id=\"efficiency\">Efficiency</h2>\n"
            "<p>Roofline cycles over measured cycles, of %s. The colour says what bounds the case; an "
            "upright line is "
            "its bar, the least it must have.</p>\n" SCROLL(
                "Efficiency of each "
                "case") "<table class=\"wide\"><thead><tr><th scope=\"col\">case</th><th scope=\"col\" "
                        "class=\"left few\">variant</th>"
                        "<th scope=\"col\" class=\"left few\">bound by</th><th scope=\"col\" "
                        "class=\"left\">efficiency</th>"
                        "<th scope=\"col\">util.</th><th scope=\"col\">roofline<br/>cycles</th><th "
                        "scope=\"col\">cycle<br/>model</th>",
            columns.simulated ? "the simulated device where there was one, else of the cycle model"
                              : "the cycle model");
    if (columns.simulated)
        sb_add(to, "<th scope=\"col\">simulated<br/>device</th>");
    if (columns.recorded)
        sb_add(to, "<th scope=\"col\">beside the<br/>record</th>");
    sb_add(to, "<th scope=\"col\">bytes<br/>read</th><th "
               "scope=\"col\">bytes<br/>written</th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        if (page_measured(c))
            add_case_row(c, i + 1, columns, to);
        else
            add_unmeasured(c, i + 1, 8u + columns.simulated + columns.recorded, to);
    }
    sb_add(to, "</tbody></table></div></section>\n");
}

/* ---- where the cycles went -------------------------------------------------------------------------------
 */

static const struct {
    const char *key, *name;
} uses[] = {{"multiplies", "multiplies"},
            {"no_packet", "nothing has come to run"},
            {"activations", "waits for activations"},
            {"weights", "waits for weights"},
            {"results", "waits for results to leave"},
            {"between", "scans, adds up"},
            {"end", "end of the job"}};
#define USES (sizeof uses / sizeof *uses)

static double use_share(const json_t *c, size_t use)
{
    return page_number(json_object_get(c, "pe_cycles"), uses[use].key) /
           (page_number(c, "pes") * page_number(json_object_get(c, "model"), "cycles"));
}

void page_add_use_key(struct strbuf *to)
{
    sb_add(to, "<ul class=\"key\">");
    for (size_t u = 0; u < USES; u++)
        sb_addf(to, "<li><span class=\"dot u%zu\"></span>%s</li>", u, uses[u].name);
    sb_add(to, "</ul>\n");
}

void page_add_use_bar(const json_t *c, struct strbuf *to)
{
    sb_add(to, "<div class=\"stack\" aria-hidden=\"true\">");
    for (size_t u = 0; u < USES; u++)
        if (use_share(c, u) >= .0005)
            sb_addf(to, "<i class=\"u%zu\" style=\"--v:%.4f\"></i>", u, use_share(c, u));
    sb_add(to, "</div>");
}

void page_add_uses(const json_t *run, struct strbuf *to)
{
    size_t i;
    const json_t *c;
    sb_add(to, "<section aria-labelledby=\"cycles\"><h2 id=\"cycles\">Where the cycles went</h2>\n"
               "<p>Each cycle of each PE is in one of these, on the cycle model. In per cent of PEs times "
               "cycles.</p>\n");
    page_add_use_key(to);
    sb_add(
        to,
        SCROLL(
            "Where the cycles went, by case") "<table class=\"wide\"><thead><tr><th scope=\"col\">case</th>"
                                              "<th scope=\"col\" class=\"left\">all cycles of all PEs</th>");
    for (size_t u = 0; u < USES; u++)
        sb_addf(to, "<th scope=\"col\">%s</th>", uses[u].key[0] == 'n' ? "no packet" : uses[u].key);
    sb_add(to, "</tr></thead><tbody>\n");
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        if (!page_measured(c))
            continue;
        sb_add(to, "<tr>");
        add_case_head(c, i + 1, to);
        sb_add(to, "<td class=\"left\">");
        page_add_use_bar(c, to);
        sb_add(to, "</td>");
        for (size_t u = 0; u < USES; u++)
            sb_addf(to, "<td>%.1f</td>", 100 * use_share(c, u));
        sb_add(to, "</tr>\n");
    }
    sb_add(to, "</tbody></table></div></section>\n");
}

/* ---- variants ---------------------------------------------------------------------------------------------
 */

static void add_figures(const json_t *area, struct strbuf *to)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)json_object_get(area, "figures"), key, value)
    {
        sb_add(to, "<tr><th scope=\"row\">");
        for (const char *at = key; *at; at++)
            page_add_text(to, (char[]){*at == '_' ? ' ' : *at, 0});
        sb_add(to, "</th><td>");
        if (fmod(json_number_value(value), 1) != 0)
            sb_addf(to, "%.2f", json_number_value(value));
        else
            page_add_count(to, json_number_value(value));
        sb_add(to, "</td></tr>\n");
    }
}

static void add_area(const json_t *v, struct strbuf *to)
{
    size_t i;
    const json_t *area;
    if (!json_array_size(json_object_get(v, "area")))
        return;
    sb_add(to, "<div class=\"figures\">");
    json_array_foreach(json_object_get(v, "area"), i, area)
    {
        sb_add(to, "<table><caption>");
        page_add_text(to, page_text(v, "name"));
        sb_add(to, " in ");
        page_add_text(to, page_text(area, "technology"));
        sb_add(to, ", by ");
        page_add_text(to, page_text(area, "tools"));
        sb_add(to, "</caption><thead><tr><th scope=\"col\">recorded</th><th "
                   "scope=\"col\"></th></tr></thead><tbody>\n");
        add_figures(area, to);
        sb_add(to, "</tbody></table>\n");
    }
    sb_add(to, "</div>\n");
}

static void add_variant_rows(const json_t *run, struct strbuf *to)
{
    static const char *const keys[] = {"data_width", "scan", "memory_width", "memory_ports", "row_bus_width"};
    size_t i;
    const json_t *v;
    json_array_foreach(json_object_get(run, "variants"), i, v)
    {
        sb_add(to, "<tr><th scope=\"row\">");
        page_add_text(to, page_text(v, "name"));
        sb_addf(to, "</th><td>%.0f x %.0f x %.0f</td>", page_number(v, "n"), page_number(v, "m"),
                page_number(v, "k"));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            sb_addf(to, "<td>%.0f</td>", page_number(v, keys[k]));
        sb_add(to, "<td class=\"left\">");
        page_add_text(to, page_text(v, "hash"));
        sb_add(to, "</td></tr>\n");
    }
}

void page_add_variants(const json_t *run, struct strbuf *to)
{
    size_t i;
    const json_t *v;
    sb_add(to, "<section aria-labelledby=\"variants\"><h2 id=\"variants\">Variants and areas</h2>\n"
               "<p>Areas and clocks are what is recorded in the tree, of the tools that are named; they are "
               "estimates of these tools, and "
               "nothing here has run on real hardware.</p>\n" SCROLL(
                   "Variants") "<table><thead><tr><th scope=\"col\">variant</th>"
                               "<th scope=\"col\">rows x clusters x PEs</th><th scope=\"col\">bits</th><th "
                               "scope=\"col\">scan</th>"
                               "<th scope=\"col\">memory,<br/>bits</th><th scope=\"col\">ports</th><th "
                               "scope=\"col\">row bus,<br/>bits</th>"
                               "<th scope=\"col\" class=\"left\">hash</th></tr></thead><tbody>\n");
    add_variant_rows(run, to);
    sb_add(to, "</tbody></table></div>\n");
    json_array_foreach(json_object_get(run, "variants"), i, v)
    {
        add_area(v, to);
    }
    sb_add(to, "</section>\n");
}

/* ---- beside a processor
 * ------------------------------------------------------------------------------------ */

/* Of what is recorded; 0: nothing. */
static double recorded_mhz(const json_t *variant)
{
    size_t i;
    const json_t *area;
    double mhz = 0;
    json_array_foreach(json_object_get(variant, "area"), i, area)
    {
        const double value = page_number(json_object_get(area, "figures"), "mhz");
        mhz = value > mhz ? value : mhz;
    }
    return mhz;
}

static void add_seconds(double seconds, struct strbuf *to)
{
    if (seconds > 0)
        sb_addf(to, "<td>%.1f</td>", 1e6 * seconds);
    else
        sb_add(to, "<td>&#8211;</td>");
}

static void add_processor_row(const json_t *run, const json_t *c, size_t number, struct strbuf *to)
{
    const json_t *cpu = json_object_get(c, "cpu");
    const double csr = page_number(cpu, "csr_seconds"), library = page_number(cpu, "graphblas_seconds"),
                 best = library > 0 && library < csr ? library : csr,
                 cycles = page_number(page_figures(c), "cycles"),
                 mhz = recorded_mhz(page_variant(run, page_text(c, "variant")));
    sb_add(to, "<tr>");
    add_case_head(c, number, to);
    add_seconds(csr, to);
    add_seconds(library, to);
    sb_add(to, "<td>");
    page_add_count(to, cycles);
    sb_addf(to, "</td><td>%.0f</td>", best > 0 ? cycles / best / 1e6 : 0);
    if (mhz > 0)
        sb_addf(to, "<td class=\"%s\">%.2f</td></tr>\n", best * mhz * 1e6 > cycles ? "good" : "bad",
                best * mhz * 1e6 / cycles);
    else
        sb_add(to, "<td>&#8211;</td></tr>\n");
}

void page_add_processors(const json_t *run, struct strbuf *to)
{
    size_t i;
    const json_t *c;
    sb_add(to, "<section aria-labelledby=\"processor\"><h2 id=\"processor\">Beside a processor</h2>\n"
               "<p>Microseconds for the same product on the computer that made this run: a plain loop over "
               "CSR, and SuiteSparse:GraphBLAS "
               "where it was installed. From the quicker one and the cycles follows the clock from which a "
               "device is as fast. The last "
               "column is how many times as fast it is at the clock that is recorded for its variant, below "
               "1 slower. Transfers to a "
               "device and back are in none of these.</p>\n" SCROLL(
                   "Beside a processor") "<table class=\"wide\"><thead><tr><th scope=\"col\">case</th><th "
                                         "scope=\"col\">plain loop,<br/>&#181;s</th>"
                                         "<th scope=\"col\">GraphBLAS,<br/>&#181;s</th><th "
                                         "scope=\"col\">device,<br/>cycles</th>"
                                         "<th scope=\"col\">pays from<br/>MHz</th><th scope=\"col\">at the "
                                         "recorded<br/>clock, times</th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        if (json_is_object(json_object_get(c, "cpu")) && page_measured(c))
            add_processor_row(run, c, i + 1, to);
    }
    sb_add(to, "</tbody></table></div></section>\n");
}
