#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A Verilated device behind the PCIe function: its clock runs while a job does, and every byte of memory agrees.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"

# shellcheck source=tests/sim_pcie/lib.sh
source "$TOP/tests/sim_pcie/lib.sh"

"$TOP/sim/board/build" -o "$BOARDS/tiny" tiny
serve "sim:$BOARDS/tiny;stalls=3"

for seed in 1 2 3; do
    "$BUILD/bin/tulle-sim" spmm --board "pcie:$socket" --variant tiny --rows 8 --held 2 --k 64 --n 32 --density 0.3 \
        --seed "$seed" >out 2>&1 || fail "seed $seed: $(<out)"
    grep -q 'everything agrees' out || fail "seed $seed: $(<out)"
done
# A job that does not end in time, as its client sees it; the next one finds the device as after a reset.
if "$BUILD/bin/tulle-sim" spmm --board "pcie:$socket" --variant tiny --rows 512 --held 2 --k 64 --n 256 --density 1 --seconds 1 \
    >out 2>&1; then
    fail "a long job ends in a second: this tests nothing"
fi
grep -q 'no interrupt' out || fail "a long job: $(<out)"
"$BUILD/bin/tulle-sim" spmv --board "pcie:$socket" --variant tiny --rows 40 --k 96 >out 2>&1 || fail "after it: $(<out)"
finish
