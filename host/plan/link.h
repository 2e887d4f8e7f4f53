/* SPDX-License-Identifier: Apache-2.0
 *
 * Several plans in one program, one behind the other: the host is not asked
 * between them. Each plan's slots become places in slots of the whole. A fence
 * stands between two plans, since the next one uses the storage units, the
 * instruction buffers and the tokens anew, and reads what the one before has
 * written.
 */
#ifndef TULLE_HOST_LINK_H
#define TULLE_HOST_LINK_H

#include "host/plan/plan.h"

/* Where a plan's slot begins. Programs may write to `output`, `scratch` and `bank` only. */
struct link_slot {
    enum isa_slot slot;
    uint64_t base;
};

struct link_part {
    const struct plan *plan;
    struct link_slot slot[ISA_SLOTS]; /* of the plan's slots but its program */
};

/* `saved`: cycles of configurations that are not sent again. PLAN_UNSUPPORTED: instruction buffers of plans
 * before leave too little of the register files. */
enum plan_status plan_link(const struct variant *variant, const struct link_part *parts, size_t count,
                           struct strbuf *program, uint64_t *saved);

#endif
