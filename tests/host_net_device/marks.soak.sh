#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# External outputs of networks of others: random subsets of all results, layer by layer on the functional model and in one job from a
# compiled file, are the CPU's, and the network's own outputs stay. 200 subsets of each network, and 3 of MobileNetV2.
# timeout: 7200
# expected: 1500

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
take_word
head -c 640 "$cat" >frame.bin
head -c 784 "$cat" >digit.bin
RANDOM=28

# same WHAT: outputs in `marked` are the CPU's, and at least as many as marks.
same() {
    local name
    (($(find marked -name '*.npy' | wc -l) >= picked)) || fail "$1: outputs are missing of ${marks[*]}"
    for name in own/*.npy marked/*.npy; do
        cmp "marked/${name#*/}" "cpu/${name#*/}" || fail "$1: another result with ${marks[*]}"
    done
    rm -r marked
}

# compile NETWORK ARGUMENT...: fused.net, with the sizes among the arguments; `feed` gets the others.
compile() {
    local file=$1 sizes=()
    feed=()
    shift
    for (( ; $#; )); do
        if [[ $1 == --shape ]]; then
            sizes=("$1" "$2") && shift
        else
            feed+=("$1")
        fi
        shift
    done
    "$tulle" compile "$file" -o fused.net --force --device model:networks --mode fused --debug "${sizes[@]}" >out || fail "$file: $(cat out)"
}

# subsets COUNT NETWORK ARGUMENT...
subsets() {
    local network=$2 file=$models/tflite/$2.tflite names name marks i picked feed
    compile "$file" "${@:3}"
    "$tulle" net run "$file" "${@:3}" --per-layer cpu >out || fail "$network: $(cat out)"
    "$tulle" net run "$file" "${@:3}" --output own >out || fail "$network: $(cat out)"
    "$tulle" net info "$file" --json >info.json
    mapfile -t names < <("$PYTHON" -c 'import json
for node in json.load(open("info.json"))["nodes"]: print(node["outputs"][0]["name"])')
    for ((i = 0; i < $1; i++)); do
        marks=() picked=0
        for name in "${names[@]}"; do
            ((RANDOM % 3 == 0)) || continue
            marks+=(--external-output "$name")
            picked=$((picked + 1))
        done
        "$tulle" net run "$file" "${@:3}" --device model:networks "${marks[@]}" --output marked >out 2>err || fail "$network: $(cat err)"
        same "$network"
        "$tulle" net run fused.net "${feed[@]}" --device model:networks "${marks[@]}" --output marked >out 2>err ||
            fail "compiled $network: $(cat err)"
        same "compiled $network"
    done
    rm -r cpu own
    echo "$network: $1 subsets of ${#names[@]} results"
}
subsets "${SUBSETS:-200}" kws_ref_model --shape input_1.0=1 --input word.bin
subsets "${SUBSETS:-200}" ad01_int8 --shape input_1.0=1 --input frame.bin
subsets "${SUBSETS:-200}" trained_lstm_int8 --input digit.bin
subsets "${SUBSETS:-200}" pretrainedResnet_quant --shape input_1_int8.0=1 --input "$cat" --resize crop
subsets "${SUBSETS:-200}" mobilenet_v1_0.25_128_quant --input "$cat" --resize crop
subsets 3 tf2_mobilenet_v2_1.0_224_ptq --input "$cat" --resize crop
