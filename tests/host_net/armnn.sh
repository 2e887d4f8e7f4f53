#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each layer of quantised TFLite networks against Arm NN's reference backend (python3-pyarmnn), which computes a layer in
# float and rounds once. Both get the same input, which is what the layers before it give here: no number may be more than
# one unit apart, and few may be one apart. The classes of the whole of ResNet-8 differ only where the two ways to round
# decide between the best two.
# timeout: 600

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
"$PYTHON" -c 'import numpy, pyarmnn' >out 2>&1 || skip "python3-pyarmnn is not there"

# theirs.py MODEL OUTPUT INPUT...: what Arm NN gives for raw numbers. It wants a process for each network.
cat >theirs.py <<'P'
import sys
import numpy as np, pyarmnn as ann

model, output, *inputs = sys.argv[1:]
parser = ann.ITfLiteParser()
net = parser.CreateNetworkFromBinaryFile(model)
runtime = ann.IRuntime(ann.CreationOptions())
ins = [parser.GetNetworkInputBindingInfo(0, name) for name in parser.GetSubgraphInputTensorNames(0)]
out = parser.GetNetworkOutputBindingInfo(0, parser.GetSubgraphOutputTensorNames(0)[0])
try:
    ready, _ = ann.Optimize(net, [ann.BackendId("CpuRef")], runtime.GetDeviceSpec(), ann.OptimizerOptions())
except RuntimeError as error:
    sys.exit(77 if "None of the preferred backends" in str(error) else f"{model}: {error}")
loaded, _ = runtime.LoadNetwork(ready)
types = {ann.DataType_QAsymmS8: np.int8, ann.DataType_QAsymmU8: np.uint8}
data = [np.fromfile(path, types[i[1].GetDataType()]).reshape(-1, i[1].GetNumElements()) for i, path in zip(ins, inputs)]
with open(output, "wb") as file:
    for rows in zip(*data):
        tensors = ann.make_output_tensors([out])
        runtime.EnqueueWorkload(loaded, ann.make_input_tensors(ins, list(rows)), tensors)
        file.write(ann.workload_tensors_to_ndarray(tensors)[0].tobytes())
P

# layers.py FEED MODEL DATA: for each operator of the file a file with this operator alone, and what both give for it.
cat >layers.py <<'P'
import os, struct, subprocess, sys

feed, path, data = sys.argv[1:]
original = open(path, "rb").read()

def u32(d, at):
    return struct.unpack_from("<I", d, at)[0]

def ref(d, at):
    return at + u32(d, at)

def field(d, table, n):
    names = table - struct.unpack_from("<i", d, table)[0]
    there = 4 + 2 * n < struct.unpack_from("<H", d, names)[0]
    offset = struct.unpack_from("<H", d, names + 4 + 2 * n)[0] if there else 0
    return table + offset if offset else 0

def integers(d, at):
    at = ref(d, at)
    return struct.unpack_from("<%di" % u32(d, at), d, at + 4)

d = original
graph = ref(d, ref(d, field(d, u32(d, 0), 2)) + 4)
tensors, operators, buffers = (ref(d, field(d, graph, 0)), ref(d, field(d, graph, 3)), ref(d, field(d, u32(d, 0), 4)))

def tensor(i):
    return ref(d, tensors + 4 + 4 * i)

def name(i):
    at = ref(d, field(d, tensor(i), 3))
    return d[at + 4:at + 4 + u32(d, at)].decode()

def is_constant(i):
    number = field(d, tensor(i), 2)
    numbers = field(d, ref(d, buffers + 4 + 4 * (u32(d, number) if number else 0)), 0)
    return bool(numbers) and u32(d, ref(d, numbers)) > 0

def write_one(k, inputs, output):
    copy = bytearray(original)
    copy.extend(b"\0" * (-len(copy) % 4))
    for n, numbers in ((1, inputs), (2, [output])):
        at = field(copy, graph, n)
        struct.pack_into("<I", copy, at, len(copy) - at)
        copy.extend(struct.pack("<%dI" % (len(numbers) + 1), len(numbers), *numbers))
    struct.pack_into("<II", copy, operators, 1, ref(copy, operators + 4 + 4 * k) - operators - 4)
    open("one.tflite", "wb").write(copy)

def ours(i):
    file = "ours.%d" % i
    if not os.path.exists(file):
        subprocess.run([feed, data, file, path, "--tensor", name(i)], check=True)
    return file

