#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every allocation fails once, wherever it is made: each call answers with a status, and nothing is left behind.
# timeout: 600

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
cd "$TMPDIR"
"$BUILD/tests/tool/net-seeds" .
# Of the seed that is a prototxt and its caffemodel: a letter, the length of the first in two bytes, both.
read -r high low < <(od -An -tu1 -j1 -N2 caffe)
tail -c +4 caffe | head -c "$((high * 256 + low))" >caffe.prototxt
tail -c "+$((4 + high * 256 + low))" caffe >caffe.caffemodel
OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES=model:tiny "$BUILD/tests/tool/lib-fault" caffe.prototxt:caffe.caffemodel tflite pool reshape floats scales integers
