/* SPDX-License-Identifier: Apache-2.0
 *
 * The planner's frozen cases, host/measure/plan-cases.tsv.
 */
#ifndef TULLE_HOST_PLAN_CASES_H
#define TULLE_HOST_PLAN_CASES_H

#include <stdbool.h>

#include "host/plan/planner.h"

#define PLAN_CASE_COLUMNS 9 /* and one that may be missing */

/* Columns of a case. */
enum { NAME, OP, VARIANT, WEIGHTS, ROWS, ACTIVATIONS, BAR, BYTES, CHOICE, WHY };

struct plan_case {
    char *column[PLAN_CASE_COLUMNS + 1]; /* WHY: NULL when it is missing */
};

/* False: the case is not understood. */
typedef bool plan_case_call(void *context, const struct plan_case *c);

/* Every case of the file, or the one of that name, in the file's order. 0, or 2 after a message. */
int plan_cases_each(const char *file, const char *only, plan_case_call *call, void *context);

/* The same of a text that is called so in messages; false after one. */
bool plan_cases_each_text(const char *label, const char *text, plan_case_call *call, void *context);

/* The weights that the case names, their columns in the planner's order; they are to be freed. False: there
 * are none. */
bool plan_case_weights(const struct plan_case *c, struct sparse *to);

/* What is to be planned; `window` is room for a convolution's. False: `op` is not understood. */
bool plan_case_description(const struct plan_case *c, const struct variant *variant,
                           const struct sparse *weights, struct plan_window *window,
                           struct plan_description *to);

/* Whether its weights are in a file, and TULLE_DATA does not say where. */
bool plan_case_left_out(const struct plan_case *c);

/* Whether a figure misses its bar, "-" being none. */
bool plan_case_below(const char *bar, double value);
bool plan_case_above(const char *bar, double value);

#endif
