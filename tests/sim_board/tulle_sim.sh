#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle-sim on the functional model: operators and variants, its exit status, its words and its JSON.
# timeout: 300
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
cd "$TMPDIR"

# expect STATUS WORDS ARGUMENT...: tulle-sim ends with the status and says the words.
expect() {
    local status=0 wanted=$1 words=$2
    shift 2
    "$BUILD/bin/tulle-sim" "$@" >out 2>&1 || status=$?
    [[ $status == "$wanted" ]] || fail "tulle-sim $*: status $status, not $wanted: $(<out)"
    grep -qF -- "$words" out || fail "tulle-sim $*: does not say '$words': $(<out)"
}

expect 0 'Usage: tulle-sim' --help
expect 0 'instruction set' --version

# Everything wrong is reported, and nothing runs.
expect 2 'an operator is missing' --board model
expect 2 '--board is missing' spmm
expect 2 'there is no operator "spmx"' spmx --board model
expect 2 'one operator at a time' spmm spmv --board model
expect 2 'allowed sim:FOLDER, model' spmm --board usb:0
expect 2 'did you mean --rows' spmm --board model --row 5
expect 2 '--rows needs a value' spmm --board model --rows
expect 2 '--rows 0: allowed 1..' spmm --board model --rows 0
expect 2 '--k 12x: allowed' spmm --board model --k 12x
expect 2 '--density 1.5: a number from 0 to 1' spmm --board model --density 1.5
expect 2 '--act-density nan: a number from 0 to 1' spmm --board model --act-density nan
expect 2 '--board is given twice' spmm --board model --board model
expect 2 'has no time' spmm --board model --stalls 3
mapfile -t faults < <(printf -- '--fault=read-error@%d\n' {1..17})
expect 2 'more than 16 times' spmm --board sim:x "${faults[@]}"
expect 2 '--n goes with spmm, spconv, join and softmax only' spmv --board model --n 5
expect 2 '--shape goes with spconv, depthwise and maxpool only' spmm --board model --shape 8x8x8,3,1,2x2
for shape in 8x8x8,3,1,2 8x8x8,9,1,2x2 8x8x8,3,0,2x2 8x8x8,3,1,2x2x 8x8x8; do
    expect 2 '--shape '$shape': allowed' depthwise --board model --shape $shape
done
expect 2 'go with --trace only' spmm --board sim:x --from 5
expect 2 '--from must be before --to' spmm --board sim:x --trace t --from 5 --to 5
expect 2 'more than 268435456 places' spmm --board model --k 65536 --n 65536

# What cannot be done, and why.
expect 1 'too many rows held' spmm --board model --held 8
expect 1 'the tile is larger' spconv --board model --shape 8x8x8,3,1,4x7
expect 1 'nosuch' spmm --board model --variant nosuch
expect 1 '/nowhere/variant.yaml' spmm --board sim:/nowhere
"$BUILD/bin/tulle-gen" base --set scatter=off --print >unscattered.yaml
expect 1 'without the function max' maxpool --board model
expect 1 "do not scatter" depthwise --board model --variant ./unscattered.yaml
"$BUILD/bin/tulle-gen" base --set data_width=16 --set acc_width=48 --set index_width=11 --print >int16.yaml
expect 1 'int16' spmv --board model --variant ./int16.yaml

for seed in 1 2 3 4 5; do
    expect 0 'everything agrees' spmm --board model --rows 12 --k 128 --n 40 --seed $seed --density 0.$seed
    expect 0 'everything agrees' spmv --board model --rows 300 --k 200 --seed $seed --act-density 0.$seed
done
expect 0 'everything agrees' spconv --board model --n 24 --density 0.5
expect 0 'everything agrees' spconv --board model --n 9 --shape 9x12x8,2,2,4x2 --density 0.7 --act-density 0.5
expect 0 'everything agrees' depthwise --board model --shape 14x10x24,3,1,4x3
expect 0 'everything agrees' maxpool --board model --variant wide --shape 9x9x32,3,2,4x4 --act-density 0.5
expect 0 'everything agrees' maxpool --board model --variant odd --shape 12x12x40,2,2,2x2
expect 0 'everything agrees' spmm --board model --variant base4 --rows 20 --k 64 --n 20 --held 2 --latency 200
expect 0 'everything agrees' spmm --board model --variant tiny --rows 4 --k 64 --n 16 --held 2
expect 0 'everything agrees' spmm --board model --rows 4 --k 64 --n 16 --density 1 --act-density 0

expect 0 '"agrees": true, "code": "ok"' spmm --board model --rows 12 --k 128 --n 40 --json
expect 0 '"cycles": null' spmm --board model --rows 12 --k 128 --n 40 --json
[[ $(wc -l <out) == 1 && $(tr -cd '{' <out) == '{' && $(tr -cd '}' <out) == '}' ]] || fail "not one object: $(<out)"
finish
