#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Quantised networks of others find what they find in floats: LeNet MNIST's 10,000 digits, also pruned, and pruned SqueezeNet two
# pictures. The file gives what the report says. quantise.soak.sh has more ways for LeNet.
# timeout: 1800

# shellcheck source=tests/host_net/digits.sh
source "$TOP/tests/host_net/digits.sh"

digits int8 9904
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
