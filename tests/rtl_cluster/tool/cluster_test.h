/* SPDX-License-Identifier: Apache-2.0
 *
 * A Verilated row against the functional model: operators made at random, and
 * packets that must be refused. One program, run by the scripts beside it,
 * which say which variants and how many.
 */
#ifndef TULLE_TESTS_RTL_CLUSTER_TOOL_H
#define TULLE_TESTS_RTL_CLUSTER_TOOL_H

#include "sim/verilated/player.h"
#include "tests/sim_model/support.h"

/* The row under test. */
struct bench {
    struct variant variant;
    const struct row_api *api;
    struct row *row; /* the same for all cases, reset between them, unless one breaks it */
    const char *folder, *trace;
    bool stalls;
    unsigned compared, skipped; /* cases */
};

/* A row in reset: the one that is there, unless it is broken or its waves are wanted from the start. */
bool bench_fresh_row(struct bench *bench, uint64_t seed);

/* Plays every row's packets of a job and compares with the model; with an output slot and no collectors, also
 * the slot's bytes with the functional model's. False with what differs in `why`. A job whose packets the RTL
 * does not know counts as skipped. */
bool bench_job(struct bench *bench, const struct job *job, uint64_t seed, struct strbuf *why);

/* The same for one list of packets; *code gets how it ended in the model. */
bool bench_packets(struct bench *bench, const struct packet_list *list, uint64_t seed, enum job_code *code,
                   struct strbuf *why);

/* Each kind of case: one for each seed. */
bool case_stores(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_reduction(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_buffers(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_beside(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_loads(struct bench *bench, uint64_t seed, struct strbuf *why);
/* Zeros under several zero points; skipped in variants without them. */
bool case_mask(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_pace(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_tile(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_plan(struct bench *bench, uint64_t seed, struct strbuf *why);
/* Of extension records; skipped in variants without them. */
bool case_extension(struct bench *bench, uint64_t seed, struct strbuf *why);
bool case_refusal(struct bench *bench, uint64_t seed, struct strbuf *why);
unsigned case_refusal_count(void);
/* What they bring, and what LDs cost beside MACs, in cycles; skipped in variants that are too small. */
bool case_measure(struct bench *bench, uint64_t seed, struct strbuf *why);
unsigned case_measure_count(void);
/* Of a fixed list; false when `seed` is behind its end. */
bool case_error(struct bench *bench, uint64_t seed, struct strbuf *why);
unsigned case_error_count(void);

#endif
