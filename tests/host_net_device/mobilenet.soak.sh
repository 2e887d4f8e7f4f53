#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# MobileNetV2 as a whole on the simulated device of networks, one picture: every element of every layer is the CPU's, and the picture is found.
# timeout: 14400
# expected: 3600

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
network=$models/tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite
"$TOP/sim/board/build" -o "$BUILD/board/networks" networks
"$tulle" net run "$network" --input "$cat" --resize crop --mean 127 --scale 0.0078125 --output cpu.npy >out || fail "on the CPU: $(cat out)"
"$tulle" net run "$network" --input "$cat" --resize crop --mean 127 --scale 0.0078125 --output device.npy --device "sim:$BUILD/board/networks" \
    --check --timeout 3600 >out 2>err || fail "$(cat out err)"
cat out
grep -q ' 6681394 elements, 0 differ from the CPU$' out || fail "$(cat out)"
cmp cpu.npy device.npy || fail "the device gives other shares"
