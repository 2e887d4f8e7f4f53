#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The models of ONNX's own tests, from the package libonnx-testdata: a model whose operators are in the table is read, with
# shapes that do not contradict those of the file; any other is refused with each operator that is missing. What is read is
# written again; ONNX's checker accepts it, and where ONNX derives types and shapes itself, they are the same.
# timeout: 600

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
DATA=/usr/share/libonnx-testdata/data
[[ -d $DATA/node ]] || skip "libonnx-testdata is not there"

# Of Debian 12's package: how many models of a folder are read.
least() {
    case $1 in
    node) echo 752 ;;
    pytorch-converted) echo 82 ;;
    pytorch-operator) echo 35 ;;
    simple) echo 7 ;;
    *) echo 0 ;;
    esac
}

for folder in node pytorch-converted pytorch-operator simple; do
    read=0
    for model in "$DATA/$folder"/*/model.onnx; do
        if "$tulle" net convert "$model" model.onnx --force 2>err; then
            read=$((read + 1))
            mv model.onnx "$folder.$read.onnx"
            continue
        fi
        # The first line says why; nothing but these reasons.
        head -n 1 err | grep -qE 'the operator is not supported, of|the operator is not supported;|it is no tensor; sequences, maps and optional values are not supported' ||
            fail "$model: $(cat err)"
    done
    echo "$folder: $read read"
    ((read >= $(least $folder))) || fail "$folder: $read models are read, not $(least $folder)"
done
"$PYTHON" -c 'import onnx' 2>err || skip "python3-onnx is not there; the models were as they must be"

"$PYTHON" - <<'P' || fail "what is written is not what ONNX takes it for"
import glob, sys, onnx
from onnx import checker, shape_inference

def dims(value):
    shape = value.type.tensor_type
    return [d.dim_value if d.HasField("dim_value") else None for d in shape.shape.dim] if shape.HasField("shape") else None

wrong = values = 0
for path in sorted(glob.glob("*.onnx")):
    model = onnx.load(path)
    try:
        checker.check_model(model)
    except Exception as e:
        print(path, e)
        wrong += 1
        continue
    ours = {v.name: (v.type.tensor_type.elem_type, dims(v)) for v in list(model.graph.value_info) + list(model.graph.output)}
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    derived = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    for v in list(derived.graph.value_info) + list(derived.graph.output):
        type_, shape = ours.get(v.name, (0, None))
        theirs = dims(v)
        values += 1
        if v.type.tensor_type.elem_type not in (0, type_):
            print(f"{path}: {v.name} is of type {type_}, ONNX says {v.type.tensor_type.elem_type}")
            wrong += 1
        if theirs is not None and (shape is None or len(shape) != len(theirs) or any(t is not None and o != t for o, t in zip(shape, theirs))):
            print(f"{path}: {v.name} is {shape}, ONNX says {theirs}")
            wrong += 1
print(f"{values} values have the types and shapes that ONNX derives" if not wrong else f"{wrong} wrong")
sys.exit(wrong > 0 or values < 1500)
P
