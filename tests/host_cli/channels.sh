#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run with a scale and limits for each output channel: results against sums of awk, and what is refused.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device 'model:base;set=channel_groups=64')

# column NAME NUMBER...: a vector that stands, of real or whole numbers.
column() {
    local name=$1
    shift
    printf '%%%%MatrixMarket matrix array real general\n%d 1\n' $# >"$name"
    printf '%s\n' "$@" >>"$name"
}

# series COUNT EXPRESSION: its values for n = 0 .. COUNT - 1.
series() {
    awk -v count="$1" "BEGIN { for (n = 0; n < count; n++) print $2 }"
}

# channels PER CHANNELS SUMS LOW HIGH [SCALE]: the sums, of which PER follow each other for each of the channels, with the
# channel's numbers, which are expressions of n; halves go up.
channels() {
    awk -v per="$1" -v channels="$2" 'function floor(v) { return v == int(v) ? v : v < 0 ? int(v) - 1 : int(v) }
        { n = int((NR - 1) / per) % channels; low = '"$4"'; high = '"$5"'; v = floor($1 * '"${6-1}"' + 0.5)
          print (v < low ? low : v > high ? high : v) }' "$3"
}

matrix 20 40 30 1 >w.mtx
matrix 7 40 80 2 >a.mtx
matrix 40 20 30 1 >w2.mtx
matrix 40 5 80 3 >b.mtx
matrix 1 20 100 6 >bias.mtx
echo '%%MatrixMarket matrix coordinate integer general
1 1 0' >nothing.mtx
scale='(n + 1) / 2 ^ (9 + n % 3)' low='n - 100' high='100 - n * 5'
mapfile -t numbers < <(series 20 "$scale")
column scale.mtx "${numbers[@]}"
mapfile -t numbers < <(series 20 "$low")
column low.mtx "${numbers[@]}"
mapfile -t numbers < <(series 20 "$high")
column high.mtx "${numbers[@]}"
"$tulle" convert scale.mtx scale.npy

# C[7][20] = A W: channels are columns. Of the other side, rows.
product a.mtx w2.mtx nothing.mtx bias.mtx >right
right=(spmm --weights w2.mtx --input a.mtx --bias bias.mtx)
channels 7 20 right -128 127 "$scale" >wanted
agrees wanted "${right[@]}" --scale scale.mtx
agrees wanted "${right[@]}" --scale scale.npy
channels 7 20 right "$low" "$high" "$scale" >wanted
agrees wanted "${right[@]}" --scale scale.npy --low low.mtx --high high.mtx
channels 7 20 right "$low" 90 0.015625 >wanted
agrees wanted "${right[@]}" --scale 0.015625 --low low.mtx --high 90
channels 7 20 right "$low" "$high" >wanted
agrees wanted "${right[@]}" --low low.mtx --high high.mtx --output-type int16
agrees wanted "${right[@]}" --low low.mtx --high high.mtx
channels 7 20 right 3 300 >wanted
agrees wanted "${right[@]}" --low 3 --high 300
channels 7 20 right -7 100 0.015625 >wanted
agrees wanted "${right[@]}" --scale 0.015625 --low -7 --high 100
here=(--device model:base) # limits that are the same for all channels need no table
agrees wanted "${right[@]}" --scale 0.015625 --low -7 --high 100
here=(--device 'model:base;set=channel_groups=64')
product w.mtx b.mtx >left
for ((n = 0; n < 5; n++)); do
    head -n $((20 * n + 20)) left | tail -n 20
done | channels 1 20 - "$low" 127 "$scale" >wanted
agrees wanted spmm --left --weights w.mtx --input b.mtx --scale scale.npy --low low.mtx

# Images, whose channels are the columns of one layout and some of the rows of the other; --check has sums of its own.
for kind in 'conv --out-channels 20' 'dwconv --out-channels 20'; do
    for layout in nhwc nchw; do
        # shellcheck disable=SC2086 # words
        does run $kind --in 6x5x10 --pad 1 --layout $layout --scale scale.npy --low low.mtx --high high.mtx --check "${here[@]}" \
            --output $layout.npy
    done
