#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups on a device: networks in slices are one program, and have the results of the whole ones. `device.soak.sh` has more.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
export OCL_ICD_VENDORS="$BUILD/vendors"

device="model:networks;set=local_bytes=4096"
for way in 1/3 3/3 8/2; do # seed and number of slices
    random_network net.onnx "${way%/*}"
    wish=(--groups --on-chip 65536 --group "0..$(all_layers net.onnx)/${way#*/}")
    grouped "$device" net.onnx "${wish[@]}"
done
((cut)) || fail "nothing was cut"

# Marked results inside a group go to the host, and change nothing else; each layer is the CPU's.
marked=(--external-output layer1)
grouped "$device" net.onnx "${wish[@]}" "${marked[@]}"
"$tulle" net run net.onnx --input image.npy --device "$device" --mode fused "${wish[@]}" --check >out || fail "check: $(cat out)"

# A compiled network in slices runs from its file.
"$tulle" compile net.onnx -o cut.net --device "$device" --mode fused "${wish[@]}" >/dev/null 2>err || fail "compile: $(cat err)"
"$tulle" net info cut.net | grep -q Concat || fail "the compiled network is not in slices"
rm -rf whole slices
"$tulle" net run net.onnx --input image.npy --output whole >/dev/null 2>err || fail "$(cat err)"
"$tulle" net run cut.net --input image.npy --device "$device" --mode fused --output slices >out 2>err || fail "cut.net: $(cat err)"
diff -r whole slices || fail "the compiled network in slices has other results"

# Rows that slices keep move within one frame of the bank, so that it has room for more; and stores of several groups of channels are
# loops. With two frames in turn 888,368 bytes move, 141,760 of them program.
mobilenet_v1 small.onnx 64 1
random_input small.onnx
device="model:networks;set=local_bytes=16384" wish=(--groups --on-chip 16384 --group 1..4/8)
grouped "$device" small.onnx "${wish[@]}"
"$tulle" net explain small.onnx --input image.npy --passes all --device "$device" --mode fused "${wish[@]}" --json >out 2>err || fail "explain: $(cat err)"
read -r moved program < <("$PYTHON" -c 'import json; o = json.load(open("out")); print(o["bytes"], o["program_read"])')
((moved <= 875200 && program <= 138700)) || fail "slices move $moved bytes, $program of them program"

# Groups that are not asked for are used where they win with a memory of few beats, and not where they lose.
slow="model:networks;timed=1;bandwidth=1/64;set=local_bytes=8192"
for seed in 11 13; do
    random_network net.onnx "$seed"
    judged "$slow" net.onnx --on-chip 8192 --bandwidth 1/64
    grep -q 'that are cut 0 win' err || fail "seed $seed: more cycles or bytes are predicted, and groups are used: $(cat err)"
done
((!used)) || fail "groups are used that lose"

# Where layer by layer wins in cycles and bytes, that is what runs, also from a compiled file.
random_network net.onnx 25
judged "$slow" net.onnx --on-chip 8192 --bandwidth 1/64
grep -q 'so it is used' err || fail "layer by layer is not used where it wins: $(cat err)"
"$tulle" net explain net.onnx --input image.npy --passes all --device "$slow" --mode layers --json >out 2>err || fail "$(cat err)"
"$PYTHON" -c 'import json, sys; o = json.load(open("out")); sys.exit([o["cycles"], o["bytes"]] != [int(x) for x in sys.argv[1:]])' "${after[@]}" ||
    fail "with groups that lose ${after[*]}; layer by layer it is another figure"
rm -rf whole slices
"$tulle" compile net.onnx -o apart.net --passes all --device "$slow" --mode fused --groups --on-chip 8192 --bandwidth 1/64 >/dev/null 2>err || fail "compile: $(cat err)"
"$tulle" net run net.onnx --input image.npy --output whole >/dev/null 2>err || fail "$(cat err)"
"$tulle" net run apart.net --input image.npy --device "$slow" --output slices >out 2>err || fail "apart.net: $(cat err)"
! grep -q '[1-9] part' out || fail "apart.net: there are parts: $(cat out)"
diff -r whole slices || fail "the network that was compiled layer by layer has other results"
random_network net.onnx 22
judged "${slow/64/256}" net.onnx --on-chip 8192 --bandwidth 1/256
((used)) || fail "no group is used with a slow memory: $(cat err)"
