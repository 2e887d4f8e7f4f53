#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As networks.sh: the larger networks, and keyword spotting on a simulated device.
# timeout: 1500

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"

# Weights of uint8 whose zero points leave them no room in int8 meet copies of their activations.
agrees model:networks 1 413906 mobilenet_v1_0.25_128_quant --input "$cat" --resize crop --mean 128 --scale 0.0078125
agrees model:networks 3 6681394 tf2_mobilenet_v2_1.0_224_ptq --input "$cat" --resize crop --mean 127 --scale 0.0078125

# Planning every layer, and writing the file, is bounded in processor time: by twice what an idle core takes at most, because
# others that run beside this make it slower.
network=$models/tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite
TIMEFORMAT=%U
seconds=$({ time "$tulle" compile "$network" -o mobilenet.net --device model:networks >out; } 2>&1) || fail "compile: $(cat out)"
echo "MobileNetV2 is compiled in $seconds s of processor time: $(cat out)"
awk -v seconds="$seconds" 'BEGIN { exit !(seconds > 0 && seconds <= 40) }' || fail "compiling MobileNetV2 takes $seconds s"
"$tulle" net run mobilenet.net --device model:networks --check --input "$cat" --resize crop --mean 127 --scale 0.0078125 >out ||
    fail "compiled MobileNetV2: $(cat out)"
grep -q "6681394 elements, 0 differ from the CPU$" out || fail "compiled MobileNetV2: $(cat out)"

"$TOP/sim/board/build" -o "$BUILD/board/networks" networks
take_word
agrees "sim:$BUILD/board/networks" 1 72088 kws_ref_model --shape input_1.0=1 --input word.bin
# In one job.
agrees "sim:$BUILD/board/networks" 0 72088 kws_ref_model --shape input_1.0=1 --input word.bin --mode fused
