# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Networks in slices that are one program, as software.

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"
PYTHON=/usr/bin/python3
# shellcheck source=tests/host_net_group/generate.sh
source "$TOP/tests/host_net_group/generate.sh"

# give FILE VALUE: the network gives this value, too.
give() {
    "$PYTHON" - "$@" <<'P'
import sys
import onnx
path, name = sys.argv[1:]
model = onnx.shape_inference.infer_shapes(onnx.load(path))
model.graph.output.extend(v for v in model.graph.value_info if v.name == name)
assert len(model.graph.output) == 2, "there is no such value within the network"
onnx.save(model, path)
P
}

# slices SEED PARTS BANK [VALUE]: a random network, which may give a value in its middle, too, and whose layers are one group of so many
# slices, for a device with so many bytes of the bank; it is compiled as slices.net. False: it cannot be cut so.
slices() {
    local seed=$1 parts=$2 last
    device="model:networks;set=local_bytes=$3"
    random_network whole.onnx "$seed"
    (($# < 4)) || give whole.onnx "$4"
    last=$("$tulle" net explain whole.onnx --groups | sed -n 's/^\(.*\.\.\)\?\([0-9][0-9]*\) .* .*/\2/p' | tail -1)
    "$tulle" net convert whole.onnx slices.onnx --groups --on-chip 65536 --group "0..$last/$parts" --force >out 2>err || return 1
    "$tulle" compile slices.onnx -o slices.net --device "$device" --mode fused --force >out 2>err || fail "seed $seed: $(cat out err)"
}

# same_software SEED: the C of slices.net has the bits of the device and of the CPU.
same_software() {
    "$tulle" net verify slices.net --device "$device" --random 2 >out 2>err || fail "seed $1: $(cat out err)"
    grep -q ', in C and the CPU: [1-9][0-9]* bytes compared, 0 differ$' out || fail "seed $1: $(cat out err)"
    echo "seed $1, $device: $(cat out)"
}
