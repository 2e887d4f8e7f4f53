#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pictures go from their files to a class with its name: BMP, the network's size by area, its scale and zero point.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models

# recognises PICTURE CLASS: MobileNetV2's largest share, at each way to fit the picture; pixels are -1 to 1 for it.
recognises() {
    local filter resize
    for resize in stretch crop; do
        for filter in area bilinear nearest; do
            "$tulle" net run "$models/tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite" --input "$models/images/$1.bmp" \
                --resize $resize --filter $filter --mean 127.5 --scale 0.0078431373 --top 1 \
                --labels "$models/images/imagenet_labels.txt" >out || fail "$1.bmp, $resize, $filter"
            grep -q "  $2\$" out || fail "$1.bmp, $resize, $filter: $(tail -n 1 out), not $2"
        done
    done
}
recognises cat "Egyptian cat"
recognises grace_hopper "military uniform"
