/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/request_join.h"

#include <string.h>

static const struct place nowhere = {0};

void request_take_join(struct request *r, const char *word)
{
    unsigned which = r->residual.value;
    if (r->operation == TULLE_ELEMENTWISE)
        for (which = 0; strcmp(word, request_joins[which]) != 0;)
            which++;
    if (r->operation == TULLE_ELEMENTWISE || r->residual.given)
        r->join = (enum tulle_join)(TULLE_JOIN_ADD + which);
}

/* What an operator without weights has not. */
static void check_pair(const struct request *r, struct diag *diag)
{
    if (r->weights || request_is_generated(r) || r->k.given || r->bias || r->initial || r->left || r->wraps ||
        r->scale.given)
        diag_error(
            diag, nowhere,
            "add, sub and mul have no weights, k, bias, initial sums, --wraps and --scale; their scales "
            "are --first-scale, --second-scale and --result-scale");
    if (r->quantise)
        diag_error(diag, nowhere,
                   "--quantise finds a scale; operands of add, sub and mul have theirs: --first-scale and "
                   "--second-scale");
    if (r->mapping.given || r->split)
        diag_error(diag, nowhere, "--mapping and --split are of products: add, sub and mul have none");
    if (r->residual.given)
        diag_error(diag, nowhere, "--residual goes with spmm, conv and dwconv");
}

static void check_residual(const struct request *r, struct diag *diag)
{
    if (r->operation != TULLE_SPMM_LEFT && r->operation != TULLE_SPMM_RIGHT &&
        r->operation != TULLE_CONVOLUTION)
        diag_error(diag, nowhere, "--residual goes with spmm, conv and dwconv");
    if (!r->scale.given)
        diag_error(diag, nowhere,
                   "--residual goes with --scale, which makes the sums numbers that can be joined");
    if (r->second_row)
        diag_error(diag, nowhere,
                   "--second-row goes with add, sub and mul: a residual has as many rows as "
                   "the results");
}

static void check_scales(const struct request *r, struct diag *diag)
{
    const struct request_real *const scales[] = {&r->first_scale, &r->second_scale, &r->result_scale};
    static const char *const names[] = {"--first-scale", "--second-scale", "--result-scale"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (scales[i]->value <= 0)
            diag_error(diag, nowhere, "%s %s: a number above 0, please", names[i], scales[i]->given);
}

void request_check_join(const struct request *r, struct diag *diag)
{
    if (r->operation == TULLE_ELEMENTWISE)
        check_pair(r, diag);
    else if (r->residual.given)
        check_residual(r, diag);
    else if (r->second || r->second_row || r->second_type.given || r->second_unsigned ||
             r->second_zero.given || r->second_scale.given)
        diag_error(diag, nowhere, "options that begin with --second go with add, sub, mul and --residual");
    if (r->join && (r->low.file || r->high.file))
        diag_error(diag, nowhere,
                   "--low and --high of joined results are numbers, the same for all channels");
    if (!r->join && !r->lookup.given && (r->first_scale.given || r->result_scale.given))
        diag_error(diag, nowhere,
                   "--first-scale and --result-scale go with add, sub, mul, --residual and --lookup");
    if (r->sum_zero.given && !r->residual.given && !r->lookup.given)
        diag_error(diag, nowhere, "--sum-zero goes with --residual and --lookup");
    if (r->floats && (r->join || r->lookup.given))
        diag_error(diag, nowhere, "--residual and --lookup are of integers: not with --float");
    check_scales(r, diag);
}

void request_check_lookup(const struct request *r, struct diag *diag)
{
    if (!r->lookup.given)
        return;
    if (r->join)
        diag_error(diag, nowhere,
                   "results that are joined are not looked up: --lookup goes without a second "
                   "operand");
    if (!r->scale.given)
        diag_error(diag, nowhere, "--lookup goes with --scale, which makes the sums numbers of 8 bits");
    if (r->relu || r->low.given || r->high.given)
        diag_error(diag, nowhere, "--relu, --low and --high are not for results that are looked up");
    if (r->output_type.given && r->output_type.value != TULLE_INT8)
        diag_error(diag, nowhere, "--lookup gives int8, not %s", r->output_type.given);
    if (r->sum_zero.value < INT8_MIN || r->sum_zero.value > INT8_MAX)
        diag_error(diag, nowhere, "--sum-zero %s: allowed -128..127 with --lookup", r->sum_zero.given);
}
