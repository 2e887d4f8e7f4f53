#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle net: usage, what it prints of a network, and what it writes.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"

refuses 2 'what is to be done? give info, convert, run, quantise, compile, explain, calibrate or operators' net
refuses 2 'what is to be done?' net show a.onnx
refuses 2 'which files? give MODEL, and for Caffe WEIGHTS' net info
refuses 2 'which files? give MODEL, for Caffe WEIGHTS, and the file to write' net convert a.onnx
refuses 2 'which files? operators takes none' net operators a.onnx
refuses 2 'inputs, results, threads and devices go with run and explain only' net info a.onnx --test-data .
refuses 2 'inputs, results, threads and devices go with run and explain only' net convert a.onnx b.onnx --per-layer x
refuses 2 '--test-data has all inputs; leave out --input' net run a.onnx --test-data . --input x
refuses 2 'the options for images go with --input' net run a.onnx --mean 3
refuses 2 '--mean 1,2: one number, please, or three with commas between them' net run a.onnx --input x --mean 1,2
refuses 2 '--scale 1,2,3,: one number, please' net run a.onnx --input x --scale 1,2,3,
refuses 2 '--resize big: allowed exact, stretch, crop' net run a.onnx --input x --resize big
refuses 2 '--threads 0: allowed 1..256' net run a.onnx --threads 0
refuses 2 '--threads 257: allowed 1..256' net run a.onnx --threads 257
refuses 2 'inputs, results, threads and devices go with run and explain only' net info a.onnx --threads 2
refuses 2 '--labels goes with --top' net run a.onnx --labels x
refuses 2 '--json goes with info, quantise and explain only' net convert a.onnx b.onnx --json
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
memory           1084 bytes of weights, 1068 bytes of activations, of which 544 at a time, and at most 4336 bytes that runs keep of weights

operator  output      type     shape         parameters  multiplications
Conv      conv        float32  [1, 4, 4, 4]          76             1152
Relu      relu        float32  [1, 4, 4, 4]           0                0
Flatten   ip.Flatten  float32  [1, 64]                0                0
Gemm      ip          float32  [1, 3]               195              192
END
does net info a.prototxt --json
for line in '"format": "Caffe",' '"passes": [],' '"non_zeros": null,' '"multiplications": 1344,' \
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

# A network of one matrix product, whose result is its rows' sums, three and four times; inputs of two kinds.
cat >m.prototxt <<'END'
input: "data" input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2
input: "other" input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2
layer { name: "twice" type: "Power" bottom: "data" top: "twice" power_param { scale: 2 } }
layer { name: "a/sum" type: "Eltwise" bottom: "twice" bottom: "other" top: "a/sum" eltwise_param { operation: SUM } }
END
printf 'P5 2 2 255\n\001\002\003\004' >i.pgm
printf '\0\0\0\0\0\0\200\77\0\0\0\100\0\0\100\100' >other.raw # 0, 1, 2, 3
refuses 1 'm.prototxt: error: input "data" has no value; give it with --input data=FILE' net run m.prototxt
refuses 1 'm.prototxt: error: input "other" has no value; give it with --input other=FILE' net run m.prototxt --input i.pgm
refuses 1 'i.pgm: error: every input has a value already' net run m.prototxt --input i.pgm --input i.pgm --input i.pgm
refuses 1 'i.pgm: error: the input has a value already' net run m.prototxt --input i.pgm --input data=i.pgm
refuses 1 'none=i.pgm: error: cannot open' net run m.prototxt --input none=i.pgm
run=(net run m.prototxt --input other=other.raw --input i.pgm)
does "${run[@]}"
[[ $(<out) == 'a/sum float32 [1, 1, 2, 2], from 2 to 11' ]] || fail "what a run prints: $(<out)"
does "${run[@]}" --threads 5
[[ $(<out) == 'a/sum float32 [1, 1, 2, 2], from 2 to 11' ]] || fail "what a run with threads prints: $(<out)"
does "${run[@]}" --mean 1 --scale 10 --output out.json
[[ $(<out.json) == '[{"name": "a/sum", "type": "float32", "shape": [1, 1, 2, 2], "values": [0, 21, 42, 63]}]' ]] ||
    fail "--output: $(<out.json)"