first, elements, apart = True, 0, 0
for k in range(u32(d, operators)):
    operator = ref(d, operators + 4 + 4 * k)
    inputs = [i for i in integers(d, field(d, operator, 1)) if i >= 0 and not is_constant(i)]
    output = integers(d, field(d, operator, 2))[0]
    write_one(k, inputs, output)
    files = [data] if first else [ours(i) for i in inputs]
    first = False
    status = subprocess.run([sys.executable, "theirs.py", "one.tflite", "theirs"] + files, stdout=subprocess.DEVNULL).returncode
    if status:
        sys.exit(status)
    kind = field(d, tensor(output), 1)
    flip = 128 if kind and d[kind] == 9 else 0
    pairs = list(zip(open("theirs", "rb").read(), open(ours(output), "rb").read()))
    distances = [abs((a ^ flip) - (b ^ flip)) for a, b in pairs]
    if not pairs or max(distances) > 1:
        sys.exit(f"{path}: {name(output)}: {len(pairs)} numbers, up to {max(distances, default=0)} apart")
    elements += len(pairs)
    apart += sum(distances)
print(os.path.basename(path), "%d of %d numbers are 1 apart, %.2f %%" % (apart, elements, 100 * apart / elements))
sys.exit(apart * 50 > elements)
P

# layers MODEL DATA: Arm NN rounds once and TFLite twice, so up to two of a hundred numbers may be one apart.
layers() {
    local status=0
    rm -f ours.*
    "$PYTHON" layers.py "$BUILD/tests/tool/net-feed" "$1" "$2" 2>err || status=$?
    ((status != 77)) || skip "Arm NN's reference backend (libarmnn-cpuref-backend22) is not there"
    ((status == 0)) || fail "$1: $(tail -n 3 err)"
}

# 100 pieces of both pictures. Numbers of ResNet-8 have their zero at -128.
pieces=()
for step in 4 6; do
    for left in 0 40 80 120 160; do
        for top in 0 40 80 120 160; do pieces+=("$left" "$top" "$step"); done
    done
done
for picture in cat grace_hopper; do pixels "$models/images/$picture.bmp" 32 "${pieces[@]}"; done |
    LC_ALL=C tr '\000-\377' '\200-\377\000-\177' >pieces
tar -xzf "$models/tflite/eembc-kws01.tar.gz"
find datasets/kws01 -name '*.bin' | sort | sed -n 1,40p | xargs cat >words

head -c 12288 pieces >part
layers "$models/tflite/pretrainedResnet_quant.tflite" part
head -c 1960 words >part
layers "$models/tflite/kws_ref_model.tflite" part
head -c 6400 words >part
layers "$models/tflite/ad01_int8.tflite" part
mobilenet=$models/tflite/mobilenet_v1_0.25_128_quant.tflite
pixels "$models/images/cat.bmp" 128 >part
layers "$mobilenet" part
# The whole of it names what Arm NN names, also where two classes have the largest share.
for picture in cat grace_hopper; do
    pixels "$models/images/$picture.bmp" 128 >part
    "$PYTHON" theirs.py "$mobilenet" theirs part >out 2>&1 || fail "$(cat out)"
    "$BUILD/tests/tool/net-feed" part ours "$mobilenet"
    [[ $(best ours) == "$(best theirs)" ]] || fail "MobileNetV1, $picture.bmp: class $(best ours), Arm NN's $(best theirs)"
    echo "mobilenet_v1_0.25_128_quant.tflite, $picture.bmp: Arm NN's class $(best ours)"
done

# Both are run as they are, and here a third time with each result rounded once: the network is written as ONNX, whose
# operators take floats. A line for each piece: the class of all three, and whether two have the largest share in the third.
resnet=$models/tflite/pretrainedResnet_quant.tflite
"$PYTHON" theirs.py "$resnet" theirs pieces >out 2>&1 || fail "$(cat out)"
"$tulle" net convert "$resnet" resnet.onnx
"$BUILD/tests/tool/net-feed" pieces ours "$resnet"
"$BUILD/tests/tool/net-feed" pieces once resnet.onnx
classes() {
    od -An -v -td1 -w10 "$1" | awk '{
        best = 1; equal = 0
        for (i = 2; i <= 10; i++) if ($i > $best) { best = i; equal = 0 } else equal += $i == $best
        print best - 1, equal ? "tie" : "-"
    }'
}
paste -d ' ' <(classes theirs) <(classes ours) <(classes once) >compared
awk '$1 != $3 { printf "ResNet-8, piece %d: Arm NN %d, TFLite %d, rounded once %d%s\n", NR, $1, $3, $5, $6 == "tie" ? ", a tie" : "" }' compared
same=$(awk '$1 == $3 { as_it_is++ } $1 == $5 { once++ } $1 == $5 || $6 == "tie" { explained++ }
    END { print as_it_is, once, explained, NR }' compared)
read -r as_it_is once explained all <<<"$same"
echo "ResNet-8: $as_it_is of $all pieces get Arm NN's class, rounded once $once, and $((explained - once)) more are a tie"
((all == 100 && as_it_is >= 97 && once >= 99 && explained == 100)) || fail "ResNet-8: $same"
