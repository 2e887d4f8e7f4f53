# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of layer groups share.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
# shellcheck source=tests/host_net_group/generate.sh
source "$TOP/tests/host_net_group/generate.sh"

# costs NAME ON-CHIP NETWORK ARGUMENT...: prints a row of the table, and sets `bytes` and `apart` (layer by layer), `activations`
# and `again` (percent of the multiplications).
costs() {
    local name=$1 chip=$2
    shift 2
    "$tulle" net explain "$@" --groups --on-chip "$chip" --json >groups.json 2>err || fail "$name: $(cat err)"
    # shellcheck disable=SC2034
    read -r bytes apart activations before again < <("$PYTHON" - <<'P'
import json
o = json.load(open("groups.json"))
c, l = o["cost"], o["layer_by_layer"]
line = (c["bytes"], l["bytes"], c["read"] + c["written"], l["read"] + l["written"], "%.1f" % (100 * c["multiplications_again"] / l["multiplications"]))
for g in o["groups"]:
    c = g["cost"]
    assert c["multiplications_again"] * 100 <= c["multiplications"] * 15, "more than 15 % of the multiplications again"
    assert not g["grouped"] or c["activations_on_chip"] + c["weights_loaded_once"] + o["stream"] <= o["on_chip"], "a group does not fit"
print(*line)
P
    ) || fail "$name: $(cat groups.json)"
    printf '| %s | %d | %d | %d | %d | %d | %s |\n' "$name" $((chip / 1024)) "$apart" "$bytes" "$before" "$activations" "$again"
    ((bytes <= apart)) || fail "$name: groups move more bytes than layers"
}

# below WHAT VALUE BAR
below() {
    (($2 <= $3)) || fail "$1: $2 bytes; the bar is $3"
}

# same ON-CHIP NETWORK ARGUMENT...: in slices the network gives the same results.
same() {
    local chip=$1
    shift
    rm -rf whole slices
    "$tulle" net run "$@" --output whole >/dev/null 2>err || fail "$1: $(cat err)"
    "$tulle" net run "$@" --groups --on-chip "$chip" --output slices >/dev/null 2>err || fail "$1 in slices: $(cat err)"
    diff -r whole slices || fail "$1 in slices for $chip bytes: outputs differ"
}

# grouped DEVICE NETWORK OPTION...: on the device, fused, with groups by the options, it gives the results that the CPU gives without
# them, as one part. `cut` counts those that were cut.
cut=0
grouped() {
    local device=$1 network=$2 marks=() option
    shift 2
    for option in "$@"; do
        case $option in --external-output) marks+=("$option") ;; layer*) marks+=("$option") ;; esac
    done
    rm -rf whole slices
    "$tulle" net run "$network" --input image.npy --output whole "${marks[@]}" >/dev/null 2>err || fail "$network: $(cat err)"
    "$tulle" net run "$network" --input image.npy --device "$device" --mode fused --output slices "$@" >out 2>err ||
        fail "$network $*, on $device: $(cat err)"
    diff -r whole slices || fail "$network $*, on $device: other results"
    grep -q ' 1 part' out || fail "$network $*, on $device: not one part: $(cat out)"
    ! grep -q '[1-9][0-9]* on the CPU' out || cut=$((cut + 1)) # slices of the network's input
}

# moved DEVICE NETWORK OPTION...: sets `cycles` and `bytes` that the network takes there, fused.
moved() {
    local device=$1 network=$2
    shift 2
    "$tulle" net explain "$network" --input image.npy --passes all --device "$device" --mode fused --json "$@" >out 2>err || fail "$network $*: $(cat err)"
    read -r cycles bytes < <("$PYTHON" -c 'import json; o = json.load(open("out")); print(o["cycles"], o["bytes"])')
}

# judged DEVICE NETWORK OPTION...: with groups by the options the network never takes more bytes or cycles there than without them: both
# are in `after` and `before`. `used` counts networks in which some group is used.
used=0
judged() {
    local device=$1 network=$2
    shift 2
    moved "$device" "$network"
    before=("$cycles" "$bytes")
    moved "$device" "$network" --groups "$@"
    after=("$cycles" "$bytes")
    ((after[0] <= before[0] && after[1] <= before[1])) ||
        fail "$network $*: ${after[0]} cycles and ${after[1]} bytes in groups, ${before[0]} and ${before[1]} without: $(cat err)"
    ! grep -q 'that are cut [1-9][0-9]* win' err || used=$((used + 1))
}

# random_input NETWORK: image.npy, of the first input's shape and type.
random_input() {
    "$tulle" net info "$1" --json >info.json 2>/dev/null || fail "$1"
    "$PYTHON" - <<'P'
import json
import numpy as np
i = json.load(open("info.json"))["inputs"][0]
shape = [d if isinstance(d, int) else 1 for d in i["shape"]]
t = np.dtype(i["type"])
r = np.random.RandomState(7)
np.save("image.npy", r.randint(np.iinfo(t).min, np.iinfo(t).max + 1, shape).astype(t) if t.kind in "iu" else r.rand(*shape).astype(t))
P
}

# all_layers NETWORK: the number of its last layer.
all_layers() {
    "$tulle" net explain "$1" --groups --json | "$PYTHON" -c 'import json, sys; print(sum(len(g["layers"]) for g in json.load(sys.stdin)["groups"]) - 1)'
}
