#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same for widths, scans, numbers of PEs and both ways of balancing; the named variants; fresh seeds, too.
# timeout: 2400
set -euo pipefail

# shellcheck source=tests/rtl_cluster/lib.sh
source "$TOP/tests/rtl_cluster/lib.sh"

one=(--set n=1 --set m=1 --set memory_width=256)
int16=(--set data_width=16 --set acc_width=48 --set index_width=11)

# sweep NAME VARIANT OPTION...
sweep() {
    local fresh=$((RANDOM * 32768 + RANDOM))
    row "$@"
    compare stores --seeds "$FIRST_SEED" 200
    for first in "$FIRST_SEED" "$fresh"; do
        compare tiles --seeds "$first" 400
        [[ $* == *data_width=16* ]] || compare plans --seeds "$first" 150 # which are of int8
    done
    compare errors
}

sweep base base "${one[@]}"
compare tiles --seeds 536021377 1 # a slope of -1 on the most negative accumulator
sweep base4 base4 "${one[@]}"
sweep base-none base "${one[@]}" --set balance=none
sweep base4-int16 base4 "${one[@]}" "${int16[@]}"
sweep k1-scan1 base "${one[@]}" --set k=1 --set scan=1 --set balance=none
sweep k1-scan4 base "${one[@]}" --set k=1 --set scan=4 --set balance=none
sweep k2-ring base "${one[@]}" --set k=2 --set scan=4
sweep k3-scan1 base "${one[@]}" --set k=3 --set scan=1 --set functions=relu,sigmoid,tanh,max,user
sweep k5-int16 base "${one[@]}" --set k=5 "${int16[@]}"
sweep k7-slow-bus base4 --set n=1 --set m=1 --set k=7 --set row_bus_width=64 --set memory_width=64
sweep odd odd
compare reductions --seeds "$FIRST_SEED" 200
row sums base "${one[@]}" --set functions=sum,average
compare reductions --seeds "$FIRST_SEED" 200
finish
