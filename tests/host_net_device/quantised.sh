# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Networks of floats with real weights as networks of integers. The script that reads this has set tulle and models (lib.sh).
# shellcheck disable=SC2154

# random NAME COUNT CHANNELS SIDE LOW HIGH: so many samples of so many channels and pixels, and the first of them alone (NAME-one.npy).
random() {
    "$PYTHON" - "$@" <<'P'
import sys
import numpy as np
name, count, channels, side, low, high = sys.argv[1], *(int(a) for a in sys.argv[2:])
x = (np.random.RandomState(3).rand(count, channels, side, side) * (high - low) + low).astype(np.float32)
np.save(name + ".npy", x)
np.save(name + "-one.npy", x[:1])
P
}

# quantised NAME NETWORK...: NAME.onnx, with the samples of that name.
quantised() {
    local name=$1
    shift
    "$tulle" net quantise "$@" -o "$name.onnx" --calibrate "$name.npy" >report || fail "$name: $(cat report)"
}

# small_networks: mnist.onnx, resnet20.onnx, det1.onnx and det2.onnx, with samples of random numbers.
small_networks() {
    local caffe=$models/caffe
    random mnist 8 1 28 0 255
    quantised mnist "$models/onnx/mnist-8/model.onnx"
    random resnet20 8 3 32 -2 2
    quantised resnet20 "$caffe/resnet20/res20_cifar_train_test.prototxt" "$caffe/resnet20/ResNet_20.caffemodel" --shape Data1=1x3x32x32
    random det1 8 3 12 -1 1
    quantised det1 "$caffe/mtcnn/det1.prototxt" "$caffe/mtcnn/det1.caffemodel"
    random det2 8 3 24 -1 1
    quantised det2 "$caffe/mtcnn/det2.prototxt" "$caffe/mtcnn/det2.caffemodel"
}
