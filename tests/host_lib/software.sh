#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_operator_software() and tulle_net_software() write what tulle software does, from a shared and a static library; what they
# cannot write has a status and a message.
# timeout: 600

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"
plain_build
tulle=$BUILD/bin/tulle
export OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES=model:networks

cat >program.c <<'C'
#include <stdio.h>
#include <string.h>
#include <tulle.h>
int main(int count, char **word)
{
    struct tulle_device *device;
    struct tulle_operator *op;
    struct tulle_net *net;
    if (count < 4 || tulle_device_open(NULL, NULL, &device))
        return 3;
    const int network = !strcmp(word[1], "net");
    const struct tulle_net_options options = {.size = sizeof options, .device = device};
    enum tulle_status status =
        network ? tulle_net_load(word[2], &options, &net) : tulle_operator_load(device, word[2], &op);
    if (status)
        return puts(tulle_message()), 4;
    const char *weights = count > 4 ? word[4] : NULL;
    status = network ? tulle_net_software(net, word[3], weights) : tulle_operator_software(op, word[3], weights);
    puts(status ? tulle_message() : "written");
    if (network)
        tulle_net_free(net);
    else
        tulle_operator_free(op);
    tulle_device_close(device);
    return status == TULLE_OK ? 0 : status == TULLE_INVALID_ARGUMENT ? 5 : status == TULLE_FILE ? 6 : 7;
}
C
build_c -I"$TOP/host" program.c -L"$BUILD/lib" -ltulle -Wl,-rpath,"$BUILD/lib" -o shared
build_c -I"$TOP/host" program.c "$BUILD/lib/libtulle.a" -lOpenCL -ljansson -lyaml -pthread -lm -o static

# same KIND FILE: the command's files, byte by byte.
same() {
    "$tulle" software "$2" --device model:networks -o model.c --weights model.weights --force >out 2>err || fail "$2: $(cat err)"
    "$tulle" software "$2" --device model:networks -o model.onnx --force >out 2>err || fail "$2: $(cat err)"
    for program in ./shared ./static; do
        mkdir -p by
        "$program" "$1" "$2" by/model.c by/model.weights >out || fail "$program $2: $(cat out)"
        "$program" "$1" "$2" by/model.onnx >out || fail "$program $2: $(cat out)"
        for file in model.c model.h model.weights model.onnx; do
            cmp "$file" "by/$file" || fail "$program $2: $file is another"
        done
        rm -r by
    done
}

"$tulle" run spmm --rows 6 --k 40 --n 20 --relu --output-type int8 --device model:networks --save op >out 2>err || fail "$(cat err)"
same operator op
if [[ -n ${TULLE_DATA-} ]]; then
    "$tulle" compile "$TULLE_DATA/models/tflite/kws_ref_model.tflite" -o kws.net --device model:networks --shape input_1.0=1 >out 2>err || fail "$(cat err)"
    same net kws.net
    "$tulle" compile "$TULLE_DATA/models/tflite/trained_lstm_int8.tflite" -o lstm.net --device model:networks >out 2>err || fail "$(cat err)"
    status=0
    ./shared net lstm.net lstm.c >out || status=$?
    [[ $status == 7 && ! -e lstm.c ]] || fail "an LSTM: $status, $(cat out)"
    grep -q 'there is no software for it' out || fail "an LSTM: $(cat out)"
fi

# ends STATUS WORDS ARGUMENT...: the program's status and message.
ends() {
    local wanted=$1 words=$2 status=0
    shift 2
    ./shared "$@" >out || status=$?
    [[ $status == "$wanted" ]] || fail "$*: status $status, $(cat out)"
    grep -qF "$words" out || fail "$*: $(cat out)"
}
ends 5 'ends with .c or .onnx' operator op model.txt
ends 5 'ONNX has them in the file' operator op model.onnx model.weights
ends 6 'nowhere/model.c' operator op nowhere/model.c
