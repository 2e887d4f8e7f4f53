#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scales, biases and limits of each output channel on a simulated base with a table: right, and what they cost.
# timeout: 1200

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

folder=$BUILD/board/base-channels
"$TOP/sim/board/build" -o "$folder" base --set channel_groups=64
device=sim:$folder

# vector NAME EXPRESSION: 128 numbers, of n.
vector() {
    awk "BEGIN { print \"%%MatrixMarket matrix array real general\"; print 128, 1; for (n = 0; n < 128; n++) print $2 }" >"$1.mtx"
    "$tulle" convert "$1.mtx" "$1.npy"
}
vector scale '0.005 + n % 17 / 1600'
vector bias 'n * 15 - 1000'
vector low 'n % 60 - 90'

# The layer of docs/architecture.md: at most 1 % more cycles, and 2 % more bytes.
layer=(conv --in 28x28x128 --kernel 1 --out-channels 128 --density 0.2 --act-density 0.6 --device "$device" --check --json)
does run "${layer[@]}" --scale 0.01
cp out plain
does run "${layer[@]}" --scale scale.npy --bias bias.npy
awk -v cycles="$(field cycles out)" -v plain="$(field cycles plain)" -v bytes="$(field bytes_read out)" \
    -v plain_bytes="$(field bytes_read plain)" 'BEGIN {
        printf "%d cycles and %d bytes read, %d and %d without\n", cycles, bytes, plain, plain_bytes
        exit !(plain > 0 && plain_bytes > 0 && cycles <= 1.01 * plain && bytes <= 1.02 * plain_bytes) }' ||
    fail "tables cost too much: $(cat out plain)"
does run "${layer[@]}" --scale scale.npy --bias bias.npy --low low.npy --high 100

# Sums that are complete in a cluster and in the store engine, in both layouts of the results.
for split in mm nm mn nn km mk kk; do
    does run spmm --rows 19 --k 200 --n 128 --scale scale.npy --bias bias.npy --low low.npy --high 90 --split $split \
        --device "$device" --check
done
does run spmv --rows 128 --k 300 --density 0.05 --scale scale.npy --bias bias.npy --low low.npy --high 90 --device "$device" --check
does run pool --pool average --in 9x8x128 --kernel 2 --scale scale.npy --low low.npy --high 90 --device "$device" --check
does run spmm --left --rows 128 --k 90 --n 21 --scale scale.npy --bias bias.npy --device "$device" --check
for layout in nhwc nchw; do
    does run conv --in 9x8x20 --out-channels 128 --pad 1 --stride 2 --scale scale.npy --bias bias.npy --low low.npy --high 90 \
        --layout $layout --device "$device" --check
    does run dwconv --in 9x8x128 --pad 1 --density 0.8 --scale scale.npy --low low.npy --high 90 --layout $layout \
        --device "$device" --check
done
