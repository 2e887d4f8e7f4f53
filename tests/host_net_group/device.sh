#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups on a device: networks in slices are one program, and have the results of the whole ones. `device.soak.sh` has more.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
export OCL_ICD_VENDORS="$BUILD/vendors"

device="model:networks;set=local_bytes=4096"
for seed in 2 3 5; do
    random_network net.onnx "$seed"
    wish=(--groups --on-chip 65536 --group "0..$(all_layers net.onnx)/3")
    grouped "$device" net.onnx "${wish[@]}"
done
((cut)) || fail "nothing was cut"

# Marked results inside a group go to the host, and change nothing else; each layer is the CPU's.
marked=(--external-output layer1)
grouped "$device" net.onnx "${wish[@]}" "${marked[@]}"
"$tulle" net run net.onnx --input image.npy --device "$device" --mode fused "${wish[@]}" --check >out || fail "check: $(cat out)"
