#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ONNX networks of others, from the folder TULLE_DATA: two exports that compute with integers alone give the stored numbers of
# every layer, and networks of floats their stored outputs.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
onnx=$TULLE_DATA/models/onnx

# layers FOLDER MODEL TENSOR...: the tensors are those of out_layer0.txt and so on, whose channels are the last dimension.
layers() {
    "$PYTHON" - "$BUILD/tests/tool/net-feed" "$@" <<'P'
import array, re, subprocess, sys

feed, folder, model, *tensors = sys.argv[1:]

def numbers(path):
    head, text = open(path).read().split("\n", 1)
    return [int(n) for n in re.search(r"shape \[(.*)\]", head)[1].split(",")], [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text)]

with open("input", "wb") as file:
    array.array("f", numbers(f"{folder}/input.txt")[1]).tofile(file)
elements = 0
for layer, tensor in enumerate(tensors):
    subprocess.run([feed, "input", "output", f"{folder}/{model}", "--tensor", tensor], check=True)
    ours = array.array("f")
    ours.frombytes(open("output", "rb").read())
    shape, theirs = numbers(f"{folder}/out_layer{layer}.txt")
    channels = shape[-1] if len(shape) == 3 else 1
    area = len(theirs) // channels
    same = len(ours) == len(theirs) > 0 and [ours[c * area + p] for p in range(area) for c in range(channels)] == theirs
    if not same:
        sys.exit(f"{folder}: layer {layer} (tensor {tensor}) differs")
    elements += len(theirs)
print(f"{model}: {elements} numbers of {len(tensors)} layers are the stored ones")
P
}

for archive in NAS_Frontnet Residual_connection_test_1; do tar -xzf "$onnx/$archive.tar.gz"; done
examples=examples/Nemo_examples/8-bits-2D
layers $examples/NAS_Frontnet Frontnet.onnx 64 65 75 85 95 105 115 125 127 || fail "NAS_Frontnet"
layers $examples/Residual_connection_test_1 model_int.onnx 58 70 82 94 106 114 126 129 || fail "Residual_connection_test_1"

"$tulle" net run "$onnx/super-resolution-10/model.onnx" --test-data "$onnx/super-resolution-10" || fail "super-resolution-10"
