#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilated rows against the functional model: small variants, random operators with random stalls on both
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

row small-int16 "${INT16[@]}"
compare stores --seeds "$FIRST_SEED" 50
compare reductions --seeds "$FIRST_SEED" 60
compare tiles --seeds "$FIRST_SEED" 150
compare errors

row small-beside tiny --set m=1 --set balance=neighbour --set functions=sum,max,average --set issue=parallel
compare reductions --seeds "$FIRST_SEED" 60
compare beside --seeds "$FIRST_SEED" 100
compare tiles --seeds "$FIRST_SEED" 60
compare pace --seeds 2 2

row small-max tiny --set m=1 --set balance=neighbour --set functions=relu,requantise,max,user
compare tiles --seeds "$FIRST_SEED" 150
compare errors
finish
