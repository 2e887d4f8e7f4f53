#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# External outputs of a quantised network of others by the command: every result, also those that layers of the device have
# swallowed, is the CPU's, with a device and without, compiled with the marks and marked later. Plans stay as they are.

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
kws=$models/tflite/kws_ref_model.tflite
on_device=(--device model:networks)
sizes=(--shape input_1.0=1)
take_word

"$tulle" net info "$kws" "${sizes[@]}" --json >info.json
mapfile -t names < <("$PYTHON" -c 'import json
for node in json.load(open("info.json"))["nodes"]: print(node["outputs"][0]["name"])')
((${#names[@]} == 22)) || fail "results are ${names[*]}"
marks=()
for name in "${names[@]:0:21}"; do
    marks+=(--external-output "$name")
done
"$tulle" net run "$kws" "${sizes[@]}" --input word.bin --per-layer cpu >out || fail "on the CPU: $(cat out)"
rm cpu/input_1.npy

# marked WHAT ARGUMENT...: all results are outputs, and the CPU's.
marked() {
    "$tulle" net run "${@:2}" --input word.bin --output marked >out 2>err || fail "$1: $(cat out err)"
    rm marked/MANIFEST
    diff -r --exclude MANIFEST cpu marked || fail "$1: other results"
    rm -r marked
}
# makes FILE ARGUMENT...: a compiled network.
makes() {
    "$tulle" compile "$kws" -o "$1" "${sizes[@]}" "${on_device[@]}" "${@:2}" >out 2>err || fail "compile ${*:2}: $(cat out err)"
}
# refuses STATUS TEXT ARGUMENT...
refuses() {
    local status=0
    "$tulle" net "${@:3}" >out 2>err || status=$?
    ((status == $1)) || fail "exit status $status, not $1: net ${*:3}: $(cat out err)"
    grep -qF -- "$2" err || fail "net ${*:3} does not say '$2': $(cat err)"
}

marked 'layer by layer' "$kws" "${sizes[@]}" "${on_device[@]}" "${marks[@]}"
marked 'on the CPU' "$kws" "${sizes[@]}" "${marks[@]}"
makes plain.net
makes marks.net "${marks[@]}"
makes debug.net --debug
marked 'compiled with the marks' marks.net "${on_device[@]}"
marked 'the same on the CPU' marks.net
marked 'marked later' debug.net "${on_device[@]}" "${marks[@]}"
"$tulle" explain net plain.net "${on_device[@]}" >plans
"$tulle" explain net marks.net "${on_device[@]}" | diff plans - || fail "marks change plans"
"$tulle" inspect marks.net | grep -qF "outputs      external: ${names[0]}, ${names[1]}, " || fail "inspect names no marks"
"$tulle" inspect debug.net | grep -qx 'outputs      external: none; any other can be marked' || fail "inspect: $("$tulle" inspect debug.net)"

# Outputs come by name behind the network's own.
"$tulle" net run plain.net --input word.bin >out
[[ $(wc -l <out) == 1 ]] || fail "an output that nobody marked: $(cat out)"
"$tulle" net run marks.net --input word.bin | sed 's/ int8 .*//' >out
{ echo "${names[21]}" && printf '%s\n' "${names[@]:0:21}" | LC_ALL=C sort; } | diff - out || fail "another order"

refuses 1 "external output \"${names[3]:0:60}\": it was not marked when the network was compiled" run plain.net --input word.bin "${marks[@]:6:2}"
refuses 1 'external output "nothing": the network has no layer and no result of this name' run "$kws" "${sizes[@]}" --input word.bin --external-output nothing
refuses 1 'it is marked twice' run "$kws" "${sizes[@]}" --input word.bin "${marks[@]:0:2}" "${marks[@]:0:2}"
refuses 2 '--external-output goes with run, explain and compile' info "$kws" "${marks[@]}"
refuses 2 '--debug goes with compile' run "$kws" --debug
