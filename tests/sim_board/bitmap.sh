#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bitmap packets of Verilated devices: pruned weights, whatever the segments, and the time that the cycle model predicts.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/plain_lib.sh
source "$TOP/tests/sim_board/plain_lib.sh"

bytes_device tiny-bitmap bitmap_weights --set plain_weights=on
for seed in 1 2 3; do
    fewer_bytes "--stalls $seed" spmm --rows 8 --held 2 --k 64 --n 32 --density 0.5 --seed "$seed"
    fewer_bytes "--latency 5" spmm --rows 1 --held 1 --k 200 --n 48 --density 0.3 --plan is:nn --seed "$seed"
    fewer_bytes "--bandwidth 1/3" spmm --rows 1 --k 160 --n 31 --density 0.4 --plan os:kn --act-density 0.5 --seed "$seed"
    fewer_bytes "--stalls $seed" spmm --rows 6 --held 2 --k 96 --n 40 --density 0.5 --plan ws:kk --seed "$seed"
    fewer_bytes "--stalls $seed" spconv --shape 6x5x32,1,1,2x2 --n 16 --density 0.5 --seed "$seed"
done
within 2 spmm --rows 1 --k 96 --n 200 --density 0.5 --plan os:kk --packet-bytes 256
within 4 spmm --rows 2 --k 64 --n 256 --density 0.5 --plan os:nn
within 2 spmm --rows 64 --held 4 --k 64 --n 64 --density 0.5

# A PE has one entry in a beat, and the row bus is wider than the entries.
bytes_device five-bitmap bitmap_weights --set plain_weights=on --set k=5 --set row_bus_width=128 --set memory_width=128
for seed in 1 2 3; do
    fewer_bytes "--stalls $seed" spmm --rows 4 --held 2 --k 128 --n 43 --density 0.5 --seed "$seed"
done
# One PE with eight entries in a beat, so that a beat holds several masks.
bytes_device one-bitmap bitmap_weights --set plain_weights=on --set n=1 --set m=1 --set k=1 --set row_bus_width=128 \
    --set memory_width=128 --set scan=4
for seed in 1 2 3; do
    fewer_bytes "--stalls $seed" spmm --rows 4 --held 2 --k 80 --n 9 --density 0.4 --seed "$seed"
done
finish
