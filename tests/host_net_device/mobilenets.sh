# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Networks of floats that are made here.

# mobilenets FOLDER: two layers of a pruned MobileNet (L09.onnx, L21.onnx), with the masks of their weights in FOLDER and inputs (.npy) with those of
# their activations, and a MobileNet 0.5 for 128 x 128 with random weights (mobilenet05.onnx, image.npy), whose densities go from those of the one
# layer to those of the other; biases give activations their density.
mobilenets() {
    "$PYTHON" - "$1" <<'P'
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

def mask(path):
    with open(path) as file:
        lines = [line for line in file if not line.startswith("%")]
    rows, columns, _ = map(int, lines[0].split())
    m = np.zeros((rows, columns), bool)
    for line in lines[1:]:
        r, c = line.split()[:2]
        m[int(r) - 1, int(c) - 1] = True
    return m

folder = sys.argv[1]
rng = np.random.default_rng(5)
masks = {name: mask(f"{folder}/mobilenet05_{name}.mtx") for name in ("L09_w", "L09_act", "L21_w", "L21_act")}

def write(path, nodes, weights, x, y):
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y)],
                              [numpy_helper.from_array(w.astype(np.float32), n) for n, w in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.save(model, path)

# A layer with both masks: ReLU before it has made the zeros of its input.
for layer, side in (("L09", 16), ("L21", 8)):
    w, a = masks[layer + "_w"], masks[layer + "_act"]
    weights = {"w": (w * (np.abs(rng.normal(size=w.shape)) + 0.02) * np.sign(rng.normal(size=w.shape)))[:, :, None, None],
               "b": rng.normal(size=w.shape[0])}
    write(layer + ".onnx", [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Conv", ["r", "w", "b"], ["c"]), helper.make_node("Relu", ["c"], ["y"])],
          weights, [1, a.shape[0], side, side], [1, w.shape[0], side, side])
    x = a * (np.abs(rng.normal(size=a.shape)) + 0.05)
    np.save(layer + ".npy", x.reshape(1, a.shape[0], side, side).astype(np.float32))

# MobileNet 0.5 for 128 x 128: densities of weights and activations go from those of L09 to those of L21 and on.
def at(layer, first, last):
    return float(np.clip(first + (last - first) * (layer - 9) / 12, 0.3, 1))

def keep(w, density):
    limit = np.quantile(np.abs(w), 1 - density)
    return np.where(np.abs(w) >= limit, w, 0)

def convolve(x, w, stride, groups):
    outputs, each, size, _ = w.shape
    side = x.shape[1] // stride
    padded = np.pad(x, ((0, 0), (size // 2, size // 2), (size // 2, size // 2)))
    y = np.zeros((outputs, side, side))
    for dy in range(size):
        for dx in range(size):
            part = padded[:, dy:dy + side * stride:stride, dx:dx + side * stride:stride]
            y += part * w[:, 0, dy, dx][:, None, None] if groups > 1 else np.tensordot(w[:, :, dy, dx], part, 1)
    return y

image = rng.normal(size=(3, 128, 128))
image = sum(np.roll(image, (i, j), (1, 2)) for i in range(6) for j in range(6)) / 6
np.save("image.npy", image[None].astype(np.float32))
nodes, weights, now, x, layer = [], {}, "x", image, 1

def add(outputs, size, stride, groups, dense):
    global now, x, layer
    each = x.shape[0] // groups
    w = rng.normal(size=(outputs, each, size, size)) / np.sqrt(each * size * size)
    w = w if dense else keep(w, at(layer, masks["L09_w"].mean(), masks["L21_w"].mean()))
    y = convolve(x, w, stride, groups)
    share = at(layer + 1, masks["L09_act"].mean(), masks["L21_act"].mean())
    b = -np.quantile(y.reshape(outputs, -1), 1 - share, axis=1)
    weights[f"w{layer}"], weights[f"b{layer}"] = w, b
    pad = size // 2
    nodes.append(helper.make_node("Conv", [now, f"w{layer}", f"b{layer}"], [f"c{layer}"], name=f"layer{layer}", group=groups, strides=[stride] * 2, pads=[pad] * 4))
    nodes.append(helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"]))
    now, x = f"r{layer}", np.maximum(y + b[:, None, None], 0)
    x /= x.std()
    weights[f"w{layer}"], weights[f"b{layer}"] = w / np.maximum(y + b[:, None, None], 0).std(), b / np.maximum(y + b[:, None, None], 0).std()
    layer += 1

add(16, 3, 2, 1, True)
for channels, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (256, 1), (256, 1), (256, 1), (256, 1), (512, 2), (512, 1)):
    add(x.shape[0], 3, stride, x.shape[0], True)
    add(channels, 1, 1, 1, False)
nodes += [helper.make_node("GlobalAveragePool", [now], ["p"]), helper.make_node("Flatten", ["p"], ["f"]),
          helper.make_node("Gemm", ["f", "wf", "bf"], ["y"], transB=1)]
weights["wf"], weights["bf"] = rng.normal(size=(1000, 512)) / 20, np.zeros(1000)
write("mobilenet05.onnx", nodes, weights, [1, 3, 128, 128], [1, 1000])
P
}
