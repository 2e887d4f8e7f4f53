#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Quantised TFLite networks of others, from the folder TULLE_DATA, run on the CPU and find what they were trained for.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
feed=$BUILD/tests/tool/net-feed

# run INPUT OUTPUT NETWORK
run() {
    "$feed" "$@" 2>err || fail "net-feed $*: $(cat err)"
}

# Keyword spotting of MLPerf Tiny: at least 90 % of its 1,000 inputs must get their class; 901 do.
tar -xzf "$models/tflite/eembc-kws01.tar.gz"
(cd datasets/kws01 && cut -d , -f 1 y_labels.csv | tr -d '\r' | xargs cat) >words
run words classes "$models/tflite/kws_ref_model.tflite"
right=$(paste -d ' ' <(od -An -v -td1 -w12 classes) <(cut -d , -f 3 datasets/kws01/y_labels.csv | tr -d '\r') | awk '
    { best = 1; for (i = 2; i <= 12; i++) if ($i > $best) best = i; right += best - 1 == $13 }
    END { print right, NR }')
[[ $right == "901 1000" ]] || fail "keyword spotting: $right inputs get their class, not 901 of 1000"
echo "keyword spotting: $right"

# recognises NETWORK SIDE PICTURE NAME...: one of the names has the largest share.
recognises() {
    local network=$1 side=$2 image=$3 place name
    shift 3
    [[ -e $image.$side ]] || pixels "$models/images/$image.bmp" "$side" >"$image.$side"
    run "$image.$side" shares "$models/tflite/$network.tflite"
    for place in $(best shares); do
        name=$(sed -n "$((place + 1))p" "$models/images/imagenet_labels.txt")
        for wanted in "$@"; do
            [[ $name == "$wanted" ]] && return
        done
    done
    fail "$network takes $image.bmp for '$name', not for '$1'"
}
recognises tf2_mobilenet_v2_1.0_224_ptq 224 cat "Egyptian cat"
recognises tf2_mobilenet_v2_1.0_224_ptq 224 grace_hopper "military uniform"
# This network is a small one. It is sure of the cat in the middle of its picture; the uniform is a suit to it, and to Arm NN
# and ONNX Runtime, too.
"$tulle" net run "$models/tflite/mobilenet_v1_0.25_128_quant.tflite" --input "$models/images/cat.bmp" --resize crop --mean 128 \
    --scale 0.0078125 --top 1 --labels "$models/images/imagenet_labels.txt" >out
grep -q ' Egyptian cat$' out || fail "MobileNetV1 takes cat.bmp for $(tail -n 1 out)"
recognises mobilenet_v1_0.25_128_quant 128 grace_hopper "suit, suit of clothes"

# An LSTM for MNIST: 9,850 of the 10,000 images of its test set. They are bytes, the network's zero is -128.
mnist=$models/datasets/mnist
zcat "$mnist/t10k-images-idx3-ubyte.gz" | tail -c +17 | LC_ALL=C tr '\000-\377' '\200-\377\000-\177' >images
run images classes "$models/tflite/trained_lstm_int8.tflite"
right=$(paste -d ' ' <(od -An -v -td1 -w10 classes) <(zcat "$mnist/t10k-labels-idx1-ubyte.gz" | tail -c +9 | od -An -v -tu1 -w1) | awk '
    { best = 1; for (i = 2; i <= 10; i++) if ($i > $best) best = i; right += best - 1 == $11 }
    END { print right, NR }')
[[ $right == "9850 10000" ]] || fail "LSTM: $right images get their digit, not 9850 of 10000"
echo "LSTM: $right"

# An autoencoder gives back what it was shown, so far as it knows it; at least it runs, and a second run is as the first.
head -c 640 words >once
cat once once >twice
run twice out "$models/tflite/ad01_int8.tflite"
cmp -s <(head -c 640 out) <(tail -c 640 out) || fail "ad01_int8: a second run differs from the first"
(($(stat -c %s out) == 1280)) || fail "ad01_int8 gives $(stat -c %s out) numbers, not 1280"
