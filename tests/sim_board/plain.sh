#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Plain packets of Verilated devices: dense weights, whatever the segments, and the time that the cycle model predicts.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/plain_lib.sh
source "$TOP/tests/sim_board/plain_lib.sh"

# dense MEMORY OPERATOR OPTION...: the same with all weights, or DENSITY of them.
dense() {
    fewer_bytes "$@" --density "${DENSITY:-1}"
}

bytes_device tiny-plain plain_weights
for seed in 1 2 3; do
    dense "--stalls $seed" spmm --rows 8 --held 2 --k 64 --n 32 --seed "$seed"
    dense "--latency 5" spmm --rows 3 --held 1 --k 23 --n 9 --seed "$seed"
    dense "--bandwidth 1/3" spmm --rows 5 --held 3 --k 80 --n 31 --plan os:kn --act-density 0.5 --seed "$seed"
    dense "--stalls $seed" spmm --rows 6 --held 2 --k 48 --n 40 --plan ws:kk --seed "$seed"
    dense "--stalls $seed" spconv --shape 6x5x16,1,1,2x2 --n 16 --seed "$seed"
done
within 1 spmm --rows 1 --k 96 --n 200 --density 1 --plan os:kk --packet-bytes 256
# Packets that are longer than the queues of the clusters that they go to in turn.
within 2 spmm --rows 1 --k 96 --n 200 --density 1 --plan os:kk
within 2 spmm --rows 2 --k 64 --n 256 --density 1 --plan os:nn
# Weights of 0 are scanned, and not multiplied.
DENSITY=0.8 dense "--stalls 1" spmm --rows 8 --held 4 --k 64 --n 32
within 2 spmm --rows 64 --held 4 --k 64 --n 64 --density 0.8

# A PE has one entry in a beat, and the row bus is wider than the entries.
bytes_device five-plain plain_weights --set k=5 --set row_bus_width=128 --set memory_width=128
for seed in 1 2 3; do
    dense "--stalls $seed" spmm --rows 4 --held 2 --k 37 --n 23 --seed "$seed"
done
# One PE, and segments that are hardly longer than a beat.
bytes_device one-plain plain_weights --set n=1 --set m=1 --set k=1 --set row_bus_width=256 --set memory_width=256 --set scan=4
for seed in 1 2 3; do
    dense "--stalls $seed" spmm --rows 4 --held 2 --k 18 --n 7 --seed "$seed"
done
finish
