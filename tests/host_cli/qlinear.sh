#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ONNX's own tests of QLinearConv and QLinearMatMul on the variant networks, from libonnx-testdata: every result is the
# stored one. Their weights have zero points and are taken off before, which needs activations of 16 bits.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
DATA=/usr/share/libonnx-testdata/data/node
if [[ ! -d $DATA ]]; then
    echo "skipped: libonnx-testdata is not there"
    exit 77
fi
device='model:networks;set=data_width=16;set=acc_width=48;set=plain_weights=off'

# numbers TYPE BYTES FILE: the last of a TensorProto, its raw data; a line each.
numbers() {
    tail -c "$2" "$3" | od -An -v -w1 -t "$1" | tr -d ' '
}

# matrix ROWS COLUMNS ZERO NAME: numbers row by row, of which a zero point is taken off.
matrix() {
    awk -v rows="$1" -v columns="$2" -v zero="$3" '{ value[NR - 1] = $1 - zero } END {
        print "%%MatrixMarket matrix array integer general"
        print rows, columns
        for (c = 0; c < columns; c++)
            for (r = 0; r < rows; r++) print value[r * columns + c]
    }' >"$4.mtx"
}

# scale: that of the sums, from the scales of both operands and of the result.
scale() {
    tail -c 4 -q "$@" | od -An -v -w4 -tf4 | awk '{ s[NR] = $1 } END { printf "%.17g", s[1] * s[2] / s[3] }'
}

# judge OPERATION ROWS COLUMNS STORED ARGUMENT...: the product of x.mtx and w.mtx.
judge() {
    local stored=$4
    "$tulle" run "$1" "${@:5}" --device "$device" --weights w.mtx --input x.mtx --rounding even --output-type uint8 \
        --input-zero "$(numbers u1 1 input_2.pb)" --zero "$(numbers u1 1 "$zero")" --scale "$(scale "${scales[@]}")" \
        --check --quiet --output y.mtx
    matrix "$2" "$3" 0 stored <"$stored"
    "$tulle" convert --force stored.mtx stored.npy
    "$tulle" convert --force y.mtx y.npy
    cmp y.npy stored.npy || fail "$1: other results: $(cat y.mtx)"
}

cp "$DATA"/test_qlinearconv/test_data_set_0/*.pb .
numbers u1 49 input_0.pb | matrix 49 1 0 x
numbers u1 1 input_3.pb | matrix 1 1 "$(numbers u1 1 input_5.pb)" w
numbers u1 49 output_0.pb >stored
scales=(input_1.pb input_4.pb input_6.pb) zero=input_7.pb
judge conv 49 1 stored --in 7x7x1 --kernel 1

# head and tail of the stack of matrices are two products.
for name in 2D 3D; do
    cp "$DATA/test_qlinearmatmul_$name"/test_data_set_0/*.pb .
    count=${name%D}
    for ((i = 1; i < count; i++)); do
        numbers u1 $((8 * (count - 1))) input_0.pb | sed -n "$((8 * i - 7)),$((8 * i))p" | matrix 2 4 0 x
        numbers u1 $((12 * (count - 1))) input_3.pb | sed -n "$((12 * i - 11)),$((12 * i))p" |
            matrix 4 3 "$(numbers u1 1 input_5.pb)" w
        numbers u1 $((6 * (count - 1))) output_0.pb | sed -n "$((6 * i - 5)),$((6 * i))p" >stored
        judge spmm 2 3 stored
    done
done
echo "QLinearConv, and QLinearMatMul in two and three dimensions, give the stored results"
