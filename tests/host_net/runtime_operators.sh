#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each of ONNX Runtime's operators on quantised bytes against ONNX Runtime, on random sizes, scales and zero points, on the CPU
# and on a device, and what its quantiser makes of a network with all of them.
# timeout: 300

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
judge_open onnxruntime

cat >make.py <<'P'
import os
import numpy as np, onnx.reference, onnxruntime
from onnx import TensorProto, helper, numpy_helper
from judge_session import open_session
from onnxruntime import quantization

rs = np.random.RandomState(5)
kinds = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8}

def numbers(kind, *sizes):
    low = -128 if kind == np.int8 else 0
    return rs.randint(low, low + 256, sizes).astype(kind)

def save(folder, model, values):
    model.ir_version = 8
    os.makedirs(folder)
    onnx.save(model, folder + "/model.onnx")
    session = open_session(folder + "/model.onnx")
    for stem, arrays in (("input", [values[i.name] for i in session.get_inputs()]), ("output", session.run(None, values))):
        for k, array in enumerate(arrays):
            open("%s/%s_%d.pb" % (folder, stem, k), "wb").write(numpy_helper.from_array(array).SerializeToString())

# One node: arrays that are no constants are inputs of the network.
def one(folder, kind, operands, inputs, **attributes):
    constants, names, values = [], [], {}
    for i, a in enumerate(operands):
        names.append("i%d" % i if a is not None else "")
        if i in inputs:
            values["i%d" % i] = a
        elif a is not None:
            constants.append(numpy_helper.from_array(np.asarray(a), "i%d" % i))
    node = helper.make_node(kind, names, ["y"], domain="com.microsoft", **attributes)
    first = operands[inputs[0]]
    graph = helper.make_graph([node], "g",
        [helper.make_tensor_value_info(n, kinds[v.dtype.type], v.shape) for n, v in values.items()],
        [helper.make_tensor_value_info("y", kinds[first.dtype.type], None)], constants)
    save(folder, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]), values)

def scale(low=-9, high=-2):
    return np.float32(2 ** rs.uniform(low, high))

COUNT = 12
for n in range(COUNT):
    for kind in (np.uint8, np.int8):
        z = lambda: numbers(kind, 1)[0]
        name = lambda operator: "%s-%s-%d" % (operator, kind.__name__, n)
        batch, channels, side = rs.randint(1, 3), rs.randint(1, 20), rs.randint(4, 12)
        image = numbers(kind, batch, channels, side, side)
        s = scale()
        one(name("global"), "QLinearGlobalAveragePool", [image, s, z(), s / np.float32(rs.uniform(1, 4)), z()], [0])
        window = rs.randint(2, 5)
        pads = [int(p) for p in rs.randint(0, window, 4)] if n % 3 else [0] * 4
        one(name("pool"), "QLinearAveragePool", [image, s, z(), s / np.float32(rs.uniform(1, 2)), z()], [0],
            kernel_shape=[int(window)] * 2, strides=[int(rs.randint(1, 3))] * 2, pads=pads, count_include_pad=int(n % 2))
        one(name("leaky"), "QLinearLeakyRelu", [image, s, z(), scale(), z()], [0], alpha=float(rs.uniform(0, 1)))
        one(name("sigmoid"), "QLinearSigmoid", [image, s, z(), np.float32(1 / 256), z()], [0])
        others = [numbers(kind, batch, rs.randint(1, 9), side, side) for _ in range(n % 3)]
        triples = sum(([x, scale(-4, -2), z()] for x in [image] + others), [])
        one(name("concat"), "QLinearConcat", [scale(-4, -2), z()] + triples, list(range(2, 2 + len(triples), 3)), axis=1 if n % 2 else -3)
        rows, depth, columns = rs.randint(1, 6), rs.randint(1, 90), rs.randint(1, 30)
        turned, each = int(rs.randint(2)), n % 2
        # Weights without a sign go with bytes without a sign only; 7 bits never saturate.
        w = (numbers(kind, *((columns, depth) if turned else (depth, columns))) // 2).astype(kind)
        w_scale = np.array([scale() for _ in range(columns)], np.float32) if each else scale()
        w_zero = np.zeros(columns, kind) if each else (z() if kind == np.uint8 else np.int8(0))
        bias = rs.randint(-5000, 5000, columns).astype(np.int32) if n % 4 else None
        a_scale = scale()
        one(name("gemm"), "QGemm", [numbers(kind, rows, depth), a_scale, z(), w, w_scale, w_zero, bias,
                                    np.float32(a_scale * 2.0 ** rs.uniform(0, 4)), z()], [0],
            transB=turned, alpha=float([1, 0.7][n % 3 == 2]))

# What its quantiser makes of a network with all of them.
def layer(name, *sizes):
    return numpy_helper.from_array((rs.randn(*sizes) / np.sqrt(np.prod(sizes[1:]))).astype(np.float32), name)

nodes = [
    helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1] * 4),
    helper.make_node("LeakyRelu", ["c1"], ["l1"], alpha=0.2),
    helper.make_node("Conv", ["l1", "w2"], ["c2"]),
    helper.make_node("Sigmoid", ["c2"], ["s2"]),
    helper.make_node("Concat", ["l1", "s2"], ["j"], axis=1),
    helper.make_node("AveragePool", ["j"], ["a"], kernel_shape=[2, 2], strides=[2, 2]),
    helper.make_node("GlobalAveragePool", ["a"], ["g"]),
    helper.make_node("Flatten", ["g"], ["f"]),
    helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], transB=1),
]
constants = [layer("w1", 12, 3, 3, 3), layer("b1", 12), layer("w2", 10, 12, 1, 1), layer("w3", 7, 22), layer("b3", 7)]
info = helper.make_tensor_value_info
graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, [1, 3, 12, 12])], [info("y", TensorProto.FLOAT, [1, 7])], constants)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "net.onnx")
samples = [rs.randn(1, 3, 12, 12).astype(np.float32) for _ in range(8)]

