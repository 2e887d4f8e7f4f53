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
models_run "$DATA" node=729 pytorch-converted=82 pytorch-operator=35 simple=7

if [[ -n ${TULLE_DATA-} ]]; then
    onnx=$TULLE_DATA/models/onnx
    "$tulle" net run "$onnx/mnist-8/model.onnx" --test-data "$onnx/mnist-8" >out || fail "mnist-8: $(cat out)"
    (($(wc -l <out) == 3)) || fail "mnist-8 has three sets: $(cat out)"
    for layer in "$onnx"/mnist-8-per-layer/*/; do
        "$tulle" net run "$layer$(basename "$layer").onnx" --test-data "$layer" >out || fail "$layer: $(cat out)"
    done
fi
