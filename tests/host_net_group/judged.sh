#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A network in slices, as it is written, in ONNX Runtime: the integers are those of the network that is not cut, there and here.
# timeout: 600

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
judge_open onnxruntime

mobilenet_v1 whole.onnx 64 2
for chip in 16384 24576 32768; do
    "$tulle" net convert whole.onnx "cut$chip.onnx" --groups --on-chip $chip || fail "it cannot be written in slices"
    "$tulle" net info "cut$chip.onnx" >out
    grep -q Slice out || fail "nothing was cut for $chip bytes"
done
cat >judge.py <<'P'
import glob, numpy as np, onnx.reference, onnxruntime
from judge_session import open_session
x = np.random.RandomState(4).randint(0, 256, (1, 3, 64, 64)).astype(np.uint8)
np.save("image.npy", x)
whole = open_session("whole.onnx").run(None, {"image": x})[0]
np.save("judged.npy", whole)
for path in sorted(glob.glob("cut*.onnx")):
    cut = open_session(path).run(None, {"image": x})[0]
    print(path, whole.size, "elements,", int((cut != whole).sum()), "differ")
    assert len(np.unique(whole)) > 10
P
judge "$PWD" judge.py >found 2>err || fail "ONNX Runtime: $(cat found err)"
cat found
(($(grep -c ' 0 differ$' found) == 3)) || fail "$(cat found)"
"$tulle" net run cut16384.onnx --input image.npy --output ours.npy >/dev/null
"$PYTHON" -c 'import numpy as np; a, b = np.load("ours.npy"), np.load("judged.npy"); exit(not (a == b).all())' || fail "the CPU and ONNX Runtime differ"
