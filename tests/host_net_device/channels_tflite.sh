#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# TFLite networks like those that detect persons, whose weights are mostly dead channels: a network in which half of the channels are dead costs no more
# than the same network built without them, in predicted cycles and in bytes, and gives the same integers with and without the pass, and on the device.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
"$PYTHON" -c 'import numpy' 2>err || skip "python3-numpy is not there"

cat >tflite.py <<'P'
import struct

# A flatbuffer of tables: lists of fields, which are None, integers, floats, bytes, texts, vectors and tables again; parents stand before children.
class Vector:
    def __init__(self, kind, values):
        self.kind, self.values = kind, list(values)

def put(out, child):
    if isinstance(child, list):
        return put_table(out, child)
    at = len(out)
    if isinstance(child, Vector) and child.kind == "table":
        out += struct.pack("<I", len(child.values)) + bytes(4 * len(child.values))
        for i, one in enumerate(child.values):
            slot = at + 4 + 4 * i
            struct.pack_into("<I", out, slot, put_table(out, one) - slot)
    elif isinstance(child, Vector):
        out += struct.pack("<I%d%s" % (len(child.values), child.kind), len(child.values), *child.values)
    else:
        data = child.encode() + b"\0" if isinstance(child, str) else bytes(child)
        out += struct.pack("<I", len(data) - isinstance(child, str)) + data
    return at

def put_table(out, fields):
    offsets = [0 if f is None else 4 + 4 * i for i, f in enumerate(fields)]
    start = len(out)
    out += struct.pack("<HH%dH" % len(fields), 4 + 2 * len(fields), 4 + 4 * len(fields), *offsets)
    at = len(out)
    out += struct.pack("<i", at - start)
    for f in fields:
        out += struct.pack("<f", f) if isinstance(f, float) else struct.pack("<i", int(f) if isinstance(f, int) else 0)
    for i, f in enumerate(fields):
        if f is not None and not isinstance(f, (int, float)):
            slot = at + 4 + 4 * i
            child = put(out, f)
            struct.pack_into("<I", out, slot, child - slot)
    return at

class Net:
    INT32, UINT8, INT8 = 2, 3, 9
    def __init__(self):
        self.tensors, self.buffers, self.codes, self.operators = [], [[None]], [], []

    # `scales`: one, or one for each index of the dimension `axis`.
    def tensor(self, shape, kind, scales, zero, data=None, axis=0):
        if data is not None:
            self.buffers.append([data.astype({self.INT32: "<i4", self.INT8: "i1"}[kind]).tobytes()])
        q = [None, None, Vector("f", scales), Vector("q", [zero] * len(scales)), None, None, axis] if scales else None
        self.tensors.append([Vector("i", shape), kind, len(self.buffers) - 1 if data is not None else 0, "t%d" % len(self.tensors), q])
        return len(self.tensors) - 1

    def operator(self, code, inputs, output, kind, options):
        if code not in self.codes:
            self.codes.append(code)
        self.operators.append([self.codes.index(code), Vector("i", inputs), Vector("i", [output]), kind, options])
        return output

    def save(self, path, inputs, outputs):
        graph = [Vector("table", self.tensors), Vector("i", inputs), Vector("i", outputs), Vector("table", self.operators), "main"]
        model = [3, Vector("table", [[min(c, 127), None, None, c] for c in self.codes]), Vector("table", [graph]), None, Vector("table", self.buffers)]
        out = bytearray(b"\0\0\0\0TFL3")
        struct.pack_into("<I", out, 0, put_table(out, model))
        open(path, "wb").write(out)
P

# Blocks of a depthwise convolution with padding and one of a place, from the second on with a sum, then a mean and a product. Dead channels stand
# anywhere: a third is read by nobody, the others are constant, and the zero point where padding follows.
"$PYTHON" - <<'P'
import numpy as np
from tflite import Net

SIDE, WIDE, NARROW, BLOCKS, CLASSES = 24, 24, 16, 3, 5
SAME, RELU6 = 0, 3

