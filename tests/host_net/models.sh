#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks of others, from the folder TULLE_DATA: each is read and has the known parameters and multiplications, also when it
# is written as ONNX, or it is refused with the reason.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models

# described PARAMETERS NON-ZEROS MULTIPLICATIONS ARGUMENT...; what depends on a name is written as it is printed.
described() {
    local -A wanted=([parameters]=$1 [non_zeros]=$2 [multiplications]=$3)
    shift 3
    "$tulle" net info "$@" --json >out 2>err || fail "tulle net info $*: $(cat err)"
    for field in "${!wanted[@]}"; do
        grep -qF "  \"$field\": ${wanted[$field]}," out || fail "$*: $field is not ${wanted[$field]}: $(grep "^  \"$field\"" out)"
    done
    "$tulle" net convert "$@" written.onnx --force 2>err || fail "tulle net convert $*: $(cat err)"
    "$tulle" net info written.onnx --json >out 2>err || fail "what is written of $* is not read: $(cat err)"
    grep -qF "  \"multiplications\": ${wanted[multiplications]}," out || fail "$*: written as ONNX it has other multiplications"
    seen=$((seen + 1))
}

# refused WORD ARGUMENT...
refused() {
    local word=$1 status=0
    shift
    "$tulle" net info "$@" >out 2>err || status=$?
    ((status == 1)) || fail "tulle net info $*: exit status $status: $(cat out err)"
    grep -qF -- "$word" err || fail "tulle net info $*: no '$word' in $(cat err)"
    seen=$((seen + 1))
}

seen=0
described 5994 5994 786560 "$models/onnx/mnist-8/model.onnx"
described 59657 58799 '"batch_size*2984869888"' "$models/onnx/super-resolution-10/model.onnx"
described 59657 58799 2984869888 "$models/onnx/super-resolution-10/model.onnx" --shape batch_size=1 --sized
described 727638 727635 '"None*287400640"' "$models/onnx/squeezenet_tensor_input.onnx"
for folder in "$models"/onnx/mnist-8-per-layer/*/; do
    # The file has the weights of the layers behind it as well: they are no parameters, as nothing reads them.
    name=$(basename "$folder")
    "$tulle" net info "$folder$name.onnx" >out 2>err || fail "$name: $(cat err)"
    grep -q "^outputs  *${name#*_} float32 " out || fail "$name: $(cat out)"
    seen=$((seen + 1))
done
for archive in NAS_Frontnet Residual_connection_test_1; do tar -xzf "$models/onnx/$archive.tar.gz"; done
described 95860 92332 9769260 examples/Nemo_examples/8-bits-2D/NAS_Frontnet/Frontnet.onnx
described 32115 31870 15540000 examples/Nemo_examples/8-bits-2D/Residual_connection_test_1/model_int.onnx

described 265864 241367 '"input_1.0*264192"' "$models/tflite/ad01_int8.tflite"
described 22604 22436 '"input_1.0*2656768"' "$models/tflite/kws_ref_model.tflite"
described 467647 453708 13570304 "$models/tflite/mobilenet_v1_0.25_128_quant.tflite"
described 77706 76895 12501632 "$models/tflite/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1
described 3489167 3450636 300775552 "$models/tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite"

described 431080 431080 146752000 "$models/caffe/lenet/lenet.prototxt" "$models/caffe/lenet/lenet_iter_10000.caffemodel"
described 6632 6632 44760 "$models/caffe/mtcnn/det1.prototxt" "$models/caffe/mtcnn/det1.caffemodel"
described 100178 100178 1530768 "$models/caffe/mtcnn/det2.prototxt" "$models/caffe/mtcnn/det2.caffemodel"
described 276394 275610 40813184 "$models/caffe/resnet20/res20_cifar_train_test.prototxt" "$models/caffe/resnet20/ResNet_20.caffemodel" --shape Data1=1x3x32x32
described 1248424 null 861339936 "$models/caffe/squeezenet-compressed/SqueezeNet_deploy.prototxt"
described 60965224 null 7244068160 "$models/caffe/prototxt/bvlc_alexnet_deploy.prototxt"
described 6998552 null 15826718720 "$models/caffe/prototxt/bvlc_googlenet_deploy.prototxt"
described 145578 null 12354176 "$models/caffe/prototxt/cifar10_cifar10_quick.prototxt"
described 431080 null 2293000 "$models/caffe/prototxt/mnist_lenet_train_test.prototxt" --shape data=1x1x28x28
described 2837314 null 2833000 "$models/caffe/prototxt/mnist_mnist_autoencoder.prototxt" --phase train --shape data=1x1x28x28

refused 'mnist_mnist_autoencoder.prototxt:52: error: layer "flatdata" (Flatten): its bottom "data" is made by no layer before it' \
    "$models/caffe/prototxt/mnist_mnist_autoencoder.prototxt"
refused 'this is no caffemodel' "$models/caffe/squeezenet-compressed/SqueezeNet_deploy.prototxt" "$models/caffe/squeezenet-compressed/compressed_SqueezeNet.net"
refused 'it was taken for ONNX, as it is neither TFLite nor a text' "$models/images/cat.bmp"
refused 'NetParameter has no field' "$models/images/imagenet_labels.txt"

"$tulle" net info "$models/tflite/trained_lstm_int8.tflite" | grep -q '^multiplications  113120$' || fail "trained_lstm_int8.tflite"
((seen >= 36)) || fail "only $seen files"
