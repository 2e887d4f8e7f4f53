/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/estimate/estimate.h"
#include "gen/version.h"

static const char *const headings[ESTIMATE_FIGURES] = {"LUTs", "flip-flops", "DSPs", "block RAMs",
                                                       "longest path"};

/* Counts are whole; of block RAMs there are halves. */
static double shown(double value, unsigned figure)
{
    return figure == ESTIMATE_BLOCK_RAMS ? value : (double)(unsigned long long)(value + 0.5);
}

static void add_error(const struct estimate *e, struct strbuf *to)
{
    const char *between = "";
    sb_add(to, "error    ");
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++) {
        sb_addf(to, "%s%s %.1f %%", between, headings[f], 100 * e->error[f]);
        between = ", ";
    }
    sb_add(to, " at most, of the variants that it was checked with and not fitted to\n");
    if (e->beyond.len)
        sb_addf(to, "beyond   what it was fitted to, so it may be further off: %s\n", sb_text(&e->beyond));
}

void estimate_text(const struct variant *variant, const struct estimate *e, struct strbuf *to)
{
    sb_addf(to, "%s on %s: estimated from %s, nothing was synthesised\n\n%-8s", variant->name,
            e->source->name, e->source->label, "");
    for (unsigned f = 0; f < ESTIMATE_FIGURES; f++)
        sb_addf(to, " %12s", headings[f]);
    sb_add(to, "\n");
    for (unsigned part = 0; part < ESTIMATE_PARTS; part++) {
        sb_addf(to, "%-8s", estimate_part_names[part]);
        for (unsigned f = 0; f < ESTIMATE_FIGURES; f++)
            sb_addf(to, f == ESTIMATE_BLOCK_RAMS ? " %12.1f" : " %12.0f", e->of[part][f]);
        sb_add(to, "\n");
    }
    sb_add(to, "\n");
    add_error(e, to);
    sb_addf(to, "clock    %.0f MHz by the longest path in cells (docs/synthesis.md); not placed and routed\n",
            e->clock_mhz);
}

static void part_json(const struct estimate *e, unsigned part, struct strbuf *to)
{
    sb_addf(to, "  \"%s\": {", estimate_part_names[part]);
    for (unsigned f = 0; f < ESTIMATE_FIGURES; f++)
        sb_addf(to, "%s\"%s\": %.10g", f ? ", " : "", estimate_figure_names[f], shown(e->of[part][f], f));
    sb_add(to, "},\n");
}

/* What the fit is made of: scripts/fit-estimate. */
static void features_json(const struct variant *variant, unsigned part, struct strbuf *to)
{
    struct variant_derived derived;
    variant_derive(variant, &derived);
    sb_addf(to, "  \"features_%s\": {", estimate_part_names[part]);
    for (const struct estimate_feature *f = estimate_features[part]; f->name; f++)
        sb_addf(to, "%s\"%s\": %.10g", f == estimate_features[part] ? "" : ", ", f->name,
                f->of(variant, &derived));
    sb_addf(to, "}%s\n", part + 1 < ESTIMATE_DEVICE ? "," : "");
}

void estimate_json(const struct variant *variant, const struct estimate *e, struct strbuf *to)
{
    sb_addf(to,
            "{\n  \"format\": 1,\n  \"variant\": \"%s\",\n  \"hash\": \"%016llx\",\n  \"target\": \"%s\",\n",
            variant->name, (unsigned long long)variant_hash(variant, TULLE_ISA_VERSION), e->source->name);
    for (unsigned part = 0; part < ESTIMATE_PARTS; part++)
        part_json(e, part, to);
    sb_add(to, "  \"error\": {");
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++)
        sb_addf(to, "%s\"%s\": %g", f ? ", " : "", estimate_figure_names[f], e->error[f]);
    sb_addf(to, "},\n  \"clock_mhz\": %.1f,\n  \"beyond\": ", e->clock_mhz);
    sb_add_json(to, sb_text(&e->beyond));
    sb_add(to, ",\n");
    for (unsigned part = 0; part < ESTIMATE_DEVICE; part++)
        features_json(variant, part, to);
    sb_add(to, "}\n");
}
