#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run with generated operands on the functional model: shapes, seeds, and the fields of --json.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device model:tiny --check --json)

# gives "M K N NNZ" COMMAND...: the sizes that are said; NNZ may be a pattern.
gives() {
    local wanted=$1
    shift
    does run "$@" "${here[@]}"
    # shellcheck disable=SC2053 # a pattern
    [[ "$(field m out) $(field k out) $(field n out) $(field nnz out)" == $wanted ]] || fail "tulle run $*: $(cat out)"
    [[ $(field checked out) == true ]] || fail "tulle run $*: not checked"
}

gives '64 512 512 *' spmm
gives '64 512 1 *' spmv
gives '16 100 90 *' spmm --rows 16 --k 100 --n 90 --density 0.3
gives '16 100 9 *' spmm --left --rows 16 --k 100 --n 9 --density 0.3
gives '16 100 90 9000' spmm --rows 16 --k 100 --n 90 --density 1
gives '16 100 90 0' spmm --rows 16 --k 100 --n 90 --density 0
gives '16 100 90 450' spmm --rows 16 --k 100 --n 90 --per-row 5
gives '30 100 1 150' spmv --rows 30 --k 100 --per-row 5
gives '50 50 1 150' spmv --rows 50 --band 2 --per-row 3
gives '50 50 1 150' spmv --k 50 --band 2 --per-row 3
gives '8 60 60 *' spmm --rows 8 --n 60 --graph 300
gives '8 64 64 4096' spmm --rows 8 --k 64 --n 64 --block 8 --density 1
gives '40 60 1 *' spmv --rows 40 --k 60 --seed 9223372036854775807
gives '1 1 1 1' spmm --rows 1 --k 1 --n 1 --density 1

# The same seed gives the same, another something else; the activations' density counts.
small=(spmm --rows 16 --k 100 --n 90)
for name in first again; do
    "$tulle" run "${small[@]}" "${here[@]}" --output $name.npy >$name.json
done
cmp first.npy again.npy
"$tulle" run "${small[@]}" --seed 2 "${here[@]}" --output other.npy >other.json
! cmp -s first.npy other.npy || fail "another seed, the same product"
"$tulle" run "${small[@]}" --act-density 0.5 "${here[@]}" >half.json
"$tulle" run "${small[@]}" --act-density 0 "${here[@]}" >none.json
awk -v full="$(field effective_macs first.json)" -v half="$(field effective_macs half.json)" \
    -v none="$(field effective_macs none.json)" 'BEGIN { exit !(half > 0.4 * full && half < 0.6 * full && none == 0) }' ||
    fail "effective MACs do not follow --act-density"

# A zero point changes no place of a zero, with or without a sign.
zero_points=(--device "model:tiny;set=zero_points=on" --check --json --act-density 0.5)
for operator in "${small[*]}" "conv --in 7x7x4 --out-channels 5 --pad 1" "pool --in 7x7x4 --pool average --pad 1"; do
    read -ra operator <<<"$operator"
    "$tulle" run "${operator[@]}" "${zero_points[@]}" >plain.json
    for zero in "-128" "200 --input-unsigned"; do
        read -ra zero <<<"$zero"
        does run "${operator[@]}" "${zero_points[@]}" --input-zero "${zero[@]}"
        [[ $(field checked out) == true ]] || fail "--input-zero ${zero[*]}: not checked"
        [[ $(field effective_macs out) == $(field effective_macs plain.json) ]] || fail "--input-zero ${zero[*]}: MACs"
    done
done
# results without a sign: the same numbers, and a file that says so
for operator in "spmm --n 9" "conv --in 6x6x8 --out-channels 9 --relu" "pool --in 6x6x5 --kernel 2 --stride 2 --pool average"; do
    read -ra words <<<"$operator"
    "$tulle" run "${words[@]}" --scale 0.015625 --zero 131 --output-type uint8 --output bytes.npy "${zero_points[@]}" >out ||
        fail "$operator: results without a sign"
    head -c 128 bytes.npy | tr -d "\0" >header
    grep -q "|u1" header || fail "$operator: the type of the results in the file"
    grep -q '"output_type": "uint8"' out || fail "$operator: the type of the results"
done
"$tulle" run pool --in 7x7x4 --pool max --pad 1 --input-zero 7 --input-unsigned --device "model:deep;set=zero_points=on" \
    --check --quiet || fail "a maximum without a sign"
"$tulle" run "${small[@]}" --input-zero -128 --device model:tiny --check --quiet || fail "a zero point without zero_points"
printf '%%%%MatrixMarket matrix array integer general\n2 3\n0\n200\n255\n7\n128\n127\n' >bytes.mtx
"$tulle" run spmm --input bytes.mtx --n 9 --density 1 --input-unsigned --input-zero 128 "${zero_points[@]:0:4}" >out ||
    fail "an input without a sign from a file"
# The type of an array says it: the same results as with the option.
"$tulle" convert bytes.mtx unsigned.npy --type uint8
for way in "bytes.mtx --input-unsigned" unsigned.npy; do
    read -ra way <<<"$way"
    for operator in "spmm --n 9 --density 1" "pool --in 2x3x1 --pool max --kernel 2"; do
        read -ra words <<<"$operator"
        "$tulle" run "${words[@]}" --input "${way[@]}" --input-zero 128 --device "model:deep;set=zero_points=on" --check \
            --output "${way[0]}-${words[0]}.npy" >out ||
            fail "$operator: an input without a sign, ${way[*]}"
    done
