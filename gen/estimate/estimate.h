/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates the area and the clock of a variant without synthesis. Block RAMs and DSP blocks are counted the
 * way Yosys maps them. LUTs, flip-flops and the longest path come from a model that was fitted to synthesis
 * reports (bitstreams/estimate, docs/synthesis.md).
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
    double error[ESTIMATE_FIGURES]; /* of the device: the largest error for variants outside the fit */
    double clock_mhz;
    struct strbuf beyond; /* a text that names values outside the range of the fit; empty if there are none */
};

/* The fit for an FPGA family. The build puts bitstreams/estimate/NAME.tsv into the program. */
struct estimate_source {
    const char *name, *label, *text;
};
extern const struct estimate_source estimate_sources[];
extern const size_t estimate_source_count;

/* Finds the table of a family. For an unknown family, a message lists the families. */
const struct estimate_source *estimate_find(const char *family, struct diag *diag);

/* Returns false when the table cannot be parsed. The caller frees the estimate in both cases. */
bool estimate_make(const struct variant *variant, const struct estimate_source *source, struct estimate *to,
                   struct diag *diag);
void estimate_free(struct estimate *estimate);

void estimate_text(const struct variant *variant, const struct estimate *estimate, struct strbuf *to);
void estimate_json(const struct variant *variant, const struct estimate *estimate, struct strbuf *to);

/* ---- the inputs of the model (features.c, blocks.c) ------------------------------------------------------
 */

struct estimate_feature {
    const char *name;
    double (*of)(const struct variant *variant, const struct variant_derived *derived);
};

/* The features for LUTs, flip-flops and paths, by part: ESTIMATE_CLUSTER and ESTIMATE_AROUND. The last entry
 * has no name. */
extern const struct estimate_feature *const estimate_features[ESTIMATE_DEVICE];

/* The number of block RAMs (RAMB36, of which a RAMB18 is half, or DP16KD) and of DSP blocks in a part. */
double estimate_block_rams(const struct variant *variant, const char *family, enum estimate_part part);
unsigned estimate_dsps(const struct variant *variant, const char *family, enum estimate_part part);

#endif
