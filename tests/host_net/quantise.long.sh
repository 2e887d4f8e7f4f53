#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Quantised networks of others find what they find in floats: LeNet MNIST's 10,000 digits, also pruned, and pruned SqueezeNet two
# pictures. The file gives what the report says.
# timeout: 1800

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
mnist=$models/datasets/mnist
quantise_data

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
# In floats it is 9,914 (lenet.long.sh): a tenth of a point is 10 digits.
digits int8 9904
digits "one scale for each layer" 9904 --per-tensor
digits "half of each layer pruned" 9895 --prune 0.5
digits "2 of 4" 9890 --prune-pattern 2:4
digits "90 % of all pruned" 9885 --prune 0.9 --prune-global
digits "90 % of each layer pruned" 9200 --prune 0.9
digits "a quarter of the channels pruned" 9885 --prune-channels 0.25

quantised_squeezenet squeezenet.onnx --json >report
for name in cat grace_hopper; do
    "$tulle" net run "${squeezenet[@]}" --input "$models/images/$name.bmp" "${picture[@]}" --top 1 >floats
    "$tulle" net run squeezenet.onnx --passes all --input "$models/images/$name.bmp" "${picture[@]}" --top 1 >integers
    [[ $(awk 'NR == 2 { print $1 }' floats) == $(awk 'NR == 2 { print $1 }' integers) ]] ||
        fail "SqueezeNet, $name: $(cat floats integers)"
done
error=$(sed -n 's/.*"relative_error": \([0-9.e-]*\).*/\1/p' report)
echo "SqueezeNet: top-1 is that of floats for both pictures; relative error of the logits $error"
awk -v error="$error" 'BEGIN { exit !(error > 0 && error < 0.04) }' || fail "SqueezeNet: relative error $error"
grep -q '"same_top1": 2,' report || fail "SqueezeNet: the report says something else: $(tail -n 4 report)"
