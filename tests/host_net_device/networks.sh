#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Quantised networks of others with their layers on the functional model of networks: every element is the CPU's. A device
# without the keys leaves layers to the CPU, and the network gives the same; wrong use is refused.

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
kws=$models/tflite/kws_ref_model.tflite

take_word
agrees model:networks 1 72088 kws_ref_model --shape input_1.0=1 --input word.bin
head -c 640 "$cat" >frame.bin
agrees model:networks 0 1672 ad01_int8 --shape input_1.0=1 --input frame.bin
agrees model:networks 1 86100 pretrainedResnet_quant --shape input_1_int8.0=1 --input "$cat" --resize crop

# What a network gives does not depend on where its layers run, nor do the values between them.
run() {
    "$tulle" net run "$kws" --shape input_1.0=1 --input word.bin "$@" >out 2>err || fail "$*: $(cat out err)"
}
run --output cpu.npy --per-layer cpu
for device in model:networks model:base; do
    run --output device.npy --device "$device"
    cmp cpu.npy device.npy || fail "$device gives other shares"
    run --per-layer device --device "$device" --mode layers
    diff -r cpu device || fail "$device gives other values between layers"
    rm -r device
done
run --device model:base
grep -qE '^model:base: 10 of 22 nodes, 0 of them within the one before; 12 on the CPU; [0-9]+ bytes copied to the device and [0-9]+ back$' out ||
    fail "base has the average and the limits alone, but: $(cat out)"

# A compiled network is the same one, and so is what it costs.
"$tulle" compile "$kws" -o kws.net --shape input_1.0=1 --device model:networks >out || fail "compile: $(cat out)"
grep -q '^model:networks: 21 of 22 nodes, 9 of them within the one before; 1 on the CPU; [0-9]* bytes$' out ||
    fail "what is compiled: $(cat out)"
"$tulle" compile "$kws" -o again.net --shape input_1.0=1 --device model:networks >out || fail "compile: $(cat out)"
cmp kws.net again.net || fail "other bytes"
for device in "--device model:networks --check" ""; do
    # shellcheck disable=SC2086 # words
    "$tulle" net run kws.net --input word.bin --output compiled.npy $device >out || fail "compiled: $(cat out)"
    cmp cpu.npy compiled.npy || fail "a compiled network gives other shares ($device)"
done
"$tulle" net explain "$kws" --shape input_1.0=1 --device model:networks >planned
"$tulle" explain net kws.net --device model:networks | diff planned - || fail "a compiled network has other plans"
"$tulle" explain net kws.net --device "model:networks;timed=1" --input word.bin >out
awk '/all on the device/ { good = $(NF - 5) > 50000 && $(NF - 5) < 75000 } END { exit !good }' out ||
    fail "the cycle model: $(tail -n 1 out)"
full=$(awk '/all on the device/ { print $(NF - 5) }' out)
# With an input, layers are planned for its zeros.
"$tulle" compile "$kws" -o learned.net --shape input_1.0=1 --device model:networks --input word.bin >out || fail "compile: $(cat out)"
"$tulle" explain net learned.net --device "model:networks;timed=1" --input word.bin >out
awk -v full="$full" '/all on the device/ { good = $(NF - 5) < full && $(NF - 6) < full } END { exit !good }' out ||
    fail "plans for zeros take no fewer cycles than $full: $(tail -n 1 out)"

# What a file has, and that it is damaged.
"$tulle" inspect kws.net >out || fail "inspect: $(cat out)"
for line in 'kind         compiled network, format 1' 'variant      networks (hash [0-9a-f]*)' \
    'nodes        22: 12 operators of the device, 9 within these, 1 on the CPU'; do
    grep -q "^$line\$" out || fail "inspect has no '$line': $(cat out)"
done
(($(grep -c '^Conv .* [1-9][0-9]*$' out) == 9)) || fail "not nine convolutions with sizes: $(cat out)"
"$tulle" inspect kws.net --json >out
"$PYTHON" - kws.net <<'P' || fail "inspect --json: $(cat out)"
import json, os, sys
o = json.load(open("out"))
assert o["bytes"] == os.path.getsize(sys.argv[1]) and o["variant"] == "networks" and len(o["layers"]) == 22
sizes = [l["bytes"] for l in o["layers"] if l["where"] == "device"]
assert len(sizes) == 12 and o["graph_bytes"] + sum(sizes) < o["bytes"] < o["graph_bytes"] + sum(sizes) + 2000
assert [l["why"] for l in o["layers"] if l["where"] == "cpu"] == ["devices have no such operator"]
P
{ head -c 5000 kws.net && printf x && tail -c +5002 kws.net; } >damaged.net
head -c 5000 kws.net >short.net
for bad in damaged.net short.net; do
    "$tulle" inspect $bad >out 2>err && fail "$bad is taken for a whole file"
    grep -q 'it is damaged, or no compiled network: its checksum is wrong' err || fail "what is wrong with $bad: $(cat err)"
    [[ ! -s out ]] || fail "inspect describes $bad"
done

# On a terminal the layers pass by, unless they are not to be shown, and nowhere else do they.
# shown [OPTION]: whether a run, which must end well, shows one of its layers.
shown() {
    TERM=xterm script -qec "'$tulle' net run kws.net --input word.bin --device model:networks $* >out" /dev/null </dev/null >shown ||
        fail "net run $* on a terminal: $(cat shown)"
    grep -q 'bytes copied to the device' out || fail "net run $* on a terminal prints: $(cat out)"
    grep -q 'functional_1/activation_7' shown
}
shown || fail "no bar of the layers: $(cat shown)"
! shown --quiet || fail "a bar of the layers with --quiet: $(cat shown)"
"$tulle" net run kws.net --input word.bin --device model:networks >out 2>err
[[ ! -s err ]] || fail "a bar where there is no terminal: $(cat err)"

