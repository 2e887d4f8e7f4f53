#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The copy engine in RTL behind the PCIe function: what the tests of unit sim_pcie ask of the model in C, they ask of a
# Verilated device with a host port, too, with random stalls and without; then products over it.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"
# shellcheck source=tests/sim_pcie/lib.sh
source "$TOP/tests/sim_pcie/lib.sh"

device=$BOARDS/tiny-host
"$TOP/sim/board/build" -o "$device" tiny --set host_port=on

# play SETTING: the tests that name no board of their own.
play() {
    TULLE_PCIE_BOARD=sim:$device TULLE_PCIE_SETTING=$1 "$BUILD/tests/sim_pcie" --filter '@(copies|engine|memory|hostile)/*' >log 2>&1 &&
        grep -q 'Failing: 0 | Crashing: 0' log && ! grep -q 'Tested: 0 ' log && return
    fail "with $1: $(<log)"
}

play latency=20
play "stalls=$((RANDOM + 1))"

# Where there is no host port there is nothing of this to test.
"$TOP/sim/board/build" -o "$BOARDS/tiny" tiny
if TULLE_PCIE_BOARD=sim:$BOARDS/tiny "$BUILD/tests/sim_pcie" --filter 'engine/*' >log 2>&1; then
    fail "a device without a host port passes for one with it"
fi
grep -q 'has no host port' log || fail "a device without a host port: $(<log)"

serve "sim:$device;stalls=3"
for seed in 1 2; do
    "$BUILD/bin/tulle-sim" spmm --board "pcie:$socket" --variant "$device/variant.yaml" --rows 64 --held 2 --k 64 --n 32 --density 0.3 \
        --seed "$seed" >out 2>&1 || fail "seed $seed: $(<out)"
    grep -q 'everything agrees' out || fail "seed $seed: $(<out)"
done
finish
