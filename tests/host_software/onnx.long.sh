#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ONNX Runtime gives the bits of the generated C for the ONNX of the same programs; tests/host_software/networks.sh compares the C
# with the device. onnx.soak.sh has larger networks.
# timeout: 1200

# shellcheck source=tests/host_software/onnx_lib.sh
source "$TOP/tests/host_software/onnx_lib.sh"

compile ad01_int8 "$models/ad01_int8.tflite" --shape input_1.0=1
judged ad01_int8 640 640
