#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run conv, dwconv and pool on the functional model: results against sums of awk, every option, what is refused.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device model:tiny)

# convolved IMAGES WEIGHTS BIAS VARIABLE=VALUE...: the numbers of the result column by column, by the definition; images
# and results NHWC, files of entries. Variables: b h w c n kh kw sy sx dy dx top left oh ow groups.
convolved() {
    local images=$1 weights=$2 bias=$3
    shift 3
    awk "${@/#/-v}" '
        FNR == 1 { file++; sized = 0 }
        /^%/ { next }
        !sized { sized = 1; next }
        { value[file, $1 - 1, $2 - 1] = $3 }
        END {
            per = c / groups
            for (o = 0; o < n; o++)
                for (image = 0; image < b; image++)
                    for (y = 0; y < oh; y++)
                        for (x = 0; x < ow; x++) {
                            sum = value[3, 0, o]
                            for (i = 0; i < kh; i++)
                                for (j = 0; j < kw; j++)
                                    for (k = 0; k < per; k++) {
                                        r = y * sy + i * dy - top
                                        s = x * sx + j * dx - left
                                        if (r < 0 || r >= h || s < 0 || s >= w)
                                            continue
                                        sum += value[2, o, (i * kw + j) * per + k] * \
                                            value[1, (image * h + r) * w + s, int(o / (n / groups)) * per + k]
                                    }
                            printf "%.0f\n", sum
                        }
        }' "$images" "$weights" "$bias"
}

matrix 84 6 80 1 >x.mtx # 2 images of 6 x 7 x 6
matrix 10 54 40 2 >w.mtx
matrix 1 10 100 3 >bias.mtx
echo '%%MatrixMarket matrix coordinate integer general
1 1 0' >nothing.mtx
sizes=(b=2 h=6 w=7 c=6 n=10 kh=3 kw=3)
conv=(conv --in 6x7x6 --batch 2 --out-channels 10 --weights w.mtx --input x.mtx)

convolved x.mtx w.mtx nothing.mtx "${sizes[@]}" sy=1 sx=1 dy=1 dx=1 top=0 left=0 oh=4 ow=5 groups=1 >plain
agrees plain "${conv[@]}"
agrees plain "${conv[@]}" --kernel 3x3 --stride 1 --dilation 1x1 --pad 0 --groups 1 --repeat 2
convolved x.mtx w.mtx bias.mtx "${sizes[@]}" sy=2 sx=1 dy=1 dx=2 top=1 left=3 oh=4 ow=10 groups=1 >full
agrees full "${conv[@]}" --stride 2x1 --dilation 1x2 --pad 1x3x3x4 --bias bias.mtx
convolved x.mtx w.mtx nothing.mtx "${sizes[@]}" sy=2 sx=2 dy=1 dx=1 top=1 left=2 oh=3 ow=5 groups=1 >padded
agrees padded "${conv[@]}" --stride 2 --pad 1x2
awk '{ print $1 < 0 ? 0 : $1 }' padded >relu
agrees relu "${conv[@]}" --stride 2 --pad 1x2 --relu
awk '{ v = $1 / 1024 + 0.5; f = int(v); f -= (v < f); print (f < -128 ? -128 : (f > 127 ? 127 : f)) }' padded >scaled
agrees scaled "${conv[@]}" --stride 2 --pad 1x2 --scale 0.0009765625
matrix 10 27 50 4 >grouped.mtx
convolved x.mtx grouped.mtx nothing.mtx "${sizes[@]}" sy=1 sx=1 dy=1 dx=1 top=1 left=1 oh=6 ow=7 groups=2 >groups
agrees groups conv --in 6x7x6 --batch 2 --weights grouped.mtx --input x.mtx --pad 1 --groups 2 --out-channels 10
matrix 12 9 80 5 >deep.mtx
convolved x.mtx deep.mtx nothing.mtx "${sizes[@]}" n=12 sy=1 sx=1 dy=1 dx=1 top=1 left=1 oh=6 ow=7 groups=6 >depthwise
agrees depthwise dwconv --in 6x7x6 --batch 2 --weights deep.mtx --input x.mtx --pad 1 --out-channels 12
grep -q '^plan .*, depthwise' out || fail "not depthwise: $(cat out)"
agrees depthwise conv --in 6x7x6 --batch 2 --weights deep.mtx --input x.mtx --pad 1 --out-channels 12 --groups 6
matrix 10 6 50 6 >one.mtx
convolved x.mtx one.mtx nothing.mtx "${sizes[@]}" kh=1 kw=1 sy=2 sx=3 dy=1 dx=1 top=0 left=0 oh=3 ow=3 groups=1 >one
agrees one conv --in 6x7x6 --batch 2 --weights one.mtx --input x.mtx --kernel 1 --stride 2x3 --out-channels 10
for mapping in is os ws; do
    agrees plain "${conv[@]}" --mapping "$mapping" --split mn
    grep -q "^plan  *$mapping mn" out || fail "not $mapping mn: $(cat out)"
