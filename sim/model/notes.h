/* SPDX-License-Identifier: Apache-2.0
 *
 * What the functional model notes of a cluster's input buffer, so that a
 * packet need not look at each activation: where they are 0, and the buffer
 * once more behind itself, for packets whose activations go over the wrap.
 * Both are of buffers of which all PEs hold the same.
 */
#ifndef TULLE_SIM_NOTES_H
#define TULLE_SIM_NOTES_H

#include "sim/model/cluster.h"

/* Activations of the addresses [begin, end) were written. */
void notes_written(struct cluster *cluster, uint32_t begin, uint32_t end);
/* All are 0 again, or anything. */
void notes_reset(struct cluster *cluster, bool zeros);
void notes_free(struct cluster *cluster);

/* Looks where activations are 0, as far as they were written since it looked. False: out of memory. */
bool notes_look(struct cluster *cluster);

/* The sum of uses[p] over the positions p whose activation, at address + p, is 0. Addresses wrap at most
 * once. */
uint64_t notes_without_effect(const struct cluster *cluster, const uint32_t *uses, size_t positions,
                              uint32_t address, uint32_t wrap);

/* The first `wrap` activations twice, one behind the other. NULL: out of memory. */
const int32_t *notes_unrolled(struct cluster *cluster, uint32_t wrap);

#endif
