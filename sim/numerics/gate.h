/* SPDX-License-Identifier: Apache-2.0
 *
 * The curves of recurrent layers of 16 bits, bit for bit as TFLite defines them: docs/numerics.md, "Gates".
 * Their table is coarser than that of devices (num_tanh, num_sigmoid), and its results are others.
 */
#ifndef TULLE_SIM_GATE_H
#define TULLE_SIM_GATE_H

#include "sim/numerics/numerics.h"

/* The logistic function and tanh of x * 2^power, in units of 2^-15. x: 16 bits; power: -30 .. 0. */
int32_t num_gate_sigmoid(int32_t x, int power);
int32_t num_gate_tanh(int32_t x, int power);

#endif
