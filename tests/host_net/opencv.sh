#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks of floats against OpenCV, which reads Caffe and ONNX: what each of its layers gives for a picture, by the names that
# the layers have in the file.
# timeout: 600

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
judge_open cv2

cp "$models"/caffe/lenet/lenet.prototxt "$models"/caffe/mtcnn/det*.prototxt .
cp "$models/caffe/lenet/lenet_iter_10000.caffemodel" lenet.caffemodel
cp "$models"/caffe/mtcnn/det*.caffemodel .
cp "$models/onnx/mnist-8/model.onnx" mnist.onnx
cp "$models/onnx/super-resolution-10/model.onnx" super.onnx
tail -c +55 "$models/images/cat.bmp" >picture

# NAME CHANNELS SIDE FILE...: writes NAME/input.npy and a file for each layer, as `tulle net run --per-layer` does.
cat >layers.py <<'P'
import os, sys
from urllib.parse import quote
import numpy as np, onnx, cv2

name, channels, side, *files = sys.argv[1:]
net = cv2.dnn.readNet(*files)
net.enableFusion(False)
if hasattr(net, "enableWinograd"):
    net.enableWinograd(False)
# Nodes of ONNX have names of their own, where they have one; results have others.
nodes = onnx.load(files[0]).graph.node if files[0].endswith(".onnx") else []
results = {node.name: node.output[0] for node in nodes if node.name}
x = np.resize(np.fromfile("picture", np.uint8), (1, int(channels), int(side), int(side))).astype(np.float32) / 256
os.makedirs(name)
np.save(name + "/input.npy", x)
os.makedirs(name + "/layers")
net.setInput(x)
names = list(net.getLayerNames())
for layer, result in zip(names, net.forward(names)):
    stem = layer.removeprefix("onnx_node!").removeprefix("onnx_node_output_0!")
    np.save("%s/layers/%s.npy" % (name, quote(results.get(stem, stem), safe="")), result)
P

# layers LEAST NAME CHANNELS SIDE FILE...: at least so many layers are compared.
layers() {
    local least=$1 name=$2 channels=$3 side=$4 count
    shift 4
    judge "$TMPDIR" layers.py "$name" "$channels" "$side" "$@" >made 2>&1 || fail "$(tail -n 5 made)"
    "$tulle" net run "$@" --shape "$(input_of "$@")=1x${channels}x${side}x$side" --input "$name/input.npy" --per-layer-goldens "$name/layers" >out 2>err ||
        fail "$name: $(tail -n 3 out err)"
    count=$(sed -n 's/.*: \([0-9]*\) tensors are the same.*/\1/p' out)
    ((count >= least)) || fail "$name: $(cat out)"
    echo "$name: $count layers are the same"
}
input_of() {
    "$tulle" net info "$@" | awk '$1 == "inputs" { print $2 }'
}
layers 8 lenet 1 28 lenet.prototxt lenet.caffemodel
layers 10 det1 3 60 det1.prototxt det1.caffemodel
layers 13 det2 3 24 det2.prototxt det2.caffemodel
layers 11 mnist 1 28 mnist.onnx
layers 10 super 1 224 super.onnx
