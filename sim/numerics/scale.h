/* SPDX-License-Identifier: Apache-2.0
 *
 * Real factors as the integers that devices and kernels take, as TFLite finds them.
 */
#ifndef TULLE_SIM_SCALE_H
#define TULLE_SIM_SCALE_H

#include "sim/numerics/softmax.h"

/* factor = multiplier / 2^31 * 2^shift, with a multiplier of 31 bits; 0 and 0 for what is not above 2^-32,
 * and the largest for 2^30 and more. */
void num_multiplier_of(double factor, int32_t *multiplier, int *shift);

/* Multiplier, shift and `least` for inputs in units of `scale`, which beta is a factor of. The element of the
 * input is set. */
void num_softmax_set_scale(struct num_softmax *softmax, double scale);

#endif
