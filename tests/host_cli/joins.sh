#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run with second operands and with tables of functions: results against awk, which computes with the real numbers that
# scales and zero points stand for. Scales are powers of two, so these are exact.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
keys=';set=channel_groups=64;set=zero_points=on;set=roundings=on;set=joins=on;set=lookup=on'
here=(--device "model:tiny$keys")

floor='function floor(v) { return v == int(v) ? v : v < 0 ? int(v) - 1 : int(v) }
    function limit(v, low, high) { return v < low ? low : v > high ? high : v }
    function up(v) { return floor(v + 0.5) }
    function even(v, r) { r = floor(v + 0.5); return r == v + 0.5 && r % 2 ? r - 1 : r }'

# dense FILE [ZERO [ROWS]]: numbers of a file of entries less ZERO, column by column; one row is repeated for ROWS.
dense() {
    awk -v zero="${2-0}" -v repeat="${3-1}" '/^%/ { next } !sized { sized = 1; rows = $1; columns = $2; next }
        { value[$1, $2] = $3 }
        END { for (c = 1; c <= columns; c++) for (i = 0; i < repeat; i++) for (r = 1; r <= rows; r++) print value[r, c] - zero }' "$1"
}

# joined EXPRESSION LOW HIGH FIRST SECOND: the result of a and b, of which each of the files has one on a line.
joined() {
    paste "$4" "$5" | awk "$floor"'{ a = $1; b = $2; print limit('"$1"', '"$2"', '"$3"') }'
}

# bytes FILE: the same entries without a sign.
bytes() {
    awk '/^%/ || !sized++ { print; next } { print $1, $2, $3 + 128 }' "$1"
}

matrix 7 20 100 1 >a.mtx
matrix 7 20 100 2 >b.mtx
matrix 1 20 100 3 >row.mtx
bytes a.mtx >a8u.mtx
bytes b.mtx >b8u.mtx
awk 'NR > 2 { $3 *= 250 } { print }' b.mtx >b16.mtx

# Two tensors.
dense a.mtx >first
dense b.mtx >second
joined 'up((a + b) / 2)' -128 127 first second >wanted
agrees wanted add --input a.mtx --second b.mtx --result-scale 2
grep -qF 'add             C[7][20] = A[7][20] + B[7][20]' out || fail "no equation: $(cat out)"
joined 'even((a - b) / 2)' -128 127 first second >wanted
agrees wanted sub --input a.mtx --second b.mtx --result-scale 2 --rounding even
joined 'up(a * b / 256)' -128 127 first second >wanted
agrees wanted mul --input a.mtx --second b.mtx --result-scale 256
joined 'up(a * b / 8)' -32768 32767 first second >wanted
agrees wanted mul --input a.mtx --second b.mtx --first-scale 0.25 --second-scale 0.5 --output-type int16
joined 'a + b' -20 90 first second >wanted
agrees wanted add --input a.mtx --second b.mtx --low -20 --high 90
dense a8u.mtx 100 >first
dense b.mtx -5 >second
joined 'even((a / 4 - b / 2) * 2) + 9' 9 127 first second >wanted
agrees wanted sub --input a8u.mtx --input-unsigned --input-zero 100 --second b.mtx --second-zero -5 --first-scale 0.25 \
    --second-scale 0.5 --result-scale 0.5 --zero 9 --relu --rounding even
dense a.mtx 3 >first
dense b8u.mtx 200 >second
joined 'up(a / 2 + b / 8) + 130' 0 255 first second >wanted
agrees wanted add --input a.mtx --input-zero 3 --second b8u.mtx --second-unsigned --second-zero 200 --first-scale 0.5 \
    --second-scale 0.125 --zero 130 --output-type uint8
dense row.mtx 7 7 >second
joined 'up((a - b) / 2)' -128 127 first second >wanted
agrees wanted sub --input a.mtx --input-zero 3 --second row.mtx --second-row --second-zero 7 --result-scale 2
grep -qF 'sub             C[7][20] = A[7][20] - B[20]' out || fail "no equation: $(cat out)"
dense b16.mtx -1000 >first
dense b.mtx 2 >second
joined 'up(a / 2 + b) - 40' -32768 32767 first second >wanted
agrees wanted add --second-type int16 --input b16.mtx --input-zero -1000 --second b.mtx --second-zero 2 --first-scale 0.5 \
    --output-type int16 --zero -40
dense a.mtx >first
dense b16.mtx >second

