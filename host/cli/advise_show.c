/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gen/emit/summary.h"
#include "gen/version.h"
#include "host/cli/advise.h"

static const char *const headings[ESTIMATE_LONGEST_PATH] = {"LUTs", "flip-flops", "DSPs", "block RAMs"};
static const char *const states[] = {[ADVISE_TOO_LARGE] = "does not fit",
                                     [ADVISE_SLOWER] = "not run",
                                     [ADVISE_NO_PLAN] = "no plan",
                                     [ADVISE_TRIED] = "run"};

static void add_why_not(const struct advise *a, const struct advise_candidate *c, struct strbuf *to)
{
    const char *between = "does not fit: ";
    if (c->state == ADVISE_NO_PLAN)
        sb_addf(to, "no plan: %s", c->why);
    else if (c->state == ADVISE_SLOWER)
        sb_addf(to, "not run: likely %.0f us by the planner's estimate (--tried)", c->likely_us);
    for (unsigned f = 0; c->state == ADVISE_TOO_LARGE && f < ESTIMATE_LONGEST_PATH; f++)
        if (c->share[f] > a->request->fill) {
            sb_addf(to, "%s%.0f %% of the %s", between, 100 * c->share[f], headings[f]);
            between = ", ";
        }
}

static const char *clock_is(const struct advise_request *r)
{
    return r->clock_mhz > 0        ? "as --clock says"
           : r->part.board_mhz > 0 ? "the board's"
                                   : "estimated, never placed and routed";
}

static double efficiency(const struct advise_candidate *c)
{
    return c->all_cycles ? c->roofline_cycles / (double)c->all_cycles : 0;
}

/* ---- for readers
 * ------------------------------------------------------------------------------------------- */

static void add_recommendation(const struct advise *a, struct strbuf *to)
{
    const struct advise_request *r = a->request;
    const struct advise_candidate *c = &a->of[0];
    sb_addf(to, "build           %s: ", c->variant.name);
    summary_one_line(to, &c->variant);
    sb_addf(to, "\nfor             %s, %u of them, on %s", r->operator== PLAN_SPMV ? "spmv" : "spmm",
            r->matrices, r->part.name);
    sb_addf(
        to,
        ", at most %.0f %% full\nrows            %u of activations, %.0f %% of them not 0\ntakes           ",
        100 * r->fill, r->rows, 100 * r->density);
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++)
        sb_addf(to, "%s%.0f %s (%.0f %%)", f ? ", " : "", c->estimate.of[ESTIMATE_DEVICE][f], headings[f],
                100 * c->share[f]);
    sb_addf(to,
            "; estimated\nneeds           %llu cycles, %.0f us at %.0f MHz (%s), %.0f %% of the roofline\n",
            (unsigned long long)c->all_cycles, c->us, c->clock_mhz, clock_is(r), 100 * efficiency(c));
    if (r->part.board_block_rams)
        sb_addf(to, "board           its memory takes %u block RAMs more, which count in the shares\n",
                r->part.board_block_rams);
    if (c->estimate.beyond.len)
        sb_addf(to, "beyond          what the estimate was fitted to: %s\n", sb_text(&c->estimate.beyond));
}

static void add_row(const struct advise *a, const struct advise_candidate *c, struct strbuf *to)
{
    const struct variant *v = &c->variant;
    sb_addf(to, "| %s | %u x %u x %u, scan %u, bus %u, memory %u |", v->name, v->n, v->m, v->k, v->scan,
            v->row_bus_width, v->memory_width);
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++)
        sb_addf(to, f == ESTIMATE_BLOCK_RAMS ? " %.1f (%.0f %%) |" : " %.0f (%.0f %%) |",
                c->estimate.of[ESTIMATE_DEVICE][f], 100 * c->share[f]);
    sb_addf(to, " %.0f | ", c->clock_mhz);
    if (c->state == ADVISE_TRIED)
        sb_addf(to, "%llu | %.0f | %.0f %% | |\n", (unsigned long long)c->all_cycles, c->us,
                100 * efficiency(c));
    else {
        sb_add(to, "- | - | - | ");
        add_why_not(a, c, to);
        sb_add(to, " |\n");
    }
}

