#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As programs.sh and programs.long.sh, with many programs of many variants: 100,000 as data flow, 5,000 as C, and 1,000 on a
# Verilated device.
# timeout: 14400
# expected: 1500

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

for seed in $(seq 20000 1000 24000); do
    for variant in tiny base odd networks 3 4 5 8 10 21; do
        programs "$variant" "$seed" 100
        compiles "$variant" gcc -O1
        ((seed > 20000)) || other_machines "$variant"
    done
done
for variant in tiny base odd networks 22 $(seq 1 20); do
    flows "$variant" 50000 4000
done
"$TOP/sim/board/build" -o "$BUILD/board/tiny" tiny
"$flows" tiny 90000 1000 "$BUILD/board/tiny/" >out || fail "on the Verilated device: $(cat out)"
cat out
grep -q '1000 on the device, too' out || fail "on the Verilated device: $(cat out)"
