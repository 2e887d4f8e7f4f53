#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 14400
# expected: 2400
# MobileNetV2 and MobileNetV1 with a memory of a beat every 64 cycles, by the counters of the cycle model: in groups never more cycles nor
# bytes than fused without them and layer by layer, and the bars of docs/groups.md. Prints its table. CASES limits it.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
export OCL_ICD_VENDORS="$BUILD/vendors"
slow="model:networks;timed=1;bandwidth=1/64"
mobilenet_v1 v1.onnx 192 3
declare -A files=([v2]=$TULLE_DATA/models/tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite [v1]=v1.onnx)

layers=() fused=() groups=()

# takes NAME DEVICE NETWORK OPTION...: sets NAME to cycles, bytes, and the bytes of weights, program and activations.
takes() {
    local -n to=$1
    local device=$2 network=$3
    shift 3
    "$tulle" net explain "$network" --input image.npy --passes all --timeout 3600 --device "$device" --json "$@" >out 2>err || fail "$network $*: $(cat err)"
    # shellcheck disable=SC2034
    read -ra to < <("$PYTHON" -c '
import json
o = json.load(open("out"))
w, p = o["weights_read"], o["program_read"]
print(o["cycles"], o["bytes"], w, p, o["bytes"] - w - p)')
}

# at_most WHAT VALUE BAR
at_most() {
    (($2 <= $3)) || fail "$1: $2; at most $3"
}

row() {
    printf '| %s | %s | %d | %d | %d | %d | %d |\n' "$@"
}

echo '| network | KB, mode | cycles | bytes | weights | program | activations |'
declare -A most=([v2/256]=5600000 [v2/128]=10000000 [v1/32]=10770000) # bytes in groups
for case in ${CASES:-v2/256 v2/128 v1/256 v1/32}; do
    network=${case%/*} kilobytes=${case#*/}
    random_input "${files[$network]}"
    device="$slow;set=local_bytes=$((kilobytes * 1024))"
    takes layers "$slow" "${files[$network]}"
    takes fused "$device" "${files[$network]}" --mode fused
    takes groups "$device" "${files[$network]}" --mode fused --groups --on-chip $((kilobytes * 1024)) --bandwidth 1/64
    printf '| %s | layer by layer | %d | %d | | | |\n' "$network" "${layers[0]}" "${layers[1]}"
    row "$network" "$kilobytes, fused" "${fused[@]}"
    row "$network" "$kilobytes, in groups" "${groups[@]}"
    for i in 0 1; do
        at_most "$case in groups, beside fused" "${groups[i]}" "${fused[i]}"
        at_most "$case in groups, beside layers" "${groups[i]}" "${layers[i]}"
    done
    [[ -z ${most[$case]-} ]] || at_most "$case: bytes in groups" "${groups[1]}" "${most[$case]}"
    [[ $network = v1 ]] || at_most "$case: cycles, in hundredths of layer by layer" $((100 * groups[0])) $((80 * layers[0]))
    # Layer by layer each layer's activations are 14.16 M, written once and read once.
    [[ $case != v2/256 ]] || at_most "$case: bytes of activations, 14 % of layer by layer" "${groups[4]}" 1982400
done
