#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 500 random quantised networks on the functional model: layer by layer, with neighbours in one job, and from a compiled file they give
# the CPU's outputs, and the first two every result of a layer. Some networks have no layers that can be in one job.
# timeout: 7200
# expected: 1200

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
device=(--device model:networks)

# runs WHAT NETWORK ARGUMENT...: its outputs are the CPU's.
runs() {
    "$tulle" net run "$2" --input x.npy "${device[@]}" --output given "${@:3}" >out 2>err || fail "seed $seed, $1: $(cat out err)"
    diff -r cpu given || fail "seed $seed, $1: other outputs"
    rm -r given
}
parts=0
for ((seed = ${FIRST:-1}; seed < ${FIRST:-1} + ${NETWORKS:-500}; seed++)); do
    "$BUILD/tests/tool/net-graph" "$seed" graph.onnx
    sizes=$("$tulle" net info graph.onnx | sed -n 's/^inputs .*\[\(.*\)\]$/\1/p')
    "$PYTHON" -c 'import sys, numpy as np
sizes = [int(n) for n in sys.argv[2].split(",")]
np.save("x.npy", (np.random.RandomState(int(sys.argv[1])).rand(*sizes) * 4 - 2).astype(np.float32))' "$seed" "$sizes"
    rm -rf cpu
    "$tulle" net run graph.onnx --passes all --input x.npy --output cpu >out 2>err || fail "seed $seed: $(cat out err)"
    runs layers graph.onnx --passes all --check
    runs fused graph.onnx --passes all --mode fused --check
    "$tulle" compile graph.onnx -o graph.net --force "${device[@]}" --mode fused >out 2>err || fail "seed $seed, compile: $(cat out err)"
    runs compiled graph.net
    more=$(sed -n 's/.*; \([0-9]*\) parts\{0,1\};.*/\1/p' out)
    parts=$((parts + ${more:-0}))
done
echo "${NETWORKS:-500} networks, $parts parts"
((2 * parts >= ${NETWORKS:-500})) || fail "few layers were in one job"
