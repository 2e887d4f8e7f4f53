#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks whose neighbours are one job: the C of a part's program has the device's bits and the CPU's. Values between layers lie in
# frames with borders and in planes, in memory or in the activation bank; nothing of it is left in the software.
# networks.soak.sh has larger ones.
# timeout: 600

# shellcheck source=tests/host_software/networks_lib.sh
source "$TOP/tests/host_software/networks_lib.sh"

# fused NAME BANK ARGUMENT...: with so many bytes of the bank.
fused() {
    local name=$1 device="model:networks;set=local_bytes=$2"
    "$tulle" compile "${@:3}" -o "$name.net" --device "$device" --mode fused --force >out 2>err || fail "$name: $(cat out err)"
    "$tulle" net verify "$name.net" --device "$device" --random 1 >out 2>err || fail "$name, $2: $(cat out err)"
    grep -q ', in C and the CPU: [1-9][0-9]* bytes compared, 0 differ$' out || fail "$name, $2: $(cat out)"
    echo "$name, bank of $2 bytes: $(cat out)"
    "$tulle" software "$name.net" --device "$device" -o "$name.c" --self-test --force >out 2>err || fail "$name, $2: $(cat out err)"
}

# Depthwise convolutions, and a residual network, with borders of -128.
fused kws 32768 "$models/kws_ref_model.tflite" --shape input_1.0=1
fused resnet 0 "$models/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1

# Functions have the names of the layers, and no array is larger than a tensor with its border.
grep -q '^static void conv_1(const int8_t \*in, int8_t \*out)$' resnet.c || fail "functions are not named by layers"
! grep -q 'frame\|temporary' resnet.c || fail "results within a layer are left in the software"
[[ $(grep -c '^static void [a-z]*_[0-9]*(' resnet.c) == 12 ]] || fail "ResNet-8 has not 12 functions: $(grep '^static void' resnet.c)"

# The test in the file compares with the device.
printf '#include <stdio.h>\n#include "kws.h"\nint main(void)\n{\n    return puts(kws_test() ? "wrong" : "0 wrong") < 0;\n}\n' >main.c
compiles kws clang main.c -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
