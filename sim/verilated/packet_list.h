/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets of a row, in order: made by hand, or what a device program sends to
 * a row. Storage units and loads are walked here as the command processor and
 * the DMA would, without time.
 */
#ifndef TULLE_SIM_VERILATED_PACKET_LIST_H
#define TULLE_SIM_VERILATED_PACKET_LIST_H

#include "sim/cycle/cluster_run.h"
#include "sim/model/program.h"

/* Starts as all zeros. */
struct packet_list {
    struct row_packet *packet; /* each with data of its own */
    size_t count, room;
};

void packet_list_free(struct packet_list *list);

/* Appends a copy, padded with zeros to whole beats of `beat` bytes. False when out of memory. */
bool packet_list_add(struct packet_list *list, const struct row_packet *packet, size_t beat);

/* A program taken apart. Starts as all zeros. */
struct row_program {
    struct packet_list row[16];
    struct operation *store; /* in order */
    size_t stores, store_room;
    bool collects; /* sets collectors up */
};

void row_program_free(struct row_program *program);

/* NULL, or why the job cannot be taken apart: it ends with an error, or reads what it stored. */
const char *row_program_read(struct row_program *program, const struct variant *variant,
                             const struct job *job);

/* Results of one cluster, one behind the other, K at a time. */
struct cluster_results {
    int64_t *value;
    size_t count, room;
};
bool cluster_results_add(struct cluster_results *results, const int64_t *values, size_t count);

/* What the program's stores write when a row's clusters gave these results (results[row * m + cluster]); only
 * for programs that do not set collectors up. NULL, or why it does not work out. */
const char *row_program_store(const struct row_program *program, const struct variant *variant,
                              const struct cluster_results *results, const struct job *job);

#endif
