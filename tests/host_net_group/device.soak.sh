#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# expected: 5000
# timeout: 20000
# Random networks, all layers of each in one group, on the functional model, in every number of slices that there is, with banks of two
# sizes: every result is the CPU's. FIRST and LAST limit it.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
export OCL_ICD_VENDORS="$BUILD/vendors"

runs=0
for ((seed = ${FIRST:-1}; seed <= ${LAST:-200}; seed++)); do
    random_network net.onnx "$seed"
    last=$(all_layers net.onnx)
    for ((slices = 2; slices <= 64; slices++)); do
        wish=(--groups --on-chip 65536 --group "0..$last/$slices")
        "$tulle" net explain net.onnx "${wish[@]}" >/dev/null 2>err || continue # no height gives so many
        for bank in 1024 8192; do
            grouped "model:networks;set=local_bytes=$bank" net.onnx "${wish[@]}"
            runs=$((runs + 1))
        done
    done
done
echo "$((seed - ${FIRST:-1})) networks, $runs runs in slices; in $cut of them the CPU cuts the input"
