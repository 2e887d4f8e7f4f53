/* SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of board that the host can open: the simulated ones, and those
 * behind a PCIe function or a serial line.
 */
#ifndef TULLE_HOST_DEVICES_KINDS_H
#define TULLE_HOST_DEVICES_KINDS_H

#include "sim/board/board.h"

extern const struct board_api *const board_kinds[]; /* NULL at the end */

#endif
