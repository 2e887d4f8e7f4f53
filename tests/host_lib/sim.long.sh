#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libtulle on a simulated device: products, convolutions, floats, all 27 forced plans, updates, files and runs at the same
# time, as on the functional model in the short tier; containers; devices that fail.
# timeout: 900

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build

tiny_board
"$BUILD/bin/tulle" pack --sim "$folder" -o tiny.tulle
"$BUILD/bin/tulle" pack --model odd -o other.tulle
for suite in host_lib host_lib_windows host_lib_floats host_lib_fewer; do
    TULLE_LIB_TEST=sim:$folder "$BUILD/tests/host_lib" -j1 --filter="$suite/*" || fail "$suite on sim:$folder"
done
TULLE_LIB_SIM=$folder TULLE_LIB_CONTAINER=tiny.tulle TULLE_LIB_OTHER=other.tulle \
    "$BUILD/tests/tool/lib-sim" -j1 || fail "faults of sim:$folder"
