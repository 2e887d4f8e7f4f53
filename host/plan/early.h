/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of a plan that need not wait for the plan before it in a program of
 * several: those of weights and configurations. They come before the fence
 * between the two, while the last results of the plan before are computed and
 * written. The configurations themselves go to the clusters behind the fence,
 * since a cluster takes them only when it is at rest.
 *
 * Such loads go where the plan before has nothing in the storage units, so all
 * of the plan's places there move by as many bytes. Which loads these are
 * follows from the plan's program alone: what is early waits for no other
 * operation.
 */
#ifndef TULLE_HOST_EARLY_H
#define TULLE_HOST_EARLY_H

#include "host/plan/use.h"

#define EARLY_LOOK 64 /* operations of the beginning that are looked at */

struct early {
    bool is[EARLY_LOOK]; /* by position in the program, the first is 0 */
    unsigned count;
    uint32_t shift; /* bytes by which places in the storage units move */
};

/* What of `plan` can be early behind a plan that uses the beats `before`, moved by `shift`. What the plan's
 * `constant` slots hold is there when the job begins. */
void early_find(const struct plan *plan, const struct variant *variant, const bool constant[ISA_SLOTS],
                const bool *before, uint32_t shift, struct early *early);

#endif
