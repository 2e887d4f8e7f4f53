#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# expected: 600
# timeout: 3600
# Random networks in groups on the functional model, with banks of two sizes and groups of two sizes: every result is the CPU's.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
export OCL_ICD_VENDORS="$BUILD/vendors"

for ((seed = ${FIRST:-1}; seed <= ${LAST:-50}; seed++)); do
    random_network net.onnx "$seed"
    for bank in 1024 4096; do
        grouped "model:networks;set=local_bytes=$bank" net.onnx --groups --on-chip "$bank"
        grouped "model:networks;set=local_bytes=$((2 * bank))" net.onnx --groups --on-chip "$bank" --rows-only
    done
done
echo "$((seed - ${FIRST:-1})) networks, of which $((cut)) runs were in slices"