done
cmp bytes.mtx-spmm.npy unsigned.npy-spmm.npy || fail "an array of uint8 gives another product"
cmp bytes.mtx-pool.npy unsigned.npy-pool.npy || fail "an array of uint8 gives another maximum"
! "$tulle" run spmm --input bytes.mtx --n 9 "${here[@]}" >out 2>&1 || fail "200 as a number with a sign"

# Every field that is promised, on one line; no clock, so no efficiency.
for name in op m k n nnz effective_macs pes cycles roofline_cycles efficiency utilization bytes_read bytes_written \
    mapping split checked; do
    [[ -n $(field $name first.json) ]] || fail "no field $name: $(cat first.json)"
done
[[ $(wc -l <first.json) == 1 ]] || fail "more than a line: $(cat first.json)"
[[ $(field op first.json) == spmm && $(field pes first.json) == 8 && $(field cycles first.json) == 0 ]] || fail "fields"
[[ $(field efficiency first.json) == null && $(field utilization first.json) == null ]] || fail "efficiency from nowhere"
"$tulle" run "${small[@]}" --device model:tiny --json >plain.json
[[ $(field checked plain.json) == false ]] || fail "checked unasked"
(($(field bytes_read first.json) > 0 && $(field bytes_written first.json) >= 16 * 90 * 4)) || fail "bytes"

# The roofline is what scripts/limits says of the operands, which shares nothing with this.
cat >w.mtx <<'END'
%%MatrixMarket matrix coordinate integer general
4 100 7
1 1 5
1 2 0
1 100 -3
2 50 7
3 1 1
3 2 2
4 77 -128
END
awk 'BEGIN {
    print "%%MatrixMarket matrix coordinate integer general"
    print 12, 100, 12 * 50
    for (r = 1; r <= 12; r++)
        for (c = 2; c <= 100; c += 2)
            print r, c, r + c - 60 + (r + c == 60)
}' >a.mtx
"$tulle" convert w.mtx entries.mtx --drop-zeros
"$TOP/scripts/limits" entries.mtx a.mtx --pes 8 --port-bytes 8 >limits
does run spmm --weights w.mtx --transpose --input a.mtx "${here[@]}"
[[ $(field nnz out) == 6 ]] || fail "a zero that is stored counts: $(cat out)"
[[ $(field effective_macs out) == "$(field effective_macs limits)" ]] || fail "effective MACs: $(cat out limits)"
same() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a - b < 0.01 && b - a < 0.01) }'
}
same "$(field roofline_cycles out)" "$(field roofline limits)" || fail "roofline: $(cat out limits)"

# Where multiplications are the limit, and where results are; sums to begin from and a bias are read, once each.
matrix 40 50 90 1 >dense.mtx
matrix 30 50 100 2 >full.mtx
matrix 40 5 6 1 >thin.mtx
matrix 30 5 100 2 >small.mtx
matrix 30 40 100 3 >c0.mtx
matrix 1 40 100 4 >bias.mtx
limit_of() {
    "$tulle" convert "$1" "$1".entries.mtx --drop-zeros --force
    "$TOP/scripts/limits" "$1".entries.mtx "$2" --pes 8 --port-bytes 8 "${@:3}" >limits
    field roofline limits
}
does run spmm --weights dense.mtx --transpose --input full.mtx "${here[@]}"
same "$(field roofline_cycles out)" "$(limit_of dense.mtx full.mtx)" || fail "compute: $(cat out limits)"
does run spmm --weights thin.mtx --transpose --input small.mtx "${here[@]}"
same "$(field roofline_cycles out)" "$(limit_of thin.mtx small.mtx)" || fail "write: $(cat out limits)"
rows=$(awk '!/^%/ && sized { rows += !seen[$1]++ } !/^%/ { sized = 1 } END { print rows }' thin.mtx.entries.mtx)
((rows > 0 && rows < 40)) || fail "no row without entries: the case shows nothing"
same "$(field roofline_cycles out)" "$((rows * 30 * 4 / 8))" || fail "$rows x 30 results of 4 bytes, 8 bytes a cycle: $(cat out)"
entries=$(field nnz out)
does run spmm --weights thin.mtx --transpose --input small.mtx --scale 0.5 "${here[@]}"
same "$(field roofline_cycles out)" "$(limit_of thin.mtx small.mtx --result-bytes 1)" || fail "write: $(cat out limits)"
does run spmm --weights thin.mtx --transpose --input small.mtx --initial c0.mtx --bias bias.mtx "${here[@]}"
same "$(field roofline_cycles out)" "$(awk -v e="$entries" -v rows="$rows" 'BEGIN { print (2 * e + 30 * 5 + 4 * 30 * rows + 4 * rows) / 8 }')" ||
    fail "read: $(cat out)"

# For readers.
does run spmv --rows 30 --k 100 --device model:tiny
for text in 'y[30] = W[30][100] x' 'model:tiny: variant tiny, 2 x 2 x 2 = 8 PEs' 'this device has no clock' 'checked         no'; do
    grep -qF -- "$text" out || fail "no '$text' in: $(cat out)"
done
