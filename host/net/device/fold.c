/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind a node in the network, as a part of its job.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/device/job.h"

/* ---- tables -------------------------------------------------------------------------------------- */

/* Limits, in the order of the codes; false: the table does more. */
static bool limits_of(const uint8_t bytes[256], bool has_sign, int *low, int *high)
{
    const uint8_t flip = has_sign ? 128 : 0;
    const int base = has_sign ? INT8_MIN : 0;
    *low = base + (bytes[flip] ^ flip);
    *high = base + (bytes[255 ^ flip] ^ flip);
    for (int i = 0; i < 256; i++) {
        const int code = base + i, to = base + (bytes[i ^ flip] ^ flip);
        if (to != (code < *low ? *low : code > *high ? *high : code))
            return false;
    }
    return true;
}

static int within(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

bool job_fold_bytes(struct job *job, const uint8_t bytes[256])
{
    int low, high;
    struct tulle_epilogue *e = &job->epilogue;
    if (!job->options.epilogue || job->y.type != TULLE_INT8 || e->lookup)
        return false;
    if (limits_of(bytes, !job->options.output_unsigned, &low, &high)) {
        e->low = within(e->low, low, high);
        e->high = within(e->high, low, high);
        return true;
    }
    if (job->options.second || e->function != TULLE_REQUANTISE)
        return false;
    for (int i = 0; i < 256; i++)
        job->lookup[i] = (int8_t)bytes[i];
    e->lookup = job->lookup;
    return true;
}

/* ---- joins --------------------------------------------------------------------------------------- */

static int64_t channels_of(const struct job *job)
{
    return job->options.operation == TULLE_SPMM_RIGHT ? job->matrix.columns : job->matrix.rows;
}

/* Sums that are joined have scales and limits of their channels, and these are without a zero point. */
static bool give_channels(struct job *job, const struct tulle_epilogue *sums)
{
    const int64_t count = channels_of(job);
    if (!job->multipliers) {
        job->multipliers = calloc((size_t)count + 1, sizeof *job->multipliers);
        job->shifts = calloc((size_t)count + 1, sizeof *job->shifts);
        for (int64_t c = 0; job->multipliers && job->shifts && c < count; c++) {
            job->multipliers[c] = sums->multiplier;
            job->shifts[c] = (uint8_t)sums->shift;
        }
    }
    job->limits = calloc(2 * (size_t)count + 1, sizeof *job->limits);
    for (int64_t c = 0; job->limits && c < count; c++) {
        job->limits[c] = (int16_t)(sums->low - sums->zero);
        job->limits[count + c] = (int16_t)(sums->high - sums->zero);
    }
    if (!job->multipliers || !job->shifts || !job->limits)
        return false;
    job->channels = (struct tulle_channels){.size = sizeof job->channels,
                                            .multiplier = job->multipliers,
                                            .shift = job->shifts,
                                            .low = job->limits,
                                            .high = job->limits + count};
    job->options.channels = &job->channels;
    return true;
}

/* Whether results are sums that are scaled and limited and nothing else, with this zero point. */
static bool are_scaled_sums(const struct job *job, int32_t zero, enum num_rounding rounding)
{
    const struct tulle_epilogue *e = &job->epilogue;
    return job->matrix.values && job->options.epilogue && !job->finish.factors && !job->options.second &&
           e->function == TULLE_REQUANTISE && !e->lookup && e->zero == zero &&
           e->rounding == (enum tulle_rounding)rounding && e->low - zero >= INT16_MIN &&
           e->high - zero <= INT16_MAX;
}

/* Both roundings of a device are the same. */
static bool fold_join(struct job *job, const struct exact *what, bool first)
{
    const struct num_join *join = what->join;
    const struct num_operand *a = first ? &join->a : &join->b, *b = first ? &join->b : &join->a;
    const struct view *other = first ? what->w : what->x;
    const struct tulle_epilogue sums = job->epilogue;
    if (!are_scaled_sums(job, a->zero, join->step.rounding) || other->count != what->y->count ||
        other->type != what->y->type || (!first && join->joining == NUM_SUBTRACT) ||
        !job_set_second(job, join, a, b, other))
        return false;
    job->w = job->y;
    if (give_channels(job, &sums))
        return true;
    job->options.second = NULL;
    job->epilogue = sums;
    return false;
}

bool job_fold(struct job *job, const struct exact *what, bool first)
{
    if (what->kind == EXACT_JOIN)
        return fold_join(job, what, first);
    return what->kind == EXACT_BYTES && first && what->x->type == what->y->type &&
           job_fold_bytes(job, what->bytes);
}
