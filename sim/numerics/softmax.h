/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of a row of quantised numbers, bit for bit as TFLite defines it: docs/numerics.md, "Softmax". For
 * processors that run what devices do not.
 */
#ifndef TULLE_SIM_SOFTMAX_H
#define TULLE_SIM_SOFTMAX_H

#include "sim/numerics/numerics.h"

/* More numbers would leave 32 bits in TFLite. */
enum { NUM_SOFTMAX_MOST = 4095 };

struct num_softmax {
    enum num_element input, result; /* int8 to int8 or int16, or int16 to int16 */
    int32_t multiplier;             /* from 0; it and the shift make the argument of exp from a difference */
    unsigned shift;                 /* 0..63 */
    int32_t least;                  /* of int8: a difference below counts as minus infinity */
};

/* 1 .. NUM_SOFTMAX_MOST numbers of the input's element. `to` may be `from`. */
void num_softmax(const struct num_softmax *softmax, const int32_t *from, int32_t *to, size_t count);

#endif
