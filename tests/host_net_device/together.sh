#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `tulle net run --together`: layers of keyword spotting in pieces on four devices give the CPU's results in at most half of the
# cycles of one; with --place all devices are one more processor.
# timeout: 600

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"

take_word
kws=$models/tflite/kws_ref_model.tflite
one=(--shape input_1.0=1)
device=(--device 'model:networks;timed=1')
"$tulle" net run "$kws" "${one[@]}" --input word.bin -o cpu.npy

# Prints the cycles.
run() {
    "$tulle" net run "$kws" "${one[@]}" --input word.bin -o device.npy --quiet "$@" >out 2>err || fail "$*: $(cat out err)"
    cmp -s cpu.npy device.npy || fail "$*: the output is not the CPU's"
    sed -n 's/.*; \([0-9]*\) cycles;.*/\1/p' out
}
alone=$(run "${device[@]}" --check)
four=$(run "${device[@]}" "${device[@]}" "${device[@]}" "${device[@]}" --together --check)
((four > 0 && 2 * four <= alone)) || fail "$four cycles on four devices, $alone on one"
grep -q '^check: 12 layers of the device, 72088 elements, 0 differ from the CPU$' out || fail "$(cat out)"

# All devices together are the processor behind the devices: layers go there when jobs and copies cost nothing.
"$tulle" net explain "$kws" "${one[@]}" "${device[@]}" "${device[@]}" --together --place --clock 1000 --job-us 0 --copy-rate 1000000 >out 2>err ||
    fail "explain: $(cat err)"
(($(grep -c ': processor 3 ' out) > 6)) || fail "few layers are on both devices: $(grep ': processor' out)"

refuses() {
    local message=$1
    shift
    "$tulle" net "$@" >out 2>err && fail "tulle net $* is no error"
    grep -q -e "$message" err || fail "tulle net $*: $(cat err)"
}
refuses 'needs between 2 and 14 devices' run "$kws" "${device[@]}" --together
refuses 'a part of a network is on one device' run "$kws" "${device[@]}" "${device[@]}" --together --mode fused
refuses 'goes with run, and with explain --place' explain "$kws" "${device[@]}" "${device[@]}" --together
refuses 'several devices go with run and explain' compile "$kws" -o x.net "${device[@]}" "${device[@]}" --together
