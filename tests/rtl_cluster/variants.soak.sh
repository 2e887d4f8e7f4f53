#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rows of more widths, scans, numbers of PEs and ways of balancing than variants.long.sh plays.
# timeout: 3600
# expected: 900
set -euo pipefail

# shellcheck source=tests/rtl_cluster/sweep_lib.sh
source "$TOP/tests/rtl_cluster/sweep_lib.sh"

sweep base4 base4 "${ONE[@]}"
sweep base-none base "${ONE[@]}" --set balance=none
sweep k1-scan1 base "${ONE[@]}" --set k=1 --set scan=1 --set balance=none
sweep k1-scan4 base "${ONE[@]}" --set k=1 --set scan=4 --set balance=none
sweep k2-ring base "${ONE[@]}" --set k=2 --set scan=4
sweep k3-scan1 base "${ONE[@]}" --set k=3 --set scan=1 --set functions=relu,sigmoid,tanh,max,user
sweep k5-int16 base "${ONE[@]}" --set k=5 "${INT16_WIDTHS[@]}"
sweep k7-slow-bus base4 --set n=1 --set m=1 --set k=7 --set row_bus_width=64 --set memory_width=64
row sums base "${ONE[@]}" --set functions=sum,average
compare reductions --seeds "$FIRST_SEED" 200
finish