done

# the other layout: a channel in each row; rows of weights (channel, dy, dx)
awk '/^%/ { print; next } !sized { sized = 1; print 12, 42, $3; next }
    { p = $1 - 1; print int(p / 42) * 6 + $2, p % 42 + 1, $3 }' x.mtx >x-nchw.mtx
awk '/^%/ { print; next } !sized { sized = 1; print; next }
    { c = $2 - 1; print $1, c % 6 * 9 + int(c / 6) + 1, $3 }' w.mtx >w-nchw.mtx
does run conv --in 6x7x6 --batch 2 --out-channels 10 --weights w-nchw.mtx --input x-nchw.mtx --layout nchw \
    --weights-layout nchw --bias bias.mtx "${here[@]}" --check --output nchw.mtx
convolved x.mtx w.mtx bias.mtx "${sizes[@]}" sy=1 sx=1 dy=1 dx=1 top=0 left=0 oh=4 ow=5 groups=1 >biased
head -n 2 nchw.mtx | tail -n 1 | grep -qx '20 20' || fail "not a channel in each row: $(head -n 2 nchw.mtx)"
# entry (image * 10 + channel, pixel) of one is (image * 20 + pixel, channel) of the other
numbers nchw.mtx | awk '{ r = (NR - 1) % 20; p = int((NR - 1) / 20); print r % 10 * 40 + int(r / 10) * 20 + p, $1 }' |
    sort -n | awk '{ print $2 }' | diff biased - || fail "nchw gives something else"

# sums to begin from lie as the result does
matrix 40 10 100 7 >c0.mtx
convolved x.mtx w.mtx nothing.mtx "${sizes[@]}" sy=1 sx=1 dy=1 dx=1 top=0 left=0 oh=4 ow=5 groups=1 |
    paste - <(awk '/^%/ { next } !s { s = 1; next } { print $2, $1, $3 }' c0.mtx | sort -n -k1,1 -k2,2 | awk '{ print $3 }') |
    awk '{ print $1 + $2 }' >begun
agrees begun "${conv[@]}" --initial c0.mtx

# averages: halves go up, what lies outside counts as 0
awk '/^%/ { next } !s { s = 1; next } { v[$1 - 1, $2 - 1] = $3 } END {
    for (c = 0; c < 6; c++) for (i = 0; i < 2; i++) for (y = 0; y < 3; y++) for (x = 0; x < 4; x++) {
        sum = 0
        for (k = 0; k < 4; k++) {
            r = y * 2 + int(k / 2); s = x * 2 + k % 2 - 1
            if (r < 6 && s >= 0 && s < 7) sum += v[i * 42 + r * 7 + s, c]
        }
        a = sum / 4 + 0.5; f = int(a); print f - (a < f ? 1 : 0)
    } }' x.mtx >averages
agrees averages pool --in 6x7x6 --batch 2 --input x.mtx --kernel 2 --stride 2 --pad 0x0x1x0 --pool average
awk '{ print $1 < 0 ? 0 : $1 }' averages >positive
agrees positive pool --in 6x7x6 --batch 2 --input x.mtx --kernel 2 --stride 2 --pad 0x0x1x0 --pool average --relu

