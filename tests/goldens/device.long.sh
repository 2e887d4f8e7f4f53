#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CMSIS-NN's integer test data that the variant networks has, as in device.sh, on simulated devices.
# timeout: 1500

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/goldens/lib.sh
source "$TOP/tests/goldens/lib.sh"
# shellcheck source=tests/goldens/device/lib.sh
source "$TOP/tests/goldens/device/lib.sh"

"$TOP/sim/board/build" -o "$BUILD/board/networks" networks
TULLE_DEVICES=sim:$BUILD/board/networks compares 84 27780 --device 0
"$TOP/sim/board/build" -o "$BUILD/board/networks-16" networks --set data_width=16 --set acc_width=48 --set plain_weights=off
TULLE_DEVICES=sim:$BUILD/board/networks-16 compares 41 7907 --device 0
