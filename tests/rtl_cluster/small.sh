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
compare loads --seeds "$FIRST_SEED" 60
compare tiles --seeds "$FIRST_SEED" 150
compare plans --seeds "$FIRST_SEED" 60
compare measure
compare errors

row small-int16 "${INT16[@]}"
compare stores --seeds "$FIRST_SEED" 50
compare reductions --seeds "$FIRST_SEED" 60
compare tiles --seeds "$FIRST_SEED" 150
compare errors

row small-beside tiny --set m=1 --set balance=neighbour --set functions=sum,max,average --set decoupled_reductions=on \
    --set output_queue_depth=64 --set roundings=on
compare reductions --seeds "$FIRST_SEED" 60
compare beside --seeds "$FIRST_SEED" 100
compare tiles --seeds "$FIRST_SEED" 60
compare pace --seeds 3 2

row small-parallel tiny --set m=1 --set balance=neighbour --set functions=relu,requantise,max --set parallel_issue=on
compare stores --seeds "$FIRST_SEED" 50
compare loads --seeds "$FIRST_SEED" 150
compare tiles --seeds "$FIRST_SEED" 150
compare plans --seeds "$FIRST_SEED" 60
compare measure
compare errors

row small-max tiny --set m=1 --set balance=neighbour --set functions=relu,requantise,max,user
compare tiles --seeds "$FIRST_SEED" 150
compare errors
compare pace --seeds 4 1

row small-zero tiny --set m=1 --set balance=neighbour --set functions=relu,requantise,max --set zero_points=on \
    --set parallel_issue=on --set output_queue_depth=64
compare loads --seeds "$FIRST_SEED" 150
compare masks --seeds "$FIRST_SEED" 20
compare tiles --seeds "$FIRST_SEED" 150
compare errors

row small-zero-int16 "${INT16[@]}" --set zero_points=on --set output_queue_depth=64
compare loads --seeds "$FIRST_SEED" 60
compare masks --seeds "$FIRST_SEED" 20
compare tiles --seeds "$FIRST_SEED" 150
compare errors

row small-buffers tiny --set m=1 --set balance=neighbour --set functions=relu,requantise,max --set accumulators=on
compare buffers --seeds "$FIRST_SEED" 300
compare tiles --seeds "$FIRST_SEED" 60

row small-jumps tiny --set m=1 --set balance=neighbour --set long_jumps=on --set index_width=6 --set input_buffer_depth=4096
compare tiles --seeds "$FIRST_SEED" 150
compare plans --seeds "$FIRST_SEED" 60
compare errors

row small-jumps-4 "${INT16[@]}" --set long_jumps=on --set input_buffer_depth=8192
compare tiles --seeds "$FIRST_SEED" 150

row small-extensions tiny --set m=1 --set balance=neighbour --set pe_operands=on --set scalar_unit=on --set scatter=off \
    --set functions=relu,leaky_relu,requantise,sigmoid,sum,max,average --set roundings=on
compare extensions --seeds "$FIRST_SEED" 300
compare refusals
compare reductions --seeds "$FIRST_SEED" 60
compare tiles --seeds "$FIRST_SEED" 100
compare errors
finish
