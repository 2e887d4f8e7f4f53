#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As networks.sh, with larger networks.
# timeout: 3600
# expected: 120

# shellcheck source=tests/host_software/networks_lib.sh
source "$TOP/tests/host_software/networks_lib.sh"

compare pretrainedResnet_quant 172210 "$models/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1
lenet=$TULLE_DATA/models/caffe/lenet
compare lenet 37830 "$lenet/lenet.prototxt" "$lenet/lenet_iter_10000.caffemodel" --shape data=1x1x28x28 \
    --calibrate "$TULLE_DATA/models/images/cat.bmp" --resize stretch
