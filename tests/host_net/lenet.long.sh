#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# LeNet, a Caffe network of others, recognises 9,914 of the 10,000 digits of MNIST's test set, as Caffe's own does.
# timeout: 900

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
lenet=$TULLE_DATA/models/caffe/lenet
mnist=$TULLE_DATA/models/datasets/mnist

"$PYTHON" - "$mnist/t10k-images-idx3-ubyte.gz" <<'P'
import array, gzip, sys
with open("images", "wb") as file:
    array.array("f", [pixel / 256 for pixel in gzip.open(sys.argv[1]).read()[16:]]).tofile(file)
P
"$BUILD/tests/tool/net-feed" images classes "$lenet/lenet.prototxt" "$lenet/lenet_iter_10000.caffemodel" --shape data=1x1x28x28
right=$(paste -d ' ' <(od -An -v -tf4 -w40 classes) <(zcat "$mnist/t10k-labels-idx1-ubyte.gz" | tail -c +9 | od -An -v -tu1 -w1) | awk '
    { best = 1; for (i = 2; i <= 10; i++) if ($i > $best) best = i; right += best - 1 == $11 }
    END { print right, NR }')
echo "LeNet: $right"
[[ $right == "9914 10000" ]] || fail "LeNet: $right images get their digit, not 9914 of 10000"
