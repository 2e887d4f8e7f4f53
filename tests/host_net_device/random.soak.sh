#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random quantised networks, of 2,000 layers in all, on a simulated device with an array as small as that of tiny: every element of every
# layer is the CPU's. NETWORKS: how many (450).
# timeout: 3600
# expected: 340

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"

small=(memory_width=64 row_bus_width=64 n=1 m=1 k=4 channel_groups=32 softmax=64)
"$TOP/sim/board/build" -o "$BUILD/board/networks-small" networks "${small[@]/#/--set=}"

layers=0 elements=0
for ((seed = 1; seed <= ${NETWORKS:-450}; seed++)); do
    "$BUILD/tests/tool/net-graph" "$seed" graph.onnx
    sizes=$("$tulle" net info graph.onnx | sed -n 's/^inputs .*\[\(.*\)\]$/\1/p')
    "$PYTHON" -c 'import sys, numpy as np
sizes = [int(n) for n in sys.argv[2].split(",")]
np.save("x.npy", (np.random.RandomState(int(sys.argv[1])).rand(*sizes) * 4 - 2).astype(np.float32))' "$seed" "$sizes"
    # Every other one as jobs of neighbours together.
    mode=layers
    ((seed % 2)) || mode=fused
    "$tulle" net run graph.onnx --passes all --input x.npy --device "sim:$BUILD/board/networks-small" --mode "$mode" --check >out 2>err ||
        fail "seed $seed, $mode: $(cat out err)"
    found=$(sed -n 's/^check: \([0-9]*\) layers of the device, \([0-9]*\) elements, 0 differ from the CPU$/\1 \2/p' out)
    [[ -n $found ]] || fail "seed $seed: $(cat out)"
    layers=$((layers + ${found% *})) elements=$((elements + ${found#* }))
done
echo "$((seed - 1)) networks, $layers layers of the device, $elements elements, 0 differ"
((layers >= 4 * (seed - 1))) || fail "few layers ran on the device"
