#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The models of ONNX's own tests in Debian 13, whose operator sets go up to 22, run on the CPU: a model that can be run gives
# the stored results; any other is refused with a reason, never with a wrong result. The nets of the folder "light" have
# weights that are computed, and run as a whole.
# timeout: 3600
# expected: 400

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=scripts/lib.sh
source "$TOP/scripts/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
keep_package trixie libonnx-testdata "test data of ONNX from Debian 13"
DATA=$KEPT/usr/share/libonnx-testdata/data

models_run "$DATA" node=915 pytorch-converted=82 pytorch-operator=35 simple=7

# A TensorProto of 1 x 3 x 224 x 224 floats, all of them 0x3c3c3c3c.
mkdir net
{
    printf '\010\001\010\003\010\340\001\010\340\001\020\001\112\200\340\044'
    head -c 602112 /dev/zero | tr '\0' '\074'
} >net/input_0.pb
nets=0
for model in "$DATA"/light/*.onnx; do
    cp "${model%.onnx}_output_0.pb" net/output_0.pb
    "$tulle" net run "$model" --test-data net >out 2>err || fail "$model: $(cat err)"
    nets=$((nets + 1))
done
echo "light: $nets run"
((nets == 9)) || fail "$nets nets, not 9"
