#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Verilated devices whose store engine takes several groups of results in a cycle: they agree whatever the memory does, and take the
# time that the cycle model predicts, also where results are the limit.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

random_operators() {
    local seed
    for seed in 1 2 3; do
        agrees spmm --rows 16 --k 24 --n 40 --density 0.5 --seed "$seed" --stalls "$seed"
        agrees spmm --rows 7 --k 24 --n 37 --density 0.5 --seed "$seed" --latency 5
        agrees spmm --rows 12 --held 3 --k 40 --n 26 --density 0.3 --plan ws:mm --seed "$seed" --bandwidth 1/3
        agrees spmm --rows 8 --held 2 --k 48 --n 40 --density 0.3 --plan os:kn --seed "$seed" --stalls "$seed"
        agrees spmm --rows 64 --held 4 --k 8 --n 32 --density 0.5 --plan is:mm --seed "$seed"
        agrees spconv --shape 6x5x16,1,1,2x2 --n 16 --density 0.5 --seed "$seed" --stalls "$seed"
        agrees depthwise --shape 8x8x8,3,1,3x3 --density 1 --seed "$seed" --stalls "$seed"
    done
}

# predicted: where results are the limit, and where they are not.
predicted() {
    within 2 spmm --rows 16 --held 4 --k 128 --n 64 --density 0.5 --plan is:mm
    within 3 spmm --rows 64 --held 4 --k 8 --n 32 --density 0.5 --plan is:mm
    within 3 spmm --rows 16 --held 4 --k 4 --n 128 --density 1 --plan is:mm
}

device tiny-two tiny --set store_groups=2
random_operators
predicted

# Runs and beats that have nothing in common, more groups than clusters, and lines.
device odd-four tiny --set k=3 --set m=3 --set memory_width=256 --set row_bus_width=128 --set store_groups=4 --set result_queue_depth=8 --set gather_lines=64
random_operators
finish
