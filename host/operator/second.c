/* SPDX-License-Identifier: Apache-2.0
 *
 * Second operands, of results and of operators without weights: checked, and in the planner's words.
 */
#include "host/operator/operator.h"

#define MULTIPLIER_LEAST (1 << 30)
#define SHIFT_LEAST 31u

static enum tulle_status wrong(const char *what)
{
    return message_set(TULLE_INVALID_ARGUMENT, "second: %s", what);
}

static enum tulle_status check_scale(const struct tulle_second *s)
{
    const unsigned most = s->fraction_15 ? 41 : 46;
    if (s->multiplier < MULTIPLIER_LEAST)
        return message_set(TULLE_INVALID_ARGUMENT, "second: a multiplier of %d; it is 2^30 or more",
                           s->multiplier);
    if (s->shift < SHIFT_LEAST || s->shift > most)
        return message_set(TULLE_INVALID_ARGUMENT, "second: a shift of %u; %u to %u are possible", s->shift,
                           SHIFT_LEAST, most);
    return TULLE_OK;
}

static enum tulle_status check_sizes(const struct tulle_second *s, bool pair)
{
    if (!pair && (s->columns || s->is_row))
        return wrong("columns and is_row are those of TULLE_ELEMENTWISE");
    if (pair && (s->columns < 1 || s->columns > INT32_MAX))
        return message_set(TULLE_INVALID_ARGUMENT, "second: %lld columns; 1 to %d are possible",
                           (long long)s->columns, INT32_MAX);
    return TULLE_OK;
}

/* What an operator without weights has not. */
static enum tulle_status check_pair(const struct tulle_operator_options *o)
{
    if (o->matrix || o->bias || o->channels || o->initial || o->quantise || o->matrix_zero)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "an elementwise operator has no matrix, bias, channels and initial "
                           "sums; its second operand is that of its runs");
    if (o->plan && (o->plan->mapping || o->plan->split))
        return message_set(TULLE_INVALID_ARGUMENT, "an elementwise operator has no mapping and no split");
    return TULLE_OK;
}

static enum tulle_status check_results(const struct tulle_operator_options *o)
{
    const struct tulle_channels *c = o->channels;
    if (o->operation != TULLE_SPMM_LEFT && o->operation != TULLE_SPMM_RIGHT &&
        o->operation != TULLE_CONVOLUTION)
        return wrong("only results of SpMM and of convolutions are joined");
    if (!c || !c->multiplier || !c->low)
        return wrong("channels must have multipliers, shifts and limits, which are those of the sums");
    return TULLE_OK;
}

enum tulle_status second_check(const struct variant *variant, const struct tulle_operator_options *o)
{
    const bool pair = o->operation == TULLE_ELEMENTWISE;
    const struct tulle_second *s = o->second;
    if (!s)
        return pair ? wrong("it is NULL, and TULLE_ELEMENTWISE joins two operands") : TULLE_OK;
    if (!variant->joins)
        return message_set(TULLE_UNSUPPORTED, "second: variant %s was made without joins", variant->name);
    if (s->join < TULLE_JOIN_ADD || s->join >= TULLE_JOINS)
        return message_set(TULLE_INVALID_ARGUMENT, "second: there is no join %d", (int)s->join);
    if (s->type != TULLE_INT8 && s->type != TULLE_INT16)
        return wrong("its type is int8 or int16");
    if (s->has_no_sign && !variant->zero_points)
        return message_set(TULLE_UNSUPPORTED, "second: has_no_sign: variant %s was made without zero_points",
                           variant->name);
    if (s->reserved)
        return message_set(TULLE_INVALID_ARGUMENT, "second: reserved is %d, not 0", s->reserved);
    if (!o->epilogue || o->epilogue->function != TULLE_REQUANTISE || o->epilogue->lookup)
        return wrong("the epilogue of joined results is TULLE_REQUANTISE, without a table");
    if (o->output_type > TULLE_INT16)
        return wrong("joined results are int8 or int16");
    enum tulle_status status = check_sizes(s, pair);
    if (!status && s->join != TULLE_JOIN_MULTIPLY)
        status = check_scale(s);
    if (!status)
        status = pair ? check_pair(o) : check_results(o);
    return status;
}

struct plan_join second_join(const struct tulle_second *s)
{
    const int half = s->has_no_sign ? 1 << (8 * matrix_type_bytes(s->type) - 1) : 0;
    const bool scaled = s->join != TULLE_JOIN_MULTIPLY;
    return (struct plan_join){.join = (unsigned)s->join,
                              .element = (unsigned)s->type,
                              .has_no_sign = s->has_no_sign,
                              .zero = s->zero - half,
                              .multiplier = scaled ? s->multiplier : MULTIPLIER_LEAST,
                              .shift = scaled ? s->shift : SHIFT_LEAST,
                              .scale_first = s->scale_first,
                              .fraction_15 = s->fraction_15};
}
