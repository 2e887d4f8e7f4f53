#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Passes on networks that others made: after all passes they give the stored results, ONNX's checker accepts what is written,
# and that gives the same results again. Networks of TFLite and Caffe pass through. An integer-only export computes in integers,
# every layer as its exporter says.
# timeout: 600

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
DATA=/usr/share/libonnx-testdata/data
[[ -d $DATA/node ]] || skip "libonnx-testdata is not there"

judged=0 changed=0
for model in "$DATA"/{pytorch-converted,pytorch-operator,simple}/*/model.onnx; do
    "$tulle" net run "$model" --test-data "${model%/*}" >out 2>&1 || continue
    "$tulle" net run "$model" --test-data "${model%/*}" --passes all >out 2>err || fail "$model: $(cat err out)"
    judged=$((judged + 1))
    "$tulle" net convert "$model" "$judged.onnx" --passes all || fail "$model is not converted"
    cmp -s "$judged.onnx" <("$tulle" net convert "$model" -) || changed=$((changed + 1))
    "$tulle" net run "$judged.onnx" --test-data "${model%/*}" >out 2>err || fail "$model, written and read: $(cat err)"
done
echo "$judged models after all passes, $changed of them changed"
((judged >= 120 && changed >= 5)) || fail "too few models"

if [[ -n ${TULLE_DATA-} ]]; then
    onnx=$TULLE_DATA/models/onnx
    "$tulle" net run "$onnx/mnist-8/model.onnx" --test-data "$onnx/mnist-8" --passes all >out || fail "mnist-8: $(cat out)"
    for model in "$TULLE_DATA"/models/tflite/*.tflite; do
        "$tulle" net convert "$model" "$(basename "$model").onnx" --passes all || fail "$model is not converted"
    done
    tar -xzf "$onnx/NAS_Frontnet.tar.gz" --strip-components=4
    # What its exporter says of each layer, as text with channels last.
    "$PYTHON" - <<'P' || skip "numpy is not there; the models before were as they must be"
import re, numpy
names = dict(zip(range(8), ("64", "65", "75", "85", "95", "105", "115", "125")))
def load(path):
    text = open(path).read()
    shape = eval(re.search(r"\(shape (\[.*?\])\)", text).group(1))
    return numpy.array([float(line.split(",")[0]) for line in text.split("\n")[1:] if line.strip()]).reshape(shape)
import os
os.mkdir("goldens")
numpy.save("input.npy", load("input.txt").transpose(2, 0, 1)[None].astype(numpy.float32))
for i, name in names.items():
    numpy.save(f"goldens/{name}.npy", load(f"out_layer{i}.txt").transpose(2, 0, 1)[None].astype(numpy.float32))
numpy.save("goldens/127.npy", load("out_layer8.txt").reshape(1, 4).astype(numpy.float32))
P
    "$tulle" net run Frontnet.onnx --input input.npy --per-layer-goldens goldens >out || fail "floats: $(cat out)"
    [[ $(<out) == 'goldens: 9 tensors are the same, 76 have no file' ]] || fail "floats: $(<out)"
    # Casts to float that nothing reads go with the pass for dead nodes.
    "$tulle" net run Frontnet.onnx --input input.npy --passes integers,constants --per-layer-goldens goldens >out ||
        fail "integers: $(cat out)"
    [[ $(<out) == 'goldens: 9 tensors are the same, '* ]] || fail "integers: $(<out)"
    "$tulle" net info Frontnet.onnx --passes all >out
    (($(grep -c '^ConvInteger ' out) == 7)) || fail "not 7 layers of integers: $(<out)"
    "$tulle" net convert Frontnet.onnx frontnet.onnx --passes all
fi

"$PYTHON" -c 'import onnx' 2>err || skip "python3-onnx is not there; the models were as they must be"
"$PYTHON" - <<'P' || fail "ONNX's checker refuses what is written"
import glob, sys, onnx
wrong = 0
for path in sorted(glob.glob("*.onnx")):
    if path == "Frontnet.onnx":
        continue
    try:
        onnx.checker.check_model(onnx.load(path))
    except Exception as e:
        print(path, e)
        wrong += 1
sys.exit(wrong > 0)
P
