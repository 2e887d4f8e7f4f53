#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Beside the vendor's OpenCL for PCIe cards, which under emulation offers a device without a board: Tulle's devices are
# found as without it, and the vendor's is never taken for one. What is refused says why.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
vendor=$(ldconfig -p | awk '$1 ~ /^libxilinxopencl\.so\.[0-9]+$/ { path = $NF } END { print path }')
[[ -n $vendor ]] || { echo "skipped: no libxrt1" && exit 77; }
tulle=$BUILD/bin/tulle
small=(run spmm --rows 16 --k 128 --n 64)
card='xilinx:pcie-hw-em'

# It looks for its parts in a folder lib of what the environment names; Debian has them in the system's.
mkdir xrt both alone
ln -s "$(dirname "$vendor")" xrt/lib
export XILINX_XRT=$PWD/xrt TULLE_DEVICES='model:tiny,model:base'
printf '%s\n' "$DRIVER" >both/tulle.icd
printf '%s\n' "$vendor" | tee alone/vendor.icd >both/vendor.icd

# refused WORD OPTION...: with this in the message, and without a crash in either library.
refused() {
    local status=0 word=$1
    shift
    timeout 60 "$tulle" "${small[@]}" "$@" >out 2>err || status=$?
    ((status == 1)) || fail "tulle run $*: exit status $status: $(cat out err)"
    grep '^error: ' err | grep -Fq -- "$word" || fail "tulle run $*: no '$word' in: $(cat err)"
}

# on DEVICE OPTION...: the device it runs on, with results that are right.
on() {
    local wanted=$1
    shift
    timeout 60 "$tulle" "${small[@]}" --check --json "$@" >out 2>err || fail "tulle run $*: $(cat err)"
    grep -q "\"device\": \"$wanted\"" out || fail "tulle run $*: not on $wanted: $(cat out)"
}

"$tulle" pack --model tiny -o tiny.tulle
# Long enough for the vendor's library to find a length in it, and a length that nothing has.
head -c 16384 /dev/zero | tr '\0' x >payload
"$tulle" pack --vendor payload --variant tiny --board card --transport xrt -o vendor.tulle

for mode in sw_emu hw_emu; do
    export XCL_EMULATION_MODE=$mode OCL_ICD_VENDORS=$PWD/both
    timeout 100 clinfo -l >list 2>&1 || fail "$mode: clinfo -l: $(cat list)"
    grep -q "$card" list || fail "$mode: the vendor's device is not there: $(cat list)"
    grep -q 'tulle model:base' list || fail "$mode: ours are not there: $(cat list)"
    OCL_ICD_DEFAULT_PLATFORM=0 on model:tiny --device 0
    OCL_ICD_DEFAULT_PLATFORM=1 on model:base --device 1
    on model:base --device model:base
    # By number only our own are counted, with a container of the driver too.
    refused 'there is no device "2"; there are model:tiny, model:base' --device 2
    on model:tiny --device 0 --container tiny.tulle
    refused 'there is no device "2"; there are model:tiny, model:base' --device 2 --container tiny.tulle
    "$tulle" devices >listed
    ! grep -q "$card" listed || fail "$mode: tulle devices: $(cat listed)"

    # Without our driver the reason names the device that there is.
    export OCL_ICD_VENDORS=$PWD/alone
    for device in 0 "$card"; do
        refused "no OpenCL device that says it is a Tulle array was found (others, which do not: $card" --device "$device"
        refused 'no OpenCL device that says it is a Tulle array' --device "$device" --container tiny.tulle
    done
    # A container for the vendor's device goes to it: its answer to what configures no card is an error of its own.
    refused '' --device 0 --container vendor.tulle
    grep -Fq '[XRT] ERROR' err || fail "$mode: it was not asked: $(cat err)"
done
