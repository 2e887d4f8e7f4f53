# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How many of MNIST's 10,000 digits a quantised LeNet recognises.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
mnist=$models/datasets/mnist
quantise_data

# In floats it is 9,914 (lenet.long.sh): a tenth of a point is 10 digits.
# digits NAME LEAST OPTION...: LeNet with these options, as integers, recognises so many digits at least.
digits() {
    local name=$1 least=$2 right
    shift 2
    quantised_lenet lenet.onnx "$@" >report || fail "LeNet, $name"
    "$tulle" net convert lenet.onnx integers.onnx --passes all --force
    "$BUILD/tests/tool/net-feed" images classes integers.onnx
    right=$(paste -d ' ' <(od -An -v -tf4 -w40 classes) <(zcat "$mnist/t10k-labels-idx1-ubyte.gz" | tail -c +9 | od -An -v -tu1 -w1) | awk '
        { best = 1; for (i = 2; i <= 10; i++) if ($i > $best) best = i; right += best - 1 == $11 }
        END { print right }')
    echo "LeNet, $name: $right of 10000"
    ((right >= least)) || fail "LeNet, $name: $right images get their digit, not $least"
}
