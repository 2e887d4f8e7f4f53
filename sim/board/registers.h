/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers by their names in docs/registers.md.
 */
#ifndef TULLE_SIM_BOARD_REGISTERS_H
#define TULLE_SIM_BOARD_REGISTERS_H

#include <stdint.h>

#include "gen/isa/table.h"

#define CONTROL_START (1u << 0)
#define CONTROL_DONE (1u << 1)
#define CONTROL_IDLE (1u << 2)
#define CONTROL_READY (1u << 3)
#define CONTROL_CONTINUE (1u << 4)
#define INTERRUPT_DONE (1u << 0)
#define INTERRUPT_READY (1u << 1)
#define RESET_KEY 0x52455354u

/* The register of that name or offset; NULL when there is none. */
const struct isa_register *register_named(const char *name);
const struct isa_register *register_at(uint32_t offset);

/* The offset of one that there is. */
uint32_t register_offset(const char *name);

/* Where the host writes the address and the size of a slot's buffer: the low word, the high one follows. */
uint32_t register_slot_address(unsigned slot);
uint32_t register_slot_size(unsigned slot);

#endif
