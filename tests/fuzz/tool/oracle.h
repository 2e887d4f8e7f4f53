/* SPDX-License-Identifier: Apache-2.0
 *
 * What may come of a job: the functional model's word, and whether it is the
 * only one. The model runs a harmed program once in program order with
 * memories of zeros, and then in other orders that its tokens allow, with
 * anything in the memories.
 */
#ifndef TULLE_TESTS_FUZZ_ORACLE_H
#define TULLE_TESTS_FUZZ_ORACLE_H

#include "tests/fuzz/tool/scene.h"

#define OUTCOMES_MAX 64

struct outcome {
    struct job_result result;
    uint8_t *image; /* of the scene, when it is over */
    size_t left;    /* groups of results of a cluster that no store took */
};

struct oracle {
    struct outcome outcome[OUTCOMES_MAX]; /* the first: in program order */
    unsigned count;
    bool open;     /* they are not all the same, */
    bool counts;   /* or but for how much was multiplied */
    bool too_long; /* for a test */
};

/* `harmed`: the program may be anything. */
void oracle_ask(struct oracle *oracle, const struct scene *scene, bool harmed);

/* More orders, before anybody says that a device is wrong. */
void oracle_insist(struct oracle *oracle, const struct scene *scene);

/* Of a job that ended early: takes back what `differs` says of bytes that hold something which the program
 * writes there and overwrites later, as partial sums of another k step. */
void oracle_explain(const struct scene *scene, const uint8_t *image, bool *differs);

void oracle_free(struct oracle *oracle);

/* The outcome that ends as `result` does; NULL when none does. */
const struct outcome *oracle_find(const struct oracle *oracle, const struct job_result *result);

#endif
