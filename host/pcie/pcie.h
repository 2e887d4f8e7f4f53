/* SPDX-License-Identifier: Apache-2.0
 *
 * The board "pcie" (sim/board/board.h): a device behind the PCIe function of
 * docs/pcie.md. What it knows beyond other boards.
 */
#ifndef TULLE_HOST_PCIE_H
#define TULLE_HOST_PCIE_H

#include "sim/board/board.h"

/* Bytes of device memory. */
uint64_t pcie_memory(const struct board *board);

/* A function-level reset, and everything as after open() then. Device memory stays, unless the device had
 * failed. */
enum board_status pcie_reset(struct board *board);

#endif