class Layers:
    def __init__(self, dead, seed):
        self.rs, self.net, self.dead = np.random.RandomState(seed), Net(), dead
        self.other = np.random.RandomState(seed + 100)

    # Which channels live, and which of the others nobody reads.
    def mix(self, alive):
        if not self.dead:
            return np.ones(alive, bool), np.zeros(alive, bool)
        lives = np.zeros(2 * alive, bool)
        lives[self.other.permutation(2 * alive)[:alive]] = True
        unread = np.zeros(2 * alive, bool)
        unread[np.flatnonzero(~lives)[:alive // 3]] = True
        return lives, unread

    # Weights [outputs][taps][inputs] in which what lives are the same numbers in both networks.
    def weights(self, outputs, inputs, taps):
        (lives_out, unread_out), (lives_in, unread_in) = outputs, inputs
        small = self.rs.randint(-127, 128, (lives_out.sum(), taps, lives_in.sum()))
        w = self.other.randint(-127, 128, (len(lives_out), taps, len(lives_in)))
        w[np.ix_(lives_out, range(taps), lives_in)] = small
        w[:, :, unread_in] = 0
        w[~lives_out & ~unread_out] = 0
        return w

    # Constants are below zero, where a function makes the zero point of them, or anything.
    def bias(self, outputs, constant_is_zero):
        lives, unread = outputs
        b = self.other.randint(-30000, 30000, len(lives))
        b[lives] = self.rs.randint(-3000, 3000, lives.sum())
        if constant_is_zero:
            b[~lives & ~unread] = -abs(b[~lives & ~unread])
        return b

    def scaled(self, x, x_scale, w, shape, axis, b, y_shape, y_scale, y_zero, code, kind, options, fan):
        count = len(b)
        scales = [float(2.0 ** self.other.uniform(-9, -8)) / np.sqrt(fan) for _ in range(count)]
        w = self.net.tensor(shape, Net.INT8, scales, 0, w, axis)
        b = self.net.tensor([count], Net.INT32, [s * x_scale for s in scales], 0, b)
        return self.net.operator(code, [x, w, b], self.net.tensor(y_shape, Net.INT8, [y_scale], y_zero), kind, options)

    def conv(self, x, side, inputs, outputs, kernel, stride, function, padded_behind, scale=1 / 32, zero=-128):
        w = self.weights(outputs, inputs, kernel * kernel)
        count = len(outputs[0])
        return self.scaled(x, 1 / 32, w, [count, kernel, kernel, len(inputs[0])], 0, self.bias(outputs, padded_behind), [1, side, side, count],
                           scale, zero, 3, 1, [SAME, stride, stride, function, 1, 1], inputs[0].sum() * kernel * kernel)

    def depthwise(self, x, side, channels):
        w = self.rs.randint(-127, 128, (9, channels[0].sum()))
        all = self.other.randint(-127, 128, (9, len(channels[0])))
        all[:, channels[0]] = w
        return self.scaled(x, 1 / 32, all, [1, 3, 3, len(channels[0])], 3, self.bias(channels, False), [1, side, side, len(channels[0])],
                           1 / 32, -128, 4, 2, [SAME, 1, 1, 1, RELU6, 1, 1], 9)

def build(path, dead, seed=0):
    l = Layers(dead, seed)
    net, rgb = l.net, (np.ones(3, bool), np.zeros(3, bool))
    x = net.tensor([1, 2 * SIDE, 2 * SIDE, 3], Net.INT8, [1 / 32], -128)
    narrow, unread = l.mix(NARROW)
    narrow = (narrow, np.zeros_like(unread))
    y = l.conv(x, SIDE, rgb, narrow, 3, 2, 0, False, zero=0)
    for block in range(BLOCKS):
        wide = l.mix(WIDE)
        before = y
        y = l.conv(y, SIDE, narrow, wide, 1, 1, RELU6, True)
        y = l.depthwise(y, SIDE, wide)
        y = l.conv(y, SIDE, wide, narrow, 1, 1, 0, False, zero=0)
        y = net.operator(0, [before, y], net.tensor([1, SIDE, SIDE, len(narrow[0])], Net.INT8, [1 / 16], 3), 11, [0])
        # The next block takes the sum at the scale of the others.
        y = net.operator(114, [y], net.tensor([1, SIDE, SIDE, len(narrow[0])], Net.INT8, [1 / 32], 0), 0, None)
    axes = net.tensor([2], Net.INT32, None, 0, np.array([1, 2]))
    y = net.operator(40, [y, axes], net.tensor([1, 1, 1, len(narrow[0])], Net.INT8, [1 / 64], 0), 27, [1])
    sizes = net.tensor([2], Net.INT32, None, 0, np.array([-1, len(narrow[0])]))
    y = net.operator(22, [y, sizes], net.tensor([1, len(narrow[0])], Net.INT8, [1 / 64], 0), 17, [None])
    w = l.weights((np.ones(CLASSES, bool), np.zeros(CLASSES, bool)), narrow, 1)[:, 0]
    w = net.tensor(w.shape, Net.INT8, [1 / 512], 0, w)
    b = net.tensor([CLASSES], Net.INT32, [1 / 64 / 512], 0, l.rs.randint(-3000, 3000, CLASSES))
    y = net.operator(9, [y, w, b], net.tensor([1, CLASSES], Net.INT8, [1 / 16], 0), 8, [0])
    net.save(path, [x], [y])

build("alive.tflite", False)
build("dead.tflite", True)
for seed in range(1, 9):
    build("dead%d.tflite" % seed, True, seed)

# A product, its Softmax, and a change of type behind that.
rs, net = np.random.RandomState(3), Net()
x = net.tensor([1, 64], Net.INT8, [1 / 32], -3)
w = net.tensor([10, 64], Net.INT8, [1 / 64], 0, rs.randint(-127, 128, (10, 64)))
b = net.tensor([10], Net.INT32, [1 / 32 / 64], 0, rs.randint(-3000, 3000, 10))
y = net.operator(9, [x, w, b], net.tensor([1, 10], Net.INT8, [1 / 4], 5), 8, [0])
y = net.operator(25, [y], net.tensor([1, 10], Net.INT8, [1 / 256], -128), 9, [1.0])
y = net.operator(114, [y], net.tensor([1, 10], Net.UINT8, [1 / 256], 0), 0, None)
net.save("softmax.tflite", [x], [y])
np.save("row.npy", rs.randint(-128, 128, (1, 64)).astype(np.int8))
np.save("x.npy", np.random.RandomState(8).randint(-128, 128, (1, 2 * SIDE, 2 * SIDE, 3)).astype(np.int8))
P

"$tulle" net run dead.tflite --input x.npy --output with.npy >out 2>err || fail "with dead channels: $(cat out err)"
"$tulle" net run dead.tflite --passes all --input x.npy --output without.npy --device model:networks --check >out 2>err || fail "$(cat out err)"
cmp with.npy without.npy || fail "without dead channels there are other results"
grep ', 0 differ from the CPU$' out || fail "$(cat out)"
"$tulle" compile dead.tflite -o dead.net --device model:networks >out 2>err || fail "compile: $(cat out err)"
"$tulle" net run dead.net --input x.npy --output compiled.npy --device model:networks >out 2>err || fail "compiled: $(cat out err)"
cmp with.npy compiled.npy || fail "the compiled network has other results"
"$PYTHON" -c 'import numpy as np; y = np.load("with.npy"); assert len(set(y.flat)) > 2, y' || fail "the results say nothing"

# A change of type behind what one part computes is no view of it.
"$tulle" net run softmax.tflite --input row.npy --output whole.npy >out 2>err || fail "softmax: $(cat out err)"
"$tulle" net run softmax.tflite --input row.npy --output fused.npy --device model:networks --mode fused >out 2>err || fail "softmax, fused: $(cat out err)"
grep -q '1 part;' out || fail "softmax, fused: no part: $(cat out)"
cmp whole.npy fused.npy || fail "softmax, fused: other results behind a change of type"

for seed in 1 2 3 4 5 6 7 8; do
    for passes in identities all; do
        "$tulle" net run dead$seed.tflite --passes $passes --input x.npy --output $passes.npy >out || fail "$seed: $(cat out)"
    done
    cmp identities.npy all.npy || fail "network $seed has other results without dead channels"
done

# figures NETWORK PASSES: predicted cycles and bytes.
figures() {
    "$tulle" net explain "$1.tflite" --passes "$2" --device model:networks | awk '/all on the device/ { print $(NF - 6), $(NF - 1) }'
}
read -r cycles bytes < <(figures alive all)
read -r dead_cycles dead_bytes < <(figures dead all)
read -r all_cycles _ < <(figures dead identities)
echo "without dead channels $cycles cycles and $bytes bytes, with them $dead_cycles and $dead_bytes; the pass saves $((all_cycles - dead_cycles)) cycles"
((100 * dead_cycles <= 103 * cycles && 100 * dead_bytes <= 103 * bytes)) || fail "that is more than 1.03 of it"
((2 * all_cycles > 3 * dead_cycles)) || fail "nothing was dead"
