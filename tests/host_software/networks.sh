#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks with real weights: the C of a compiled network has the bits of the device and of the CPU in every layer.
# networks.soak.sh has larger ones.
# timeout: 600

# shellcheck source=tests/host_software/networks_lib.sh
source "$TOP/tests/host_software/networks_lib.sh"

compare ad01_int8 3984 "$models/ad01_int8.tflite" --shape input_1.0=1
compare kws_ref_model 144188 "$models/kws_ref_model.tflite" --shape input_1.0=1

# Networks of floats, quantised: software begins and ends where integers do, and does what the host does with sums.
mnist=$TULLE_DATA/models/onnx/mnist-8
compare mnist_8 22494 "$mnist/model.onnx" --calibrate "$mnist/test_data_set_0/input_0.pb"
"$tulle" net verify mnist_8.net --random 0 --input "$mnist/test_data_set_1/input_0.pb" >out 2>err || fail "a given input: $(cat err)"
grep -q '^1 inputs, .* 0 differ$' out || fail "a given input: $(cat out)"

# The test in the file, with weights apart, notices a weight that is another.
"$tulle" software kws_ref_model.net -o kws.c --weights kws.bin --self-test >out 2>err || fail "$(cat err)"
cat >main.c <<'C'
#include <stdio.h>
#include "kws.h"
static char bytes[1 << 20];
int main(int count, char **word)
{
    FILE *file = fopen(count > 1 ? word[1] : "", "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (kws_weights(bytes, size) || kws_test())
        return 3;
    bytes[97] ^= 64;
    return kws_test() != 1;
}
C
gcc "${strict[@]}" -O2 main.c kws.c -o kws.exe
./kws.exe kws.bin || fail "the test in the file"

# Results between layers are outputs, too, behind the network's own and by name: those of a run.
head -c 640 ad01_int8.net >in.raw
"$tulle" net run ad01_int8.net --input in.raw --per-layer layers >out 2>err || fail "$(cat err)"
"$tulle" software ad01_int8.net -o all.c --all-outputs >out 2>err || fail "$(cat err)"
sed -n 's/^ \*   out\[\([0-9]*\)\]  \([0-9]*\) x int8_t  \(.*\)$/\1 \2 \3/p' all.h >outputs
[[ $(cut -d' ' -f1 outputs | xargs) == "$(seq -s' ' 0 9)" ]] || fail "outputs are not numbered: $(cat outputs)"
cut -d' ' -f3- outputs | tail -n +2 >names
LC_ALL=C sort -c names || fail "outputs are not in order: $(cat names)"
cat >main.c <<C
#include <stdio.h>
#include "all.h"
static char in[640], room[10][640];
int main(void)
{
    static const size_t sizes[10] = {$(cut -d' ' -f2 outputs | paste -sd,)};
    const void *from[] = {in};
    void *to[10];
    int bad = fread(in, 1, sizeof in, stdin) != sizeof in;
    for (int i = 0; i < 10; i++)
        to[i] = room[i];
    bad |= all_run(from, to);
    for (int i = 0; i < 10; i++)
        bad |= fwrite(room[i], 1, sizes[i], stdout) != sizes[i];
    return bad;
}
C
gcc "${strict[@]}" -O1 main.c all.c -o all.exe 2>err || fail "all outputs: $(cat err)"
./all.exe <in.raw >given || fail "all outputs: the C does not run"
while read -r _ size name; do
    name=${name//\//%2F}
    tail -c "$size" "layers/${name//;/%3B}.npy"
done <outputs >wanted
cmp given wanted || fail "all outputs: they are not those of the layers"
"$tulle" software ad01_int8.net -o one.c --external-output "$(head -n 1 names)" >out 2>err || fail "$(cat err)"
grep -qF " *   out[1]  128 x int8_t  $(head -n 1 names)" one.h || fail "an external output: $(cat one.h)"
! "$tulle" software ad01_int8.net -o two.c --external-output nowhere 2>err || fail "an output that there is not"
grep -q 'external output "nowhere": the network has no layer and no result of this name' err || fail "no such output: $(cat err)"

# What cannot be software is refused with its name, and so are damaged files; nothing is written.
"$tulle" compile "$models/trained_lstm_int8.tflite" -o lstm.net --device model:networks >out 2>err || fail "$(cat err)"
! "$tulle" software lstm.net -o lstm.c 2>err || fail "an LSTM on the CPU became software"
grep -q 'there is no software for it: it is not on the device' err || fail "an LSTM: $(cat err)"
head -c 1000 kws_ref_model.net >short.net
! "$tulle" software short.net -o short.c 2>err || fail "a damaged file became software"
grep -q 'it is damaged, or no compiled network' err || fail "a damaged file: $(cat err)"
[[ ! -e lstm.c && ! -e short.c ]] || fail "something was written"
! "$tulle" software kws_ref_model.net -o kws_ref_model.c 2>err || fail "a file was replaced"
grep -q 'there is such a file' err || fail "a file that is there: $(cat err)"
! "$tulle" software kws_ref_model.net -o other.txt 2>err || fail "a name without .c"
grep -q 'it ends with .c' err || fail "a name without .c: $(cat err)"
