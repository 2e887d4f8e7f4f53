#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Forced plans on the Verilated device: every mapping with every split, spilled sums, plans of SpMV and of
# convolutions.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny tiny
seed=1
for mapping in is os ws; do
    for split in mm mn mk nm nn nk km kn kk; do
        agrees spmm --rows 5 --k 72 --n 22 --density 0.3 --plan "$mapping:$split" --seed "$seed" --stalls "$seed"
        seed=$((seed + 1))
    done
done
# k in several steps: sums stay, or go to memory and back.
for plan in is:mm os:mm ws:mm is:kn os:nk ws:nn; do
    agrees spmm --rows 9 --k 700 --n 36 --density 0.1 --plan "$plan" --stalls 2
done
agrees spmv --rows 150 --k 300 --density 0.05 --plan stay --stalls 3
agrees spmv --rows 200 --k 300 --density 0.005 --plan pages --stalls 4
agrees spmv --rows 200 --k 3000 --density 0.0005 --plan pages --stalls 5
agrees spmv --rows 60 --k 700 --density 0.05 --plan is:nn --stalls 6
# Convolutions: tiles, blocks of channels, sums that stay or are spilled, channels scattered over PEs.
seed=1
for plan in is:mm is:nm,natural is:mn,natural os:kk,natural os:km ws:kn ws:mk,natural ws:nn; do
    agrees spconv --shape 10x9x24,3,1,1x3 --n 7 --density 0.4 --plan "$plan" --seed "$seed" --stalls "$seed"
    seed=$((seed + 1))
done
for plan in os:mm,natural is:mm ws:mm,natural os:nk; do
    agrees spconv --shape 9x9x120,3,2,1x2 --n 9 --density 0.5 --plan "$plan" --stalls 7
done
for plan in is:mm is:nm,natural is:mn ws:nn,natural; do
    agrees depthwise --shape 12x11x36,3,1,3x2 --density 0.9 --plan "$plan" --stalls 8
done
finish
