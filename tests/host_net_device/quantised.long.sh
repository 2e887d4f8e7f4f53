#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks of floats that `tulle net quantise` made integers of, with their layers on the functional model of networks, and LeNet on
# a simulated device: every element is the CPU's.
# timeout: 1500

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
caffe=$models/caffe
quantise_data

# random NAME COUNT SIZE LOW HIGH: so many samples of so many channels and pixels, and the first of them alone (NAME-one.npy).
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

# quantised NAME NETWORK...: with the samples of that name.
quantised() {
    local name=$1
    shift
    "$tulle" net quantise "$@" -o "$name.onnx" --calibrate "$name.npy" >report || fail "$name: $(cat report)"
}

# on_model NAME ON-CPU ELEMENTS
on_model() {
    agrees model:networks "$2" "$3" "$1.onnx" --passes all --input "$1-one.npy"
}

random mnist 8 1 28 0 255
quantised mnist "$models/onnx/mnist-8/model.onnx"
on_model mnist 4 11242
random resnet20 8 3 32 -2 2
quantised resnet20 "$caffe/resnet20/res20_cifar_train_test.prototxt" "$caffe/resnet20/ResNet_20.caffemodel" --shape Data1=1x3x32x32
on_model resnet20 4 278602
random det1 8 3 12 -1 1
quantised det1 "$caffe/mtcnn/det1.prototxt" "$caffe/mtcnn/det1.caffemodel"
on_model det1 13 1432
random det2 8 3 24 -1 1
quantised det2 "$caffe/mtcnn/det2.prototxt" "$caffe/mtcnn/det2.caffemodel"
on_model det2 22 22306
quantised_squeezenet squeezenet.onnx >report
agrees model:networks 10 5071095 squeezenet.onnx --passes all --input "$cat" "${picture[@]}"

quantised_lenet lenet.onnx >report
random lenet 1 1 28 0 1
"$TOP/sim/board/build" -o "$BUILD/board/networks" networks
for device in model:networks "sim:$BUILD/board/networks"; do
    agrees "$device" 5 18910 lenet.onnx --passes all --input lenet-one.npy
done
