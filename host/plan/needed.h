/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows and columns of a matrix that have entries. Where most have none, a
 * plan is made for these alone: what is without entries takes neither time
 * nor device memory.
 */
#ifndef TULLE_HOST_NEEDED_H
#define TULLE_HOST_NEEDED_H

#include "host/plan/planner.h"

struct plan_needed {
    struct plan_description description; /* of these rows and columns */
    struct sparse weights;
    uint32_t *row, *column; /* their numbers in the whole matrix, ascending; NULL: all are needed */
    uint32_t rows, columns; /* of the whole matrix */
};

/* Whether it is worth it; then `needed` is to be freed. *ok: false without memory. */
bool needed_find(const struct plan_description *description, struct plan_needed *needed, bool *ok);
void needed_free(struct plan_needed *needed);

/* The place of a row or column among those that are needed; UINT32_MAX: it is none of them. */
uint32_t needed_row(const struct plan_needed *needed, uint32_t row);
uint32_t needed_column(const struct plan_needed *needed, uint32_t column);

/* Makes the plan of `count` of the needed rows, from `from` on, one of rows first .. first + rows - 1 of the
 * whole matrix. */
enum plan_status needed_widen(const struct plan_needed *needed, uint32_t from, uint32_t count, uint32_t first,
                              uint32_t rows, struct plan *plan);

#endif
