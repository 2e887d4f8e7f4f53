#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Efficiency of networks on the cycle model of networks, with the activations of real inputs: the roofline of what was multiplied, in all layers
# together, divided by their cycles. Also what the zeros of pruned SqueezeNet save, two layers of a pruned MobileNet with the masks of their weights
# and activations, and a whole MobileNet 0.5 with densities like theirs. Of all layers nine in ten take what the planner predicts, within 5 %.
# timeout: 3000
# expected: 190

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
# shellcheck source=tests/host_net_device/mobilenets.sh
source "$TOP/tests/host_net_device/mobilenets.sh"
"$PYTHON" -c 'import numpy, onnx' 2>err || skip "numpy or onnx is missing in $PYTHON"
timed="model:networks;timed=1"

# efficient NAME LEAST MODEL OPTION...: prints the last line of the table, what is below 0.75 and takes more than 1 % of the cycles, and
# predictions that are off by more than 5 %; `predictions` gets how many are not, and how many there are.
efficient() {
    local name=$1 least=$2 model=$3
    shift 3
    "$tulle" explain net "$model" --device "$timed" --timeout 900 "$@" >"$name.table" 2>err || fail "$name: $(cat err)"
    awk -v name="$name" -v least="$least" '
        / [0-9]+$/ && !/all on the device/ {
            layer[NR] = $2; cycles[NR] = $(NF - 5); share[NR] = $(NF - 3)
            ratio[NR] = $(NF - 6) / $(NF - 5); off[NR] = ratio[NR] < 0.95 || ratio[NR] > 1.05
            count++; near += !off[NR]
        }
        /all on the device/ { all = $(NF - 5); whole = $(NF - 3)
            printf "%-12s %9d cycles, %9d predicted, %10d multiplications, efficiency %.2f (at least %s)\n", name, all, $(NF - 6), $(NF - 2), whole, least }
        END {
            for (i = 1; i <= NR; i++)
                if (i in cycles && share[i] < 0.75 && cycles[i] > all / 100)
                    printf "    %-30s %9d cycles, efficiency %.2f\n", layer[i], cycles[i], share[i]
            for (i = 1; i <= NR; i++)
                if (off[i])
                    printf "    %-30s %9d cycles, %.2f of them predicted\n", layer[i], cycles[i], ratio[i]
            print near, count >>"predictions"
            exit !(whole >= least && whole <= 1)
        }' "$name.table" || fail "$name: $(tail -n 1 "$name.table")"
}
cycles() {
    awk '/all on the device/ { print $(NF - 5) }' "$1.table"
}

take_word
efficient keywords 0.70 "$models/tflite/kws_ref_model.tflite" --shape input_1.0=1 --input word.bin
efficient resnet8 0.75 "$models/tflite/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1 --input "$cat" --resize crop
efficient mobilenetv2 0.80 "$models/tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite" --input "$cat" --resize crop --mean 127 --scale 0.0078125

# The weights of SqueezeNet that are 0 become the smallest ones of their channel, with signs in turn, so that activations stay nearly the same.
quantise_data
quantised_squeezenet pruned.onnx >report
{ caffemodel_writer && cat <<'P'; } | "$PYTHON" - "$models"
import sys
import numpy as np

numbers = np.load(sys.argv[1] + "/caffe/squeezenet-compressed/squeezenet-weights.npz")
with open("filled.caffemodel", "wb") as file:
    for name in [key[:-len(".weights")] for key in numbers if key.endswith(".weights")]:
        w = numbers[name + ".weights"].astype("<f4")
        least = np.abs(w).max(axis=(1, 2, 3), keepdims=True) / 127
        signs = np.where(np.arange(w.size) % 2, 1, -1).reshape(w.shape)
        layer = name.replace(".conv", "/conv") if name.startswith("fire") else name
        blobs = [(a.shape, a.astype("<f4").tobytes()) for a in (np.where(w == 0, least * signs, w), numbers[name + ".bias"])]
        file.write(caffe_layer(layer, "Convolution", blobs))
P
squeezenet[1]=filled.caffemodel
quantised_squeezenet filled.onnx >report
efficient squeezenet 0.85 pruned.onnx --passes all --input "$cat" "${picture[@]}"
efficient filled 0.85 filled.onnx --passes all --input "$cat" "${picture[@]}"
awk -v pruned="$(cycles squeezenet)" -v filled="$(cycles filled)" 'BEGIN {
    printf "pruned SqueezeNet takes %.3f of the cycles of the same network with its zeros filled in (at most 0.58)\n", pruned / filled
    exit !(pruned <= 0.58 * filled) }' || fail "zeros of SqueezeNet save too little"

mobilenets "$TULLE_DATA/dl"
for layer in L09 L21; do
    "$tulle" net quantise $layer.onnx --calibrate $layer.npy -o $layer.int8.onnx >report
    efficient $layer 0.90 $layer.int8.onnx --passes all --input $layer.npy
done
"$tulle" net quantise mobilenet05.onnx --calibrate image.npy -o mobilenet05.int8.onnx >report
efficient mobilenet05 0.75 mobilenet05.int8.onnx --passes all --input image.npy

awk '{ near += $1; count += $2 }
    END {
        printf "%d of %d layers are predicted within 5 %% (at least 90 %%)\n", near, count
        exit !(count >= 150 && near >= 0.9 * count)
    }' predictions || fail "predictions are off"
