/* SPDX-License-Identifier: Apache-2.0
 *
 * A test in the file itself: inputs by a rule, and a checksum of what the device makes of them for each
 * output.
 */
#ifndef TULLE_HOST_SOFTWARE_C_TEST_H
#define TULLE_HOST_SOFTWARE_C_TEST_H

#include "host/software/c_model.h"

/* FNV-1a, of bytes of weights and of numbers of outputs. */
#define C_SUM_START UINT64_C(14695981039346656037)
#define C_SUM_FACTOR UINT64_C(1099511628211)
#define C_TEST_START UINT64_C(1)

/* Numbers of an input by the rule, in the machine's order; `state` goes on from input to input. */
void c_test_fill(const struct c_tensor *tensor, uint64_t *state, void *to);
/* The checksum goes on with what a step gives. */
uint64_t c_test_add(uint64_t sum, const struct c_tensor *result, bool no_sign, const void *numbers);

/* The function NAME_test(): it fills the inputs, calls the steps, each of which is followed by what adds its
 * result, `x`, and compares. */
void c_test_begin(const struct c_model *model, struct strbuf *to);
void c_test_step(const struct c_tensor *result, const char *x, struct strbuf *to);
void c_test_end(const struct c_model *model, struct strbuf *to);

#endif
