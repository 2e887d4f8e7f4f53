#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilated devices whose store engine takes several groups of results in a cycle: they agree whatever the memory does, and take the
# time that the cycle model predicts, also where results are the limit.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny-two tiny --set store_groups=2
random_operators
predicted

# Runs and beats that have nothing in common, more groups than clusters, and lines.
device odd-four tiny --set k=3 --set m=3 --set memory_width=256 --set row_bus_width=128 --set store_groups=4 --set result_queue_depth=8 --set gather_lines=64
random_operators
finish
