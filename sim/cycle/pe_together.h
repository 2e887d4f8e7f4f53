/* SPDX-License-Identifier: Apache-2.0
 *
 * Saves the time of stepping PEs that all do the same. Where the PEs of a
 * cluster get weights with the same places and activations with the same
 * zeros, as those of dense layers do, their states are equal in each cycle:
 * nobody has more work, so none moves. Then PE 0 alone is stepped, and the
 * others get its state when an announcement or a report needs them. The first
 * announcement that is not the same for all parts them; PEs that are at rest
 * begin together again. No cycle and no counter depends on it.
 */
#ifndef TULLE_SIM_CYCLE_PE_TOGETHER_H
#define TULLE_SIM_CYCLE_PE_TOGETHER_H

#include "sim/cycle/pe.h"

/* Before something is announced to one of the PEs. */
void together_announce(struct pe_array *pes);

/* After all announcements of a cycle: whether they were the same for all PEs. */
void together_compare(struct pe_array *pes);

/* What comes makes PEs differ that were the same. */
void together_part(struct pe_array *pes);

/* The counters of all PEs are right. */
void together_count(struct pe_array *pes);

#endif
