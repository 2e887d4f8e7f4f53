/* SPDX-License-Identifier: Apache-2.0
 *
 * The board "pcie" (sim/board/board.h): a device behind the PCIe function of
 * docs/pcie.md. This header has the operations that other boards lack.
 */
#ifndef TULLE_HOST_PCIE_H
#define TULLE_HOST_PCIE_H

#include "sim/board/board.h"

extern const struct board_api board_pcie;

/* Bytes of device memory. */
uint64_t pcie_memory(const struct board *board);

/* Resets the function to its state after open(). Device memory stays unless the device had failed. */
enum board_status pcie_reset(struct board *board);

#endif
