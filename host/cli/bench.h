/* SPDX-License-Identifier: Apache-2.0
 *
 * The results of `tulle bench` and their output. docs/bench.md describes the
 * command.
 */
#ifndef TULLE_HOST_CLI_BENCH_H
#define TULLE_HOST_CLI_BENCH_H

#include "host/cli/baseline.h"
#include "host/measure/measure.h"

#define BENCH_LAYOUT 1 /* version of the JSON; raised when an existing field changes its meaning */
#define BENCH_MOST_SLOWER 0.02

enum bench_target { BENCH_MODEL, BENCH_SIM, BENCH_TARGETS };
extern const char *const bench_target_names[]; /* NULL at the end */

/* The results of a job on one target. */
struct bench_run {
    bool ran;
    struct job_result result;
    double efficiency, utilization;
    uint64_t recorded; /* cycles of the record; 0: it has none */
    double change;     /* of the cycles, 0.01 for 1 % more */
};

struct bench_case {
    struct strbuf name, op, variant;
    struct strbuf source;   /* of the variant: its name, or a file */
    struct strbuf left_out; /* why the case was not measured, or "" */
    bool has_bar, below;
    double bar;
    double roofline;
    struct bench_run run[BENCH_TARGETS];
    struct strbuf json; /* the case as a JSON object */
};

struct bench_tally {
    unsigned measured, left_out, refused, bars, below;
    unsigned known; /* cases below their bars that are recorded so */
    unsigned compared, unrecorded, slower, quicker;
};

/* ---- output (bench_json.c, bench_table.c) ------------------------------------------------------------- */

/* Appends the name of the case and its variant, then its results or the reason why there are none. */
void bench_case_begin(const struct plan_case *c, const char *variant, struct bench_case *to);
void bench_case_json(const struct measure *measure, const struct baselines *cpu, struct bench_case *to);
void bench_left_out_json(const char *key, const char *why, struct bench_case *to);
/* Appends all cases with their targets. */
void bench_json(const struct bench_case *cases, size_t count, const struct bench_tally *tally,
                const char *record, struct strbuf *to);
void bench_table(const struct bench_case *cases, size_t count, const struct bench_tally *tally,
                 struct strbuf *to);

/* ---- the list of cases (bench_list.c)
 * ---------------------------------------------------------------------------- */

#define BENCH_LIST_HEAD                                                                                    \
    "| case | variant | what is multiplied | bar | what it is there for |\n| --- | --- | --- | --- | --- " \
    "|\n"

/* Appends a line of the table; false when the case is malformed. */
bool bench_list_case(const struct plan_case *c, struct strbuf *to);

/* ---- the record of cycles (bench_record.c) ------------------------------------------------------------- */

/* Lines of "case, variant, target, cycles" between tabs. */
struct bench_record {
    const char *path;
    struct strbuf text;
};

/* `path` NULL: there is none. */
bool bench_record_read(const char *path, struct bench_record *record, struct diag *diag);
void bench_record_free(struct bench_record *record);
/* Sets the recorded cycles of a case, and counts the known cases below their bars. */
void bench_record_compare(const struct bench_record *record, struct bench_case *c, struct bench_tally *tally);
/* Writes the lines of these cases; the file's other lines stay. */
bool bench_record_write(const char *path, const struct bench_case *cases, size_t count, struct diag *diag);

#endif
