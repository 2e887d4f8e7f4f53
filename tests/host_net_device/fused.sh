#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Networks whose neighbours on the device are one job: random ones on arrays of three sizes, some with nodes of the CPU between them, and
# real ones. Every layer's results are the CPU's, and so are the outputs when nothing else comes back, and those of a compiled file.
# timeout: 600

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
export TULLE_PLANS=$PWD/plans # the same layers are planned several times
mkdir -p "$TULLE_PLANS"

jobs='s/; [0-9]* parts\{0,1\}//; s/; [0-9]* bytes.*//' # of the last line

# same DEVICE NETWORK ARGUMENT...: with and without all results, into `parts` how many there are.
same() {
    local device=$1 network=$2
    shift 2
    "$tulle" net run "$network" --device "$device" --mode fused --check "$@" >out 2>err || fail "$network on $device: $(cat out err)"
    grep -q ' elements, 0 differ from the CPU$' out || fail "$network on $device: $(cat out)"
    rm -rf fused cpu
    "$tulle" net run "$network" --device "$device" --mode fused --output fused "$@" >out 2>err || fail "$network on $device: $(cat out err)"
    "$tulle" net run "$network" --output cpu "$@" >/dev/null 2>err || fail "$network on the CPU: $(cat err)"
    diff -r fused cpu || fail "$network on $device: outputs differ"
    # From a file, in a folder of its own: the network's file is not looked at, and nothing is planned. Plans that
    # have not learned from an input may copy more.
    local passes=() feed=()
    while (($#)); do
        case $1 in
            --passes | --shape) passes+=("$1" "$2") && shift ;;
            *) feed+=("$1") ;;
        esac
        shift
    done
    mv out all
    "$tulle" compile "$network" -o network.net --force --device "$device" --mode fused "${passes[@]}" >out 2>err ||
        fail "$network for $device: $(cat out err)"
    rm -rf offline
    "$tulle" net run network.net --device "$device" --output offline "${feed[@]}" >out 2>err || fail "compiled $network on $device: $(cat out err)"
    diff -r offline cpu || fail "$network on $device: outputs of the compiled network differ"
    diff <(tail -n 1 out | sed "$jobs") <(tail -n 1 all | sed "$jobs") || fail "the compiled network has other jobs"
    mv all out
    parts=$(sed -n 's/.* on the CPU; \([0-9]*\) parts\{0,1\};.*/\1/p' out)
    [[ -n $parts ]] || fail "$network on $device: how many parts there are: $(cat out)"
}

# In network 21 the device's results go through nodes of the CPU and meet themselves behind them: as one part it would wait for itself.
all=0 count=0
for seed in 16 17 21 25 34 44 45 46 47; do
    "$BUILD/tests/tool/net-graph" "$seed" graph.onnx
    sizes=$("$tulle" net info graph.onnx | sed -n 's/^inputs .*\[\(.*\)\]$/\1/p')
    "$PYTHON" -c 'import sys, numpy as np
sizes = [int(n) for n in sys.argv[2].split(",")]
np.save("x.npy", (np.random.RandomState(int(sys.argv[1])).rand(*sizes) * 4 - 2).astype(np.float32))' "$seed" "$sizes"
    for array in '' ';set=memory_width=64;set=row_bus_width=64;set=n=1;set=m=1;set=k=4;set=channel_groups=32;set=softmax=64' \
        ';set=unit_bytes=16384;set=input_buffer_depth=256'; do
        same "model:networks$array" graph.onnx --passes all --input x.npy
        all=$((all + parts))
    done
    count=$((count + 1))
done
echo "$count random networks on three arrays: $all parts"
((all >= 3 * count)) || fail "few layers were together"

take_word
kws=$models/tflite/kws_ref_model.tflite
same model:networks "$kws" --shape input_1.0=1 --input word.bin
((parts == 1)) || fail "keyword spotting has $parts parts"
same model:networks "$models/tflite/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1 --input "$cat" --resize crop
((parts == 1)) || fail "ResNet-8 has $parts parts"

# Marks change no part; what has no value on the device any more is computed for the mark alone.
"$tulle" net run "$kws" --shape input_1.0=1 --input word.bin --output cpu --external-output functional_1/dense/BiasAdd >out 2>err ||
    fail "a mark on the CPU: $(cat out err)"
"$tulle" net run "$kws" --shape input_1.0=1 --input word.bin --output fused --external-output functional_1/dense/BiasAdd \
    --device model:networks --mode fused >out 2>err || fail "a mark: $(cat out err)"
