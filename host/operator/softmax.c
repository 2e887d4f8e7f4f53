/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of rows: checked, and in the planner's words.
 */
#include "sim/numerics/softmax.h"
#include "host/operator/operator.h"

static enum tulle_status wrong(const char *what)
{
    return message_set(TULLE_INVALID_ARGUMENT, "softmax: %s", what);
}

static enum tulle_status check_row(const struct variant *variant, const struct tulle_softmax *s)
{
    const unsigned most = variant->softmax < NUM_SOFTMAX_MOST ? variant->softmax : NUM_SOFTMAX_MOST;
    if (s->columns < 1)
        return message_set(TULLE_INVALID_ARGUMENT, "softmax: %lld columns", (long long)s->columns);
    if (s->columns > most)
        return message_set(TULLE_UNSUPPORTED, "softmax: rows of %lld columns; variant %s takes %u (softmax)",
                           (long long)s->columns, variant->name, most);
    if (s->multiplier < 0 || s->shift > 63)
        return wrong("its multiplier is 0 or more, and its shift 0 to 63");
    return s->reserved ? message_set(TULLE_INVALID_ARGUMENT, "softmax: reserved is %d, not 0", s->reserved)
                       : TULLE_OK;
}

enum tulle_status softmax_check(const struct variant *variant, const struct tulle_operator_options *o)
{
    const bool is = o->operation == TULLE_SOFTMAX;
    if (is != (o->softmax != NULL))
        return wrong(is ? "it is NULL, and TULLE_SOFTMAX has rows" : "only TULLE_SOFTMAX has one");
    if (!is)
        return TULLE_OK;
    if (!variant->softmax)
        return message_set(TULLE_UNSUPPORTED, "softmax: variant %s was made without softmax", variant->name);
    if (o->matrix || o->bias || o->channels || o->initial || o->quantise || o->matrix_zero || o->second)
        return wrong("it has no matrix, bias, channels, initial sums and second operand");
    if (o->epilogue && (o->epilogue->function || o->epilogue->lookup || o->epilogue->rounding))
        return wrong("it has no epilogue");
    if (o->plan && (o->plan->mapping || o->plan->split))
        return wrong("it has no mapping and no split");
    if (o->output_type > TULLE_INT16)
        return wrong("its results are int8 or int16");
    return check_row(variant, o->softmax);
}
