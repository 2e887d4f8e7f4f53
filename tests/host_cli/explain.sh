#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle explain: the plan, the alternatives with what they were predicted to cost, and --measure.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
small=(spmm --rows 16 --k 128 --n 64 --device model:tiny)

does explain "${small[@]}"
grep -q '^plan  *[iow]s [mnk][mnk].*, predicted [1-9][0-9]* cycles' out || fail "no plan: $(cat out)"
grep -q '^chosen: ' out || fail "no explanation: $(cat out)"
(($(grep -c '^| [iow]s' out) > 3)) || fail "no alternatives: $(cat out)"
! grep -q '^cycles ' out || fail "measured, unasked: $(cat out)"
does explain "${small[@]}" --mapping os --split mn
grep -q '^plan  *os mn' out || fail "not what was asked for: $(cat out)"
does explain "${small[@]}" --effort 1 --quiet
[[ ! -s out ]] || fail "--quiet is not: $(cat out)"
does explain spmv --rows 300 --k 600 --density 0.05 --device model:tiny
grep -q 'y\[300\] = W\[300\]\[600\] x' out || fail "no spmv: $(cat out)"

does explain "${small[@]}" --measure
grep -q 'this device has no clock' out || fail "not measured: $(cat out)"
grep -q '^effective MACs  *[1-9]' out || fail "not measured: $(cat out)"

does explain "${small[@]}" --json
[[ $(wc -l <out) == 1 ]] || fail "more than a line: $(cat out)"
for name in op m k n nnz effective_macs pes cycles roofline_cycles mapping split plan predicted_cycles jobs weights_bytes \
    device_bytes device variant; do
    [[ -n $(field $name out) ]] || fail "no field $name: $(cat out)"
done
[[ $(field cycles out) == null ]] || fail "cycles from nowhere: $(cat out)"
grep -q '"explanation": \["chosen: ' out || fail "no explanation: $(cat out)"
does explain "${small[@]}" --json --measure
[[ $(field cycles out) == 0 && $(field efficiency out) == null ]] || fail "a clock from nowhere: $(cat out)"

# The cycles that were predicted are those of the plan that a run has.
predicted=$(field predicted_cycles out)
does run "${small[@]}" --json
[[ $(field predicted_cycles out) == "$predicted" ]] || fail "run and explain are of two minds: $(cat out)"
