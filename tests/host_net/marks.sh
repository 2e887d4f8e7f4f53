#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# External outputs by the command: with passes, every result of random quantised networks is an output with the value that it has
# without passes, in the order of names, and the network's own outputs stay first.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
swallowed=0
# Seeds of networks whose integers passes keep to the bit: the scales of others may round once otherwise.
for seed in 1 2 3; do
    "$BUILD/tests/tool/net-graph" "$seed" graph.onnx
    "$tulle" net info graph.onnx --json >info.json
    "$tulle" net info graph.onnx --json --passes all >passed.json
    mapfile -t inputs < <(sed -n 's/^  "inputs": \[{"name": "\([^"]*\)".*"shape": \[\(.*\)\]}\],$/\1 \2/p' info.json)
    read -r input sizes <<<"${inputs[0]}"
    head -c $((4 * ${sizes//, /*})) <(while :; do printf '\0\0\200\77\0\0\40\300\0\0\0\77'; done) >x.raw
    mapfile -t names < <(sed -n '/"nodes"/,$s/.*"outputs": \[{"name": "\([^"]*\)".*/\1/p' info.json)
    marks=()
    for name in "${names[@]}"; do
        marks+=(--external-output "$name")
        grep -qF "\"outputs\": [{\"name\": \"$name\"" passed.json || swallowed=$((swallowed + 1))
    done
    "$tulle" net run graph.onnx --input "$input=x.raw" --per-layer plain >out 2>err || fail "seed $seed: $(cat err)"
    rm "plain/$input.npy"
    "$tulle" net run graph.onnx --input "$input=x.raw" --passes all "${marks[@]}" --output marked >out 2>err || fail "seed $seed: $(cat err)"
    diff -r --exclude MANIFEST plain marked || fail "seed $seed: passes change marked results"
    "$tulle" net run graph.onnx --input "$input=x.raw" --passes all >own.txt
    "$tulle" net run graph.onnx --input "$input=x.raw" --passes all "${marks[@]}" >all.txt
    head -n "$(wc -l <own.txt)" all.txt | diff own.txt - || fail "seed $seed: marks change outputs"
    tail -n +$(($(wc -l <own.txt) + 1)) all.txt | sed 's/ .*//' | LC_ALL=C sort -c || fail "seed $seed: outputs are not by name: $(cat all.txt)"
    rm -r plain marked
done
((swallowed >= 10)) || fail "passes swallow only $swallowed results"
