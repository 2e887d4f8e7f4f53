#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The activation bank of devices: many random programs, with ports of 64 and 512 bits.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

options=(--set joins=on --set channel_groups=16)
device tiny-bank tiny --set local_bytes=4096 "${options[@]}"
"$BUILD/tests/tool/bank-test" "$DEVICE" 2000 "$RANDOM"
device tiny-bank-1024 tiny --set local_bytes=1024 "${options[@]}"
"$BUILD/tests/tool/bank-test" "$DEVICE" 1000 "$RANDOM"
device tiny-bank-512 tiny --set local_bytes=8192 --set m=1 --set k=8 --set memory_width=512 --set row_bus_width=256 "${options[@]}"
"$BUILD/tests/tool/bank-test" "$DEVICE" 1000 "$RANDOM"
finish
