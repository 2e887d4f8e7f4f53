#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Saved operators of every kind: their C has the bits of the device, also in a test of its own, with weights apart, and on other
# machines. What has no software is refused by name.
# timeout: 600

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

# An operator's test, with its weights from a file.
cat >main.c <<'C'
#include <stdio.h>
#include "op.h"
static char bytes[1 << 20];
int main(int count, char **word)
{
    FILE *file = fopen("op.bin", "rb");
    if (count != 1 || !word || !file || op_test() != 2)
        return 3;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    if (!op_weights(bytes, size + 1) || op_weights(bytes, size) || op_test())
        return 4;
    for (size_t i = 0; i < size; i++)
        bytes[i] ^= 64;
    const int refused = op_weights(bytes, size), noticed = op_test();
    printf("%s\n", !size || (refused && noticed) ? "0 wrong" : "wrong");
    return size && !(refused && noticed);
}
C

# same VARIANT OPTION...: as tulle run takes them.
same() {
    local variant=$1
    shift
    "$tulle" run "$@" --device "model:$variant" --save op >out 2>err || fail "$*: $(cat err)"
    "$tulle" net verify op --device "model:$variant" --random 2 >out 2>err || fail "$*: $(cat out err)"
    grep -q ', in C: [1-9][0-9]* bytes compared, 0 differ$' out || fail "$*: $(cat out)"
    echo "$*: $(cat out)"
    "$tulle" software op --device "model:$variant" -o op.c --weights op.bin --self-test --force >out 2>err || fail "$*: $(cat err)"
    gcc "${strict[@]}" -O1 -fsanitize=address,undefined -fno-sanitize-recover op.c main.c -o test.exe 2>err || fail "$*: $(head -5 err)"
    ./test.exe >out || fail "$*: the test in the file: $(cat out)"
}

same tiny spmm --rows 16 --k 128 --n 64
same base spmm --left --rows 16 --k 128 --n 64 --density 0.1
same base spmv --rows 300 --k 500                 # long rows are in parts, which the host adds
same base spmv --rows 500 --k 500 --graph 4000    # columns are dealt: terms of a row are in no order of the operand
same networks spmm --rows 7 --k 300 --n 33 --relu --output-type int8
same networks conv --in 9x9x16 --out-channels 12 --pad 1 --layout nchw
same networks dwconv --in 9x9x16 --pad 1
same networks pool --in 8x8x16 --pool average --kernel 2 --stride 2
same networks add --rows 10 --n 100
same networks softmax --rows 10 --n 12

"$tulle" software op --device model:networks -o op.c --weights op.bin --self-test --force >out
if has_order; then
    s390x-linux-gnu-gcc -std=c11 -O1 -static op.c main.c -o test.exe 2>err || fail "another byte order: $(cat err)"
    qemu-s390x ./test.exe || fail "another byte order"
fi

! "$tulle" software op --device model:base -o other.c 2>err || fail "an operator of another variant became software"
! "$tulle" software op --device model:networks -o op.onnx --weights op.bin 2>err || fail "ONNX with weights apart"
grep -q 'are for C' err || fail "ONNX with weights apart: $(cat err)"
! "$tulle" net verify op --device model:networks --input x.npy 2>err || fail "an operator with a given input"
grep -q -- '--input is for networks' err || fail "an operator with a given input: $(cat err)"
