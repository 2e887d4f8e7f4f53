#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups of a MobileNetV1 that is generated: bytes, results, the file in slices, and what is refused.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"

mobilenet_v1 large.onnx 192 3
costs MobileNetV1 $((256 * 1024)) large.onnx
below "at 256 KB" "$bytes" 3520000
costs MobileNetV1 $((32 * 1024)) large.onnx
below "at 32 KB" "$bytes" 10770000

mobilenet_v1 small.onnx 64 1
"$PYTHON" -c 'import numpy as np; np.save("image.npy", np.random.RandomState(1).randint(0, 256, (1, 3, 64, 64)).astype(np.uint8))'
for chip in 10240 16384 32768; do
    same "$chip" small.onnx --input image.npy
done
rm -rf rows
"$tulle" net run small.onnx --input image.npy --groups --on-chip 10240 --rows-only --output rows >/dev/null || fail "slices of rows alone"
diff -r whole rows || fail "slices of rows alone give other results"

# The file in slices is the same network for whoever reads it, and can be cut again.
"$tulle" net convert small.onnx cut.onnx --groups --on-chip 16384 || fail "it cannot be written in slices"
"$tulle" net info cut.onnx >out
grep -q Concat out || fail "nothing was cut"
rm -rf whole cut
"$tulle" net run small.onnx --input image.npy --output whole >/dev/null
"$tulle" net run cut.onnx --input image.npy --output cut >/dev/null || fail "the file in slices does not run"
diff -r whole cut || fail "the file in slices gives other results"
same 12288 cut.onnx --input image.npy

# A marked result inside a group is written as well, and changes no group and no other result.
"$tulle" net run small.onnx --input image.npy --output whole --external-output layer3 --external-output t4 >/dev/null || fail marks
rm -rf cut
"$tulle" net run small.onnx --input image.npy --groups --on-chip 16384 --output cut --external-output layer3 --external-output t4 >/dev/null ||
    fail "marks in slices"
diff -r whole cut || fail "marked results differ in slices"

# A group that is asked for: by names and by numbers; the one that cannot fit is refused by name, and so are others.
"$tulle" net explain small.onnx --groups --on-chip 32768 --group layer1..layer4/4 >out || fail "a group by names: $(cat out)"
grep -q '^1\.\.4 .* 4 ' out || fail "layers 1 to 4 are no group of 4 slices: $(cat out)"
"$tulle" net explain small.onnx --groups --on-chip 32768 --group 1..4/4 | diff out - || fail "a group by numbers"

# Other ways to have shared rows are shown, and none is better.
"$tulle" net explain small.onnx --groups --on-chip 16384 --json >out || fail "alternatives: $(cat out)"
"$PYTHON" - out <<'P' || fail "alternatives: $(cat out)"
import json, sys
cut = [g for g in json.load(open(sys.argv[1]))["groups"] if g["slices"][0] > 1]
price = lambda cost: cost["bytes"] * 32 + cost["multiplications_again"] * 64
assert cut and all(len(g["alternatives"]) == 2 for g in cut)
others = [(g["cost"], a["cost"]) for g in cut for a in g["alternatives"] if "cost" in a]
assert others and all(price(chosen) <= price(other) for chosen, other in others)
P

# The page of groups is well-formed, and has a bar for each group and a row for each choice.
"$tulle" net explain small.onnx --groups --on-chip 12288 --json >out || fail "groups beside single layers: $(cat out)"
"$tulle" report out -o groups.html 2>err || fail "the page: $(cat err)"
xmllint --noout groups.html || fail 'the page is not well-formed'
"$PYTHON" - out groups.html <<'P' || fail "the page has other groups"
import json, sys
groups = json.load(open(sys.argv[1]))["groups"]
page = open(sys.argv[2]).read()
assert len(groups) > page.count('fill="var(--weights)"') == sum(g["grouped"] for g in groups) > 0
assert page.count("<tr><th scope=\"row\"") == len(groups)
assert all(f'{g["cost"]["read"]:,}</td>' in page for g in groups)
P
sed 's/"weights_loaded_once"/"w"/' out >wrong.json
! "$tulle" report wrong.json -o no.html 2>err || fail "a page of half the figures"
grep -q 'not all that tulle net explain --groups --json writes' err || fail "$(cat err)"

# The steps of slices: the read set, the compute set and the write set with their addresses. The bank is as full as the list says.
"$tulle" net explain small.onnx --groups --on-chip 32768 --group 1..4/4 --listing >out || fail "a listing: $(cat out)"
for slice in 1 2 3 4; do
    sed -n "/^group 1\.\.4, slice $slice of 4/,/^\$/p" out >steps
    for kind in read compute write; do
        grep -q "^  $kind " steps || fail "slice $slice has no step $kind: $(cat steps)"
    done
done
refuses() {
    local word=$1
    shift
    ! "$tulle" net explain small.onnx --groups "$@" >out 2>err || fail "not refused: $*"
    grep -qF -- "$word" err || fail "$*: $(cat err)"
}
refuses 'group "layer0" to "layer26": its smallest slice needs' --on-chip 9000 --group 0..26
refuses 'there is no layer "layer99"' --group layer1..layer99
refuses 'its first layer comes behind its last one' --group 4..1
refuses 'is in two groups' --group 1..4 --group 3..5
refuses 'cannot be cut into 1000 slices' --group 1..4/1000
refuses 'nothing is left for activations' --on-chip 4096
! "$tulle" net explain small.onnx --on-chip 4096 --device model:networks 2>err || fail '--on-chip without --groups'
grep -q 'go with --groups' err || fail "$(cat err)"
