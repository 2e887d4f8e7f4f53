#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `tulle net run|explain --place`: on networks with real weights no strategy changes a result, the default predicts no more than any
# other, reasons have their numbers, each rewrite of scalars takes something away, and the page draws the network. Two devices of
# different variants compute one network.
# timeout: 600

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"

refuses() {
    local message=$1
    shift
    "$tulle" net "$@" >out 2>err && fail "tulle net $* is no error"
    grep -q -e "$message" err || fail "tulle net $*: $(cat err)"
}

take_word
kws=$models/tflite/kws_ref_model.tflite
one=(--shape input_1.0=1)
word=(--input word.bin)
device=(--device model:networks)
other=(--device "model:networks;set=n=1;set=m=2;set=k=4;set=memory_width=128;set=row_bus_width=128")

# Every strategy, marks, and two devices: the outputs of the CPU.
"$tulle" net run "$kws" "${one[@]}" "${word[@]}" -o cpu.npy
run=0
same() {
    run=$((run + 1))
    "$tulle" net run "$kws" "${one[@]}" "${word[@]}" -o "$run.npy" --quiet --check --place "$@" >out 2>err || fail "$*: $(cat out err)"
    cmp -s cpu.npy "$run.npy" || fail "$*: the output is not the CPU's"
}
for strategy in path thresholds greedy device host; do
    same "${device[@]}" --strategy "$strategy"
done
grep -q '^model:networks: 0 of 22 nodes' out || fail "the host alone: $(cat out)"
pool=functional_1/average_pooling2d/AvgPool dense=functional_1/dense/BiasAdd
same "${device[@]}" "${other[@]}" --strategy host --put "$pool=1" --put "$dense=2"
grep -q '^model:networks and others: 2 of 22 nodes' out || fail "two devices: $(cat out)"

same "${device[@]}" --mode fused --strategy device
grep -q '0 on the CPU; 1 part; .* 0 differ' <(tr '\n' ' ' <out) || fail "no part was placed: $(cat out)"

# Reasons, and what strategies predict; a job that costs nothing and a fast clock bring layers to the device.
explain() {
    "$tulle" net explain "$kws" --place "$@" >out 2>err || fail "explain $*: $(cat err)"
}
explain --as networks "${one[@]}"
# shellcheck disable=SC2016
awk '/proven to be the least/ { proven++ }
    /^(path|thresholds|greedy|device|host) +[0-9.]+ us$/ { us[$1] = $2 }
    END {
        for (name in us) { n++; if (us["path"] > us[name]) worse++ }
        exit !(n == 5 && proven == 1 && us["path"] > 0 && !worse)
    }' out || fail "what strategies predict: $(tail -n 8 out)"
grep -q ' T .* + A .* = C .*, S .* + O .* = P .*; here the whole takes +[0-9.]* us, with its successor' out || fail "no reasons: $(cat out)"
grep -q '^19 Reshape .*: processor 0 ' out || fail "the Reshape is not on the CPU: $(cat out)"
grep -q '  step: processor 0, ' out || fail "no steps: $(cat out)"
explain "${device[@]}" "${one[@]}" --strategy thresholds --most-cost 0.001
grep -q 'does not pass with its successor$' out || fail "no fusion was tried: $(cat out)"
explain "${device[@]}" "${one[@]}" --clock 10000 --job-us 0 --copy-rate 1000000
grep -q '^0 .*: processor 1 ' out || fail "a device that costs nothing gets nothing: $(cat out)"

# Scalars of a network: rewrites take something away, and most are gone.
explain --as networks
read -r all left constants identities common dead < <(sed -n 's/^scalars: \([0-9]*\), on the host; \([0-9]*\) are left (\([0-9]*\) of constants, \([0-9]*\) identities, \([0-9]*\) common, \([0-9]*\) dead).*/\1 \2 \3 \4 \5 \6/p' out) ||
    fail "no scalars: $(tail -n 9 out)"
((all > 3 * left && constants && identities && common && dead)) || fail "scalars: $(grep '^scalars' out)"
# A dimension without a size that is no batch.
"$PYTHON" -c 'import onnx
from onnx import helper as h, TensorProto as t
value = lambda name: h.make_tensor_value_info(name, t.FLOAT, [1, 3, "h", 8])
graph = h.make_graph([h.make_node("Relu", ["x"], ["y"])], "open", [value("x")], [value("y")])
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 13)]), "open.onnx")'
"$tulle" net explain open.onnx --as networks --place >out 2>err || fail "a dimension without a size: $(cat out err)"
grep -q 'operations have dimensions without a size' out || fail "sizes that are not known are not told: $(tail -n 9 out)"

# Parts: what operators save because of their neighbours; the default plans parts of what every strategy chooses.
"$tulle" net explain "$models/tflite/ad01_int8.tflite" --shape input_1.0=1 --as networks --place --mode fused --clock 1000 >out 2>err ||
    fail "parts: $(cat out err)"
