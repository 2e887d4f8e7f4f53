/* SPDX-License-Identifier: Apache-2.0
 *
 * The PCIe function as its driver sees it: docs/pcie.md has the longer text.
 * Server, driver and a bridge on a real board agree on what stands here.
 */
#ifndef TULLE_SIM_BOARD_PCIE_LAYOUT_H
#define TULLE_SIM_BOARD_PCIE_LAYOUT_H

#include <stdint.h>

/* ---- identification --------------------------------------------------------------------------- */

#define PCIE_VENDOR_DEFAULT 0x8D54 /* nobody's in the public list; settable, see docs/pcie.md */
#define PCIE_DEVICE_DEFAULT 0x0001
#define PCIE_CLASS 0x120000u /* processing accelerator */
#define PCIE_REVISION 1

/* ---- configuration space ----------------------------------------------------------------------- */

#define CONFIG_BYTES 4096
#define CONFIG_COMMAND 0x04
#define CONFIG_STATUS 0x06
#define CONFIG_BAR0 0x10
#define CONFIG_BAR2 0x18
#define CONFIG_CAPABILITIES 0x34

#define COMMAND_MEMORY (1u << 1)
#define COMMAND_MASTER (1u << 2)
#define COMMAND_INTX_OFF (1u << 10)

#define CAPABILITY_EXPRESS 0x40
#define CAPABILITY_MSIX 0x80
#define CAPABILITY_POWER 0x90
#define EXPRESS_DEVICE_CONTROL (CAPABILITY_EXPRESS + 0x08)
#define DEVICE_CONTROL_FLR (1u << 15)
#define MSIX_CONTROL (CAPABILITY_MSIX + 2)
#define MSIX_CONTROL_ENABLE (1u << 15)
#define POWER_STATE (CAPABILITY_POWER + 4)

/* ---- BAR0 -------------------------------------------------------------------------------------- */

#define BAR0_BYTES 0x4000u
#define BAR0_DEVICE 0x0000u   /* the registers of docs/registers.md, a page */
#define BAR0_FUNCTION 0x1000u /* those below, a page */
#define BAR0_MSIX_TABLE 0x2000u
#define BAR0_MSIX_PENDING 0x3000u
#define BAR0_PAGE 0x1000u

#define VECTOR_JOB 0  /* the device's interrupt line went up */
#define VECTOR_COPY 1 /* the copy engine has something to say */
#define VECTORS 2
#define MSIX_ENTRY_BYTES 16

/* Registers of the function, offsets within its page. */
enum function_register {
    FUNCTION_MAGIC = 0x00,
    FUNCTION_VERSION = 0x04,
    FUNCTION_FEATURES = 0x08,
    FUNCTION_MEMORY = 0x10,        /* 64 bits: bytes of device memory */
    FUNCTION_WINDOW = 0x18,        /* 64 bits: where in device memory BAR2 begins */
    FUNCTION_WINDOW_BYTES = 0x20,  /* 64 bits */
    FUNCTION_WINDOW_FAULTS = 0x28, /* accesses of BAR2 outside device memory */
    COPY_CONTROL = 0x40,
    COPY_STATUS = 0x44,
    COPY_RING = 0x48,    /* 64 bits: the ring's address in the host's memory */
    COPY_ENTRIES = 0x50, /* of the ring, a power of two */
    COPY_HEAD = 0x54,    /* the next descriptor that the engine takes */
    COPY_TAIL = 0x58,    /* behind the last one that the host has filled */
    COPY_INTERRUPT_MASK = 0x5C,
    COPY_INTERRUPT_STATUS = 0x60,
    COPY_DONE = 0x64,          /* descriptors completed, well or not */
    COPY_FAULTS = 0x68,        /* accesses of the host's memory that were refused */
    COPY_FAULT_ADDRESS = 0x70, /* 64 bits: of the last one */
    COPY_WATCHDOG = 0x78,      /* cycles without progress until a copy is ended; 0: never */
    COPY_TO_DEVICE = 0x80,     /* 64 bits: bytes moved */
    COPY_TO_HOST = 0x88        /* 64 bits */
};

#define FUNCTION_MAGIC_VALUE 0x43495054u /* "TPIC" */
#define FUNCTION_VERSION_VALUE 0x00000101u
#define FEATURE_COPY (1u << 0)
#define WINDOW_ALIGNMENT 4096

#define COPY_CONTROL_RUN (1u << 0)
#define COPY_CONTROL_RESET (1u << 1)
#define COPY_STATUS_BUSY (1u << 0)
#define COPY_STATUS_HALTED (1u << 1)
#define COPY_STATUS_CODE_SHIFT 8
#define COPY_INTERRUPT_COMPLETED (1u << 0)
#define COPY_INTERRUPT_HALTED (1u << 1)
#define COPY_WATCHDOG_DEFAULT 0x01000000u

/* ---- descriptors of the copy engine ------------------------------------------------------------- */

#define RING_ALIGNMENT 64
#define RING_ENTRIES_MIN 2
#define RING_ENTRIES_MAX 65536
#define COPY_PIECE_MAX (16u << 20) /* bytes of one descriptor */

struct copy_descriptor {
    uint32_t flags;
    uint32_t bytes;
    uint64_t host;   /* bus address */
    uint64_t device; /* address in device memory */
    uint32_t status; /* written by the engine */
    uint32_t moved;  /* likewise: bytes */
};
_Static_assert(sizeof(struct copy_descriptor) == 32, "descriptors are 32 bytes");

#define DESCRIPTOR_TO_HOST (1u << 0)
#define DESCRIPTOR_INTERRUPT (1u << 1)
#define DESCRIPTOR_DONE (1u << 31) /* in status, beside an enum copy_code */
#define COPY_CODE_MASK 0xFFu

enum copy_code {
    COPY_OK,
    COPY_BAD_DESCRIPTOR, /* flags or bytes that cannot be */
    COPY_DEVICE_ADDRESS, /* not all of it is in device memory */
    COPY_HOST_FAULT,     /* not all of it is mapped for the direction */
    COPY_RING_FAULT,     /* the descriptor itself, or its status */
    COPY_BAD_RING,       /* address, entries or tail that cannot be */
    COPY_NOT_MASTER,     /* bus mastering is off, or the function sleeps */
    COPY_DEVICE_FAILED,  /* the device does not answer */
    COPY_CODES
};

#endif
