#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How much of what jobs read is their program (make bench-program): a few cases against the bar, and a share that is worse than listed is seen.
# timeout: 900
set -euo pipefail

bench=$BUILD/bin/bench-program
cases=$TOP/tests/bench/program-cases.tsv
for name in tiny-product-0.5 tiny-few-1.0 odd-tall-1.0 base-product-0.5; do
    "$bench" "$cases" "$name" >"$TMPDIR/out"
    grep -q "^| $name .* held |$" "$TMPDIR/out"
done
for name in tiny-tall-0.1 tiny-band-3 odd-conv3-1.0; do
    "$bench" --misses "$TOP/tests/bench/known-misses.tsv" "$cases" "$name" >"$TMPDIR/out"
    grep -q "^| $name .* known miss |$" "$TMPDIR/out"
done
printf 'bench-program\ttiny-tall-0.1\tprogram\t1.0\n' >"$TMPDIR/misses.tsv"
if "$bench" --misses "$TMPDIR/misses.tsv" "$cases" tiny-tall-0.1 >"$TMPDIR/out"; then
    echo "a share worse than listed passed" >&2
    exit 1
fi
grep -q 'worse than listed' "$TMPDIR/out"
status=0
"$bench" "$cases" no-such-case >"$TMPDIR/out" 2>"$TMPDIR/error" || status=$?
[[ $status == 2 ]] && grep -q 'no case ran' "$TMPDIR/error"
