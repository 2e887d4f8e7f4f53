/* SPDX-License-Identifier: Apache-2.0 */
#include "host/devices/kinds.h"

#include "host/pcie/pcie.h"
#include "host/serial/serial.h"

const struct board_api *const board_kinds[] = {&board_sim, &board_model, &board_pcie, &board_serial, NULL};
