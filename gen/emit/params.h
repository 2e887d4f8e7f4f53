/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_GEN_EMIT_PARAMS_H
#define TULLE_GEN_EMIT_PARAMS_H

#include <stdbool.h>

#include "gen/variant/variant.h"

/* The functions of the variant, as in registers and headers: bit f stands for the function with number f. */
unsigned params_function_mask(const struct variant *variant);

/* Whether clusters reduce over their PEs: sum, max or average is among the functions. */
bool params_reduces(const struct variant *variant);

/* Whether reductions run beside MACs of other entries. */
bool params_reduces_beside(const struct variant *variant);

/* Whether MACs can keep the largest of their products: max is among the functions. */
bool params_maximum(const struct variant *variant);

/* Whether PEs of a cluster multiply pairs of their neighbours. */
bool params_ring(const struct variant *variant);

/* Banks of 64 bits of a storage unit: as many as a beat of the memory or of the row bus has. */
unsigned params_banks(const struct variant *variant);

#endif
