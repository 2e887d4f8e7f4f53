# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of networks share.
set -euo pipefail
cd "$TMPDIR"
tulle=$BUILD/bin/tulle
tables=$BUILD/tests/tool/net-tables
# Debian's Python has the packages of the distribution; another one may come first in PATH.
PYTHON=/usr/bin/python3
export tulle tables PYTHON

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# Why a model of ONNX's tests may be refused.
REFUSALS='the operator is not supported|is no tensor; sequences, maps|cannot be run on the CPU yet|not known before it runs|training is not supported|values of this type are not supported|its type is not supported|blocks are not supported|strings are not supported'

# stored_otherwise MODEL: whether its files are known not to have what the operator's definition says, and err says just that.
stored_otherwise() {
    local what
    case $1 in
    # numpy has no bfloat16: the stored values have another type than the models say.
    *BFLOAT16*) what='the value given for input .* is uint16, not bfloat16|has other dimensions|has another type or shape' ;;
    # Results below -128 are stored modulo 256; the operator saturates.
    *test_qlinearmatmul_2D_int8_float*) what='1 of 6 elements differ' ;;
    *test_qlinearmatmul_3D_int8_float*) what='4 of 12 elements differ' ;;
    # Windows that reach beyond the padding are divided by all of their elements; later versions of ONNX count those in the
    # image and its padding, as PyTorch does. They are the last of each dimension: 9^3 - 8^3.
    *test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True*) what='217 of 729 elements differ' ;;
    *) return 1 ;;
    esac
    head -n 1 err | grep -qE "$what"
}

# models_run DATA FOLDER=LEAST...: each model of ONNX's tests in a folder gives what is stored, or is refused; so many run.
models_run() {
    local data=$1 folder model ran least
    shift
    for least in "$@"; do
        folder=${least%=*} ran=0
        for model in "$data/$folder"/*/model.onnx; do
            if "$tulle" net run "$model" --test-data "${model%/*}" >out 2>err; then
                ran=$((ran + 1))
                continue
            fi
            head -n 1 err | grep -qE "$REFUSALS" || stored_otherwise "$model" || fail "$model: $(cat err)"
        done
        echo "$folder: $ran run"
        ((ran >= ${least#*=})) || fail "$folder: $ran models run, not ${least#*=}"
    done
}

# pixels FILE SIDE [LEFT TOP STEP]...: a square of a picture (BMP, 24 bits) as bytes RGB, with so many pixels on a side, each
# the nearest of the file's; of the whole picture, or of places whose pixels are so far apart.
pixels() {
    "$PYTHON" - "$@" <<'P'
import struct, sys
path, side, *places = sys.argv[1], *map(int, sys.argv[2:])
data = open(path, "rb").read()
begin, width, height = struct.unpack_from("<I4xii", data, 10)
line = (width * 3 + 3) // 4 * 4

def pixel(x, y):
    at = begin + (height - 1 - y) * line + 3 * x
    return data[at + 2], data[at + 1], data[at]

def square(place):
    for y in range(side):
        for x in range(side):
            u, v = (place[0] + x * place[2], place[1] + y * place[2]) if place else (x * width // side, y * height // side)
            sys.stdout.buffer.write(bytes(pixel(min(u, width - 1), min(v, height - 1))))

for i in range(0, max(1, len(places)), 3):
    square(places[i:i + 3])
P
}

# best FILE: the places of the largest of unsigned numbers, from 0.
best() {
    od -An -v -tu1 -w1 "$1" | awk '$1 > most { most = $1; list = "" } $1 == most { list = list " " NR - 1 } END { print list }'
}

# compared SHARE MOST FOLDER [OPTION]...: prints how many elements differ and by how much at most, which may be that share in
# percent, and that much.
compared() {
    local share=$1 most=$2 folder=$3 status=0
    shift 3
    "$tulle" net run "$folder/model.onnx" --test-data "$folder" "$@" >out 2>err || status=$?
    # 1 is for results that differ, which are counted; anything else is no comparison.
    ((status <= 1)) || fail "$folder $*: exit status $status: $(tail -n 3 err)"
    awk -v name="$folder${*:+ $*}" -v share="$share" -v most="$most" -v status="$status" '
        match($0, /: [0-9]+ of [0-9]+ elements differ, the largest difference is /) {
            split(substr($0, RSTART + 2), word, " "); differ += word[1]; all += word[3]
            if ($NF + 0 > largest) largest = $NF + 0
        }
        END { printf "%-40s %8d of %8d differ, by at most %g\n", name, differ, all, largest
            exit !all || (status && !differ) || 100 * differ > share * all || (differ && largest > most) }' out || fail "$folder $*: $(tail -n 3 err)"
}

# ---- networks for the quantiser

# caffemodel_writer: Python that has caffe_layer(NAME, TYPE, [(SIZES, BYTES)]), a layer of a caffemodel.
caffemodel_writer() {
    cat <<'P'
def number(n):
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])

def field(n, content):
    return number(n << 3 | 2) + number(len(content)) + content

def caffe_layer(name, kind, blobs):
    fields = field(1, name.encode()) + field(2, kind.encode())
    for sizes, numbers in blobs:
        fields += field(7, field(7, field(1, b"".join(map(number, sizes)))) + field(5, numbers))
    return field(100, fields)

P
}

# quantise_data: writes 100 digits as samples for LeNet (digits.npy), all of them as raw numbers (images), and the weights of
# pruned SqueezeNet as a caffemodel.
quantise_data() {
    { caffemodel_writer && cat <<'P'; } | "$PYTHON" - "$TULLE_DATA/models"
import gzip, sys
import numpy as np

pixels = gzip.open(sys.argv[1] + "/datasets/mnist/t10k-images-idx3-ubyte.gz").read()[16:]
digits = (np.frombuffer(pixels, np.uint8).reshape(-1, 1, 28, 28) / 256).astype(np.float32)
np.save("digits.npy", digits[:100])
digits.tofile("images")

numbers = np.load(sys.argv[1] + "/caffe/squeezenet-compressed/squeezenet-weights.npz")
with open("squeezenet.caffemodel", "wb") as file:
    for name in [key[:-len(".weights")] for key in numbers if key.endswith(".weights")]:
        layer = name.replace(".conv", "/conv") if name.startswith("fire") else name
        blobs = [(a.shape, a.astype("<f4").tobytes()) for a in (numbers[name + ".weights"], numbers[name + ".bias"])]
        file.write(caffe_layer(layer, "Convolution", blobs))
P
    squeezenet=("$TULLE_DATA/models/caffe/squeezenet-compressed/SqueezeNet_deploy.prototxt" squeezenet.caffemodel)
    picture=(--resize crop --colours bgr --mean "104,117,123")
}

# quantised_lenet FILE OPTION...: prints the report.
quantised_lenet() {
    local lenet=$TULLE_DATA/models/caffe/lenet
    "$tulle" net quantise "$lenet/lenet.prototxt" "$lenet/lenet_iter_10000.caffemodel" --shape data=1x1x28x28 --calibrate digits.npy \
        --force -o "$@"
}

# quantised_squeezenet FILE OPTION...
quantised_squeezenet() {
    local images=$TULLE_DATA/models/images
    "$tulle" net quantise "${squeezenet[@]}" --calibrate "$images/cat.bmp" --calibrate "$images/grace_hopper.bmp" "${picture[@]}" \
        --force -o "$@"
}
