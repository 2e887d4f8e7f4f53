#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups of networks with real weights: the table of docs/groups.md, with its bars, and the same results in slices.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models/tflite
cat=$TULLE_DATA/models/images/cat.bmp
v2=$models/tf2_mobilenet_v2_1.0_224_ptq.tflite resnet=$models/pretrainedResnet_quant.tflite kws=$models/kws_ref_model.tflite

mobilenet_v1 v1.onnx 192 3
for kilobytes in 32 64 128 256 1024; do
    chip=$((kilobytes * 1024))
    costs MobileNetV2 $chip "$v2" --passes all
    ((kilobytes < 128)) || below "MobileNetV2 at $kilobytes KB" "$bytes" $((kilobytes < 256 ? 10000000 : 5600000))
    ((kilobytes < 256)) || below "activations of MobileNetV2 at $kilobytes KB" $((100 * activations)) $((14 * before))
    costs 'MobileNetV1 0.75 192' $chip v1.onnx
    costs 'MobileNetV1 0.25 128' $chip "$models/mobilenet_v1_0.25_128_quant.tflite" --passes all
    costs ResNet-8 $chip "$resnet" --passes all
    ((kilobytes > 32)) || below 'ResNet-8 at 32 KB' "$bytes" 226000
    costs 'keyword spotting' $chip "$kws" --passes all
    ((kilobytes > 32)) || below 'keyword spotting at 32 KB' $((100 * bytes)) $((80 * apart))
    costs autoencoder $chip "$models/ad01_int8.tflite" --passes all
done | tee table
# The page has the rows with thousands apart, and the figures of others behind them.
sort table >rows
sed -n 's/,//g; /^| [^|]* | \(32\|64\|128\|256\|1024\) |/p' "$TOP/docs/groups.md" | cut -d'|' -f1-8 | sed 's/$/|/' | sort >page
diff rows page || fail "what is measured (<) is not what docs/groups.md has (>)"

for chip in 32768 131072; do
    same $chip "$v2" --input "$cat" --resize crop --passes all
done
same 16384 "$resnet" --input "$cat" --resize crop --passes all --shape input_1_int8.0=1
same 32768 "$models/mobilenet_v1_0.25_128_quant.tflite" --input "$cat" --resize crop --passes all
tar -xzf "$models/eembc-kws01.tar.gz"
cp "$(find datasets/kws01 -name '*.bin' | LC_ALL=C sort | head -n 1)" word.bin
same 12288 "$kws" --input word.bin --passes all --shape input_1.0=1
