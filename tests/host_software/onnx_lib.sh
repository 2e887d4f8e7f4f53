# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The ONNX and the C of a compiled network under ONNX Runtime.

# shellcheck source=tests/host_software/networks_lib.sh
source "$TOP/tests/host_software/networks_lib.sh"
# shellcheck source=scripts/lib.sh
source "$TOP/scripts/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
judge_open onnxruntime

cat >run.py <<'P'
import sys, numpy, onnx.reference
from judge_session import open_session
onnx.checker.check_model(sys.argv[1] + ".onnx", full_check=True)
session = open_session(sys.argv[1] + ".onnx")
given = session.get_inputs()[0]
kind = {"tensor(int8)": numpy.int8, "tensor(uint8)": numpy.uint8}[given.type]
batch, *shape = given.shape
assert batch == "batch", given.shape
values = numpy.stack([numpy.fromfile("in" + seed, dtype=kind).reshape(shape) for seed in sys.argv[2:]])
results = session.run(None, {given.name: values})[0]
for seed, value, result in zip(sys.argv[2:], values, results):
    result.tofile("judged" + seed)
    assert (session.run(None, {given.name: value[None]})[0][0] == result).all(), "alone it has other bits"
P

# judged NAME INPUTS OUTPUTS: of NAME.net, which has so many bytes at its ends; with two random inputs, which are
# a batch and alone.
judged() {
    local name=$1 inputs=$2 outputs=$3
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
        head -c "$inputs" /dev/zero | openssl enc -aes-128-ctr -K "$seed" -iv 0 >"in$seed" 2>err || fail "no random input: $(cat err)"
        [[ $(stat -c %s "in$seed") == "$inputs" ]] || fail "no random input: $(cat err)"
        ./main <"in$seed" >"wanted$seed" || fail "$name: the C does not run"
    done
    judge "$TMPDIR" run.py "$name" 1 2 >out 2>&1 || fail "$name: $(tail -n 5 out)"
    for seed in 1 2; do
        cmp "wanted$seed" "judged$seed" || fail "$name: ONNX Runtime gives other bits, seed $seed"
    done
    echo "$name: ONNX's checker accepts the file, and ONNX Runtime gives the bits of the C"
}
