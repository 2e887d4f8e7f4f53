#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks against ONNX Runtime: networks of floats; what its quantiser makes of them (QDQ and QOperator), whose integers are
# counted; and quantised TFLite networks as `tulle net convert` writes them. ONNX Runtime gives the outputs for random inputs
# and pieces of pictures, and `tulle net run` compares with them: for four of ten inputs, and in runtime.soak.sh for all.
# timeout: 900

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"
# shellcheck source=scripts/judge.sh
source "$TOP/scripts/judge.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
judge_open onnxruntime

cp "$models/onnx/mnist-8/model.onnx" mnist.onnx
cp "$models/onnx/super-resolution-10/model.onnx" super.onnx
"$tulle" net convert "$models/caffe/lenet/lenet.prototxt" "$models/caffe/lenet/lenet_iter_10000.caffemodel" lenet.onnx --shape data=1x1x28x28
"$tulle" net convert "$models/caffe/resnet20/res20_cifar_train_test.prototxt" "$models/caffe/resnet20/ResNet_20.caffemodel" \
    resnet20.onnx --shape Data1=1x3x32x32 --passes scales
for network in pretrainedResnet_quant kws_ref_model ad01_int8 mobilenet_v1_0.25_128_quant; do
    "$tulle" net convert "$models/tflite/$network.tflite" "$network.onnx"
done
zcat "$models/datasets/mnist/t10k-images-idx3-ubyte.gz" >images
head -c $((16 + 40 * 28 * 28)) images | tail -c +17 >digits
tail -c +55 "$models/images/cat.bmp" >picture

# Writes FOLDER/model.onnx and FOLDER/test_data_set_N for each network. Activations are uint8: without VNNI, ONNX Runtime's sums
# of two products of int8 saturate.
cat >make.py <<'P'
import os, sys
import numpy as np, onnx.reference, onnxruntime
from onnx import helper, numpy_helper
from judge_session import open_session
from onnxruntime import quantization

INPUTS, TESTED = 10, int(sys.argv[1])
digits = np.fromfile("digits", np.uint8).reshape(-1, 1, 1, 28, 28)
picture = np.fromfile("picture", np.uint8)

def piece(sizes, i):
    count = int(np.prod(sizes))
    return np.resize(picture[i * 10007:], count).reshape(sizes)

def save(folder, model, inputs):
    os.makedirs(folder)
    onnx.save(model, folder + "/model.onnx")
    session = open_session(folder + "/model.onnx")
    for i, x in enumerate(inputs[:TESTED]):
        at = "%s/test_data_set_%d" % (folder, i)
        os.makedirs(at)
        for stem, arrays in (("input", [x]), ("output", session.run(None, {session.get_inputs()[0].name: x}))):
            for k, array in enumerate(arrays):
                open("%s/%s_%d.pb" % (at, stem, k), "wb").write(numpy_helper.from_array(array).SerializeToString())

class Reader(quantization.CalibrationDataReader):
    def __init__(self, name, inputs):
        self.list = iter([{name: x} for x in inputs])

    def get_next(self):
        return next(self.list, None)

# The integers that come from these operators are the outputs, so that they can be counted.
def show_integers(path, which):
    model = onnx.load(path)
    makers = ("QuantizeLinear", "QLinear")
    made = [n.output[0] for n in model.graph.node if n.op_type.startswith(makers)]
    while model.graph.output:
        model.graph.output.pop()
    types = {t.name: t.data_type for t in model.graph.initializer}
    model.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.UINT8, None) for name in made[which:])
    return model

# The other operators on integers are not read.
kinds = {"QDQ": None, "QOperator": ["Conv", "MatMul", "MaxPool", "Add"]}

def quantise(name, inputs):
    model = onnx.load(name + ".onnx")
    first = model.graph.input[0].name
    # Scales for each channel came with operator set 13.
    ways = (False, True) if model.opset_import[0].version >= 13 else (False,)
    for form in (quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator):
        for each in ways:
            folder = "%s-%s%s" % (name, form.name, "-channels" if each else "")
            quantization.quantize_static(name + ".onnx", "made.onnx", Reader(first, inputs), quant_format=form,
                                         per_channel=each, reduce_range=True, op_types_to_quantize=kinds[form.name],
                                         activation_type=quantization.QuantType.QUInt8,
                                         weight_type=quantization.QuantType.QInt8)
            save(folder, show_integers("made.onnx", -1 if form.name == "QDQ" else 0), inputs)

small = [(d / 256).astype(np.float32) for d in digits[:INPUTS]]
mnist = [d.astype(np.float32) for d in digits[:INPUTS]]
colour = [(piece((1, 3, 32, 32), i).astype(np.float32) - 128) / 64 for i in range(INPUTS)]
for name, inputs in (("mnist", mnist), ("lenet", small), ("resnet20", colour)):
    save(name + "-float", onnx.load(name + ".onnx"), inputs)
    quantise(name, inputs)
save("super-float", onnx.load("super.onnx"), [piece((1, 1, 224, 224), 0).astype(np.float32) / 255])
for name in ("pretrainedResnet_quant", "kws_ref_model", "ad01_int8", "mobilenet_v1_0.25_128_quant"):
    model = onnx.load(name + ".onnx")
    tensor = model.graph.input[0].type.tensor_type
    sizes = [d.dim_value or 1 for d in tensor.shape.dim]
    kind = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    save(name + "-written", model, [(piece(sizes, i) ^ (128 if kind == np.int8 else 0)).astype(np.uint8).view(kind) for i in range(INPUTS)])
P
judge "$TMPDIR" make.py "${TESTED-4}" >made 2>&1 || fail "$(tail -n 5 made)"

# Floats may differ as `tulle net run` allows for. Sums of integers and their rounding are the same in operators on integers.
for folder in *-float *-QOperator*; do compared 0 0 "$folder"; done
for folder in mnist-QDQ resnet20-QDQ*; do compared 0 0 "$folder" --passes all; done
# Nor do layers on a device differ from the CPU's, and so from ONNX Runtime's. Plans of ResNet-20 take long: of its four networks it is
# one, but for the long run.
on_device() {
    [[ ${TESTED-} || $1 != resnet20-* || $1 == resnet20-QOperator-channels ]] || return 0
    compared 0 0 "$@" --device model:networks --check
    grep -q ' layers of the device, [0-9]* elements, 0 differ from the CPU$' out || fail "$1 on a device: $(tail -n 3 out)"
    grep -E '^(model|check):' out
}
for folder in *-QOperator*; do on_device "$folder"; done
for folder in mnist-QDQ resnet20-QDQ*; do on_device "$folder" --passes all; done
# ONNX Runtime has a table for Softmax between integers.
for folder in lenet-QDQ*; do compared 20 1 "$folder" --passes all; done
# Floats between integers round at each step.
for folder in *-QDQ*; do compared 40 2 "$folder"; done
for folder in *-written; do compared 1 10 "$folder"; done
