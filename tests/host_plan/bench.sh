#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The planner's bench: choices hold their bars, JSON is JSON, a bar that is missed is seen, and bad input is refused.
set -euo pipefail

bench=$BUILD/bin/bench-plan
cases=$TOP/host/measure/plan-cases.tsv
for name in spmm-10 spmm-10-50 band-22 pool7-wide; do
    "$bench" "$cases" "$name" >"$TMPDIR/out"
    grep -q "^| $name .* held |$" "$TMPDIR/out"
done
"$bench" --json "$cases" spmv-band >"$TMPDIR/json"
grep -q '^  {"case": "spmv-band", .*"cycles": [1-9][0-9]*, .*"held": true}$' "$TMPDIR/json"
"$bench" --forced --explain "$cases" spmm-tiny-50 >"$TMPDIR/out"
grep -q 'Within 5 % of the best forced plan: 1 of 1' "$TMPDIR/out"
grep -q '^chosen: ' "$TMPDIR/out"

printf 'low\tspmm\tbase\trandom 64 64 0.1 1\t16\t1.0\t0.99\t-\tno\n' >"$TMPDIR/cases.tsv"
if "$bench" "$TMPDIR/cases.tsv" >"$TMPDIR/out"; then
    echo "a case below its bar passed" >&2
    exit 1
fi
grep -q 'missed' "$TMPDIR/out"
printf 'fat\tspmm\tbase\trandom 64 64 0.1 1\t16\t1.0\t-\t2.0\tno\n' >"$TMPDIR/cases.tsv"
if "$bench" "$TMPDIR/cases.tsv" >"$TMPDIR/out"; then
    echo "a case with too many bytes passed" >&2
    exit 1
fi
printf 'few columns\tspmm\n' >"$TMPDIR/cases.tsv"
status=0
"$bench" "$TMPDIR/cases.tsv" >"$TMPDIR/out" 2>"$TMPDIR/error" || status=$?
[[ $status == 2 ]]
grep -q 'not a case' "$TMPDIR/error"
