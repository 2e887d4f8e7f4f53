#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What second operands cost on a simulated device of the variant networks: two tensors that are added keep the lanes of the
# store engine busy, and a residual addition is nearly free where multiplications limit.
# timeout: 1500

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

"$TOP/sim/board/build" -o "$BUILD/board/networks" networks
device=sim:$BUILD/board/networks

# number NAME FILE: of a run, from its JSON.
number() {
    grep -o "\"$1\": [0-9]*" "$2" | grep -o '[0-9]*$'
}

# Eight lanes, so at least an eighth of the elements in cycles; at most a tenth of the lanes may idle.
does run add --rows 3136 --n 256 --device "$device" --check --json
cycles=$(number cycles out)
echo "56x56x256 added: $cycles cycles, $((100 * 3136 * 256 / 8 / cycles)) % of the lanes"
((9 * cycles <= 10 * 3136 * 256 / 8)) || fail "two tensors of 56x56x256 are added in $cycles cycles"

# At most 2 % more cycles; of the operand's bytes 5 % more. Channels' scales and limits are four tables of 4 bytes each.
layer=(conv --in 14x14x64 --kernel 3 --pad 1 --out-channels 64 --density 0.2 --scale 0.01 --device "$device" --check --json)
does run "${layer[@]}"
cp out plain
does run "${layer[@]}" --residual add
more=$(($(number bytes_read out) - $(number bytes_read plain)))
echo "3x3 with a residual: $(number cycles out) for $(number cycles plain) cycles, $more bytes more for $((14 * 14 * 64))"
((100 * $(number cycles out) <= 102 * $(number cycles plain))) || fail "a residual costs more than 2 % in cycles"
((100 * (more - 4 * 4 * 64) <= 105 * 14 * 14 * 64)) || fail "a residual costs $more bytes"
