/* SPDX-License-Identifier: Apache-2.0
 *
 * The board "serial" (sim/board/board.h): a device behind a serial line,
 * docs/serial.md. This header has the operations that other boards lack.
 */
#ifndef TULLE_HOST_SERIAL_H
#define TULLE_HOST_SERIAL_H

#include "sim/board/board.h"

extern const struct board_api board_serial;

/* Bytes of device memory. */
uint64_t serial_memory(const struct board *board);

#endif