does "${run[@]}" --output out.npy --top 2
[[ $(<out) == "a/sum
     3  11            
     2  8             " ]] || fail "--top: $(<out)"
printf 'zero\none\r\ntwo\nthree\n' >labels
does "${run[@]}" --top 1 --labels labels
[[ $(tail -n 1 out) == '     3  11            three' ]] || fail "--labels: $(<out)"
echo four >>labels
refuses 1 'labels: error: the file has 5 labels; the output has 4 classes' "${run[@]}" --top 1 --labels labels
does "${run[@]}" --output folder
cmp out.npy folder/a%2Fsum.npy || fail "a folder has another file"

# Every tensor, and what is compared with them.
does "${run[@]}" --per-layer layers
[[ $(echo layers/*) == 'layers/MANIFEST layers/a%2Fsum.npy layers/data.npy layers/other.npy layers/twice.npy' ]] ||
    fail "--per-layer writes $(echo layers/*)"
cmp out.npy layers/a%2Fsum.npy
does "${run[@]}" --per-layer-goldens layers
[[ $(<out) == 'layers: 2 tensors are the same, 0 have no file' ]] || fail "--per-layer-goldens: $(<out)"
does net run m.prototxt --input layers/data.npy --input layers/other.npy --per-layer-goldens layers
refuses 1 'm.prototxt:3: error: node "twice" (Mul): 4 of 4 elements of its result "twice" differ from layers/twice.npy, the largest difference is 2; no node before it differs' \
    net run m.prototxt --input layers/other.npy --input layers/other.npy --per-layer-goldens layers --per-layer other
[[ -e other/twice.npy ]] || fail "layers are not written beside a difference"
rm layers/*.npy
refuses 1 'layers: error: no file of the folder has the name of a tensor' "${run[@]}" --per-layer-goldens layers

# Passes, in an order of the caller's, and what they leave.
refuses 2 'there is no pass "constant"; is it constants; there are identities, integers, ' net info m.prototxt --passes constant
refuses 2 '--dump-after goes with --passes' net info m.prototxt --dump-after dead=x.onnx
refuses 2 '--dump-after dead: give PASS=FILE' net info m.prototxt --passes dead --dump-after dead
refuses 2 '--dump-after pads=x.onnx: this pass does not run' net info m.prototxt --passes dead --dump-after pads=x.onnx
does net info a.prototxt --passes functions,dead --dump-after functions=f.onnx
[[ $(head -n 3 out) == 'functions        1 change, 4 nodes become 3
dead             0 changes, 3 nodes' ]] || fail "net info --passes: $(<out)"
grep -q '^Conv+Relu  *relu ' out || fail "no function in a node: $(<out)"
does net info f.onnx
grep -q '^nodes            4$' out || fail "what is written after a pass has no node for the function: $(<out)"
refuses 1 'f.onnx: error: there is such a file; --force replaces it' net info a.prototxt --passes functions --dump-after functions=f.onnx
does "${run[@]}" --passes all --output all.npy
cmp all.npy out.npy || fail "passes change the result"
does net info a.prototxt --passes all --json
for line in '  "passes": [' '    {"name": "functions", "changes": 1, "nodes_before": 4, "nodes": 3},' \
    '    {"name": "dead", "changes": 0, "nodes_before": 3, "nodes": 3}' '  ],'; do
    grep -qxF "$line" out || fail "net info --passes --json without $line: $(<out)"
done
grep -q '"operator": "Conv", "function": "Relu"' out || fail "net info --json has no function: $(<out)"

does net operators
grep -q '^| Conv | 1 | .X:T W:T B:T?. |' out || fail "the table of operators has no Conv"
