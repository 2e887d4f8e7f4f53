/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/registers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_STRIDE 12 /* two words and one that is left free */

#define REMEMBERED 256 /* names that were looked for; a power of two */

static const struct isa_register *look_for(const char *name)
{
    for (const struct isa_register *r = isa_registers; r->name; r++)
        if (!strcmp(r->name, name))
            return r;
    return NULL;
}

/* Some hundred names are looked for in each job. A place holds any register, which is compared. */
const struct isa_register *register_named(const char *name)
{
    static _Atomic(const struct isa_register *) remembered[REMEMBERED];
    uint32_t hash = 0;
    for (const char *c = name; *c; c++)
        hash = hash * 31 + (uint8_t)*c;
    _Atomic(const struct isa_register *) *place = &remembered[hash % REMEMBERED];
    const struct isa_register *r = atomic_load_explicit(place, memory_order_relaxed);
    if (r && !strcmp(r->name, name))
        return r;
    r = look_for(name);
    atomic_store_explicit(place, r, memory_order_relaxed);
    return r;
}

const struct isa_register *register_at(uint32_t offset)
{
    for (const struct isa_register *r = isa_registers; r->name; r++)
        if (r->offset == offset)
            return r;
    return NULL;
}

uint32_t register_offset(const char *name)
{
    const struct isa_register *found = register_named(name);
    if (found)
        return found->offset;
    fprintf(stderr, "internal error: there is no register %s\n", name);
    abort();
}

uint32_t register_slot_address(unsigned slot)
{
    return register_offset("address_program_low") + SLOT_STRIDE * slot;
}

uint32_t register_slot_size(unsigned slot)
{
    return register_offset("size_program_low") + SLOT_STRIDE * slot;
}
