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

void plan_free(struct plan *plan)
{
    sb_free(&plan->program);
    sb_free(&plan->weights);
    free(plan->layout.tiles);
    free(plan->layout.compact);
    free(plan->layout.place);
    free(plan->layout.more);
    *plan = (struct plan){0};
}
