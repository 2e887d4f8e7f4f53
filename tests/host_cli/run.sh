#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run on the functional model: results against sums of awk, and every option that changes them.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device model:tiny)

matrix 20 40 30 1 >w.mtx
flipped w.mtx >wt.mtx
matrix 7 40 80 2 >a.mtx
matrix 40 20 30 1 >w2.mtx
matrix 40 5 80 3 >b.mtx
matrix 40 1 90 4 >x.mtx
matrix 7 20 50 5 >c0.mtx
matrix 1 20 100 6 >bias.mtx
matrix 20 5 50 7 >c1.mtx
matrix 20 1 100 8 >y0.mtx
echo '%%MatrixMarket matrix coordinate integer general
1 1 0' >nothing.mtx

# C[7][20] = A[7][40] x W[40][20]
product a.mtx w2.mtx >right
agrees right spmm --weights w2.mtx --input a.mtx
flipped w2.mtx >w2t.mtx
agrees right spmm --weights w2t.mtx --transpose --input a.mtx
agrees right spmm --weights w2.mtx --input a.mtx --rows 7 --k 40 --n 20 --repeat 3
# C[20][5] = W[20][40] x B[40][5]
product w.mtx b.mtx >left
agrees left spmm --left --weights w.mtx --input b.mtx
agrees left spmm --left --weights wt.mtx --transpose --input b.mtx
# y[20] = W[20][40] x, of a vector that stands or lies
product w.mtx x.mtx >vector
agrees vector spmv --weights w.mtx --input x.mtx
agrees vector spmv --weights wt.mtx --transpose --input x.mtx
flipped x.mtx >lying.mtx
agrees vector spmv --weights w.mtx --input lying.mtx

# sums to begin from, and a bias
product a.mtx w2.mtx c0.mtx >right0
agrees right0 spmm --weights w2.mtx --input a.mtx --initial c0.mtx
product a.mtx w2.mtx nothing.mtx bias.mtx >right1
agrees right1 spmm --weights w2.mtx --input a.mtx --bias bias.mtx
product a.mtx w2.mtx c0.mtx bias.mtx >right2
agrees right2 spmm --weights w2.mtx --input a.mtx --bias bias.mtx --initial c0.mtx
product w.mtx b.mtx c1.mtx y0.mtx >left2
agrees left2 spmm --left --weights w.mtx --input b.mtx --initial c1.mtx --bias y0.mtx
product w.mtx x.mtx y0.mtx >vector0
agrees vector0 spmv --weights w.mtx --input x.mtx --initial y0.mtx
product w.mtx x.mtx nothing.mtx y0.mtx >vector1
agrees vector1 spmv --weights w.mtx --input x.mtx --bias y0.mtx

# functions; requantised: halves go up
awk '{ print $1 < 0 ? 0 : $1 }' right2 >relu
agrees relu spmm --weights w2.mtx --input a.mtx --bias bias.mtx --initial c0.mtx --relu
floor='function floor(v) { return v == int(v) ? v : v < 0 ? int(v) - 1 : int(v) }'
limit="$floor"' function limit(v, low, high) { return v < low ? low : v > high ? high : v }'
awk "$limit"'{ print limit(floor($1 / 512 + 0.5) + 3, -128, 127) }' right >scaled
agrees scaled spmm --weights w2.mtx --input a.mtx --scale 0.001953125 --zero 3
awk "$limit"'{ print limit(floor($1 / 512 + 0.5) - 9, -9, 127) }' right >scaled-relu
agrees scaled-relu spmm --weights w2.mtx --input a.mtx --scale 0.001953125 --zero -9 --relu
awk "$limit"'{ print limit(floor($1 / 2 + 0.5) + 1000, -32768, 32767) }' right >scaled16
agrees scaled16 spmm --weights w2.mtx --input a.mtx --scale 0.5 --zero 1000 --output-type int16
# other roundings, on a device that has them
awk "$limit"'{ v = floor($1 / 512 + 0.5); print limit(v - (v == $1 / 512 + 0.5 && v % 2) + 3, -128, 127) }' right >even
# 1/512 is 2^30 / 2^39: the first step halves
awk "$limit"'{ v = floor($1 / 2 + 0.5) / 256; print limit((v < 0 ? -floor(0.5 - v) : floor(v + 0.5)) + 3, -128, 127) }' right >away
! cmp -s scaled even || fail "no half goes to an even number"
! cmp -s scaled away || fail "no negative half goes away from zero"
"$BUILD/bin/tulle-gen" tiny --print --set roundings=on >rounding.yaml
here=(--device "model:$PWD/rounding.yaml")
agrees even spmm --weights w2.mtx --input a.mtx --scale 0.001953125 --zero 3 --rounding even
agrees away spmm --weights w2.mtx --input a.mtx --scale 0.001953125 --zero 3 --rounding two-steps
agrees scaled spmm --weights w2.mtx --input a.mtx --scale 0.001953125 --zero 3 --rounding up
here=(--device model:tiny)
refuses 1 'roundings: on' run spmm --weights w2.mtx --input a.mtx --scale 0.001953125 --rounding even "${here[@]}"
awk "$limit"'{ print limit($1, -128, 127) }' right >narrow
agrees narrow spmm --weights w2.mtx --input a.mtx --output-type int8
awk "$limit"'{ print limit($1, -32768, 32767) }' right >narrow
agrees narrow spmm --weights w2.mtx --input a.mtx --output-type int16
agrees right spmm --weights w2.mtx --input a.mtx --output-type int64

