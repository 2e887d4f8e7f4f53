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

# Known misses pass as they are listed; a worse one, one that is met, a new one and one of no case fail.
# known STATUS REACHED BAR WORDS: with that figure listed, the case ends so.
known() {
    printf 'bench-plan\tlow\tefficiency\t%s\n' "$2" >"$TMPDIR/misses.tsv"
    printf 'low\tspmm\tbase\trandom 64 64 0.1 1\t16\t1.0\t%s\t-\tno\n' "$3" >"$TMPDIR/cases.tsv"
    local status=0
    "$bench" --misses "$TMPDIR/misses.tsv" "$TMPDIR/cases.tsv" >"$TMPDIR/out" || status=$?
    [[ $status == "$1" ]] && grep -q "| $4 |\$" "$TMPDIR/out" && return
    cat "$TMPDIR/out"
    echo "reached $2, bar $3: exit status $status and not $1, or not '$4'" >&2
    exit 1
}
printf 'low\tspmm\tbase\trandom 64 64 0.1 1\t16\t1.0\t-\t-\tno\n' >"$TMPDIR/cases.tsv"
"$bench" --json "$TMPDIR/cases.tsv" >"$TMPDIR/json"
efficiency=$(sed -n 's/.*"efficiency": \([0-9.]*\).*/\1/p' "$TMPDIR/json")
more=$(awk -v e="$efficiency" 'BEGIN { printf "%.4f", e + 0.0002 }')
known 0 "$efficiency" 0.99 'known miss'
known 1 "$more" 0.99 'missed, worse than listed'
known 1 "$efficiency" 0.01 'met, but listed as a miss'
printf 'bench-plan\tother\tefficiency\t0.5\n' >"$TMPDIR/misses.tsv"
if "$bench" --misses "$TMPDIR/misses.tsv" "$TMPDIR/cases.tsv" >"$TMPDIR/out" 2>"$TMPDIR/error"; then
    echo "a known miss of no case passed" >&2
    exit 1
fi
grep -q 'other is listed as a known miss, and is no case' "$TMPDIR/error"
# The tree's list is of cases that there are, and of benches that read it.
while IFS=$'\t' read -r program name _; do
    [[ -x $BUILD/bin/$program ]] && grep -qh "^$name	" "$cases" "$TOP"/tests/bench/{,device-,program-}cases.tsv && continue
    echo "tests/bench/known-misses.tsv: $program $name" >&2
    exit 1
done < <(grep -v '^#' "$TOP/tests/bench/known-misses.tsv")
