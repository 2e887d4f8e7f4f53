#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What tulle run and explain refuse once they look at files and devices: exit status 1, the message, and nothing
# written.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

matrix 20 40 30 1 >w.mtx
matrix 7 20 80 2 >a.mtx
matrix 40 1 90 4 >x.mtx
sed '1s/integer/real/; 4s/[^ ]*$/0.5/' w.mtx >real.mtx
sed '4s/[^ ]*$/128/' w.mtx >large.mtx
sed '4s/[^ ]*$/-129/' a.mtx >small.mtx
echo text >text.mtx
echo before >keep.npy
cp keep.npy keep.mtx

# denies WORD COMMAND...: status 1 of run and of explain; what is there stays.
denies() {
    local word=$1
    shift
    refuses 1 "$word" explain "$@" --device model:tiny
    refuses 1 "$word" run "$@" --device model:tiny --output keep.npy
    refuses 1 "$word" run "$@" --device model:tiny --output new.mtx --json
    [[ $(<keep.npy) == before && ! -e new.mtx ]] || fail "tulle run $*: refused, and an output written"
}

denies 'nowhere.mtx' spmm --weights nowhere.mtx
denies 'text.mtx:1' spmm --weights text.mtx
denies 'text.mtx:1' spmm --weights w.mtx --input text.mtx
denies 'large.mtx: error: 128 is not an integer of 8 bits; --quantise' spmm --weights large.mtx
denies 'real.mtx: error: 0.5 is not an integer of 8 bits; --quantise' spmm --weights real.mtx
denies 'small.mtx: error: -129 is not an integer of 8 bits; --quantise' spmm --weights w.mtx --input small.mtx
denies 'real.mtx: error: 0.5 is not an integer of 32 bits' spmm --weights w.mtx --bias real.mtx
denies 'k is 21 by --k, and 20 by w.mtx' spmm --weights w.mtx --k 21
denies 'is 41 by --n, and 40 by w.mtx' spmm --weights w.mtx --n 41
denies 'is 8 by --rows, and 7 by a.mtx' spmm --weights w.mtx --input a.mtx --rows 8
denies 'k is 40 by w.mtx, and 20 by a.mtx' spmm --weights w.mtx --transpose --input a.mtx
denies 'k is 40 by w.mtx, and 7 by a.mtx' spmm --left --weights w.mtx --input a.mtx
denies 'a vector is wanted, not 7 x 20' spmv --weights w.mtx --input a.mtx
denies 'a vector is wanted, not 7 x 20' spmm --weights w.mtx --bias a.mtx
denies 'are more than is generated' spmm --k 4000000000 --n 4000000000
denies 'no memory for' spmm --rows 4000000000 --k 4000000 --per-row 1 --n 2
denies 'a banded matrix and a graph are square' spmm --band 2 --per-row 2 --k 5 --n 6
denies 'more entries than there are columns' spmm --per-row 20 --k 10 --n 6
denies 'the band is too narrow' spmv --per-row 20 --band 3 --rows 100
# Said before anything is read.
refuses 1 'nowhere/x.npy: error: nothing can be written there' run spmm --device model:tiny --output nowhere/x.npy \
    --weights text.mtx
refuses 1 'nowhere' run spmm --device model:tiny --load nowhere
refuses 1 'nowhere' run spmm --device model:tiny --save nowhere/x

# Devices that are not.
refuses 1 'one device at a time' run spmm --device model:tiny,model:base
for device in model:nosuch sim:/nowhere nosuch 'model:tiny;memory=5' 'model:tiny;colour=red'; do
    refuses 1 '' run spmm --device "$device"
done
TULLE_DEVICES='' refuses 1 '' run spmm

# Sums that could leave the accumulator are refused, unless --wraps allows it: 24 bits hold 512 products of int8.
wide=(spmm --device 'model:tiny;set=acc_width=24' --rows 2 --k 2000 --n 2 --density 1)
refuses 1 'accumulator' run "${wide[@]}"
does run "${wide[@]}" --wraps --check
