/* SPDX-License-Identifier: Apache-2.0
 *
 * The operators of the cases by the kernels of host/net/cpu, in place of plain loops: `goldens --cpu`.
 */
#ifndef TULLE_TESTS_GOLDENS_CPU_H
#define TULLE_TESTS_GOLDENS_CPU_H

#include "host/net/cpu/exact.h"
#include "tests/goldens/tool/golden.h"

/* An array of numbers as a view of its type, whose memory the case owns. */
struct view cpu_view(struct golden *golden, enum golden_type type, const int64_t *values, size_t count);
/* The numbers of a view. */
void cpu_values(const struct view *view, int64_t *to);
/* Computes it by the kernels, or on the case's device. */
void exact_answer(struct golden *golden, const struct exact *what, struct answer *answer);
/* Runs a node of a graph of its own on scaled tensors that all have one scale; at most two. `windows`:
 * kernel, strides and pads of an image with channels at the end; NULL: none. */
void cpu_node(struct golden *golden, const char *type, const struct view *const *in, size_t count,
              const struct slide *windows, const struct view *out);

#endif
