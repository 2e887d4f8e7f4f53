# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Networks of integers that are made here.

# network_writer: the beginning of the programs that write networks.
network_writer() {
    cat <<'P'
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

nodes, constants = [], []

def constant(name, array):
    constants.append(numpy_helper.from_array(array, name))
    return name

x_scale = constant("scale", np.float32(0.05))
w_scale = constant("w_scale", np.float32(0.01))
w_zero = constant("w_zero", np.int8(0))
P
}

# mobilenet_v1 FILE SIZE WIDTH: MobileNetV1 for SIZE x SIZE with WIDTH quarters of its channels, as operators on integers with random weights.
mobilenet_v1() {
    { network_writer && cat <<'P'; } | "$PYTHON" - "$@"
path, size, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(29)
zero = constant("zero", np.uint8(3))

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

# random_network FILE SEED: a small network of convolutions of all kinds, pools and joins, and image.npy beside it.
random_network() {
    { network_writer && cat <<'P'; } | "$PYTHON" - "$@"
path, seed = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(seed)
point = int(rng.choice([0, 3, 128]))
zero = constant("zero", np.uint8(point))
count = 0

def convolve(x, kernel, stride=1, dilation=1, outputs=None, depthwise=False):
    global count
    name, channels, height, width = x
    count += 1
    outputs = channels if depthwise else outputs or channels
    reach = (kernel - 1) * dilation
    before, after = (int(reach // 2), int(reach - reach // 2)) if stride == 1 or rng.integers(2) else (0, int(reach))
    w = constant(f"w{count}", rng.integers(-9, 10, (outputs, 1 if depthwise else channels, kernel, kernel)).astype(np.int8))
    b = constant(f"b{count}", rng.integers(-200, 200, outputs).astype(np.int32))
    nodes.append(helper.make_node("QLinearConv", [name, x_scale, zero, w, w_scale, w_zero, x_scale, zero, b], [f"t{count}"], name=f"layer{count}",
                                  kernel_shape=[kernel] * 2, strides=[stride] * 2, dilations=[dilation] * 2, group=channels if depthwise else 1,
                                  pads=[before, before, after, after]))
    size = lambda n: (n + before + after - reach - 1) // stride + 1
    return f"t{count}", outputs, size(height), size(width)

def add(a, b):
    global count
    count += 1
    nodes.append(helper.make_node("QLinearAdd", [a[0], x_scale, zero, b[0], x_scale, zero, x_scale, zero], [f"t{count}"], name=f"layer{count}",
                                  domain="com.microsoft"))
    return (f"t{count}",) + a[1:]

def pool(x):
    global count
    count += 1
    nodes.append(helper.make_node("MaxPool", [x[0]], [f"t{count}"], name=f"layer{count}", kernel_shape=[2, 2], strides=[2, 2]))
    return f"t{count}", x[1], x[2] // 2, x[3] // 2

size = int(rng.integers(14, 25)), int(rng.integers(10, 20))
x = convolve(("image", 3) + size, 3, outputs=int(rng.choice([8, 12, 16])))
for _ in range(int(rng.integers(2, 4))):
    kind = int(rng.integers(5))
    if kind == 0:
        x = convolve(x, int(rng.choice([1, 3])), stride=int(rng.choice([1, 2])), outputs=int(rng.choice([8, 16, 24])))
    elif kind == 1:
        x = convolve(convolve(convolve(x, 1, outputs=24), 3, stride=int(rng.choice([1, 2])), depthwise=True), 1, outputs=8)
    elif kind == 2:
        x = add(convolve(convolve(x, 3), 3), x)
    elif kind == 3:
        x = add(convolve(x, 3, dilation=2), convolve(x, 1))
    elif min(x[2:]) > 3:
        x = pool(x)
graph = helper.make_graph(nodes, "random", [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 3, *size])],
                          [helper.make_tensor_value_info(x[0], TensorProto.UINT8, [1, *x[1:]])], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)])
model.ir_version = 7
onnx.save(model, path)
np.save("image.npy", rng.integers(0, 256, (1, 3, *size)).astype(np.uint8))
P
}

# known_network FILE block|lenet: a residual block as MobileNetV2 has them, of 28 x 28 x 32 with six times as many channels inside, or LeNet;
# with random weights, and image.npy beside it.
known_network() {
    { network_writer && cat <<'P'; } | "$PYTHON" - "$@"
path, kind = sys.argv[1:3]
rng = np.random.default_rng(5)
zero = constant("zero", np.uint8(3))

def convolve(x, channels, outputs, kernel, number, side=0, groups=1):
    w = constant(f"w{number}", rng.integers(-9, 10, (outputs, channels // groups, kernel, kernel)).astype(np.int8))
    b = constant(f"b{number}", rng.integers(-200, 200, outputs).astype(np.int32))
    nodes.append(helper.make_node("QLinearConv", [x, x_scale, zero, w, w_scale, w_zero, x_scale, zero, b], [f"t{number}"], name=f"layer{number}",
                                  kernel_shape=[kernel] * 2, group=groups, pads=[side] * 4))
    return f"t{number}"

def pool(x, number):
    nodes.append(helper.make_node("MaxPool", [x], [f"t{number}"], name=f"layer{number}", kernel_shape=[2, 2], strides=[2, 2]))
    return f"t{number}"

if kind == "block":
    shape, results = (1, 32, 28, 28), (1, 32, 28, 28)
    y = convolve(convolve(convolve("image", 32, 192, 1, 0), 192, 192, 3, 1, 1, 192), 192, 32, 1, 2)
    nodes.append(helper.make_node("QLinearAdd", [y, x_scale, zero, "image", x_scale, zero, x_scale, zero], ["t3"], name="layer3", domain="com.microsoft"))
    y = "t3"
else:
    shape, results = (1, 1, 28, 28), (1, 10, 1, 1)
    y = pool(convolve(pool(convolve("image", 1, 20, 5, 0), 1), 20, 50, 5, 2), 3)
    y = convolve(convolve(y, 50, 500, 4, 4), 500, 10, 1, 5)
graph = helper.make_graph(nodes, kind, [helper.make_tensor_value_info("image", TensorProto.UINT8, shape)],
                          [helper.make_tensor_value_info(y, TensorProto.UINT8, results)], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)])
model.ir_version = 7
onnx.save(model, path)
np.save("image.npy", rng.integers(0, 256, shape).astype(np.uint8))
P
}
