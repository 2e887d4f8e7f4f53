#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle net: usage, what it prints of a network, and what it writes.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"

refuses 2 'what is to be done? give info, convert, run or operators' net
refuses 2 'what is to be done?' net show a.onnx
refuses 2 'which files? give MODEL, and for Caffe WEIGHTS' net info
refuses 2 'which files? give MODEL, for Caffe WEIGHTS, and the file to write' net convert a.onnx
refuses 2 'which files? operators takes none' net operators a.onnx
refuses 2 'run takes its inputs from --test-data' net run a.onnx
refuses 2 'run takes its inputs from --test-data' net info a.onnx --test-data .
refuses 2 '--json goes with info only' net convert a.onnx b.onnx --json
refuses 2 '--phase run: allowed test, train' net info a.onnx --phase run
refuses 1 'none.onnx: error: cannot open' net info none.onnx

cat >a.prototxt <<'END'
name: "small"
input: "data" input_dim: 1 input_dim: 2 input_dim: 6 input_dim: 6
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" external_output: true }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 3 } }
END
does net info a.prototxt
diff - out <<'END' || fail "net info prints another text"
format           Caffe, operator set 17
inputs           data float32 [1, 2, 6, 6]
outputs          ip float32 [1, 3]
                 relu float32 [1, 4, 4, 4] (external_output)
nodes            4
parameters       271 (weights are missing)
multiplications  1344
memory           1084 bytes of weights, 1068 bytes of activations, of which 544 at a time

operator  output      type     shape         parameters  multiplications
Conv      conv        float32  [1, 4, 4, 4]          76             1152
Relu      relu        float32  [1, 4, 4, 4]           0                0
Flatten   ip.Flatten  float32  [1, 64]                0                0
Gemm      ip          float32  [1, 3]               195              192
END
does net info a.prototxt --json
for line in '"format": "Caffe",' '"non_zeros": null,' '"multiplications": 1344,' \
    '"inputs": [{"name": "data", "type": "float32", "shape": [1, 2, 6, 6]}],'; do
    grep -qxF "  $line" out || fail "net info --json without $line: $(cat out)"
done
does net info a.prototxt --shape data=3x2x9x9
grep -q '^inputs  *data float32 \[3, 2, 9, 9\]$' out || fail "--shape: $(cat out)"

does net convert a.prototxt a.onnx
refuses 1 'a.onnx: error: there is such a file; --force replaces it' net convert a.prototxt a.onnx
cp a.onnx before.onnx
does net convert a.prototxt a.onnx --force
cmp a.onnx before.onnx || fail "the same network gives other bytes"
does net info a.onnx
grep -q '^multiplications  1344$' out || fail "what is written has other multiplications: $(cat out)"

does net convert a.prototxt run.onnx --shape data=1x2x6x6
refuses 1 './input_0.pb: error: there is no such file; input "data" has no value' net run run.onnx --test-data .

does net operators
grep -q '^| Conv | 1 | .X:T W:T B:T?. |' out || fail "the table of operators has no Conv"