# Generated ones by the seed.
does run add --rows 9 --n 13 --check --output one.npy "${here[@]}"
does run add --rows 9 --n 13 --check --output again.npy --seed 1 "${here[@]}"
does run add --rows 9 --n 13 --check --output two.npy --seed 2 "${here[@]}"
cmp one.npy again.npy
! cmp -s one.npy two.npy || fail "second operands know no seed"
does run mul --rows 9 --n 13 --second-unsigned --second-zero 128 --second-row --rounding two-steps --first-scale 0.3 --check --json "${here[@]}"
for field in 'op mul' 'join mul' 'm 9' 'n 13' 'nnz 0' 'output_type int8' 'plan elementwise' 'checked true'; do
    [[ $(field "${field% *}" out) == "${field#* }" ]] || fail "${field% *} is not ${field#* }: $(cat out)"
done

# Residuals: the sums are requantised, less their zero point, and joined.
matrix 7 40 80 4 >x.mtx
matrix 40 20 30 5 >w.mtx
matrix 1 20 100 6 >bias.mtx
flipped w.mtx >wt.mtx
flipped x.mtx >xt.mtx
flipped b.mtx >bt.mtx
product x.mtx w.mtx >sums
awk "$floor"'{ print limit(up($1 / 512), -128, 127) }' sums >first
dense b.mtx >second
joined 'a + b' -128 127 first second >wanted
agrees wanted spmm --weights w.mtx --input x.mtx --residual add --second b.mtx --scale 0.001953125
grep -qF 'second          7 x 20 of int8, which is added to the results' out || fail "no second operand: $(cat out)"
agrees wanted conv --in 7x1x40 --kernel 1 --weights wt.mtx --input x.mtx --residual add --second b.mtx --scale 0.001953125
awk "$floor"'{ print limit(up($1 / 128), -138, 117) }' sums >first
joined 'up(a * b / 128)' -128 127 first second >wanted
agrees wanted spmm --weights w.mtx --input x.mtx --residual mul --second b.mtx --scale 0.0078125 --sum-zero 10 --result-scale 128
awk "$floor"'{ print limit(even($1 / 128), -32768, 32757) }' sums >first
dense b16.mtx 30 >second
joined 'even((a / 2 - b / 256) / 4) - 3' -3 127 first second >wanted
sub=(--residual sub --second b16.mtx --second-type int16 --second-zero 30 --scale 0.0078125 --sum-zero 10 --second-scale 0.00390625
    --result-scale 4 --zero -3 --relu --rounding even)
residual=(spmm --weights w.mtx --input x.mtx "${sub[@]}")
agrees wanted "${residual[@]}" --first-scale 0.5

# A saved operator has its numbers; --check compares with those of the options.
does run "${residual[@]}" --first-scale 0.5 --save op --output first.npy "${here[@]}"
does run spmm --input x.mtx --load op "${sub[@]}" --output second.npy "${here[@]}"
cmp first.npy second.npy
does run "${residual[@]}" --first-scale 0.5 --load op --check "${here[@]}"
refuses 1 'wrong: row' run "${residual[@]}" --first-scale 1 --load op --check "${here[@]}"
refuses 1 'the second operand: it is NULL' run spmm --input x.mtx --load op "${here[@]}"
does run mul --input a.mtx --second row.mtx --second-row --result-scale 99 --save op --output first.npy "${here[@]}"
does run mul --input a.mtx --second row.mtx --second-row --load op --output second.npy "${here[@]}"
cmp first.npy second.npy
refuses 1 'op: error: this is an operator of add, sub or mul' run spmm --load op "${here[@]}"

# Each channel's sums have a bias and a scale of their own; sums begin with others, and channels are rows, too.
matrix 7 20 50 7 >c0.mtx
printf '%%%%MatrixMarket matrix array real general\n20 1\n' >scale.mtx
awk 'BEGIN { for (n = 0; n < 20; n++) print 1 / 2 ^ (7 + n % 4) }' >>scale.mtx
dense b.mtx >second
product x.mtx w.mtx c0.mtx bias.mtx |
    awk "$floor"'{ print limit(up($1 / 2 ^ (7 + int((NR - 1) / 7) % 4)), -128, 127) }' >first