# What each layer costs: predicted, and counted by a device that ran it.
explains() {
    "$tulle" net explain "$kws" --shape input_1.0=1 --device "$@" >out 2>err || fail "explain $*: $(cat out err)"
}
# sum COLUMN: that of the layers, which the last line has, too.
sum() {
    awk -v column="$1" '/ [0-9]+$/ && !/all on the device/ { sum += $(NF - 7 + column) } END { print sum }' out
}
explains model:networks
for column in 1 5 6 7; do
    [[ $(sum $column) == $(tail -n 1 out | awk -v column=$column '{ print $(NF - 7 + column) }') ]] ||
        fail "column $column of the whole is not the sum: $(cat out)"
done
awk '/all on the device/ { good = $(NF - 3) >= 0.8 && $(NF - 3) <= 1 && $(NF - 2) == 2550224 && $NF == 21848 } END { exit !good }' out ||
    fail "the whole: $(tail -n 1 out)"
grep -q '^Reshape .* CPU: devices have no such operator$' out || fail "why Reshape is on the CPU: $(cat out)"
(($(grep -c '^Relu .* within ' out) == 9)) || fail "nine Relus are within the layer before: $(cat out)"
explains model:networks --json --input word.bin
"$PYTHON" - <<'P' || fail "explain --json: $(cat out)"
import json
o = json.load(open("out"))
on = [l for l in o["layers"] if l["where"] == "device"]
assert o["nodes"] == 22 and o["device_nodes"] == 21 and len(o["layers"]) == 22 and len(on) == 12
assert 0 < o["multiplications"] == sum(l["multiplications"] for l in on) < 2550224
assert sum(l["where"] == "within" for l in o["layers"]) == 9 and all(l["bytes"] > 0 for l in on)
for side in "bytes_to_device", "bytes_from_device":
    assert o[side] == sum(l[side] for l in on)
# Activations alone go to the device and back: those of the first layer are 49 x 10 and borders, the last has 12 shares and a status.
assert 490 <= on[0]["bytes_to_device"] < 20 * 490 and 12 <= on[-1]["bytes_from_device"] < 1024
P

# The page of a network: whole, with a row for each node, and a link to each layer on the device.
"$tulle" explain net kws.net --device model:networks --input word.bin --check --json >kws.json
"$tulle" report kws.json -o kws.html
xmllint --noout kws.html || fail "the page is not well-formed"
(($(grep -c '<tr id="case-' kws.html) == 22)) || fail "not a row for each node"
grep -o 'href="#[^"]*"' kws.html | sed 's/href="#//; s/"//' | sort -u >links
(($(grep -c '^case-' links) >= 11)) || fail "not all layers are in the roofline: $(cat links)"
while read -r id; do
    grep -q " id=\"$id\"" kws.html || fail "a link to $id, which is not there"
done <links
grep -q '<dd>21 of 22</dd>' kws.html || fail "how many nodes are on the device"
grep -q '<dd>0<small>of 72,088 elements' kws.html || fail "what was compared: $(grep 'Differ' kws.html)"
echo '{"outputs": [{"name": "a<b", "relative_error": 0.5, "rows": 4, "same_top1": 3}]}' >accuracy.json
"$tulle" report kws.json --accuracy accuracy.json | grep -q 'a&lt;b</th><td>0.5</td><td>0</td><td>3 of 4</td>' || fail "no accuracy"
sed 's/"compute"/"computes"/' kws.json >less.json
"$tulle" report less.json >out 2>err && fail "a page of a file that is not whole"
grep -q 'is not all that tulle net explain --json writes' err || fail "why there is no page: $(cat err)"
explains model:base
grep -q '^Conv .* CPU: channels: variant base was made without channel_groups$' out || fail "why not on base: $(cat out)"

# refuses STATUS WORDS ARGUMENT...
refuses() {
    local status=$1 words=$2 got=0
    shift 2
    "$tulle" net "$@" >out 2>err || got=$?
    ((got == status)) || fail "$*: exit status $got, not $status: $(cat out err)"
    grep -qF -- "$words" err || fail "$*: not '$words' but: $(cat err)"
}
refuses 2 '--mode, --check and --timeout go with --device' run "$kws" --check
refuses 2 'go with run and explain only' info "$kws" --device model:networks
refuses 2 'explain needs a device' explain "$kws"
refuses 2 'results go with run only' explain "$kws" --device model:networks --top 1
refuses 2 '--mode' run "$kws" --device model:networks --mode alone
refuses 1 'model:nothing' run "$kws" --shape input_1.0=1 --input word.bin --device model:nothing
refuses 1 'it is compiled for variant networks' run kws.net --input word.bin --device model:base
refuses 1 'cannot be changed by' compile kws.net -o other.net --device model:networks
refuses 1 'cannot be changed by' run kws.net --input word.bin --passes all
refuses 1 'values between its layers' run kws.net --input word.bin --device model:networks --per-layer layers
refuses 1 'there is such a file' compile "$kws" -o kws.net --shape input_1.0=1 --device model:networks
refuses 1 'dimensions without a value: input_1.0' compile "$kws" -o other.net --device model:networks
refuses 2 'compile needs a device' compile "$kws" -o other.net
refuses 2 'which file is to be written?' compile "$kws" --device model:networks
[[ ! -e other.net ]] || fail "a refused command has written a file"
