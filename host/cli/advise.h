/* SPDX-License-Identifier: Apache-2.0
 *
 * Recommends a variant for given operands on a given part. Candidates are
 * rated by their estimated area and by their cycles on the cycle model.
 */
#ifndef TULLE_HOST_CLI_ADVISE_H
#define TULLE_HOST_CLI_ADVISE_H

#include "gen/estimate/estimate.h"
#include "host/cli/parts.h"
#include "host/cli/progress.h"
#include "host/plan/planner.h"

#define ADVISE_MATRICES 64
#define ADVISE_CANDIDATES 160

struct advise_request {
    const char *path[ADVISE_MATRICES];
    unsigned matrices;
    enum plan_operator operator;
    uint32_t rows;  /* of activations; 1 of spmv */
    double density; /* of activations */
    bool transpose;
    double fill;      /* share of the part that may be taken */
    double clock_mhz; /* of all candidates; 0: each by its estimate */
    unsigned effort;  /* plans for each; 0 likewise */
    unsigned tried;   /* candidates to run on the cycle model; 0: as many as finish in seconds */
    struct fpga_part part;
};

enum advise_state { ADVISE_TOO_LARGE, ADVISE_SLOWER, ADVISE_NO_PLAN, ADVISE_TRIED };

struct advise_candidate {
    struct variant variant;
    struct estimate estimate;
    bool named;
    double share[ESTIMATE_LONGEST_PATH]; /* of the part, by figure */
    enum advise_state state;
    char why[PLAN_MESSAGE_BYTES]; /* there is no plan */
    double clock_mhz, likely_us;  /* the planner's estimate */
    double us, roofline_cycles;   /* of all matrices */
    uint64_t cycles[ADVISE_MATRICES], all_cycles;
};

struct advise {
    const struct advise_request *request;
    struct sparse weights[ADVISE_MATRICES];
    struct advise_candidate of[ADVISE_CANDIDATES]; /* the recommended one first, then by time */
    unsigned count;
};

/* Makes legal candidates and their estimates. */
bool advise_candidates(struct advise *advise, struct diag *diag);
/* Runs the operands on the candidates that fit, and sorts them. False with a message when none fits. */
bool advise_try(struct advise *advise, struct progress *progress, struct diag *diag);

void advise_text(const struct advise *advise, bool all, struct strbuf *to);
void advise_json(const struct advise *advise, struct strbuf *to);

#endif
