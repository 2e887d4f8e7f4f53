/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/pack.h"

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

#define TOKENS 5 /* that a plan uses */

const char *plan_unsupported(const struct variant *v, unsigned buffers, unsigned instructions)
{
    if (v->data_width != 8)
        return "plans are for int8 operands, and this variant has int16";
    if (v->tokens < TOKENS)
        return "the variant has fewer tokens than a plan needs";
    if (v->instruction_buffers < buffers || v->instruction_depth < instructions)
        return "the variant's instruction buffers are too few or too short for the plan";
    return NULL;
}