class Reader(quantization.CalibrationDataReader):
    def __init__(self):
        self.list = iter([{"x": x} for x in samples])

    def get_next(self):
        return next(self.list, None)

for each in (False, True):
    quantization.quantize_static("net.onnx", "made.onnx", Reader(), quant_format=quantization.QuantFormat.QOperator,
                                 per_channel=each, reduce_range=True, activation_type=quantization.QuantType.QUInt8,
                                 weight_type=quantization.QuantType.QInt8)
    model = onnx.load("made.onnx")
    found = {n.op_type for n in model.graph.node}
    wanted = {"QGemm", "QLinearAveragePool", "QLinearConcat", "QLinearConv", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearSigmoid"}
    assert wanted <= found, found
    save("whole" + ("-channels" if each else ""), model, {"x": samples[0]})
P
judge "$TMPDIR" make.py >made 2>&1 || fail "$(tail -n 5 made)"

# count LEAST MOST FOLDER...: elements that differ, in all folders together, are at most so many of 10,000, by at most one.
count() {
    local most=$1
    shift
    for folder; do compared 100 1 "$folder"; done >list
    awk -v name="$1" -v most="$most" '{ differ += $2; all += $4 }
        END { printf "%s and others: %d of %d differ\n", name, differ, all; exit !all || 10000 * differ > most * all }' list ||
        fail "$1: $(cat list)"
}
count 0 gemm-*
count 0 global-*
count 0 leaky-*
count 0 concat-*
# ONNX Runtime adds floats up, each rounded, and has a sigmoid that is not quite one.
count 20 pool-*
count 20 sigmoid-*
count 0 whole*

# A device gives the CPU's bits; of the random ones some have no multiplier, and windows at borders fewer numbers.
for operator in gemm global leaky sigmoid pool; do
    for folder in "$operator"-*; do
        "$tulle" net run "$folder/model.onnx" --test-data "$folder" --device model:networks --check >out 2>err ||
            (($? == 1)) || fail "$folder on a device ends otherwise: $(cat out err)" # 1: ONNX Runtime's results are others, as above
        grep -q ' 0 differ from the CPU$' out || fail "$folder on a device: $(cat out err)"
        grep -q '; 0 on the CPU' out && echo "$operator"
    done
done | sort | uniq -c | tee on-device
awk '$1 < ($2 == "pool" ? 8 : 20) { few = 1 } END { exit few || NR != 5 }' on-device || fail "few run on the device"
for folder in whole*; do
    "$tulle" net run "$folder/model.onnx" --test-data "$folder" --device model:networks --check >out 2>err || fail "$folder: $(cat out err)"
    cat out
done
