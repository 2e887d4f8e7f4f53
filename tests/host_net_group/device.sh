#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups on a device: a network in slices is one program, has the results of the whole one, and moves fewer bytes when the
# activation bank is small.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
export OCL_ICD_VENDORS="$BUILD/vendors"

bank=8192
device="model:networks;set=local_bytes=$bank"
mobilenet_v1 small.onnx 32 1
"$PYTHON" -c 'import numpy as np; np.save("image.npy", np.random.RandomState(1).randint(0, 256, (1, 3, 32, 32)).astype(np.uint8))'
"$tulle" net run small.onnx --input image.npy --output whole >/dev/null || fail "on the CPU"

# fused NAME [OPTION]...: as one program on the device: results, and the bytes that it reads and writes.
fused() {
    local name=$1
    shift
    "$tulle" net run small.onnx --input image.npy --device "$device" --mode fused --output "$name" "$@" >"$name.out" ||
        fail "$name: $(cat "$name.out")"
    diff -r whole "$name" || fail "$name: other results"
    grep -q ' 1 part' "$name.out" || fail "$name: not one part: $(cat "$name.out")"
    "$tulle" net explain small.onnx --input image.npy --device "$device" --mode fused --json "$@" >"$name.json" || fail "$name: explain"
}

fused plain
fused groups --groups --on-chip "$bank"
fused kept --groups --on-chip "$bank" --group 0..3/4
"$PYTHON" - plain.json groups.json <<'P' || fail "groups move as many bytes"
import json, sys
plain, groups = (json.load(open(name)) for name in sys.argv[1:])
assert groups["bytes"] < plain["bytes"] and groups["nodes"] > plain["nodes"], (groups["bytes"], plain["bytes"])
P

# Marked results inside a group go to the host, and change nothing else.
"$tulle" net run small.onnx --input image.npy --output marked --external-output layer3 >/dev/null || fail "marks on the CPU"
"$tulle" net run small.onnx --input image.npy --device "$device" --mode fused --groups --on-chip "$bank" --external-output layer3 \
    --output marks >/dev/null || fail "marks"
diff -r marked marks || fail "marked results differ in slices"
# Layer by layer, and on both with each layer compared.
"$tulle" net run small.onnx --input image.npy --device "$device" --mode fused --groups --on-chip "$bank" --check >out || fail "check: $(cat out)"
