# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Networks with real weights whose layers run on a device.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
models=$TULLE_DATA/models
export cat=$models/images/cat.bmp

# agrees DEVICE ON-CPU ELEMENTS NETWORK ARGUMENT...: with so many nodes on the CPU, no element of the device's layers differs.
# NETWORK is a file, or the name of one of those of TFLite.
agrees() {
    local device=$1 cpu=$2 elements=$3 network=$4
    local file=$network
    shift 4
    [[ -f $file ]] || file=$models/tflite/$network.tflite
    "$tulle" net run "$file" --device "$device" --check "$@" >out 2>err ||
        fail "$network: $(cat out err)"
    grep -q "; $cpu on the CPU" out || fail "$network: not $cpu nodes are on the CPU: $(cat out)"
    grep -q "layers of the device, $elements elements, 0 differ from the CPU$" out || fail "$network: $(cat out)"
    echo "$network: $(tail -n 1 out)"
}

# A word of one second, as keyword spotting takes it.
take_word() {
    tar -xzf "$models/tflite/eembc-kws01.tar.gz"
    cp "$(find datasets/kws01 -name '*.bin' | LC_ALL=C sort | head -n 1)" word.bin
}
