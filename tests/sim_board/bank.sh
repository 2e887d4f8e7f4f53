#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The activation bank of devices: random programs that write and read it in every way.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny-bank tiny --set local_bytes=4096 --set joins=on --set channel_groups=16
"$BUILD/tests/tool/bank-test" "$DEVICE" 60
finish