grep -q '^part 1, 10 operators: 9 jobs less save 63.00 us; [1-9][0-9]* bytes .* cycles in place of ' out || fail "parts save nothing: $(grep -v '^ ' out)"
grep -q ' behind it in its loops: [1-9][0-9]* bytes less are written and read again$' out || fail "no loops are merged: $(grep -v '^ ' out)"
awk '/; its parts/ { n++; if ($1 == "path") path = $6; else if ($6 < path) worse++ } END { exit !(n == 5 && path > 0 && !worse) }' out ||
    fail "another strategy has better parts: $(tail -n 6 out)"

# The object and its page.
"$tulle" net explain "$kws" "${one[@]}" "${device[@]}" --place --json >net.json
"$tulle" report net.json -o net.html
[[ $(grep -c '<rect x=' net.html) -ge 22 ]] || fail "the page has no picture of the placement"
grep -q 'stroke-width="2"><title>.* moves ' net.html || fail "the page shows no value that moves"
sed 's/"processor": 1, "measured"/"processor": 7, "measured"/' net.json >wrong.json
"$tulle" report wrong.json >out 2>err && fail "a page of a processor that is not there"
"$tulle" net explain "$models/tflite/ad01_int8.tflite" --shape input_1.0=1 --as networks --place --mode fused --clock 1000 --json >parts.json
"$PYTHON" - <<'P' || fail "the object of parts is wrong"
import json
p = json.load(open("parts.json"))["placement"]
assert p["scalars"]["left"] < p["scalars"]["lowered"] and p["scalars"]["identities"] > 0
assert set(p["strategies_with_parts"]) == set(p["strategies"]) and p["us"] <= min(p["strategies_with_parts"].values())
part = [s for s in p["savings"] if "part" in s]
assert len(part) == 1 and part[0]["operators"] == 10 and part[0]["jobs"] == 9 and part[0]["jobs_us"] == 63
assert 0 < part[0]["cycles"] < part[0]["cycles_alone"] and part[0]["bytes"] > 0
assert any(s["bytes"] > 0 for s in p["savings"] if "operation" in s)
P
"$tulle" report parts.json -o parts.html
grep -q '<th scope="row">part 1</th><td>10</td><td>9</td>' parts.html || fail "the page does not show what the part saves"

# The first rows of an array are a processor of their own; and what runs take is compared with runs on the host alone.
same "${device[@]}" --array-rows 1 --strategy host --put "$pool=2" --put "$dense=2" --place-runs 3
grep -q '^model:networks: 2 of 22 nodes' out || fail "rows of an array: $(cat out)"
grep -q "^with the host's times of 3 runs in turn: [0-9.]* us predicted; [0-9.]* us measured: [0-9.]* of it$" out || fail "runs in turn: $(cat out)"
explain "${device[@]}" "${one[@]}" --array-rows 1
grep -q '^2 1 rows of model:networks: 1 x 2 x 8 PEs' out || fail "rows are no processor: $(cat out)"
refuses "rows is 3; the device's array has 2" explain "$kws" "${one[@]}" "${device[@]}" --place --array-rows 3
refuses '--array-rows 0: give a number of rows' explain "$kws" "${one[@]}" "${device[@]}" --place --array-rows 0

# Times are measured, written and taken.
"$tulle" net calibrate "$kws" "${one[@]}" -o times.tsv || fail "calibrate"
grep -q "^Gemm.int8.scaled$(printf '\t')768$(printf '\t')" times.tsv || fail "no time of the last product: $(cat times.tsv)"
"$tulle" net calibrate "$kws" "${one[@]}" "${device[@]}" -o times.tsv --force || fail "calibrate with a device"
(($(grep -c '^copy-\(to\|from\)-model:networks' times.tsv) == 18)) || fail "no times of copies: $(grep copy times.tsv)"
printf 'Gemm.int8.scaled\t768\t892\t1\t0\n' >>times.tsv
explain "${device[@]}" "${one[@]}" --times times.tsv
grep -q 'a megabyte copied [0-9]* us there (+-[0-9]* %) and [0-9]* us back (+-[0-9]* %), measured' out || fail "copies are not taken: $(head -n 3 out)"
grep -q '1000000.00 us' out || fail "the file's times are not taken: $(grep -A 2 Gemm out) $(grep Gemm times.tsv)"
printf 'Gemm\t1\n' >bad.tsv
refuses 'bad.tsv:1: error: a line of measured times is' explain "$kws" "${one[@]}" "${device[@]}" --place --times bad.tsv

refuses 'the network has no such node' explain "$kws" "${one[@]}" "${device[@]}" --place --put nothing=1
refuses 'there is no such processor' explain "$kws" "${one[@]}" "${device[@]}" --place --put "$pool=2"
refuses 'give NODE=PROCESSOR' explain "$kws" "${one[@]}" "${device[@]}" --place --put "$pool"
refuses 'go with --place' explain "$kws" "${device[@]}" --strategy host
refuses 'several devices go with run and explain, and --place' run "$kws" "${device[@]}" "${other[@]}"
refuses '--mode layers, or with --mode fused' explain "$kws" "${device[@]}" --place --mode auto
refuses 'is for one device' explain "$kws" "${device[@]}" "${other[@]}" --place --mode fused
refuses 'in place of --device' explain "$kws" --as networks "${device[@]}"
echo "five strategies and two devices: $run runs with the output of the CPU"
