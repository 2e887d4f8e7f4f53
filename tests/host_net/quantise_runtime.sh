#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the quantiser writes, run by ONNX Runtime: every integer of LeNet and of pruned SqueezeNet against those of `tulle net run`.
# timeout: 900

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
judge_open onnxruntime
quantise_data

# ONNX Runtime computes with integers for uint8 only, on x86; for int8 it computes with floats, which round otherwise.
for type in uint8 int8; do
    quantised_lenet "lenet-$type.onnx" --activations "$type" >/dev/null
    quantised_lenet "pruned-$type.onnx" --activations "$type" --prune-pattern 2:4 --per-tensor --ranges entropy >/dev/null
    quantised_squeezenet "squeezenet-$type.onnx" --activations "$type" >/dev/null
done
quantised_lenet lenet-int16.onnx --int16-below 60 >/dev/null

# Writes FOLDER/model.onnx, whose outputs are all of its integers, and FOLDER/test_data_set_N with ONNX Runtime's results.
cat >make.py <<'P'
import glob, os
import numpy as np, onnx
from onnx import helper, numpy_helper
from judge_session import open_session

digits = np.load("digits.npy")
noise = np.random.RandomState(1).rand(1, 3, 227, 227).astype(np.float32) * 255 - 117
for path in sorted(glob.glob("*-*int*.onnx")):
    folder = path[:-5]
    model = onnx.load(path)
    onnx.checker.check_model(model)
    types = {t.name: t.data_type for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear":
            model.graph.output.append(helper.make_tensor_value_info(node.output[0], types[node.input[2]], None))
    os.makedirs(folder)
    onnx.save(model, folder + "/model.onnx")
    session = open_session(folder + "/model.onnx")
    for i, x in enumerate([noise] if folder.startswith("squeezenet") else [digits[k:k + 1] for k in range(20)]):
        at = "%s/test_data_set_%d" % (folder, i)
        os.makedirs(at)
        for stem, arrays in (("input", [x]), ("output", session.run(None, {session.get_inputs()[0].name: x}))):
            for k, array in enumerate(arrays):
                open("%s/%s_%d.pb" % (at, stem, k), "wb").write(numpy_helper.from_array(array).SerializeToString())
P
judge "$TMPDIR" make.py >made 2>&1 || fail "$(tail -n 5 made)"

compared 0 0 lenet-uint8 --passes all
compared 0 0 pruned-uint8 --passes all
compared 0 0 squeezenet-uint8 --passes all
compared 0.1 1 lenet-int8 --passes all
compared 0.1 1 pruned-int8 --passes all
compared 2 8 squeezenet-int8 --passes all
compared 0.1 1 lenet-int16 --passes all
