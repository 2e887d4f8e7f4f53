#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As onnx.long.sh, with larger networks.
# timeout: 3600
# expected: 600

# shellcheck source=tests/host_software/onnx_lib.sh
source "$TOP/tests/host_software/onnx_lib.sh"

compile kws_ref_model "$models/kws_ref_model.tflite" --shape input_1.0=1
judged kws_ref_model 490 12
compile pretrainedResnet_quant "$models/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1
judged pretrainedResnet_quant 3072 10
compile fused "$models/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1 --mode fused
judged fused 3072 10
compile mobilenet "$models/mobilenet_v1_0.25_128_quant.tflite"
judged mobilenet 49152 1001
compile mobilenet_v2 "$models/tf2_mobilenet_v2_1.0_224_ptq.tflite"
judged mobilenet_v2 150528 1001
