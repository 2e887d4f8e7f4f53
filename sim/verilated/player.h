/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays a list of packets into a Verilated row and collects its results; and
 * what the functional model makes of the same list.
 */
#ifndef TULLE_SIM_VERILATED_PLAYER_H
#define TULLE_SIM_VERILATED_PLAYER_H

#include "sim/verilated/packet_list.h"
#include "sim/verilated/row.h"

#define ROW_CLUSTERS_MAX 16

/* How the surroundings of a row behave: in per cent of the cycles no new beat is offered, no result taken. */
struct surroundings {
    uint64_t seed;
    unsigned packet_stall, result_stall;
    uint64_t patience; /* cycles without any beat after which the row counts as stuck; 0: 20000 */
};

/* What came of it. Starts as all zeros. */
struct outcome {
    enum job_code code; /* the first error's; watchdog: stuck */
    unsigned cluster;   /* of the error */
    struct cluster_results results[ROW_CLUSTERS_MAX];
    struct cluster_results
        when[ROW_CLUSTERS_MAX]; /* row: the cycle since reset in which each ST was complete */
    uint64_t cycles;            /* from the first beat accepted to the last result beat */
    uint64_t all_cycles;
    uint64_t effective_macs; /* only the model knows */
    const char *broken;      /* a violated assertion, or results that are not as documented */
};

void outcome_free(struct outcome *outcome);

/* The row must come out of create or reset. False when out of memory. */
bool play_packets(const struct row_api *api, struct row *row, const struct variant *variant,
                  const struct packet_list *list, const struct surroundings *around, struct outcome *outcome);

/* The functional model's. */
bool model_packets(const struct variant *variant, const struct packet_list *list, struct outcome *outcome);

/* Whether they agree: the same code, and without an error the same results. What differs first goes into
 * `why`. */
bool outcomes_agree(const struct variant *variant, const struct outcome *row, const struct outcome *model,
                    struct strbuf *why);

#endif
