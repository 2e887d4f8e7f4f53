#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime gives the bits of the generated C for the ONNX of the same programs; tests/host_software/networks.sh compares the C
# with the device. onnx.soak.sh has larger networks.
# timeout: 1200

# shellcheck source=tests/host_software/onnx_lib.sh
source "$TOP/tests/host_software/onnx_lib.sh"

compile ad01_int8 "$models/ad01_int8.tflite" --shape input_1.0=1
judged ad01_int8 640 640

# Networks of floats, quantised, whose images lie channel by channel: pools that read side by side, products with floats, and sums of sums.
mnist=$TULLE_DATA/models/onnx/mnist-8
compile mnist_8 "$mnist/model.onnx" --calibrate "$mnist/test_data_set_0/input_0.pb"
judged mnist_8 784 10
lenet=$TULLE_DATA/models/caffe/lenet
compile lenet "$lenet/lenet.prototxt" "$lenet/lenet_iter_10000.caffemodel" --shape data=1x1x28x28 \
    --calibrate "$TULLE_DATA/models/images/cat.bmp" --resize stretch
judged lenet 784 10

# Layers that are one job.
compile kws_ref_model "$models/kws_ref_model.tflite" --shape input_1.0=1 --mode fused
judged kws_ref_model 490 12