# forced plans give the same
for mapping in is ws os; do
    for split in mm mn kn; do
        agrees right spmm --weights w2.mtx --input a.mtx --mapping "$mapping" --split "$split"
        grep -q "^plan  *$mapping $split" out || fail "not $mapping $split: $(cat out)"
    done
done
agrees right spmm --weights w2.mtx --input a.mtx --effort 1 --timeout 60
does run spmm --weights w2.mtx --input a.mtx --quiet "${here[@]}"
[[ ! -s out ]] || fail "--quiet is not: $(cat out)"

# values of patterns: 1, or by the seed
awk '/^%/ { sub("integer", "pattern") } NR > 2 { $0 = $1 " " $2 } { print }' w2.mtx >pattern.mtx
awk 'NR > 2 { $3 = 1 } { print }' w2.mtx >ones.mtx
product a.mtx ones.mtx >ones
agrees ones spmm --weights pattern.mtx --input a.mtx
"$tulle" convert w2.mtx pattern.smtx --pattern
agrees ones spmm --weights pattern.smtx --input a.mtx
does run spmm --weights pattern.mtx --random-values --input a.mtx --check --output r1.mtx "${here[@]}"
does run spmm --weights pattern.mtx --random-values --input a.mtx --check --output r1s.mtx --seed 1 "${here[@]}"
does run spmm --weights pattern.mtx --random-values --input a.mtx --check --output r2.mtx --seed 2 "${here[@]}"
cmp r1.mtx r1s.mtx
! cmp -s r1.mtx r2.mtx || fail "--random-values knows no seed"
! cmp -s r1.mtx got.mtx || fail "--random-values are all 1"
awk '/^%/ { sub("integer", "pattern") } NR > 2 { $0 = $1 " " $2 } { print }' a.mtx >places.mtx
does run spmm --weights w2.mtx --input places.mtx --random-values --check --output i1.mtx "${here[@]}"
does run spmm --weights w2.mtx --input places.mtx --random-values --check --output i2.mtx --seed 2 "${here[@]}"
! cmp -s i1.mtx i2.mtx || fail "--random-values of the input know no seed"

# quantised: the largest becomes 127, the others to nearest
awk 'NR == 1 { sub("integer", "real") } NR > 2 { $3 = $3 / 8 } { print }' w2.mtx >real.mtx
awk 'NR > 2 { v = $3 < 0 ? -$3 : $3; most = v > most ? v : most } END { print most }' w2.mtx >most
awk -v most="$(<most)" "$floor"'NR > 2 { $3 = $3 < 0 ? -floor(-$3 / most * 127 + 0.5) : floor($3 / most * 127 + 0.5) } { print }' w2.mtx >q.mtx
product a.mtx q.mtx >quantised
agrees quantised spmm --weights real.mtx --input a.mtx --quantise
grep -q '^quantised .* weights ' out || fail "the scale is not said: $(cat out)"
awk 'NR > 2 { $3 = $3 * 100 } { print }' a.mtx >large.mtx
does run spmm --weights w2.mtx --input large.mtx --quantise --check --json "${here[@]}"
[[ $(field weights_scale out) == 1 && $(field input_scale out) != 1 ]] || fail "scales: $(cat out)"

# outputs: .npy of the type, dense .mtx; written over what is there
does run spmm --weights w2.mtx --input a.mtx --output got.npy "${here[@]}"
head -c 128 got.npy | grep -aq "'descr': '<i4', 'fortran_order': False, 'shape': (7, 20)" || fail "got.npy"
"$tulle" convert got.npy again.mtx --array
numbers again.mtx | diff right - || fail "got.npy holds something else"
echo old >old.npy
does run spmm --weights w2.mtx --input a.mtx --scale 0.1 --output old.npy "${here[@]}"
head -c 128 old.npy | grep -aq "'|i1'" || fail "old.npy"
does run spmv --weights w.mtx --input x.mtx --output y.npy "${here[@]}"
head -c 128 y.npy | grep -aq "'shape': (20, 1)" || fail "y.npy"
does run spmv w.mtx --input x.mtx --output same.npy "${here[@]}" # the file is the matrix
cmp y.npy same.npy || fail "a matrix without --weights is another one"
refuses 2 '"w2.mtx" is one argument too many' run spmv w.mtx w2.mtx --input x.mtx "${here[@]}"

# standard input
"$tulle" run spmm --weights - --input a.mtx --output got.mtx "${here[@]}" <w2.mtx >out
numbers got.mtx | diff right - || fail "standard input"
