#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The models of ONNX's own tests run on the CPU: a model that can be run gives the stored results; any other is refused with
# a reason, never with a wrong result. Integers are the same, floats within what ONNX's tests allow (1e-3).
# timeout: 900

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
DATA=/usr/share/libonnx-testdata/data
[[ -d $DATA/node ]] || skip "libonnx-testdata is not there"

# Of Debian 12's package: how many models of a folder run.
declare -A least=([node]=718 [pytorch-converted]=82 [pytorch-operator]=35 [simple]=7)
reasons='the operator is not supported|is no tensor; sequences, maps|cannot be run on the CPU yet|not known before it runs|training is not supported|values of this type are not supported'
# numpy has no bfloat16: the stored values have another type than the models say.
stored='the value given for input .* is uint16, not bfloat16|has other dimensions|has another type or shape'
for folder in node pytorch-converted pytorch-operator simple; do
    ran=0
    for model in "$DATA/$folder"/*/model.onnx; do
        if "$tulle" net run "$model" --test-data "${model%/*}" >out 2>err; then
            ran=$((ran + 1))
            continue
        fi
        head -n 1 err | grep -qE "$reasons" || { [[ $model == *BFLOAT16* ]] && head -n 1 err | grep -qE "$stored"; } ||
            fail "$model: $(cat err)"
    done
    echo "$folder: $ran run"
    ((ran >= ${least[$folder]})) || fail "$folder: $ran models run, not ${least[$folder]}"
done

if [[ -n ${TULLE_DATA-} ]]; then
    onnx=$TULLE_DATA/models/onnx
    "$tulle" net run "$onnx/mnist-8/model.onnx" --test-data "$onnx/mnist-8" >out || fail "mnist-8: $(cat out)"
    (($(wc -l <out) == 3)) || fail "mnist-8 has three sets: $(cat out)"
    for layer in "$onnx"/mnist-8-per-layer/*/; do
        "$tulle" net run "$layer$(basename "$layer").onnx" --test-data "$layer" >out || fail "$layer: $(cat out)"
    done
fi