done

does run pool --pool average --in 6x5x20 --kernel 2x3 --pad 1 --scale scale.npy --low low.mtx --high high.mtx --check "${here[@]}"
grep -q '^plan .*, depthwise' out || fail "not depthwise: $(cat out)"
does run pool --pool max --in 6x5x20 --kernel 2 --scale scale.npy --low low.mtx --high high.mtx --check \
    --device 'model:deep;set=channel_groups=64'
does run pool --pool max --in 6x5x20 --kernel 2 --low low.mtx --high high.mtx --output-type int16 --check \
    --device 'model:deep;set=channel_groups=64'

for rounding in even two-steps; do
    does run pool --pool average --in 6x5x20 --kernel 2 --scale scale.npy --rounding $rounding --check \
        --device 'model:base;set=channel_groups=64;set=roundings=on'
    does run "${right[@]}" --scale scale.npy --rounding $rounding --check --device 'model:base;set=channel_groups=64;set=roundings=on'
done

# y[20] = W x: channels are rows, those without weights among them.
sed '2s/ .*/ 40 4/; 7,$d' w.mtx >few.mtx
matrix 40 1 90 4 >x.mtx
flipped bias.mtx >standing.mtx
for matrix in w few; do
    product $matrix.mtx x.mtx nothing.mtx standing.mtx >vector
    channels 1 20 vector "$low" "$high" "$scale" >wanted
    agrees wanted spmv --weights $matrix.mtx --input x.mtx --bias standing.mtx --scale scale.npy --low low.mtx --high high.mtx
done

# A saved operator has its numbers; --check compares with those of the options.
does run "${right[@]}" --scale scale.npy --save op --output first.npy "${here[@]}"
does run "${right[@]:0:1}" --input a.mtx --load op --output second.npy "${here[@]}"
cmp first.npy second.npy
does run "${right[@]}" --scale scale.npy --load op --check "${here[@]}"
refuses 1 'wrong: row' run "${right[@]}" --scale 0.5 --load op --check "${here[@]}"

# denies WORD OPTION...: refused before anything runs.
denies() {
    local word=$1
    shift
    refuses 1 "$word" run "${right[@]}" "$@" "${here[@]}" --output new.npy
    refuses 1 "$word" explain "${right[@]}" "$@" "${here[@]}"
    [[ ! -e new.npy ]] || fail "refused, and an output written: $*"
}
column short.mtx 1 2 3
mapfile -t numbers < <(series 20 'n - 3')
column negative.mtx "${numbers[@]}"
mapfile -t numbers < <(series 20 '124 + n')
column large.mtx "${numbers[@]}"
mapfile -t numbers < <(series 20 '32750 + n')
column larger.mtx "${numbers[@]}"
mapfile -t numbers < <(series 129 '9 + n')
column long.mtx "${numbers[@]}"
denies 'short.mtx: error: 3 x 1 numbers for --scale; a vector is wanted, with one for each of 20 output channels' --scale short.mtx
denies 'a.mtx: error: 7 x 40 numbers for --low' --low a.mtx --scale 1
denies 'negative.mtx: error: --scale of channel 0 is -3; allowed are numbers above 0 to 1e+09' --scale negative.mtx
denies 'scale.mtx: error: --high of channel 0 is 0.00195312' --scale 1 --high scale.mtx
denies 'large.mtx: error: --high of channel 4 is 128; allowed are whole numbers from -128 to 127' --scale 1 --high large.mtx
denies 'larger.mtx: error: --low of channel 18 is 32768; allowed are whole numbers from -32768 to 32767' --low larger.mtx --high 32767
denies '--low is 2 and --high -3 for channel 0' --scale 1 --low 2 --high negative.mtx
denies 'nowhere.npy' --scale nowhere.npy
refuses 1 'groups of channels; the table holds 16' run spmm --rows 3 --k 8 --n 129 --low 1 --high long.mtx \
    --device 'model:base;set=channel_groups=16'
refuses 1 'made without channel_groups' run "${right[@]}" --scale scale.npy --device model:base
