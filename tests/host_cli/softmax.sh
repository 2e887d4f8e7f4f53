#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run softmax on the functional model: a row that TFLite computed (test data of CMSIS-NN, Apache-2.0), rows against a plain
# computation, operators that are saved, and what is refused.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device 'model:tiny;set=channel_groups=16;set=zero_points=on;set=roundings=on;set=joins=on;set=softmax=256')

cat >row.mtx <<'END'
%%MatrixMarket matrix array integer general
1 5
101
49
6
-34
-75
END
does run softmax --input row.mtx --input-scale 0.0039215688593685627 "${here[@]}" --output shares.mtx --check
[[ $(grep -v '^%' shares.mtx | tail -n +2 | grep -o -- '-*[0-9]*$' | tr '\n' ' ') == '-57 -70 -79 -86 -92 ' ]] ||
    fail "not the shares that TFLite gives: $(cat shares.mtx)"

for n in 1 2 10 255 256; do
    for type in int8 int16 uint8; do
        shows 'every result is right' run softmax --rows 7 --n "$n" --output-type "$type" --seed "$n" "${here[@]}" --check
    done
done
shows 'every result is right' run softmax --rows 30 --n 20 --input-unsigned --beta 3 --input-scale 0.02 "${here[@]}" --check
shows 'plan            softmax, predicted' explain softmax --rows 30 --n 20 "${here[@]}"

does run softmax --rows 9 --n 21 "${here[@]}" --save op --output first.npy
does run softmax "${here[@]}" --load op --output second.npy --check --json
cmp first.npy second.npy
[[ $(field m out) == 9 && $(field n out) == 21 && $(field op out) == softmax ]] || fail "another operator: $(cat out)"
refuses 1 'this is an operator of softmax' run spmm "${here[@]}" --load op

refuses 1 'rows of 257 columns; variant tiny takes 256' run softmax --n 257 "${here[@]}"
refuses 1 'made without softmax' run softmax --n 10 --device model:base
refuses 2 'go with softmax' run spmm --beta 2
refuses 2 'go with softmax' run spmv --input-scale 2
refuses 2 'nothing of weights, sums and plans' run softmax --relu
refuses 2 'nothing of weights, sums and plans' run softmax --weights w.mtx
refuses 2 'nothing of weights, sums and plans' run softmax --mapping is
refuses 2 'gives int8, int16 or uint8, not int32' run softmax --output-type int32
refuses 1 'a scale of 0' run softmax --input-scale 0 "${here[@]}"
