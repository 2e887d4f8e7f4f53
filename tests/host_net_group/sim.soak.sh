#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# expected: 1800
# timeout: 10800
# Groups on the Verilated device: random networks in slices, a residual block as MobileNetV2 has them, LeNet and ResNet-8 give the results
# that the CPU gives for the whole network. FIRST and LAST limit the random networks.

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/host_cli/lib.sh
source "$TOP/tests/host_cli/lib.sh"
# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
need verilator
plain_build
export OCL_ICD_VENDORS="$BUILD/vendors"
board=$BUILD/board/networks
[[ -f $board/board.so ]] || "$TOP/sim/board/build" -o "$board" networks

# forced NETWORK FIRST..LAST/P: that group on the device.
forced() {
    "$tulle" net explain "$1" --groups --on-chip 1048576 --group "$2" >/dev/null 2>err || return 0 # too few rows
    grouped "sim:$board" "$1" --groups --on-chip 1048576 --group "$2"
}

for ((seed = ${FIRST:-1}; seed <= ${LAST:-50}; seed++)); do
    random_network net.onnx "$seed"
    forced net.onnx "0..$(all_layers net.onnx)/$((2 + seed % 3))"
done
echo "$cut of $((seed - ${FIRST:-1})) random networks in slices"
((cut * 2 > seed - ${FIRST:-1})) || fail "few networks were cut"

cut=0
known_network block.onnx block
forced block.onnx "0..$(all_layers block.onnx)/4"
((cut == 1)) || fail "the residual block was not cut"
known_network lenet.onnx lenet
forced lenet.onnx 0..3/2
((cut == 2)) || fail "LeNet was not cut"
if [[ -n ${TULLE_DATA-} ]]; then
    "$PYTHON" -c 'import numpy as np; np.save("image.npy", np.random.RandomState(7).randint(-128, 128, (1, 32, 32, 3)).astype(np.int8))'
    cp "$TULLE_DATA/models/tflite/pretrainedResnet_quant.tflite" resnet.tflite
    forced resnet.tflite 0..2/3
    ((cut == 3)) || fail "ResNet-8 was not cut"
fi