joined 'up((a + b) / 2)' -128 127 first second >wanted
agrees wanted spmm --weights w.mtx --input x.mtx --bias bias.mtx --initial c0.mtx --residual add --second b.mtx --scale scale.mtx --result-scale 2
flipped bias.mtx >standing.mtx
flipped c0.mtx >c1.mtx
dense bt.mtx >second
product wt.mtx xt.mtx c1.mtx standing.mtx |
    awk "$floor"'{ print limit(up($1 / 2 ^ (7 + (NR - 1) % 20 % 4)), -128, 127) }' >first
joined 'up((a + b) / 2)' -128 127 first second >wanted
agrees wanted spmm --left --weights wt.mtx --input xt.mtx --bias standing.mtx --initial c1.mtx --residual add --second bt.mtx \
    --scale scale.mtx --result-scale 2
agrees wanted conv --in 7x1x40 --kernel 1 --layout nchw --weights wt.mtx --input xt.mtx --bias standing.mtx --initial c1.mtx \
    --residual add --second bt.mtx --scale scale.mtx --result-scale 2

# Images of both layouts; --check has sums of its own.
for kind in 'conv --out-channels 12' 'dwconv --out-channels 20'; do
    for layout in nhwc nchw; do
        # shellcheck disable=SC2086 # words
        does run $kind --in 6x5x10 --pad 1 --layout $layout --residual sub --scale 0.02 --second-unsigned --second-zero 99 --rounding two-steps \
            --check "${here[@]}"
    done
done

# Tables: sums become int8 with a zero point, and these the function's results with another one.
declare -A curves=([sigmoid]='1 / (1 + exp(-x))' [hard-swish]='x * limit(x + 3, 0, 6) / 6' [elu]='x < 0 ? exp(x) - 1 : x'
    [tanh]='1 - 2 / (exp(2 * x) + 1)')
product x.mtx w.mtx >sums
for curve in "${!curves[@]}"; do
    awk "$floor"'{ x = (limit(up($1 / 512) - 7, -128, 127) + 7) / 16; y = ('"${curves[$curve]}"') * 64
        print limit((y < 0 ? -floor(0.5 - y) : floor(y + 0.5)) + 5, -128, 127) }' sums >wanted
    looked_up=(--lookup "$curve" --scale 0.001953125 --sum-zero -7 --first-scale 0.0625 --result-scale 0.015625 --zero 5)
    agrees wanted spmm --weights w.mtx --input x.mtx "${looked_up[@]}"
    agrees wanted conv --in 7x1x40 --kernel 1 --weights wt.mtx --input x.mtx "${looked_up[@]}"
done
does run spmm --rows 7 --k 40 --n 20 --lookup gelu --scale 0.01 --first-scale 0.05 --result-scale 0.05 --check "${here[@]}"

# On a device of 16 bits, and in several jobs.
does run add --rows 7 --n 20 --output-type int16 --second-zero 3000 --input-zero -9 --check --device "model:tiny$keys;set=acc_width=40;set=data_width=16"
does run sub --rows 3000 --n 70 --check --json --device "model:tiny$keys;memory=262144"
(($(field jobs out) > 1)) || fail "one job: $(cat out)"

# denies WORD OPTION...: refused before anything runs.
denies() {
    local word=$1
    shift
    refuses 1 "$word" run "$@" "${here[@]}" --output new.npy
    refuses 1 "$word" explain "$@" "${here[@]}"
    [[ ! -e new.npy ]] || fail "refused, and an output written: $*"
}
denies 'b16.mtx: error: ' add --input a.mtx --second b16.mtx
denies '--second-type int16 is for numbers of 16 bits' add --input b16.mtx --second a.mtx
denies '8 bits without a sign' add --input a.mtx --second b.mtx --second-unsigned
denies 'is 20 by a.mtx, and 40 by x.mtx' add --input a.mtx --second x.mtx
denies 'rows of the second operand is 1 by --second-row, and 7 by b.mtx' add --input a.mtx --second b.mtx --second-row
denies 'is 7 by a.mtx, and 1 by row.mtx' add --input a.mtx --second row.mtx
denies 'is 20 by w.mtx, and 40 by x.mtx' spmm --weights w.mtx --residual add --scale 1 --second x.mtx
denies 'too far apart' add --first-scale 1 --second-scale 0.00001
denies 'second: zero: 300 does not fit int8' add --second-zero 300
denies 'scales of 1 and 1e-12' spmm --lookup elu --scale 1 --result-scale 1e-12
here=(--device model:tiny)
denies 'made without joins' add
denies 'made without joins' spmm --rows 3 --k 4 --n 5 --residual add --scale 1
denies 'made without lookup' spmm --lookup elu --scale 1
