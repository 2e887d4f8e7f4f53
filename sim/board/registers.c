/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_STRIDE 12 /* two words and one that is left free */

const struct isa_register *register_named(const char *name)
{
    for (const struct isa_register *r = isa_registers; r->name; r++)
        if (!strcmp(r->name, name))
            return r;
    return NULL;
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
