#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Weights as bytes (plain_weights, bitmap_weights): bytes of a fully connected layer with one input, its time where memory limits
# it, and that weights which are used often take no longer.
# timeout: 600

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

# measure KEY DEVICE ARGUMENT...: CYCLES and WEIGHTS, bytes of packed weights, with plain_weights=KEY, or KEY "bitmap"; results are right.
measure() {
    local keys="set=plain_weights=$1"
    [[ $1 != bitmap ]] || keys='set=plain_weights=on;set=bitmap_weights=on'
    does run spmm --device "$2;$keys" "${@:3}" --check
    grep -q 'every result is right' out || fail "$*: $(<out)"
    CYCLES=$(sed -n 's/^cycles *\([0-9]*\).*/\1/p' out)
    READ=$(sed -n 's/^bytes *\([0-9]*\) read.*/\1/p' out)
    WEIGHTS=$(sed -n 's/^memory.*, \([0-9]*\) of them packed weights.*/\1/p' out)
}

# layer DEVICE: at most 1.05 bytes a weight, and 1.8 times as fast as with entries.
layer() {
    local layer=(--rows 1 --k 512 --n 1000 --density 1) before
    measure off "$1" "${layer[@]}"
    before=$CYCLES
    measure on "$1" "${layer[@]}"
    ((100 * WEIGHTS <= 105 * 512 * 1000)) || fail "$1: $WEIGHTS bytes"
    ((10 * before >= 18 * CYCLES)) || fail "$1: $CYCLES cycles, $before with entries"
}

layer 'model:wide;timed=1'
layer 'model:wide;timed=1;bandwidth=1/4'
layer 'model:networks;timed=1;bandwidth=1/4'

# pruned DEVICE DENSITY BYTES: at most BYTES hundredths of a byte for each weight that is kept, and weights come in 0.9 of the time.
pruned() {
    local kept
    measure bitmap "$1" --rows 1 --k 512 --n 1000 --density "$2"
    kept=$(sed -n 's/.* has \([0-9]*\) non-zeros.*/\1/p' out)
    ((100 * WEIGHTS <= $3 * kept)) || fail "$1, $2: $WEIGHTS bytes of $kept weights"
    ((10 * READ >= 9 * 16 * CYCLES)) || fail "$1, $2: $CYCLES cycles for $READ bytes, 16 a cycle"
}

for variant in wide networks; do
    pruned "model:$variant;timed=1;bandwidth=1/4" 0.5 135
    pruned "model:$variant;timed=1;bandwidth=1/4" 0.2 175
done

# often VARIANT DENSITY: weights that are used often take at most as many cycles and bytes, plain or as bitmaps, which come some cycles
# later. A byte a weight where most are there, and 0.8 of the bytes as bitmaps where a third is.
often() {
    local layer=("model:$1;timed=1" --rows 64 --k 256 --n 256 --density "$2") before bytes
    measure off "${layer[@]}"
    before=$CYCLES bytes=$WEIGHTS
    measure on "${layer[@]}"
    ((CYCLES <= before && WEIGHTS <= bytes)) || fail "$*: $CYCLES cycles, $WEIGHTS bytes; $before and $bytes with entries"
    [[ ! $2 =~ ^(1|0.8)$ ]] || ((WEIGHTS == 256 * 256)) || fail "$*: $WEIGHTS bytes"
    measure bitmap "${layer[@]}"
    ((CYCLES <= before + 8 && WEIGHTS <= bytes)) || fail "$*: $CYCLES cycles, $WEIGHTS bytes as bitmaps; $before and $bytes with entries"
    [[ $2 =~ ^0.[12]$ ]] || ((10 * WEIGHTS <= 8 * bytes)) || fail "$*: $WEIGHTS bytes as bitmaps, $bytes with entries"
}

for density in 1 0.8 0.5 0.33 0.2 0.1; do
    often wide "$density"
done
often networks 0.5

# format_bytes COLUMN...: what scripts/dense-formats prints of 8 rows of 32 places with weights in these columns.
format_bytes() {
    {
        printf '%%%%MatrixMarket matrix coordinate pattern general\n8 32 %d\n' $((8 * $#))
        for ((row = 1; row <= 8; row++)); do printf "$row %d\n" "$@"; done
    } >eight.mtx
    "$TOP/scripts/dense-formats" eight.mtx | tail -n 1 | tr -s ' ' | cut -d ' ' -f 2-
}

# Four entries of each PE are two beats, and so are a mask and four values; four bytes are one beat, 25 are seven.
[[ $(format_bytes 1 2 3 4) == '0.12 2.00 1.00 2.00 1.00 0.50' ]] || fail "$(format_bytes 1 2 3 4)"
[[ $(format_bytes 1 9 17 25) == '0.12 2.00 7.00 2.00 2.00 1.00' ]] || fail "$(format_bytes 1 9 17 25)"

# The plan says so.
shows 'weights are plain, a byte each' explain spmm --device 'model:wide;set=plain_weights=on' --rows 1 --k 512 --n 1000 --density 1
shows 'weights are bitmaps, a byte each and a bit for each place' explain spmm \
    --device 'model:wide;bandwidth=1/4;set=bitmap_weights=on' --rows 1 --k 512 --n 1000 --density 0.5
does explain spmm --device 'model:wide;set=plain_weights=off' --rows 1 --k 512 --n 1000 --density 1
! grep -q 'plain' out || fail "plain packets without the key: $(<out)"
