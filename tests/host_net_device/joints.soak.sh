#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The table of docs/networks.md: cycles and bytes of networks whose layers are jobs of their own and of the same in one job, with and without
# the activation bank. One job takes 176 cycles less for each joint, 0.8 of an empty job, and moves at most 1.02 times the bytes.
# timeout: 1200
# expected: 60

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
export TULLE_PLANS=$PWD/plans # the same layers are planned several times
mkdir -p "$TULLE_PLANS"

# taken MODE DEVICE NETWORK ARGUMENT...: cycles, and bytes read and written, of all layers on the device.
taken() {
    "$tulle" net explain "${@:3}" --device "$2;timed=1" --mode "$1" >"$1.out" || fail "$*: $(cat "$1.out")"
    awk '/^ +all on the device/ { print $6, $(NF - 1); found = 1 } END { exit !found }' "$1.out" ||
        fail "$*: nothing is on the device: $(cat "$1.out")"
}

# row NAME JOINTS BANK QUOTIENT NETWORK ARGUMENT...: a line; bytes in one job must be at most QUOTIENT of a hundred of the others, and each
# joint must save 176 cycles.
row() {
    local device="model:networks;set=local_bytes=$3" alone together
    alone=$(taken layers "$device" "${@:5}")
    together=$(taken fused "$device" "${@:5}")
    echo "$1 $2 $3 $alone $together $4" | awk '{
        printf "| %s | %d | %d | %d | %d | %d | %d | %d | %.3f |\n", $1, $3, $4, $6, $2, ($4 - $6) / $2, $5, $7, $7 / $5
        exit 100 * $7 > $8 * $5 || $4 - $6 < 176 * $2 }' || fail "$1: more bytes than $4 % in one job, or too few cycles less"
}

take_word
cp "$cat" cat.png
head -c 640 "$cat" >noise.bin
echo "| network | bank | layers, cycles | one job, cycles | joints | less for each joint | layers, bytes | one job, bytes | quotient |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for bank in 0 131072; do
    row keywords 11 "$bank" $((bank ? 60 : 102)) "$models/tflite/kws_ref_model.tflite" --shape input_1.0=1 --input word.bin
    row autoencoder 9 "$bank" $((bank ? 100 : 102)) "$models/tflite/ad01_int8.tflite" --shape input_1.0=1 --input noise.bin
    row ResNet-8 11 "$bank" $((bank ? 60 : 102)) "$models/tflite/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1 --input cat.png --resize crop
done
