#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilated rows against the functional model: two small variants, random operators with random stalls on both
# ports, and every error.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl_cluster/lib.sh
source "$TOP/tests/rtl_cluster/lib.sh"

row small-tiny tiny
compare stores --seeds "$FIRST_SEED" 100
compare tiles --seeds "$FIRST_SEED" 150
compare plans --seeds "$FIRST_SEED" 60
compare errors

row small-int16 tiny --set m=1 --set k=3 --set scan=4 --set balance=neighbour --set data_width=16 \
    --set acc_width=48 --set index_width=11 --set functions=relu,leaky_relu,clamp,requantise
compare stores --seeds "$FIRST_SEED" 50
compare tiles --seeds "$FIRST_SEED" 150
compare errors
finish
