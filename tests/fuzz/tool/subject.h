/* SPDX-License-Identifier: Apache-2.0
 *
 * The operator of a case: a device program with its operands in argument
 * slots, what a plain computation says must come of it, and what is done to
 * it to break it.
 */
#ifndef TULLE_TESTS_FUZZ_SUBJECT_H
#define TULLE_TESTS_FUZZ_SUBJECT_H

#include "tests/fuzz/tool/recipe.h"
#include "tests/sim_model/victims.h"

/* A victim without a model of its own: `result` is what a plain computation puts into the result slot. */
struct subject {
    struct victim victim;
    uint64_t room[ISA_SLOTS]; /* sizes as they were made */
    bool *known; /* bytes of the result slot that the plain computation has; NULL: all. A plan also writes
                    results that nobody asked for, where tiles go beyond the operator. */
    struct strbuf what; /* what was chosen for it, in words */
};

/* NULL, or why there is no such operator: it does not go with the variant, or uses what the hardware does not
 * have yet. */
const char *subject_make(struct subject *subject, const struct variant *variant, const struct recipe *recipe);
void subject_free(struct subject *subject);

/* Breaks the program, a size, or the weights, as the recipe has it. */
void subject_mutate(struct subject *subject, const struct recipe *recipe);

/* Whether the result slot holds what the plain computation says. */
bool subject_agrees(const struct subject *subject, const uint8_t *slot);

#endif
