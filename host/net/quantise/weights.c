/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers of weights and biases. The zero point of weights is 0, and their codes are
 * -127 to 127. A bias has the scale of the products.
 */
#include <math.h>
#include <stdlib.h>

#include "host/net/quantise/quantiser.h"

enum { CODE_MOST = 127 };
/* A bias takes at most that much of 32 bits, so that the sum of products has room beside it; where all
 * weights of a channel are 0, it is the bias alone that a scale is needed for. */
#define BIAS_MOST 0x1p30
#define BIAS_ALONE 0x1p20

static double with_bias(const struct layer *l, size_t channel)
{
    return (l->b ? (double)l->b[channel] : 0) + l->shift[channel];
}

static double code_error(double weight, double scale)
{
    const double code = fmin(CODE_MOST, fmax(-CODE_MOST, nearbyint(weight / scale)));
    return (weight - code * scale) * (weight - code * scale);
}

/* Errors of a channel with its own scale and with that of all. */
static void channel_errors(const struct layer *l, size_t channel, double own, double of_all, double error[2])
{
    const size_t each = l->channels * l->inner;
    error[0] = error[1] = 0;
    for (size_t from = channel * l->inner; from < l->count; from += each)
        for (size_t i = from; i < from + l->inner; i++) {
            error[0] += code_error((double)l->w[i], own);
            error[1] += code_error((double)l->w[i], of_all);
        }
}

static void largest_weights(const struct layer *l, double *most)
{
    for (size_t i = 0; i < l->channels; i++)
        most[i] = 0;
    for (size_t i = 0; i < l->count; i++)
        most[layer_output(l, i)] = fmax(most[layer_output(l, i)], fabs((double)l->w[i]));
}

/* The scale of a channel whose largest weight is `most`: of the two, the one with less error. */
static double channel_scale(const struct layer *l, size_t channel, double most, double of_all)
{
    double error[2];
    if (most == 0)
        return 0;
    channel_errors(l, channel, (double)(float)(most / CODE_MOST), of_all, error);
    return error[1] < error[0] ? of_all : most / CODE_MOST;
}

void weights_scale(struct layer *l, float input_scale, bool per_tensor)
{
    double all = 0, *most = calloc(l->channels + 1, sizeof *most);
    l->scales = per_tensor ? 1 : l->channels;
    if (!most)
        return;
    largest_weights(l, most);
    for (size_t c = 0; c < l->channels; c++)
        all = fmax(all, most[c]);
    l->scale[0] = 0;
    for (size_t c = 0; c < l->channels; c++) {
        const double bias = fabs(with_bias(l, c)) / (double)input_scale;
        const double own =
            per_tensor ? all / CODE_MOST : channel_scale(l, c, most[c], (double)(float)(all / CODE_MOST));
        float *to = &l->scale[per_tensor ? 0 : c];
        *to = (float)fmax((double)*to * per_tensor, fmax(own, bias / (own > 0 ? BIAS_MOST : BIAS_ALONE)));
    }
    for (size_t c = 0; c < l->scales; c++)
        l->scale[c] = l->scale[c] > 0x1p-60F ? l->scale[c] : 1;
    free(most);
}

int weight_code(const struct layer *l, size_t weight)
{
    const double scale = (double)l->scale[l->scales > 1 ? layer_output(l, weight) : 0];
    return (int)fmin(CODE_MOST, fmax(-CODE_MOST, nearbyint((double)l->w[weight] / scale)));
}

float bias_scale(const struct layer *l, size_t channel, float input_scale)
{
    return input_scale * l->scale[l->scales > 1 ? channel : 0];
}

int32_t bias_code(const struct layer *l, size_t channel, float input_scale)
{
    const double code = nearbyint(with_bias(l, channel) / (double)bias_scale(l, channel, input_scale));
    return (int32_t)fmin(INT32_MAX, fmax(INT32_MIN, code));
}