# maxima: what lies outside does not count
awk '/^%/ { next } !s { s = 1; next } { v[$1 - 1, $2 - 1] = $3 } END {
    for (c = 0; c < 6; c++) for (i = 0; i < 2; i++) for (y = 0; y < 3; y++) for (x = 0; x < 4; x++) {
        most = -1000
        for (k = 0; k < 9; k++) {
            r = y * 2 + int(k / 3) - 1; s = x * 2 + k % 3 - 1
            if (r >= 0 && r < 6 && s >= 0 && s < 7 && v[i * 42 + r * 7 + s, c] + 0 > most) most = v[i * 42 + r * 7 + s, c] + 0
        }
        print most
    } }' x.mtx >maxima
largest=(pool --in 6x7x6 --batch 2 --input x.mtx --stride 2 --pad 1 --pool max)
does run "${largest[@]}" --device model:odd --check --output got.mtx
numbers got.mtx | diff maxima - || fail "tulle run ${largest[*]}"
does run pool --in 9x9x8 --kernel 3 --pad 3 --layout nchw --pool max --relu --act-density 0.5 --device model:odd --check --json
refuses 1 'without the function max' run "${largest[@]}" "${here[@]}"

# .npy of four dimensions, or folded
"$tulle" convert x.mtx flat.npy
{ # the header of version 1 has 128 bytes; the shape (2, 6, 7, 6)
    printf "\x93NUMPY\x01\x00\x76\x00"
    printf "%-117s\n" "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 6, 7, 6), }"
    tail -c 504 flat.npy
} >four.npy
agrees plain conv --in 6x7x6 --batch 2 --out-channels 10 --weights w.mtx --input flat.npy
agrees plain conv --in 6x7x6 --batch 2 --out-channels 10 --weights w.mtx --input four.npy
refuses 1 '2 rows of 252 numbers are not 1 images of 6 x 7 x 12 in the layout nhwc' run conv --in 6x7x12 \
    --input four.npy "${here[@]}"
refuses 1 'more than 2 dimensions' run spmm --input four.npy "${here[@]}"
refuses 1 'are not 1 images of 6 x 7 x 6 in the layout nhwc' run conv --in 6x7x6 --input flat.npy "${here[@]}"
refuses 1 'k is 54 by --kernel and --in, and 27 by grouped.mtx' run conv --in 6x7x6 --weights grouped.mtx "${here[@]}"
refuses 1 'is 12 by --out-channels, and 10 by w.mtx' run conv --in 6x7x6 --weights w.mtx --out-channels 12 "${here[@]}"
refuses 1 '64 channels of the results cannot be divided into 3 groups' run conv --in 6x7x6 --groups 3 "${here[@]}"

# Generated; the fields of --json; the roofline of the definition.
does run conv --in 12x12x16 --out-channels 24 --pad 1 --density 0.4 "${here[@]}" --check --json
[[ $(field op out) == conv && $(field m out) == 144 && $(field k out) == 144 && $(field n out) == 24 ]] || fail "$(cat out)"
[[ $(field out_height out) == 12 && $(field groups out) == 1 && $(field checked out) == true ]] || fail "$(cat out)"
[[ $(field layout out) == nhwc && $(field predicted_cycles out) -gt 0 ]] || fail "$(cat out)"
awk -v macs="$(field effective_macs out)" -v nnz="$(field nnz out)" -v roofline="$(field roofline_cycles out)" 'BEGIN {
    compute = macs / 8
    read = (nnz * 2 + 144 * 16) / 8
    write = 144 * 24 * 4 / 8
    most = compute > read ? compute : read
    most = most > write ? most : write
    # with a ring of zeros, 34 x 34 of 36 x 36 pixels under windows count
    exact = nnz > 1200 && nnz < 1600 && macs < nnz * 144 && macs > nnz * 144 * 0.85
    exit !(exact && most - roofline < 0.01 && roofline - most < 0.01)
}' || fail "these figures do not go together: $(cat out)"
does run dwconv --in 9x9x20 --density 1 "${here[@]}" --json
[[ $(field op out) == dwconv && $(field nnz out) == 180 && $(field n out) == 20 ]] || fail "$(cat out)"
does run pool --in 8x8x16 --kernel 2 --stride 2 --pool average "${here[@]}" --json
[[ $(field effective_macs out) == 1024 && $(field output_type out) == int8 ]] || fail "$(cat out)"
awk -v roofline="$(field roofline_cycles out)" 'BEGIN { exit roofline != 128 }' || fail "$(cat out)"
away=(--device 'model:base;set=roundings=on')
for kernel in 1x1 1x2 2x2 2x3 3x3 4x5; do
    shows 'every result is right' run pool --in 8x8x16 --kernel $kernel --pool average --rounding away "${away[@]}" --check
