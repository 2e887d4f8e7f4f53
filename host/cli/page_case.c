/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "host/cli/page.h"

/* ---- how busy each PE was
 * ---------------------------------------------------------------------------------- */

static void add_heat_row(const json_t *busy, size_t first, unsigned pes, double cycles, struct strbuf *to)
{
    for (unsigned p = 0; p < pes; p++) {
        const double share = json_number_value(json_array_get(busy, first + p)) / cycles;
        sb_addf(to, "<td style=\"--v:%.2f\">%.0f</td>", share < 1 ? share : 1, 100 * share);
    }
    sb_add(to, "</tr>\n");
}

static void add_heat(const json_t *run, const json_t *c, struct strbuf *to)
{
    const json_t *v = page_variant(run, page_text(c, "variant")), *busy = json_object_get(c, "pe_busy");
    const unsigned m = (unsigned)page_number(v, "m"), k = (unsigned)page_number(v, "k");
    const size_t pes = json_array_size(busy);
    const double cycles = page_number(json_object_get(c, "model"), "cycles");
    sb_add(to, "<figure><h4>How busy each PE was</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
               "aria-label=\"How busy each PE was\">"
               "<table class=\"heat\"><thead><tr><th scope=\"col\">row, cluster</th>");
    for (unsigned p = 0; p < k; p++)
        sb_addf(to, "<th scope=\"col\">%u</th>", p);
    sb_add(to, "</tr></thead><tbody>\n");
    for (size_t first = 0; k && m && first + k <= pes; first += k) {
        sb_addf(to, "<tr><th scope=\"row\">%zu, %zu</th>", first / k / m, first / k % m);
        add_heat_row(busy, first, k, cycles, to);
    }
    sb_add(to, "</tbody></table></div>\n<figcaption>Cycles with a multiplication, per cent of all. Of the "
               "cycle model.</figcaption></figure>\n");
}

/* ---- plans
 * -------------------------------------------------------------------------------------------------- */

static const char *remark(const json_t *plan)
{
    if (json_object_get(plan, "refused"))
        return page_text(plan, "refused");
    return *page_text(plan, "same_as") ? "the same program as" : "";
}

static void add_plan(const json_t *plan, struct strbuf *to)
{
    const bool chosen = json_is_true(json_object_get(plan, "chosen"));
    sb_addf(to, "<tr%s><th scope=\"row\">", chosen ? " class=\"chosen\"" : "");
    page_add_text(to, page_text(plan, "plan"));
    sb_addf(to, "%s</th><td>", chosen ? " (chosen)" : "");
    page_add_count(to, page_number(plan, "estimate"));
    sb_add(to, "</td><td>");
    if (json_is_number(json_object_get(plan, "cycles")))
        page_add_count(to, page_number(plan, "cycles"));
    else
        sb_add(to, "&#8211;");
    sb_add(to, "</td><td class=\"left soft\">");
    page_add_text(to, remark(plan));
    if (*page_text(plan, "same_as")) {
        sb_add(to, " ");
        page_add_text(to, page_text(plan, "same_as"));
    }
    sb_add(to, "</td></tr>\n");
}

/* Those that the cycle model was asked about, and those that are none with a reason; the rest is counted. */
static void add_plans(const json_t *c, struct strbuf *to)
{
    size_t i, others = 0;
    const json_t *plan;
    sb_add(to, "<figure><h4>What the planner considered</h4>\n<div class=\"scroll\" tabindex=\"0\" "
               "role=\"region\" aria-label=\"Plans\">"
               "<table><thead><tr><th scope=\"col\">plan</th><th scope=\"col\">estimate</th>"
               "<th scope=\"col\">cycle<br/>model</th><th scope=\"col\"></th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(c, "alternatives"), i, plan)
    {
        if (json_is_number(json_object_get(plan, "cycles")) || json_object_get(plan, "same_as"))
            add_plan(plan, to);
        else
            others++;
    }
    sb_add(to, "</tbody></table></div>\n");
    if (others)
        sb_addf(to, "<figcaption>%zu more by their estimates alone, or impossible.</figcaption>\n", others);
    sb_add(to, "</figure>\n");
}

/* ---- a case
 * ------------------------------------------------------------------------------------------------- */

static void add_facts(const json_t *c, struct strbuf *to)
{
    const double nonzeros = page_number(c, "nnz");
    sb_add(to, "<p class=\"small\">");
    page_add_text(to, page_text(c, "weights"));
    sb_addf(to, "; %.0f x %.0f x %.0f (m, k, n), ", page_number(c, "m"), page_number(c, "k"),
            page_number(c, "n"));
    page_add_count(to, nonzeros);
    sb_add(to, " non-zeros, ");
    page_add_count(to, page_number(c, "effective_macs"));
    sb_addf(to, " multiplications of two non-zeros; plan %s, %.2f bytes of weights a non-zero.</p>\n",
            page_text(c, "plan"), nonzeros > 0 ? page_number(c, "weights_bytes") / nonzeros : 0);
}

static void add_case(const json_t *run, const json_t *c, size_t number, struct strbuf *to)
{
    const json_t *figures = page_figures(c);
    sb_addf(to, "<details class=\"case\" id=\"case-%zu\"%s><summary><h3>%zu ", number,
            number == 1 ? " open=\"\"" : "", number);
    page_add_text(to, page_text(c, "name"));
    sb_add(to, "</h3><span class=\"soft\">");
    page_add_text(to, page_text(c, "op"));
    sb_add(to, " on ");
    page_add_text(to, page_text(c, "variant"));
    sb_addf(to, ", efficiency %.3f, ", page_number(figures, "efficiency"));
    page_add_count(to, page_number(figures, "cycles"));
    sb_add(to, " cycles</span></summary>\n");
    add_facts(c, to);
    page_add_use_bar(c, to);
    sb_add(to, "<div class=\"figures\">\n");
    page_add_timeline(run, c, to);
    add_heat(run, c, to);
    add_plans(c, to);
    sb_add(to, "</div></details>\n");
}

void page_add_cases(const json_t *run, struct strbuf *to)
{
    size_t i;
    const json_t *c;
    sb_add(to, "<section aria-labelledby=\"cases\"><h2 id=\"cases\">Case by case</h2>\n"
               "<p>Load, compute and store over the job, the PEs of the array, and the plans. The bar is "
               "where the cycles went, as above.</p>\n");
    page_add_use_key(to);
    json_array_foreach(json_object_get(run, "cases"), i, c)
    {
        if (page_measured(c))
            add_case(run, c, i + 1, to);
    }
    sb_add(to, "</section>\n");
}
