/* SPDX-License-Identifier: Apache-2.0
 *
 * What a variant costs, without synthesis: block RAMs and DSP blocks counted
 * as Yosys maps them, LUTs, flip-flops and the longest path from a model
 * that is fitted to synthesis reports (bitstreams/estimate, docs/synthesis.md).
 */
#ifndef TULLE_GEN_ESTIMATE_H
#define TULLE_GEN_ESTIMATE_H

#include "gen/variant/variant.h"

enum estimate_figure {
    ESTIMATE_LUTS,
    ESTIMATE_FLIP_FLOPS,
    ESTIMATE_DSPS,
    ESTIMATE_BLOCK_RAMS,
    ESTIMATE_LONGEST_PATH, /* in cells */
    ESTIMATE_FIGURES
};

/* A cluster, the device around the clusters, and both together. */
enum estimate_part { ESTIMATE_CLUSTER, ESTIMATE_AROUND, ESTIMATE_DEVICE, ESTIMATE_PARTS };

/* As in the recorded figures. */
extern const char *const estimate_figure_names[ESTIMATE_FIGURES];
extern const char *const estimate_part_names[ESTIMATE_PARTS];

struct estimate {
    const struct estimate_source *source; /* the table of the family */
    double of[ESTIMATE_PARTS][ESTIMATE_FIGURES];
    double error[ESTIMATE_FIGURES]; /* of the device: the largest of variants that it was not fitted to */
    double clock_mhz;
    struct strbuf beyond; /* values outside of what it was fitted to, in words; empty: none */
};

/* What was fitted for an FPGA family; the build puts bitstreams/estimate/NAME.tsv into the program. */
struct estimate_source {
    const char *name, *label, *text;
};
extern const struct estimate_source estimate_sources[];
extern const size_t estimate_source_count;

/* The table of the family, with a message that says which there are when there is none. */
const struct estimate_source *estimate_find(const char *family, struct diag *diag);

/* To be freed in any case. False when the table is not understood. */
bool estimate_make(const struct variant *variant, const struct estimate_source *source, struct estimate *to,
                   struct diag *diag);
void estimate_free(struct estimate *estimate);

void estimate_text(const struct variant *variant, const struct estimate *estimate, struct strbuf *to);
void estimate_json(const struct variant *variant, const struct estimate *estimate, struct strbuf *to);

/* ---- what the model stands on (features.c, blocks.c) ------------------------------------------------------
 */

struct estimate_feature {
    const char *name;
    double (*of)(const struct variant *variant, const struct variant_derived *derived);
};

/* What LUTs, flip-flops and paths are fitted to, by part: ESTIMATE_CLUSTER and ESTIMATE_AROUND. The end has
 * no name. */
extern const struct estimate_feature *const estimate_features[ESTIMATE_DEVICE];

/* Block RAMs (RAMB36, of which a RAMB18 is half, or DP16KD) and DSP blocks of a cluster and of what is around
 * the clusters, counted. */
double estimate_block_rams(const struct variant *variant, const char *family, enum estimate_part part);
unsigned estimate_dsps(const struct variant *variant, const char *family, enum estimate_part part);

#endif
