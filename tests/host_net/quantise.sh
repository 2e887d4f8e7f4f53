#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle net quantise: usage, samples from files, and what it writes and prints, on a small network.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=tests/host_cli/lib.sh
source "$TOP/tests/host_cli/lib.sh"

# A convolution of two channels to four with a ReLU, and a matrix product to three classes; weights repeat -3 to 3, in quarters.
cat >m.prototxt <<'END'
name: "small"
input: "data" input_dim: 1 input_dim: 2 input_dim: 6 input_dim: 6
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "relu" }
layer { name: "ip" type: "InnerProduct" bottom: "relu" top: "ip" inner_product_param { num_output: 3 } }
END
{ caffemodel_writer && cat <<'P'; } | "$PYTHON" -
import math, struct

def blob(*sizes):
    return sizes, b"".join(struct.pack("<f", (i * 5 % 7 - 3) / 4) for i in range(math.prod(sizes)))

with open("m.caffemodel", "wb") as file:
    file.write(caffe_layer("conv", "Convolution", [blob(4, 2, 3, 3), blob(4)]))
    file.write(caffe_layer("ip", "InnerProduct", [blob(3, 64), blob(3)]))

def save(path, count):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 2, 6, 6), }" % count
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        for i in range(72 * count):
            file.write(struct.pack("<f", (i * 37 % 101 - 50) / 50))

save("x.npy", 1)
save("five.npy", 5)
P
[[ -s five.npy ]] || fail "no samples"
quantise=(net quantise m.prototxt m.caffemodel)

refuses 2 'which files? give MODEL, and for Caffe WEIGHTS' net quantise
refuses 2 'quantise needs samples' "${quantise[@]}" -o q.onnx
refuses 2 'which file is to be written? give -o FILE' "${quantise[@]}" --calibrate x.npy
refuses 2 'go with quantise and compile only' net info m.prototxt --calibrate x.npy
refuses 2 'go with quantise and compile only' net run m.prototxt --prune 0.5
refuses 2 'inputs, results, threads and devices go with run and explain only' "${quantise[@]}" -o q.onnx --calibrate x.npy --input x.npy
refuses 2 '--passes goes with info, convert, run, compile and explain' "${quantise[@]}" -o q.onnx --calibrate x.npy --passes all
refuses 2 '--ranges most: allowed error, min-max, percentile, entropy' "${quantise[@]}" -o q.onnx --calibrate x.npy --ranges most
refuses 2 '--percentile goes with --ranges percentile' "${quantise[@]}" -o q.onnx --calibrate x.npy --percentile 99
refuses 2 '--symmetric goes with int8' "${quantise[@]}" -o q.onnx --calibrate x.npy --symmetric --activations uint8
refuses 2 '--prune-global goes with --prune' "${quantise[@]}" -o q.onnx --calibrate x.npy --prune-global
for pattern in 4:2 2 2:4:8 0:4 2:65 x; do
    refuses 2 "--prune-pattern $pattern: give N:M" "${quantise[@]}" -o q.onnx --calibrate x.npy --prune-pattern "$pattern"
done
refuses 2 '--prune 1.5: a number from 0 to 1' "${quantise[@]}" -o q.onnx --calibrate x.npy --prune 1.5

# Samples that do not fit, and none of them; nothing is written.
mkdir empty
printf 'P5 2 2 255\n\001\002\003\004' >small.pgm
printf '1234' >short.raw
refuses 1 'none.npy: error: cannot open' "${quantise[@]}" -o q.onnx --calibrate none.npy
refuses 1 'empty: error: there is no file in it to calibrate with' "${quantise[@]}" -o q.onnx --calibrate empty
refuses 1 'small.pgm: error: ' "${quantise[@]}" -o q.onnx --calibrate small.pgm
refuses 1 'short.raw: error: the file has 4 bytes' "${quantise[@]}" -o q.onnx --calibrate short.raw
refuses 1 'its input "conv.weights" has no value' net quantise m.prototxt -o q.onnx --calibrate x.npy
refuses 1 'no quantised tensor and no node with one has the name "x"' "${quantise[@]}" -o q.onnx --calibrate x.npy --int16 x
[[ $(echo q.onnx* .tulle*) == 'q.onnx* .tulle*' ]] || fail "something is left of what failed: $(echo q.onnx* .tulle*)"

# The same samples in one file, in several, and in a folder.
does "${quantise[@]}" -o q.onnx --calibrate five.npy --json
cp out report
refuses 1 'q.onnx: error: there is such a file; --force replaces it' "${quantise[@]}" -o q.onnx --calibrate x.npy
mkdir folder
cp five.npy folder/b.npy
cp x.npy folder/a.npy
does "${quantise[@]}" -o again.onnx --calibrate data=five.npy --json
cmp q.onnx again.onnx || fail "the same samples give other bytes"
cmp out report || fail "the same samples give another report"
does "${quantise[@]}" -o threads.onnx --calibrate five.npy --json --threads 3
cmp q.onnx threads.onnx || fail "threads give other bytes"
does "${quantise[@]}" -o folder.onnx --calibrate folder
grep -qx 'samples          6' out || fail "a folder: $(<out)"
does "${quantise[@]}" -o both.onnx --calibrate x.npy --calibrate five.npy
cmp folder.onnx both.onnx || fail "a folder gives other bytes than its files"

# The report, and the network.
"$PYTHON" -c '
import json, sys
report = json.load(open("report"))
assert report["layers"] == 2 and report["samples"] == 5 and report["weights"] == 264, report
names = [(t["name"], t["made_by"], t["type"], t["zero"], t["moved"]) for t in report["tensors"]]
assert names[1] == ("relu", "Relu", "int8", -128, False) and names[3][0] == "ip", names
assert report["tensors"][0]["all_db"] > 35 and report["outputs"][0]["rows"] == 5, report
assert 0 < report["outputs"][0]["relative_error"] < 0.05, report' || fail "the report: $(<report)"
does net info q.onnx --passes all
grep -c '^QLinearConv ' out | grep -qx 2 || fail "no integers: $(<out)"
! grep -q '^Conv\|^Relu\|^Gemm' out || fail "floats are left: $(<out)"
refuses 1 'the network is quantised already; give the network of floats' net quantise q.onnx -o z.onnx --calibrate x.npy

does "${quantise[@]}" -o p.onnx --calibrate five.npy --prune 0.5 --prune-pattern 1:2
grep -q '^pruning alone    ip: relative error 0\.' out || fail "pruning: $(<out)"
awk '/^weights/ { exit !($2 == "264," && $3 >= 132) }' out || fail "zeros: $(<out)"

# Two inputs need as many samples each.
cat >two.prototxt <<'END'
input: "data" input_dim: 1 input_dim: 2 input_dim: 6 input_dim: 6
input: "other" input_dim: 1 input_dim: 2 input_dim: 6 input_dim: 6
layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "other" top: "sum" eltwise_param { operation: SUM } }
layer { name: "conv" type: "Convolution" bottom: "sum" top: "conv" convolution_param { num_output: 4 kernel_size: 3 } }
END
two=(net quantise two.prototxt m.caffemodel -o two.onnx)
refuses 1 'input "other" has 0 values to calibrate with, and "data" has 5' "${two[@]}" --calibrate five.npy
does "${two[@]}" --calibrate other=five.npy --calibrate data=five.npy
grep -qx 'samples          5' out || fail "two inputs: $(<out)"
