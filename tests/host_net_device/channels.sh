#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A network in which half of the channels are dead costs no more than the same network built without them: cycles as the planner
# predicts them, and bytes. It gives the same integers with and without the pass, and so does the device.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
"$PYTHON" -c 'import onnx' 2>err || skip "python3-onnx is not there"

# Five convolutions; those of dead.onnx have as many channels more that nothing reads, or that are constant.
"$PYTHON" - <<'P'
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rs = np.random.RandomState(7)
SIZES = [3, 16, 24, 32, 24, 10]
PADS = [1, 0, 1, 0, 0]
SIDE = 20
weights = [rs.randint(-127, 128, (SIZES[i + 1], SIZES[i], 3, 3)) for i in range(5)]
biases = [rs.randint(-2000, 2000, n) for n in SIZES[1:]]

# Channels behind those that live: a third that nothing reads, the others constant, and 0 where padding follows.
def with_dead(layer, w, b):
    last = layer == 4
    more_in, more_out = (SIZES[layer] if layer else 0), (0 if last else SIZES[layer + 1])
    columns = rs.randint(-127, 128, (w.shape[0], more_in, 3, 3))
    columns[:, :more_in // 3] = 0
    w = np.concatenate([w, columns], 1)
    rows = np.zeros((more_out,) + w.shape[1:], np.int64)
    unread = more_out // 3
    rows[:unread] = rs.randint(-127, 128, rows[:unread].shape)
    more = rs.randint(-2000, 2000, more_out)
    if not last and PADS[layer + 1]:
        more[unread:] = 0
    return np.concatenate([w, rows], 0), np.concatenate([b, more])

def save(name, layers):
    nodes, constants = [], []
    def constant(key, array, kind):
        constants.append(numpy_helper.from_array(np.array(array, kind), key))
        return key
    def quantised(x, key, scale):
        constant(key + "s", scale, np.float32)
        constant(key + "z", -128, np.int8)
        nodes.append(helper.make_node("QuantizeLinear", [x, key + "s", key + "z"], [key + "q"]))
        nodes.append(helper.make_node("DequantizeLinear", [key + "q", key + "s", key + "z"], [key + "d"]))
        return key + "d"
    x, scale = quantised("x", "x", 2.0 ** -7), 2.0 ** -7
    for i, (w, b) in enumerate(layers):
        k = "l%d" % i
        constant(k + "w", w, np.int8), constant(k + "ws", 2.0 ** -9, np.float32), constant(k + "wz", 0, np.int8)
        constant(k + "b", b, np.int32), constant(k + "bs", scale * 2.0 ** -9, np.float32), constant(k + "bz", 0, np.int32)
        nodes.append(helper.make_node("DequantizeLinear", [k + "w", k + "ws", k + "wz"], [k + "wd"]))
        nodes.append(helper.make_node("DequantizeLinear", [k + "b", k + "bs", k + "bz"], [k + "bd"]))
        nodes.append(helper.make_node("Conv", [x, k + "wd", k + "bd"], [k + "c"], pads=[PADS[i]] * 4))
        nodes.append(helper.make_node("Relu", [k + "c"], [k + "r"]))
        scale = 2.0 ** -7
        x = quantised(k + "r", k, scale)
    side = SIDE - 2 * sum(1 - p for p in PADS)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, name, [info("x", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
                              [info(x, TensorProto.FLOAT, [1, 10, side, side])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, name + ".onnx")

save("alive", list(zip(weights, biases)))
save("dead", [with_dead(i, w, b) for i, (w, b) in enumerate(zip(weights, biases))])
np.save("x.npy", rs.rand(1, 3, SIDE, SIDE).astype(np.float32) * 2)
P

"$tulle" net run dead.onnx --passes quantised --input x.npy --output with.npy >out || fail "with dead channels: $(cat out)"
"$tulle" net run dead.onnx --passes all --input x.npy --output without.npy --device model:networks --check >out || fail "$(cat out)"
cmp with.npy without.npy || fail "without dead channels there are other results"
grep ', 0 differ from the CPU$' out || fail "$(cat out)"

# figures NETWORK PASSES: predicted cycles and bytes.
figures() {
    "$tulle" net explain "$1.onnx" --passes "$2" --device model:networks |
        awk '/all on the device/ { print $(NF - 6), $(NF - 1) }'
}
read -r cycles bytes < <(figures alive all)
read -r dead_cycles dead_bytes < <(figures dead all)
read -r all_cycles _ < <(figures dead quantised)
echo "without dead channels $cycles cycles and $bytes bytes, with them $dead_cycles and $dead_bytes; the pass saves $((all_cycles - dead_cycles)) cycles"
((100 * dead_cycles <= 103 * cycles && 100 * dead_bytes <= 103 * bytes)) || fail "that is more than 1.03 of it"
((all_cycles > 2 * dead_cycles)) || fail "nothing was dead"
