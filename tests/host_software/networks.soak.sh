#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As networks.sh, with larger networks; and all of them without and with optimisation, by gcc and clang, with sanitizers, and on
# machines of 32 bits and of the other byte order.
# timeout: 7200
# expected: 900

# shellcheck source=tests/host_software/networks_lib.sh
source "$TOP/tests/host_software/networks_lib.sh"

compare pretrainedResnet_quant 172210 "$models/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1
lenet=$TULLE_DATA/models/caffe/lenet
# Networks of floats have no test in the file, so other compilers are put in place of cc.
compare lenet 37830 "$lenet/lenet.prototxt" "$lenet/lenet_iter_10000.caffemodel" --shape data=1x1x28x28 \
    --calibrate "$TULLE_DATA/models/images/cat.bmp" --resize stretch
for compiler in 'gcc -O0' 'gcc -O3' 'clang -O0' 'clang -O3'; do
    cat >other-cc <<C
#!/bin/bash
for word in "\$@"; do
    [[ \$word == -O2 ]] || words+=("\$word")
done
exec $compiler "\${words[@]}"
C
    chmod +x other-cc
    CC=$PWD/other-cc "$tulle" net verify lenet.net --random 1 >out 2>err || fail "lenet, $compiler: $(cat out err)"
    grep -q ', in C and the CPU: 37830 bytes compared, 0 differ$' out || fail "lenet, $compiler: $(cat out)"
    echo "lenet, $compiler: $(cat out)"
done

compile ad01_int8 "$models/ad01_int8.tflite" --shape input_1.0=1
compile kws_ref_model "$models/kws_ref_model.tflite" --shape input_1.0=1
compile mobilenet_v1 "$models/mobilenet_v1_0.25_128_quant.tflite"
compile mobilenet_v2 "$models/tf2_mobilenet_v2_1.0_224_ptq.tflite"
compile fused_v1 "$models/mobilenet_v1_0.25_128_quant.tflite" --mode fused
compile fused_v2 "$models/tf2_mobilenet_v2_1.0_224_ptq.tflite" --mode fused
for name in ad01_int8 kws_ref_model pretrainedResnet_quant mobilenet_v1 mobilenet_v2 fused_v1 fused_v2; do
    everywhere "$name"
done
