# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A network of integers that is made here.

# mobilenet_v1 FILE SIZE WIDTH: MobileNetV1 for SIZE x SIZE with WIDTH quarters of its channels, as operators on integers with random weights.
mobilenet_v1() {
    "$PYTHON" - "$@" <<'P'
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

path, size, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(29)
nodes, constants = [], []

def constant(name, array):
    constants.append(numpy_helper.from_array(array, name))
    return name

x_scale = constant("scale", np.float32(0.05))
w_scale = constant("w_scale", np.float32(0.01))
zero = constant("zero", np.uint8(3))
w_zero = constant("w_zero", np.int8(0))

def convolve(x, channels, outputs, kernel, stride, groups, number):
    w = constant(f"w{number}", rng.integers(-9, 10, (outputs, channels // groups, kernel, kernel)).astype(np.int8))
    b = constant(f"b{number}", rng.integers(-200, 200, outputs).astype(np.int32))
    side = (kernel - 1) // 2
    first = side if stride == 1 else 0
    nodes.append(helper.make_node("QLinearConv", [x, x_scale, zero, w, w_scale, w_zero, x_scale, zero, b], [f"t{number}"], name=f"layer{number}",
                                  kernel_shape=[kernel] * 2, strides=[stride] * 2, group=groups, pads=[first, first, side, side]))
    return f"t{number}"

def of(channels):
    return channels * width // 4

x = convolve("image", 3, of(32), 3, 2, 1, 0)
channels, number = of(32), 1
for outputs, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]:
    x = convolve(x, channels, channels, 3, stride, channels, number)
    x = convolve(x, channels, of(outputs), 1, 1, 1, number + 1)
    channels, number = of(outputs), number + 2
nodes.append(helper.make_node("QLinearGlobalAveragePool", [x, x_scale, zero, x_scale, zero], ["mean"], name="mean", domain="com.microsoft", channels_last=0))
y = convolve("mean", channels, 1001, 1, 1, 1, number)
graph = helper.make_graph(nodes, "mobilenet", [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 3, size, size])],
                          [helper.make_tensor_value_info(y, TensorProto.UINT8, [1, 1001, 1, 1])], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)])
model.ir_version = 7
onnx.save(model, path)
P
}