done
shows 'every result is right' run pool --in 9x9x16 --kernel 9 --pool average --rounding away --relu "${away[@]}" --check
refuses 2 'away goes with --pool average, without --scale' run conv --in 8x8x16 --scale 0.1 --rounding away
refuses 2 'away goes with --pool average, without --scale' run pool --in 8x8x16 --pool average --scale 0.1 --rounding away
does explain conv --in 12x12x16 "${here[@]}"
grep -q '^chosen: ' out || fail "no explanation: $(cat out)"

# Saved and loaded, with the same window.
does run "${conv[@]}" --save op --output first.npy "${here[@]}"
does run conv --in 6x7x6 --batch 2 --out-channels 10 --input x.mtx --load op --output second.npy "${here[@]}"
cmp first.npy second.npy
does run "${conv[@]}" --load op --check "${here[@]}"
refuses 1 'this is an operator of conv' run spmm --load op "${here[@]}"
refuses 1 'by --in, and 40 by op' run conv --in 6x8x6 --batch 2 --load op "${here[@]}"

# What is refused before anything is opened.
for command in run explain; do
    refuses 2 'how large are the images' $command conv
    refuses 2 '--in 6x7: HxWxC, as 56x56x64' $command conv --in 6x7
    refuses 2 '--in 6x7x0: HxWxC' $command dwconv --in 6x7x0
    refuses 2 '--in 6x7x6x5: HxWxC' $command conv --in 6x7x6x5
    refuses 2 '--kernel 3x3x3: HxW' $command conv --in 6x7x6 --kernel 3x3x3
    refuses 2 '--kernel 3x: HxW' $command conv --in 6x7x6 --kernel 3x
    refuses 2 '--stride 0: YxX' $command conv --in 6x7x6 --stride 0
    refuses 2 '--pad 1x2x3: one number' $command conv --in 6x7x6 --pad 1x2x3
    refuses 2 '--dilation -1: YxX' $command conv --in 6x7x6 --dilation -1
    refuses 2 '--batch 0: allowed 1..' $command conv --in 6x7x6 --batch 0
    refuses 2 '--layout hwc: allowed nhwc, nchw' $command conv --in 6x7x6 --layout hwc
    refuses 2 'reaches over 7 pixels, and the image has a height of 6, 6 with --pad' $command conv --in 6x7x6 --kernel 7
    refuses 2 'a width of 7, 9 with --pad' $command conv --in 6x7x6 --dilation 5 --pad 8x1
    refuses 2 '--groups 4: 6 channels' $command conv --in 6x7x6 --groups 4
    refuses 2 '--out-channels 10: not a whole number in each of 3 groups' $command conv --in 6x7x6 --groups 3 --out-channels 10
    refuses 2 'as many groups as channels' $command dwconv --in 6x7x6 --groups 6
    refuses 2 'at most 2147483647' $command conv --in 100000x100000x1
    refuses 2 'go with products; images have --in' $command conv --in 6x7x6 --rows 5
    refuses 2 'go with products; images have --in' $command pool --in 6x7x6 --pool max --left
    refuses 2 'go with conv, dwconv and pool' $command spmm --in 6x7x6
    refuses 2 'go with conv, dwconv and pool' $command spmv --pool max
    refuses 2 '--pool max or --pool average' $command pool --in 6x7x6
    refuses 2 '--pool sum: allowed max, average' $command pool --in 6x7x6 --pool sum
    refuses 2 '--pool goes with pool' $command conv --in 6x7x6 --pool max
    refuses 2 'a pool has no weights' $command pool --in 6x7x6 --pool average --density 0.5
    refuses 2 'a pool has no weights' $command pool --in 6x7x6 --pool average --bias f
done
