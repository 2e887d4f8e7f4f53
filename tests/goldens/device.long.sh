#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each sixth case of CMSIS-NN's integer test data that the variant networks has, on the simulated device.
# timeout: 1500

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/goldens/lib.sh
source "$TOP/tests/goldens/lib.sh"
# shellcheck source=tests/goldens/device/lib.sh
source "$TOP/tests/goldens/device/lib.sh"

folder=$BUILD/board/networks
"$TOP/sim/board/build" -o "$folder" networks
TULLE_DEVICES=sim:$folder compares 14 1521 --device 0 --every 6
