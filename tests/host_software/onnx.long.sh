#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime gives the bits of the generated C for the ONNX of the same programs; tests/host_software/networks.sh compares the C
# with the device.
# timeout: 1200

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"
# shellcheck source=scripts/lib.sh
source "$TOP/scripts/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models/tflite
judge_open onnxruntime

cat >run.py <<'P'
import sys, numpy
from judge_session import open_session
session = open_session(sys.argv[1] + ".onnx")
given = session.get_inputs()[0]
kind = {"tensor(int8)": numpy.int8, "tensor(uint8)": numpy.uint8}[given.type]
values = numpy.fromfile("in.bin", dtype=kind).reshape(given.shape)
session.run(None, {given.name: values})[0].tofile("judged.bin")
P

# same NETWORK INPUTS OUTPUTS ARGUMENT...: of int8 or uint8, so many bytes.
same() {
    local name=$1 inputs=$2 outputs=$3
    shift 3
    "$tulle" compile "$models/$name.tflite" -o "$name.net" --device model:networks "$@" >out 2>err ||
        fail "$name: $(cat out err)"
    "$tulle" software "$name.net" -o model.c --force >out || fail "$name: $(cat out)"
    "$tulle" software "$name.net" -o "$name.onnx" >out || fail "$name: $(cat out)"
    cat >main.c <<C
#include <stdio.h>
#include "model.h"
static char in[$inputs], out[$outputs];
int main(void)
{
    const void *from[] = {in};
    void *to[] = {out};
    return fread(in, 1, sizeof in, stdin) != sizeof in || model_run(from, to) ||
           fwrite(out, 1, sizeof out, stdout) != sizeof out;
}
C
    gcc -std=c11 -O1 main.c model.c -o main 2>err || fail "$name: $(cat err)"
    for seed in 1 2; do
        head -c "$inputs" /dev/zero | openssl enc -aes-128-ctr -K "$seed" -iv 0 >in.bin 2>err || fail "no random input: $(cat err)"
        [[ $(stat -c %s in.bin) == "$inputs" ]] || fail "no random input: $(cat err)"
        ./main <in.bin >wanted.bin || fail "$name: the C does not run"
        judge "$TMPDIR" run.py "$name" >out 2>&1 || fail "$name: $(tail -n 5 out)"
        cmp wanted.bin judged.bin || fail "$name: ONNX Runtime gives other bits, seed $seed"
    done
    echo "$name: ONNX Runtime gives the bits of the C"
}

same ad01_int8 640 640 --shape input_1.0=1
same kws_ref_model 490 12 --shape input_1.0=1
same pretrainedResnet_quant 3072 10 --shape input_1_int8.0=1
same mobilenet_v1_0.25_128_quant 49152 1001
