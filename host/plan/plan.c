/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/plan.h"

#include <stdlib.h>

void sparse_free(struct sparse *matrix)
{
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    *matrix = (struct sparse){0};
}

uint32_t sparse_needed_rows(const struct sparse *matrix)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < matrix->rows; r++)
        count += matrix->start[r + 1] > matrix->start[r];
    return count;
}

uint32_t sparse_needed_columns(const uint32_t *column, uint64_t entries, uint32_t columns)
{
    uint8_t *met = calloc((size_t)columns / 8 + 1, 1);
    uint32_t count = 0;
    for (uint64_t e = 0; met && e < entries; e++) {
        const uint8_t bit = (uint8_t)(1u << column[e] % 8);
        count += !(met[column[e] / 8] & bit);
        met[column[e] / 8] |= bit;
    }
    free(met);
    return count;
}

void plan_free(struct plan *plan)
{
    sb_free(&plan->program);
    sb_free(&plan->weights);
    for (unsigned i = 0; i < PLAN_PARTS; i++)
        sb_free(&plan->part[i].program);
    free(plan->layout.tiles);
    free(plan->layout.compact);
    free(plan->layout.place);
    free(plan->layout.more);
    *plan = (struct plan){0};
}
