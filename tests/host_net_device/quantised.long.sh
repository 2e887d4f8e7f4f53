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
# shellcheck source=tests/host_net_device/quantised.sh
source "$TOP/tests/host_net_device/quantised.sh"
quantise_data

# on_model NAME ON-CPU ELEMENTS
on_model() {
    agrees model:networks "$2" "$3" "$1.onnx" --passes all --input "$1-one.npy"
}

small_networks
on_model mnist 4 11242
on_model resnet20 4 278602
on_model det1 13 1432
on_model det2 22 22306
quantised_squeezenet squeezenet.onnx >report
agrees model:networks 10 5071095 squeezenet.onnx --passes all --input "$cat" "${picture[@]}"

quantised_lenet lenet.onnx >report
random lenet 1 1 28 0 1
"$TOP/sim/board/build" -o "$BUILD/board/networks" networks
for device in model:networks "sim:$BUILD/board/networks"; do
    agrees "$device" 5 18910 lenet.onnx --passes all --input lenet-one.npy
done