void advise_text(const struct advise *a, bool all, struct strbuf *to)
{
    unsigned left_out = 0;
    add_recommendation(a, to);
    sb_add(
        to,
        "\n| variant | rows x clusters x PEs | LUTs | flip-flops | DSPs | block RAMs | MHz | cycles | us | "
        "of roofline | why not |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (unsigned i = 0; i < a->count; i++) {
        const struct advise_candidate *c = &a->of[i];
        if (all || c->named || c->state == ADVISE_TRIED)
            add_row(a, c, to);
        else
            left_out++;
    }
    if (left_out)
        sb_addf(to,
                "\n%u more candidates do not fit or were not run, being likely slower: --all shows them\n",
                left_out);
}

/* ---- for programs
 * ------------------------------------------------------------------------------------------- */

static void candidate_json(const struct advise *a, const struct advise_candidate *c, struct strbuf *to)
{
    struct strbuf why = {0};
    sb_addf(to, "{\"variant\": \"%s\", \"hash\": \"%016llx\", \"named\": %s, \"state\": \"%s\"",
            c->variant.name, (unsigned long long)variant_hash(&c->variant, TULLE_ISA_VERSION),
            c->named ? "true" : "false", states[c->state]);
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++)
        sb_addf(to, ", \"%s\": %.1f, \"%s_share\": %.4f", estimate_figure_names[f],
                c->estimate.of[ESTIMATE_DEVICE][f], estimate_figure_names[f], c->share[f]);
    sb_addf(to, ", \"clock_mhz\": %.1f, \"likely_us\": %.1f", c->clock_mhz, c->likely_us);
    if (c->state == ADVISE_TRIED) {
        sb_addf(to, ", \"cycles\": %llu, \"us\": %.1f, \"efficiency\": %.4f, \"cycles_of\": [",
                (unsigned long long)c->all_cycles, c->us, efficiency(c));
        for (unsigned i = 0; i < a->request->matrices; i++)
            sb_addf(to, "%s%llu", i ? ", " : "", (unsigned long long)c->cycles[i]);
        sb_add(to, "]");
    } else {
        add_why_not(a, c, &why);
        sb_add(to, ", \"why_not\": ");
        sb_add_json(to, sb_text(&why));
    }
    sb_add(to, ", \"beyond\": ");
    sb_add_json(to, sb_text(&c->estimate.beyond));
    sb_add(to, "}");
    sb_free(&why);
}

void advise_json(const struct advise *a, struct strbuf *to)
{
    const struct advise_request *r = a->request;
    sb_addf(
        to,
        "{\"format\": 1, \"recommended\": \"%s\", \"part\": \"%s\", \"family\": \"%s\", \"operator\": \"%s\"",
        a->of[0].variant.name, r->part.name, r->part.family, r->operator== PLAN_SPMV ? "spmv" : "spmm");
    sb_addf(to, ", \"board_block_rams\": %u", r->part.board_block_rams);
    sb_addf(to, ", \"rows\": %u, \"fill\": %.4f, \"clock\": ", r->rows, r->fill);
    sb_add_json(to, clock_is(r));
    sb_add(to, ", \"matrices\": [");
    for (unsigned i = 0; i < r->matrices; i++) {
        sb_add(to, i ? ", " : "");
        sb_add_json(to, r->path[i]);
    }
    sb_add(to, "], \"candidates\": [");
    for (unsigned i = 0; i < a->count; i++) {
        sb_add(to, i ? ",\n" : "\n");
        candidate_json(a, &a->of[i], to);
    }
    sb_add(to, "]}\n");
}