grep -q '; 1 part;' out || fail "parts with a mark: $(cat out)"
diff -r cpu fused || fail "outputs with a mark differ"

# What is explained: a row for the part, and where each layer is.
"$tulle" net explain "$kws" --shape input_1.0=1 --device model:networks --mode fused >out || fail "explain: $(cat out)"
grep -q 'part 1: 12 layers in one job' out || fail "the row of the part: $(cat out)"
(($(grep -c 'in part 1$' out) == 13)) || fail "the layers of the part: $(cat out)"
"$tulle" net explain "$kws" --shape input_1.0=1 --device model:networks --mode fused --json >out || fail "explain --json: $(cat out)"
grep -q '"part": 1, "layers": 12' out || fail "the part in JSON: $(cat out)"

# A file that was compiled so: one operator, and marks as its options were.
"$tulle" compile "$kws" --shape input_1.0=1 -o kws.net --device model:networks --mode fused --debug >out || fail "compile: $(cat out)"
"$tulle" net run kws.net --input word.bin --output fused --external-output functional_1/dense/BiasAdd --device model:networks >out 2>err ||
    fail "a mark of a compiled network: $(cat out err)"
diff -r cpu fused || fail "outputs of a compiled network with a mark differ"
"$tulle" net run kws.net --input word.bin --device model:networks --check >out || fail "compiled and checked: $(cat out)"
grep -q '^check: 1 layers of the device, 12 elements, 0 differ from the CPU$' out || fail "compiled and checked: $(cat out)"
"$tulle" inspect kws.net >out || fail "inspect: $(cat out)"
grep -q '^Conv .* of 22 nodes$' out || fail "inspect: $(cat out)"
# The operator of its part alone: before it are the length of all, a checksum of 32 bytes, and the number of the last node.
begin=$(LC_ALL=C grep -abo TULLESQ1 kws.net | sed -n '1s/:.*//p')
bytes=$(od -An -tu8 -j $((begin - 48)) -N 8 kws.net | tr -d ' ')
dd if=kws.net of=part.op iflag=skip_bytes,count_bytes skip="$begin" count=$((bytes - 40)) status=none
"$tulle" software part.op --device model:networks -o part.c >out 2>err || fail "software of a part's operator: $(cat err)"

# Which way is predicted to be faster, is, by the cycle model: the autoencoder in one job.
head -c 640 "$cat" >frame.bin
# cycles NETWORK MODE ARGUMENT...
cycles() {
    "$tulle" net run "$1" --device 'model:networks;timed=1' --mode "$2" "${@:3}" >out 2>err || fail "$1, $2: $(cat out err)"
    sed -n 's/.*; \([0-9]*\) cycles;.*/\1/p' out
}
# fastest NETWORK ARGUMENT...: which of the ways `auto` takes.
fastest() {
    local layers fused auto
    layers=$(cycles "$1" layers "${@:2}") && fused=$(cycles "$1" fused "${@:2}") && auto=$(cycles "$1" auto "${@:2}")
    ((auto == (layers < fused ? layers : fused))) || fail "$1: $layers cycles in layers, $fused in one job, and $auto"
    echo "$1: $layers cycles in layers, $fused in one job" >&2
    ((layers < fused)) && echo layers || echo fused
}
[[ $(fastest "$models/tflite/ad01_int8.tflite" --input frame.bin) == fused ]] || fail "the autoencoder is not in one job"
fastest "$kws" --shape input_1.0=1 --input word.bin 2>ways >/dev/null
cat ways

# A part learns from its first input how many activations are 0; a file that was compiled without one has not.
learned=$(sed -n 's/.* in layers, \([0-9]*\) in one job$/\1/p' ways)
"$tulle" compile "$kws" --shape input_1.0=1 -o all.net --device model:networks --mode fused >out || fail "compile: $(cat out)"
planned=$(cycles all.net layers --input word.bin)
((learned < planned)) || fail "$learned cycles with plans for the input, $planned without"

# A network that was compiled layer by layer stays so.
"$tulle" compile "$kws" --shape input_1.0=1 -o kws.net --force --device model:networks >out || fail "compile: $(cat out)"
"$tulle" net run kws.net --input word.bin --device model:networks --mode fused >out 2>err && fail "a compiled network in parts"
grep -q 'it was compiled layer by layer' err || fail "why not: $(cat err)"
