#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Forced plans on the Verilated device: every mapping with every split, spilled sums, plans of SpMV.
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
finish
