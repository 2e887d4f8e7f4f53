#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# expected: 600
# timeout: 3600
# Random networks in groups on the functional model, with banks of two sizes and all layers in two and in four slices: every result is the CPU's.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
export OCL_ICD_VENDORS="$BUILD/vendors"

for ((seed = ${FIRST:-1}; seed <= ${LAST:-50}; seed++)); do
    random_network net.onnx "$seed"
    last=$(all_layers net.onnx)
    for bank in 1024 8192; do
        for slices in 2 4; do
            wish=(--groups --on-chip 65536 --group "0..$last/$slices")
            "$tulle" net explain net.onnx "${wish[@]}" >/dev/null 2>err || continue # too few rows
            grouped "model:networks;set=local_bytes=$bank" net.onnx "${wish[@]}"
        done
    done
done
echo "$((seed - ${FIRST:-1})) networks, of which $((cut)) runs were in slices"
