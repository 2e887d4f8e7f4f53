#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run --float on the functional model: results near sums of awk, errors as they were told, what does not go with it.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device model:tiny --float)

# reals FILE SEED: real numbers at the places of a file of entries.
reals() {
    awk -v seed="$2" 'BEGIN { srand(seed) } NR == 1 { sub("integer", "real") } NR > 2 { $3 = rand() * 6 - 3 } { print }' "$1"
}

# near WANTED-FILE COMMAND...: the output has these numbers, as far as the worst error goes, and errors were told right.
near() {
    local wanted=$1
    shift
    does run "$@" "${here[@]}" --check --json --output got.mtx
    tail -n +3 got.mtx | paste "$wanted" - | awk -v worst="$(field worst_error out)" '
        NF != 2 { exit bad = 1 }
        { e = $1 - $2; e = e < 0 ? -e : e; most = e > most ? e : most; sum += $1 * $1 }
        END { exit bad || most > worst * 1.001 || most == 0 || worst > sqrt(sum / NR) }' ||
        fail "tulle run $*: $(paste "$wanted" <(tail -n +3 got.mtx) | head -n 4) $(cat out)"
    told "$*"
}

# told NAME: what is measured is what was told, more or less.
told() {
    awk -v worst="$(field worst_error out)" -v expected="$(field expected_error out)" \
        -v largest="$(field largest_error out)" -v mean="$(field mean_error out)" 'BEGIN {
            exit !(largest > 0 && largest <= worst && mean <= largest && mean > expected / 3 && mean < expected * 3)
        }' || fail "$1: errors are not what was told: $(cat out)"
}

# added LEFT RIGHT BIAS: as product of lib.sh, of reals.
added() {
    FORMAT=%.9g product "$1" "$2" nothing.mtx "$3"
}

echo '%%MatrixMarket matrix coordinate integer general
1 1 0' >nothing.mtx
matrix 20 40 30 1 >places && reals places 1 >w.mtx
matrix 40 20 30 2 >places && reals places 2 >w2.mtx
matrix 7 40 80 3 >places && reals places 3 >a.mtx
matrix 40 5 80 4 >places && reals places 4 >b.mtx
matrix 40 1 90 5 >places && reals places 5 >x.mtx
matrix 1 20 100 6 >places && reals places 6 >bias.mtx

added a.mtx w2.mtx nothing.mtx >right
near right spmm --weights w2.mtx --input a.mtx
added a.mtx w2.mtx bias.mtx >biased
near biased spmm --weights w2.mtx --input a.mtx --bias bias.mtx --repeat 2
awk '{ print $1 < 0 ? 0 : $1 }' biased >relu
near relu spmm --weights w2.mtx --input a.mtx --bias bias.mtx --relu
added w.mtx b.mtx nothing.mtx >left
near left spmm --left --weights w.mtx --input b.mtx
added w.mtx x.mtx nothing.mtx >vector
near vector spmv --weights w.mtx --input x.mtx
worst=$(field worst_error out)
here=(--device 'model:tiny;set=data_width=16;set=acc_width=48' --float)
near vector spmv --weights w.mtx --input x.mtx
awk -v a="$worst" -v b="$(field worst_error out)" 'BEGIN { exit b > a / 200 }' || fail "16 bits are no better: $(cat out)"
here=(--device model:tiny --float)

# A convolution of a pixel is a product; others go by the definition that --check has.
near right conv --in 1x7x40 --kernel 1 --out-channels 20 --weights <(flipped w2.mtx) --input a.mtx
for operands in 'conv --in 8x9x6 --pad 1 --out-channels 10 --density 0.5' 'dwconv --in 8x9x6 --density 1 --stride 2' \
    'conv --in 8x9x6 --layout nchw --weights-layout nchw --groups 2 --out-channels 4 --relu'; do
    # shellcheck disable=SC2086 # a command
    does run $operands "${here[@]}" --check --json
    [[ $(field output_type out) == float32 && $(field checked out) == true ]] || fail "$operands: $(cat out)"
    told "$operands"
done

does run spmm --rows 4 --k 9 --n 5 --density 0.5 "${here[@]}" --output got.npy
head -c 128 got.npy | grep -aq "'descr': '<f4', 'fortran_order': False, 'shape': (4, 5)" || fail "got.npy"
grep -q '^floats  *results are off by .* at most' out || fail "no estimate: $(cat out)"
! grep -q '^measured' out || fail "measured without --check: $(cat out)"

# What does not go with it.
for option in '--scale 1' '--low 1' '--high f' '--wraps' '--output-type int8' '--quantise' '--save f' '--load f' '--initial f'; do
    # shellcheck disable=SC2086 # an option and its value
    refuses 2 'are of integers: not with --float' run spmm --float $option
done
refuses 2 '--float is for products and convolutions' run pool --in 4x4x4 --pool average --float
refuses 1 'only zeros' run spmm --act-density 0 "${here[@]}"
